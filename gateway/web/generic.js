// The board of a game that has none of its own: the view as a tree that one can read.

import { html } from "./vendor/preact.js";
import { plain, t } from "./i18n.js";

export const generic = true;

/** @param {import("./kit.js").TableNow} table */
export function Board(table) {
  return html`<section class="tree card" aria-label=${t("table.position")}>
    <${Branch} value=${table.view} field="" table=${table} />
  </section>`;
}

function Branch({ value, field, table }) {
  if (Array.isArray(value)) return html`<${Items} list=${value} field=${field} table=${table} />`;
  if (value && typeof value === "object") {
    return html`<dl>${Object.entries(value).map(([key, inner]) => html`<div key=${key} class=${isLeaf(inner) ? "leaf" : "branch"}>
      <dt>${plain(key)}</dt><dd><${Branch} value=${inner} field=${key} table=${table} /></dd></div>`)}</dl>`;
  }
  return html`<${Leaf} value=${value} field=${field} words=${table.words} />`;
}

/** Lists of players get the players' names. */
function Items({ list, field, table }) {
  const { words, names } = table;
  if (!list.length) return html`<span class="faint">${t("app.none")}</span>`;
  if (list.every(isLeaf)) return html`<span class="chips">${list.map((each, n) => html`<${Leaf} key=${n} value=${each} field=${field} words=${words} />`)}</span>`;
  const label = (n) => (field === "players" && names[n]) || n + 1;
  return html`<ol class="items">${list.map((each, n) => html`<li key=${n}><b>${label(n)}</b><${Branch} value=${each} field=${field} table=${table} /></li>`)}</ol>`;
}

function Leaf({ value, field, words }) {
  const seat = /seat$|^actor$|^active$|^first$/.test(field) && words.names[value];
  const tip = typeof value === "string" ? words.explain(value) : undefined;
  return html`<span class="chip" data-tip=${tip || undefined}>${seat || words.piece(value, field)}</span>`;
}

const isLeaf = (value) => value === null || typeof value !== "object" || (Array.isArray(value) && value.every((each) => typeof each !== "object"));
