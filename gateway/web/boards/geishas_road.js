// Geisha's Road: the circle of teahouses, the five geishas between the two players, the offer, the hand.

import { fresh, html, language, moves, Piece, SeatSign, Spot } from "../kit.js";

const WORDS = {
  en: {
    road: "The road: five teahouses and the geishas on it",
    teahouse: "The {colour} teahouse, home of {geisha}",
    guests: "Guests here: {count}", favour: "A favour token lies here", won: "The favour token of the {colour} teahouse",
    here: "Here: {names}", home: "Her home is the {colour} teahouse. Returns in this round: {count}",
    tile: "Worth {points} points in this round to whoever has her favour",
    total: "{name}: gifts worth {total}", holds: "favour token of {name}",
    lantern: "A lantern worth {points} (its other side: {other})", upper: "Lanterns, first return", lower: "Lanterns, second return", row: "Lanterns",
    offer: "The offer of {name}: {marker}", prepared: "You prepare: {marker}", swap: "You prepare a Counter-offer",
    down: "a card face down", share: "for {name}", swapped: "Swap",
    hand: "Your hand", handOf: "{name}, cards in hand: {count}", markers: "Actions left", used: "used",
    specials: "Special actions left (1 point each if unused)", tokens: "Guests and favour tokens",
    intrigue: "Intrigue: the left card is played at the end of the round", deck: "Deck: {count}", round: "Round {round}, turn {turn}",
    value: "value {value}", visitors: "guests it brings: {count}", points: "Points of round {round}: {points}", none: "none",
    lay: "Lay a card from your hand", lay_more: "Lay a card: {count} more", hide: "Make the offer; click a card to lay it face down",
    take: "Take your share of the offer", mark_reveal: "Place 1 card at once", mark_intrigue: "Keep 2 cards: the left is placed at the end of the round, the right never",
    mark_compromise: "Offer 3 cards: your rival takes 1, you get 2", mark_double_gift: "Offer 2 pairs: your rival takes one, you get the other",
    mark_counter_offer: "Before you take a share: put one card of the offer into the deck and another from your hand in its place", mark_hidden_offer: "Lay one card of your offer face down",
    does_take: "Take {cards}", does_place: "Place {card} first", does_counter: "Counter-offer: put {card} into the deck", does_offer: "Make the offer", does_hide: "Make the offer with {card} face down", does_favour: "Take the favour token, the rest guests", does_guests: "Take guests only",
    tell_placed: "{name} places {card}", tell_chosen: "{name} takes {cards}", tell_countered: "{name} makes a Counter-offer and swaps card {n}", tell_card: "card {n}", tell_offered: "{name} offers ({marker}): {cards}", tell_guests: "guests: {count}", tell_token: "the favour token", tell_tokens: "{name} takes at the {colour} teahouse: {what}", tell_favour: "{geisha}: {totals}. {name} wins her favour", tell_nobody: "{geisha}: {totals}. Nobody wins her favour",
  },
  pl: {
    road: "Droga: pięć herbaciarni i gejsze na niej",
    teahouse: "Herbaciarnia {colour}, dom: {geisha}",
    guests: "Goście tutaj: {count}", favour: "Leży tu znacznik przychylności", won: "Znacznik przychylności: herbaciarnia {colour}",
    here: "Tutaj: {names}", home: "Jej dom to herbaciarnia {colour}. Powroty w tej rundzie: {count}",
    tile: "Jej przychylność jest w tej rundzie warta {points} pkt",
    total: "{name}: podarunki o wartości {total}", holds: "znacznik przychylności: {name}",
    lantern: "Lampion za {points} (druga strona: {other})", upper: "Lampiony, pierwszy powrót", lower: "Lampiony, drugi powrót", row: "Lampiony",
    offer: "Oferta, którą składa {name}: {marker}", prepared: "Przygotowujesz: {marker}", swap: "Przygotowujesz kontrofertę",
    down: "zakryta karta", share: "dla: {name}", swapped: "Wymień",
    hand: "Twoja ręka", handOf: "{name}, karty na ręce: {count}", markers: "Pozostałe akcje", used: "zużyta",
    specials: "Pozostałe akcje specjalne (niezużyta: 1 punkt)", tokens: "Goście i znaczniki przychylności",
    intrigue: "Intryga: lewa karta zagra na końcu rundy", deck: "Stos: {count}", round: "Runda {round}, tura {turn}",
    value: "wartość {value}", visitors: "goście, których przynosi: {count}", points: "Punkty za rundę {round}: {points}", none: "brak",
    lay: "Połóż kartę z ręki", lay_more: "Połóż kartę: jeszcze {count}", hide: "Złóż ofertę; kliknij kartę, aby ją zakryć",
    take: "Weź swoją część oferty", mark_reveal: "Dołóż od razu 1 kartę", mark_intrigue: "Odłóż 2 karty: lewa zagra na końcu rundy, prawa wcale",
    mark_compromise: "Zaoferuj 3 karty: rywal bierze 1, ty 2", mark_double_gift: "Zaoferuj 2 pary: rywal bierze jedną, ty drugą",
    mark_counter_offer: "Zanim weźmiesz swoją część: jedna karta oferty idzie do stosu, a na jej miejsce trafia karta z twojej ręki", mark_hidden_offer: "Połóż jedną kartę oferty zakrytą",
    does_take: "Weź: {cards}", does_place: "Najpierw dołóż {card}", does_counter: "Kontroferta: odłóż {card} do talii", does_offer: "Złóż ofertę", does_hide: "Złóż ofertę, zakryta karta: {card}", does_favour: "Weź znacznik przychylności, reszta to goście", does_guests: "Weź samych gości",
    tell_placed: "{name} dokłada {card}", tell_chosen: "{name} bierze: {cards}", tell_countered: "{name} składa kontrofertę i wymienia kartę {n}", tell_card: "karta {n}", tell_offered: "{name} oferuje ({marker}): {cards}", tell_guests: "goście: {count}", tell_token: "znacznik przychylności", tell_tokens: "{name} bierze (herbaciarnia {colour}): {what}", tell_favour: "{geisha}: {totals}. {name} zyskuje jej przychylność", tell_nobody: "{geisha}: {totals}. Nikt nie zyskuje jej przychylności",
  },
};

/** @returns {string} */
const say = (key, values = {}) => WORDS[language() === "pl" ? "pl" : "en"][key].replace(/\{(\w+)\}/g, (_, name) => values[name]);

const CARDS_OF = { reveal: 1, intrigue: 2, compromise: 3, double_gift: 4 };
const PAIRED = "double_gift";

// Every colour has its emblem, drawn around 0,0 within 10.
const EMBLEMS = {
  pink: "M0-3a4 4 0 1 1 4-3 4 4 0 1 1-1 6 4 4 0 1 1-6 0 4 4 0 1 1-1-6 4 4 0 1 1 4 3z",
  red: "M0 9L-10-3A14 14 0 0 1 10-3zM0 9L-5-6M0 9L0-7M0 9L5-6",
  blue: "M0-10C5-3 8 0 8 4A8 7 0 0 1-8 4C-8 0-5-3 0-10z",
  yellow: "M0-10L2.5-4L8.7-5L5 0L8.7 5L2.5 4L0 10L-2.5 4L-8.7 5L-5 0L-8.7-5L-2.5-4z",
  green: "M-8 8C-10-4 0-10 9-9C10 2 3 10-8 8zM-8 8L4-4",
};

export const Emblem = ({ colour, x = 0, y = 0, size = 1 }) =>
  html`<path class=${`emblem suit-${colour}`} d=${EMBLEMS[colour]} transform=${`translate(${x} ${y}) scale(${size})`} />`;

export function Board(table) {
  const { view, seat, names } = table;
  const own = seat ?? 0;
  const rival = 1 - own;
  return html`<div class="geishas-road">
    <section class="card side" aria-label=${names[rival]}><${Side} table=${table} n=${rival} /></section>
    <div class="middle">
      <section class="card"><${Road} table=${table} /></section>
      <section class="card favours">
        <p class="small">${say("round", { round: view.round, turn: Math.min(view.turn, 8) })} · ${say("deck", { count: view.deck })}
          ${view.scored.map((each) => html` · ${say("points", { round: each.round, points: each.points.map((one, n) => `${names[n]} ${one.tiles + one.lanterns + one.guests + one.special_markers}`).join(", ") })}`)}</p>
        <${Lanterns} view=${view} />
        <div class="geishas">${view.geishas.map((geisha) => html`<${Geisha} key=${geisha.colour} table=${table} geisha=${geisha} own=${own} rival=${rival} />`)}</div>
      </section>
    </div>
    <${Offer} table=${table} />
    <section class="card side mine" aria-label=${names[own]}><${Side} table=${table} n=${own} /></section>
  </div>`;
}

/** Where a position of the circle lies. */
const around = (position, radius) => {
  const angle = ((position * 72 - 90) * Math.PI) / 180;
  return [200 + radius * Math.cos(angle), 205 + radius * Math.sin(angle)];
};

function Road({ table }) {
  const { view, words } = table;
  const tokens = moves(table, "take_tokens");
  return html`<svg viewBox="0 0 400 410" role="group" aria-label=${say("road")}>
    <circle class="path" cx="200" cy="205" r="140" />
    ${[0, 1, 2, 3, 4].map((n) => {
      const [x, y] = around(n + 0.5, 140);
      return html`<path key=${n} class="arrow" d="M-6-7L7 0L-6 7z" transform=${`translate(${x} ${y}) rotate(${n * 72 + 36})`} />`;
    })}
    ${view.circle.map((colour, n) => {
      const [x, y] = around(n, 140);
      const house = view.teahouses[n];
      const here = view.geishas.filter((each) => each.position === n).map((each) => words.piece(`geisha-${each.colour}`));
      const due = view.tokens_due && view.tokens_due.teahouse === colour ? tokens : [];
      const label = [say("teahouse", { colour: words.piece(colour), geisha: words.piece(`geisha-${colour}`) }), house?.guests && say("guests", { count: house.guests }),
        house?.favour && say("favour"), here.length && say("here", { names: here.join(", ") })].filter(Boolean);
      return html`<${Spot} key=${colour} table=${table} moves=${due} label=${label[0]} tip=${label.join("\n")} transform=${`translate(${x} ${y})`}>
        <g class=${`house suit-${colour}`}>
          <path class="wall lit" d="M-40-8H40V34H-40z" />
          <path class="roof" d="M-54-8Q-30-14-22-34H22Q30-14 54-8Q50-2 44-4H-44Q-50-2-54-8z" />
        </g>
        <${Emblem} colour=${colour} y=${-20} size=${0.8} />
        ${house && Array.from({ length: house.guests }, (_, g) => html`<g key=${g} class=${`guest suit-${colour}`} transform=${`translate(${-27 + g * 16} 16)`}><circle cy="-6" r="5" /><path d="M-7 12Q-7-1 0-1Q7-1 7 12z" /></g>`)}
        ${house?.favour && html`<g class="favour-token" transform="translate(28 16)"><circle r="9" /><text y="4" text-anchor="middle">♥</text></g>`}
      <//>`;
    })}
    ${view.geishas.map((geisha) => {
      const together = view.geishas.filter((each) => each.position === geisha.position);
      const place = together.indexOf(geisha) - (together.length - 1) / 2;
      const [x, y] = around(geisha.position, 64 - 7 * (together.length - 1));
      const home = say("home", { colour: words.piece(geisha.colour), count: geisha.returns });
      return html`<${Piece} key=${geisha.colour} x=${x + place * 22} y=${y} class="pawn" data-tip=${`${words.piece(`geisha-${geisha.colour}`)}\n${home}`}>
        <path class=${`robe suit-${geisha.colour}`} d="M-13 22Q-12-2 0-6Q12-2 13 22z" /><circle class="face" cy="-12" r="8" /><path class="hair" d="M-9-13A9 9 0 0 1 9-13L6-17Q0-12-6-17z" /><circle class="hair" cy="-22" r="4.5" />
        <${Emblem} colour=${geisha.colour} y=${11} size=${0.6} />
      <//>`;
    })}
  </svg>`;
}

function Lanterns({ view }) {
  const row = (lanterns, name) => lanterns.length > 0 && html`<div class="row"><span class="small">${name}</span>${lanterns.map((each) => html`<${Lantern} key=${each.id} lantern=${each} />`)}</div>`;
  return html`<div class="lanterns">${row(view.upper_row, say(view.destiny ? "row" : "upper"))}${row(view.lower_row, say("lower"))}</div>`;
}

function Lantern({ lantern }) {
  const tip = say("lantern", { points: lantern.points, other: lantern.other_points });
  return html`<svg class=${lantern.dark ? "lantern dark" : "lantern"} viewBox="-16 -20 32 40" role="img" aria-label=${tip} data-tip=${tip}>
    <path class="cap" d="M-7-19H7V-14H-7zM-7 14H7V19H-7z" /><path class="paper" d="M-8-14H8Q18 0 8 14H-8Q-18 0-8-14z" /><text y="6" text-anchor="middle">${lantern.points}</text></svg>`;
}

function Geisha({ table, geisha, own, rival }) {
  const { words, names } = table;
  const name = words.piece(`geisha-${geisha.colour}`);
  const cards = (seat) => html`<div class=${seat === rival ? "given theirs" : "given"} aria-label=${say("total", { name: names[seat], total: geisha.sides[seat].total })} role="group">
    ${geisha.sides[seat].cards.map((id) => html`<${Gift} key=${id} id=${id} words=${words} small class=${fresh(table, id)} />`)}
    <span class="total" data-tip=${say("total", { name: names[seat], total: geisha.sides[seat].total })}><${SeatSign} seat=${seat} />${geisha.sides[seat].total}</span></div>`;
  const tip = [name, say("tile", { points: geisha.tile_points }), say("home", { colour: words.piece(geisha.colour), count: geisha.returns })];
  const token = geisha.favour_token;
  if (token !== null && token !== undefined) tip.push(say("holds", { name: names[token] }));
  return html`<div class="geisha">
    ${cards(rival)}
    <div class=${`tile suit-${geisha.colour}`} data-tip=${tip.join("\n")} tabindex="0" role="group" aria-label=${tip.join(". ")}>
      <svg viewBox="-12 -12 24 24" aria-hidden="true"><${Emblem} colour=${geisha.colour} /></svg>
      <b>${name.split(",")[0]}</b><span class="worth">${geisha.tile_points}</span>
      ${token !== null && token !== undefined && html`<span class="favour daylight">♥<${SeatSign} seat=${token} /></span>`}
      <span class="lit-lanterns">${geisha.lanterns.map((each) => html`<${Lantern} key=${each.id} lantern=${each} />`)}</span>
    </div>
    ${cards(own)}
  </div>`;
}

/** The drawing of a gift card. */
function Gift({ id, words, small = false, class: name = "" }) {
  const gift = id && words.component(id);
  const tip = gift ? [words.piece(id), say("value", { value: gift.value }), gift.guest_symbols > 0 && say("visitors", { count: gift.guest_symbols })].filter(Boolean).join("\n") : say("down");
  return html`<span class=${`gift ${name} ${small ? "small-gift" : ""} ${gift ? `suit-${gift.colour}` : "face-down"}`} role="img" aria-label=${gift ? words.piece(id) : say("down")} data-tip=${tip}>
    <svg viewBox="0 0 60 84" aria-hidden="true"><rect class="paper lit" x="2" y="2" width="56" height="80" rx="7" />
      ${gift ? html`<rect class="band" x="2" y="2" width="56" height="26" rx="7" /><text class="number" x="16" y="21" text-anchor="middle">${gift.value}</text>
          <${Emblem} colour=${gift.colour} x=${30} y=${50} size=${1.6} />
          ${Array.from({ length: gift.guest_symbols }, (_, n) => html`<g class="guest mini" transform=${`translate(${36 + n * 13} 15)`}><circle cy="-4" r="3.4" /><path d="M-5 8Q-5 0 0 0Q5 0 5 8z" /></g>`)}`
        : html`<path class="pattern" d="M10 20L30 10L50 20V64L30 74L10 64zM30 10V74M10 20L50 64M50 20L10 64" />`}
    </svg></span>`;
}

function Offer({ table }) {
  const { view, words, names } = table;
  const { offer, preparation } = view;
  if (!offer && !preparation) return null;
  const swap = preparation && preparation.position !== null && preparation.position !== undefined;
  return html`<section class="card offer">
    ${offer && html`<div><h3>${say("offer", { name: names[offer.seat], marker: words.piece(offer.marker) })}</h3>
      <div class=${offer.marker === PAIRED ? "cards paired" : "cards"}>${offer.cards.map((card) => html`<${Offered} key=${card.position} table=${table} card=${card} />`)}</div></div>`}
    ${preparation && html`<div><h3>${swap ? say("swap") : say("prepared", { marker: words.piece(preparation.marker) })}</h3>
      <div class=${preparation.marker === PAIRED ? "cards paired" : "cards"}>
        ${preparation.cards.map((id, n) => html`<${Spot} key=${id} as="button" table=${table} class="card-spot" moves=${moves(table, "offer", { hidden: swap ? preparation.position : n })}><${Gift} id=${id} words=${words} /><//>`)}
        ${Array.from({ length: Math.max(0, (swap ? 1 : CARDS_OF[preparation.marker]) - preparation.cards.length) }, (_, n) => html`<span key=${`empty${n}`} class="empty"></span>`)}
      </div></div>`}
  </section>`;
}

function Offered({ table, card }) {
  const { words, names } = table;
  const takes = moves(table, "take").filter((action) => action.take.positions.includes(card.position));
  const places = moves(table, "place", { position: card.position });
  const counters = moves(table, "counter", { position: card.position });
  const share = card.share_of !== null && card.share_of !== undefined;
  return html`<div class="offered">
    <${Spot} as="button" table=${table} class="card-spot" moves=${[...takes, ...places]} label=${card.card ? words.piece(card.card) : say("down")}>
      <${Gift} id=${card.card} words=${words} />${card.face_down && card.card && html`<span class="badge">${say("down")}</span>`}
    <//>
    ${share && html`<span class="small"><${SeatSign} seat=${card.share_of} /> ${say("share", { name: names[card.share_of] })}</span>`}
    ${counters.length > 0 && html`<${Spot} as="button" table=${table} class="swap" moves=${counters}>${say("swapped")}<//>`}
  </div>`;
}

function Side({ table, n }) {
  const { view, words, names, seat } = table;
  const player = view.players[n];
  const visible = player.hand.length > 0;
  return html`
    <h3><${SeatSign} seat=${n} /> ${visible && n === seat ? say("hand") : say("handOf", { name: names[n], count: player.hand_size })}</h3>
    <div class="cards hand">${visible
      ? player.hand.map((id) => html`<${Spot} key=${id} as="button" table=${table} class=${`card-spot ${fresh(table, id)}`} moves=${moves(table, "lay", { card: id })} label=${words.piece(id)}><${Gift} id=${id} words=${words} /><//>`)
      : Array.from({ length: player.hand_size }, (_, each) => html`<${Gift} key=${each} id=${null} words=${words} small />`)}</div>
    <div class="belongings">
      <div><span class="small">${say("markers")}</span><div class="markers">${Object.keys(CARDS_OF).map((marker) => html`<${Marker} key=${marker} table=${table} n=${n} marker=${marker} left=${player.markers.includes(marker)} />`)}</div></div>
      ${view.mode === "advanced" && html`<div><span class="small">${say("specials")}</span><div class="markers">${!player.special_markers.length && say("none")}${player.special_markers.map((marker) => html`<span key=${marker} class="marker" data-tip=${say(`mark_${marker}`)}>${words.piece(marker)}</span>`)}</div></div>`}
      ${(player.guests.length > 0 || player.favour_tokens.length > 0) && html`<div><span class="small">${say("tokens")}</span><div class="tokens">
        ${player.guests.map((each) => html`<span key=${each.colour} class="token" data-tip=${`${words.piece(each.colour)}: ${each.count}`}><svg viewBox="-10 -14 20 28" role="img" aria-label=${words.piece(each.colour)}><g class=${`guest suit-${each.colour}`}><circle cy="-6" r="5" /><path d="M-7 12Q-7-1 0-1Q7-1 7 12z" /></g></svg>${words.piece(each.colour)} ×${each.count}</span>`)}
        ${player.favour_tokens.map((colour) => html`<span key=${`f${colour}`} class="token" data-tip=${say("won", { colour: words.piece(colour) })}>♥ ${words.piece(colour)}</span>`)}</div></div>`}
      ${player.intrigue && html`<div><span class="small">${say("intrigue")}</span><div class="cards"><${Gift} id=${player.intrigue.left} words=${words} small /><${Gift} id=${player.intrigue.right} words=${words} small /></div></div>`}
    </div>`;
}

function Marker({ table, n, marker, left }) {
  const uses = n === table.seat ? moves(table, "use", { marker }) : [];
  const name = table.words.piece(marker);
  return html`<${Spot} as="button" table=${table} moves=${uses} class=${left ? "marker" : "marker gone"} tip=${`${name}: ${say(`mark_${marker}`)}${left ? "" : ` (${say("used")})`}`}>
    <svg viewBox="0 0 34 20" aria-hidden="true">${Array.from({ length: CARDS_OF[marker] }, (_, each) => html`<rect x=${1 + each * 8} y="2" width="7" height="15" rx="1.5" class="pip" />`)}</svg>${name}<//>`;
}

/** One question at a time. */
export function question(table) {
  const { preparation, phase } = table.view;
  if (moves(table, "lay").length) {
    const wanted = preparation?.marker ? CARDS_OF[preparation.marker] - preparation.cards.length : 1;
    return preparation?.marker ? say("lay_more", { count: wanted }) : say("lay");
  }
  if (moves(table, "offer").length) return say("hide");
  return phase === "face_offer" ? say("take") : undefined;
}

/** Cards of an offer are told by what is printed on them, not by their positions. */
export function does(kind, content, { view, words }) {
  const name = (id) => (id ? words.piece(id) : say("down"));
  const at = (position) => name(view.offer.cards.find((each) => each.position === position)?.card);
  if (kind === "take") return say("does_take", { cards: content.positions.map(at).join(", ") });
  if (kind === "place" || kind === "counter") return say(`does_${kind}`, { card: at(content.position) });
  if (kind === "take_tokens") return say(content.favour ? "does_favour" : "does_guests");
  if (kind !== "offer") return undefined;
  const hidden = content.hidden ?? null;
  if (hidden === null) return say("does_offer");
  const { cards, position } = view.preparation;
  return say("does_hide", { card: name(cards[position === hidden ? 0 : hidden]) });
}

/** Events in words that need no numbers of the circle. */
export function tell(kind, told, words) {
  const name = words.names[told.seat];
  if (kind === "placed") return say("tell_placed", { name, card: words.piece(told.card) });
  if (kind === "chosen") return say("tell_chosen", { name, cards: told.positions.map((n) => say("tell_card", { n: n + 1 })).join(", ") });
  if (kind === "countered") return say("tell_countered", { name, n: told.position + 1 });
  if (kind === "tokens_taken") {
    const what = [told.guests && say("tell_guests", { count: told.guests }), told.favour && say("tell_token")].filter(Boolean);
    return say("tell_tokens", { name, colour: words.piece(told.teahouse), what: what.join(", ") });
  }
  if (kind === "favour_decided") {
    const totals = told.totals.map((total, n) => `${words.names[n]} ${total}`).join(", ");
    return say(name ? "tell_favour" : "tell_nobody", { geisha: words.piece(`geisha-${told.geisha}`), totals, name });
  }
  if (kind === "offered") {
    const cards = told.cards.map((each) => (each.card ? words.piece(each.card) : say("down"))).join(", ");
    return say("tell_offered", { name, marker: words.piece(told.marker), cards });
  }
  return undefined;
}
