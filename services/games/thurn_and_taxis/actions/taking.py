"""Step 1: adding a city card to the hand, from the display or the deck (section 3.1 of the rules)."""

from bisect import insort
from typing import Any

from services.engine.game import Event, IllegalAction, Story
from services.games.thurn_and_taxis.actions.piles import replenish, something_to_take
from services.games.thurn_and_taxis.actions.steps import come_to_play, skip_take
from services.games.thurn_and_taxis.components import CITIES, DISPLAY_SIZE, GAP
from services.games.thurn_and_taxis.state import ADMINISTRATOR, PLAY_FIRST, POSTMASTER, TAKE_FIRST, TAKE_SECOND, State
from teahouse.games.thurn_and_taxis.v1 import structs

USE_ADMINISTRATOR = structs.UseAdministrator()
TAKE_DECK = structs.TakeDeck()
TAKE_DISPLAY = tuple(structs.TakeDisplay(slot) for slot in range(DISPLAY_SIZE))
POSTMASTER_TAKE_DECK = structs.PostmasterTakeDeck()
POSTMASTER_TAKE_DISPLAY = tuple(structs.PostmasterTakeDisplay(slot) for slot in range(DISPLAY_SIZE))


def legal_take(state: State) -> list[Any]:
    actions: list[Any] = sources(state, TAKE_DISPLAY, TAKE_DECK)
    if state.phase == TAKE_FIRST and not state.official and actions and not _display_is_empty(state):
        actions.append(USE_ADMINISTRATOR)
    return actions


def sources(state: State, slots: tuple[Any, ...], deck: Any) -> list[Any]:
    display = state.display
    actions = list(slots) if GAP not in display else [slots[i] for i in range(DISPLAY_SIZE) if display[i] != GAP]
    if state.deck:
        actions.append(deck)
    return actions


def _display_is_empty(state: State) -> bool:
    return all(card == GAP for card in state.display)


def use_administrator(state: State, action: structs.UseAdministrator, story: Story) -> None:
    if state.phase != TAKE_FIRST:
        raise IllegalAction("The Administrator helps only before the first card of the turn is taken.")
    check_official_is_free(state)
    if _display_is_empty(state):
        raise IllegalAction("There are no displayed cards to replace.")
    swept = [card for card in state.display if card != GAP]
    state.official = ADMINISTRATOR
    state.discard += swept
    state.display = [GAP] * DISPLAY_SIZE
    if story is not None:
        story.append(Event(structs.DisplaySwept(state.seat, [CITIES[card] for card in swept])))
    replenish(state, story)


def take_display(state: State, action: structs.TakeDisplay, story: Story) -> None:
    _check_take_is_due(state)
    _check_slot(state, action.slot)
    _take_from_display(state, action.slot, state.phase == TAKE_SECOND, story)
    _taken(state, story)


def take_deck(state: State, action: structs.TakeDeck, story: Story) -> None:
    _check_take_is_due(state)
    _check_deck(state)
    _take_from_deck(state, state.phase == TAKE_SECOND, story)
    _taken(state, story)


def postmaster_take_display(state: State, action: structs.PostmasterTakeDisplay, story: Story) -> None:
    _check_postmaster(state)
    _check_slot(state, action.slot)
    state.official = POSTMASTER
    _take_from_display(state, action.slot, True, story)


def postmaster_take_deck(state: State, action: structs.PostmasterTakeDeck, story: Story) -> None:
    _check_postmaster(state)
    _check_deck(state)
    state.official = POSTMASTER
    _take_from_deck(state, True, story)


def check_official_is_free(state: State) -> None:
    if state.official:
        raise IllegalAction("Only one official may help in a turn.")  # TT-17


def _check_take_is_due(state: State) -> None:
    if state.phase > TAKE_SECOND:
        raise IllegalAction("The card of this turn has been taken already.")


def _check_postmaster(state: State) -> None:
    if state.phase != PLAY_FIRST:
        raise IllegalAction("The Postmaster helps only after the first card is taken and before a card is played.")
    check_official_is_free(state)


def _check_slot(state: State, slot: int) -> None:
    if not 0 <= slot < DISPLAY_SIZE or state.display[slot] == GAP:
        raise IllegalAction("There is no card in that slot of the display.")


def _check_deck(state: State) -> None:
    if not state.deck:
        raise IllegalAction("The deck is empty.")


def _take_from_display(state: State, slot: int, second: bool, story: Story) -> None:
    player = state.players[state.seat]
    card = state.display[slot]
    insort(player.hand, card)
    player.seen.append(card)
    state.display[slot] = GAP
    state.stirred = True
    if story is not None:
        story.append(Event(structs.DisplayCardTaken(state.seat, slot, CITIES[card], second)))
    replenish(state, story)


def _take_from_deck(state: State, second: bool, story: Story) -> None:
    card = state.deck.pop()
    insort(state.players[state.seat].hand, card)
    state.stirred = True
    if story is not None:
        drawn = structs.DeckCardDrawn(state.seat, CITIES[card], second)
        story.append(Event(structs.DeckCardTaken(state.seat, second), {state.seat: drawn}, reveals=True))
    if not state.deck:
        replenish(state, story)


def _taken(state: State, story: Story) -> None:
    if state.phase == TAKE_FIRST and state.official == POSTMASTER:  # TT-23
        state.phase = TAKE_SECOND
        if not something_to_take(state):
            skip_take(state, story)
    else:
        come_to_play(state, story)
