"""Choices that rewards leave to the player (RG-79 to RG-82)."""

from typing import Any

from services.engine.game import Event, IllegalAction, Story
from services.games.river_of_gold.actions import catalogue
from services.games.river_of_gold.actions.build import own
from services.games.river_of_gold.actions.deliver import REFILL_CARDS, draw
from services.games.river_of_gold.actions.exchanges import can_exchange, exchanges
from services.games.river_of_gold.actions.rewards import choices, holdings, tell_gain
from services.games.river_of_gold.cleanup import end_turn, resolve_others
from services.games.river_of_gold.components import (
    CUSTOMERS,
    DRAW_DISCARD,
    GOODS,
    JOURNEY,
    JOURNEY_KOKU,
    KOKU_GIVEN,
    MARKER_OPPONENT,
    MARKER_OWN,
    MOST_GOODS,
    MOST_KOKU,
    REFILL,
    SALE_KOKU,
    SELL,
    SPACES,
    TAKE_GOOD,
    UPGRADE,
)
from services.games.river_of_gold.state import DISCARD, NOBODY, OTHERS, PENDING, SELLING, WRAP_UP, Player, State
from teahouse.games.river_of_gold.v1 import structs


def marker_targets(state: State) -> list[int]:
    """Buildings with exactly one marker, of the owner that the monk asks for (RG-64)."""
    seat, second = state.turn, state.second
    mine = bool(state.players[seat].pending[MARKER_OWN])
    return [
        space
        for space, owner in enumerate(state.marker)
        if owner != NOBODY and second[space] == NOBODY and (owner == seat) is mine
    ]


def _good_room(player: Player) -> bool:
    return min(player.goods) < MOST_GOODS


def resolvable(state: State, player: Player) -> bool:
    """Whether any choice of the turn player, except `refill`, has a legal option."""
    pending = player.pending
    if pending[UPGRADE] or pending[DRAW_DISCARD]:
        return True
    if (pending[TAKE_GOOD] or pending[JOURNEY]) and _good_room(player):
        return True
    if pending[JOURNEY] and player.koku < MOST_KOKU:
        return True
    if pending[SELL] and any(player.goods):
        return True
    return bool((pending[MARKER_OWN] or pending[MARKER_OPPONENT]) and marker_targets(state))


def journey_can_open(player: Player) -> bool:
    """RG-82's exception: whether buying favor would make room for the journey's koku."""
    return bool(player.pending[JOURNEY]) and player.koku >= KOKU_GIVEN and player.favor < player.favor_limit


def legal_pending(state: State) -> list[Any]:
    player = state.players[state.turn]
    pending, goods = player.pending, player.goods
    if not resolvable(state, player):
        return [catalogue.DRAW if not any(pending[:REFILL]) else catalogue.LAPSE, *exchanges(player)]
    found: list[Any] = []
    if pending[TAKE_GOOD]:
        found += [catalogue.TAKE_GOODS[good] for good in range(3) if goods[good] < MOST_GOODS]
    if pending[JOURNEY]:
        if player.koku < MOST_KOKU:
            found.append(catalogue.JOURNEY_FOR_KOKU)
        found += [catalogue.JOURNEY_FOR_GOOD[good] for good in range(3) if goods[good] < MOST_GOODS]
    if pending[SELL] and any(goods):
        found += legal_sales(player)
    if pending[MARKER_OWN] or pending[MARKER_OPPONENT]:
        found += [catalogue.PLACE_MARKER[space] for space in marker_targets(state)]
    if pending[UPGRADE]:
        found += catalogue.UPGRADE_SHIP
    if pending[DRAW_DISCARD]:
        found.append(catalogue.DRAW)
    return found + exchanges(player)


def legal_sales(player: Player) -> list[Any]:
    return [*(catalogue.SELL_GOOD[good] for good in range(3) if player.goods[good]), catalogue.STOP_SELLING]


def legal_others(state: State) -> list[Any]:
    goods = state.players[state.actor].goods
    return [catalogue.TAKE_GOODS[good] for good in range(3) if goods[good] < MOST_GOODS]


def resume(state: State, story: Story) -> None:
    """Continues until the turn player has a decision: choices, then `refill`, then the last exchanges."""
    player = state.players[state.turn]
    pending = player.pending
    state.phase = PENDING
    if any(pending):
        if resolvable(state, player):
            if not _only_draw(player):
                return
            draw_customers(state, 0, 0, story)
            return
        if any(pending[:REFILL]):
            if journey_can_open(player):
                return
            _lapse(state, player, story)
        if pending[REFILL]:
            if not can_exchange(player):
                draw_customers(state, 0, 0, story)
            return
    state.phase = WRAP_UP
    if not can_exchange(player):
        end_turn(state, story)


def _only_draw(player: Player) -> bool:
    return bool(player.pending[DRAW_DISCARD]) and sum(player.pending) == 1 and not can_exchange(player)


def _lapse(state: State, player: Player, story: Story) -> None:
    if story is not None:
        story.append(Event(structs.RewardLapsed(state.turn, choices([*player.pending[:REFILL], 0]))))
    player.pending[:REFILL] = [0] * REFILL


def _due(state: State, choice: int) -> Player:
    player = state.players[state.actor]
    if state.phase not in (PENDING, OTHERS) or not player.pending[choice]:
        raise IllegalAction("no such choice is due to you now")
    return player


def take_good(state: State, good: int, _b: int, story: Story) -> None:
    player = _due(state, TAKE_GOOD)
    _take(state, player, TAKE_GOOD, good, "choice", story)
    if state.phase == OTHERS:
        resolve_others(state, story)
    else:
        resume(state, story)


def take_journey(state: State, good: int, _b: int, story: Story) -> None:
    player = _due(state, JOURNEY)
    if good >= 0:
        _take(state, player, JOURNEY, good, "journey", story)
    else:
        if player.koku >= MOST_KOKU:
            raise IllegalAction("you have no room for more koku")
        before = holdings(player)
        player.koku = min(player.koku + JOURNEY_KOKU, MOST_KOKU)
        player.pending[JOURNEY] -= 1
        if story is not None:
            _tell(player, state, before, JOURNEY, "journey", story)
    resume(state, story)


def _take(state: State, player: Player, choice: int, good: int, source: str, story: Story) -> None:
    if player.goods[good] >= MOST_GOODS:
        raise IllegalAction(f"you have no room for more {GOODS[good]}")
    before = holdings(player)
    player.goods[good] += 1
    player.pending[choice] -= 1
    if story is not None:
        _tell(player, state, before, choice, source, story)


def _tell(player: Player, state: State, before: tuple[int, ...], choice: int, source: str, story: list[Event]) -> None:
    """Reports only the gain; settling the choice itself is not part of it."""
    settled = list(before)
    settled[len(before) - len(player.pending) + choice] -= 1
    tell_gain(player, state.actor, tuple(settled), story, source, -1)


def sell(state: State, good: int, _b: int, story: Story) -> None:
    player = state.players[state.actor]
    if state.phase != SELLING:
        player = _due(state, SELL)
    if not player.goods[good]:
        raise IllegalAction(f"you hold no {GOODS[good]}")
    player.goods[good] -= 1
    before = player.koku
    player.koku = min(before + SALE_KOKU, MOST_KOKU)
    if story is not None:
        story.append(Event(structs.Sold(state.turn, GOODS[good], player.koku - before)))
    state.phase = SELLING
    if not any(player.goods):
        player.pending[SELL] -= 1
        resume(state, story)


def stop_selling(state: State, _a: int, _b: int, story: Story) -> None:
    player = state.players[state.actor]
    if state.phase != SELLING:
        player = _due(state, SELL)
        if not any(player.goods):
            raise IllegalAction("there is nothing to sell yet")
    player.pending[SELL] -= 1
    resume(state, story)


def place_marker(state: State, space: int, _b: int, story: Story) -> None:
    mine = state.players[state.actor].pending[MARKER_OWN]
    choice = MARKER_OWN if mine else MARKER_OPPONENT
    player = _due(state, choice)
    if space not in marker_targets(state):
        whose = "your own" if mine else "an opponent's"
        raise IllegalAction(f"the second marker goes on {whose} building with exactly one marker")
    state.second[space] = state.turn
    if state.marker[space] != state.turn:
        own(player, space, state.shore[space])
    player.pending[choice] -= 1
    if story is not None:
        story.append(Event(structs.MarkerPlaced(state.turn, SPACES[space])))
    resume(state, story)


def upgrade_ship(state: State, ship: int, _b: int, story: Story) -> None:
    player = _due(state, UPGRADE)
    player.royal = ship
    player.pending[UPGRADE] -= 1
    if story is not None:
        story.append(Event(structs.ShipUpgraded(state.turn, ship + 1)))
    resume(state, story)


def draw_customers(state: State, _a: int, _b: int, story: Story) -> None:
    player = state.players[state.turn]
    refill = not any(player.pending[:REFILL])
    player = _due(state, REFILL if refill else DRAW_DISCARD)
    player.pending[REFILL if refill else DRAW_DISCARD] -= 1
    draw(state, REFILL_CARDS if refill else 1, story)
    if state.phase == PENDING:
        resume(state, story)


def discard(state: State, card: int, _b: int, story: Story) -> None:
    if state.phase != DISCARD:
        raise IllegalAction("no card is to be discarded now")
    hand = state.players[state.turn].hand
    if card not in hand:
        raise IllegalAction(f"{CUSTOMERS[card]} is not in your hand")
    hand.remove(card)
    state.discards.append(card)
    if story is not None:
        story.append(Event(structs.CustomerDiscarded(state.turn, CUSTOMERS[card]), reveals=True))
    resume(state, story)


def lapse(state: State, _a: int, _b: int, story: Story) -> None:
    player = state.players[state.actor]
    if state.phase != PENDING or not any(player.pending[:REFILL]) or resolvable(state, player):
        raise IllegalAction("a reward can only be given up while there is no room for it")
    _lapse(state, player, story)
    resume(state, story)
