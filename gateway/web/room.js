// A table before the game: who sits where, the invitation, the beginning.

import { call, me } from "./api.js";
import { plain, t } from "./i18n.js";
import { SeatSign } from "./kit.js";
import { html, useState } from "./vendor/preact.js";
import { namesOf } from "./words.js";

/** @param {{table: import("./api.js").Table, game: import("./api.js").Game, words: any, changed: (table: any) => void, report: (error: any) => void}} props */
export function Room({ table, game, words, changed, report }) {
  const player = me();
  const own = table.seats.find((seat) => seat.player && seat.player.id === player?.id);
  const host = player && table.host === player.id;
  const full = table.seats.every((seat) => seat.kind !== "open");
  const ask = (method, path, body) => call(method, `/tables/${table.id}${path}`, body).then(changed, report);
  const bot = game.bots.includes("greedy") ? "greedy" : game.bots[0];
  const names = namesOf(table.seats);
  if (table.status === "closed") return html`<p class="notice">${t("room.closed")} ${table.closed} <a href="#/">${t("app.back")}</a></p>`;
  return html`<div class="room">
    <section class="card" aria-labelledby="seats">
      <h2 id="seats">${t("room.waiting")}</h2>
      <ol class="seats">
        ${table.seats.map((seat, n) => html`<li key=${n}>
          <${SeatSign} seat=${n} /> <span class="grow">${names[n]}${own === seat ? ` (${t("room.you")})` : ""}</span>
          ${seat.kind === "open" && player && !own && (!seat.invited || seat.invited.id === player.id) && html`<button type="button" class="main" onClick=${() => ask("POST", "/seats", { seat: n })}>${t("room.sit")}</button>`}
          ${seat.kind === "open" && host && html`<button type="button" onClick=${() => ask("PUT", `/seats/${n}`, { kind: "bot", bot })}>${t("room.seat_bot")}</button>`}
          ${(seat.kind === "bot" || seat.kind === "automa") && host && html`<button type="button" onClick=${() => ask("PUT", `/seats/${n}`, { kind: "open" })}>${t("room.open_seat")}</button>`}
          ${own === seat && html`<button type="button" onClick=${() => ask("DELETE", `/seats/${n}`)}>${t("room.leave")}</button>`}
        </li>`)}
      </ol>
      ${!player && html`<p><a href="#/">${t("lobby.needs_name")}</a></p>`}
      ${host ? html`<button type="button" class="main" disabled=${!full} onClick=${() => ask("POST", "/start")}>${t("room.start")}</button>` : html`<p class="small">${t("room.host_starts")}</p>`}
      ${!full && html`<p class="small">${t("room.not_full")}</p>`}
    </section>
    <section class="card" aria-labelledby="invite">
      <h2 id="invite">${t("room.invite")}</h2>
      <${Invitation} table=${table} />
      <h3>${t("room.options")}</h3>
      <dl>${Object.entries(table.options).map(([name, value]) => html`<div class="leaf" key=${name}>
        <dt>${words.text(`option.${name}`) ?? plain(name)}</dt><dd>${value === null ? t("setup.default") : words.text(`option.${name}.${value}`) ?? words.piece(value)}</dd></div>`)}</dl>
    </section>
  </div>`;
}

function Invitation({ table }) {
  const [copied, setCopied] = useState(false);
  const link = `${location.origin}/#/table/${table.id}${table.join_code ? `?code=${table.join_code}` : ""}`;
  const copy = () => navigator.clipboard.writeText(link).then(() => setCopied(true));
  return html`<p class="line"><input class="grow" readonly value=${link} aria-label=${t("room.invite")} onFocus=${(event) => event.target.select()} />
    <button type="button" onClick=${copy}>${t(copied ? "room.copied" : "room.copy")}</button></p>
    ${table.join_code && html`<p class="small">${t("room.code", { id: table.id, code: table.join_code })}</p>`}`;
}
