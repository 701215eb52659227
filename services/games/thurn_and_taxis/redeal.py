"""Dealing anew what a seat cannot know: bots think on the result."""

from services.engine.dice import Dice
from services.games.thurn_and_taxis.state import Player, State, clone


def redeal(state: State, seat: int, dice: Dice) -> State:
    """Shuffles the deck and whatever the others hold that nobody saw them take."""
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
    # The order must not tell where a card came from, whatever the dice.
    pool.sort()
    dice.shuffle(pool)
    for player, count in hidden:
        player.hand = sorted(player.seen + [pool.pop() for _ in range(count)])
    other.dice = Dice.fresh(dice)
    return other
