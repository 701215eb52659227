"""Setting up a game (TG-201 to TG-208, PE-101 to PE-105, LY-101 to LY-104)."""

from collections.abc import Sequence
from typing import Any

from services.engine.dice import Dice
from services.engine.game import BadOptions
from services.games.tea_garden.actions.main import occupy
from services.games.tea_garden.components import (
    ACTION_CARDS,
    ACTION_ROW,
    ALL_REGIONS,
    BASE_BOX,
    BASKETS,
    CARAVAN_BASIC,
    CARAVAN_ROW,
    CARD_LEVEL,
    EMPEROR_ROW,
    END_SPOTS,
    KINDS_OF_LEAF,
    LEVELS,
    PAGODAS,
    PROVINCES,
    REGION_HEX,
    REGION_SPACES,
    RESEARCH,
    SCROLLS,
    START_CARDS,
    START_HAND,
    START_LEAVES,
    START_REGION,
    SUPPLY_WORKERS,
    TILE_IDS,
    WITH_PU_ERH,
    for_players,
)
from services.games.tea_garden.lu_yu import cards as solo
from services.games.tea_garden.pu_erh import components as pu_erh
from services.games.tea_garden.state import TURN_START, Court, LuYu, Player, State
from services.games.tea_garden.turn import begin_turn

AUTOMA = "lu_yu"


def shuffled(dice: Dice, items: Any) -> list[int]:
    out = list(items)
    dice.shuffle(out)
    return out


def deal(seats: Sequence[str], options: Any, seed: bytes) -> State:
    dice = Dice(seed)
    box = WITH_PU_ERH if options.pu_erh else BASE_BOX
    players = solo.AS_PLAYERS if AUTOMA in seats else len(seats)
    tokens = shuffled(dice, box.tokens)
    tiles = shuffled(dice, range(len(TILE_IDS)))
    per_stack = for_players("cup_tiles_per_stack", players)
    stacks = [[tiles.pop() for _ in range(per_stack)] for _ in PROVINCES]
    action_deck, box_cards = action_cards(dice, for_players("action_cards_per_level", players))
    caravan_deck, box_caravans = caravans(dice, box.caravans, for_players("basic_caravans", players))
    emperor_deck = shuffled(dice, box.emperor_cards)
    first = options.first_seat if options.first_seat >= 0 else dice.below(len(seats))
    state = State(
        dice,
        [player(dice, seat == AUTOMA) for seat in seats],
        lu_yu(dice, seats.index(AUTOMA), options.difficulty) if AUTOMA in seats else None,
        1,
        first,
        first,
        TURN_START,
        [action_deck.pop() for _ in range(ACTION_ROW)],
        action_deck,
        [caravan_deck.pop() for _ in range(CARAVAN_ROW)],
        caravan_deck,
        [emperor_deck.pop() for _ in range(EMPEROR_ROW)],
        emperor_deck,
        stacks,
        [tokens.pop() if has_hex else -1 for has_hex in REGION_HEX],
        [[-1] * len(spaces) for spaces in REGION_SPACES],
        ALL_REGIONS,
        list(END_SPOTS),
        [],
        box_cards,
        box_caravans,
        sorted(tiles),
    )
    for seat, p in enumerate(state.players):
        p.turn_spaces = box.turn_spaces
        occupy(state, p, seat, START_REGION, seat)
    if options.pu_erh:
        state.court = court(dice, state.players, players)
    begin_turn(state, first, None)
    return state


def check(seats: Sequence[str], options: Any) -> None:
    if AUTOMA in seats and sorted(seats) != sorted(["player", AUTOMA]):
        raise BadOptions("Lu Yu plays against one player")
    if options.first_seat >= len(seats):
        raise BadOptions(f"there is no seat {options.first_seat} to start")


def action_cards(dice: Dice, per_level: int) -> tuple[list[int], list[int]]:
    """The deck, level 1 on top, and the cards left in the box (TG-203)."""
    deck: list[int] = []
    box: list[int] = []
    for level in LEVELS:
        cards = shuffled(dice, (card for card in ACTION_CARDS if CARD_LEVEL[card] == level))
        deck = cards[:per_level] + deck
        box += cards[per_level:]
    return deck, sorted(box)


def caravans(dice: Dice, kinds: range, basic: int) -> tuple[list[int], list[int]]:
    """The deck, basic caravans on top, and those left in the box (TG-204)."""
    easy = shuffled(dice, (caravan for caravan in kinds if CARAVAN_BASIC[caravan]))
    advanced = shuffled(dice, (caravan for caravan in kinds if not CARAVAN_BASIC[caravan]))
    return advanced + easy[:basic], sorted(easy[basic:])


def player(dice: Dice, automa: bool) -> Player:
    """A seat's pieces (TG-206, TG-207); an automa has neither cards nor baskets."""
    deck = [] if automa else shuffled(dice, START_CARDS)
    p = Player(
        hand=[deck.pop() for _ in range(START_HAND)] if deck else [],
        deck=deck,
        discard=[],
        stacks=[],
        leaves=[0] * KINDS_OF_LEAF,
        scrolls=[0] * len(SCROLLS),
        pagodas=list(PAGODAS),
        gardens=[],
        cups=[],
        markers=[],
        caravans=[],
        workers=SUPPLY_WORKERS,
    )
    if automa:
        p.tokens = solo.START_TOKENS
    else:
        p.leaves[START_LEAVES["quality"] - 1 + (0 if START_LEAVES["fresh"] else BASKETS)] = START_LEAVES["count"]
    return p


def court(dice: Dice, seats: list[Player], players: int) -> Court:
    """The court board, and what the seats get from it (PE-102 to PE-105)."""
    basic, premium = shuffled(dice, pu_erh.BASIC_TOKENS), shuffled(dice, pu_erh.PREMIUM_TOKENS)
    halls = shuffled(dice, range(len(pu_erh.HALL_IDS)))
    sides = len(pu_erh.DECREE_SIDES)
    tokens = shuffled(dice, range(0, len(pu_erh.DECREE_IDS), sides))
    decrees = [tokens.pop() + side for side, count in enumerate(pu_erh.DECREES_IN_PLAY) for _ in range(count)]
    shown = pu_erh.halls_shown(players)
    for p in seats:
        p.messengers, p.waiting = pu_erh.MESSENGERS, pu_erh.WAITING
    return Court(
        halls=[halls.pop() for _ in range(shown)],
        spaces=[[-1] * len(pu_erh.HALL_SPACES) for _ in range(shown)],
        hall_deck=halls,
        basic_row=[basic.pop() for _ in range(pu_erh.BASIC_ROW)],
        basic_deck=basic,
        premium_row=[premium.pop() for _ in range(pu_erh.PREMIUM_ROW)],
        premium_deck=premium,
        decrees=decrees,
        honours=[[-1] * len(pu_erh.DECREE_VP[decree]) for decree in decrees],
        beside=[[] for _ in decrees],
    )


def lu_yu(dice: Dice, seat: int, difficulty: str) -> LuYu:
    """His deck and piles (LY-102, LY-103)."""
    tiers: dict[str, list[int]] = {"basic": [], "advanced": [], "master": []}
    for card, tier in enumerate(solo.TIERS):
        tiers[tier].append(card)
    advanced, masters = shuffled(dice, tiers["advanced"]), shuffled(dice, tiers["master"])
    master_cards = solo.MASTER_CARDS[difficulty]
    deck = shuffled(dice, tiers["basic"] + advanced[: solo.ADVANCED_CARDS] + masters[:master_cards])
    rest = advanced[solo.ADVANCED_CARDS :]
    piles = [[card for card in rest if solo.BACKS[card].side == side] for side in range(1, RESEARCH + 1)]
    box = sorted(masters[master_cards:])
    return LuYu(seat, deck, [], piles, box, [0] * len(solo.IDS), [], solo.START_LEAVES, 0)
