// The best players of every game.

import { call } from "./api.js";
import { inLanguage, t } from "./i18n.js";
import { html, useEffect, useState } from "./vendor/preact.js";

export function Leaders() {
  const [boards, setBoards] = useState(/** @type {any[] | null} */ (null));
  useEffect(() => {
    (async () => {
      const { games } = await call("GET", "/games");
      setBoards(await Promise.all(games.map(async (game) => {
        const { players } = await call("GET", `/leaderboards/${game.id}?limit=20`);
        return { game, players };
      })));
    })();
  }, []);
  return html`<div class="leaders">
    <h1>${t("leaders.title")}</h1>
    ${!boards && html`<p>${t("app.loading")}</p>`}
    <div class="lists">
      ${boards?.map(({ game, players }) => html`<section class="card" key=${game.id} aria-label=${inLanguage(game.title)}>
        <h2>${inLanguage(game.title)}</h2>
        ${!players.length && html`<p class="small">${t("leaders.nobody")}</p>`}
        ${players.length > 0 && html`<table>
          <thead><tr>${["rank", "player", "rating", "games"].map((key) => html`<th scope="col">${t(`leaders.${key}`)}</th>`)}</tr></thead>
          <tbody>${players.map((row) => html`<tr key=${row.player.id}>
            <td>${row.rank}</td><td>${row.player.name}</td><td>${Math.round(row.rating)}</td><td>${row.games}</td></tr>`)}
          </tbody></table>`}
      </section>`)}
    </div>
  </div>`;
}
