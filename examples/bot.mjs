// Plays any game of a Teahouse server. Needs only Node 20 or newer.
//
//   node examples/bot.mjs                                   plays the server's random bot until it wins
//   node examples/bot.mjs --game river_of_gold --opponent greedy --wins 3
//   node examples/bot.mjs --table t_4hXc                    takes a seat at an open table and plays one game
//
// It knows no rules: the server lists the legal actions, and the bot takes the one whose numbers add up to most.
import { parseArgs } from "node:util";

const text = (value) => ({ type: "string", default: value });
const { values: wish } = parseArgs({
  options: {
    url: text("http://127.0.0.1:8080"), game: text("geishas_road"), opponent: text("random"),
    wins: text("1"), table: { type: "string" }, name: text("Example bot"),
  },
});
const headers = { "Content-Type": "application/json" };
const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
const fail = (why) => process.exit(console.error(why) ?? 1);

async function call(method, path, body, accept = "application/json") {
  const sent = { method, headers: { ...headers, Accept: accept }, body: body && JSON.stringify(body) };
  const lost = (error) => { throw headers.Authorization ? error : fail(`no server answers at ${wish.url}`); };
  const answer = await fetch(wish.url + path, sent).catch(lost);
  if (answer.ok) return answer;
  if (answer.status === 409) return null; // the table has moved on: the stream brings the new position
  if (answer.status < 500 && answer.status !== 429) fail(`${method} ${path}: ${(await answer.json()).detail}`);
  return pause(1).then(() => call(method, path, body, accept)); // the server is restarting or overloaded: try again
}

function choose(actions) {
  const worth = (action) => (JSON.stringify(action).match(/\d+/g) ?? []).reduce((sum, n) => sum + Number(n), Math.random());
  return actions.map((action) => [worth(action), action]).sort((a, b) => b[0] - a[0])[0][1];
}

async function* lines(answer) {
  let rest = "";
  for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {
    const found = (rest + part).split("\n");
    rest = found.pop();
    yield* found.filter((line) => line); // empty lines keep the connection alive
  }
}

// Follows the table's stream and acts when it is our turn. Reconnects when the connection breaks.
async function play(table) {
  let position = { version: 0 };
  while (!["finished", "closed"].includes(position.status)) {
    try {
      const stream = await call("GET", `${table}/events?after=${position.version}`, undefined, "application/x-ndjson");
      for await (const line of lines(stream)) {
        position = JSON.parse(line).update ?? { ...position, legal: [] }; // the stream also carries chat and presence
        const move = { version: position.version, action: position.legal.length && choose(position.legal) };
        if (move.action) await call("POST", `${table}/actions`, move);
      }
    } catch (error) {
      console.error(`going on after: ${error.message}`);
      await pause(0.2);
    }
  }
  const place = position.outcome?.places[position.seat] ?? fail("the table was closed");
  console.log(`place ${place}, scores ${position.outcome.scores}`);
  return place === 1;
}

headers.Authorization = `Bearer ${(await (await call("POST", "/v1/players", { name: wish.name })).json()).token}`;
if (wish.table) {
  (await call("POST", `/v1/tables/${wish.table}/seats`)) ?? fail("no seat is free there");
  await play(`/v1/tables/${wish.table}`);
  process.exit();
}
const game = await (await call("GET", `/v1/games/${wish.game}`)).json();
const bots = Array(Math.max(1, game.seats.min - 1)).fill({ kind: "bot", bot: wish.opponent });
for (let won = 0; won < Number(wish.wins); ) {
  const { id } = await (await call("POST", "/v1/tables", { game: wish.game, seats: [{ kind: "me" }, ...bots] })).json();
  await call("POST", `/v1/tables/${id}/start`);
  won += await play(`/v1/tables/${id}`);
}
console.log(`won ${wish.wins} of ${wish.game}`);
