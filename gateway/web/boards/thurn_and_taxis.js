// Thurn and Taxis: the map with its roads and provinces, the displayed cards, routes, carriages and bonus tiles.

import { fresh, html, language, moves, Piece, SeatMark, SeatSign, Spot } from "../kit.js";

const WORDS = {
  en: {
    map: "The map: cities, roads and provinces", city: "{city}, {province}", houses: "Houses: {names}", roads: "Roads to {cities}", onRoute: "on the route of {names}",
    display: "Cards to take", deck: "Deck: {count}", deck_tip: "The face-down deck. {count} cards are left; {gone} are in the discard.", gap: "an empty place",
    hand: "Your hand", route: "Route", noRoute: "no route yet", officials: "Officials: one may help each turn", used: "helps in this turn",
    postmaster: "Takes a second card", administrator: "Replaces the displayed cards before you take one", postal_carrier: "Adds a second card to the route", cartwright: "Brings the next carriage although the route is one or two cards too short",
    tiles: "Bonus tiles", stack: "{name}: {values}", none: "none left", carriages: "Carriages", carriage: "Carriage {value}: {points} points, for a route of {value} cities; {left} left",
    round: "Round {round}", left: "Houses left: {count}", cards: "Cards in hand: {count}", own: "Bonus tiles: {count}", wagon: "Carriage: {value}", noWagon: "no carriage yet", end: "The end was triggered by {name}: this is the last round",
    end_right: "at the right end", end_left: "at the left end", tell_route: "{name} closes the route {cities}", take_display: "Take {city}", postmaster_take_display: "Postmaster: take {city} as a second card",
  },
  pl: {
    map: "Mapa: miasta, drogi i krainy", city: "{city}, {province}", houses: "Domy: {names}", roads: "Drogi do: {cities}", onRoute: "na trasie: {names}",
    display: "Karty do wzięcia", deck: "Stos: {count}", deck_tip: "Zakryty stos. Zostało kart: {count}; odrzuconych: {gone}.", gap: "puste miejsce",
    hand: "Twoja ręka", route: "Trasa", noRoute: "jeszcze bez trasy", officials: "Urzędnicy: w turze pomaga jeden", used: "pomaga w tej turze",
    postmaster: "Bierze drugą kartę", administrator: "Wymienia wyłożone karty, zanim weźmiesz jedną", postal_carrier: "Dokłada drugą kartę do trasy", cartwright: "Daje następny powóz, choć trasie brakuje jednej lub dwóch kart",
    tiles: "Żetony premii", stack: "{name}: {values}", none: "wyczerpane", carriages: "Powozy", carriage: "Powóz {value}: punkty: {points}, za trasę długości {value}; zostało: {left}",
    round: "Runda {round}", left: "Domy w zapasie: {count}", cards: "Karty na ręce: {count}", own: "Żetony premii: {count}", wagon: "Powóz: {value}", noWagon: "jeszcze bez powozu", end: "Koniec wywołał {name}: to ostatnia runda",
    end_right: "na prawym końcu", end_left: "na lewym końcu", tell_route: "{name} zamyka trasę {cities}", take_display: "Weź kartę {city}", postmaster_take_display: "Naczelnik: weź drugą kartę, {city}",
  },
};

/** @returns {string} */
const say = (key, values = {}) => WORDS[language() === "pl" ? "pl" : "en"][key].replace(/\{(\w+)\}/g, (_, name) => values[name]);

const WIDTH = 1000;
const HEIGHT = Math.round(WIDTH / 1.361);
const at = (city) => [40 + city.x * (WIDTH - 80), 30 + city.y * (HEIGHT - 75)];
// Longer names of cities are written in two lines.
const LONG = 14;
const OFFICIALS = ["postmaster", "administrator", "postal_carrier", "cartwright"];
// Roofs and towers of a town.
const SKYLINE = "M0 24V17L7 12L14 17V14L20 9L26 14V18H31V8L35 1L39 8V18H45L52 11L59 18H62V6H64V2H66V6H68V18L75 13L82 18V15L88 10L94 15V18H100V24z";
// Where the names of the provinces do not hide a city.
const LABELS = {
  baden: [128, 385], baiern: [640, 405], boehmen: [838, 175], hohenzollern: [228, 478], polen: [890, 45], salzburg_prov: [905, 560],
  schweiz: [118, 690], tyrol: [596, 676], wuerttemberg: [330, 322],
};

export function Board(table) {
  const { view, seat, names } = table;
  return html`<div class="thurn-and-taxis">
    <div class="left">
      <section class="card map"><${Map} table=${table} /></section>
      <div class="others">${view.players.filter((each) => each.seat !== seat).map((each) => html`<section class="card" key=${each.seat}><h3><${SeatSign} seat=${each.seat} /> ${names[each.seat]}</h3><${Route} table=${table} n=${each.seat} /><${Facts} table=${table} n=${each.seat} /></section>`)}</div>
      <section class="card supply"><h3>${say("carriages")}</h3><div class="stacks">${view.carriages.map((each) => html`<span key=${each.value} class=${each.left ? "stack" : "stack gone"} data-tip=${say("carriage", each)}><${Wagon} value=${each.value} /><b>${each.points}</b><span class="small">×${each.left}</span></span>`)}</div>
        <h3>${say("tiles")}</h3><div class="stacks">${view.stacks.map((each) => html`<${Stack} key=${each.id} table=${table} stack=${each} />`)}</div></section>
    </div>
    <div class="right">
      ${seat !== null && html`<section class="card own"><h3><${SeatSign} seat=${seat} /> ${say("hand")}</h3><${Hand} table=${table} /><${Route} table=${table} n=${seat} /><${Facts} table=${table} n=${seat} /></section>`}
      <section class="card offered"><h3>${say("display")} <span class="small">${say("round", { round: view.round })}${view.ended_by !== null && view.ended_by !== undefined ? ` · ${say("end", { name: names[view.ended_by] })}` : ""}</span></h3><${Display} table=${table} /></section>
      <section class="card"><h3>${say("officials")}</h3><div class="officials">${OFFICIALS.map((id) => html`<${Official} key=${id} table=${table} id=${id} />`)}</div></section>
    </div>
  </div>`;
}

/** What can be done with a card of the hand, or with its city on the map. */
const plays = (table, city) => ["start", "extend", "carrier_extend", "discard"].flatMap((kind) => moves(table, kind, { city }));

function Map({ table }) {
  const { view, components } = table;
  const byId = new globalThis.Map(components.cities.map((city) => [city.id, city]));
  const line = (from, to) => {
    const [[x1, y1], [x2, y2]] = [at(byId.get(from)), at(byId.get(to))];
    return { x1, y1, x2, y2 };
  };
  return html`<svg class="daylight" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="group" aria-label=${say("map")}>
    <rect class="land" width=${WIDTH} height=${HEIGHT} rx="18" />
    ${components.provinces.map((province) => html`<${Province} key=${province.id} province=${province} byId=${byId} roads=${components.roads} words=${table.words} />`)}
    ${components.roads.map(([from, to]) => html`<line key=${from + to} class="road" ...${line(from, to)} />`)}
    ${view.players.map((player) => player.route.slice(1).map((city, n) => html`<line key=${player.seat + city} class=${`route route-${player.seat}`} ...${line(player.route[n], city)} transform=${`translate(${(player.seat - 1.5) * 4} ${(player.seat - 1.5) * 4})`} />`))}
    ${components.cities.map((city) => html`<${City} key=${city.id} table=${table} city=${city} />`)}
  </svg>`;
}

/** A province is the land around its cities and the roads between them. */
function Province({ province, byId, roads, words }) {
  const cities = province.cities.map((id) => at(byId.get(id)));
  const inside = roads.filter((road) => road.every((id) => province.cities.includes(id)));
  const [x, y] = LABELS[province.id] ?? cities[0];
  const name = words.piece(province.id, "province");
  const tip = `${name}: ${province.cities.map((id) => words.piece(id, "city")).join(", ")}`;
  return html`<g class=${`province province-${province.id}`} data-tip=${tip}><g class="area">
    ${inside.map(([from, to]) => html`<line key=${from + to} x1=${at(byId.get(from))[0]} y1=${at(byId.get(from))[1]} x2=${at(byId.get(to))[0]} y2=${at(byId.get(to))[1]} />`)}
    ${cities.map(([cx, cy], n) => html`<circle key=${n} cx=${cx} cy=${cy} r="62" />`)}</g>
    <text x=${x} y=${y} text-anchor="middle">${name}</text></g>`;
}

function City({ table, city }) {
  const { view, words, names, components } = table;
  const [x, y] = at(city);
  const here = view.players.filter((player) => player.houses.includes(city.id));
  const passing = view.players.filter((player) => player.route.includes(city.id)).map((player) => names[player.seat]);
  const name = words.piece(city.id, "city");
  const tip = [say("city", { city: name, province: words.piece(city.province, "province") }), say("roads", { cities: components.adjacency[city.id].map((id) => words.piece(id, "city")).join(", ") }),
    here.length && say("houses", { names: here.map((player) => names[player.seat]).join(", ") }), passing.length && say("onRoute", { names: passing.join(", ") })].filter(Boolean).join("\n");
  const lines = name.length > LONG ? name.split(" ") : [name];
  const width = Math.max(...lines.map((line) => line.length)) * 10.5 + 22;
  const height = 5 + 20 * lines.length;
  const shift = Math.max(4 + width / 2 - x, 0) - Math.max(x + width / 2 - WIDTH + 4, 0);
  const top = here.length ? -42 : -15;
  return html`<${Spot} table=${table} moves=${[...moves(table, "place_house", { city: city.id }), ...plays(table, city.id)]} label=${name} tip=${tip} transform=${`translate(${x} ${y})`} class=${`city ${fresh(table, city.id)}`}>
    <rect class="behind" x=${shift - width / 2} y=${top} width=${width} height=${18 + height - top} />
    <circle class="lit town" r="15" /><path class="tower" d="M-7 6V-4L0-11L7-4V6z" />
    <g class="plate" transform=${`translate(${shift} 0)`}><rect x=${-width / 2} y="18" width=${width} height=${height} rx="7" /><text y="36" text-anchor="middle">${lines.map((line, n) => html`<tspan key=${n} x="0" dy=${n ? "1.1em" : 0}>${line}</tspan>`)}</text></g>
    ${here.map((player, n) => html`<${Piece} key=${player.seat} x=${(n - (here.length - 1) / 2) * 26} y=${-30}><path class="home" d="M-11-2L0-12L11-2V10H-11z" /><${SeatMark} seat=${player.seat} y=${2} size=${0.75} /><//>`)}
  <//>`;
}

function Card({ table, city, moves: own, label }) {
  const { words } = table;
  const found = words.component(city);
  const name = words.piece(city, "city");
  const province = words.piece(found.province, "province");
  return html`<${Spot} as="button" table=${table} moves=${own} class=${`city-card province-${found.province}`} label=${label ?? name} tip=${`${say("city", { city: name, province })}\n${say("roads", { cities: table.components.adjacency[city].map((id) => words.piece(id, "city")).join(", ") })}`}>
    <span class="band"><svg viewBox="0 0 100 24" preserveAspectRatio="xMidYMax slice" aria-hidden="true"><path d=${SKYLINE} /></svg></span><b>${name}</b><span class="small">${province}</span><//>`;
}

function Display({ table }) {
  const { view } = table;
  const take = (slot) => [...moves(table, "take_display", { slot }), ...moves(table, "postmaster_take_display", { slot })];
  const deck = [...moves(table, "take_deck"), ...moves(table, "postmaster_take_deck")];
  const tip = say("deck_tip", { count: view.deck, gone: view.discard.length });
  return html`<div class="cards">
    ${view.display.map((city, slot) => city ? html`<${Card} key=${slot + city} table=${table} city=${city} moves=${take(slot)} />` : html`<span key=${slot} class="city-card gap" data-tip=${say("gap")}></span>`)}
    <${Spot} as="button" table=${table} moves=${deck} class="city-card back" label=${say("deck", { count: view.deck })} tip=${tip}><svg viewBox="-20 -16 40 32" aria-hidden="true"><path class="horn" d="M-16 4C-16-12 8-14 10-2C11 7-4 8-4 0C-4-4 2-4 4-1M10-2L17-9L18 4L10 1" /></svg><b>${say("deck", { count: view.deck })}</b><//>
  </div>`;
}

function Hand({ table }) {
  const { hand } = table.view.players[table.seat];
  return html`<div class="cards">${hand.map((city, n) => html`<${Card} key=${`${city}${n}`} table=${table} city=${city} moves=${plays(table, city)} />`)}</div>`;
}

function Route({ table, n }) {
  const { view, words } = table;
  const { route } = view.players[n];
  return html`<p class="route-line"><span class="small">${say("route")}: </span>${route.length ? route.map((city, each) => html`<span key=${city}>${each > 0 && " – "}<b>${words.piece(city, "city")}</b></span>`) : html`<span class="small">${say("noRoute")}</span>`}</p>`;
}

function Facts({ table, n }) {
  const { view, words } = table;
  const player = view.players[n];
  const tiles = player.tiles.map((tile) => `${words.piece(tile.stack, "stack")}: ${tile.value}`).join("\n");
  return html`<div class="facts">
    <span data-tip=${say("left", { count: player.houses_left })}><svg class="mini" viewBox="-13 -14 26 26" role="img" aria-label=${say("left", { count: player.houses_left })}><path class="home" d="M-11-2L0-12L11-2V10H-11z" /></svg><b>${player.houses_left}</b></span>
    <span data-tip=${player.carriage ? say("wagon", { value: player.carriage }) : say("noWagon")}><${Wagon} value=${player.carriage || "–"} /></span>
    <span data-tip=${[say("own", { count: player.tile_count }), tiles].filter(Boolean).join("\n")}><svg class="mini" viewBox="-13 -13 26 26" role="img" aria-label=${say("own", { count: player.tile_count })}><path class="bonus" d="M0-12L12 0L0 12L-12 0z" /></svg><b>${player.tile_count}${player.tiles.length ? ` (${player.tiles.reduce((sum, tile) => sum + tile.value, 0)})` : ""}</b></span>
    ${n !== table.seat && html`<span class="small">${say("cards", { count: player.hand_count })}</span>`}
  </div>`;
}

const Wagon = ({ value }) => html`<svg class="wagon" viewBox="-22 -14 44 30" role="img" aria-label=${say("wagon", { value })}><path class="cabin" d="M-16-12H16Q18 2 12 4H-12Q-18 2-16-12z" /><circle class="wheel" cx="-10" cy="7" r="6" /><circle class="wheel" cx="10" cy="7" r="6" /><text y="1" text-anchor="middle">${value}</text></svg>`;

function Stack({ table, stack }) {
  const name = table.words.piece(stack.id, "stack");
  const values = stack.values.length ? stack.values.join(", ") : say("none");
  return html`<span class=${stack.values.length ? "stack" : "stack gone"} data-tip=${say("stack", { name, values })}><span class="small">${name}</span><b>${stack.values[0] ?? "–"}</b><span class="small">×${stack.values.length}</span></span>`;
}

function Official({ table, id }) {
  const used = table.view.official === id;
  const own = { administrator: moves(table, "use_administrator"), cartwright: moves(table, "use_cartwright") }[id] ?? [];
  const name = table.words.piece(id, "official");
  return html`<${Spot} as="button" table=${table} moves=${own} class=${used ? "official used" : "official"} tip=${`${name}: ${say(id)}${used ? ` (${say("used")})` : ""}`}><b>${name}</b><span class="small">${used ? say("used") : say(id)}</span><//>`;
}

/** Cards are told by their cities, not by their places. */
export function does(kind, { slot }, { view, words }) {
  return kind.endsWith("take_display") ? say(kind, { city: words.piece(view.display[slot], "city") }) : undefined;
}

export function tell(kind, told, words) {
  if (kind === "route_closed") return say("tell_route", { name: words.names[told.seat], cities: told.cities.map((city) => words.piece(city, "city")).join(" – ") });
  // The display shows them.
  if (kind === "display_filled" || kind === "route_discarded") return "";
  return undefined;
}
