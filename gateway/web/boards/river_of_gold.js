// River of Gold: the river between its two shores, the building row, the influence of the six regions, the clans.

import { fresh, html, language, moves, Piece, SeatMark, SeatSign, Spot, useState } from "../kit.js";

const WORDS = {
  en: {
    river: "The river, from its source to the sea, and the building sites on both shores",
    empty: "An empty site in {region}. Building here costs {cost} koku; a visitor gets 1 koku.", market: "A place for an imperial market in {region}",
    site: "{tile}, in {region}", owned: "Markers: {names}", water: "River space {n}. A ship here visits the sites: {sites}",
    bare: "an empty site", start: "ships start near here", sea: "Journey's end: 3 koku or 1 good, and the last tile of the row goes",
    ship: "Ship {ship} of {name}", royal: "the royal ship", sails: "It sails as many spaces as the die of {name} shows: {die}",
    row: "Building row", slot: "Place {slot}", last: "whoever builds it gets 1 favor", gives: "Building it gives {n} influence in the region", pick: "show where it can be built",
    stack: "Era {era}: {count} tiles left; next: {tile}", influence: "Influence", track: "Region {n}: {region}. {positions}", at: "{name} at {n}", flower: "imperial flower",
    worth: "At the end of the game: {places} VP for the first (and second)", masteries: "Masteries", open: "still worth: {slots} VP", taken: "claimed by {names}",
    hand: "Your customers", wants: "wants {goods}", area: "{name}, {clan}", die: "die", vp: "VP", koku: "koku", favor: "favor", limit: "{n} of at most {limit}", cards: "customers in hand",
    delivered: "Delivered", patrons: "Patrons to choose from", up: "die +1", down: "die −1", exchange: "Exchange or choose", deck: "Customers in the deck: {count}", begins: "The end was begun by {name}",
    give: "On delivery: {what}", influence_n: "{n} influence", "type.artisan": "Building in this region costs 2 koku less. End: 1 VP for every 3 goods.", "type.elder": "End: doubles your points for this region.",
    "type.merchant": "At journeys' ends: {what}. End: 1 VP for every 5 koku.", "type.monk_own": "Favor limit +1, 2 favor, and a second marker on a building of yours: its owner's rewards count twice.",
    "type.monk_other": "Favor limit +1, 2 favor, and a second marker on a rival's building: you get its owner's rewards too.", "type.noble": "The first noble makes one ship royal. {what}",
    merchant_1: "1 influence in every region where you own a building", merchant_2: "1 VP for every delivered customer", merchant_3: "1 good of your choice", merchant_4: "sell goods for 5 koku each", merchant_5: "1 favor", merchant_6: "3 koku",
    noble_1: "It takes goods of your choice at markets. End: 1 VP per market of yours.", noble_2: "It gains 1 koku more at empty sites. End: 1 VP per port of yours.", noble_3: "After sailing: 1 influence in every region it touches. End: 1 VP per manor of yours.",
    noble_4: "After visiting a rival's building: 1 VP. End: 1 VP per shrine of yours.", noble_5: "It may change the die by 1 for free. End: 1 VP per type of building you own.", noble_6: "After visiting a building of yours: 1 VP. End: 1 VP per region where you own a building.",
    what: "Build, sail or deliver – or change the die first", does_build: "Build {tile} in {region} ({space})", does_sail: "Sail ship {ship}", does_change_die: "Pay 1 favor: {what}", does_place_marker: "Put the second marker on {tile} in {region}", tell_built: "{name} builds {tile} in {region} for {cost} koku", tell_sailed: "{name} sails ship {ship} from space {from} to space {to}", tell_gained: "{name} gains {what} ({source})", limit_up: "favor limit +{n}",
  },
  pl: {
    river: "Rzeka od źródła do morza i place budowy na obu brzegach",
    empty: "Pusty plac, {region}. Budowa kosztuje {cost} koku; gość dostaje 1 koku.", market: "Miejsce na cesarski rynek, {region}",
    site: "{tile}, {region}", owned: "Znaczniki: {names}", water: "Pole rzeki {n}. Statek odwiedza stąd place: {sites}",
    bare: "pusty plac", start: "start statków jest w pobliżu", sea: "Koniec podróży: 3 koku albo 1 towar, a ostatni kafelek rzędu odchodzi",
    ship: "Statek {ship}, właściciel: {name}", royal: "szlachecki statek", sails: "Płynie o tyle pól, ile pokazuje kość ({name}): {die}",
    row: "Rząd budynków", slot: "Miejsce {slot}", last: "kto go buduje, dostaje 1 łaskę", gives: "Budowa daje wpływy w regionie: {n}", pick: "pokaż, gdzie można go zbudować",
    stack: "Era {era}: zostało kafelków {count}; następny: {tile}", influence: "Wpływy", track: "Region {n}: {region}. {positions}", at: "{name}: {n}", flower: "kwiat cesarski",
    worth: "Na koniec gry: {places} PZ za pierwsze (i drugie) miejsce", masteries: "Mistrzostwa", open: "jeszcze warte: {slots} PZ", taken: "zdobyte przez: {names}",
    hand: "Twoi klienci", wants: "chce: {goods}", area: "{name}, {clan}", die: "kość", vp: "PZ", koku: "koku", favor: "łaska", limit: "{n}, najwyżej {limit}", cards: "klienci na ręce",
    delivered: "Dostarczono", patrons: "Patroni do wyboru", up: "kość +1", down: "kość −1", exchange: "Wymień albo wybierz", deck: "Klienci w stosie: {count}", begins: "Koniec gry rozpoczyna {name}",
    give: "Za dostawę: {what}", influence_n: "wpływy: {n}", "type.artisan": "Budowa w tym regionie kosztuje 2 koku mniej. Koniec: 1 PZ za każde 3 towary.", "type.elder": "Koniec: podwaja twoje punkty za ten region.",
    "type.merchant": "Na końcach podróży: {what}. Koniec: 1 PZ za każde 5 koku.", "type.monk_own": "Limit łaski +1, 2 łaski i drugi znacznik na własnym budynku: nagrody właściciela liczą się podwójnie.",
    "type.monk_other": "Limit łaski +1, 2 łaski i drugi znacznik na budynku rywala: też dostajesz nagrody właściciela.", "type.noble": "Pierwszy szlachcic zamienia jeden statek w szlachecki. {what}",
    merchant_1: "1 wpływ w każdym regionie, w którym masz budynek", merchant_2: "1 PZ za każdego obsłużonego klienta", merchant_3: "1 dowolny towar", merchant_4: "sprzedaż towarów po 5 koku", merchant_5: "1 łaska", merchant_6: "3 koku",
    noble_1: "Na rynkach bierze dowolne towary. Koniec: 1 PZ za każdy twój rynek.", noble_2: "Na pustych placach o 1 koku więcej. Koniec: 1 PZ za każdy twój port.", noble_3: "Po rejsie: 1 wpływ w każdym regionie przy polu. Koniec: 1 PZ za każdą twoją posiadłość.",
    noble_4: "Po wizycie w budynku rywala: 1 PZ. Koniec: 1 PZ za każdą twoją świątynię.", noble_5: "Może za darmo zmienić kość o 1. Koniec: 1 PZ za każdy rodzaj twoich budynków.", noble_6: "Po wizycie we własnym budynku: 1 PZ. Koniec: 1 PZ za każdy region z twoim budynkiem.",
    what: "Buduj, płyń albo dostarcz – a przedtem możesz zmienić kość", does_build: "Zbuduj: {tile}, {region} ({space})", does_sail: "Rejs statkiem {ship}", does_change_die: "Wydaj 1 łaskę: {what}", does_place_marker: "Połóż drugi znacznik na: {tile}, {region}", tell_built: "{name} buduje: {tile} ({region}) za {cost} koku", tell_sailed: "{name} płynie statkiem {ship} z pola {from} na {to}", tell_gained: "{name} otrzymuje: {what} ({source})", limit_up: "limit łaski +{n}",
  },
};

/** @returns {string} */
const say = (key, values = {}) => WORDS[language() === "pl" ? "pl" : "en"][key].replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "–");

const GOODS = ["silk", "rice", "porcelain"];
const ROW = 66;
const HEIGHT = 15 * ROW;

// Small drawings around 0,0 within 9; the sign of each thing is its shape.
const SIGNS = {
  koku: "M0-8a8 8 0 1 0 .01 0zM-3-3h6v6h-6z",
  silk: "M-8-4Q-4-9 0-4T8-4V4Q4-1 0 4T-8 4z",
  rice: "M-5-8H5L3-5Q9 2 6 8H-6Q-9 2-3-5z",
  porcelain: "M-3-9H3V-5Q9-2 7 4Q5 8 0 8Q-5 8-7 4Q-9-2-3-5z",
  favor: "M0-9L7-1L0 9L-7-1z",
  influence: "M0-9L8 1H3V8H-3V1H-8z",
  vp: "M0-9L2.6-3L9-2.4L4.2 1.8L5.6 8L0 4.7L-5.6 8L-4.2 1.8L-9-2.4L-2.6-3z",
  choice: "M-8-8H-1V-1H-8zM1-8H8V-1H1zM-8 1H-1V8H-8zM1 1H8V8H1z",
  draw: "M-6-8H3V5H-6zM-1-5H6V8H-1z",
  port: "M-1-9H1V-4H6V-2H1V5Q6 5 8 0Q8 9 0 9Q-8 9-8 0Q-6 5-1 5V-2H-6V-4H-1z",
  market: "M-8-2L-5-8H5L8-2Q6 1 4-2Q2 1 0-2Q-2 1-4-2Q-6 1-8-2zM-7 1V8H7V1z",
  manor: "M-9-2L0-9L9-2H6V8H2V2H-2V8H-6V-2z",
  shrine: "M-9-8Q0-5 9-8V-5H6V-2H8V1H5V9H3V1H-3V9H-5V1H-8V-2H-6V-5H-9z",
  artisan: "M-8-6H2V-1H-8zM-4-1H-2V9H-4zM4-8L8-4L4 0z", elder: "M0-9a4 4 0 1 0 .01 0zM-6 9Q-6 0 0 0Q6 0 6 9zM7-3H9V9H7z", merchant: "M0-8V8M-8-5H8L5 2H-5z", monk: "M0-9a5 5 0 1 0 .01 0zM-8 9Q-6 1 0 1Q6 1 8 9z", noble: "M-8-6L-4 0L0-8L4 0L8-6V7H-8z",
};

const Sign = ({ of, x = 0, y = 0, size = 1 }) => html`<path class=${`sign sign-${of}`} d=${SIGNS[of]} transform=${`translate(${x} ${y}) scale(${size})`} fill-rule="evenodd" />`;
const Icon = ({ of }) => html`<svg class="icon-sign" viewBox="-10 -10 20 20" aria-hidden="true"><${Sign} of=${of} /></svg>`;

/** A reward as signs with numbers, from left to right. */
function Reward({ atoms, x, y }) {
  return atoms.map((atom, n) => {
    const [of, count] = meaning(atom);
    const per = atom.per && SIGNS[atom.per.replace("own_", "")] ? atom.per.replace("own_", "") : atom.per ? "draw" : null;
    return html`<g key=${n} transform=${`translate(${x + n * 34} ${y})`}><text class="count" x="-1" y="5" text-anchor="end">${count}</text><${Sign} of=${of} x=${8} size=${0.75} />
      ${per && html`<text class="count" x="17" y="5">/</text><${Sign} of=${per} x=${28} size=${0.65} />`}</g>`;
  });
}

function meaning(atom) {
  if (atom.good) return [atom.good, atom.n ?? 1];
  if (atom.choice) return ["choice", 1];
  if (atom.draw_discard) return ["draw", atom.draw_discard];
  const of = ["koku", "favor", "influence", "vp"].find((each) => atom[each]);
  return [of ?? "choice", of ? atom[of] : 1];
}

export function Board(table) {
  const { view, words } = table;
  const [picked, setPicked] = useState("");
  const pick = view.row.some((each) => each.tile === picked) && moves(table, "build", { tile: picked }).length ? picked : "";
  return html`<div class="river-of-gold">
    <div class="waters"><section class="card river"><${River} table=${table} picked=${pick} /></section>
      <section class="card mastered"><h3>${say("masteries")}</h3><ul class="masteries">${view.masteries.map((each) => html`<li key=${each.mastery} data-tip=${words.text(`mastery.${each.mastery}.text`)}>
        <b>${words.piece(each.mastery)}</b> <span class="small">${words.text(`mastery.${each.mastery}.text`)} · ${say("open", { slots: each.slots.slice(each.claimed.length).join(", ") || "–" })}${each.claimed.length ? ` · ${say("taken", { names: each.claimed.map((claim) => words.names[claim.seat ?? claim]).join(", ") })}` : ""}</span></li>`)}</ul>
        <p class="small">${say("deck", { count: view.customer_deck })}${view.end_triggered_by !== null ? ` · ${say("begins", { name: words.names[view.end_triggered_by] })}` : ""}</p></section></div>
    <div class="panels">
      ${view.patrons_offered.length > 0 && html`<${Patrons} table=${table} ids=${view.patrons_offered} />`}
      ${view.patrons_offered.length === 0 && moves(table, "take_patron").length > 0 && html`<${Patrons} table=${table} ids=${moves(table, "take_patron").map((each) => each.take_patron.patron)} />`}
      ${table.seat !== null && html`<${Clan} table=${table} n=${table.seat} own />`}
      <${Row} table=${table} picked=${pick} pick=${setPicked} />
      <${Influence} table=${table} />
      <div class="others">${view.players.filter((each) => each.seat !== table.seat).map((each) => html`<${Clan} key=${each.seat} table=${table} n=${each.seat} />`)}</div>
    </div>
  </div>`;
}

function River({ table, picked }) {
  const { view, words, components } = table;
  const built = new Map(view.shore.map((each) => [each.space, each]));
  const banks = { left: [], right: [] };
  for (const space of components.shore_spaces) banks[space.bank].push(space);
  const step = HEIGHT / components.river_spaces.length;
  const water = (n) => step * (n - 0.5);
  return html`<svg class="daylight" viewBox=${`0 0 400 ${HEIGHT}`} role="group" aria-label=${say("river")}>
    <path class="water" d=${`M165 0${Array.from({ length: 14 }, (_, n) => `q${n % 2 ? -16 : 16} ${step / 2} 0 ${step}`).join("")}H235${Array.from({ length: 14 }, (_, n) => `q${n % 2 ? -16 : 16} ${-step / 2} 0 ${-step}`).join("")}z`} />
    ${components.river_spaces.map((space) => html`<g key=${space.id} class="water-space" transform=${`translate(200 ${water(space.index)})`} data-tip=${[say("water", { n: space.index, sites: space.adjacent_shore.map((id) => built.get(id) ? words.piece(built.get(id).tile) : say("bare")).join("; ") }), space.start && say("start"), space.leaving_to_next_ends_journey && say("sea")].filter(Boolean).join("\n")}>
      <circle r="30" /><text y="-16" text-anchor="middle">${space.index}</text>${space.leaving_to_next_ends_journey && html`<path class="ends" d="M-14 24H14L0 33z" />`}</g>`)}
    ${["left", "right"].flatMap((bank) => banks[bank].map((space, n) => html`<${Site} key=${space.id} table=${table} space=${space} built=${built.get(space.id)} x=${bank === "left" ? 0 : 262} y=${n * ROW} picked=${picked} />`))}
    ${components.river_spaces.map((space) => space.adjacent_shore.map((id) => {
      const site = components.shore_spaces.find((each) => each.id === id);
      const y = banks[site.bank].indexOf(site) * ROW + ROW / 2;
      const [from, to] = site.bank === "left" ? [170, 139] : [230, 261];
      return html`<line key=${space.id + id} class="pier" x1=${from} y1=${water(space.index)} x2=${to} y2=${y} />`;
    }))}
    ${view.players.flatMap((player) => player.ships.map((ship) => ({ ...ship, seat: player.seat }))).map((ship) => html`<${Ship} key=${`${ship.seat}-${ship.ship}`} table=${table} ship=${ship} y=${water(Number(ship.space.slice(1)))} />`)}
  </svg>`;
}

function Site({ table, space, built, x, y, picked }) {
  const { words, components } = table;
  const region = words.piece(space.region, "region");
  const builds = moves(table, "build", picked ? { space: space.id, tile: picked } : { space: space.id });
  const marks = moves(table, "place_marker", { space: space.id });
  const tile = built && components.building_tiles.find((each) => each.id === built.tile);
  const name = tile ? say("site", { tile: words.piece(built.tile), region }) : space.cost ? say("empty", { region, cost: space.cost }) : say("market", { region });
  const tip = [name, built?.markers.length && say("owned", { names: built.markers.map((seat) => words.names[seat]).join(", ") })].filter(Boolean).join("\n");
  return html`<${Spot} table=${table} moves=${[...builds, ...marks]} label=${name} tip=${tip} class=${`site region-${space.region} ${fresh(table, space.id)}`} transform=${`translate(${x} ${y})`}>
    <rect class=${tile ? `lit ground built type-${tile.type}` : "lit ground"} x="4" y="3" width="130" height=${ROW - 6} rx="8" />
    <text class="region-number" x="14" y="18">${space.region}</text>
    ${tile ? html`<${Sign} of=${tile.type} x=${22} y=${38} size=${1.25} />
      <g transform="translate(60 20)"><${Reward} atoms=${tile.visitor} x=${0} y=${0} /></g>
      ${tile.owner.length > 0 && html`<g class="for-owner" transform="translate(60 46)"><rect x="-14" y="-11" width="84" height="21" rx="5" /><${Reward} atoms=${tile.owner} x=${0} y=${0} /></g>`}
      ${built.markers.map((seat, n) => html`<${SeatMark} key=${n} seat=${seat} x=${122 - n * 22} y=${18} size=${0.95} />`)}`
    : space.cost && html`<g transform="translate(64 33)"><text class="cost" x="0" y="6" text-anchor="end">${space.cost}</text><${Sign} of="koku" x=${14} /></g>`}
  <//>`;
}

function Ship({ table, ship, y }) {
  const { view, words } = table;
  const together = view.players.flatMap((player) => player.ships.map((each) => ({ ...each, seat: player.seat }))).filter((each) => each.space === ship.space);
  const place = together.findIndex((each) => each.seat === ship.seat && each.ship === ship.ship);
  const mine = ship.seat === table.seat;
  const sails = mine ? [...moves(table, "sail", { ship: ship.ship }), ...moves(table, "upgrade_ship", { ship: ship.ship })] : [];
  const name = words.names[ship.seat];
  const label = say("ship", { ship: ship.ship, name }) + (ship.royal ? `, ${say("royal")}` : "");
  return html`<${Piece} x=${200 + (place - (together.length - 1) / 2) * 26} y=${y + 6}>
    <${Spot} table=${table} moves=${sails} label=${label} tip=${`${label}\n${say("sails", { name, die: view.players[ship.seat].die })}`} class=${`ship seat-${ship.seat}`}>
      <rect class="behind" x="-13" y="-20" width="26" height="39" />
      <path class="lit hull" d="M-16 8H16Q13 19 6 19H-6Q-13 19-16 8z" /><path class="sail" d="M-1-18Q14-10 12 5H-1z" /><path class="mast" d="M-2-20H0V8H-2z" />
      ${ship.royal && html`<path class="crown" d="M-13-20L-11-13H-3L-1-20L-4-17L-7-21L-10-17z" />`}
      <${SeatMark} seat=${ship.seat} x=${-8} y=${-2} size=${0.55} /><text class="ship-number" x="4" y="2" text-anchor="middle">${ship.ship}</text>
    <//><//>`;
}

function Row({ table, picked, pick }) {
  const { view, words } = table;
  return html`<section class="card building-row"><h3>${say("row")}</h3>
    <div class="row">${view.row.map((each) => html`<${Tile} key=${each.tile} table=${table} id=${each.tile} slot=${each.slot} picked=${picked === each.tile} pick=${pick} />`)}</div>
    <p class="small">${view.stacks.filter((stack) => stack.tiles > 0).map((stack) => say("stack", { era: stack.era, count: stack.tiles, tile: words.piece(stack.top) })).join(" · ")}</p></section>`;
}

function Tile({ table, id, slot, picked, pick }) {
  const { words } = table;
  const tile = words.component(id);
  const can = moves(table, "build", { tile: id }).length > 0;
  const tip = [words.piece(id), say("slot", { slot }) + (slot === 4 ? `: ${say("last")}` : ""), tile.build_influence && say("gives", { n: tile.build_influence })].filter(Boolean).join("\n");
  const drawing = html`<svg viewBox="0 0 130 64" aria-hidden="true"><rect class=${`ground built type-${tile.type}`} x="2" y="2" width="126" height="60" rx="8" /><${Sign} of=${tile.type} x=${20} y=${36} size=${1.2} />
    <g transform="translate(60 20)"><${Reward} atoms=${tile.visitor} x=${0} y=${0} /></g>
    ${tile.owner.length > 0 && html`<g class="for-owner" transform="translate(60 45)"><rect x="-14" y="-11" width="80" height="21" rx="5" /><${Reward} atoms=${tile.owner} x=${0} y=${0} /></g>`}
    ${tile.build_influence && html`<text class="count" x="112" y="24" text-anchor="end">${tile.build_influence}</text><${Sign} of="influence" x=${120} y=${18} size=${0.6} />`}</svg>`;
  return can ? html`<button type="button" class=${`tile ${picked ? "picked" : ""} ${fresh(table, id)}`} aria-pressed=${picked} data-tip=${`${tip}\n(${say("pick")})`} onClick=${() => pick(picked ? "" : id)}>${drawing}<span class="heard">${`${words.piece(id)}: ${say("pick")}`}</span></button>`
    : html`<div class=${`tile ${fresh(table, id)}`} role="img" aria-label=${words.piece(id)} data-tip=${tip}>${drawing}</div>`;
}

function Influence({ table }) {
  const { view, words, components } = table;
  return html`<section class="card"><h3>${say("influence")}</h3><svg class="tracks daylight" viewBox="0 0 440 252" role="group" aria-label=${say("influence")}>
    ${components.regions.map((region, row) => {
      const y = 4 + row * 41;
      const positions = view.players.map((player) => say("at", { name: words.names[player.seat], n: player.influence[row] })).join(", ");
      const label = say("track", { n: region.id, region: words.piece(region.id, "region"), positions });
      const worth = say("worth", { places: view.scoring_tiles[row]?.places.join(" / ") });
      return html`<g key=${region.id} class=${`track region-${region.id}`} role="img" aria-label=${label} data-tip=${`${label}\n${worth}`}>
        <rect class="name" x="1" y=${y + 4} width="26" height="28" rx="5" /><text class="region-number" x="14" y=${y + 23} text-anchor="middle">${region.id}</text>
        ${region.influence_track.map((cell) => html`<g key=${cell.position}><rect class=${cell.imperial_flower ? "cell flower" : "cell"} x=${30 + cell.position * 20} y=${y} width="19" height="37" />
          ${cell.reward.map((atom, n) => html`<${Sign} key=${n} of=${meaning(atom)[0]} x=${39.5 + cell.position * 20 + (n - (cell.reward.length - 1) / 2) * 9} y=${y + 8} size=${cell.reward.length > 1 ? 0.45 : 0.65} />`)}</g>`)}
        <text class="small-text" x="413" y=${y + 23}>${view.scoring_tiles[row]?.places.join("/")}</text>
        ${view.players.map((player) => html`<${Piece} key=${player.seat} x=${35 + player.influence[row] * 20 + (player.seat % 2 ? 9 : 0)} y=${y + (player.seat > 1 ? 31 : 21)}><${SeatMark} seat=${player.seat} size=${0.5} /><//>`)}
      </g>`;
    })}</svg></section>`;
}

function Clan({ table, n, own = false }) {
  const { view, words, names } = table;
  const player = view.players[n];
  const clan = player.clan ? words.piece(player.clan, "clan") : "";
  const patron = player.patron;
  const good = (id) => (own ? [...moves(table, "take_good", { good: id }), ...moves(table, "sell", { good: id }), ...moves(table, "take_journey", { reward: id }), ...moves(table, "exchange_goods", { give: id })] : []);
  const koku = own ? [...moves(table, "take_journey", { reward: "koku" }), ...moves(table, "exchange_favor")] : [];
  return html`<section class=${own ? "card clan own" : "card clan"} aria-label=${say("area", { name: names[n], clan })}>
    <h3><${SeatSign} seat=${n} /> ${names[n]} <span class="small" data-tip=${patron ? words.text(`patron.${patron}.text`) : undefined}>${clan}${patron ? ` · ${words.piece(patron)}` : ""}</span></h3>
    <div class="goods">
      <span class="thing" data-tip=${say("vp")}><${Icon} of="vp" /><b>${player.vp}</b><span class="small">${say("vp")}</span></span>
      <${Spot} as="button" table=${table} moves=${koku} class="thing" tip=${say("koku")} label=${`${say("koku")} ${player.koku}`} question=${say("exchange")}><${Icon} of="koku" /><b>${player.koku}</b><span class="small">${say("koku")}</span><//>
      ${GOODS.map((id) => html`<${Spot} key=${id} as="button" table=${table} moves=${good(id)} class="thing" tip=${words.piece(id)} label=${`${words.piece(id)} ${player[id]}`} question=${say("exchange")}><${Icon} of=${id} /><b>${player[id]}</b><span class="small">${words.piece(id)}</span><//>`)}
      <span class="thing" data-tip=${say("limit", { n: player.favor, limit: player.favor_limit })}><${Icon} of="favor" /><b>${player.favor}/${player.favor_limit}</b><span class="small">${say("favor")}</span></span>
      ${player.die && html`<span class="thing">${own && html`<${Spot} as="button" table=${table} moves=${moves(table, "change_die", { step: -1 })} class="shift" label=${say("down")} tip=${say("down")}>−<//>`}<${Die} face=${player.die} />${own && html`<${Spot} as="button" table=${table} moves=${moves(table, "change_die", { step: 1 })} class="shift" label=${say("up")} tip=${say("up")}>+<//>`}</span>`}
      ${!own && html`<span class="thing" data-tip=${say("cards")}><${Icon} of="draw" /><b>${player.hand_size}</b></span>`}
    </div>
    ${own && player.hand.length > 0 && html`<h4>${say("hand")}</h4><div class="customers">${player.hand.map((id) => html`<${Customer} key=${id} table=${table} id=${id} moves=${[...moves(table, "deliver", { customer: id }), ...moves(table, "discard", { customer: id })]} />`)}</div>`}
    ${player.delivered.length > 0 && html`<h4>${say("delivered")}</h4><div class="customers">${player.delivered.map((id) => html`<${Customer} key=${id} table=${table} id=${id} moves=${[]} />`)}</div>`}
  </section>`;
}

const PIPS = [[], [4], [0, 8], [0, 4, 8], [0, 2, 6, 8], [0, 2, 4, 6, 8], [0, 2, 3, 5, 6, 8]];

const Die = ({ face }) => html`<svg class="die" viewBox="0 0 30 30" role="img" aria-label=${`${say("die")} ${face}`} data-tip=${`${say("die")} ${face}`}><rect x="1" y="1" width="28" height="28" rx="6" />
  ${PIPS[face].map((n) => html`<circle key=${n} cx=${7 + (n % 3) * 8} cy=${7 + Math.floor(n / 3) * 8} r="2.6" />`)}</svg>`;

function ability(customer, id) {
  if (customer.type === "merchant") return say("type.merchant", { what: say(id) });
  if (customer.type === "noble") return say("type.noble", { what: say(id) });
  if (customer.type === "monk") return say(customer.delivery.some((each) => each.second_marker === "own") ? "type.monk_own" : "type.monk_other");
  return say(`type.${customer.type}`);
}

function Customer({ table, id, moves: own }) {
  const { words } = table;
  const customer = words.component(id);
  const goods = GOODS.filter((good) => customer.order[good]);
  const gained = customer.delivery.find((each) => each.influence);
  const lines = [words.piece(id), words.piece(customer.region, "region"), say("wants", { goods: goods.map((good) => `${customer.order[good]} ${words.piece(good)}`).join(", ") }), gained && say("give", { what: say("influence_n", { n: gained.influence }) }), ability(customer, id)];
  return html`<${Spot} as="button" table=${table} moves=${own} class=${`customer region-${customer.region} ${fresh(table, id)}`} label=${words.piece(id)} tip=${lines.filter(Boolean).join("\n")}>
    <svg viewBox="0 0 92 64" aria-hidden="true"><rect class="ground" x="2" y="2" width="88" height="60" rx="8" /><text class="region-number" x="12" y="18">${customer.region}</text><${Sign} of=${customer.type} x=${50} y=${17} size=${1.1} />
      ${goods.map((good, n) => html`<g key=${good} transform=${`translate(${16 + n * 28} 46)`}><text class="count" x="0" y="5" text-anchor="end">${customer.order[good]}</text><${Sign} of=${good} x=${8} size=${0.75} /></g>`)}</svg>
    <span class="small">${words.piece(id).split(" ")[0]}</span><//>`;
}

function Patrons({ table, ids }) {
  const { words } = table;
  return html`<section class="card offered-patrons"><h3>${say("patrons")}</h3><div class="patrons">${ids.map((id) => html`<${Spot} key=${id} as="button" table=${table} moves=${moves(table, "take_patron", { patron: id })} class="patron" label=${words.piece(id)}>
    <b>${words.piece(id)}</b><span class="small">${words.text(`patron.${id}.text`)}</span><//>`)}</div></section>`;
}

export const question = (table) => (table.view.phase === "main" ? say("what") : undefined);

export function does(kind, content, { view, words }) {
  const region = () => words.piece(words.component(content.space).region, "region");
  const tile = () => words.piece(content.tile ?? view.shore.find((each) => each.space === content.space).tile);
  if (kind === "build" || kind === "place_marker") return say(`does_${kind}`, { tile: tile(), region: region(), space: content.space });
  if (kind === "change_die") return say("does_change_die", { what: say(content.step > 0 ? "up" : "down") });
  if (kind !== "sail") return undefined;
  return say("does_sail", content) + (content.shift ? ` (${say(content.shift > 0 ? "up" : "down")})` : "");
}

export function tell(kind, told, words) {
  const name = words.names[told.seat];
  if (kind === "built") {
    const site = words.component(told.space);
    return say("tell_built", { name, tile: words.piece(told.tile), region: words.piece(site.region, "region"), cost: told.cost });
  }
  if (kind === "sailed") return say("tell_sailed", { name, ship: told.ship, from: Number(told.start.slice(1)), to: Number(told.stop.slice(1)) });
  if (kind === "gained") {
    const parts = ["koku", ...GOODS, "favor", "vp"].filter((each) => told[each]).map((each) => `${told[each]} ${GOODS.includes(each) ? words.piece(each) : say(each)}`);
    if (told.favor_limit) parts.push(say("limit_up", { n: told.favor_limit }));
    return parts.length ? say("tell_gained", { name, what: parts.join(", "), source: words.piece(told.source, "source") }) : "";
  }
  return undefined;
}
