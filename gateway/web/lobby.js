// The lobby: a name, the games, tables to join, to watch and to come back to.

import { call, me, signIn } from "./api.js";
import { excuse, inLanguage, plain, t } from "./i18n.js";
import { QuickMatch } from "./quick.js";
import { Setup, createTable, defaultSeats } from "./setup.js";
import { html, useEffect, useState } from "./vendor/preact.js";
import { namesOf } from "./words.js";

const PAUSE = 10000;

/** @param {{offered: import("./api.js").Features, again: () => void}} props */
export function Lobby({ offered, again }) {
  const [games, setGames] = useState(/** @type {any[] | null} */ (null));
  const [trouble, setTrouble] = useState("");
  const [matching, setMatching] = useState(/** @type {any} */ (null));
  useEffect(() => {
    call("GET", "/games").then((answer) => setGames(answer.games), report);
  }, [me()?.id]);
  const report = (error) => setTrouble(error ? excuse(error) : "");
  const canMatch = offered.paths.includes("/v1/matchmaking/tickets");
  return html`
    <div class="lobby">
      <section class="hero">
        <div>
          <h1>${t("lobby.welcome")}</h1>
          <p>${t("lobby.lead")}</p>
        </div>
        <${NameForm} again=${again} report=${report} />
      </section>
      ${trouble && html`<p class="notice bad" role="alert">${trouble}</p>`}
      ${matching && html`<${QuickMatch} game=${matching} report=${report} close=${() => setMatching(null)} />`}
      <section aria-labelledby="games">
        <h2 id="games">${t("lobby.games")} ${!me() && html`<span class="small">${t("lobby.needs_name")}</span>`}</h2>
        ${!games && html`<p>${t("app.loading")}</p>`}
        <div class="games">
          ${games?.map((game) => html`<${GameCard} key=${game.id} game=${game} report=${report} offered=${offered}
            match=${canMatch ? () => setMatching(game) : null} />`)}
        </div>
      </section>
      ${games && html`<${Tables} games=${games} report=${report} />`}
    </div>
  `;
}

function NameForm({ again, report }) {
  const [name, setName] = useState("");
  const [changing, setChanging] = useState(false);
  const player = me();
  if (player && !changing) {
    return html`<p class="name-form">${t("app.you", { name: player.name })}
      <button type="button" class="quiet" onClick=${() => setChanging(true)}>${t("app.rename")}</button></p>`;
  }
  const enter = (event) => {
    event.preventDefault();
    if (!name.trim()) return;
    signIn(name.trim()).then(() => {
      report(null);
      setChanging(false);
      again();
    }, report);
  };
  return html`<form class="name-form" onSubmit=${enter}>
    <label for="name">${t("lobby.name")}</label>
    <input id="name" autocomplete="nickname" maxlength="40" required value=${name} onInput=${(event) => setName(event.target.value)} />
    <button class="main">${t("lobby.enter")}</button>
  </form>`;
}

function GameCard({ game, report, match, offered }) {
  const [setup, setSetup] = useState(false);
  const { min, max } = game.seats;
  const named = Boolean(me());
  const play = (seats) => createTable(game.id, seats, {}, "public", null).then(go, report);
  const solo = (automa) => play([{ kind: "me" }, { kind: "automa", automa }]);
  return html`<article class="game card">
    ${offered.pictures.includes(game.id) && html`<img src=${`/boards/${game.id}.svg`} alt="" width="320" height="120" />`}
    <h3>${inLanguage(game.title)}</h3>
    <p class="small">${t(min === max ? "lobby.seats_fixed" : "lobby.seats", { min: game.automas.length ? 1 : min, max })}</p>
    <div class="buttons">
      <button type="button" class="main" disabled=${!named} onClick=${() => play(defaultSeats(game, Math.max(min, 2)))}>${t("lobby.play")}</button>
      ${game.automas.map((automa) => html`<button type="button" disabled=${!named} onClick=${() => solo(automa)}>${t("lobby.solo", { automa: plain(automa) })}</button>`)}
      ${match && html`<button type="button" disabled=${!named} onClick=${match}>${t("lobby.quick")}</button>`}
      <button type="button" disabled=${!named} aria-expanded=${setup} onClick=${() => setSetup(!setup)}>${t("lobby.more")}</button>
    </div>
    ${setup && html`<${Setup} game=${game} report=${report} done=${go} offered=${offered} />`}
  </article>`;
}

const go = (table) => {
  location.hash = `#/table/${table.id}`;
};

function Tables({ games, report }) {
  const [lists, setLists] = useState(/** @type {any} */ (null));
  const look = async () => {
    const lists = [call("GET", "/tables?status=open&limit=20"), call("GET", "/tables?status=playing&limit=20")];
    if (me()) lists.push(call("GET", "/tables?mine=true&limit=20"));
    const [open, playing, mine] = (await Promise.all(lists)).map((page) => page.tables);
    setLists({ open, playing, mine: mine ?? [] });
  };
  useEffect(() => {
    look().catch(report);
    const timer = setInterval(() => document.hidden || look().catch(() => {}), PAUSE);
    return () => clearInterval(timer);
  }, [me()?.id]);
  const title = (id) => inLanguage(games.find((game) => game.id === id)?.title ?? { en: plain(id) });
  const own = new Set(lists?.mine.map((table) => table.id));
  const others = (tables) => tables?.filter((table) => !own.has(table.id));
  return html`<div class="lists">
    ${me() && html`<${List} name="mine" tables=${lists?.mine} title=${title} label=${ownLabel} />`}
    <${List} name="open" tables=${others(lists?.open)} title=${title} label=${() => t("lobby.look")} />
    <${List} name="playing" tables=${others(lists?.playing)} title=${title} label=${() => t("lobby.watch")} />
    <${LinkForm} />
  </div>`;
}

function ownLabel(table) {
  if (table.status === "finished") return t("lobby.replay");
  const seat = table.seats[table.actor]?.player?.id;
  return seat && seat === me()?.id ? t("lobby.your_turn") : t("lobby.continue");
}

function List({ name, tables, title, label }) {
  return html`<section class=${`card ${name}`} aria-labelledby=${`list-${name}`}>
    <h2 id=${`list-${name}`}>${t(`lobby.${name}`)}</h2>
    ${tables && !tables.length && html`<p class="small">${t("lobby.nothing")}</p>`}
    <ul class="tables">
      ${tables?.map((table) => {
        const page = table.status === "finished" ? "replay" : "table";
        const says = label(table);
        const turn = says === t("lobby.your_turn");
        return html`<li key=${table.id}>
          <a href=${`#/${page}/${table.id}`}>
            <span><b>${title(table.game)}</b><br /><span class="small">${namesOf(table.seats).join(" · ")}</span></span>
            <span class=${turn ? "badge turn" : "badge"}>${says}</span>
          </a>
        </li>`;
      })}
    </ul>
  </section>`;
}

function LinkForm() {
  const [bad, setBad] = useState(false);
  const enter = (event) => {
    event.preventDefault();
    const text = new FormData(event.target).get("link");
    const found = /(t_\w+)(?:\?code=|\s+)?([\w-]*)/.exec(String(text));
    setBad(!found);
    if (found) location.hash = `#/table/${found[1]}${found[2] ? `?code=${found[2]}` : ""}`;
  };
  return html`<section class="card" aria-labelledby="list-link">
    <h2 id="list-link">${t("lobby.link")}</h2>
    <form class="line" onSubmit=${enter}>
      <label class="grow"><span class="small">${t("lobby.link_help")}</span><input name="link" required /></label>
      <button>${t("lobby.go")}</button>
    </form>
    ${bad && html`<p class="bad" role="alert">${t("lobby.bad_link")}</p>`}
  </section>`;
}
