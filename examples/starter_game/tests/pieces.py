"""What the random games play, and where every card may be."""

from typing import Any

from services.games.starter_game.components import CARDS
from services.games.starter_game.state import LAY, State

CASES: list[tuple[list[str], dict[str, Any]]] = [
    (["player"] * seats, {"rounds": rounds}) for seats in (2, 3, 4) for rounds in (2, 4)
]
PLAYTHROUGHS: dict[str, tuple[list[str], dict[str, Any], int]] = {"three-seats": (["player"] * 3, {}, 1)}


def account(state: State) -> None:
    piles = [state.deck, *(pile for player in state.players for pile in (player.hand, player.shown, player.hidden))]
    assert sorted(card for pile in piles for card in pile) == list(range(len(CARDS))), (
        "a card is missing or there twice"
    )
    assert all(player.hand == sorted(player.hand) for player in state.players)
    assert (state.chosen in state.players[state.seat].hand) is (state.phase == LAY)
