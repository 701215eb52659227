// What happened, in words.

import { t } from "./i18n.js";
import { SeatSign } from "./kit.js";
import { html, useEffect, useRef } from "./vendor/preact.js";

/** The sentences of a line. @param {{events: any[], table_events: any[]}} line @param {import("./words.js").Words} words */
export function tell(line, words) {
  // The game's own words for its end are better than ours.
  const around = line.table_events.filter((event) => !(event.finished && line.events.length));
  return [...line.events.map((event) => words.event(event)), ...around.map((event) => words.tableEvent(event))].filter(Boolean);
}

/** The newest on top. @param {{lines: any[], words: import("./words.js").Words, current?: number, go?: (version: number) => void}} props */
export function Log({ lines, words, current, go }) {
  const list = useRef(/** @type {any} */ (null));
  useEffect(() => {
    const line = list.current?.querySelector("[aria-current]");
    if (line) list.current.scrollTop = line.offsetTop - list.current.offsetTop - 40;
  }, [current]);
  const told = lines.filter((line) => line.events.length || line.table_events.length).slice(-400).reverse();
  return html`<section class="card log" aria-labelledby="log">
    <h2 id="log">${t("table.log")}</h2>
    <ol class="happened" ref=${list} tabindex="0" aria-labelledby="log" reversed>
      ${!told.length && html`<li class="small">${t("table.log_empty")}</li>`}
      ${told.map((line) => html`<li key=${line.version} aria-current=${line.version === current ? "step" : undefined}>
        ${typeof line.seat === "number" && html`<${SeatSign} seat=${line.seat} />`}
        <div>${tell(line, words).map((text, n) => html`<p key=${n}>${go && n === 0 ? html`<button type="button" class="text" onClick=${() => go(line.version)}>${text}</button>` : text}</p>`)}</div>
      </li>`)}
    </ol>
  </section>`;
}
