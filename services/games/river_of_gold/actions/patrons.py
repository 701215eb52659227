"""Choosing the clan patrons: the draft (RG-101) and the secret choice of two (RG-102)."""

from typing import Any

from services.engine.game import Event, IllegalAction, Story
from services.games.river_of_gold.actions.catalogue import TAKE_PATRON
from services.games.river_of_gold.components import CLAN_PATRONS, NO_PATRON, PATRON_CLAN, PATRONS
from services.games.river_of_gold.deal import set_up_players
from services.games.river_of_gold.state import DRAFT, PICK, State
from teahouse.games.river_of_gold.v1 import structs


def choosable(state: State) -> list[int]:
    return state.offered if state.phase == DRAFT else list(CLAN_PATRONS[state.players[state.actor].clan])


def legal_patrons(state: State) -> list[Any]:
    return [TAKE_PATRON[patron] for patron in choosable(state)]


def take_patron(state: State, patron: int, _b: int, story: Story) -> None:
    if state.phase not in (DRAFT, PICK):
        raise IllegalAction("the patrons are chosen before the game")
    if patron not in choosable(state):
        raise IllegalAction(f"{PATRONS[patron]} is not yours to take")
    if state.phase == DRAFT:
        _draft(state, patron, story)
    else:
        _pick(state, patron, story)


def _draft(state: State, patron: int, story: Story) -> None:
    """Drafts from the last player to the first. With four players, the first automatically gets the last patron."""
    state.offered.remove(patron)
    _give(state, state.actor, patron)
    if story is not None:
        story.append(Event(structs.PatronTaken(state.actor, PATRONS[patron])))
    if state.actor == state.first:
        state.offered.clear()
        set_up_players(state, story)
        return
    state.actor = (state.actor - 1) % len(state.players)
    if len(state.offered) == 1:
        _draft(state, state.offered[0], story)


def _pick(state: State, patron: int, story: Story) -> None:
    seat = state.actor
    _give(state, seat, patron)
    if story is not None:
        story.append(Event(structs.PatronTaken(seat), {seat: structs.PatronTaken(seat, PATRONS[patron])}))
    state.actor = (seat + 1) % len(state.players)
    if state.players[state.actor].patron == NO_PATRON:
        return
    if story is not None:
        chosen = [PATRONS[player.patron] for player in state.players]
        story.append(Event(structs.PatronsRevealed(chosen), reveals=True))
    set_up_players(state, story)


def _give(state: State, seat: int, patron: int) -> None:
    player = state.players[seat]
    player.patron = patron
    player.clan = PATRON_CLAN[patron]
