"""The final score and its breakdown (SG-7, SG-8)."""

from services.engine.game import Line, Outcome
from services.games.starter_game.components import BEST_HIDDEN_TIMES, VALUE
from services.games.starter_game.state import OVER, State


def lines(state: State) -> list[list[Line]]:
    """By seat, as if the game ended now."""
    best = max((VALUE[card] for player in state.players for card in player.hidden), default=0)
    return [
        [
            Line("shown", sum(VALUE[card] for card in player.shown)),
            Line("hidden", sum(BEST_HIDDEN_TIMES * best for card in player.hidden if VALUE[card] == best)),
        ]
        for player in state.players
    ]


def scores(state: State) -> list[int]:
    return [sum(line.points for line in own) for own in lines(state)]


def outcome(state: State) -> Outcome | None:
    if state.phase != OVER:
        return None
    points = scores(state)
    return Outcome([1 + sum(other > own for other in points) for own in points], points, lines(state))
