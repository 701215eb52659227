// Opening a table: seats, the game's options from their schema, clock, visibility.

import { call, once } from "./api.js";
import { inLanguage, plain, t } from "./i18n.js";
import { html, useEffect, useState } from "./vendor/preact.js";
import { botName } from "./words.js";

const CLOCKS = [
  { kind: "none" },
  { kind: "move", seconds: 60 },
  { kind: "move", seconds: 300 },
  { kind: "bank", seconds: 900, increment: 5 },
];

/** The strongest bot that answers at once. */
const usualBot = (game) => (game.bots.includes("greedy") ? "greedy" : game.bots[0]);

export function defaultSeats(game, count) {
  return Array.from({ length: count }, (_, n) => (n === 0 ? { kind: "me" } : { kind: "bot", bot: usualBot(game) }));
}

/** Opens a table, and begins if nobody is awaited. */
export async function createTable(game, seats, options, visibility, clock, rated = false) {
  const wish = { game, seats, options, visibility, rated, ...(clock && clock.kind !== "none" ? { clock } : {}) };
  const table = await call("POST", "/tables", wish);
  return seats.some((seat) => seat.kind === "open") ? table : call("POST", `/tables/${table.id}/start`);
}

/** The fields of an options schema. */
export function optionFields(schema) {
  const name = schema.$ref?.split("/").pop();
  return (name ? schema.$defs[name] : schema).properties ?? {};
}

export function Setup({ game, report, done, offered }) {
  const { min, max } = game.seats;
  const fewest = game.automas.length ? Math.max(min, 2) : min;
  const [seats, setSeats] = useState(defaultSeats(game, Math.max(fewest, 2)));
  const [options, setOptions] = useState({});
  const [hidden, setHidden] = useState(false);
  const [clock, setClock] = useState(0);
  const [rated, setRated] = useState(false);
  const [texts, setTexts] = useState(/** @type {any} */ ({}));
  useEffect(() => {
    once(`/games/${game.id}`).then((full) => setTexts(inLanguage(full.texts)), report);
  }, []);
  const create = (event) => {
    event.preventDefault();
    createTable(game.id, seats, options, hidden ? "private" : "public", CLOCKS[clock], rated && people).then(done, report);
  };
  const resize = (event) => {
    const count = Number(event.target.value);
    setSeats(count < seats.length ? seats.slice(0, count) : [...seats, ...defaultSeats(game, count + 1).slice(1, count + 1 - seats.length)]);
  };
  const seat = (n, value) => setSeats(seats.map((each, index) => (index === n ? JSON.parse(value) : each)));
  const counts = Array.from({ length: max - fewest + 1 }, (_, n) => fewest + n);
  const people = seats.slice(1).every((each) => each.kind === "open");
  const clocks = offered.paths.includes("/v1/tables/{table}/resign");
  return html`<form class="setup" onSubmit=${create} aria-label=${t("setup.title", { game: inLanguage(game.title) })}>
    ${counts.length > 1 &&
    html`<label>${t("setup.count")}
      <select value=${seats.length} onChange=${resize}>${counts.map((n) => html`<option value=${n}>${n}</option>`)}</select></label>`}
    ${seats.map((each, n) => n > 0 &&
      html`<label key=${n}>${t("setup.seat", { n: n + 1 })}
        <select value=${JSON.stringify(each)} onChange=${(event) => seat(n, event.target.value)}>
          ${choices(game).map((choice) => html`<option value=${JSON.stringify(choice)}>${t(`setup.${choice.kind}`, { bot: botName(choice.bot), automa: plain(choice.automa) })}</option>`)}
        </select></label>`)}
    ${Object.entries(optionFields(game.options)).map(([name, field]) =>
      html`<${OptionField} key=${name} name=${name} field=${field} texts=${texts} value=${options[name]}
        set=${(value) => setOptions({ ...options, [name]: value })} />`)}
    ${clocks &&
    html`<label>${t("setup.clock")}
      <select value=${clock} onChange=${(event) => setClock(Number(event.target.value))}>
        ${CLOCKS.map((each, n) => html`<option value=${n}>${clockText(each)}</option>`)}
      </select></label>`}
    ${people && html`<label class="check"><input type="checkbox" checked=${rated} onChange=${(event) => setRated(event.target.checked)} /> ${t("setup.rated")}</label>`}
    <label class="check"><input type="checkbox" checked=${hidden} onChange=${(event) => setHidden(event.target.checked)} /> ${t("setup.private")}</label>
    <button class="main">${t("setup.create")}</button>
  </form>`;
}

const choices = (game) => [
  { kind: "open" },
  ...game.bots.map((bot) => ({ kind: "bot", bot })),
  ...game.automas.map((automa) => ({ kind: "automa", automa })),
];

export function clockText(clock) {
  return t(`setup.clock.${clock.kind}`, { ...clock, minutes: Math.round((clock.seconds ?? 0) / 60) });
}

function OptionField({ name, field, texts, value, set }) {
  const label = texts[`option.${name}`] ?? plain(name);
  const tip = field.description;
  if (field.type === "boolean") {
    return html`<label class="check" data-tip=${tip}>
      <input type="checkbox" checked=${value ?? field.default} onChange=${(event) => set(event.target.checked)} /> ${label}</label>`;
  }
  const open = field.anyOf?.find((each) => each.type === "integer") ?? field;
  const values = field.enum ?? range(open.minimum, open.maximum);
  if (!values.length) return null;
  const shown = [...values].sort((a, b) => Number(b === field.default) - Number(a === field.default));
  return html`<label data-tip=${tip}>${label}
    <select value=${JSON.stringify(value ?? field.default)} onChange=${(event) => set(JSON.parse(event.target.value))}>
      ${field.anyOf && html`<option value="null">${t("setup.default")}</option>`}
      ${shown.map((each) => html`<option value=${JSON.stringify(each)}>${texts[`option.${name}.${each}`] ?? (typeof each === "number" ? each : plain(each))}</option>`)}
    </select></label>`;
}

function range(from, to) {
  return from === undefined || to === undefined || to - from > 20 ? [] : Array.from({ length: to - from + 1 }, (_, n) => from + n);
}
