"""Redealing what a seat cannot know. Bots think about the result instead of the real position."""

from services.engine.dice import Dice
from services.games.thurn_and_taxis.state import Player, State, clone


def redeal(state: State, seat: int, dice: Dice) -> State:
    """Shuffles the deck with all cards in the others' hands that nobody saw them take."""
    other = clone(state)
    pool = other.deck
    hidden: list[tuple[Player, int]] = []
    for index, player in enumerate(other.players):
        if index != seat:
            unseen = player.hand[:]
            for card in player.seen:
                unseen.remove(card)
            pool += unseen
            hidden.append((player, len(unseen)))
    # The order must not reveal where a card came from.
    pool.sort()
    dice.shuffle(pool)
    for player, count in hidden:
        player.hand = sorted(player.seen + [pool.pop() for _ in range(count)])
    other.dice = Dice.fresh(dice)
    return other
