// Quick match: a ticket, and the table that comes of it.

import { call } from "./api.js";
import { inLanguage, t } from "./i18n.js";
import { html, useEffect, useRef, useState } from "./vendor/preact.js";

const PAUSE = 1000;
const BOTS_AFTER = 30;

export function QuickMatch({ game, report, close }) {
  const [rated, setRated] = useState(false);
  const before = useRef(Promise.resolve());
  useEffect(() => {
    const search = new Search(game, rated);
    // One waits with one ticket at a time: the one before is given back first.
    before.current = before.current.then(() => search.run()).then((table) => {
      if (table) location.hash = `#/table/${table}`;
      else if (!search.ended) close();
    }).catch((error) => {
      report(error);
      close();
    });
    return () => search.end();
  }, [rated]);
  return html`<section class="notice" role="status">
    <p><b>${t("quick.waiting", { game: inLanguage(game.title) })}</b> ${t(rated ? "quick.people" : "quick.bots")}</p>
    <div class="buttons">
      <label class="check"><input type="checkbox" checked=${rated} onChange=${(event) => setRated(event.target.checked)} /> ${t("quick.rated")}</label>
      <button type="button" onClick=${close}>${t("quick.cancel")}</button>
    </div>
  </section>`;
}

/** One ticket from its beginning to its end. Bots never fill up a rated game. */
class Search {
  constructor(game, rated) {
    this.wish = { wishes: [{ game: game.id, options: {}, seats: [Math.max(2, game.seats.min)] }], rated, bots_after: rated ? null : BOTS_AFTER };
    this.ended = false;
    this.wake = () => {};
  }

  /** The table; nothing if the search was given up before there was one. */
  async run() {
    if (this.ended) return null;
    let ticket = await this.begin();
    while (ticket.status === "waiting" && !this.ended) {
      await new Promise((resolve) => {
        this.wake = () => resolve(null);
        setTimeout(this.wake, PAUSE);
      });
      if (!this.ended) ticket = await call("GET", `/matchmaking/tickets/${ticket.id}`);
    }
    if (ticket.status === "waiting") await cancel(ticket.id);
    return ticket.table;
  }

  async begin() {
    try {
      return await call("POST", "/matchmaking/tickets", this.wish);
    } catch (error) {
      // A ticket from before, such as another page's: wait with that one if it is for the same, else with a new one.
      if (!error.document?.ticket) throw error;
      const found = await call("GET", `/matchmaking/tickets/${error.document.ticket}`);
      if (found.rated === this.wish.rated && found.wishes[0].game === this.wish.wishes[0].game) return found;
      await cancel(found.id);
      return call("POST", "/matchmaking/tickets", this.wish);
    }
  }

  end() {
    this.ended = true;
    this.wake();
  }
}

const cancel = (ticket) => call("DELETE", `/matchmaking/tickets/${ticket}`).catch(() => {});
