"""How good a position is, for the bots: the final score that it promises, roughly.

Points already sure count in full; what still can earn points counts by what it earned in many games. The weights were
tuned by playing.
"""

from services.games.tea_garden.actions.costs import can_afford_card, can_pay, missing_teapots
from services.games.tea_garden.actions.main import garden_regions
from services.games.tea_garden.actions.rewards import side_possible
from services.games.tea_garden.components import (
    BASIC_TOKEN,
    BASKETS,
    CARAVAN_STRENGTHS,
    CARAVAN_TRADES,
    CARD_COST,
    CARD_EFFECTS,
    CARD_END,
    CARD_IDS,
    CARD_SALE,
    CARD_SIDES,
    CARD_STRENGTH,
    CARD_TEAPOTS,
    CARD_VP,
    COLUMNS,
    CUP_LINK_CAP,
    CUP_LINK_VP,
    DRAW,
    DRAW_DISCARD,
    DRAW_PER_ROUND,
    EMPEROR_CARD,
    EMPEROR_CARDS,
    FERMENT,
    HARVEST_EACH,
    HARVEST_LEAVES,
    LEAVES,
    MARKER,
    REGION_SPACES,
    REGION_VALUE,
    REMOVE,
    RIVER_END,
    RIVER_VP,
    ROUNDS,
    ROW_COST,
    ROW_REWARD,
    ROW_TOKENS,
    ROW_VP,
    SIDE,
    SPACE_COSTS,
    STRENGTH_SCROLL,
    TOKEN,
    TOKEN_REWARD,
    TOP_ROW,
    VP,
    Cost,
    members,
    reward_parts,
)
from services.games.tea_garden.pu_erh.evaluation import best_court, court_pending, court_value
from services.games.tea_garden.scoring import (
    emperor_card_points,
    final_lines,
    matched_links,
    own_cards,
    university_points,
)
from services.games.tea_garden.state import (
    CHOOSE_SIDE,
    COVER,
    LAY,
    OVER,
    PAY_CARAVAN,
    PAY_CARD,
    PAY_STEP,
    PLACE_CUP,
    Player,
    State,
)

# Of a main action with strength 0, 1, 2 …: the last points of strength add little.
MAIN_ACTION = (0.0, 2.7, 4.6, 5.8, 6.7, 7.3, 7.7, 7.9, 8.1)
BEYOND = 0.15  # of each further point
STRENGTH = 0.8  # of a point of strength each time a card is played
MISSING_TEAPOT = 1.8
SIDE_ACTION = 3.0
SIDE_SYMBOL = 0.5  # how often the side action of a card that is played will be used
TEAPOT = 0.7
DRAWN_CARD = 1.5
THINNING = 1.0  # of a weak card removed
EMPEROR_CARD_WORTH = 10.0
BASIC_TOKEN_WORTH = 3.0
EXTRA_HARVEST = 2.5
TOKEN_WORTH = 3.5
SCROLL_WORTH = 1.8
MARKER_WORTH = 2.2
FRESH_LEAF = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
FERMENTED_LEAF = (0.9, 1.04, 1.18, 1.32, 1.46, 1.6)
SPARE_LEAF = 0.15  # of a leaf that there will be no time to use
LEAVES_PER_TURN = 3.5
TURNS_PER_ROUND = 3.3
HOPE_ON_TRACKS = 0.2  # for each round to come: how much of an even rise a track promises beyond its points so far
HOPE_FOR_EMPEROR_CARDS = 0.1  # for each round to come: how much of what is missing of an emperor card's most
FERMENTING = 0.4
# Search is to follow a turn to its end first: its main action, not yet used, counts for less than it may bring, what
# can wait for it for more, and a turn begun for more than one that is not.
RIGHTS = 0.9
LATER = 1.15
LAYING, IN_TURN = 5.0, 5.0
WASTE = 3.0  # taken off while paying, once a cheaper fresh leaf has been passed over
CLIMBING = 0.95  # of what a step of the emperor track that can be paid would bring
NEXT_STEP = 0.7  # of what a step brings, shared out over the tokens for it
FIRST_CUP = 0.5  # of a row of cups, for each round to come


def reward_worth(code: int) -> float:
    """About how many points a reward is worth."""
    kind, amount, detail = reward_parts(code)
    if kind == LEAVES:
        return amount * FRESH_LEAF[detail - 1]
    each = {
        VP: 1.0,
        TOKEN: TOKEN_WORTH,
        FERMENT: FERMENTING,
        MARKER: MARKER_WORTH,
        DRAW: DRAWN_CARD,
        DRAW_DISCARD: 0.5,
        REMOVE: THINNING,
        SIDE: SIDE_ACTION,
        EMPEROR_CARD: EMPEROR_CARD_WORTH,
        BASIC_TOKEN: BASIC_TOKEN_WORTH,
        HARVEST_EACH: EXTRA_HARVEST,
    }
    return amount * each.get(kind, SCROLL_WORTH)


def card_worth(card: int) -> float:
    """What playing the card once is worth, besides its strength."""
    worth = 0.0
    if CARD_SIDES[card]:
        worth += SIDE_ACTION * (SIDE_SYMBOL + 0.1 * len(CARD_SIDES[card]))
    if CARD_TEAPOTS[card]:
        worth += TEAPOT
    if CARD_SALE[card][0]:
        worth += 2.0
    return worth + 0.5 * sum(reward_worth(code) for effect in CARD_EFFECTS[card] if effect for code in effect)


WORTH = tuple(card_worth(card) for card in range(len(CARD_IDS)))
CARAVAN_WORTH = tuple(
    tuple(
        sum(map(reward_worth, trade[1])) + sum(map(reward_worth, strength[1]))
        for trade in CARAVAN_TRADES[caravan]
        for strength in CARAVAN_STRENGTHS[caravan]
    )
    for caravan in range(len(CARAVAN_TRADES))
)
# Of the rows of the emperor track: emperor cards gained, and what else a step brings, less its leaf.
STEP_CARDS = tuple(sum(code & 31 == EMPEROR_CARD for code in reward) for reward in ROW_REWARD)
STEP_WORTH = tuple(
    sum(reward_worth(code) for code in reward if code & 31 != EMPEROR_CARD) + points - FRESH_LEAF[cost[2] - 1]
    for reward, points, cost in zip(ROW_REWARD, ROW_VP, ROW_COST, strict=True)
)


def leaves_worth(cost: Cost) -> float:
    """What the leaves of a cost would be worth if kept."""
    total, brown, quality = cost
    return brown * FERMENTED_LEAF[1] + (total - brown) * FRESH_LEAF[quality - 1]


# For the best main action: least strength, leaves, fermented leaves and gain of each way to sell to a caravan; what a
# card's strength and symbols bring each time it is played; what its leaves are worth.
CARAVAN_TERMS = tuple(
    tuple(
        (strength[0], trade[0][0], trade[0][1], CARAVAN_WORTH[caravan][2 * t + o] - leaves_worth(trade[0]))
        for t, trade in enumerate(CARAVAN_TRADES[caravan])
        for o, strength in enumerate(CARAVAN_STRENGTHS[caravan])
    )
    for caravan in range(len(CARAVAN_TRADES))
)
PLAY_WORTH = tuple(WORTH[card] + STRENGTH * CARD_STRENGTH[card] for card in range(len(CARD_IDS)))
CARD_PRICE = tuple(map(leaves_worth, CARD_COST))
# Kinds of leaves and their worth, from the highest basket down, fermented before fresh.
BEST_LEAVES = tuple(
    pair
    for basket in range(BASKETS - 1, -1, -1)
    for pair in ((basket + BASKETS, FERMENTED_LEAF[basket]), (basket, FRESH_LEAF[basket]))
)
FREE_SPACES = sum(cost is None for cost in SPACE_COSTS)
TOKEN_WORTHS = tuple(sum(map(reward_worth, reward)) for reward in TOKEN_REWARD)


def evaluate(s: State, seat: int) -> float:
    if s.question == OVER or (s.lu_yu is not None and seat == s.lu_yu.seat):
        return float(sum(line.points for line in final_lines(s, seat)))
    p = s.players[seat]
    rounds = ROUNDS - s.round
    turns = TURNS_PER_ROUND * rounds + turns_left(p)
    active = s.seat == seat and s.laid
    value = float(p.vp + university_points(p) + ROW_VP[p.row])
    value += cards_value(p, rounds, turns)
    value += leaves_value(p, turns + (active and not s.main_used))
    value += sum(HARVEST_LEAVES * FRESH_LEAF[REGION_VALUE[region] - 1] for region in p.gardens) * rounds
    value += climbing(CUP_LINK_VP, min(CUP_LINK_CAP, matched_links(p)), rounds)
    value += p.spot if p.boat == RIVER_END else climbing(RIVER_VP, p.boat, rounds)
    value += FIRST_CUP * rounds if p.cups else 0.0
    value += supplies_value(p, turns)
    value += climb_value(s, p, turns + active, rounds) * (LATER if active and not s.main_used else 1.0)
    value += court_value(s, p, seat, rounds, turns + active)
    if s.seat == seat:
        value += pending_value(s, p)
        if active:
            value += rights_value(s, p) + (LAYING if s.question == LAY else IN_TURN)
    return value


def turns_left(p: Player) -> int:
    """Turns that the seat can still take in this round without paying."""
    return 0 if p.passed else min(len(p.hand), max(0, FREE_SPACES - len(p.stacks)))


def climbing(points: tuple[int, ...], place: int, rounds: int) -> float:
    """A track whose last steps are worth most: early steps count for a part of what they lead to."""
    most = len(points) - 1
    even = max(points) * place / most
    return points[place] + HOPE_ON_TRACKS * rounds * max(0.0, even - points[place])


def cards_value(p: Player, rounds: int, turns: float) -> float:
    """Printed points, emperor cards, and what the cards will do in the turns to come."""
    cards = own_cards(p)
    value = float(sum(CARD_VP[card] for card in cards))
    for card in cards:
        if card >= EMPEROR_CARDS.start:
            value += emperor_card_value(p, cards, card, rounds)
    if not turns:
        return value
    draws = rounds * DRAW_PER_ROUND / max(len(cards), 1)
    strength = sum(CARD_STRENGTH[card] for card in p.hand) + draws * sum(CARD_STRENGTH[card] for card in cards)
    value += turns * main_worth(strength / turns)
    symbols = sum(WORTH[card] for card in p.hand) + draws * sum(WORTH[card] for card in cards)
    return value + symbols * min(1.0, turns / (len(p.hand) + rounds * DRAW_PER_ROUND))


def main_worth(strength: float) -> float:
    """What a main action of that strength is worth."""
    whole = int(strength)
    if whole >= len(MAIN_ACTION) - 1:
        return MAIN_ACTION[-1] + BEYOND * (strength - len(MAIN_ACTION) + 1)
    return MAIN_ACTION[whole] + (MAIN_ACTION[whole + 1] - MAIN_ACTION[whole]) * (strength - whole)


def emperor_card_value(p: Player, cards: list[int], card: int, rounds: int) -> float:
    end = CARD_END[card]
    assert end is not None
    now = emperor_card_points(p, cards, end)
    if "max" not in end:
        return now
    most: int = end["vp"] * end["max"]
    return now + (most - now) * HOPE_FOR_EMPEROR_CARDS * rounds


def leaves_value(p: Player, turns: float) -> float:
    """The best leaves first, as many as there is time to use."""
    useful = LEAVES_PER_TURN * turns
    value = 0.0
    leaves = p.leaves
    for kind, worth in BEST_LEAVES:
        if count := leaves[kind]:
            used = min(count, useful)
            useful -= used
            value += used * worth + (count - used) * SPARE_LEAF
    return value


def supplies_value(p: Player, turns: float) -> float:
    scrolls, markers = sum(p.scrolls), sum(map(sum, p.markers))
    time = min(1.0, turns / 3)
    return scrolls * (1 + (SCROLL_WORTH - 1) * time) + markers * MARKER_WORTH * min(1.0, turns)


def climb_value(s: State, p: Player, turns: float, rounds: int) -> float:
    """What the emperor tokens are worth: the rows they can climb now, and a part of the next one."""
    tokens, row, value = p.tokens, p.row, 0.0
    if not turns:
        return float(tokens)
    while row < TOP_ROW and can_pay(p.leaves, ROW_COST[row + 1]):
        worth = STEP_WORTH[row + 1]
        if STEP_CARDS[row + 1]:
            worth += STEP_CARDS[row + 1] * best_offer(s, p, rounds)
        if tokens < ROW_TOKENS[row + 1]:
            return value + tokens * max(1.0, NEXT_STEP * min(1.0, turns / 3) * worth / ROW_TOKENS[row + 1])
        row += 1
        tokens -= ROW_TOKENS[row]
        value += CLIMBING * worth
    return value + tokens * (1.0 if row == TOP_ROW else 1.0 + min(1.0, turns / 3))


def best_offer(s: State, p: Player, rounds: int) -> float:
    cards = own_cards(p)
    return max((offered_worth(p, cards, card, rounds) for card in s.emperor_row if card >= 0), default=0.0)


def offered_worth(p: Player, own: list[int], card: int, rounds: int) -> float:
    """What an emperor card on offer would add."""
    cards = [*own, card]
    return emperor_card_value(p, cards, card, rounds) + (PLAY_WORTH[card] * (0.5 + 0.3 * rounds) if rounds else 0.0)


def pending_value(s: State, p: Player) -> float:
    """What is promised already, less what is still to be paid."""
    value = sum(reward_worth(code) for frame in s.frames for code in frame[1:])
    value -= due_worth(s, p)
    if s.question == COVER or s.paying_for == PAY_CARD:
        value += CARD_VP[s.subject] + PLAY_WORTH[s.subject] * (1 + 0.3 * (ROUNDS - s.round)) - s.left * MISSING_TEAPOT
    elif s.paying_for == PAY_CARAVAN:
        value += CARAVAN_WORTH[s.subject][s.option]
    elif s.paying_for == PAY_STEP:
        value += STEP_WORTH[p.row + 1] + STEP_CARDS[p.row + 1] * EMPEROR_CARD_WORTH
    if s.question in (PLACE_CUP, CHOOSE_SIDE):
        value += SIDE_ACTION
    return value + court_pending(s, p, reward_worth, leaves_worth)


def due_worth(s: State, p: Player) -> float:
    """What the cheapest leaves that pay what is due would be worth if kept."""
    if not s.due:
        return 0.0
    (total, brown, quality), *others = s.due
    worth = sum(map(leaves_worth, others))
    if any(p.leaves[quality - 1 : (s.reached + 1) // 2]):
        worth += WASTE
    from_basket = max(quality - 1, s.reached // 2)
    for basket in range(max(quality - 1, (s.reached + 1) // 2), BASKETS):
        paid = min(p.leaves[basket], total - brown)
        total -= paid
        worth += paid * FRESH_LEAF[basket]
    for basket in range(from_basket, BASKETS):
        paid = min(p.leaves[basket + BASKETS], total)
        total -= paid
        worth += paid * FERMENTED_LEAF[basket]
    return worth + total * FRESH_LEAF[-1]


def rights_value(s: State, p: Player) -> float:
    """What the rest of the turn may bring."""
    top = p.stacks[-1][-1]
    value = 0.0
    if not s.main_used:
        value += RIGHTS * best_main(s, p, s.strength or sum(CARD_STRENGTH[card] for card in p.stacks[-1]))
    if not s.side_used and any(side_possible(s, p, side) for side in CARD_SIDES[top]):
        value += SIDE_ACTION if s.main_used else LATER * SIDE_ACTION
    later = 1.0 if s.main_used else LATER
    for number, effect in enumerate(CARD_EFFECTS[top]):
        if effect and not s.effects_used >> number & 1:
            value += later * sum(map(reward_worth, effect))
    return value


def best_main(s: State, p: Player, strength: int) -> float:
    """About what the best main action would add; a strength scroll counts a point."""
    scrolls = p.scrolls[STRENGTH_SCROLL]
    rounds = ROUNDS - s.round
    best = min(strength, len(p.gardens)) * FRESH_LEAF[3]
    best = max(best, min(strength, sum(p.leaves[:BASKETS])) * FERMENTING)
    for region in members(garden_regions(s, p, strength)):
        best = max(best, garden_worth(s, region, rounds))
    fermented = sum(p.leaves[BASKETS:])
    leaves = sum(p.leaves[:BASKETS]) + fermented
    for caravan in s.caravan_row:
        for least, total, brown, worth in CARAVAN_TERMS[caravan] if caravan >= 0 else ():
            if worth > best and total <= leaves and brown <= fermented and least <= strength + scrolls:
                best = max(best, worth - max(0, least - strength))
    plays = 1 + rounds * DRAW_PER_ROUND / 14 if rounds or p.hand else 0.0
    for column, card in enumerate(s.action_row):
        worth = CARD_VP[card] + plays * PLAY_WORTH[card] - CARD_PRICE[card]
        if worth > best and COLUMNS[column] <= strength + scrolls and can_afford_card(p, card, CARD_COST[card]):
            worth -= max(0, COLUMNS[column] - strength) + MISSING_TEAPOT * missing_teapots(card, p.teapots)
            best = max(best, worth)
    return max(best, best_court(s, p, strength, reward_worth, leaves_worth)) if s.court.decrees else best


def garden_worth(s: State, region: int, rounds: int) -> float:
    worth = rounds * HARVEST_LEAVES * FRESH_LEAF[REGION_VALUE[region] - 1]
    worth += max(points for points, seat in zip(REGION_SPACES[region], s.spaces[region], strict=True) if seat < 0)
    return worth + (TOKEN_WORTHS[s.tokens[region]] if s.tokens[region] >= 0 else 0.0)
