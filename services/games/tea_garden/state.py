"""A position. Nothing here decides anything."""

from msgspec import Struct, field

from services.engine.dice import Dice

# Which question is asked.
QUESTIONS = (
    "over",
    "turn_start",
    "lay",
    "pay",
    "open",
    "pagoda",
    "space",
    "cover",
    "ferment",
    "harvest",
    "place_cup",
    "side",
    "repeat",
    "resolve",
    "discard",
    "remove",
    "link",
    "emperor_card",
    "scroll",
    "lu_yu",
    "market",
    "pu_erh_basic",
    "place_pu_erh",
    "decree_space",
)
(
    OVER,
    TURN_START,
    LAY,
    PAY,
    OPEN,
    PAGODA,
    SPACE,
    COVER,
    FERMENTING,
    HARVESTING,
    PLACE_CUP,
    CHOOSE_SIDE,
    REPEAT,
    RESOLVE,
    DISCARD,
    REMOVING,
    LINK,
    TAKE_EMPEROR,
    TAKE_SCROLL,
    LU_YU,
    MARKET,
    TAKE_BASIC,
    PLACE_TOKEN,
    DECREE_SPACE,
) = range(len(QUESTIONS))

# What is paid for.
PAYING_FOR = ("", "space", "card", "caravan", "emperor_step", "repeat", "pu_erh")
PAY_SPACE, PAY_CARD, PAY_CARAVAN, PAY_STEP, PAY_REPEAT, PAY_PU_ERH = range(1, 7)


class Player(Struct, array_like=True, gc=False):
    """A seat's pieces. Lu Yu uses those that he shares with players."""

    hand: list[int]
    deck: list[int]  # the last card is drawn first
    discard: list[int]
    stacks: list[list[int]]  # of this round; the last card of a stack is its top card
    leaves: list[int]  # fresh in baskets 1 … 6, then fermented in baskets 1 … 6
    scrolls: list[int]
    pagodas: list[int]  # strengths, lowest first
    gardens: list[int]  # regions in the order of founding
    cups: list[list[int]]
    markers: list[list[int]]  # on the links of each row of cups
    caravans: list[int]
    vp: int = 0
    tokens: int = 0
    own: int = 0  # masks: regions with a garden, those next to one, those within reach, provinces with a garden
    near: int = 0
    far: int = 0
    provinces: int = 0
    teapots: int = 0  # on the top cards of this round, packed
    boat: int = 0
    spot: int = 0  # points of the spot at the end of the river
    sector: int = 0
    part: int = -1
    centre: int = 0
    workers: int = 0
    row: int = 0
    passed: bool = False
    turn_spaces: int = 4
    messengers: int = 0
    waiting: int = 0
    decrees: int = 0  # mask of the decrees in play that the seat has fulfilled
    sets: list[list[int]] = []  # of Pu-erh tokens


class LuYu(Struct, array_like=True, gc=False):
    """What only Lu Yu has."""

    seat: int
    deck: list[int]  # the last card is on top
    laid: list[int]
    piles: list[list[int]]  # of advanced cards, by side action river, cups, research; the last card is on top
    box: list[int]
    played_in: list[int]  # for each card the last round in which he laid it, 0 if never
    cards: list[int]  # action cards he took
    fresh: int
    fermented: int


class Court(Struct, array_like=True, gc=False):
    """The court board and what belongs to it; without the Pu-erh expansion everything here is empty."""

    halls: list[int] = []
    spaces: list[list[int]] = []  # seat of the messenger on each space of each hall, -1 if free
    hall_deck: list[int] = []
    past_halls: list[int] = []
    basic_row: list[int] = []  # -1 is a gap
    basic_deck: list[int] = []
    premium_row: list[int] = []
    premium_deck: list[int] = []
    decrees: list[int] = []
    honours: list[list[int]] = []  # seat of the worker on each space of each decree, -1 if free
    beside: list[list[int]] = []  # seats that came too late for a space of the decree
    # The turn.
    young: int = 0  # mask of the seat's sets with a token gained in this turn
    purchases: int = 0  # how many more tokens may be bought in this visit to the market
    bought: bool = False  # in this visit


class State(Struct, array_like=True, gc=False):
    """A game in play."""

    dice: Dice
    players: list[Player]
    lu_yu: LuYu | None
    round: int
    first: int
    seat: int
    question: int
    action_row: list[int]
    action_deck: list[int]  # decks and stacks: the last piece is on top
    caravan_row: list[int]  # -1 is a gap
    caravan_deck: list[int]
    emperor_row: list[int]
    emperor_deck: list[int]
    cup_stacks: list[list[int]]
    tokens: list[int]  # region token of each region, -1 if none
    spaces: list[list[int]]  # seat on each garden space of each region, -1 if free
    room: int  # mask of regions with a free space
    spots: list[int]  # free spots at the end of the river
    removed: list[int]  # cards that left the game in play
    box_cards: list[int]  # action cards, caravans and tiles that were left out at setup
    box_caravans: list[int]
    box_tiles: list[int]
    # The turn.
    laid: bool = False
    freed: bool = False  # a free action was taken before laying cards
    strength: int = 0
    main_used: bool = False
    side_used: bool = False
    repeated: bool = False
    effects_used: int = 0
    sold: int = 0
    # Pending: frames of rewards, the innermost last. A frame begins with the side action it belongs to (0: none).
    frames: list[list[int]] = []
    # The question at hand.
    due: list[tuple[int, int, int]] = []
    paying_for: int = 0
    subject: int = -1
    option: int = 0
    left: int = 0
    # How far a series of choices has come: each set of cards, leaves or gardens is chosen in one order only.
    reached: int = -1
    court: Court = field(default_factory=Court)


# Independent copies, fast: search lives on them.


def clone_player(p: Player) -> Player:
    return Player(
        p.hand.copy(),
        p.deck.copy(),
        p.discard.copy(),
        [stack.copy() for stack in p.stacks],
        p.leaves.copy(),
        p.scrolls.copy(),
        p.pagodas.copy(),
        p.gardens.copy(),
        [row.copy() for row in p.cups],
        [row.copy() for row in p.markers],
        p.caravans.copy(),
        p.vp,
        p.tokens,
        p.own,
        p.near,
        p.far,
        p.provinces,
        p.teapots,
        p.boat,
        p.spot,
        p.sector,
        p.part,
        p.centre,
        p.workers,
        p.row,
        p.passed,
        p.turn_spaces,
        p.messengers,
        p.waiting,
        p.decrees,
        [tokens.copy() for tokens in p.sets],
    )


def clone_lu_yu(lu: LuYu) -> LuYu:
    return LuYu(
        lu.seat,
        lu.deck.copy(),
        lu.laid.copy(),
        [pile.copy() for pile in lu.piles],
        lu.box.copy(),
        lu.played_in.copy(),
        lu.cards.copy(),
        lu.fresh,
        lu.fermented,
    )


def clone_court(court: Court) -> Court:
    if not court.decrees:
        return court  # without the expansion nothing here changes
    return Court(
        court.halls.copy(),
        [spaces.copy() for spaces in court.spaces],
        court.hall_deck.copy(),
        court.past_halls.copy(),
        court.basic_row.copy(),
        court.basic_deck.copy(),
        court.premium_row.copy(),
        court.premium_deck.copy(),
        court.decrees,  # dealt once, never changed
        [spaces.copy() for spaces in court.honours],
        [seats.copy() for seats in court.beside],
        court.young,
        court.purchases,
        court.bought,
    )


def clone(s: State) -> State:
    return State(
        s.dice.clone(),
        [clone_player(p) for p in s.players],
        clone_lu_yu(s.lu_yu) if s.lu_yu is not None else None,
        s.round,
        s.first,
        s.seat,
        s.question,
        s.action_row.copy(),
        s.action_deck.copy(),
        s.caravan_row.copy(),
        s.caravan_deck.copy(),
        s.emperor_row.copy(),
        s.emperor_deck.copy(),
        [stack.copy() for stack in s.cup_stacks],
        s.tokens,  # dealt once, never changed
        [spaces.copy() for spaces in s.spaces],
        s.room,
        s.spots.copy(),
        s.removed.copy(),
        s.box_cards,  # never changed either; redeal replaces them
        s.box_caravans,
        s.box_tiles,
        s.laid,
        s.freed,
        s.strength,
        s.main_used,
        s.side_used,
        s.repeated,
        s.effects_used,
        s.sold,
        [frame.copy() for frame in s.frames],
        s.due,  # replaced, never changed
        s.paying_for,
        s.subject,
        s.option,
        s.left,
        s.reached,
        clone_court(s.court),
    )
