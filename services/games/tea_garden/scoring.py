"""The final scoring with its breakdown (TG-911 to TG-918, PE-401 to PE-403, LY-501 to LY-503)."""

from itertools import pairwise
from typing import Any

from services.engine.game import Line, Outcome
from services.games.tea_garden.components import (
    ACTION_CARDS,
    BASKETS,
    CARD_END,
    CARD_SIDES,
    CARD_TEAPOTS,
    CARD_VP,
    CENTRE_VP,
    CUP_LINK_CAP,
    CUP_LINK_VP,
    CUPS,
    EMPEROR_CARDS,
    PART_VP,
    RESEARCH,
    RIVER,
    RIVER_END,
    RIVER_VP,
    ROW_VP,
    SCROLL_VP,
    SECTOR_PARTS,
    START_CARDS,
    TEAPOT_SCROLL,
    TILE_LEFT,
    TILE_RIGHT,
    TOKEN_VP,
)
from services.games.tea_garden.lu_yu import cards as solo
from services.games.tea_garden.pu_erh.components import CAKE, POINTS, STARS
from services.games.tea_garden.pu_erh.decrees import cakes, decree_points
from services.games.tea_garden.state import OVER, LuYu, Player, State


def own_cards(p: Player) -> list[int]:
    """The deck of cards in the sense of the scoring (TG-109)."""
    return p.hand + p.deck + p.discard + [card for stack in p.stacks for card in stack]


def counted(p: Player, cards: list[int], what: str) -> int:
    """How many of a thing an emperor card counts."""
    if what == "fermented_leaf":
        return sum(p.leaves[BASKETS:])
    if what == "fresh_leaf":
        return sum(p.leaves[:BASKETS])
    if what == "teapot_scroll":
        return p.scrolls[TEAPOT_SCROLL]
    if what == "garden":
        return len(p.gardens)
    if what == "caravan":
        return len(p.caravans)
    if what == "pu_erh_cake":
        return cakes(p)
    if what == "start_card":
        return sum(card in START_CARDS for card in cards)
    if what == "card_with_teapot":
        return sum(CARD_TEAPOTS[card] > 0 for card in cards)
    side = {"card_with_river": RIVER, "card_with_cups": CUPS, "card_with_research": RESEARCH}[what]
    return sum(side in CARD_SIDES[card] for card in cards)


def emperor_card_points(p: Player, cards: list[int], end: dict[str, Any]) -> int:
    """TG-912."""
    points: int
    if "flat" in end:
        points = end["flat"]
    elif "minus_per" in end:
        points = end["base"] - end["vp"] * counted(p, cards, end["minus_per"])
    else:
        points = end["vp"] * min(end["max"], counted(p, cards, end["per"]))
    return points


def emperor_points(p: Player, cards: list[int]) -> int:
    return sum(
        emperor_card_points(p, cards, end)
        for card in cards
        if card >= EMPEROR_CARDS.start and (end := CARD_END[card]) is not None
    )


def river_points(p: Player) -> int:
    return p.spot if p.boat == RIVER_END else RIVER_VP[p.boat]


def university_points(p: Player) -> int:
    """Where the part does not matter, as for Lu Yu, the lower of the two counts (RU-51)."""
    parts = (p.part,) if p.part >= 0 else SECTOR_PARTS[p.sector]
    return CENTRE_VP * p.centre + min((PART_VP[part] for part in parts), default=0)


def matched_links(p: Player) -> int:
    return sum(TILE_RIGHT[left] == TILE_LEFT[right] for row in p.cups for left, right in pairwise(row))


def cup_points(p: Player) -> int:
    return CUP_LINK_VP[min(CUP_LINK_CAP, matched_links(p))]


def cake_points(p: Player) -> int:
    """PE-401."""
    return sum(
        sum(STARS[token] for token in tokens) * sum(POINTS[token] for token in tokens)
        for tokens in p.sets
        if len(tokens) == CAKE
    )


def player_lines(p: Player) -> list[Line]:
    cards = own_cards(p)
    return [
        Line("during_game", p.vp),
        Line("action_cards", sum(CARD_VP[card] for card in cards if card in ACTION_CARDS)),
        Line("emperor_cards", emperor_points(p, cards)),
        Line("river", river_points(p)),
        Line("university", university_points(p)),
        Line("emperor_track", ROW_VP[p.row]),
        Line("cups", cup_points(p)),
        Line("scrolls", SCROLL_VP * sum(p.scrolls)),
        Line("emperor_tokens", TOKEN_VP * p.tokens),
    ]


def lu_yu_lines(p: Player, lu: LuYu) -> list[Line]:
    return [
        Line("action_cards", sum(CARD_VP[card] for card in lu.cards)),
        Line("caravans", solo.CARAVAN_VP * len(p.caravans)),
        Line("river", river_points(p)),
        Line("university", university_points(p)),
        Line("emperor_track", solo.EMPEROR_ROW_VP[p.row]),
        Line("cups", cup_points(p)),
        Line("fresh_leaves", lu.fresh // solo.FRESH_PER_VP),
        Line("fermented_leaves", solo.FERMENTED_VP * lu.fermented),
    ]


def court_lines(s: State, p: Player, seat: int, automa: bool) -> list[Line]:
    """What the expansion adds. Lu Yu's points for halls are the only ones that he scores during the game (RU-53)."""
    if not s.court.decrees:
        return []
    decrees = Line("decrees", decree_points(s, seat))
    if not automa:
        return [Line("cakes", cake_points(p)), decrees]
    complete = cakes(p)
    points = solo.CAKE_VP * complete + solo.INCOMPLETE_CAKE_VP * (len(p.sets) - complete)
    return [Line("halls", p.vp), Line("cakes", points), decrees]


def final_lines(s: State, seat: int) -> list[Line]:
    p = s.players[seat]
    automa = s.lu_yu is not None and seat == s.lu_yu.seat
    own = lu_yu_lines(p, s.lu_yu) if s.lu_yu is not None and automa else player_lines(p)
    return own + court_lines(s, p, seat, automa)


def outcome(s: State) -> Outcome | None:
    if s.question != OVER:
        return None
    lines = [final_lines(s, seat) for seat in range(len(s.players))]
    scores = [sum(line.points for line in own) for own in lines]
    reason = "points"
    if s.lu_yu is None:
        # TG-918: ties go to more leaves, then to more fermented ones.
        ranks = [(score, sum(p.leaves), sum(p.leaves[BASKETS:])) for score, p in zip(scores, s.players, strict=True)]
        tied = scores.count(max(scores)) > 1
        if tied:
            reason = "shared" if ranks.count(max(ranks)) > 1 else "tie_break"
    else:
        ranks = [(score, int(seat == s.lu_yu.seat), 0) for seat, score in enumerate(scores)]  # LY-503
    places = [1 + sum(other > own for other in ranks) for own in ranks]
    return Outcome(places, scores, lines, reason)
