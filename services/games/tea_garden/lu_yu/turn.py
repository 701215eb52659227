"""Lu Yu's turn: the rules leave him no choice (LY-201 to LY-315)."""

from collections.abc import Callable

from services.engine.game import Story
from services.games.tea_garden.actions.handlers import tell
from services.games.tea_garden.actions.main import occupy, refill_caravan, slide_action_row
from services.games.tea_garden.actions.rewards import refill_emperor_card
from services.games.tea_garden.actions.side import join, move_boat, move_worker, take_tile
from services.games.tea_garden.components import (
    CARAVAN_IDS,
    CARD_IDS,
    COLUMNS,
    CUPS,
    PROVINCES,
    REGION_IDS,
    REGION_PROVINCE,
    REGION_SPACES,
    REGION_VALUE,
    RIVER,
    RIVER_END,
    SIDES,
    TILE_LEFT,
    TILE_RIGHT,
    TOP_ROW,
    members,
)
from services.games.tea_garden.lu_yu import cards
from services.games.tea_garden.lu_yu.cards import Back, Operation
from services.games.tea_garden.lu_yu.view import back_view
from services.games.tea_garden.pu_erh.components import CAKE, HALL_IDS, HALL_SPACES
from services.games.tea_garden.pu_erh.decrees import settle_decrees
from services.games.tea_garden.pu_erh.halls import send_messenger
from services.games.tea_garden.pu_erh.market import join_set, take_premium, tokens_for
from services.games.tea_garden.state import LuYu, Player, State
from teahouse.games.tea_garden.v1 import structs as do

Reason = tuple[str, int, str]  # why, the number that decided, what was chosen


class ImpossibleError(Exception):
    """The operation cannot be done; holds the reason."""

    def __init__(self, why: str, value: int = 0) -> None:
        super().__init__(why)
        self.reason: Reason = (why, value, "")


def take_turn(s: State, story: Story) -> bool:
    """His whole turn; False if he passes (LY-201, LY-202)."""
    lu = s.lu_yu
    assert lu is not None
    p = s.players[lu.seat]
    if len(lu.laid) >= p.turn_spaces or not pay_space(lu):
        return False
    card = lu.deck.pop()
    lu.laid.append(card)
    lu.played_in[card] = s.round
    assert lu.deck, "RU-55: a card is always left to read"
    if story is not None:
        tell(story, do.LuYuCard(cards.IDS[card], len(lu.laid), back_view(s, lu.deck[-1])), reveals=True)
    turn = Turn(s, lu, p)
    for number, operations in enumerate(cards.FRONTS[card], 1):
        for one in operations:  # LY-204: the second only if the first is impossible
            if turn.resolve(number, one, story):
                break
    settle_decrees(s, p, lu.seat, False, story)  # LY-207
    return True


def pay_space(lu: LuYu) -> bool:
    """Pays the next turn space: fermented leaves where they must be, then fresh before fermented (LY-202, RU-47)."""
    total, brown, _ = cards.SPACE_COSTS[len(lu.laid)] or (0, 0, 1)
    if lu.fermented < brown or lu.fresh + lu.fermented < total:
        return False
    fresh = min(lu.fresh, total - brown)
    lu.fresh -= fresh
    lu.fermented -= total - fresh
    return True


class Turn:
    """The resolution of one card."""

    def __init__(self, s: State, lu: LuYu, p: Player) -> None:
        self.s, self.lu, self.p = s, lu, p
        self.side = 0  # the side action performed last by this card
        self.operations: dict[str, Callable[[int, Story], Reason]] = {
            "garden": self.garden,
            "buy": self.buy,
            "caravan": self.caravan,
            "court": self.court,
            "market": self.market,
            "leaves": self.leaves,
            "ferment": self.ferment,
            "emperor_token": self.emperor_token,
            "side_action": self.side_action,
            "repeat_side": self.repeat_side,
            "emperor_step": self.emperor_step,
            "advanced_card": self.advanced_card,
        }

    @property
    def back(self) -> Back:
        """The indicators at this moment: the back of the card now on top of the deck (LY-203)."""
        return cards.BACKS[self.lu.deck[-1]]

    def resolve(self, number: int, operation: Operation, story: Story) -> bool:
        details: Story = None if story is None else []
        done = True
        try:
            reason = self.operations[operation.name](operation.number, details)
        except ImpossibleError as impossible:
            done, reason = False, impossible.reason
        if story is not None:
            tell(story, do.LuYuStep(number, operation.name, done, *reason))
            story += details or []
        return done

    def garden(self, strength: int, story: Story) -> Reason:
        """LY-301: the highest value, then the province's priority, then the lowest number."""
        s, p, priority = self.s, self.p, self.back.regions
        candidates = members(p.near & s.room & ~p.own)
        if not p.pagodas or not candidates:
            raise ImpossibleError("no_pagoda" if candidates else "no_region")

        def rank(region: int) -> tuple[int, int, int]:
            province = REGION_PROVINCE[region]
            place = priority.index(province) if province in priority else len(priority)
            return -REGION_VALUE[region], place, REGION_IDS[region]

        region = min(candidates, key=rank)
        points = REGION_SPACES[region]
        free = [space for space, seat in enumerate(s.spaces[region]) if seat < 0]
        space = max(free, key=lambda one: (points[one], -one))
        p.pagodas.pop(0)
        occupy(s, p, self.lu.seat, region, space)
        if story is not None:
            tell(story, do.Founded(self.lu.seat, REGION_IDS[region], space + 1, 0))
        return "region_priority", REGION_VALUE[region], str(REGION_IDS[region])

    def buy(self, strength: int, story: Story) -> Reason:
        """LY-302: the rightmost card that his total strength reaches."""
        s, total = self.s, strength + self.back.strength
        reached = [column for column in range(len(s.action_row)) if COLUMNS[column] <= total]
        if not reached:
            raise ImpossibleError("no_card", total)
        card = s.action_row[reached[-1]]
        self.lu.cards.append(card)
        if story is not None:
            tell(story, do.Bought(self.lu.seat, CARD_IDS[card], reached[-1] + 1))
        slide_action_row(s, reached[-1], story)
        return "total_strength", total, CARD_IDS[card]

    def caravan(self, strength: int, story: Story) -> Reason:
        """LY-303."""
        s, position = self.s, self.back.caravan
        caravan = s.caravan_row[position]
        if caravan < 0:
            raise ImpossibleError("empty_position", position + 1)
        self.p.caravans.append(caravan)
        if story is not None:
            tell(story, do.CaravanSold(self.lu.seat, CARAVAN_IDS[caravan], 0, 0))
        refill_caravan(s, position, story)
        return "caravan_position", position + 1, CARAVAN_IDS[caravan]

    def court(self, strength: int, story: Story) -> Reason:
        """LY-304: the highest space that he reaches in the first hall of his priority."""
        s, total = self.s, strength + self.back.strength
        if not s.court.halls:
            raise ImpossibleError("needs_expansion")
        if not self.p.messengers:
            raise ImpossibleError("no_messenger")
        for hall in self.back.halls:
            for space, seat in enumerate(s.court.spaces[hall]):
                if seat < 0 and HALL_SPACES[space] <= total:
                    send_messenger(s, self.p, self.lu.seat, hall, space, story)
                    return "hall_priority", total, HALL_IDS[s.court.halls[hall]]
        raise ImpossibleError("no_hall_space", total)

    def market(self, strength: int, story: Story) -> Reason:
        """LY-305: tokens in the order of the positions; they fill one set after the other."""
        s, p, total = self.s, self.p, strength + self.back.strength
        if not s.court.halls:
            raise ImpossibleError("needs_expansion")
        offered = [position for position in self.back.market if s.court.premium_row[position] >= 0]
        wanted = offered[: tokens_for(total)]
        if not wanted:
            raise ImpossibleError("no_pu_erh", total)
        for position in wanted:
            token = take_premium(s, self.lu.seat, position, story)
            full = not p.sets or len(p.sets[-1]) == CAKE
            join_set(p, self.lu.seat, token, len(p.sets) - (not full), story)
        return "market_order", total, ""

    def leaves(self, count: int, story: Story) -> Reason:
        self.lu.fresh += count
        return "as_printed", count, ""

    def ferment(self, count: int, story: Story) -> Reason:
        count = min(count, self.lu.fresh)
        if not count:
            raise ImpossibleError("no_fresh_leaf")
        self.lu.fresh -= count
        self.lu.fermented += count
        return "as_printed", count, ""

    def emperor_token(self, count: int, story: Story) -> Reason:
        self.p.tokens += count
        return "as_printed", count, ""

    def side_action(self, _: int, story: Story) -> Reason:
        side = self.back.side
        reason = self.perform(side, story)
        self.side = side
        return reason

    def perform(self, side: int, story: Story) -> Reason:
        """LY-311."""
        if side == RIVER:
            if self.p.boat == RIVER_END:
                raise ImpossibleError("end_of_river")
            move_boat(self.s, self.p, self.lu.seat, story)
        elif side == CUPS:
            return self.make_cup(story)
        else:
            move_worker(self.p, self.lu.seat, -1, story)
        return "indicated", 0, SIDES[side]

    def make_cup(self, story: Story) -> Reason:
        """A tile that matches an end of his row, or else any; the stack's priority decides."""
        s, p = self.s, self.p
        stacks = [one for one in self.back.cups if s.cup_stacks[one] and p.provinces >> one & 1]
        if not stacks:
            raise ImpossibleError("no_cup_tile")
        why, province, end = "cup_priority", stacks[0], "right"
        for one in stacks if p.cups else ():
            tile = s.cup_stacks[one][-1]
            fits_right = TILE_RIGHT[p.cups[0][-1]] == TILE_LEFT[tile]
            if fits_right or TILE_RIGHT[tile] == TILE_LEFT[p.cups[0][0]]:
                why, province, end = "matching_cup", one, "right" if fits_right else "left"
                break
        tile = take_tile(s, self.lu.seat, province, story)
        join(s, p, self.lu.seat, tile, len(p.cups), end, story)
        return why, 0, PROVINCES[province]

    def repeat_side(self, price: int, story: Story) -> Reason:
        """LY-312."""
        if not self.side:
            raise ImpossibleError("no_side_action")
        if self.lu.fermented < price:
            raise ImpossibleError("too_few_fermented", price)
        reason = self.perform(self.side, story)
        self.lu.fermented -= price
        return reason

    def emperor_step(self, price: int, story: Story) -> Reason:
        """LY-314: no reward, but an emperor card leaves the game."""
        s, p, position = self.s, self.p, self.back.emperor
        if p.row == TOP_ROW:
            raise ImpossibleError("top_row")
        if p.tokens < price:
            raise ImpossibleError("too_few_tokens", price)
        p.tokens -= price
        p.row += 1
        if story is not None:
            tell(story, do.EmperorStepped(self.lu.seat, p.row))
        card = s.emperor_row[position]
        if card < 0:
            return "empty_position", position + 1, ""
        s.removed.append(card)
        if story is not None:
            tell(story, do.Dismissed("emperor", position + 1, CARD_IDS[card]))
        refill_emperor_card(s, position, story)
        return "emperor_position", position + 1, CARD_IDS[card]

    def advanced_card(self, _: int, story: Story) -> Reason:
        """LY-315: the new card lies on top and is read from now on."""
        side = self.back.side
        pile = self.lu.piles[side - 1]
        if not pile:
            raise ImpossibleError("pile_empty")
        self.lu.deck.append(pile.pop())
        return "indicated", 0, SIDES[side]


def lu_yu_upkeep(s: State, lu: LuYu, story: Story) -> None:
    """LY-401, LY-402: his harvest; the cards he played go under his deck, shuffled."""
    leaves = cards.HARVEST_LEAVES * len(s.players[lu.seat].gardens)
    lu.fresh += leaves
    if story is not None:
        tell(story, do.Harvested(lu.seat, [leaves]))
    s.dice.shuffle(lu.laid)
    lu.deck = lu.laid + lu.deck
    lu.laid = []
