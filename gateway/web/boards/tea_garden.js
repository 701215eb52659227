// Tea Garden: the map with its gardens and the river, the University, the emperor track, cards, caravans and cups; with the
// Pu-erh expansion the court and the market, in a solo game Lu Yu.

import { fresh, html, language, moves, Piece, polygon, SeatMark, SeatSign, Spot } from "../kit.js";

const WORDS = {
  en: {
    map: "The map: regions, gardens and the river", region: "Region {n}, {province}: leaves of quality {value}", space_free: "a free space", space_cost: "a space worth {n} points", gardens: "Gardens of {names}", token: "First garden here: {what}",
    segment: "River, segment {n}: {vp} points at the end of the game", boats: "Boats: {names}", gets: "Reward: {what}", university: "University", part: "Part {part}: {what}; {vp} points", centre: "Centre: {vp} points for each worker", workers: "{name}: sector {sector}, in the centre {centre}",
    emperor: "Emperor track", row: "Row {n}. Cost: {cost}. {what}", row0: "The start", cards: "Action cards", column: "from strength {n}", caravans: "Caravans", emperor_cards: "Emperor cards", cups: "Cup tiles", stack: "{province}: {count} tiles",
    hand: "Your hand", turn: "Round {round} of 5 · strength of this turn: {strength}", stacks: "Laid in this round", leaves: "Leaves", fresh: "fresh", fermented: "fermented", quality: "quality {n}", pagodas: "Pagodas", pagoda: "Pagoda of strength {n}", scrolls: "Scrolls and tokens",
    tokens: "Emperor tokens", rows: "Cups", end_left: "Place the tile at the left end", end_right: "Place the tile at the right end", link: "a link", newRow: "Start a new row", discard: "Discard: {count}", deck: "Draw deck: {count}", passed: "has passed", score: "{n} points", vp: "points", handOf: "Cards in hand: {count}", from_hand: "from the hand", from_discard: "from the discard", from_deck: "from the draw deck",
    strength: "Strength {n}", side: "Side action: {what}", teapots: "Teapots: {what}", effects: "Effects: {what}", costs: "Cost: {what}", worth: "{n} points at the end", any: "any colour", green: "green", blue: "blue", red: "red", white: "white", none: "none",
    trade: "For {cost}: {what}", force: "With strength {min}: {what}", and: "and", leaf: "fresh leaves: {n}", leafq: "leaves of quality {q}: {n}", brown: "fermented leaves: {n}", least: "quality {q} or better", token_n: "emperor tokens: {n}",
    court: "Imperial court", hall: "Hall {hall}: {what}", hallspace: "Space of strength {n}", market: "Pu-erh market", price: "Price: {what}", puerh: "Pu-erh token. Bonus: {what}. Stars {stars}, points {points}", basic: "Basic tokens", premium: "Premium tokens", decrees: "Decrees", decree: "Decree ({what}: {n}). Whoever fulfils it puts a worker on a free space: {vp} points", need: "{what}: {n}",
    sets: "Pu-erh", cake: "a whole cake: stars × points", messengers: "Messengers: {n}, waiting: {waiting}", luyu: "Lu Yu", reveals: "His deck: {count} cards. Top: strength {strength}, {side}", laid: "Revealed in this round", "per.fermented_leaf": "fermented leaf", "per.fresh_leaf": "fresh leaf", "per.teapot_scroll": "teapot scroll", "per.caravan": "caravan", "per.garden": "garden", "per.card_with_river": "card with a boat", "per.card_with_cups": "card with cups", "per.card_with_research": "card with research", "per.card_with_teapot": "card with a teapot", "per.pu_erh_cake": "Pu-erh cake",
    per: "End: {vp} points for each {per}, at most {max}", flat: "End: {n} points", minus: "End: {n} points, less 1 for each start card", sell: "sell up to {max} leaves: {fresh} point fresh, {fermented} fermented", harvest: "harvest {n} in every garden", repeat: "Repeat", back: "Lu Yu", basket: "Quality {n}: fresh {fresh}, fermented {fermented}", paying: "To pay: {what}", aims: "regions: {regions}; cups: {cups}",
    does_sell_tea: "Sell tea to caravan {caravan}. {deals}", does_use_effect: "Use the effect of the top card: {what}", does_remove_card: "Remove {card} from the game ({from})",
    card_start: "Starting card", card_action: "Action card", card_emperor: "Emperor card",
  },
  pl: {
    map: "Mapa: regiony, ogrody i rzeka", region: "Region {n}, {province}: liście jakości {value}", space_free: "wolne pole", space_cost: "pole za punkty: {n}", gardens: "Ogrody: {names}", token: "Za pierwszy ogród tutaj: {what}",
    segment: "Rzeka, odcinek {n}: na koniec gry punkty: {vp}", boats: "Łodzie: {names}", gets: "Nagroda: {what}", university: "Uniwersytet", part: "Część {part}: {what}; punkty: {vp}", centre: "Środek: punkty za każdego pracownika: {vp}", workers: "{name}: sektor {sector}, w środku {centre}",
    emperor: "Tor cesarza", row: "Rząd {n}. Koszt: {cost}. {what}", row0: "Początek", cards: "Karty akcji", column: "od siły {n}", caravans: "Karawany", emperor_cards: "Karty cesarza", cups: "Kafelki filiżanek", stack: "{province}: kafelki: {count}",
    hand: "Twoja ręka", turn: "Runda {round} z 5 · siła tej tury: {strength}", stacks: "Wyłożone w tej rundzie", leaves: "Liście", fresh: "świeże", fermented: "sfermentowane", quality: "jakość {n}", pagodas: "Pagody", pagoda: "Pagoda o sile {n}", scrolls: "Zwoje i żetony",
    tokens: "Żetony cesarza", rows: "Filiżanki", end_left: "Połóż kafelek na lewym końcu", end_right: "Połóż kafelek na prawym końcu", link: "połączenie", newRow: "Zacznij nowy rząd", discard: "Odrzucone: {count}", deck: "Stos: {count}", passed: "spasował", score: "Punkty: {n}", vp: "punkty", handOf: "Karty na ręce: {count}", from_hand: "z ręki", from_discard: "z odrzuconych", from_deck: "ze stosu",
    strength: "Siła {n}", side: "Akcja poboczna: {what}", teapots: "Czajniki: {what}", effects: "Efekty: {what}", costs: "Koszt: {what}", worth: "punkty na koniec: {n}", any: "dowolny kolor", green: "zielony", blue: "niebieski", red: "czerwony", white: "biały", none: "brak",
    trade: "Za {cost}: {what}", force: "Przy sile {min}: {what}", and: "i", leaf: "świeże liście: {n}", leafq: "liście: {n}, jakość {q}", brown: "sfermentowane: {n}", least: "jakość co najmniej {q}", token_n: "żetony cesarza: {n}",
    court: "Dwór cesarski", hall: "Sala {hall}: {what}", hallspace: "Pole o sile {n}", market: "Targ pu-erh", price: "Cena: {what}", puerh: "Żeton pu-erh. Premia: {what}. Gwiazdki {stars}, punkty {points}", basic: "Żetony podstawowe", premium: "Żetony premium", decrees: "Dekrety", decree: "Dekret ({what}: {n}). Kto go spełni, stawia pracownika na wolnym polu; punkty: {vp}", need: "{what}: {n}",
    sets: "Pu-erh", cake: "pełny krążek: gwiazdki × punkty", messengers: "Posłańcy: {n}, czekający: {waiting}", luyu: "Lu Yu", reveals: "Jego stos: {count}. Na wierzchu: siła {strength}, {side}", laid: "Odkryte w tej rundzie", "per.fermented_leaf": "sfermentowany liść", "per.fresh_leaf": "świeży liść", "per.teapot_scroll": "zwój czajnika", "per.caravan": "karawanę", "per.garden": "ogród", "per.card_with_river": "kartę z łodzią", "per.card_with_cups": "kartę z filiżankami", "per.card_with_research": "kartę z badaniem", "per.card_with_teapot": "kartę z czajnikiem", "per.pu_erh_cake": "krążek pu-erh",
    per: "Koniec: {vp} pkt za każdy/każdą {per}, najwyżej {max}", flat: "Koniec: punkty: {n}", minus: "Koniec: {n} pkt, mniej 1 za każdą kartę początkową", sell: "sprzedaj do {max} liści: świeży {fresh}, sfermentowany {fermented} pkt", harvest: "zbierz {n} w każdym ogrodzie", repeat: "Powtórz", back: "Lu Yu", basket: "Jakość {n}: świeże {fresh}, sfermentowane {fermented}", paying: "Do zapłaty: {what}", aims: "regiony: {regions}; filiżanki: {cups}",
    does_sell_tea: "Sprzedaj herbatę karawanie {caravan}. {deals}", does_use_effect: "Użyj efektu karty wierzchniej: {what}", does_remove_card: "Usuń {card} z gry ({from})",
    card_start: "Karta początkowa", card_action: "Karta akcji", card_emperor: "Karta cesarza",
  },
};

/** @returns {string} */
const say = (key, values = {}) => WORDS[language() === "pl" ? "pl" : "en"][key].replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "–");
const has = (key) => key in WORDS.en;

// Signs around 0,0 within 9; each has its own shape.
const SIGNS = {
  vp: "M0-9L2.6-3L9-2.4L4.2 1.8L5.6 8L0 4.7L-5.6 8L-4.2 1.8L-9-2.4L-2.6-3z", leaves: "M-7 8C-9-4 0-9 8-8C9 1 3 9-7 8z", ferment: "M-7 8C-9-4 0-9 8-8C9 1 3 9-7 8zM-5 6L4-4", emperor_token: "M-8-5L-4 0L0-8L4 0L8-5V7H-8z",
  strength: "M-6 8V-2L-2-8L2-2L6-8V8z", teapot: "M-5-3H5L7 3Q6 8 0 8Q-6 8-7 3zM7-1L10-4M-2-6H2V-3H-2z", repeat: "M-7 0A7 7 0 1 1 0 7V3L-6 8L0 12V9", cup_marker: "M0-7a7 7 0 1 0 .01 0zM0-3a3 3 0 1 0 .01 0z", draw: "M-6-8H4V8H-6zM6-4V4M3 0H9", draw_discard: "M-8-8H0V4H-8zM2-4H8V8H2z", remove_card: "M-6-8H6V8H-6zM-4-5L4 5M4-5L-4 5",
  side_action: "M-8-2H2V-7L9 0L2 7V2H-8z", emperor_card: "M-6-9H6V9H-6zM-3-3L-1 1L0-4L1 1L3-3V4H-3z", pu_erh_basic: "M0-8a8 8 0 1 0 .01 0zM0-3a3 3 0 1 0 .01 0z", scroll: "M-8-6H6V6H-8zM6-6Q9-4 6-2", sell_leaves: "M-7 8C-9-4 0-9 8-8C9 1 3 9-7 8z", harvest_each: "M-8 0H8L5 8H-5zM-5 0Q0-9 5 0",
  river: "M-9 2H9L5 8H-5zM0 1V-9L7-1z", cups: "M-7-4H5V1Q5 7-1 7Q-7 7-7 1zM5-2Q10-2 8 2Q7 3 5 3", research: "M-9-3L0-8L9-3L0 2zM-5 0V5Q0 9 5 5V0",
};

const Sign = ({ of, x = 0, y = 0, size = 1, class: name = "" }) => html`<path class=${`sign sign-${of} ${name}`} d=${SIGNS[of] ?? SIGNS.vp} transform=${`translate(${x} ${y}) scale(${size})`} fill-rule="evenodd" />`;
const Icon = ({ of, class: name = "" }) => html`<svg class=${`icon-sign ${name}`} viewBox="-11 -11 22 22" aria-hidden="true"><${Sign} of=${of} /></svg>`;

/** An atom of a reward: its sign, how many, and the quality of leaves. */
function meaning(atom) {
  if (atom.leaves) return { of: "leaves", count: atom.leaves.count, quality: atom.leaves.quality };
  if (atom.scroll) return { of: atom.scroll, count: 1 };
  if (atom.side_action) return { of: SIGNS[atom.side_action] ? atom.side_action : "side_action", count: 1 };
  const [of, count] = Object.entries(atom)[0];
  return { of, count: typeof count === "number" ? count : 1 };
}

/** Rewards in a line of signs. */
const Reward = ({ atoms, words }) => html`<span class="reward">${atoms.map((atom, n) => {
  const { of, count, quality } = meaning(atom);
  return html`<span key=${n} class="atom" data-tip=${atomWords(atom, words)}>${count > 1 || of === "vp" ? count : ""}<${Icon} of=${of} />${quality ? html`<sub>${quality}</sub>` : ""}</span>`;
})}</span>`;

function atomWords(atom, words) {
  if (atom.leaves) return say("leafq", { n: atom.leaves.count, q: atom.leaves.quality });
  if (atom.scroll) return words.piece(atom.scroll, "scroll");
  if (atom.side_action) return words.piece(atom.side_action, "side");
  if (atom.sell_leaves) return say("sell", { max: atom.sell_leaves.max, fresh: atom.sell_leaves.fresh_vp, fermented: atom.sell_leaves.fermented_vp });
  if (atom.harvest_each) return say("harvest", { n: atom.harvest_each });
  const [of, count] = Object.entries(atom)[0];
  return `${words.text(`reward.${of}`) ?? of}: ${count}`;
}

const inWords = (atoms, words) => (atoms.length ? atoms.map((atom) => atomWords(atom, words)).join(", ") : say("none"));

function costWords(cost) {
  if (!cost) return say("none");
  const parts = [cost.emperor_token && say("token_n", { n: cost.emperor_token }), cost.green && say("leaf", { n: cost.green }), cost.brown && say("brown", { n: cost.brown }), cost.quality && say("least", { q: cost.quality }), cost.teapots?.length && say("teapots", { what: cost.teapots.map((pot) => say(pot)).join(", ") })];
  return parts.filter(Boolean).join(", ");
}

/** All that is printed on a card of the hand or the row. */
function cardWords(card, words) {
  const lines = [`${say(`card_${card.kind}`)} ${card.id}`, say("strength", { n: card.strength })];
  if (card.side.length) lines.push(say("side", { what: card.side.map((side) => words.piece(side, "side")).join(", ") }));
  if (card.teapots.length) lines.push(say("teapots", { what: card.teapots.map((pot) => say(pot)).join(", ") }));
  if (card.effects.length) lines.push(say("effects", { what: inWords(card.effects, words) }));
  if (card.cost) lines.push(say("costs", { what: costWords(card.cost) }));
  if (card.vp) lines.push(say("worth", { n: card.vp }));
  const end = card.end_game;
  if (end?.per && has(`per.${end.per}`)) lines.push(say("per", { vp: end.vp, per: say(`per.${end.per}`), max: end.max }));
  else if (end?.flat) lines.push(say("flat", { n: end.flat }));
  else if (end?.base) lines.push(say("minus", { n: end.base }));
  return lines.join("\n");
}

export function Board(table) {
  const { view, seat, names } = table;
  const others = view.players.map((_, n) => n).filter((n) => n !== seat);
  return html`<div class="tea-garden">
    <div class="left">
      <section class="card map"><${Map} table=${table} /></section>
      <div class="halves"><section class="card"><h3>${say("university")}</h3><${University} table=${table} /></section><section class="card"><h3>${say("emperor")}</h3><${EmperorTrack} table=${table} /></section></div>
      ${view.pu_erh && html`<${Court} table=${table} />`}
      ${others.map((n) => html`<section class="card rival" key=${n} aria-label=${names[n]}><${Area} table=${table} n=${n} /></section>`)}
    </div>
    <div class="right">
      ${seat !== null && html`<section class="card own" aria-label=${names[seat]}><${Area} table=${table} n=${seat} /></section>`}
      <section class="card shop"><h3>${say("cards")}</h3><div class="cards">${view.action_row.map((id, n) => id && html`<${Card} key=${id} table=${table} id=${id} moves=${moves(table, "buy", { card: id })} note=${say("column", { n: table.components.action_row.columns[n] })} />`)}</div></section>
      <section class="card shop"><h3>${say("emperor_cards")}</h3><div class="cards">${view.emperor_row.map((id) => id && html`<${Card} key=${id} table=${table} id=${id} moves=${moves(table, "take_emperor_card", { card: id })} />`)}</div></section>
      <section class="card shop"><h3>${say("caravans")}</h3><div class="cards">${view.caravan_row.map((id) => id && html`<${Caravan} key=${id} table=${table} id=${id} moves=${moves(table, "sell_tea", { caravan: id })} />`)}</div></section>
      <section class="card shop"><h3>${say("cups")}</h3><div class="cards">${view.cup_stacks.map((stack) => html`<${Spot} key=${stack.province} as="button" table=${table} moves=${moves(table, "make_cup", { province: stack.province })} class=${`cup-stack province-${stack.province} ${stack.top ? fresh(table, stack.top) : "gone"}`} label=${say("stack", { province: table.words.piece(stack.province, "province"), count: stack.size })}
        tip=${stack.top ? `${say("stack", { province: table.words.piece(stack.province, "province"), count: stack.size })}\n${cupWords(stack.top, table.words)}` : ""}>${stack.top && html`<${CupTile} id=${stack.top} words=${table.words} />`}<span class="small">${table.words.piece(stack.province, "province")} ×${stack.size}</span><//>`)}</div></section>
      ${view.lu_yu && html`<${LuYu} table=${table} />`}
    </div>
  </div>`;
}

const WIDTH = 1000;
const HEIGHT = 660;
// What of it has something on it.
const VIEW = "10 60 945 578";
const at = ({ x, y }) => [30 + x * (WIDTH - 60), 20 + y * (HEIGHT - 40)];
const RADIUS = 66;
const HEX = polygon(6, RADIUS, 0);

/**
 * Where a pool of the river is drawn: below a region if it would lie on that region's gardens.
 * @param {number[]} pool
 * @param {number[][]} regions
 */
function beside([x, y], regions) {
  const under = regions.find(([left, top]) => Math.hypot(x - left, y - top) < RADIUS);
  return under ? [x, under[1] + 92] : [x, y];
}

function Map({ table }) {
  const { view, words, components, names } = table;
  const regions = components.map.regions;
  const place = new globalThis.Map(regions.map((region) => [region.id, at(region)]));
  const river = components.river.segments.map((segment) => beside(at(segment), [...place.values()]));
  const sails = moves(table, "sail");
  const next = table.seat === null ? -1 : Math.min(view.players[table.seat].boat + 1, river.length - 1);
  return html`<svg class="daylight" viewBox=${VIEW} role="group" aria-label=${say("map")}>
    ${components.map.borders.map(([from, to, river_]) => html`<line key=${`${from}-${to}`} class=${river_ ? "border ford" : "border"} x1=${place.get(from)[0]} y1=${place.get(from)[1]} x2=${place.get(to)[0]} y2=${place.get(to)[1]} />`)}
    <path class="water" d=${`M${river.map((point) => point.join(" ")).join("L")}`} />
    ${view.regions.map((region) => html`<${Region} key=${region.region} table=${table} region=${region} place=${place.get(region.region)} />`)}
    ${components.river.segments.map((segment, n) => {
      const [x, y] = river[n];
      const here = view.players.map((player, seat) => [player, seat]).filter(([player]) => player.boat === n).map(([, seat]) => names[seat]);
      const tip = [say("segment", { n, vp: segment.vp ?? segment.end_spots.join(", ") }), segment.reward.length && say("gets", { what: inWords(segment.reward, words) }), here.length && say("boats", { names: here.join(", ") })].filter(Boolean).join("\n");
      return html`<${Spot} key=${`river${n}`} table=${table} moves=${n === next ? sails : []} label=${tip.split("\n")[0]} tip=${tip} transform=${`translate(${x} ${y})`} class="segment"><circle class="lit pool" r="21" /><text y="6" text-anchor="middle">${segment.vp ?? segment.end_spots[0]}</text><//>`;
    })}
    ${view.players.map((player, seat) => html`<${Piece} key=${`boat${seat}`} x=${river[player.boat][0] + (seat - (view.players.length - 1) / 2) * 22} y=${river[player.boat][1] - 18} class="boat" data-tip=${say("boats", { names: names[seat] })}><path class="hull" d="M-12 2H12L7 10H-7z" /><path class="sheet" d="M0-12L9 0H0z" /><${SeatMark} seat=${seat} x=${-5} y=${-4} size=${0.5} /><//>`)}
  </svg>`;
}

function Region({ table, region, place }) {
  const { words, names, components, view } = table;
  const printed = components.map.regions[region.region - 1];
  const token = region.token && words.component(region.token);
  const found = [...moves(table, "found", { region: region.region }), ...moves(table, "harvest_garden", { region: region.region })];
  const choosing = view.turn.region === region.region ? moves(table, "choose_space") : [];
  const owners = region.spaces.filter((seat) => seat >= 0).map((seat) => names[seat]);
  const label = say("region", { n: region.region, province: words.piece(printed.province, "province"), value: printed.value });
  const tip = [label, token && say("token", { what: inWords(token.reward, words) }), owners.length && say("gardens", { names: owners.join(", ") })].filter(Boolean).join("\n");
  return html`<g transform=${`translate(${place[0]} ${place[1]})`} class=${`region province-${printed.province} ${fresh(table, "founded", { region: region.region })}`}>
    <${Spot} table=${table} moves=${found} label=${label} tip=${tip}><polygon class="lit land" points=${HEX} /><text class="value" y="-24" x="-14" text-anchor="middle">${printed.value}</text><${Sign} of="leaves" x=${8} y=${-30} size=${1.1} />
      ${token && html`<g transform="translate(34 -32)"><circle class="token" r="15" /><${Sign} of=${meaning(token.reward[0]).of} size=${0.85} /></g>`}<//>
    ${region.spaces.map((seat, n) => {
      const x = (n - (region.spaces.length - 1) / 2) * 31;
      const price = printed.spaces[n];
      const pick = choosing.filter((action) => action.choose_space.space === n + 1);
      return html`<${Spot} key=${n} table=${table} moves=${seat < 0 ? pick : []} label=${seat >= 0 ? names[seat] : price ? say("space_cost", { n: price }) : say("space_free")} tip=${seat >= 0 ? names[seat] : price ? say("space_cost", { n: price }) : say("space_free")} transform=${`translate(${x} 14)`}>
        <circle class="lit plot" r="13" />${seat >= 0 ? html`<${SeatMark} seat=${seat} size=${1.05} />` : price > 0 && html`<text class="price" y="5" text-anchor="middle">${price}</text>`}<//>`;
    })}
  </g>`;
}

function University({ table }) {
  const { view, words, components, names } = table;
  const { sectors, centre_worker_vp } = components.university;
  const standing = (part, sector) => view.players.map((player, seat) => [player, seat]).filter(([player]) => (player.part ? player.part === part : player.sector === sector && part.endsWith("a"))).map(([, seat]) => seat);
  return html`<div class="university daylight">${sectors.map((sector) => sector.parts.map((part) => html`<${Spot} key=${part.id} as="button" table=${table} moves=${moves(table, "research", { part: part.id })} class=${`part ${fresh(table, "researched", { part: part.id })}`} label=${say("part", { part: part.id, what: inWords(part.reward, words), vp: part.vp })} tip=${say("part", { part: part.id, what: inWords(part.reward, words), vp: part.vp })}>
    <b>${part.id}</b><${Reward} atoms=${part.reward} words=${words} /><span class="small">${part.vp}★</span>${standing(part.id, sector.n).map((seat) => html`<${SeatSign} key=${seat} seat=${seat} />`)}<//>`))}
    <div class="part centre" data-tip=${`${say("centre", { vp: centre_worker_vp })}\n${view.players.map((player, n) => say("workers", { name: names[n], sector: player.sector, centre: player.centre })).join("\n")}`}><b>★${centre_worker_vp}</b>${view.players.map((player, seat) => player.centre > 0 && html`<span key=${seat}><${SeatSign} seat=${seat} />×${player.centre}</span>`)}</div></div>`;
}

function EmperorTrack({ table }) {
  const { view, words, components, names } = table;
  const steps = moves(table, "step_emperor");
  const next = table.seat === null ? -1 : view.players[table.seat].emperor_row + 1;
  return html`<ol class="emperor daylight" reversed>${[...components.emperor_track.rows].reverse().map((row) => {
    const here = view.players.map((player, seat) => [player, seat]).filter(([player]) => player.emperor_row === row.n).map(([, seat]) => seat);
    const reward = row.end_vp ? [...row.reward, { vp: row.end_vp }] : row.reward;
    const tip = [row.n ? say("row", { n: row.n, cost: costWords(row.cost), what: inWords(reward, words) }) : say("row0"), ...here.map((seat) => names[seat])].join("\n");
    return html`<li key=${row.n}><${Spot} as="button" table=${table} moves=${row.n === next ? steps : []} class=${`step ${fresh(table, "emperor_stepped", { row: row.n })}`} label=${tip.split("\n")[0]} tip=${tip}><b>${row.n}</b><${Reward} atoms=${reward} words=${words} />${row.cost && html`<span class="small">${row.cost.emperor_token}<${Icon} of="emperor_token" />${row.cost.green}<${Icon} of="leaves" /><sub>${row.cost.quality}</sub></span>`}${here.map((seat) => html`<${SeatSign} key=${seat} seat=${seat} />`)}<//></li>`;
  })}</ol>`;
}

function Card({ table, id, moves: own = [], note = "", small = false }) {
  const { words } = table;
  const card = words.component(id);
  if (!card || card.strength === undefined) return html`<span class="tea-card tiny">${id}</span>`;
  const tip = cardWords(card, words) + (note ? `\n${note}` : "");
  return html`<${Spot} as="button" table=${table} moves=${own} class=${`tea-card kind-${card.kind} ${small ? "tiny" : ""} ${fresh(table, id)}`} label=${tip.split("\n").slice(0, 3).join(", ")} tip=${tip}>
    <span class="head"><b>${card.strength}</b><${Icon} of="strength" />${card.side.map((side) => html`<${Icon} key=${side} of=${side} />`)}</span>
    ${!small && html`<span class="pots">${card.teapots.map((pot, n) => html`<${Icon} key=${n} of="teapot" class=${`pot-${pot}`} />`)}<${Reward} atoms=${card.effects} words=${words} /></span>
    ${card.cost && html`<span class="price-line">${card.cost.green}<${Icon} of="leaves" /><sub>${card.cost.quality}</sub>${card.cost.teapots.map((pot, n) => html`<${Icon} key=${n} of="teapot" class=${`pot-${pot}`} />`)}</span>`}
    <span class="foot">${card.vp ? html`${card.vp}<${Icon} of="vp" />` : card.end_game ? html`<${Icon} of="vp" />…` : ""}</span>`}<//>`;
}

function Caravan({ table, id, moves: own = [], small = false }) {
  const { words } = table;
  const card = words.component(id);
  const tip = [`${words.text("display.caravan") ?? say("caravans")} ${id}`, ...card.trade.map((each) => say("trade", { cost: costWords(each.cost), what: inWords(each.reward, words) })), ...card.strength.map((each) => say("force", { min: each.min, what: inWords(each.reward, words) }))].join("\n");
  return html`<${Spot} as="button" table=${table} moves=${own} class=${`tea-card caravan ${small ? "tiny" : ""} ${fresh(table, id)}`} label=${`${say("caravans")} ${id}`} tip=${tip}>
    <span class="head"><b>${id}</b></span>${!small && card.trade.map((each, n) => html`<span key=${n} class="deal">${each.cost.green ? html`${each.cost.green}<${Icon} of="leaves" />` : ""}${each.cost.brown ? html`${each.cost.brown}<${Icon} of="ferment" />` : ""} → <${Reward} atoms=${each.reward} words=${words} /></span>`)}
    ${!small && card.strength.map((each, n) => html`<span key=${`s${n}`} class="deal"><${Icon} of="strength" />${each.min} → <${Reward} atoms=${each.reward} words=${words} /></span>`)}<//>`;
}

const cupWords = (id, words) => {
  const tile = words.component(id);
  return `${say(tile.left)} – ${say(tile.right)}\n${say("gets", { what: inWords(tile.bonus, words) })}`;
};

function CupTile({ id, words }) {
  const tile = words.component(id);
  return html`<svg class="cup-tile" viewBox="0 0 64 40" role="img" aria-label=${cupWords(id, words).replace("\n", ", ")} data-tip=${cupWords(id, words)}><rect class="clay" x="1" y="1" width="62" height="38" rx="6" /><path class=${`half cup-${tile.left}`} d="M3 10H14Q14 30 3 30z" /><path class=${`half cup-${tile.right}`} d="M61 10H50Q50 30 61 30z" />
    <text x="8" y="24" class="letter" text-anchor="middle">${say(tile.left)[0]}</text><text x="56" y="24" class="letter" text-anchor="middle">${say(tile.right)[0]}</text><${Sign} of=${meaning(tile.bonus[0]).of} x=${32} y=${20} size=${1} /></svg>`;
}

/** What a seat has; one's own things can be played. */
function Area({ table, n }) {
  const { view, names, seat } = table;
  const player = view.players[n];
  const own = n === seat;
  const hand = (card) => (own ? [...moves(table, "lay_top", { card }), ...moves(table, "lay_under", { card }), ...moves(table, "discard_card", { card }), ...moves(table, "remove_card", { card, place: "hand" })] : []);
  const used = own ? moves(table, "use_effect") : [];
  const removable = own ? ["discard", "deck"].flatMap((place) => moves(table, "remove_card", { place })) : [];
  return html`<h3><${SeatSign} seat=${n} /> ${names[n]} <span class="small">${say("score", { n: player.vp })}${player.passed ? ` · ${say("passed")}` : ""}${own ? ` · ${say("turn", { round: view.round, strength: view.active === n ? view.turn.strength : 0 })}` : ` · ${say("handOf", { count: player.hand_size })}`}</span></h3>
    ${own && html`<h4>${say("hand")} <span class="small">${say("deck", { count: player.deck_size })} · ${say("discard", { count: player.discard.length })}</span></h4><div class="cards">${player.hand.map((id, each) => html`<${Card} key=${`${id}${each}`} table=${table} id=${id} moves=${hand(id)} />`)}</div>`}
    ${removable.length > 0 && html`<div class="cards">${removable.map((action, each) => html`<${Card} key=${each} table=${table} id=${action.remove_card.card} moves=${[action]} note=${say(`from_${action.remove_card.place}`)} />`)}</div>`}
    ${player.stacks.length > 0 && html`<h4>${say("stacks")}</h4><div class="cards">${player.stacks.map((stack, each) => html`<span key=${each} class="pile">${stack.cards.map((id, one) => html`<${Card} key=${one} table=${table} id=${id} small moves=${each === player.stacks.length - 1 && one === stack.cards.length - 1 ? used : []} />`)}</span>`)}</div>`}
    <div class="belongings"><${Leaves} table=${table} player=${player} own=${own} /><${Tokens} table=${table} player=${player} own=${own} n=${n} /></div>
    <${Cups} table=${table} player=${player} own=${own} />
    ${player.caravans.length > 0 && html`<span class="small">${say("caravans")}</span><div class="cards">${player.caravans.map((id) => html`<${Caravan} key=${id} table=${table} id=${id} small />`)}</div>`}`;
}

function Leaves({ table, player, own }) {
  const leaf = (quality, fermented) => (own ? [...moves(table, "pay", { quality, fermented }), ...moves(table, "sell_leaf", { quality, fermented }), ...(fermented ? [] : moves(table, "ferment_leaf", { quality }))] : []);
  return html`<div><span class="small">${say("leaves")}</span><div class="baskets">${player.fresh.map((fresh, n) => {
    const tip = say("basket", { n: n + 1, fresh, fermented: player.fermented[n] });
    return html`<span key=${n} class="basket" data-tip=${tip}><span class="small">${player.fresh.length > 1 ? n + 1 : ""}</span>
      <${Spot} as="button" table=${table} moves=${leaf(n + 1, false)} class="leaf-spot" label=${`${say("quality", { n: n + 1 })}, ${say("fresh")}: ${fresh}`}><${Icon} of="leaves" />${fresh}<//>
      <${Spot} as="button" table=${table} moves=${leaf(n + 1, true)} class="leaf-spot" label=${`${say("quality", { n: n + 1 })}, ${say("fermented")}: ${player.fermented[n]}`}><${Icon} of="ferment" />${player.fermented[n]}<//></span>`;
  })}</div></div>`;
}

function Tokens({ table, player, own, n }) {
  const { words, view } = table;
  const scroll = (id) => (own ? [...moves(table, "take_scroll", { scroll: id }), ...(id === "strength" ? moves(table, "add_strength") : []), ...(id === "repeat" ? moves(table, "repeat_side", { by: "scroll" }) : []), ...(id === "teapot" ? moves(table, "cover_teapot", { by: "scroll" }) : [])] : []);
  const messengers = view.pu_erh?.players[n];
  return html`<div><span class="small">${say("scrolls")}</span><div class="tokens">
      ${["strength", "teapot", "repeat"].map((id) => html`<${Spot} key=${id} as="button" table=${table} moves=${scroll(id)} class="thing" label=${`${words.piece(id, "scroll")}: ${player[`${id}_scrolls`]}`} tip=${words.piece(id, "scroll")}><${Icon} of=${id} />${player[`${id}_scrolls`]}<//>`)}
      <span class="thing" data-tip=${say("tokens")}><${Icon} of="emperor_token" />${player.emperor_tokens}</span></div></div>
    ${player.pagodas.length > 0 && html`<div><span class="small">${say("pagodas")}</span><div class="tokens">${player.pagodas.map((strength, each) => html`<${Spot} key=${each} as="button" table=${table} moves=${own && player.pagodas.indexOf(strength) === each ? moves(table, "use_pagoda", { strength }) : []} class="thing" label=${say("pagoda", { n: strength })} tip=${say("pagoda", { n: strength })}><svg class="icon-sign" viewBox="-11 -11 22 22" aria-hidden="true"><path class="pagoda" d="M-9-2L0-9L9-2H6V1H10L8 4H6V9H-6V4H-8L-10 1H-6V-2z" /></svg>${strength}<//>`)}</div></div>`}
    ${messengers && html`<div><span class="small">${say("sets")} · ${say("messengers", { n: messengers.messengers, waiting: messengers.waiting })}</span><div class="tokens">
      ${messengers.sets.map((set, each) => html`<${Spot} key=${each} as="button" table=${table} moves=${own ? moves(table, "place_pu_erh", { set: each + 1 }) : []} class="thing" label=${say("sets")} tip=${set.cake ? say("cake") : say("sets")}>${set.tokens.map((id, one) => html`<${PuErh} key=${one} table=${table} id=${id} bare />`)}<//>`)}</div></div>`}`;
}

function Cups({ table, player, own }) {
  const rows = player.cups.length;
  const place = (row, end) => (own ? moves(table, "place_cup", { row, end }) : []);
  const links = (row, link) => (own ? [...moves(table, "mark_link", { row, link }), ...moves(table, "use_marker", { row, link })] : []);
  const begin = own ? moves(table, "place_cup").filter((action) => action.place_cup.row > rows || action.place_cup.row < 1) : [];
  if (!rows && !begin.length) return null;
  return html`<div><span class="small">${say("rows")}</span>${player.cups.map((row, n) => html`<div key=${n} class="cup-row">
      ${place(n + 1, "left").length > 0 && html`<${Spot} as="button" table=${table} moves=${place(n + 1, "left")} class="thing">◀<//>`}
      ${row.tiles.map((id, each) => html`<span key=${each} class=${`linked ${fresh(table, id)}`}>${each > 0 && html`<${Spot} as="button" table=${table} moves=${links(n + 1, each)} class="link" label=${say("link")} tip=${say("link")}>${row.markers[each - 1] ? "◉".repeat(row.markers[each - 1]) : "·"}<//>`}<${CupTile} id=${id} words=${table.words} /></span>`)}
      ${place(n + 1, "right").length > 0 && html`<${Spot} as="button" table=${table} moves=${place(n + 1, "right")} class="thing">▶<//>`}</div>`)}
    ${begin.length > 0 && html`<${Spot} as="button" table=${table} moves=${begin} class="thing">${say("newRow")}<//>`}</div>`;
}

function PuErh({ table, id, moves: own = [], bare = false }) {
  const { words } = table;
  const token = words.component(id);
  const tip = [say("puerh", { what: inWords(token.bonus, words), stars: token.stars, points: token.points }), token.price && say("price", { what: costWords(token.price) })].filter(Boolean).join("\n");
  const inside = html`<svg class="pu-erh" viewBox="-18 -18 36 36" aria-hidden="true"><circle class="disc" r="16" /><circle class="wrap" r="11" /><text y="5" text-anchor="middle">${token.stars ? "★".repeat(Math.min(token.stars, 3)) : token.points}</text></svg>`;
  if (bare) return html`<span data-tip=${tip}>${inside}</span>`;
  return html`<${Spot} as="button" table=${table} moves=${own} class="thing" label=${tip.split("\n")[0]} tip=${tip}>${inside}<span class="small">${token.price ? costWords(token.price) : ""}</span><//>`;
}

function Court({ table }) {
  const { view, words, names } = table;
  const { halls, basic_row, premium_row, decrees } = view.pu_erh;
  return html`<section class="card court"><h3>${say("court")}</h3>
    <div class="halls daylight">${halls.map((hall) => {
      const what = inWords(words.component(hall.hall)?.reward ?? [], words);
      return html`<div key=${hall.hall} class="hall" data-tip=${say("hall", { hall: hall.hall, what })}><b>${hall.hall}</b> <${Reward} atoms=${words.component(hall.hall)?.reward ?? []} words=${words} /><div class="tokens">${hall.spaces.map((space) => html`<${Spot} key=${space.strength} as="button" table=${table} moves=${moves(table, "visit_court", { hall: hall.hall, strength: space.strength })} class="thing" label=${space.seat >= 0 ? names[space.seat] : say("hallspace", { n: space.strength })}>${space.strength}${space.seat >= 0 && html`<${SeatSign} seat=${space.seat} />`}<//>`)}</div></div>`;
    })}</div>
    <h3>${say("market")}</h3><div class="tokens"><span class="small">${say("basic")}</span>${basic_row.map((id) => id && html`<${PuErh} key=${id} table=${table} id=${id} moves=${[...moves(table, "take_pu_erh", { token: id }), ...moves(table, "buy_pu_erh", { token: id })]} />`)}</div>
    <div class="tokens"><span class="small">${say("premium")}</span>${premium_row.map((id) => id && html`<${PuErh} key=${id} table=${table} id=${id} moves=${moves(table, "buy_pu_erh", { token: id })} />`)}</div>
    <h3>${say("decrees")}</h3>${decrees.map((decree) => html`<div key=${decree.decree} class="decree daylight" data-tip=${say("decree", { what: words.text(`decree.${decree.kind}`) ?? decree.kind, n: decree.need, vp: decree.spaces.map((space) => space.vp).join(", ") })}><span>${say("need", { what: words.text(`decree.${decree.kind}`) ?? decree.kind, n: decree.need })}</span><span class="tokens">${decree.spaces.map((space, n) => {
      const pick = moves(table, "choose_honour", { decree: decree.decree }).filter((action) => action.choose_honour.space === n + 1);
      return html`<${Spot} key=${n} as="button" table=${table} moves=${pick} class="thing" label=${space.seat >= 0 ? names[space.seat] : `${space.vp} ${say("vp")}`}>${space.vp}<${Icon} of="vp" />${space.seat >= 0 && html`<${SeatSign} seat=${space.seat} />`}<//>`;
    })}${decree.beside.map((seat) => html`<${SeatSign} key=${`b${seat}`} seat=${seat} />`)}</span></div>`)}</section>`;
}

function LuYu({ table }) {
  const { view, words } = table;
  const { top, deck_size, laid, cards } = view.lu_yu;
  const names = (list) => list.map((id) => words.piece(id, "province")).join(" › ");
  return html`<section class="card"><h3><${SeatSign} seat=${view.lu_yu.seat} /> ${say("luyu")}</h3>
    <p>${say("reveals", { count: deck_size, strength: top?.strength, side: top ? words.piece(top.side_action, "side") : "–" })}</p>
    ${top && html`<p class="small">${say("aims", { regions: names(top.region_priority), cups: names(top.cup_priority) })}</p>`}
    ${laid.length > 0 && html`<p class="small">${say("laid")}: ${laid.join(", ")}</p>`}
    ${cards.length > 0 && html`<div class="cards">${cards.map((id) => html`<${Card} key=${id} table=${table} id=${id} small />`)}</div>`}</section>`;
}

export function question(table) {
  const { view, words } = table;
  const asked = words.text(`question.${view.question}`);
  const due = view.turn.due?.[0];
  return view.question === "pay" && due ? `${asked} ${say("paying", { what: costWords({ green: due.green, brown: due.brown, quality: due.quality }) })}` : asked;
}

/** Moves are told by what is printed on the cards, not by the numbers of their lines. */
export function does(kind, content, { view, seat, words }) {
  if (kind === "sell_tea") {
    const { trade, strength } = words.component(content.caravan);
    const [deal, force] = [trade[content.trade - 1], strength[content.strength - 1]];
    const deals = [deal && say("trade", { cost: costWords(deal.cost), what: inWords(deal.reward, words) }), force && say("force", { min: force.min, what: inWords(force.reward, words) })];
    return say("does_sell_tea", { caravan: content.caravan, deals: deals.filter(Boolean).join(". ") });
  }
  if (kind === "use_effect") {
    const top = words.component(view.players[seat].stacks.at(-1).cards.at(-1));
    return say("does_use_effect", { what: inWords([top.effects[content.effect - 1]], words) });
  }
  if (kind === "place_cup") return content.row > view.players[seat].cups.length || content.row < 1 ? say("newRow") : `${say(`end_${content.end}`)} (${content.row})`;
  if (kind === "remove_card") return say("does_remove_card", { card: words.piece(content.card), from: say(`from_${content.place}`) });
  return undefined;
}

/** Pieces are told by what is printed on them. */
export function piece(id, words) {
  const found = words.component(id);
  if (found?.side && found.strength !== undefined) {
    return `${id} (${[say("strength", { n: found.strength }).toLowerCase(), ...found.side.map((side) => words.piece(side, "side"))].join(", ")})`;
  }
  if (found?.left && found.right) return `${id} (${say(found.left)} – ${say(found.right)})`;
  if (found?.stars !== undefined) return `${id} (★${found.stars}, ${say("vp")}: ${found.points})`;
  if (/^H\d/.test(id) && found?.reward) return `${id} (${inWords(found.reward, words)})`;
  if (/^D\d/.test(id) && found?.kind) return `${id} (${words.text(`decree.${found.kind}`) ?? found.kind})`;
  return undefined;
}
