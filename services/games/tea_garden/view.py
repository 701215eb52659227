"""What a seat, or a spectator, may see (TG-951 to TG-953, LY-209)."""

from services.games.tea_garden.components import (
    BASKETS,
    CARAVAN_IDS,
    CARD_EFFECTS,
    CARD_IDS,
    PART_IDS,
    PROVINCES,
    REGION_IDS,
    REPEAT_SCROLL,
    RESEARCH,
    REWARDS,
    SIDE,
    SIDES,
    STRENGTH_SCROLL,
    TEAPOT_SCROLL,
    TILE_IDS,
    TOKEN_IDS,
    reward_parts,
)
from services.games.tea_garden.lu_yu import cards as solo
from services.games.tea_garden.lu_yu.view import LEFT_OUT, back_view
from services.games.tea_garden.pu_erh.components import DECREE_IDS, PU_ERH_IDS
from services.games.tea_garden.pu_erh.view import court_view
from services.games.tea_garden.state import (
    CHOOSE_SIDE,
    COVER,
    DECREE_SPACE,
    OVER,
    PAGODA,
    PAY_CARAVAN,
    PAY_CARD,
    PAY_PU_ERH,
    PAY_REPEAT,
    PAYING_FOR,
    PLACE_CUP,
    PLACE_TOKEN,
    QUESTIONS,
    REMOVING,
    REPEAT,
    SPACE,
    LuYu,
    Player,
    State,
)
from teahouse.games.tea_garden.v1 import structs as show


def view(s: State, seat: int | None) -> show.View:
    return show.View(
        round=s.round,
        first=s.first,
        active=-1 if s.question == OVER else s.seat,
        question=QUESTIONS[s.question],
        turn=turn_view(s, seat),
        players=[player_view(s, p, number, number == seat) for number, p in enumerate(s.players)],
        regions=[
            show.RegionView(
                REGION_IDS[region], TOKEN_IDS[s.tokens[region]] if s.tokens[region] >= 0 else "", spaces.copy()
            )
            for region, spaces in enumerate(s.spaces)
        ],
        action_row=[CARD_IDS[card] for card in s.action_row],
        action_deck=len(s.action_deck),
        caravan_row=[CARAVAN_IDS[caravan] if caravan >= 0 else "" for caravan in s.caravan_row],
        caravan_deck=len(s.caravan_deck),
        emperor_row=[CARD_IDS[card] if card >= 0 else "" for card in s.emperor_row],
        emperor_deck=len(s.emperor_deck),
        cup_stacks=[
            show.CupStackView(PROVINCES[province], TILE_IDS[stack[-1]] if stack else "", len(stack))
            for province, stack in enumerate(s.cup_stacks)
        ],
        river_spots=s.spots.copy(),
        removed=[CARD_IDS[card] for card in s.removed],
        lu_yu=lu_yu_view(s, s.lu_yu) if s.lu_yu is not None else None,
        pu_erh=court_view(s) if s.court.decrees else LEFT_OUT,
    )


def turn_view(s: State, seat: int | None) -> show.TurnView:
    p = s.players[s.seat]
    looking = s.question == REMOVING and seat == s.seat
    return show.TurnView(
        laid=s.laid,
        strength=s.strength,
        main_used=s.main_used,
        side_used=s.side_used,
        repeated=s.repeated,
        must_lay=s.freed and not s.laid,
        effects_used=[number + 1 for number in range(max(map(len, CARD_EFFECTS))) if s.effects_used >> number & 1],
        leaves_sold=s.sold,
        due=[show.CostView(*cost) for cost in s.due],
        paying_for=PAYING_FOR[s.paying_for],
        left=s.left,
        region=REGION_IDS[s.subject] if s.question in (PAGODA, SPACE) else 0,
        piece=piece_in_question(s),
        side=side_in_question(s),
        pending=[pending_view(code) for frame in reversed(s.frames) for code in frame[1:]],
        deck=[CARD_IDS[card] for card in sorted(p.deck)] if looking else [],
    )


def piece_in_question(s: State) -> str:
    if s.question == COVER or s.paying_for == PAY_CARD:
        return CARD_IDS[s.subject]
    if s.paying_for == PAY_CARAVAN:
        return CARAVAN_IDS[s.subject]
    if s.question == PLACE_TOKEN or s.paying_for == PAY_PU_ERH:
        return PU_ERH_IDS[s.subject]
    if s.question == DECREE_SPACE:
        return DECREE_IDS[s.court.decrees[s.subject]]
    return TILE_IDS[s.subject] if s.question == PLACE_CUP else ""


def side_in_question(s: State) -> str:
    if s.question == REPEAT:
        return SIDES[s.frames[-1][0]]
    return SIDES[s.option] if s.question == CHOOSE_SIDE or s.paying_for == PAY_REPEAT else ""


def pending_view(code: int) -> show.PendingView:
    kind, amount, detail = reward_parts(code)
    return show.PendingView(REWARDS[kind], amount, SIDES[detail] if kind == SIDE else "")


def player_view(s: State, p: Player, seat: int, own: bool) -> show.PlayerView:
    lu = s.lu_yu if s.lu_yu is not None and s.lu_yu.seat == seat else None
    return show.PlayerView(
        vp=p.vp,
        passed=p.passed,
        hand_size=len(p.hand),
        hand=[CARD_IDS[card] for card in sorted(p.hand)] if own else [],
        deck_size=len(p.deck),
        discard=[CARD_IDS[card] for card in p.discard],
        stacks=[show.StackView([CARD_IDS[card] for card in stack]) for stack in p.stacks],
        fresh=p.leaves[:BASKETS] if lu is None else [lu.fresh],
        fermented=p.leaves[BASKETS:] if lu is None else [lu.fermented],
        strength_scrolls=p.scrolls[STRENGTH_SCROLL],
        teapot_scrolls=p.scrolls[TEAPOT_SCROLL],
        repeat_scrolls=p.scrolls[REPEAT_SCROLL],
        emperor_tokens=p.tokens,
        pagodas=p.pagodas.copy(),
        gardens=[REGION_IDS[region] for region in p.gardens],
        boat=p.boat,
        boat_spot=p.spot,
        sector=p.sector,
        part=PART_IDS[p.part] if p.part >= 0 else "",
        centre=p.centre,
        workers=p.workers,
        emperor_row=p.row,
        cups=[
            show.CupRowView([TILE_IDS[tile] for tile in row], markers.copy())
            for row, markers in zip(p.cups, p.markers, strict=True)
        ],
        caravans=[CARAVAN_IDS[caravan] for caravan in p.caravans],
    )


def lu_yu_view(s: State, lu: LuYu) -> show.LuYuView:
    return show.LuYuView(
        seat=lu.seat,
        deck_size=len(lu.deck),
        top=back_view(s, lu.deck[-1]),
        laid=[solo.IDS[card] for card in lu.laid],
        piles=[
            show.LuYuPile(SIDES[side], len(lu.piles[side - 1]), back_view(s, pile[-1]) if pile else None)
            for side, pile in zip(range(1, RESEARCH + 1), lu.piles, strict=True)
        ],
        cards=[CARD_IDS[card] for card in lu.cards],
    )
