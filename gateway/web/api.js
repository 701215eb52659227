// The API of the gateway: calls, the player's token, and which calls this server offers.

/**
 * @typedef {{id: string, name: string, token: string}} Me
 * @typedef {{seat: number, kind: string, player?: {id: string, name: string}, bot?: string, automa?: string,
 *   stand_in?: string, resigned?: boolean, absent_votes?: number[], invited?: {id: string, name: string}}} Seat
 * @typedef {{kind: string, seconds: number, increment: number}} Clock
 * @typedef {{id: string, game: string, options: Object<string, any>, status: string, visibility: string,
 *   join_code: string | null, seats: Seat[], host: string, rated?: boolean, version: number, actor: number | null, outcome: Outcome | null,
 *   clock?: Clock | null, deadline?: string | null, banks?: number[] | null, rematch?: string | null, closed?: string | null}} Table
 * @typedef {{places: number[], scores: number[], breakdown: {label: string, points: number}[][], reason?: string}} Outcome
 * @typedef {{table: string, status: string, version: number, seat: number | null, actor: number | null, view: any,
 *   legal: any[], outcome: Outcome | null, can_undo?: boolean, events?: any[], table_events?: any[]}} Position
 * @typedef {{id: string, title: Object<string, string>, seats: {min: number, max: number}, options: any,
 *   bots: string[], automas: string[], texts: Object<string, Object<string, string>>}} Game
 * @typedef {{version: number, at: string, seat: number | null, events: any[], table_events: any[]}} LogLine
 * @typedef {{boards: string[], pictures: string[], paths: string[]}} Features
 */

/** What the server refused, as its problem document says. */
export class Problem extends Error {
  constructor(status, document) {
    super(document.detail || document.title || String(status));
    this.status = status;
    this.reason = document.reason || "";
    this.document = document;
  }
}

/** @type {Me | null} */
let player = JSON.parse(localStorage.getItem("player") || "null");
/** Tables that one may enter with a join code, as the invitation said. @type {Object<string, string>} */
const codes = JSON.parse(localStorage.getItem("codes") || "{}");

/** @returns {Me | null} */
export const me = () => player;

export function keepCode(table, code) {
  if (!code || codes[table] === code) return;
  codes[table] = code;
  localStorage.setItem("codes", JSON.stringify(codes));
}

export const codeOf = (table) => codes[table] || "";

/**
 * @param {string} method
 * @param {string} path under /v1
 * @param {any} [body]
 */
export async function call(method, path, body) {
  /** @type {Object<string, string>} */
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (player) headers.Authorization = `Bearer ${player.token}`;
  const table = /^\/tables\/([^/?]+)/.exec(path);
  if (table && codes[table[1]]) headers["X-Join-Code"] = codes[table[1]];
  const content = body === undefined ? undefined : JSON.stringify(body);
  const answer = await fetch("/v1" + path, { method, headers, body: content }).catch(() => {
    throw new Problem(0, { reason: "CONNECTION_LOST" });
  });
  const text = await answer.text();
  const read = text ? JSON.parse(text) : {};
  if (answer.ok) return read;
  // A token that is no longer valid: the person gives the name again.
  if (read.reason === "BAD_TOKEN") forget();
  throw new Problem(answer.status, read);
}

export async function signIn(name) {
  player = null;
  player = await call("POST", "/players", { name });
  localStorage.setItem("player", JSON.stringify(player));
}

export function forget() {
  // Another tab may have signed in since.
  const kept = JSON.parse(localStorage.getItem("player") || "null");
  if (kept?.token === player?.token) localStorage.removeItem("player");
  player = null;
}

/** @type {Promise<Features> | undefined} */
let offered;

/** @returns {Promise<Features>} */
export function features() {
  offered ??= fetch("/features.json").then((answer) => answer.json());
  return offered;
}

/** Asks once for what does not change while the page is open. @type {Map<string, Promise<any>>} */
const asked = new Map();

export function once(path) {
  if (!asked.has(path)) {
    const answer = call("GET", path);
    answer.catch(() => asked.delete(path));
    asked.set(path, answer);
  }
  return /** @type {Promise<any>} */ (asked.get(path));
}

/** All lines of a table's log. @returns {Promise<LogLine[]>} */
export async function wholeLog(table) {
  const lines = [];
  for (let after = 0; ; after = lines[lines.length - 1].version) {
    const page = await call("GET", `/tables/${table}/log?after=${after}&limit=500`);
    lines.push(...page.lines);
    if (!page.lines.length || lines[lines.length - 1].version >= page.version) return lines;
  }
}
