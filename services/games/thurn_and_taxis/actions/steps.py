"""Which step of a turn comes next, and whose turn it is.

Whether a decision is offered never depends on cards that others cannot see, because its absence would reveal them.
"""

from services.engine.game import Event, Story
from services.games.thurn_and_taxis.actions.piles import something_to_take
from services.games.thurn_and_taxis.components import SHORTEST_ROUTE
from services.games.thurn_and_taxis.state import (
    AFTER_PLAY,
    BY_DEADLOCK,
    ENDINGS,
    GAME_OVER,
    NO_OFFICIAL,
    PLAY_FIRST,
    POSTMASTER,
    TAKE_FIRST,
    State,
)
from teahouse.games.thurn_and_taxis.v1 import structs


def begin_turn(state: State, story: Story) -> None:
    forced = not state.players[state.seat].hand
    state.official = POSTMASTER if forced else NO_OFFICIAL  # TT-18
    state.phase = TAKE_FIRST
    if story is not None:
        story.append(Event(structs.TurnStarted(state.seat, state.round, forced)))
    if not something_to_take(state):
        skip_take(state, story)


def end_turn(state: State, story: Story) -> None:
    seat = (state.seat + 1) % len(state.players)
    if seat == state.first:
        if state.ending or not state.stirred:
            _end_game(state, story)
            return
        state.round += 1
        state.stirred = False
    state.seat = seat
    begin_turn(state, story)


def _end_game(state: State, story: Story) -> None:
    state.ending = state.ending or BY_DEADLOCK  # R-7 d
    state.phase = GAME_OVER
    if story is not None:
        story.append(Event(structs.GameEnded(ENDINGS[state.ending])))


def skip_take(state: State, story: Story) -> None:
    if story is not None:
        story.append(Event(structs.TakeSkipped(state.seat)))
    come_to_play(state, story)


def come_to_play(state: State, story: Story) -> None:
    state.phase = PLAY_FIRST
    if not state.players[state.seat].hand:  # R-7 c
        if story is not None:
            story.append(Event(structs.PlaySkipped(state.seat)))
        come_to_close(state, story)


def come_to_close(state: State, story: Story) -> None:
    state.phase = AFTER_PLAY
    player = state.players[state.seat]
    if len(player.route) < SHORTEST_ROUTE and (state.official or not player.hand):
        end_turn(state, story)
