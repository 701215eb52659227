// Talk at the table.

import { call } from "./api.js";
import { t } from "./i18n.js";
import { html, useEffect, useRef, useState } from "./vendor/preact.js";

// The stream of a table ends with its game; after that new lines are asked for.
const PAUSE = 4000;

export function Chat({ id, lines, add, canSay, ended, report }) {
  const [text, setText] = useState("");
  const end = useRef(/** @type {any} */ (null));
  useEffect(() => {
    const load = () => call("GET", `/tables/${id}/chat?limit=100`).then((answer) => answer.lines.forEach(add));
    load().catch(report);
    const timer = ended ? setInterval(() => load().catch(() => {}), PAUSE) : 0;
    return () => clearInterval(timer);
  }, [id, ended]);
  useEffect(() => {
    if (end.current) end.current.scrollTop = end.current.scrollHeight;
  }, [lines.length]);
  const say = (event) => {
    event.preventDefault();
    if (!text.trim()) return;
    call("POST", `/tables/${id}/chat`, { text: text.trim() }).then((line) => {
      setText("");
      add(line);
    }, report);
  };
  return html`<section class="card chat" aria-labelledby="chat">
    <h2 id="chat">${t("chat.title")}</h2>
    <div class="said" ref=${end} role="log" tabindex="0" aria-labelledby="chat">
      ${!lines.length && html`<p class="small">${t("chat.empty")}</p>`}
      ${lines.map((line) => html`<p key=${line.id}><b>${line.player.name}</b> ${line.text}</p>`)}
    </div>
    ${canSay && html`<form class="line" onSubmit=${say}>
      <input class="grow" aria-label=${t("chat.say")} placeholder=${t("chat.say")} maxlength="500" value=${text} onInput=${(event) => setText(event.target.value)} />
      <button>${t("chat.send")}</button></form>`}
  </section>`;
}
