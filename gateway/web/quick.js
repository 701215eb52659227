// Quick match: a ticket, and the table that comes of it.

import { call } from "./api.js";
import { inLanguage, t } from "./i18n.js";
import { html, useEffect } from "./vendor/preact.js";

const PAUSE = 1000;
const BOTS_AFTER = 30;

export function QuickMatch({ game, report, close }) {
  useEffect(() => {
    let ticket = "";
    let waiting = false;
    let ended = false;
    const wish = { game: game.id, options: {}, seats: [Math.max(2, game.seats.min)] };
    const ask = () => (ticket ? call("GET", `/matchmaking/tickets/${ticket}`) : call("POST", "/matchmaking/tickets", { wishes: [wish], bots_after: BOTS_AFTER }));
    const cancel = () => call("DELETE", `/matchmaking/tickets/${ticket}`).catch(() => {});
    const look = async () => {
      const answer = await ask();
      ticket = answer.id;
      waiting = answer.status === "waiting";
      if (ended && waiting) cancel();
      else if (answer.table) location.hash = `#/table/${answer.table}`;
      else if (answer.status === "cancelled") close();
      else setTimeout(() => ended || look().catch(failed), PAUSE);
    };
    const failed = (error) => {
      // A ticket from before, such as another page's: wait with that one.
      if (!ticket && error.document?.ticket) {
        ticket = error.document.ticket;
        look().catch(failed);
        return;
      }
      report(error);
      close();
    };
    look().catch(failed);
    return () => {
      ended = true;
      if (waiting) cancel();
    };
  }, []);
  return html`<section class="notice" role="status">
    <p><b>${t("quick.waiting", { game: inLanguage(game.title) })}</b> ${t("quick.bots")}</p>
    <button type="button" onClick=${close}>${t("quick.cancel")}</button>
  </section>`;
}
