// A game in words: its actions, events and pieces, from the texts that its rules service offers.

import { fill, inLanguage, plain, t } from "./i18n.js";

// Texts of sentences; all others name pieces and values.
const SENTENCES = new Set(["action", "event", "option", "score", "reason", "phase", "question", "choice"]);
// "Seat {seat}", "miejsce {starting_seat}", "Gracz {seat}": the name of whoever sits there is better.
const SEAT = /(?:\bseat|miejsc\p{L}*|gracz\p{L}*)\s+\{(\w+)\}/giu;

/** @typedef {{names: string[], question: (view: any) => string, action: (action: any) => string,
 *   event: (event: any) => string, tableEvent: (event: any) => string, piece: (id: any, field?: string) => string,
 *   text: (key: string) => string | undefined, component: (id: string) => any, explain: (id: string) => string,
 *   components: any}} Words */

/**
 * @param {import("./api.js").Game} game
 * @param {any} components
 * @param {string[]} names of those who sit there
 * @param {{tell?: (kind: string, told: any, words: Words) => string | undefined,
 *   piece?: (id: string, words: Words) => string | undefined}} [board] may tell events and name pieces in its own way
 * @returns {Words}
 */
export function wordsOf(game, components, names, board = {}) {
  const texts = inLanguage(game.texts) || {};
  const pieces = new Map();
  for (const [key, text] of Object.entries(texts)) {
    const dot = key.indexOf(".");
    if (!SENTENCES.has(key.slice(0, dot))) pieces.set(key.slice(dot + 1), text);
  }
  const byId = componentsById(components);

  function piece(id, field = "") {
    if (id === null || id === undefined || id === "") return t("app.none");
    if (typeof id === "boolean") return t(id ? "app.yes" : "app.no");
    if (Array.isArray(id)) return id.length ? id.map((each) => piece(each, field)).join(", ") : t("app.none");
    if (typeof id === "object") return Object.entries(id).map(([key, value]) => `${piece(key)} ${piece(value, key)}`).join(", ");
    const named = texts[`${field}.${id}`];
    if (named || typeof id === "number") return named ?? String(id);
    return pieces.get(id) ?? board.piece?.(id, words) ?? (id.includes("_") ? plain(id) : id);
  }

  function sentence(text, values) {
    const named = text.replace(SEAT, (all, field) => names[values[field]] ?? all);
    return fill(named, (field) => (field === "seat" ? (names[values.seat] ?? values.seat) : piece(values[field], field)));
  }

  function say(group, message) {
    const [kind, values] = Object.entries(message)[0] ?? ["", {}];
    const text = texts[`${group}.${kind}`];
    return text ? capital(sentence(text, values || {})) : capital(`${plain(kind)}: ${piece(values)}`);
  }

  const words = {
    names,
    components,
    piece,
    text: (key) => texts[key],
    component: (id) => byId.get(id),
    explain: (id) => explain(id, byId.get(id), piece),
    action: (action) => say("action", action),
    event(event) {
      const [kind, told] = Object.entries(event)[0] ?? ["", {}];
      return board.tell?.(kind, told, words) ?? say("event", event);
    },
    tableEvent(event) {
      const [kind, told] = Object.entries(event)[0] ?? ["", {}];
      const name = told?.player?.name ?? names[told?.seat] ?? "";
      const text = t(`event.${kind}`, { name });
      return text === `event.${kind}` ? plain(kind) : text;
    },
    question(view) {
      for (const field of ["question", "phase"]) {
        const text = texts[`${field}.${view?.[field]}`];
        if (text) return text;
      }
      return "";
    },
  };
  return words;
}

/** Who sits at each seat, in words. @param {import("./api.js").Seat[]} seats */
export function namesOf(seats) {
  return seats.map((seat) => {
    if (seat.player) return seat.player.name;
    if (seat.automa) return plain(seat.automa);
    if (seat.bot) return `Bot ${seat.seat + 1} (${botName(seat.bot)})`;
    return t("room.open");
  });
}

export function botName(bot) {
  const text = t(`bot.${bot}`);
  return text === `bot.${bot}` ? plain(bot) : text;
}

/** @returns {Map<string, any>} */
function componentsById(components) {
  const found = new Map();
  const walk = (node) => {
    if (Array.isArray(node)) node.forEach(walk);
    else if (node && typeof node === "object") {
      if (typeof node.id === "string" && !found.has(node.id)) found.set(node.id, node);
      Object.values(node).forEach(walk);
    }
  };
  walk(components);
  return found;
}

/** What is printed on a piece, line by line. */
function explain(id, component, piece) {
  const name = piece(id);
  if (!component) return name === id ? "" : name;
  const lines = Object.entries(component)
    .filter(([key, value]) => key !== "id" && !/_(en|pl|de)$/.test(key) && isShort(value))
    .map(([key, value]) => `${piece(key)}: ${piece(value, key)}`);
  return [name, ...lines].join("\n");
}

const isShort = (value) => JSON.stringify(value ?? "").length < 120;

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
