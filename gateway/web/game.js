// A game with its texts, its box and its board: all that is needed to show a table of it.

import { once } from "./api.js";
import * as generic from "./generic.js";

/** @typedef {{Board: any, tell?: (kind: string, told: any, words: any) => string | undefined, generic?: boolean,
 *   does?: (kind: string, content: any, table: import("./kit.js").TableNow) => string | undefined,
 *   piece?: (id: string, words: any) => string | undefined,
 *   question?: (table: import("./kit.js").TableNow) => string | undefined}} BoardModule */

/**
 * @param {string} id
 * @param {import("./api.js").Features} offered
 * @returns {Promise<{game: import("./api.js").Game, components: any, board: BoardModule}>}
 */
export async function loadGame(id, offered) {
  const [game, components, board] = await Promise.all([
    once(`/games/${id}`),
    once(`/games/${id}/components`),
    offered.boards.includes(id) ? import(`./boards/${id}.js`) : generic,
  ]);
  if (offered.boards.includes(id)) style(id);
  return { game, components, board };
}

/** A board may have a style sheet beside it. */
function style(id) {
  if (document.querySelector(`link[data-board="${id}"]`)) return;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = `/boards/${id}.css`;
  link.dataset.board = id;
  document.head.append(link);
}
