// The end: who won, line by line, with a chart.

import { capital } from "./words.js";
import { plain, t } from "./i18n.js";
import { SeatSign } from "./kit.js";
import { html } from "./vendor/preact.js";

/** @param {{outcome: import("./api.js").Outcome, names: string[], words: import("./words.js").Words, seat: number | null, children?: any}} props */
export function OutcomePanel({ outcome, names, words, seat, children }) {
  const winners = names.filter((_, n) => outcome.places[n] === 1);
  const rows = labelsOf(outcome);
  const label = (id) => capital(words.text(`score.${id}`) ?? plain(id));
  const reason = outcome.reason && words.text(`reason.${outcome.reason}`);
  return html`<section class="outcome card" aria-labelledby="outcome">
    <h2 id="outcome">${seat !== null && outcome.places[seat] === 1 && winners.length === 1 ? t("outcome.you_win")
      : winners.length > 1 ? t("outcome.winners", { names: winners.join(", ") }) : t("outcome.winner", { name: winners[0] })}</h2>
    ${reason && html`<p>${reason}</p>`}
    <div class="scroll" tabindex="0" role="region" aria-label=${t("outcome.title")}>
      <table>
        <thead><tr><td></td>${names.map((name, n) => html`<th scope="col"><${SeatSign} seat=${n} /> <${Name} of=${name} /><br /><span class="small">${t("outcome.place", { n: outcome.places[n] })}</span></th>`)}</tr></thead>
        <tbody>${rows.map((id, n) => html`<tr key=${id}><th scope="row"><i class=${`part part-${n % PARTS}`} aria-hidden="true">${letter(n)}</i>${label(id)}</th>${names.map((_, n) => html`<td>${pointsOf(outcome, n, id) ?? "–"}</td>`)}</tr>`)}</tbody>
        <tfoot><tr><th scope="row">${t("outcome.total")}</th>${outcome.scores.map((score) => html`<td><b>${score}</b></td>`)}</tr></tfoot>
      </table>
    </div>
    <${Chart} outcome=${outcome} names=${names} rows=${rows} label=${label} />
    <div class="buttons">${children}</div>
  </section>`;
}

/** On a phone without what stands in brackets, such as the strength of a bot. */
function Name({ of }) {
  const [name, ...more] = of.split(/(?= \()/);
  return html`${name}<span class="more">${more.join("")}</span>`;
}

/** @param {import("./api.js").Outcome} outcome */
function labelsOf(outcome) {
  return [...new Set(outcome.breakdown.flat().map((line) => line.label))];
}

function pointsOf(outcome, seat, label) {
  const lines = outcome.breakdown[seat].filter((line) => line.label === label);
  return lines.length ? lines.reduce((sum, line) => sum + line.points, 0) : null;
}

const PARTS = 12;
/** Parts have letters, as colours alone would not do. */
const letter = (n) => String.fromCharCode(n < 26 ? 65 + n : 71 + n);
/** The smallest share of the width that has room for letters. */
const ROOM = 0.045;

/** One bar for each seat, one part for each line of the table; what was lost goes to the left of zero. */
function Chart({ outcome, names, rows, label }) {
  const sums = names.map((_, n) => rows.map((id, row) => ({ row, points: pointsOf(outcome, n, id) ?? 0 })));
  const most = Math.max(1, ...sums.map((parts) => total(parts, 1)));
  const least = Math.max(0, ...sums.map((parts) => total(parts, -1)));
  const part = ({ row, points }) => html`<span key=${row} class=${`part part-${row % PARTS}`} style=${{ flexGrow: Math.abs(points) }} data-tip=${`${label(rows[row])}: ${points}`}>
    ${Math.abs(points) / (most + least) > ROOM && html`<small>${letter(row)}</small>${points}`}</span>`;
  if (!rows.length) return null;
  return html`<figure class="chart" role="img" aria-label=${t("outcome.chart")}>
    ${sums.map((parts, n) => html`<div key=${n} class="bar"><${SeatSign} seat=${n} />
      <i style=${{ flexGrow: least - total(parts, -1) }}></i>${parts.filter((each) => each.points < 0).map(part)}<i class="zero"></i>
      ${parts.filter((each) => each.points > 0).map(part)}<i style=${{ flexGrow: most - total(parts, 1) }}></i></div>`)}
  </figure>`;
}

const total = (parts, sign) => parts.reduce((sum, { points }) => sum + Math.max(0, sign * points), 0);
