"""Dealing anew what a seat cannot know: bots think on the result."""

from services.engine.dice import Dice
from services.games.starter_game.state import NONE, OVER, State, clone


def redeal(state: State, seat: int, dice: Dice) -> State:
    """Shuffles the deck, the others' hands and what they laid face down. After the end only the deck is unknown."""
    other = clone(state)
    rivals = [player for owner, player in enumerate(other.players) if owner != seat]
    unknown = [other.deck]
    if other.phase != OVER:
        unknown += [cards for player in rivals for cards in (player.hand, player.hidden)]
    # The order must not tell where a card came from, whatever the dice.
    pool = sorted(card for cards in unknown for card in cards)
    dice.shuffle(pool)
    for cards in unknown:
        cards[:] = [pool.pop() for _ in cards]
    for player in rivals:
        player.hand.sort()
    if other.chosen != NONE and other.seat != seat:
        other.chosen = dice.choice(other.players[other.seat].hand)
    other.dice = Dice.fresh(dice)
    return other
