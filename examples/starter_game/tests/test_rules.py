"""The rules of Starter Game, by their numbers."""

import pytest

from services.engine.game import BadSeats, IllegalAction
from services.games.starter_game.components import CARD
from services.games.starter_game.game import GAME
from services.games.starter_game.state import OVER, State
from teahouse.games.starter_game.v1.structs import Choose, Laid, Lay, Options

SEED = bytes(range(32))


def new(seats: int = 2, rounds: int = 2) -> State:
    return GAME.new(["player"] * seats, Options(rounds=rounds), SEED)


def ended(*players: tuple[list[int], list[int]]) -> State:
    """A game that is over, by the values that lie face up and face down."""
    state = new(len(players))
    for player, (shown, hidden) in zip(state.players, players, strict=True):
        player.shown = [CARD[f"card-{value}"] for value in shown]
        player.hidden = [CARD[f"card-{value}"] for value in hidden]
    state.phase = OVER
    return state


def test_two_cards_each_and_one_more_at_the_start_of_a_turn() -> None:  # SG-2, SG-3
    state = new(3)
    assert sorted(len(player.hand) for player in state.players) == [2, 2, 3]
    assert len(state.players[state.seat].hand) == 3
    assert len(state.deck) == 24 - 7


@pytest.mark.parametrize("seats", [[], ["player"], ["player"] * 5, ["player", "lu_yu"]])
def test_two_to_four_players(seats: list[str]) -> None:  # SG-1
    with pytest.raises(BadSeats, match=r"needs 2 to 4|has no automa"):
        GAME.new(seats, Options(), SEED)


def test_a_card_is_chosen_before_it_is_laid() -> None:  # SG-4
    state = new()
    with pytest.raises(IllegalAction, match="choose a card"):
        GAME.apply(state, Lay("up"))
    with pytest.raises(IllegalAction, match="not in your hand"):
        GAME.apply(state, Choose("card-99"))
    GAME.apply(state, GAME.legal(state)[0])
    assert GAME.legal(state) == [Lay("up"), Lay("down")]


def test_nobody_else_sees_a_card_laid_face_down_until_the_end() -> None:  # SG-5, SG-6
    state = new()
    first, chosen = state.seat, GAME.legal(state)[0]
    GAME.apply(state, chosen)
    laid = GAME.apply(state, Lay("down"))[0]
    assert laid.public == Laid(first, "down")
    assert laid.private == {first: Laid(first, "down", chosen.card)}
    assert GAME.view(state, first).players[first].hidden == [chosen.card]
    assert GAME.view(state, 1 - first).players[first].hidden == []
    while GAME.actor(state) is not None:
        GAME.apply(state, GAME.legal(state)[0])
    assert GAME.view(state, None).players[first].hidden == [chosen.card]


def test_of_all_cards_laid_face_down_only_the_highest_counts_twice() -> None:  # SG-7
    outcome = GAME.outcome(ended(([5], [20]), ([7], [21])))
    assert outcome is not None
    assert outcome.scores == [5, 7 + 2 * 21]
    assert outcome.places == [2, 1]


def test_equal_points_share_the_place() -> None:  # SG-8
    outcome = GAME.outcome(ended(([5, 6], []), ([1, 10], []), ([2, 3], [])))
    assert outcome is not None
    assert outcome.places == [1, 1, 3]
