"""Redealing what a seat cannot know. Bots think about the result instead of the real position."""

from services.engine.dice import Dice
from services.games.geishas_road.components import TURNS
from services.games.geishas_road.state import FACE, HIDE, LAY, NONE, SWAP, SWAP_HIDE, Returned, State, clone
from services.games.geishas_road.turn import choose_action
from services.games.geishas_road.view import left_is_shown


def redeal(state: State, seat: int, dice: Dice) -> State:
    other = clone(state)
    other.dice = Dice.fresh(dice)
    rival = 1 - seat
    if other.actor == rival:
        _take_preparation_back(other)
    hand, pair, hidden = len(other.hands[rival]), _unseen_pair(other, rival), _hidden_positions(other, rival)
    pool = [*other.hands[rival], *pair, *(other.laid[position] for position in hidden), *other.deck]
    at_pair, at_hidden = hand, hand + len(pair)
    at_deck = at_hidden + len(hidden)
    while True:
        dice.shuffle(pool)
        other.hands[rival] = pool[:hand]
        if pair:
            seen = other.intrigue[rival][: 2 - len(pair)]
            other.intrigue[rival] = seen + pool[at_pair:at_hidden]
        for position, card in zip(hidden, pool[at_hidden:at_deck], strict=True):
            other.laid[position] = card
        other.deck = pool[at_deck:]
        if possible(other, seat):
            break
    if len(pair) == 2 and other.turn > TURNS:
        other.laid[rival != other.starter] = other.intrigue[rival][0]
    _forget_unknown_returns(other, seat, dice)
    return other


def _take_preparation_back(state: State) -> None:
    """Resets what the rival has begun, because all of it is hidden: the redealt rival starts over."""
    if state.phase in (LAY, HIDE):
        state.hands[state.actor] += state.laid
        choose_action(state, None)
    elif state.phase in (SWAP, SWAP_HIDE):
        state.phase = FACE
        state.swap = state.swap_card = NONE


def _unseen_pair(state: State, rival: int) -> list[int]:
    """The rival's Intrigue cards that are still face down."""
    return state.intrigue[rival][1:] if left_is_shown(state, rival) else state.intrigue[rival]


def _hidden_positions(state: State, rival: int) -> list[int]:
    return [position for position, by in enumerate(state.hidden) if by == rival]


def possible(state: State, seat: int) -> bool:
    """Whether the rival can hold the cards that the seat knows went back into the deck (14.3).

    The rival can hold such a card only if it drew the card again, so it holds at most as many of them as it has drawn
    since, and none of them is a card it laid face down before.
    """
    rival = 1 - seat
    held = 0
    for back in state.returned:
        if not back.known >> seat & 1:
            continue
        before = back.drawn[rival]
        if back.card in state.hands[rival]:
            drawn = state.drawn[rival]
        elif back.card in state.intrigue[rival]:
            drawn = state.intrigue_drawn[rival]
        elif (position := _position(state, back.card, rival)) != NONE:
            drawn = state.hidden_drawn[position]
        else:
            continue
        if drawn <= before:
            return False
        held += 1
    return held < 2 or state.drawn[rival] - state.returned[0].drawn[rival] >= held


def _position(state: State, card: int, rival: int) -> int:
    return next((at for at in _hidden_positions(state, rival) if state.laid[at] == card), NONE)


def _forget_unknown_returns(state: State, seat: int, dice: Dice) -> None:
    """If the seat did not see which card went back, any card of the deck will do."""
    known = {back.card for back in state.returned if back.known >> seat & 1}
    candidates = [card for card in state.deck if card not in known]
    kept: list[Returned] = []
    for back in state.returned:
        if back.known >> seat & 1:
            kept.append(back)
        elif candidates:
            card = candidates.pop(dice.below(len(candidates)))
            kept.append(Returned(card, back.known, back.drawn))
    state.returned = kept
