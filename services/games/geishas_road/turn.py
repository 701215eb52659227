"""The state machine: what an action does, and what follows until the next decision (sections 4, 5, 8, 9)."""

from collections.abc import Callable
from typing import Any

from services.engine.game import Event, IllegalAction, Story
from services.games.geishas_road import events as tell
from services.games.geishas_road import scoring
from services.games.geishas_road.actions import legal
from services.games.geishas_road.actions.placing import place_card, take_tokens
from services.games.geishas_road.components import (
    ADVANCED,
    ALL_MARKERS,
    COUNTER_OFFER,
    HIDDEN_OFFER,
    INTRIGUE,
    REVEAL,
    ROUNDS,
    TURNS,
)
from services.games.geishas_road.deal import deal_round
from services.games.geishas_road.state import (
    FACE,
    HIDE,
    LAY,
    NONE,
    OVER,
    PLACE,
    SWAP,
    SWAP_HIDE,
    TOKENS,
    USE,
    Returned,
    State,
)
from teahouse.games.geishas_road.v1.structs import Counter, Lay, Offer, Place, Take, TakeTokens, Use

# The last marker, by masks of used markers that leave only one.
LAST_MARKER = {ALL_MARKERS & ~(1 << marker): marker for marker in range(ALL_MARKERS.bit_length())}


def apply(state: State, action: Any, told: bool) -> list[Event]:
    handler = HANDLERS.get(type(action))
    if handler is None:
        raise IllegalAction(f"{action!r} is not an action of this game")
    if not told:
        handler(state, action, None)
        return []
    story: list[Event] = []
    handler(state, action, story)
    return story


def start_turn(state: State, story: Story) -> None:
    seat = state.active
    card = state.deck.pop()  # GR-23
    state.hands[seat].append(card)
    state.drawn[seat] += 1
    state.turn += 1
    if story is not None:
        story.append(tell.drawn(state, card))
    choose_action(state, story)


def choose_action(state: State, story: Story) -> None:
    """Asks the active player for a marker, or takes the last one without asking."""
    state.actor = state.active
    state.laid = []
    state.hidden = []
    state.hidden_drawn = []
    state.counters = 0
    marker = LAST_MARKER.get(state.used[state.active], NONE)
    state.marker = marker
    if marker == NONE:
        state.phase = USE
    else:
        state.phase = LAY
        _lay_forced(state, story)


def _use(state: State, action: Use, story: Story) -> None:
    state.marker = legal.check_use(state, action)
    state.phase = LAY
    _lay_forced(state, story)


def _lay(state: State, action: Lay, story: Story) -> None:
    card = legal.check_lay(state, action)
    if state.phase == SWAP:
        _choose_swap(state, card, story)
        return
    state.hands[state.actor].remove(card)
    state.laid.append(card)
    _lay_forced(state, story)


def _lay_forced(state: State, story: Story) -> None:
    """Lays the last card of the hand if it must be laid anyway, and continues once all cards of the action are laid."""
    hand = state.hands[state.actor]
    missing = legal.cards_to_lay(state)
    if missing and len(hand) == 1:
        state.laid.append(hand.pop())
        missing -= 1
    if missing:
        return
    if state.marker == REVEAL:
        _reveal(state, story)
    elif state.marker == INTRIGUE:
        _intrigue(state, story)
    elif state.mode == ADVANCED and not state.specials[state.actor] & HIDDEN_OFFER:
        state.phase = HIDE
    else:
        _make_offer(state, None, story)


def _reveal(state: State, story: Story) -> None:
    state.queue = [4 * state.active]  # GR-26
    if story is not None:
        story.append(tell.revealed(state))
    proceed(state, story)


def _intrigue(state: State, story: Story) -> None:
    seat = state.active
    state.intrigue[seat] = state.laid  # GR-27
    state.intrigue_drawn[seat] = state.drawn[seat]
    state.laid = []
    if story is not None:
        story.append(tell.intrigued(state))
    proceed(state, story)


def _offer(state: State, action: Offer, story: Story) -> None:
    legal.check_offer(state, action)
    if state.phase == HIDE:
        _make_offer(state, action.hidden, story)
    else:
        _carry_out_counter(state, action.hidden is not None, story)


def _make_offer(state: State, hidden: int | None, story: Story) -> None:
    seat = state.active
    state.hidden = [NONE] * len(state.laid)
    state.hidden_drawn = [0] * len(state.laid)
    if hidden is not None:
        _hide(state, seat, hidden)  # GR-45
    if story is not None:
        story.append(tell.offered(state))
    state.actor = 1 - seat
    state.phase = FACE


def _hide(state: State, seat: int, position: int) -> None:
    state.specials[seat] |= HIDDEN_OFFER
    state.hidden[position] = seat
    state.hidden_drawn[position] = state.drawn[seat]


def _counter(state: State, action: Counter, story: Story) -> None:
    legal.check_counter(state, action)
    state.swap = action.position
    state.phase = SWAP
    hand = state.hands[state.actor]
    if len(hand) == 1:
        _choose_swap(state, hand[0], story)


def _choose_swap(state: State, card: int, story: Story) -> None:
    state.swap_card = card
    if state.specials[state.actor] & HIDDEN_OFFER:
        _carry_out_counter(state, False, story)
    else:
        state.phase = SWAP_HIDE  # GR-47


def _carry_out_counter(state: State, face_down: bool, story: Story) -> None:
    """GR-46: all three steps together."""
    seat, position = state.actor, state.swap
    hand, deck = state.hands[seat], state.deck
    back, laid_by = state.laid[position], state.hidden[position]
    known = 3 if laid_by == NONE else 1 << laid_by  # GR-52
    state.returned.append(Returned(back, known, state.drawn[:]))
    deck.append(back)
    state.dice.shuffle(deck)
    hand.remove(state.swap_card)
    state.laid[position] = state.swap_card
    state.hidden[position] = NONE
    if face_down:
        _hide(state, seat, position)
    card = deck.pop()
    hand.append(card)
    state.drawn[seat] += 1
    state.specials[seat] |= COUNTER_OFFER
    state.counters += 1
    state.swap = state.swap_card = NONE
    if story is not None:
        story.append(tell.countered(state, seat, position, back, laid_by, card))
    state.actor = 1 - seat  # GR-48
    state.phase = FACE


def _take(state: State, action: Take, story: Story) -> None:
    legal.check_take(state, action)
    seat, positions = state.actor, action.positions
    other = 1 - seat
    queue = [4 * seat + position for position in positions]  # GR-50
    queue += [4 * other + position for position in range(len(state.laid)) if position not in positions]
    state.queue = queue
    if story is not None:
        story.append(tell.chosen(seat, positions))
    if max(state.hidden) != NONE:  # GR-51
        state.hidden = [NONE] * len(state.laid)
        if story is not None:
            story.append(tell.turned_up(state))
    proceed(state, story)


def _place(state: State, action: Place, story: Story) -> None:
    index = legal.check_place(state, action)
    entry = state.queue.pop(index)
    if _placed(state, entry, story):
        proceed(state, story)


def _take_tokens(state: State, action: TakeTokens, story: Story) -> None:
    legal.check_tokens(state, action)
    take_tokens(state, state.actor, action.favour, story)
    proceed(state, story)


def _placed(state: State, entry: int, story: Story) -> bool:
    """Places a card of the queue. Returns False if the seat must choose tokens first."""
    seat, card = entry >> 2, state.laid[entry & 3]
    if story is not None and state.turn > TURNS:
        story.append(tell.intrigue_shown(seat, card))
    if place_card(state, seat, card, story):
        state.actor = seat
        state.phase = TOKENS
        return False
    return True


def proceed(state: State, story: Story) -> None:
    """Places what needs no decision, then ends the turn or the round."""
    queue = state.queue
    while queue:
        seat = queue[0] >> 2
        if len(queue) > 1 and queue[1] >> 2 == seat and state.turn <= TURNS:  # GR-38
            state.actor = seat
            state.phase = PLACE
            return
        if not _placed(state, queue.pop(0), story):
            return
    if state.turn > TURNS:
        _end_round(state, story)
        return
    state.used[state.active] |= 1 << state.marker  # GR-25
    state.active = 1 - state.active
    if state.turn < TURNS:
        start_turn(state, story)
    else:
        _show_intrigue(state, story)


def _show_intrigue(state: State, story: Story) -> None:
    """GR-58: the left cards, the starting player's first."""
    state.turn += 1
    state.marker = NONE
    starter, other = state.starter, 1 - state.starter
    state.laid = [state.intrigue[starter][0], state.intrigue[other][0]]
    state.hidden = [NONE, NONE]
    state.hidden_drawn = [0, 0]
    state.queue = [4 * starter, 4 * other + 1]
    proceed(state, story)


def _end_round(state: State, story: Story) -> None:
    scored = len(state.scored)
    scoring.score_round(state)
    if story is not None:
        story += [tell.favour_decided(state, colour) for colour in range(len(state.won))]
        story += [Event(tell.round_scored(state.round, points)) for points in state.scored[scored:]]
    if state.reason:
        state.phase = OVER
        state.actor = NONE
        if story is not None:
            story.append(tell.game_ended(state))
        return
    assert state.round < ROUNDS
    begin_round(state, scoring.next_starter(state), story)


def begin_round(state: State, starter: int, story: Story) -> None:
    deal_round(state, starter)
    state.active = starter
    if story is not None:
        story.append(tell.round_began(state))
    start_turn(state, story)


Handler = Callable[[State, Any, Story], None]
HANDLERS: dict[type, Handler] = {
    Use: _use,
    Lay: _lay,
    Offer: _offer,
    Take: _take,
    Counter: _counter,
    Place: _place,
    TakeTokens: _take_tokens,
}
