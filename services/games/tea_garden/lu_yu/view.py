"""Pieces in the words of the contract."""

from typing import Any

from msgspec import UNSET

from services.games.tea_garden.components import PROVINCES, SIDES
from services.games.tea_garden.lu_yu import cards
from services.games.tea_garden.state import State
from teahouse.games.tea_garden.v1 import structs as show

LEFT_OUT: Any = UNSET  # a field with this value is not encoded


def back_view(s: State, card: int) -> show.LuYuBack:
    """What the back of one of Lu Yu's cards shows."""
    back = cards.BACKS[card]
    return show.LuYuBack(
        back.strength,
        SIDES[back.side],
        [PROVINCES[province] for province in back.regions],
        [PROVINCES[province] for province in back.cups],
        back.caravan + 1,
        back.emperor + 1,
        show.LuYuCourtBack([hall + 1 for hall in back.halls], [position + 1 for position in back.market])
        if s.court.decrees
        else LEFT_OUT,
    )
