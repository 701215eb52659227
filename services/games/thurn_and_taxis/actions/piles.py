"""Display, deck and discard (TT-20, TT-60, TT-61)."""

from services.engine.game import Event, Story
from services.games.thurn_and_taxis.components import CITIES, GAP
from services.games.thurn_and_taxis.state import State
from teahouse.games.thurn_and_taxis.v1 import structs


def replenish(state: State, story: Story) -> None:
    """Fills the gaps of the display, lowest slot first. Makes a new deck when it is exhausted (R-6, R-7 a)."""
    display = state.display
    while True:
        if not state.deck:
            if not state.discard:
                return
            _form_deck(state, story)
        if GAP not in display:
            return
        slot = display.index(GAP)
        display[slot] = state.deck.pop()
        if story is not None:
            story.append(Event(structs.DisplayFilled(slot, CITIES[display[slot]]), reveals=True))


def _form_deck(state: State, story: Story) -> None:
    state.deck, state.discard = state.discard, []
    state.dice.shuffle(state.deck)
    if story is not None:
        story.append(Event(structs.DeckFormed(len(state.deck)), reveals=True))


def something_to_take(state: State) -> bool:
    return bool(state.deck) or any(card != GAP for card in state.display)
