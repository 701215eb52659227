"""The action "deliver" (RG-53 to RG-59) and the drawing of customers."""

from typing import Any

from services.engine.game import Event, IllegalAction, Story
from services.games.river_of_gold.actions.catalogue import DELIVER
from services.games.river_of_gold.actions.rewards import card_names, gain
from services.games.river_of_gold.components import (
    CUSTOMERS,
    DELIVERY,
    DELIVERY_WITHOUT_SHIP,
    ORDER,
    PATRONS,
    PRIESTESS,
    PRIESTESS_VP,
    REFILL,
    REGION_CARDS,
    REGIONS,
    STORMS,
    VP,
)
from services.games.river_of_gold.state import DISCARD, PATRONAGE, PENDING, TRACK, Player, State
from teahouse.games.river_of_gold.v1 import structs

REFILL_CARDS = 2


def deliveries(player: Player) -> list[Any]:
    region, anywhere, (silk, rice, porcelain) = player.die - 1, player.patron == STORMS, player.goods
    found = []
    for card in player.hand:
        if card % REGIONS == region or anywhere:
            order = ORDER[card]
            if silk >= order[0] and rice >= order[1] and porcelain >= order[2]:
                found.append(DELIVER[card])
    return found


def deliver(state: State, card: int, _b: int, story: Story) -> None:
    seat = state.turn
    player = state.players[seat]
    _check(player, card)
    region = card % REGIONS
    for good, n in enumerate(ORDER[card]):
        player.goods[good] -= n
    first_in_region = not player.delivered & REGION_CARDS[region]
    player.hand.remove(card)
    player.delivered |= 1 << card
    if story is not None:
        story.append(Event(structs.Delivered(seat, CUSTOMERS[card]), reveals=True))
    if player.patron == PRIESTESS and first_in_region:
        gain(state, seat, ((VP, PRIESTESS_VP, 0),), region, PATRONAGE, story, PATRONS[PRIESTESS])
    reward = DELIVERY[card] if player.royal < 0 else DELIVERY_WITHOUT_SHIP[card]
    gain(state, seat, reward, region, TRACK, story, CUSTOMERS[card])
    player.pending[REFILL] += 1


def _check(player: Player, card: int) -> None:
    if card not in player.hand:
        raise IllegalAction(f"{CUSTOMERS[card]} is not in your hand")
    if card % REGIONS != player.die - 1 and player.patron != STORMS:
        raise IllegalAction(f"{CUSTOMERS[card]} is not of the region of your die, {player.die}")
    if any(have < n for have, n in zip(player.goods, ORDER[card], strict=True)):
        raise IllegalAction(f"you do not hold the goods that {CUSTOMERS[card]} ordered")


def draw(state: State, n: int, story: Story) -> None:
    """Draws for the turn player. Skips the discard that follows if cards were missing (RG-59)."""
    seat = state.turn
    player = state.players[seat]
    drawn = take_cards(state, n, story)
    player.hand += drawn
    if story is not None and drawn:
        public = structs.CustomersDrawn(seat, len(drawn), [])
        own = structs.CustomersDrawn(seat, len(drawn), card_names(drawn))
        story.append(Event(public, {seat: own}, reveals=True))
    state.phase = DISCARD if len(drawn) == n else PENDING


def take_cards(state: State, n: int, story: Story) -> list[int]:
    drawn = []
    for _ in range(n):
        if not state.deck:
            if not state.discards:
                break
            state.deck, state.discards = state.discards, []
            state.dice.shuffle(state.deck)
            if story is not None:
                story.append(Event(structs.DeckReshuffled(len(state.deck)), reveals=True))
        drawn.append(state.deck.pop())
    return drawn
