"""What is open and what is hidden: section 11, R-21, R-24."""

import msgspec

from services.engine import registry
from services.engine.dice import Dice
from services.games.thurn_and_taxis.components import CITY
from services.games.thurn_and_taxis.game import GAME
from services.games.thurn_and_taxis.state import AFTER_PLAY, PLAY_FIRST
from teahouse.games.thurn_and_taxis.v1.structs import (
    Close,
    DeckCardDrawn,
    DeckCardTaken,
    EndTurn,
    FinishHouses,
    Start,
    TakeDeck,
    TakeDisplay,
)
from tests.unit.thurn_and_taxis.positions import cities, play, position, seat

CODEC = registry.codec("thurn_and_taxis")
SEVEN = ["mannheim", "stuttgart", "ulm", "augsburg", "innsbruck", "salzburg", "passau"]


def test_a_hand_is_shown_to_its_owner_only() -> None:
    state = position(seat(["ulm", "linz"]), seat(["basel"]))
    assert [player.hand for player in GAME.view(state, 0).players] == [["ulm", "linz"], []]
    assert [player.hand for player in GAME.view(state, 1).players] == [[], ["basel"]]
    assert [player.hand for player in GAME.view(state, None).players] == [[], []]
    for onlooker in (0, 1, None):
        assert [player.hand_count for player in GAME.view(state, onlooker).players] == [2, 1]


def test_the_deck_is_a_number_and_the_discard_is_open() -> None:
    """R-24."""
    state = position(seat(["ulm"]), discard=["linz", "basel"])
    view = GAME.view(state, None)
    assert view.deck == len(state.deck)
    assert view.discard == ["linz", "basel"]


def test_only_the_taker_sees_a_card_from_the_deck() -> None:
    state = position(seat(["ulm"]), seat(["basel"]))
    top = cities(state.deck[-1:])[0]
    [event] = GAME.apply(state, TakeDeck())
    assert event.public == DeckCardTaken(0, False)
    assert event.private == {0: DeckCardDrawn(0, top, False)}
    assert event.reveals


def test_tiles_lie_face_down_until_the_end() -> None:
    """R-21: foreign tiles are a number; the stacks they came from are open."""
    state = position(seat(["lodz"], SEVEN, carriage=6), seat(["ulm"]), phase=AFTER_PLAY, first=0)
    play(state, Close(), FinishHouses())
    assert [tile.stack for tile in GAME.view(state, 0).players[0].tiles] == ["length_7", "game_end"]
    for onlooker in (1, None):
        assert GAME.view(state, onlooker).players[0].tiles == []
        assert GAME.view(state, onlooker).players[0].tile_count == 2
    play(state, TakeDeck(), Start("ulm"), EndTurn())
    assert GAME.actor(state) is None
    assert [tile.stack for tile in GAME.view(state, None).players[0].tiles] == ["length_7", "game_end"]


def test_redealing_keeps_what_everybody_saw_taken() -> None:
    state = position(
        seat(["ulm"]), seat(["basel", "linz", "lodz"]), display=["passau"] * 2 + ["kempten"] * 2 + ["ulm"] * 2
    )
    play(state, TakeDisplay(0))
    hands = set()
    for number in range(30):
        other = GAME.redeal(state, 1, Dice(number.to_bytes(32, "big")))
        assert CITY["passau"] in other.players[0].hand
        assert CODEC.view(other, 1) == CODEC.view(state, 1)
        hands.add(tuple(other.players[0].hand))
    assert len(hands) > 5


def test_a_seen_card_is_forgotten_once_it_is_played() -> None:
    state = position(seat(["ulm"]), display=["passau"] * 2 + ["kempten"] * 2 + ["linz"] * 2)
    play(state, TakeDisplay(0))
    assert cities(state.players[0].seen) == ["passau"]
    play(state, Start("passau"))
    assert state.players[0].seen == []


def test_redealing_does_not_depend_on_where_the_hidden_cards_were() -> None:
    """Two positions that a seat cannot tell apart give the same redealt position with the same dice."""
    state = position(seat(["ulm"]), seat(["basel", "linz", "lodz"]))
    other = GAME.redeal(state, 0, Dice(b"x" * 32))
    assert other.players[1].hand != state.players[1].hand
    again, once_more = (GAME.redeal(one, 0, Dice(b"y" * 32)) for one in (state, other))
    assert CODEC.encode(again) == CODEC.encode(once_more)


def test_the_view_names_the_decision_and_the_official() -> None:
    state = position(seat(["ulm"], ["linz"]), phase=PLAY_FIRST, official=1)
    view = msgspec.json.decode(CODEC.view(state, None))
    assert (view["phase"], view["actor"], view["official"]) == ("play_first", 0, "postmaster")
