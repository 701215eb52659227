"""Redealing what a seat cannot know. Bots think about the result instead of the real position."""

from services.engine.dice import Dice
from services.games.river_of_gold.components import CLAN_PATRONS, ERA_TILES, NO_PATRON
from services.games.river_of_gold.state import PICK, State, clone

ERA_1 = frozenset(ERA_TILES[0])


def redeal(state: State, seat: int, dice: Dice) -> State:
    """Shuffles what the seat cannot know: the others' hands with the deck, and the stacks below their top tiles.

    Nobody saw the tiles removed in setup, so each of them could be in a stack instead.
    """
    other = clone(state)
    _redeal_customers(other, seat, dice)
    removed: list[int] = []
    for stack, first_era in ((other.era1, True), (other.era2, False)):
        below = stack[:-1]
        pool = below + [tile for tile in other.removed if (tile in ERA_1) is first_era]
        dice.shuffle(pool)
        stack[:-1] = pool[: len(below)]
        removed += pool[len(below) :]
    other.removed = removed
    if other.phase == PICK:
        for rival, player in enumerate(other.players):
            if rival != seat and player.patron != NO_PATRON:
                player.patron = dice.choice(CLAN_PATRONS[player.clan])
    other.dice = Dice.fresh(dice)
    return other


def _redeal_customers(state: State, seat: int, dice: Dice) -> None:
    rivals = [player for rival, player in enumerate(state.players) if rival != seat]
    pool = state.deck + [card for player in rivals for card in player.hand]
    dice.shuffle(pool)
    for player in rivals:
        held = len(player.hand)
        player.hand, pool = pool[:held], pool[held:]
    state.deck = pool
