// A table's socket: updates in, actions out. Comes back by itself after a break and misses nothing.

import { call, codeOf, me, Problem } from "./api.js";

const LONGEST_PAUSE = 5000;
// The server's word that a token is void.
const VOID = 1008;
// Refusals that stay so however often one asks.
const FINAL = [401, 403, 404];

export class Live {
  /**
   * @param {string} table
   * @param {{position: (position: import("./api.js").Position) => void, chat: (line: any) => void,
   *   presence: (presence: any) => void, connected: (now: boolean) => void, refused: (problem: any) => void,
   *   shut: (problem: any) => void}} listener
   */
  constructor(table, listener) {
    this.table = table;
    this.listener = listener;
    /** @type {number | null} the version of the last message */
    this.version = null;
    this.pause = 250;
    this.count = 0;
    /** @type {Map<string, {resolve: (version: number) => void, reject: (error: Error) => void}>} */
    this.waiting = new Map();
    this.ended = false;
    this.open();
  }

  open() {
    const query = new URLSearchParams();
    const player = me();
    if (player) query.set("token", player.token);
    if (codeOf(this.table)) query.set("join_code", codeOf(this.table));
    if (this.version !== null) query.set("after", String(this.version));
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/v1/tables/${this.table}/socket?${query}`);
    let opened = false;
    this.socket.onopen = () => {
      opened = true;
      this.listener.connected(true);
    };
    this.socket.onmessage = (message) => this.read(JSON.parse(message.data));
    this.socket.onclose = (event) => this.closed(event.code, opened);
  }

  read(message) {
    this.pause = 250;
    const position = message.snapshot || message.update;
    if (position) {
      this.version = position.version;
      this.listener.position(position);
    } else if (message.chat) this.listener.chat(message.chat);
    else if (message.presence) this.listener.presence(message.presence);
    else if (message.ack) this.settle(message.ack.id)?.resolve(message.ack.version);
    else if (message.error) {
      const problem = new Problem(message.error.status, message.error);
      const asked = this.settle(message.error.id);
      if (asked) asked.reject(problem);
      else this.listener.refused(problem);
    }
  }

  settle(id) {
    const found = this.waiting.get(id);
    this.waiting.delete(id);
    return found;
  }

  async closed(code, opened) {
    for (const asked of this.waiting.values()) asked.reject(new Problem(0, { reason: "CONNECTION_LOST" }));
    this.waiting.clear();
    if (this.ended || code === 1000) return;
    this.listener.connected(false);
    const refusal = code === VOID || !opened ? await this.refusal() : null;
    if (this.ended) return;
    if (refusal) {
      this.listener.shut(refusal);
      return;
    }
    this.timer = setTimeout(() => this.open(), this.pause * (0.8 + 0.4 * Math.random()));
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE);
  }

  /** Why one may not come in. A socket that was not opened does not say it; a call does. */
  async refusal() {
    try {
      await call("GET", `/tables/${this.table}`);
    } catch (error) {
      if (FINAL.includes(error.status)) return error;
    }
    return null;
  }

  /** Resolves with the new version when the server has carried it out. @returns {Promise<number>} */
  act(version, action) {
    const id = `a${++this.count}`;
    return new Promise((resolve, reject) => {
      if (this.socket.readyState !== WebSocket.OPEN) {
        reject(new Problem(0, { reason: "CONNECTION_LOST" }));
        return;
      }
      this.waiting.set(id, { resolve, reject });
      this.socket.send(JSON.stringify({ act: { id, version, action } }));
    });
  }

  close() {
    this.ended = true;
    clearTimeout(this.timer);
    this.socket.close();
  }
}
