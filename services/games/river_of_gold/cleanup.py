"""The end of a turn: the others' choices, masteries, the row, the imperial visit, the end trigger and the roll."""

from collections.abc import Callable

from services.engine.game import Event, IllegalAction, Story
from services.games.river_of_gold.actions.exchanges import can_exchange
from services.games.river_of_gold.actions.rewards import choices, pay_owners
from services.games.river_of_gold.components import (
    CUSTOMER_TYPES,
    DARLING,
    END_VP,
    MASTERIES,
    MASTERY_NEEDS,
    MASTERY_SLOTS,
    MOST_GOODS,
    REGIONS,
    SPACES,
    TAKE_GOOD,
    TILES,
)
from services.games.river_of_gold.scoring import scores
from services.games.river_of_gold.state import (
    EMPTY,
    FIRST_DIE,
    LAST_TILE,
    MAIN,
    MASTERY,
    NOBODY,
    OTHERS,
    OVER,
    ROLL,
    WRAP_UP,
    Player,
    State,
)
from teahouse.games.river_of_gold.v1 import structs

ALL_SPACES = range(len(SPACES))


def end_turn(state: State, story: Story) -> None:
    """Runs from the turn player's last decision to the next player's first."""
    state.phase = OTHERS
    resolve_others(state, story)


def resolve_others(state: State, story: Story) -> None:
    """Lets opponents choose, clockwise. Rewards they have no room for lapse (RG-80, RG-82)."""
    seats = len(state.players)
    for step in range(1, seats):
        seat = (state.turn + step) % seats
        player = state.players[seat]
        if player.pending[TAKE_GOOD]:
            if min(player.goods) < MOST_GOODS:
                state.actor = seat
                return
            if story is not None:
                story.append(Event(structs.RewardLapsed(seat, choices(player.pending))))
            player.pending[TAKE_GOOD] = 0
    state.actor = state.turn
    claim_masteries(state, story)
    clean_up(state, story)
    _roll_or_ask(state, story)


# --- masteries (section 12), found by the name of their requirement ------------------------------------------------


def _types_delivered(player: Player) -> list[int]:
    """How many customers of each type."""
    mask = (1 << REGIONS) - 1
    return [(player.delivered >> kind * REGIONS & mask).bit_count() for kind in range(len(CUSTOMER_TYPES))]


REQUIREMENTS: dict[str, Callable[[Player], int]] = {
    "distinct_customer_types_delivered": lambda player: sum(map(bool, _types_delivered(player))),
    "max_influence_any_region": lambda player: max(player.influence),
    "max_own_buildings_of_one_type": lambda player: max(player.built),
    "max_delivered_of_one_customer_type": lambda player: max(_types_delivered(player)),
    "min_influence_all_regions": lambda player: min(player.influence),
    "min_own_buildings_of_each_type": lambda player: min(player.built),
}
NEEDS = tuple((REQUIREMENTS[kind], at_least) for kind, at_least in MASTERY_NEEDS)


def claim_masteries(state: State, story: Story) -> None:
    seat = state.turn
    player = state.players[seat]
    slots = MASTERY_SLOTS[len(state.players)]
    for mastery, claims in zip(state.masteries, state.claims, strict=True):
        measure, at_least = NEEDS[mastery]
        if len(claims) < len(slots[mastery]) and seat not in claims and measure(player) >= at_least:
            points = slots[mastery][len(claims)]
            claims.append(seat)
            player.won[MASTERY] += points
            if story is not None:
                story.append(Event(structs.MasteryClaimed(seat, MASTERIES[mastery], points)))


# --- the row (section 13) ------------------------------------------------------------------------------------------


def clean_up(state: State, story: Story) -> None:
    """Closes up and refills the row. A stack's last tile triggers the imperial visit or the end (RG-86 to RG-90)."""
    if state.gap < 0:
        return
    row = state.row
    row.pop(state.gap)
    state.gap = -1
    era = 1 if state.era1 else 2
    stack = state.era1 if state.era1 else state.era2
    if not stack:
        row.insert(0, EMPTY)
        return
    row.insert(0, stack.pop())
    if story is not None:
        top = TILES[stack[-1]] if stack else None
        story.append(Event(structs.TileEntered(TILES[row[0]], era, top), reveals=True))
    if not stack:
        if era == 1:
            imperial_visit(state, story)
        else:
            _trigger_end(state, story)


def imperial_visit(state: State, story: Story) -> None:
    if story is not None:
        story.append(Event(structs.ImperialVisit()))
    for space in ALL_SPACES:
        if state.marker[space] >= 0:
            pay_owners(state, space, story)


def _trigger_end(state: State, story: Story) -> None:
    state.ended_by = state.turn
    state.players[state.turn].won[LAST_TILE] += END_VP
    if story is not None:
        story.append(Event(structs.EndTriggered(state.turn, END_VP)))


# --- the die and the next turn (section 14) ------------------------------------------------------------------------


def _roll_or_ask(state: State, story: Story) -> None:
    player = state.players[state.turn]
    if state.ended_by < 0:
        if player.patron == DARLING and (player.favor or can_exchange(player)):
            state.phase = ROLL
            return
        _roll(state, story)
    _next(state, story)


def _roll(state: State, story: Story) -> None:
    player = state.players[state.turn]
    player.die = state.dice.below(6) + 1
    if story is not None:
        story.append(Event(structs.DieRolled(state.turn, player.die), reveals=True))


def _next(state: State, story: Story) -> None:
    seat = (state.turn + 1) % len(state.players)
    if seat == state.ended_by:
        state.phase, state.actor = OVER, NOBODY
        if story is not None:
            story.append(Event(structs.GameEnded(scores(state))))
        return
    begin_turn(state, seat, story)


def begin_turn(state: State, seat: int, story: Story) -> None:
    state.turn = state.actor = seat
    state.phase = MAIN if state.players[seat].die else FIRST_DIE
    if story is not None:
        story.append(Event(structs.TurnBegan(seat)))


def finish_turn(state: State, _a: int, _b: int, story: Story) -> None:
    if state.phase != WRAP_UP:
        raise IllegalAction("the turn cannot end yet")
    end_turn(state, story)


def set_die(state: State, face: int, _b: int, story: Story) -> None:
    player = _darling(state)
    if player.favor < 1:
        raise IllegalAction("setting the die costs 1 favor, and you have none")
    player.favor -= 1
    player.die = face + 1
    if story is not None:
        story.append(Event(structs.DieSet(state.turn, player.die)))
    _die_is_known(state, story)


def roll_die(state: State, _a: int, _b: int, story: Story) -> None:
    _darling(state)
    _roll(state, story)
    _die_is_known(state, story)


def _darling(state: State) -> Player:
    if state.phase not in (FIRST_DIE, ROLL):
        raise IllegalAction("no die is to be rolled now")
    return state.players[state.turn]


def _die_is_known(state: State, story: Story) -> None:
    if state.phase == FIRST_DIE:
        state.phase = MAIN
    else:
        _next(state, story)
