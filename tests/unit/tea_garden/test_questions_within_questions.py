"""A question may open inside a step that comes in several parts: when it is answered, the step goes on (TG-701, RU-60).

Steps in several parts, and what they ask afterwards:

| step                                                    | afterwards                                      |
|---------------------------------------------------------|-------------------------------------------------|
| visit to the market, tokens left to buy (PE-211, RU-56) | the next token                                  |
| the same, joining a set with several bonuses (PE-213)   | the other bonus, then the next token            |
| the same, the cake fulfils a decree (PE-311)            | first the decree's space, then the next token   |
| rewards gained together: caravan, hall (TG-422, TG-701) | the other reward                                |
| a basic token among the rewards of a hall (PE-212)      | the other reward                                |
| side action of the top card (TG-604)                    | whether to repeat it                            |
| side action as one of several rewards (TG-701)          | whether to repeat it, then the other reward     |
| side action repeated for leaves (TG-604)                | nothing: it is repeated once                    |
| step on the emperor track before cards are laid (TG-601)| the other reward, then the cards                |
| founding a garden (TG-403), effect of a card (TG-310)   | the rest of the turn                            |

Laying cards, paying, covering teapots, fermenting and harvesting as main actions come in several parts too, but nothing
is gained before their last part: no question can open inside them.
"""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.msgpack import encode

from services.games.tea_garden import turn
from services.games.tea_garden.actions import free, main, side
from services.games.tea_garden.components import CARAVAN_NUMBERS, CARAVAN_TRADES, CARD_NUMBERS, RIVER, compile_reward
from services.games.tea_garden.game import GAME
from services.games.tea_garden.pu_erh import halls, market
from services.games.tea_garden.pu_erh.components import HALL_NUMBERS, PU_ERH_NUMBERS
from services.games.tea_garden.state import (
    DECREE_SPACE,
    MARKET,
    OPEN,
    REPEAT,
    TAKE_SCROLL,
    TURN_START,
    Player,
    State,
)
from teahouse.games.tea_garden.v1 import structs as do
from tests.unit.tea_garden.table import (
    cards,
    leaves,
    new_game,
    offer_caravan,
    offer_token,
    open_hall,
    own_cups,
    own_set,
    play,
    proclaim,
    refuse,
    solo_game,
    token,
)

# Bonuses that ask, all but the last two in several parts.
BONUSES: dict[str, list[dict[str, Any]]] = {
    "ferment": [{"ferment": 2}],
    "draw_discard": [{"draw_discard": 2}],
    "cup_marker": [{"cup_marker": 2}],
    "remove_card": [{"remove_card": 2}],
    "side_action": [{"side_action": "any"}],
    "emperor_card": [{"emperor_card": 2}],
    "pu_erh_basic": [{"pu_erh_basic": 2}],
    "draw": [{"draw": 1}],
    "scroll": [{"scroll": "any"}],
}
OTHER = compile_reward([{"scroll": "any"}])


def seated(solo: bool, pu_erh: bool) -> tuple[State, Player]:
    """An open turn of somebody who has a little of everything, against another person or Lu Yu."""
    s = solo_game(pu_erh=pu_erh) if solo else new_game(pu_erh=pu_erh)
    p = s.players[0]
    p.hand, p.deck, p.discard = cards("S01"), cards("S02", "S03"), cards("S04")
    p.stacks = [cards("S07")]
    p.leaves = leaves(fresh={1: 3, 3: 1}, fermented={2: 4})
    p.scrolls = [0, 0, 2]
    p.boat, p.sector = 2, 1
    s.cup_stacks[0] = s.cup_stacks[0][-2:]
    own_cups(s, p, "T01", "T03")
    own_cups(s, p, "T09", "T11")
    if pu_erh:
        proclaim(s, ("D3", "red"))  # out of reach
    s.laid, s.question, s.strength = True, OPEN, 3
    return s, p


Patch = pytest.MonkeyPatch
Reward = tuple[int, ...]


def replace(patch: Patch, module: Any, table: str, number: int, reward: Any) -> None:
    new = list(getattr(module, table))
    new[number] = reward
    patch.setattr(module, table, tuple(new))


def at_market(patch: Patch, s: State, p: Player, bonus: Reward) -> None:
    replace(patch, market, "PU_ERH_BONUS", PU_ERH_NUMBERS["PP13"], bonus)
    offer_token(s, "PP13", 1)
    offer_token(s, "PP14", 2)
    s.court.basic_deck = []
    play(s, do.VisitMarket(0), do.BuyPuErh("PP13"), do.Pay(1, False), do.Pay(1, False))


def joining_a_set(patch: Patch, s: State, p: Player, bonus: Reward) -> None:
    replace(patch, market, "PU_ERH_BONUS", PU_ERH_NUMBERS["PP16"], OTHER)
    own_set(s, p, "PP16")
    at_market(patch, s, p, bonus)
    play(s, do.PlacePuErh(1))


def completing_a_cake(patch: Patch, s: State, p: Player, bonus: Reward) -> None:
    proclaim(s, ("D7", "brown"))
    own_set(s, p, "PP28", "PP29")
    at_market(patch, s, p, bonus)
    play(s, do.PlacePuErh(1))
    assert s.question == DECREE_SPACE


def at_a_caravan(patch: Patch, s: State, p: Player, bonus: Reward) -> None:
    number = CARAVAN_NUMBERS["C01"]
    trade = CARAVAN_TRADES[number]
    replace(patch, main, "CARAVAN_TRADES", number, ((trade[0][0], bonus + OTHER), trade[1]))
    offer_caravan(s, "C01")
    play(s, do.SellTea("C01", 1, 1), do.Pay(1, False), do.Pay(1, False))


def in_a_hall(patch: Patch, s: State, p: Player, bonus: Reward) -> None:
    replace(patch, halls, "HALL_REWARD", HALL_NUMBERS["H06"], bonus + OTHER)
    open_hall(s, "H06")
    play(s, do.VisitCourt("H06", 3))


def basic_token_in_a_hall(patch: Patch, s: State, p: Player, bonus: Reward) -> None:
    replace(patch, market, "PU_ERH_BONUS", PU_ERH_NUMBERS["PB01"], bonus)
    offer_token(s, "PB01", 1)
    s.court.basic_deck = []
    open_hall(s, "H06")  # a basic token and any scroll
    play(s, do.VisitCourt("H06", 3), do.Resolve("pu_erh_basic", 1), do.TakePuErh("PB01"))


def sailing(patch: Patch, s: State, p: Player, bonus: Reward) -> None:
    p.stacks = [cards("S01")]
    replace(patch, side, "RIVER_REWARD", 3, bonus)
    play(s, do.Sail())


def sailing_in_a_hall(patch: Patch, s: State, p: Player, bonus: Reward) -> None:
    replace(patch, halls, "HALL_REWARD", HALL_NUMBERS["H03"], (*compile_reward([{"side_action": "river"}]), *OTHER))
    replace(patch, side, "RIVER_REWARD", 3, bonus)
    open_hall(s, "H03")
    play(s, do.VisitCourt("H03", 3), do.Resolve("side_action", 1, "river"), do.Sail())


def sailing_again(patch: Patch, s: State, p: Player, bonus: Reward) -> None:
    p.stacks, p.boat = [cards("S01")], 1
    replace(patch, side, "RIVER_REWARD", 2, ())
    replace(patch, side, "RIVER_REWARD", 3, bonus)
    p.leaves = leaves(fresh={1: 3}, fermented={2: 3, 3: 1})
    play(s, do.Sail(), do.RepeatSide("fermented"), do.Pay(2, True))  # the first two are no choice
    assert s.repeated


def climbing(patch: Patch, s: State, p: Player, bonus: Reward) -> None:
    replace(patch, free, "ROW_REWARD", 1, bonus + OTHER)
    p.stacks, s.laid, s.question, p.tokens = [], False, TURN_START, 2
    play(s, do.StepEmperor(), do.Pay(1, False))


def founding(patch: Patch, s: State, p: Player, bonus: Reward) -> None:
    token(s, 2, "B17")
    replace(patch, main, "TOKEN_REWARD", s.tokens[1], bonus + OTHER)
    p.pagodas = [2]
    play(s, do.Found(2))


def using_an_effect(patch: Patch, s: State, p: Player, bonus: Reward) -> None:
    p.stacks = [cards("A409")]
    replace(patch, turn, "CARD_EFFECTS", CARD_NUMBERS["A409"], (bonus + OTHER,))
    play(s, do.UseEffect(1))


Start = Callable[[Patch, State, Player, Reward], None]
# Each step with the question with which it ends, and whether it asks for the other reward and for the repeat.
STEPS: dict[Start, tuple[int, bool, bool]] = {
    at_market: (MARKET, False, False),
    joining_a_set: (MARKET, True, False),
    completing_a_cake: (MARKET, False, False),
    at_a_caravan: (OPEN, True, False),
    in_a_hall: (OPEN, True, False),
    basic_token_in_a_hall: (OPEN, True, False),
    sailing: (OPEN, False, True),
    sailing_in_a_hall: (OPEN, True, True),
    sailing_again: (OPEN, False, False),
    climbing: (TURN_START, True, False),
    founding: (OPEN, True, False),
    using_an_effect: (OPEN, True, False),
}


# Those of them that the game without the expansion has.
BASE = (at_a_caravan, sailing, sailing_again, climbing, founding, using_an_effect)
CASES = [
    pytest.param(start, bonus, pu_erh, id=f"{'pu-erh' if pu_erh else 'base'}-{start.__name__}-{bonus}")
    for pu_erh in (False, True)
    for start in (STEPS if pu_erh else BASE)
    for bonus in BONUSES
    if pu_erh or bonus != "pu_erh_basic"
]


class Walk:
    """Every way through the questions up to the end of the step."""

    def __init__(self, end: int) -> None:
        self.end = end
        self.seen: set[bytes] = set()
        self.ends: list[tuple[State, int, bool]] = []  # with the scrolls taken, and whether a repeat was asked for

    def go(self, s: State, scrolls: int = 0, repeat: bool = False) -> None:
        s.dice.counter = 0
        data = encode((s, scrolls, repeat))
        if data in self.seen:
            return
        self.seen.add(data)
        if s.question == self.end and not s.frames:
            self.ends.append((s, scrolls, repeat))
            return
        assert s.question not in (OPEN, TURN_START, MARKET), "the step is over too early"
        # The repeat of the step's own side action is asked for when nothing but rewards gained with it lie below.
        repeat |= s.question == REPEAT and all(not frame[0] for frame in s.frames[:-1]) and s.frames[-1][0] == RIVER
        for action in GAME.legal(s):
            after = GAME.clone(s)
            GAME.apply(after, action, tell=False)
            self.go(after, scrolls + (s.question == TAKE_SCROLL), repeat)


@pytest.mark.parametrize("solo", [False, True], ids=["people", "lu_yu"])
@pytest.mark.parametrize(("start", "bonus", "pu_erh"), CASES)
def test_a_step_goes_on_after_the_questions_inside_it(
    start: Start, bonus: str, pu_erh: bool, solo: bool, monkeypatch: Patch
) -> None:
    """PE-211, RU-56, TG-701, TG-604: however those are answered."""
    end, other, repeats = STEPS[start]
    s, p = seated(solo, pu_erh)
    start(monkeypatch, s, p, compile_reward(BONUSES[bonus]))
    assert s.question not in (OPEN, TURN_START, MARKET), "the bonus asks nothing"
    walk = Walk(end)
    walk.go(s)
    assert walk.ends
    for s, scrolls, repeat in walk.ends:
        assert scrolls == other + (bonus == "scroll")
        assert repeat or not repeats or s.repeated
        if end == MARKET:
            assert s.court.purchases == 1
            assert do.BuyPuErh("PP14") in GAME.legal(s)
            play(s, do.Done())
            assert s.question == OPEN and s.court.purchases == 0
        elif end == TURN_START:
            assert any(isinstance(action, do.LayTop) for action in GAME.legal(s))
            refuse(s, do.PassRound())
        else:
            assert do.EndTurn() in GAME.legal(s)
