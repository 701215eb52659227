// The page: the frame around it, and which page is shown. Addresses are in the fragment: #/, #/table/t_…, #/replay/t_….

import { features, keepCode, me } from "./api.js";
import { language, onLanguage, other, setLanguage, t } from "./i18n.js";
import { Leaders } from "./leaders.js";
import { Lobby } from "./lobby.js";
import { Replay } from "./replay.js";
import { TablePage } from "./table.js";
import { explainPieces } from "./tips.js";
import { html, render, useEffect, useErrorBoundary, useReducer, useState } from "./vendor/preact.js";

const THEMES = ["auto", "light", "dark"];

/** @returns {{page: string, id: string}} */
function route() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const [page, id] = path.split("/");
  const code = new URLSearchParams(query).get("code");
  if (id && code) {
    keepCode(id, code);
    history.replaceState(null, "", `#/${page}/${id}`);
  }
  return { page: page || "lobby", id: id || "" };
}

function App() {
  const [, again] = useReducer((count) => count + 1, 0);
  const [offered, setOffered] = useState(/** @type {import("./api.js").Features | null} */ (null));
  const [error] = useErrorBoundary((problem) => console.error(problem));
  useEffect(() => {
    onLanguage(() => again(undefined));
    addEventListener("hashchange", () => {
      again(undefined);
      document.getElementById("content")?.focus();
    });
    features().then(setOffered);
  }, []);
  const { page, id } = route();
  return html`
    <a class="skip" href="#content" onClick=${skip}>${t("app.skip")}</a>
    <header class="frame">
      <a class="brand" href="#/"><img src="/icon.svg" alt="" width="32" height="32" /> ${t("app.title")}</a>
      <nav aria-label=${t("app.title")}>
        <a href="#/" aria-current=${page === "lobby" ? "page" : undefined}>${t("app.lobby")}</a>
        ${offered?.paths.includes("/v1/leaderboards/{game}") &&
        html`<a href="#/leaders" aria-current=${page === "leaders" ? "page" : undefined}>${t("app.leaders")}</a>`}
      </nav>
      <span class="grow"></span>
      ${me() && html`<span class="who">${me()?.name}</span>`}
      <${ThemeButton} />
      <button type="button" class="quiet tongue" lang=${other()} onClick=${() => setLanguage(other())}><span class="name">${t("app.language")}</span><span class="code" aria-hidden="true">${other().toUpperCase()}</span></button>
    </header>
    <main id="content" tabindex="-1" key=${`${page}/${id}`}>
      ${error ? html`<p class="notice bad" role="alert">${t("app.broken")}</p>` : offered && shown(page, id, offered, again)}
    </main>
  `;
}

function shown(page, id, offered, again) {
  if (page === "table" && id) return html`<${TablePage} id=${id} offered=${offered} />`;
  if (page === "replay" && id) return html`<${Replay} id=${id} offered=${offered} />`;
  if (page === "leaders") return html`<${Leaders} />`;
  return html`<${Lobby} offered=${offered} again=${again} />`;
}

function skip(event) {
  event.preventDefault();
  document.getElementById("content")?.focus();
}

function ThemeButton() {
  const [theme, setTheme] = useState(localStorage.getItem("theme") || "auto");
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem("theme", theme);
  }, [theme]);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
  const label = t("app.theme", { theme: t(`theme.${theme}`) });
  return html`<button type="button" class="quiet icon" aria-label=${label} data-tip=${label} onClick=${() => setTheme(next)}>
    <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
      <circle cx="12" cy="12" r="8" class="line" />
      ${theme !== "light" && html`<path class="full" d=${theme === "dark" ? "M12 4a8 8 0 0 0 0 16a8 8 0 0 0 0-16" : "M12 4a8 8 0 0 1 0 16z"} />`}
    </svg>
  </button>`;
}

setLanguage(language());
explainPieces();
render(html`<${App} />`, /** @type {Element} */ (document.getElementById("app")));
