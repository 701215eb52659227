// A table: the question, the board, the moves, those who sit there, what happened.

import { call, me, wholeLog } from "./api.js";
import { Chat } from "./chat.js";
import { loadGame } from "./game.js";
import { excuse, inLanguage, t } from "./i18n.js";
import { same } from "./kit.js";
import { Live } from "./live.js";
import { Log, tell } from "./log.js";
import { OutcomePanel } from "./outcome.js";
import { Room } from "./room.js";
import { SeatStrip } from "./seats.js";
import { createTable } from "./setup.js";
import { html, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "./vendor/preact.js";
import { botName, namesOf, wordsOf } from "./words.js";

const AFTER_THE_END = 4000;

/** @typedef {{position: import("./api.js").Position | null, lines: any[], chat: any[], presence: any, connected: boolean, shut: any}} Seen */

/** @param {Seen} seen @param {any} news @returns {Seen} */
function reduce(seen, news) {
  if (news.position) {
    const { version, events = [], table_events = [] } = news.position;
    const happened = events.length || table_events.length;
    const seat = seen.position?.actor ?? null;
    const lines = happened ? [...seen.lines, { version, seat, events, table_events }] : seen.lines;
    return { ...seen, position: news.position, lines };
  }
  if (news.log) {
    const last = news.log.at(-1)?.version ?? 0;
    return { ...seen, lines: [...news.log, ...seen.lines.filter((line) => line.version > last)] };
  }
  if (news.chat) return seen.chat.some((line) => line.id === news.chat.id) ? seen : { ...seen, chat: [...seen.chat, news.chat] };
  return { ...seen, ...news };
}

/** @param {{id: string, offered: import("./api.js").Features}} props */
export function TablePage({ id, offered }) {
  const [table, setTable] = useState(/** @type {import("./api.js").Table | null} */ (null));
  const [loaded, setLoaded] = useState(/** @type {any} */ (null));
  const [trouble, setTrouble] = useState("");
  const report = (error) => setTrouble(excuse(error));
  const fetchTable = () => call("GET", `/tables/${id}`).then(setTable);
  useEffect(() => {
    fetchTable().catch(report);
  }, [id]);
  useEffect(() => {
    if (table) loadGame(table.game, offered).then(setLoaded, report);
  }, [table?.game]);
  if (!table || !loaded) {
    return trouble ? html`<p class="notice bad" role="alert">${trouble} <a href="#/">${t("app.back")}</a></p>` : html`<p>${t("app.loading")}</p>`;
  }
  return html`${trouble && html`<p class="notice bad" role="alert">${trouble} <button type="button" class="quiet" onClick=${() => setTrouble("")}>${t("app.close")}</button></p>`}
    <${Table} table=${table} setTable=${setTable} refresh=${() => fetchTable().catch(() => {})} loaded=${loaded} offered=${offered} report=${report} clear=${() => setTrouble("")} />`;
}

/** @param {{table: import("./api.js").Table, setTable: any, refresh: () => void, loaded: any, offered: import("./api.js").Features, report: any, clear: any}} props */
function Table({ table, setTable, refresh, loaded, offered, report, clear }) {
  const [seen, tellSeen] = useReducer(reduce, /** @type {Seen} */ ({ position: null, lines: [], chat: [], presence: null, connected: true, shut: null }));
  const live = useRef(/** @type {Live | null} */ (null));
  const offers = (path) => offered.paths.includes(`/v1/tables/{table}/${path}`);
  useEffect(() => {
    let { status } = table;
    const socket = new Live(table.id, {
      position(position) {
        tellSeen({ position });
        // What concerns the table itself is in the table.
        if (table.clock || position.table_events?.length || position.status !== status) refresh();
        status = position.status;
      },
      chat: (chat) => tellSeen({ chat }),
      presence: (presence) => tellSeen({ presence }),
      connected: (connected) => tellSeen({ connected }),
      refused: report,
      shut: (problem) => tellSeen({ shut: problem }),
    });
    live.current = socket;
    wholeLog(table.id).then((log) => tellSeen({ log }), report);
    if (offers("presence")) call("GET", `/tables/${table.id}/presence`).then((presence) => tellSeen({ presence }), () => {});
    return () => socket.close();
  }, [table.id]);
  // The stream ends with the game; a rematch is offered after it.
  useEffect(() => {
    if (table.status !== "finished" || !offers("rematch")) return undefined;
    const timer = setInterval(refresh, AFTER_THE_END);
    return () => clearInterval(timer);
  }, [table.status]);

  const names = namesOf(table.seats);
  const words = useMemo(() => wordsOf(loaded.game, loaded.components, names, loaded.board), [loaded, names.join(), t("app.title")]);
  const { position } = seen;
  const act = (action) => {
    clear();
    live.current?.act(/** @type {any} */ (position).version, action).catch(report);
  };
  const chat = offers("chat") && html`<${Chat} id=${table.id} lines=${seen.chat} add=${(chat) => tellSeen({ chat })} canSay=${table.seats.some((seat) => seat.player && seat.player.id === me()?.id)} ended=${table.status === "finished"} report=${report} />`;
  const head = html`<h1>${inLanguage(loaded.game.title)}</h1>
    ${seen.shut ? html`<p class="notice bad" role="alert">${excuse(seen.shut)} <a href="#/">${t("app.back")}</a></p>`
      : !seen.connected && html`<p class="notice" role="status">${t("table.lost")}</p>`}`;
  if (table.status === "open" || table.status === "closed" || !position?.view) {
    return html`<div class="table">${head}<${Room} table=${table} game=${loaded.game} words=${words} changed=${setTable} report=${report} />${chat}</div>`;
  }
  const ask = (method, path, body) => call(method, `/tables/${table.id}/${path}`, body);
  return html`<div class="table">
    ${head}
    <${SeatStrip} table=${table} names=${names} actor=${position.actor} seat=${position.seat} presence=${seen.presence}
      absent=${offers("absent") && position.seat !== null ? (seat) => ask("POST", "absent", { seat }).then(setTable, report) : null} />
    <div class="columns">
      <div class="play" data-version=${position.version}>
        <${Play} table=${table} position=${position} names=${names} words=${words} loaded=${loaded} act=${act} offers=${offers} ask=${ask}
          setTable=${setTable} report=${report} lines=${seen.lines} />
      </div>
      <aside>
        <${Log} lines=${seen.lines} words=${words} />
        ${chat}
      </aside>
    </div>
  </div>`;
}

function Play({ table, position, names, words, loaded, act, offers, ask, setTable, report, lines }) {
  const [hint, setHint] = useState(/** @type {any} */ (null));
  const [chosen, setChosen] = useState(/** @type {{version: number, actions: any[], question?: string} | null} */ (null));
  const asked = useRef(/** @type {any} */ (null));
  const from = useRef(/** @type {any} */ (null));
  const { board, components } = loaded;
  const choice = chosen && chosen.version === position.version ? chosen : null;
  const hinted = hint && hint.version === position.version ? hint : null;
  /** @type {import("./kit.js").TableNow} */
  const now = {
    view: position.view,
    seat: position.seat,
    actor: position.actor,
    legal: position.legal,
    status: position.status,
    events: sinceOwn(lines, position.seat),
    hint: hinted?.action ?? null,
    names,
    words: { ...words, action: (action) => told(action) ?? words.action(action) },
    components,
    act,
    choose(actions, question) {
      from.current = document.activeElement;
      setChosen({ version: position.version, actions, question });
    },
  };
  const told = (action) => board.does?.(...Object.entries(action)[0], now);
  // With the keyboard one goes to the answers, and back to the place if one takes none.
  useEffect(() => {
    if (choice) asked.current?.querySelector(".move")?.focus({ preventScroll: true });
  }, [choice]);
  const back = () => {
    setChosen(null);
    from.current?.focus({ preventScroll: true });
  };
  const [placed, holder] = usePlaced();
  const rest = position.legal.filter((_, n) => !placed.has(n));
  const question = (choice?.question ?? board.question?.(now)) || words.question(position.view);
  return html`
    ${position.outcome && html`<${OutcomePanel} outcome=${position.outcome} names=${names} words=${words} seat=${position.seat}>
      <a class="button" href=${`#/replay/${table.id}`}>${t("outcome.replay")}</a>
      <${Again} table=${table} seat=${position.seat} offers=${offers} ask=${ask} report=${report} />
    <//>`}
    ${!position.outcome && html`<section class=${`ask ${position.legal.length ? "mine" : ""} ${choice ? "choosing" : ""}`} aria-label=${t("table.turn")}>
      <div class="asked"><p class="question" role="status">${position.legal.length ? html`<b>${t("table.turn")}:</b> ${question}` : t("table.wait", { name: names[position.actor] })}
        ${position.seat === null && html` <span class="badge">${t("table.watching")}</span>`}</p>
        <span class="aids"><${Aids} table=${table} position=${position} offers=${offers} ask=${ask} setTable=${setTable} report=${report} setHint=${setHint} /></span></div>
      ${hinted && html`<p class="small" role="status">${t("table.hint_is", { bot: botName(hinted.bot), action: now.words.action(hinted.action) })}</p>`}
      <div class="buttons" ref=${asked}>
        ${(choice ? choice.actions : board.generic ? [] : rest).map((action) => html`<${Move} key=${JSON.stringify(action)} action=${action} now=${now} />`)}
        ${choice && html`<button type="button" class="quiet" onClick=${back}>${t("app.close")}</button>`}
      </div>
      <${JustNow} lines=${lines} words=${words} version=${position.version} />
    </section>`}
    ${board.generic && position.legal.length > 0 && html`<section class="card generic-moves" aria-label=${t("table.moves_generic")}>
      <div class="buttons">${position.legal.map((action) => html`<${Move} key=${JSON.stringify(action)} action=${action} now=${now} />`)}</div></section>`}
    <h2 class="heard">${t("table.board")}</h2>
    <div class="board" ref=${holder}><${board.Board} ...${now} /></div>
    ${!board.generic && position.legal.length > 0 && html`<details class="card all-moves"><summary>${t("table.moves", { count: position.legal.length })}</summary>
      <div class="buttons">${position.legal.map((action) => html`<${Move} key=${JSON.stringify(action)} action=${action} now=${now} />`)}</div></details>`}
  `;
}

/** What happened since one's own last move; after that the move itself. @param {any[]} lines @param {number | null} seat */
function sinceOwn(lines, seat) {
  const own = lines.map((line) => line.seat === seat && line.events.length > 0).lastIndexOf(true);
  return lines.slice(own < lines.length - 1 && own >= 0 ? own + 1 : -1).flatMap((line) => line.events);
}

/** The legal actions that the board offers where they belong; the others become buttons. */
function usePlaced() {
  const holder = useRef(/** @type {any} */ (null));
  const [placed, setPlaced] = useState(/** @type {Set<number>} */ (new Set()));
  useLayoutEffect(() => {
    const found = [...(holder.current?.querySelectorAll("[data-move]") ?? [])].flatMap((spot) => spot.dataset.move.split(" ").map(Number));
    const fresh = new Set(found);
    setPlaced((before) => (same([...before], [...fresh]) ? before : fresh));
  });
  return /** @type {[Set<number>, any]} */ ([placed, holder]);
}

function Move({ action, now }) {
  const hinted = same(action, now.hint);
  return html`<button type="button" class=${hinted ? "move hinted" : "move"} onClick=${() => now.act(action)}>${now.words.action(action)}</button>`;
}

/** The last thing that happened, for those who see and those who listen. */
function JustNow({ lines, words, version }) {
  const last = lines.at(-1);
  const told = last && last.version <= version ? tell(last, words) : [];
  return html`<p class="just-now small" aria-live="polite">${told.slice(-3).join(" · ")}</p>`;
}

function Aids({ table, position, offers, ask, setTable, report, setHint }) {
  const seated = position.seat !== null;
  if (!seated || position.status !== "playing") return null;
  const own = table.seats[position.seat];
  const resign = () => confirm(t("table.resign_sure")) && ask("POST", "resign").then(setTable, report);
  const hint = () => ask("GET", "hint").then(setHint, report);
  const undo = () => ask("POST", "undo", { version: position.version }).catch(report);
  return html`
    ${offers("undo") && html`<button type="button" class="quiet" disabled=${!position.can_undo} onClick=${undo}>${t("table.undo")}</button>`}
    ${offers("hint") && !table.rated && position.legal.length > 0 && html`<button type="button" class="quiet" onClick=${hint}>${t("table.hint")}</button>`}
    ${offers("return") && own.stand_in && html`<button type="button" onClick=${() => ask("POST", "return").then(setTable, report)}>${t("table.return")}</button>`}
    ${offers("resign") && html`<details class="menu"><summary>${t("table.menu")}</summary><div>
      ${offers("return") && !own.stand_in && html`<button type="button" class="quiet" onClick=${() => ask("DELETE", `seats/${position.seat}`).then(setTable, report)}>${t("table.leave")}</button>`}
      <button type="button" class="quiet" onClick=${resign}>${t("table.resign")}</button>
    </div></details>`}`;
}

/** Another game with the same people, or with the same bots. */
function Again({ table, seat, offers, ask, report }) {
  if (seat === null) return null;
  const go = (next) => {
    location.hash = `#/table/${next.id}`;
  };
  if (offers("rematch")) {
    return html`<button type="button" class="main" onClick=${() => ask("POST", "rematch").then(go, report)}>${t(table.rematch ? "table.rematch_join" : "table.rematch")}</button>`;
  }
  if (table.seats.filter((each) => each.kind === "player").length > 1) return null;
  const seats = table.seats.map((each) => (each.kind === "player" ? { kind: "me" } : { kind: each.kind, [each.kind]: each[each.kind] }));
  return html`<button type="button" class="main" onClick=${() => createTable(table.game, seats, table.options, "public", null).then(go, report)}>${t("outcome.again")}</button>`;
}
