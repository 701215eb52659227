"""The state machine: which decision is due, what is legal, what happens (SG-3 to SG-6)."""

from bisect import insort
from typing import Any

from services.engine.game import Event, IllegalAction, Story
from services.games.starter_game.components import CARD, CARDS
from services.games.starter_game.state import CHOOSE, LAY, NONE, OVER, State
from teahouse.games.starter_game.v1.structs import Action, Cards, Choose, Chose, Drew, Laid, Lay, TurnedUp

# Every action there is, made once: the lists of legal actions share them.
CHOICES: list[Action] = [Choose(name) for name in CARDS]
FACES: list[Action] = [Lay("up"), Lay("down")]


def legal(state: State) -> list[Action]:
    if state.phase == CHOOSE:
        return [CHOICES[card] for card in state.players[state.seat].hand]
    return FACES[:] if state.phase == LAY else []


def apply(state: State, action: Any, tell: bool) -> list[Event]:
    story: list[Event] = []
    if isinstance(action, Choose):
        choose(state, action, story if tell else None)
    else:
        lay(state, action, story if tell else None)
    return story


def begin_turn(state: State, story: Story) -> None:
    """SG-3. Whoever draws has seen something new: what came before can no longer be taken back."""
    seat, card = state.seat, state.deck.pop()
    insort(state.players[seat].hand, card)
    state.phase = CHOOSE
    if story is not None:
        story.append(Event(Drew(seat), {seat: Drew(seat, CARDS[card])}, reveals=True))


def choose(state: State, action: Choose, story: Story) -> None:
    """SG-4. It reveals nothing and the turn goes on, so the seat may take it back."""
    card = CARD.get(action.card, NONE)
    if state.phase != CHOOSE:
        raise IllegalAction("no card is to be chosen now")
    if card not in state.players[state.seat].hand:
        raise IllegalAction(f"{action.card[:40]} is not in your hand")
    state.chosen, state.phase = card, LAY
    if story is not None:
        story.append(Event(Chose(state.seat), {state.seat: Chose(state.seat, CARDS[card])}))


def lay(state: State, action: Lay, story: Story) -> None:
    """SG-5."""
    if state.phase != LAY:
        raise IllegalAction("choose a card before you lay it")
    seat, card, face = state.seat, state.chosen, action.face
    player = state.players[seat]
    player.hand.remove(card)
    (player.shown if face == "up" else player.hidden).append(card)
    state.chosen = NONE
    if story is not None:
        told = Laid(seat, face, CARDS[card])
        story.append(Event(told, reveals=True) if face == "up" else Event(Laid(seat, face), {seat: told}))
    pass_on(state, story)


def pass_on(state: State, story: Story) -> None:
    state.seat = (state.seat + 1) % len(state.players)
    player = state.players[state.seat]
    if len(player.shown) + len(player.hidden) < state.rounds:
        begin_turn(state, story)
        return
    state.phase = OVER  # SG-6
    if story is not None:
        hidden = [Cards([CARDS[card] for card in each.hidden]) for each in state.players]
        story.append(Event(TurnedUp(hidden), reveals=True))
