"""Pieces in the words of the contract."""

from services.tea_garden import lu_yu_cards as cards
from services.tea_garden.components import PROVINCES, SIDES
from teahouse.games.tea_garden.v1 import structs as show


def back_view(card: int) -> show.LuYuBack:
    """What the back of one of Lu Yu's cards shows."""
    back = cards.BACKS[card]
    return show.LuYuBack(
        back.strength,
        SIDES[back.side],
        [PROVINCES[province] for province in back.regions],
        [PROVINCES[province] for province in back.cups],
        back.caravan + 1,
        back.emperor + 1,
    )
