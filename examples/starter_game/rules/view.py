"""What a seat, or a spectator, may see: all but the deck, others' hands and others' cards that lie face down."""

from services.games.starter_game.components import CARDS
from services.games.starter_game.state import NONE, OVER, State
from teahouse.games.starter_game.v1 import structs

PHASES = ("choose", "lay", "over")


def view(state: State, seat: int | None) -> structs.View:
    return structs.View(
        state.rounds,
        PHASES[state.phase],
        len(state.deck),
        [
            structs.Player(
                len(player.hand),
                names(player.hand) if owner == seat else [],
                names(player.shown),
                len(player.hidden),
                names(player.hidden) if owner == seat or state.phase == OVER else [],
            )
            for owner, player in enumerate(state.players)
        ],
        CARDS[state.chosen] if state.chosen != NONE and seat == state.seat else None,
    )


def names(cards: list[int]) -> list[str]:
    return [CARDS[card] for card in cards]
