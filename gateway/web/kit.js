// What boards are made of: places that light up, pieces that travel, marks of the seats, moves found by their content.

import { html } from "./vendor/preact.js";

export { html, useEffect, useMemo, useRef, useState } from "./vendor/preact.js";
export { t, language } from "./i18n.js";

/**
 * What a board is given.
 * @typedef {{view: any, seat: number | null, actor: number | null, legal: any[], status: string, names: string[],
 *   words: import("./words.js").Words, components: any, hint: any, events: any[],
 *   act: (action: any) => void, choose: (actions: any[], question?: string) => void}} TableNow
 */

/**
 * The legal actions of this kind whose fields have these values.
 * @param {TableNow} table
 * @param {string} kind
 * @param {Object<string, any>} [fields]
 */
export function moves(table, kind, fields = {}) {
  return table.legal.filter((action) => {
    const content = action[kind];
    return content && Object.entries(fields).every(([name, value]) => same(content[name], value));
  });
}

/**
 * Names what has just happened to a piece, so that it glows for a moment: an id that an event mentions, or an event of this kind
 * whose fields have these values.
 * @param {TableNow} table
 * @param {string} what
 * @param {Object<string, any>} [fields]
 */
export function fresh(table, what, fields) {
  const told = fields
    ? table.events.some((event) => event[what] && Object.entries(fields).every(([name, value]) => same(event[what][name], value)))
    : written(table.events).includes(`"${what}"`);
  return told ? "fresh" : "";
}

/** @type {WeakMap<any[], string>} */
const texts = new WeakMap();

/** Events as text, made once for all pieces. */
function written(events) {
  if (!texts.has(events)) texts.set(events, JSON.stringify(events));
  return /** @type {string} */ (texts.get(events));
}

export const same = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);

/**
 * A place on the board. With `moves` it lights up and plays them: one at once, several after a question.
 * In an SVG it is a group; with as="button" an element of the page.
 * `label` is its name for a screen reader; `tip` explains it to whoever hovers or presses long.
 * @param {{table: TableNow, moves?: any[], label?: string, tip?: string, as?: string, class?: string, question?: string,
 *   children?: any} & Object<string, any>} props
 */
export function Spot({ table, moves = [], label, tip, as = "g", class: name = "", question, children, ...rest }) {
  const live = moves.length > 0;
  const names = ["spot", name, live && "live", live && moves.some((move) => same(move, table.hint)) && "hinted"];
  /** @type {Object<string, any>} */
  const attributes = { ...rest, class: names.filter(Boolean).join(" "), "data-tip": tip || undefined };
  if (!live) {
    if (label) Object.assign(attributes, { role: "img", "aria-label": label, "aria-description": beyond(tip, label) });
    if (as === "button") return html`<div ...${attributes}>${children}</div>`;
    // The same elements as when it is live, so that pieces on it stay the same pieces.
    return html`<${as} ...${attributes}><g aria-hidden=${label ? "true" : undefined}>${children}</g><//>`;
  }
  const play = () => (moves.length === 1 ? table.act(moves[0]) : table.choose(moves, question));
  const does = moves.length === 1 ? table.words.action(moves[0]) : "";
  const spoken = label && does.includes(label) ? does : [label, does].filter(Boolean).join(": ");
  attributes["aria-description"] = beyond(tip, spoken);
  attributes["data-move"] = moves.map((move) => table.legal.indexOf(move)).join(" ");
  attributes.onClick = play;
  // A button is called by what one sees on it, and what it does.
  if (as === "button") return html`<button type="button" ...${attributes}>${children}<span class="heard">${spoken}</span></button>`;
  // A drawing is called by its words alone: they say what its numbers and signs mean. They are its content, and take no room.
  Object.assign(attributes, { role: "button", tabindex: 0 });
  attributes.onKeyDown = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    play();
  };
  return html`<${as} ...${attributes}><g aria-hidden="true">${children}</g><text class="heard" textLength="1" lengthAdjust="spacingAndGlyphs">${spoken}</text><//>`;
}

/** What an explanation says that the name does not. */
function beyond(tip, name) {
  return tip?.split("\n").filter((line) => !name.includes(line)).join(". ") || undefined;
}

/**
 * A piece in an SVG that travels to its place: give it a `key`, so that it stays the same piece.
 * @param {{x: number, y: number, turn?: number, class?: string, children?: any}} props
 */
export function Piece({ x, y, turn = 0, class: name = "", children, ...rest }) {
  return html`<g class=${`piece ${name}`} style=${{ transform: `translate(${x}px, ${y}px) rotate(${turn}deg)` }} ...${rest}>
    ${children}
  </g>`;
}

const SHAPES = [
  "M0-9a9 9 0 1 0 .01 0z",
  "M0-10L10 8H-10z",
  "M-8-8H8V8H-8z",
  "M0-11L11 0L0 11L-11 0z",
];

/** Every seat has a colour and a shape, so that colour is never the only sign. */
export function SeatMark({ seat, x = 0, y = 0, size = 1 }) {
  return html`<path class=${`seat-mark seat-${seat}`} d=${SHAPES[seat % SHAPES.length]}
    transform=${`translate(${x} ${y}) scale(${size})`} />`;
}

/** The same outside of a drawing. */
export const SeatSign = ({ seat }) =>
  html`<svg class="seat-sign" viewBox="-12 -12 24 24" aria-hidden="true"><${SeatMark} seat=${seat} /></svg>`;

/** Points of a regular polygon, for <polygon points=…>. */
export function polygon(sides, radius, turn = -90) {
  return Array.from({ length: sides }, (_, n) => {
    const angle = ((turn + (360 / sides) * n) * Math.PI) / 180;
    return `${(radius * Math.cos(angle)).toFixed(2)},${(radius * Math.sin(angle)).toFixed(2)}`;
  }).join(" ");
}

/** Text of an SVG in lines of at most `width` characters. */
export function Lines({ text, x = 0, y = 0, width = 14, step = 12, class: name = "" }) {
  const lines = [""];
  for (const word of String(text).split(" ")) {
    const last = lines[lines.length - 1];
    if (last && last.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = last ? `${last} ${word}` : word;
  }
  const top = y - ((lines.length - 1) * step) / 2;
  return lines.map((line, n) => html`<text class=${name} x=${x} y=${top + n * step} text-anchor="middle">${line}</text>`);
}
