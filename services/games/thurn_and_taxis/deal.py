"""Setting up a game (TT-10 … TT-14), and dealing the hidden cards anew for a bot."""

from services.engine.dice import Dice
from services.games.thurn_and_taxis.components import (
    CARRIAGE_COUNTS,
    CITIES,
    COPIES,
    DISPLAY_SIZE,
    HOUSES,
    STACK_VALUES,
)
from services.games.thurn_and_taxis.state import Player, State, clone
from services.games.thurn_and_taxis.turn import begin_turn


def deal(seats: int, requires_baiern: bool, seed: bytes) -> State:
    dice = Dice(seed)
    deck = [city for city in range(len(CITIES)) for _ in range(COPIES)]
    dice.shuffle(deck)
    display = [deck.pop() for _ in range(DISPLAY_SIZE)]
    first = dice.below(seats)
    state = State(
        dice=dice,
        requires_baiern=requires_baiern,
        players=[Player([], [], [], [], 0, HOUSES, 0) for _ in range(seats)],
        deck=deck,
        discard=[],
        display=display,
        stacks=[len(values) for values in STACK_VALUES],
        carriages=list(CARRIAGE_COUNTS),
        first=first,
        seat=first,
    )
    begin_turn(state, None)
    return state


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
    other.dice = Dice(b"".join(dice.word().to_bytes(4, "big") for _ in range(8)))
    return other
