"""Dealing anew what a seat cannot know (TG-952, LY-209): bots think on the result."""

from services.engine.dice import Dice
from services.games.tea_garden.components import CARAVAN_BASIC, CARD_LEVEL
from services.games.tea_garden.lu_yu import cards as solo
from services.games.tea_garden.state import LuYu, State, clone


def redeal(state: State, seat: int, dice: Dice) -> State:
    s = clone(state)
    s.box_cards, s.box_caravans, s.box_tiles = s.box_cards.copy(), s.box_caravans.copy(), s.box_tiles.copy()
    mix_players(s, seat, dice)
    mix_kinds(dice, [s.action_deck, s.box_cards], CARD_LEVEL)
    mix_kinds(dice, [s.caravan_deck, s.box_caravans], CARAVAN_BASIC)
    dice.shuffle(s.emperor_deck)
    mix_tiles(s, dice)
    for deck in (s.court.hall_deck, s.court.basic_deck, s.court.premium_deck):
        dice.shuffle(deck)
    for box in (s.box_cards, s.box_caravans, s.box_tiles):
        box.sort()
    if s.lu_yu is not None:
        mix_lu_yu(s.lu_yu, dice)
    s.dice = Dice.fresh(dice)
    return s


def mix_players(s: State, seat: int, dice: Dice) -> None:
    """Another's hand and deck together are known, which card is where is not; of one's own deck only the order."""
    for other, p in enumerate(s.players):
        if other == seat:
            dice.shuffle(p.deck)
        else:
            cards = p.hand + p.deck
            dice.shuffle(cards)
            p.hand, p.deck = cards[: len(p.hand)], cards[len(p.hand) :]


def mix_kinds(dice: Dice, piles: list[list[int]], kind_of: tuple[int, ...]) -> None:
    """Exchanges pieces of the same kind between the piles: a deck's order of kinds is known."""
    for kind in sorted({kind_of[piece] for pile in piles for piece in pile}):
        exchange(dice, piles, kind_of, kind)


def mix_tiles(s: State, dice: Dice) -> None:
    """All tiles but the top ones of the stacks."""
    tiles = [tile for stack in s.cup_stacks for tile in stack[:-1]] + s.box_tiles
    dice.shuffle(tiles)
    for stack in s.cup_stacks:
        for at in range(len(stack) - 1):
            stack[at] = tiles.pop()
    s.box_tiles = tiles


def mix_lu_yu(lu: LuYu, dice: Dice) -> None:
    """The backs that lie open stay. Cards that he never laid may be any of their kind; those he laid in the same round
    lie together in his deck, in an order that nobody knows."""
    closed = [lu.deck[:-1], *(pile[:-1] for pile in lu.piles), lu.box]
    new = tuple(
        0 if lu.played_in[card] else {"basic": 1, "master": 2}.get(tier, 2 + solo.BACKS[card].side)
        for card, tier in enumerate(solo.TIERS)
    )
    for kind in sorted(set(new) - {0}):
        exchange(dice, closed, new, kind)
    for pile in closed[1:4]:
        dice.shuffle(pile)
    deck = closed[0]
    for group in sorted({lu.played_in[card] for card in deck}):
        places = [at for at, card in enumerate(deck) if lu.played_in[card] == group]
        cards = [deck[at] for at in places]
        dice.shuffle(cards)
        for at, card in zip(places, cards, strict=True):
            deck[at] = card
    lu.deck[:-1] = deck
    for pile, rest in zip(lu.piles, closed[1:4], strict=True):
        pile[:-1] = rest
    lu.box = sorted(closed[4])


def exchange(dice: Dice, piles: list[list[int]], kind_of: tuple[int, ...], kind: int) -> None:
    """Exchanges the pieces of one kind between the piles."""
    places = [(pile, at) for pile in piles for at in range(len(pile)) if kind_of[pile[at]] == kind]
    pieces = [pile[at] for pile, at in places]
    dice.shuffle(pieces)
    for (pile, at), piece in zip(places, pieces, strict=True):
        pile[at] = piece
