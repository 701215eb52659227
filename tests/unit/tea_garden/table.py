"""Positions for the tests, and shorthand to play them."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from services.engine.game import Event, IllegalAction
from services.games.tea_garden.actions.main import occupy
from services.games.tea_garden.components import (
    BASKETS,
    CARAVAN_NUMBERS,
    CARD_IDS,
    CARD_NUMBERS,
    CARD_STRENGTH,
    CARD_TEAPOTS,
    REGION_NUMBERS,
    TILE_IDS,
    TOKEN_IDS,
)
from services.games.tea_garden.game import GAME
from services.games.tea_garden.lu_yu import cards as solo
from services.games.tea_garden.lu_yu.turn import Turn
from services.games.tea_garden.pu_erh.components import (
    BASIC_TOKENS,
    DECREE_IDS,
    DECREE_SIDE,
    HALL_NUMBERS,
    PU_ERH_IDS,
    PU_ERH_NUMBERS,
)
from services.games.tea_garden.scoring import final_lines
from services.games.tea_garden.state import LU_YU, OPEN, QUESTIONS, TURN_START, LuYu, Player, State
from teahouse.games.tea_garden.v1 import structs as do

# Lu Yu's cards.
CARD = {name: number for number, name in enumerate(solo.IDS)}
CARDS = solo.DATA["cards"]
SEED = bytes(range(32))


def cards(*names: str) -> list[int]:
    return [CARD_NUMBERS[name] for name in names]


def names(numbers: list[int]) -> list[str]:
    return [CARD_IDS[number] for number in numbers]


def tiles(*ids: str) -> list[int]:
    return [TILE_IDS.index(one) for one in ids]


def new_game(players: int = 2, seed: bytes = SEED, first: int = 0, pu_erh: bool = False) -> State:
    return GAME.new(["player"] * players, do.Options(first_seat=first, pu_erh=pu_erh), seed)


def solo_game(difficulty: Any = "medium", seed: bytes = SEED, first: int = 0, pu_erh: bool = False) -> State:
    options = do.Options(difficulty=difficulty, first_seat=first, pu_erh=pu_erh)
    return GAME.new(["player", "lu_yu"], options, seed)


def leaves(fresh: dict[int, int] | None = None, fermented: dict[int, int] | None = None) -> list[int]:
    """Leaves by quality."""
    out = [0] * (2 * BASKETS)
    for quality, count in (fresh or {}).items():
        out[quality - 1] = count
    for quality, count in (fermented or {}).items():
        out[BASKETS + quality - 1] = count
    return out


def at_start(hand: tuple[str, ...], stacks: int = 0, pu_erh: bool = False, **more: Any) -> tuple[State, Player]:
    """Seat 0 at the start of its turn, with so many stacks laid before; every start card is somewhere."""
    s = new_game(pu_erh=pu_erh)
    p = s.players[0]
    everything = p.hand + p.deck
    used = cards(*hand)
    rest = sorted(set(everything) - set(used))
    p.stacks = [[rest.pop()] for _ in range(stacks)]
    p.hand, p.deck = used, rest
    s.question = TURN_START
    for name, value in more.items():
        setattr(p, name, value)
    return s, p


def in_turn(
    top: str = "S07", strength: int | None = None, hand: tuple[str, ...] = (), **more: Any
) -> tuple[State, Player]:
    """Seat 0 after laying a stack with this top card and strength."""
    s, p = at_start(hand, **more)
    card = CARD_NUMBERS[top]
    if card in p.deck:
        p.deck.remove(card)
    p.stacks.append([card])
    p.teapots += CARD_TEAPOTS[card]
    s.laid, s.question = True, OPEN
    s.strength = CARD_STRENGTH[card] if strength is None else strength
    return s, p


def garden(s: State, seat: int, region: int, space: int = 0) -> None:
    """Puts a garden of a seat into a region, with its lowest pagoda."""
    p = s.players[seat]
    if p.pagodas:
        p.pagodas.pop(0)
    occupy(s, p, seat, REGION_NUMBERS[region], space)


def token(s: State, region: int, name: str) -> None:
    """Exchanges region tokens so that this one lies in the region."""
    number = TOKEN_IDS.index(name)
    place = REGION_NUMBERS[region]
    tokens = s.tokens.copy()
    if number in tokens:
        tokens[tokens.index(number)] = tokens[place]
    tokens[place] = number
    s.tokens = tokens


def offer_card(s: State, name: str, column: int) -> None:
    """Puts an action card into a column (1 to 6), in exchange for the one that lies there."""
    card = CARD_NUMBERS[name]
    old = s.action_row[column - 1]
    s.box_cards = s.box_cards.copy()
    for pile in (s.action_row, s.action_deck, s.box_cards):
        if card in pile:
            pile[pile.index(card)] = old
            break
    s.action_row[column - 1] = card


def offer_caravan(s: State, name: str, position: int = 1) -> None:
    caravan = CARAVAN_NUMBERS[name]
    old = s.caravan_row[position - 1]
    s.box_caravans = s.box_caravans.copy()
    for pile in (s.caravan_row, s.caravan_deck, s.box_caravans):
        if caravan in pile:
            pile[pile.index(caravan)] = old
            break
    s.caravan_row[position - 1] = caravan


def offer_emperor(s: State, name: str, position: int = 1) -> None:
    card = CARD_NUMBERS[name]
    old = s.emperor_row[position - 1]
    for pile in (s.emperor_row, s.emperor_deck):
        if card in pile:
            pile[pile.index(card)] = old
            break
    s.emperor_row[position - 1] = card


def offer_tile(s: State, name: str, stack: int) -> None:
    """Puts a cup tile on top of a stack (0 to 4)."""
    tile = TILE_IDS.index(name)
    old = s.cup_stacks[stack][-1]
    s.box_tiles = s.box_tiles.copy()
    for pile in (*s.cup_stacks, s.box_tiles):
        if tile in pile:
            pile[pile.index(tile)] = old
            break
    s.cup_stacks[stack][-1] = tile


def own_cups(s: State, p: Player, *ids: str, markers: list[int] | None = None) -> None:
    """Gives a seat a row of cup tiles."""
    s.box_tiles = s.box_tiles.copy()
    row = tiles(*ids)
    for tile in row:
        for pile in (*s.cup_stacks, s.box_tiles):
            if tile in pile:
                pile.remove(tile)
    p.cups.append(row)
    p.markers.append(markers or [0] * (len(row) - 1))


def offer_token(s: State, name: str, position: int = 1) -> None:
    """Puts a Pu-erh token into its row, in exchange for the one that lies there."""
    number, court = PU_ERH_NUMBERS[name], s.court
    row, deck = (
        (court.basic_row, court.basic_deck) if number in BASIC_TOKENS else (court.premium_row, court.premium_deck)
    )
    old = row[position - 1]
    for pile in (row, deck):
        if number in pile:
            pile[pile.index(number)] = old
            break
    row[position - 1] = number


def own_set(s: State, p: Player, *ids: str) -> None:
    """Gives a seat a set of Pu-erh tokens that was there before this turn."""
    own = [PU_ERH_NUMBERS[name] for name in ids]
    for token in own:
        for deck, row in ((s.court.basic_deck, s.court.basic_row), (s.court.premium_deck, s.court.premium_row)):
            if token in deck:
                deck.remove(token)
            elif token in row:
                row[row.index(token)] = deck.pop()
    p.sets.append(own)


def open_hall(s: State, name: str, place: int = 1) -> None:
    """Puts a hall tile into a place, in exchange for the one that lies there."""
    number, old = HALL_NUMBERS[name], s.court.halls[place - 1]
    for pile in (s.court.halls, s.court.hall_deck):
        if number in pile:
            pile[pile.index(number)] = old
            break
    s.court.halls[place - 1] = number


def proclaim(s: State, *decrees: tuple[str, str]) -> None:
    """Puts these decrees into play, nobody having fulfilled them: an id and its side."""
    sides = list(zip(DECREE_IDS, DECREE_SIDE, strict=True))
    s.court.decrees = [sides.index(decree) for decree in decrees]
    s.court.honours = [[-1, -1] for _ in decrees]
    s.court.beside = [[] for _ in decrees]


def play(s: State, *actions: Any) -> list[Any]:
    """Carries actions out, each of which must be listed; gives the public events."""
    events: list[Event] = []
    for action in actions:
        assert action in GAME.legal(s), f"{action} is not legal; legal: {GAME.legal(s)}"
        events += GAME.apply(s, action)
    return [event.public for event in events]


def refuse(s: State, action: Any) -> None:
    assert action not in GAME.legal(s)
    with pytest.raises(IllegalAction):
        GAME.apply(s, action)


def options(s: State, kind: type) -> list[Any]:
    return [action for action in GAME.legal(s) if type(action) is kind]


def question(s: State) -> str:
    return QUESTIONS[s.question]


def kinds(events: list[Any]) -> Counter[str]:
    return Counter(type(event).__name__ for event in events)


def answer_all(s: State) -> None:
    """Answers every question until the turn is open again: takes what is offered, the first way there is."""
    wanted: dict[str, Callable[[list[Any]], Any]] = {
        "resolve": lambda legal: legal[0],
        "ferment": lambda legal: legal[0],
        "discard": lambda legal: legal[0],
        "remove": lambda legal: legal[-1],
        "link": lambda legal: legal[0],
        "emperor_card": lambda legal: legal[0],
        "side": lambda legal: do.Sail(),
        "repeat": lambda legal: do.Decline(),
        "pay": lambda legal: legal[0],
        "pagoda": lambda legal: legal[0],
        "space": lambda legal: legal[0],
        "place_cup": lambda legal: legal[0],
        "scroll": lambda legal: legal[0],
        "pu_erh_basic": lambda legal: legal[0],
        "place_pu_erh": lambda legal: legal[0],
        "decree_space": lambda legal: legal[0],
    }
    while question(s) in wanted:
        play(s, wanted[question(s)](GAME.legal(s)))


class Tally:
    """What a seat has, to compare before and after with the words of the data files."""

    def __init__(self, s: State, seat: int = 0) -> None:
        p = s.players[seat]
        self.count: Counter[str] = Counter(
            vp=p.vp,
            emperor_token=p.tokens,
            fermented=sum(p.leaves[BASKETS:]),
            cup_marker=sum(map(sum, p.markers)),
            hand=len(p.hand),
            discard=len(p.discard),
            removed=len(s.removed),
            boat=p.boat,
            pu_erh_basic=sum(map(len, p.sets)),
        )
        for quality in range(1, BASKETS + 1):
            self.count[f"q{quality}"] = p.leaves[quality - 1] + p.leaves[BASKETS + quality - 1]
        for number, scroll in enumerate(("strength", "teapot", "repeat")):
            self.count[scroll] = p.scrolls[number]

    def gained(self, s: State, seat: int = 0) -> dict[str, int]:
        now = Tally(s, seat).count
        now.subtract(self.count)
        return {what: count for what, count in now.items() if count}


def promised(*rewards: list[dict[str, Any]]) -> dict[str, int]:
    """What rewards of the data files bring to a seat of `rich_turn` that `answer_all` decides for."""
    out: Counter[str] = Counter()
    for part in (one for reward in rewards for one in reward):
        [(name, value)] = part.items()
        if name == "leaves":
            out[f"q{value['quality']}"] += value["count"]
        elif name == "scroll":
            out["strength" if value == "any" else value] += 1
        elif name == "ferment":
            out["fermented"] += value
        elif name == "draw":
            out["hand"] += value
        elif name == "draw_discard":
            out["discard"] += value
        elif name == "remove_card":
            out["removed"] += value
            out["discard"] -= value
        elif name == "emperor_card":
            out["hand"] += value
        elif name == "side_action":
            out["boat"] += 1  # from segment 2 to segment 3, which gives an emperor token
            out["emperor_token"] += 1
        else:
            out[name] += value
    return {what: count for what, count in out.items() if count}


def rich_turn(top: str = "S07", strength: int = 9, pu_erh: bool = False) -> tuple[State, Player]:
    """An open turn in which every reward can be used."""
    s, p = in_turn(top, strength=strength, pu_erh=pu_erh)
    p.leaves = leaves(fresh=dict.fromkeys(range(1, 7), 4), fermented=dict.fromkeys(range(1, 7), 3))
    p.discard = [p.deck.pop(0), p.deck.pop(0), p.deck.pop(0)]
    p.hand = [p.deck.pop(0)]
    p.boat = 2
    own_cups(s, p, "T01", "T02")
    return s, p


def court_turn(top: str = "S07", strength: int = 9, **more: Any) -> tuple[State, Player]:
    """Seat 0 in an open turn of a game with the expansion."""
    return in_turn(top, strength=strength, pu_erh=True, **more)


def sets(p: Player) -> list[list[str]]:
    return [[PU_ERH_IDS[one] for one in own] for own in p.sets]


def line(s: State, seat: int, label: str) -> int:
    [points] = [one.points for one in final_lines(s, seat) if one.label == label]
    return points


def his_turn(*deck: str, difficulty: str = "master", **more: Any) -> tuple[State, LuYu, Player]:
    """Lu Yu is to act; these cards are on top of his deck, the first one topmost."""
    s = solo_game(difficulty, first=1, **more)
    lu = s.lu_yu
    assert lu is not None and s.question == LU_YU
    for name in reversed(deck):
        for pile in (lu.deck, lu.box, *lu.piles):
            if CARD[name] in pile:
                pile.remove(CARD[name])
        lu.deck.append(CARD[name])
    return s, lu, s.players[1]


def steps(events: list[Any]) -> list[tuple[str, bool]]:
    return [(event.operation, event.done) for event in events if isinstance(event, do.LuYuStep)]


def turn_with(back: str) -> tuple[State, LuYu, Player, Turn]:
    """An operation of his is to be read with this card's back."""
    s, lu, p = his_turn(back)
    return s, lu, p, Turn(s, lu, p)


def answer_until(s: State, wanted: str) -> None:
    while question(s) != wanted:
        play(s, GAME.legal(s)[0])
