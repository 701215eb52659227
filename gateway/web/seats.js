// Who sits at the table: whose turn it is, clocks, who is away.

import { t } from "./i18n.js";
import { SeatSign } from "./kit.js";
import { html, useEffect, useState } from "./vendor/preact.js";

/** @param {{table: import("./api.js").Table, names: string[], actor: number | null, seat: number | null, presence: any, absent: ((seat: number) => void) | null}} props */
export function SeatStrip({ table, names, actor, seat, presence, absent }) {
  return html`<ol class="seat-strip" aria-label=${t("room.seats")}>
    ${table.seats.map((each, n) => {
      const away = each.kind === "player" && presence && presence.seats.some((one) => one.seat === n && !one.connected);
      const notes = [
        n === actor && t("table.to_move"),
        each.resigned && t("table.resigned"),
        each.stand_in && t("table.stand_in"),
        away && t("table.away"),
      ].filter(Boolean);
      return html`<li key=${n} class=${n === actor ? "acting" : ""}>
        <${SeatSign} seat=${n} />
        <span class="seat-name">${names[n]}${n === seat ? ` (${t("room.you")})` : ""}</span>
        ${notes.map((note) => html`<span class="badge">${note}</span>`)}
        ${table.clock && html`<${Clock} table=${table} seat=${n} running=${n === actor} />`}
        ${away && absent && n === actor && !each.stand_in && !each.absent_votes?.includes(Number(seat)) && html`<button type="button" class="quiet" onClick=${() => absent(n)}>${t("table.absent", { name: names[n] })}</button>`}
      </li>`;
    })}
    ${presence?.spectators > 0 && html`<li class="small">${t("table.spectators", { count: presence.spectators })}</li>`}
  </ol>`;
}

function Clock({ table, seat, running }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!running) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [running]);
  const left = running && table.deadline ? (Date.parse(table.deadline) - now) / 1000 : table.banks?.[seat];
  if (left === undefined || left === null) return null;
  const time = clockFace(Math.max(0, left));
  return html`<span class=${`clock ${left < 20 && running ? "short" : ""}`} role="timer" aria-label=${t("clock.left", { time })}>${time}</span>`;
}

/** clockFace(65) is "1:05". */
export function clockFace(seconds) {
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
