"""The evaluation plays sensibly."""

from collections import Counter
from hashlib import sha256

from services.bots.strategies import choose
from services.engine.dice import Dice
from services.games.thurn_and_taxis.game import GAME
from services.games.thurn_and_taxis.state import AFTER_PLAY, POSTMASTER
from teahouse.games.thurn_and_taxis.v1 import structs
from tests.unit.thurn_and_taxis.positions import play, position, seat

DICE = Dice(bytes(32))


def test_greedy_closes_a_route_that_earns_its_carriage() -> None:
    route = ["basel", "freiburg", "karlsruhe", "stuttgart"]
    state = position(seat(["lodz"], route, carriage=3), phase=AFTER_PLAY, official=POSTMASTER)
    assert choose("greedy", GAME, state, 0, DICE) == structs.Close()


def test_greedy_completes_a_province() -> None:
    route = ["freiburg", "karlsruhe", "mannheim"]
    state = position(seat(["lodz"], route, carriage=3), phase=AFTER_PLAY, official=POSTMASTER)
    play(state, structs.Close())
    while state.seat == 0:
        play(state, choose("greedy", GAME, state, 0, DICE))
    assert state.players[0].tiles, "Baden is complete"


def test_greedy_beats_random_and_rarely_abandons() -> None:
    wins, happened = 0, Counter[type]()
    for number in range(6):
        me = number % 2
        state = GAME.new(["player"] * 2, structs.Options(), sha256(b"%d" % number).digest())
        dice = Dice(sha256(b"bots %d" % number).digest())
        while (actor := GAME.actor(state)) is not None:
            known = GAME.redeal(state, actor, Dice(sha256(b"%d" % dice.word()).digest()))
            action = choose("greedy" if actor == me else "random", GAME, known, actor, dice)
            GAME.apply(state, action, tell=False)
            if actor == me:
                happened[type(action)] += 1
        outcome = GAME.outcome(state)
        assert outcome is not None
        wins += outcome.places[me] == 1
    assert wins == 6
    assert happened[structs.Abandon] < happened[structs.Close] / 2
