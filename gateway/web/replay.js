// A finished game, step by step.

import { call, wholeLog } from "./api.js";
import { loadGame } from "./game.js";
import { excuse, inLanguage, t } from "./i18n.js";
import { Log, tell } from "./log.js";
import { OutcomePanel } from "./outcome.js";
import { SeatStrip } from "./seats.js";
import { html, useEffect, useMemo, useState } from "./vendor/preact.js";
import { namesOf, wordsOf } from "./words.js";

const PACE = 1500;

/** @param {{id: string, offered: import("./api.js").Features}} props */
export function Replay({ id, offered }) {
  const [story, setStory] = useState(/** @type {any} */ (null));
  const [trouble, setTrouble] = useState("");
  useEffect(() => {
    (async () => {
      const table = await call("GET", `/tables/${id}`);
      if (table.status !== "finished") {
        setTrouble(t("replay.not_over"));
        return;
      }
      const [loaded, log] = await Promise.all([loadGame(table.game, offered), wholeLog(id)]);
      // The first step is the deal; what happened before it is of no interest here.
      const begun = log.findIndex((line) => line.table_events.some((event) => event.started));
      setStory({ table, loaded, lines: log.slice(begun) });
    })().catch((error) => setTrouble(excuse(error)));
  }, [id]);
  if (!story) return html`<p role="status">${trouble || t("app.loading")} ${trouble && html`<a href=${`#/table/${id}`}>${t("lobby.look")}</a>`}</p>`;
  return html`<${Steps} ...${story} />`;
}

/** @param {{table: import("./api.js").Table, loaded: any, lines: import("./api.js").LogLine[]}} props */
function Steps({ table, loaded, lines }) {
  const [step, setStep] = useState(0);
  const [running, setRunning] = useState(false);
  const [trouble, setTrouble] = useState("");
  const [position, setPosition] = useState(/** @type {any} */ (null));
  const names = namesOf(table.seats);
  const words = useMemo(() => wordsOf(loaded.game, loaded.components, names, loaded.board), [loaded, names.join(), t("app.title")]);
  const last = lines.length - 1;
  const line = lines[step];
  const go = (to) => setStep(Math.min(Math.max(to, 0), last));
  useEffect(() => {
    let current = true;
    call("GET", `/tables/${table.id}/replay/${line.version}`).then((found) => current && setPosition(found), (error) => setTrouble(excuse(error)));
    return () => {
      current = false;
    };
  }, [step]);
  useEffect(() => {
    if (!running) return undefined;
    if (step === last) setRunning(false);
    const timer = setTimeout(() => go(step + 1), PACE);
    return () => clearTimeout(timer);
  }, [running, step]);
  const control = (key, to, disabled, sign) => html`<button type="button" aria-label=${t(key)} data-tip=${t(key)} disabled=${disabled} onClick=${() => go(to)}>${sign}</button>`;
  return html`<div class="table replay">
    <h1>${t("replay.title")}: ${inLanguage(loaded.game.title)}</h1>
    ${trouble && html`<p class="notice bad" role="alert">${trouble}</p>`}
    ${position && html`<${SeatStrip} table=${{ ...table, clock: null }} names=${names} actor=${position.actor} seat=${position.seat} presence=${null} absent=${null} />`}
    <div class="columns">
      <div class="play" data-version=${position?.version}>
        <section class="ask" aria-label=${t("replay.title")}>
          <div class="buttons steps">
            ${control("replay.first", 0, step === 0, "|◀")}
            ${control("replay.back", step - 1, step === 0, "◀")}
            <button type="button" aria-label=${t(running ? "replay.pause" : "replay.play")} disabled=${step === last} onClick=${() => setRunning(!running)}>${running ? "■" : "▶▶"}</button>
            ${control("replay.next", step + 1, step === last, "▶")}
            ${control("replay.last", last, step === last, "▶|")}
            <label class="grow"><span class="small">${t("replay.step", { n: step, count: last })}</span>
              <input type="range" min="0" max=${last} value=${step} onInput=${(event) => go(Number(event.target.value))} /></label>
          </div>
          <div class="told" tabindex="0" role="group" aria-label=${t("table.log")} aria-live="polite">${tell(line, words).map((text, n) => html`<p key=${n}>${text}</p>`)}</div>
        </section>
        ${position?.outcome && html`<${OutcomePanel} outcome=${position.outcome} names=${names} words=${words} seat=${position.seat} />`}
        <h2 class="heard">${t("table.board")}</h2>
        ${position?.view && html`<div class="board"><${loaded.board.Board} view=${position.view} seat=${position.seat} actor=${position.actor} legal=${[]} status="finished"
          names=${names} words=${words} components=${loaded.components} hint=${null} events=${line.events} act=${() => {}} choose=${() => {}} /></div>`}
      </div>
      <aside><${Log} lines=${lines} words=${words} current=${line.version} go=${(version) => go(lines.findIndex((each) => each.version === version))} /></aside>
    </div>
  </div>`;
}
