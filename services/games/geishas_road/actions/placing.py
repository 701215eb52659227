"""Placing a card: the geisha's walk, her return, and the tokens it brings (sections 6 and 7)."""

from services.engine.game import Story
from services.games.geishas_road import events as tell
from services.games.geishas_road.components import BASIC, CARD_COLOUR, CARD_SYMBOLS, CARD_VALUE
from services.games.geishas_road.state import AT_TEAHOUSE, State


def place_card(state: State, seat: int, card: int, story: Story) -> bool:
    """Places one card on that seat's side. Returns whether the seat must first choose which tokens to take."""
    colour = CARD_COLOUR[card]
    value = CARD_VALUE[card]
    state.sides[seat].append(card)  # GR-32
    state.totals[seat][colour] += value
    start = state.pawns[colour]
    stop = state.pawns[colour] = (start + value) % 5  # GR-33
    home = stop == state.home[colour]
    if home:
        state.returns[colour] += 1
    if story is not None:
        story.append(tell.placed(seat, card, start, stop, state.returns[colour] if home else 0))
    if home:
        _return(state, colour, story)
    symbols = CARD_SYMBOLS[card]
    return symbols > 0 and state.mode != BASIC and _tokens(state, seat, state.circle[stop], symbols, story)


def _return(state: State, colour: int, story: Story) -> None:
    first = state.returns[colour] == 1
    if state.destiny and not first:  # GR-83
        face = state.tiles[colour][0] ^ 1
        state.tiles[colour] = [face]
        if story is not None:
            story.append(tell.lantern_turned(colour, face))
        return
    row = state.upper if first else state.lower  # GR-34
    if not row:
        return  # GR-35
    face = row.pop(0)
    state.tiles[colour] = [*state.tiles[colour], face]
    if story is not None:
        story.append(tell.lantern_taken(colour, "upper" if first else "lower", face))


def _tokens(state: State, seat: int, teahouse: int, symbols: int, story: Story) -> bool:
    """GR-41: takes the tokens if there is no choice, otherwise records the choice that is due."""
    guests = state.teahouses[teahouse]
    favour = 1 if state.favour[teahouse] == AT_TEAHOUSE else 0
    due = min(symbols, guests + favour)
    state.stop, state.due = teahouse, due
    fewest = max(0, due - guests)
    if fewest < min(favour, due):
        return True
    if due:
        take_tokens(state, seat, fewest, story)
    return False


def take_tokens(state: State, seat: int, favour: int, story: Story) -> None:
    """Takes the tokens due at the teahouse; `favour` of them are favour tokens."""
    teahouse, guests = state.stop, state.due - favour
    state.teahouses[teahouse] -= guests
    state.guests[seat][teahouse] += guests
    if favour:
        state.favour[teahouse] = seat
    if story is not None:
        story.append(tell.tokens_taken(seat, teahouse, guests, favour))
