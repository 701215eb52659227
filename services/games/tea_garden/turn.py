"""A turn from its start to its end, and whose turn it is (TG-301 to TG-312)."""

from typing import Any

from services.engine.game import Story
from services.games.tea_garden.actions import catalogue
from services.games.tea_garden.actions.catalogue import leaf
from services.games.tea_garden.actions.costs import can_lay
from services.games.tea_garden.actions.free import gain_chosen, list_free
from services.games.tea_garden.actions.handlers import MAIN_ACTIONS, after_paying, demand, does, lists, tell
from services.games.tea_garden.actions.leaves import FIRST_LEAF
from services.games.tea_garden.actions.lookahead import can_begin, keeps_word, risky
from services.games.tea_garden.actions.payment import request
from services.games.tea_garden.actions.rewards import possible, settle
from services.games.tea_garden.actions.side import list_side, offered_sides
from services.games.tea_garden.components import (
    BASKETS,
    CARD_EFFECTS,
    CARD_IDS,
    CARD_NUMBERS,
    CARD_SALE,
    CARD_STRENGTH,
    CARD_TEAPOTS,
    KINDS_OF_LEAF,
    ROUNDS,
    SPACE_COSTS,
)
from services.games.tea_garden.lu_yu.turn import take_turn
from services.games.tea_garden.pu_erh.halls import close_halls
from services.games.tea_garden.state import (
    FERMENTING,
    HARVESTING,
    LAY,
    LU_YU,
    MARKET,
    OPEN,
    OVER,
    PAY_SPACE,
    TURN_START,
    Player,
    State,
)
from services.games.tea_garden.upkeep import upkeep
from teahouse.games.tea_garden.v1 import structs as do


def begin_turn(s: State, seat: int, story: Story) -> None:
    """The seat's turn; who cannot take one passes (TG-303)."""
    s.seat = seat
    s.laid = s.freed = s.main_used = s.side_used = s.repeated = False
    s.strength = s.effects_used = s.sold = 0
    s.subject, s.option, s.left = -1, 0, 0
    s.court.young = 0
    if story is not None:
        tell(story, do.TurnBegan(seat))
    if s.lu_yu is not None and seat == s.lu_yu.seat:
        s.question = LU_YU
        return
    s.question = TURN_START
    if not can_begin(s):
        drop_out(s, story, forced=True)


def next_turn(s: State, story: Story) -> None:
    """Clockwise, without those who passed; when all have, the round ends."""
    seats = len(s.players)
    for step in range(1, seats + 1):
        seat = (s.seat + step) % seats
        if not s.players[seat].passed:
            begin_turn(s, seat, story)
            return
    end_round(s, story)


def end_round(s: State, story: Story) -> None:
    close_halls(s, story)
    if s.round < ROUNDS:
        upkeep(s, story)
        begin_turn(s, s.first, story)
        return
    s.question = OVER  # TG-901
    if story is not None:
        tell(story, do.GameEnded(ROUNDS))


def drop_out(s: State, story: Story, forced: bool) -> None:
    s.players[s.seat].passed = True
    if story is not None:
        tell(story, do.Passed(s.seat, forced))
    next_turn(s, story)


@lists(TURN_START)
def list_start(s: State, p: Player) -> list[Any]:
    actions: list[Any] = [catalogue.LAY_TOP[card] for card in sorted(p.hand)] if can_lay(p) else []
    if not s.freed:
        actions.append(catalogue.PASS)
    actions += list_free(s, p)
    return actions


@does(do.PassRound)
def pass_round(s: State, p: Player, action: do.PassRound, story: Story) -> None:
    demand(s.question == TURN_START, "you can pass only at the start of your turn")
    demand(not s.freed, "after a free action you must lay cards")
    drop_out(s, story, forced=False)


@does(do.LayTop)
def lay_top(s: State, p: Player, action: do.LayTop, story: Story) -> None:
    demand(s.question == TURN_START, "you have laid your cards in this turn")
    card = CARD_NUMBERS.get(action.card, -1)
    demand(card in p.hand, "this card is not in your hand")
    demand(can_lay(p), "you have no turn space left or cannot pay for the next one")
    p.hand.remove(card)
    p.stacks.append([card])
    s.laid = True
    s.question = LAY
    s.reached = -1
    if story is not None:
        tell(story, do.CardLaid(s.seat, action.card, True))
    if not p.hand:
        pay_space(s, p, story)


# The cards under the top card are laid in the order of the hand: every stack has one order only.
@lists(LAY)
def list_lay(s: State, p: Player) -> list[Any]:
    return [catalogue.DONE, *(catalogue.LAY_UNDER[card] for card in sorted(p.hand) if card > s.reached)]


@does(do.LayUnder)
def lay_under(s: State, p: Player, action: do.LayUnder, story: Story) -> None:
    demand(s.question == LAY, "no card may be laid now")
    card = CARD_NUMBERS.get(action.card, -1)
    demand(card in p.hand, "this card is not in your hand")
    demand(card > s.reached, "cards go under the top card in the order of your hand")
    p.hand.remove(card)
    p.stacks[-1].insert(0, card)
    s.reached = card
    if story is not None:
        tell(story, do.CardLaid(s.seat, action.card, False))
    if not p.hand:
        pay_space(s, p, story)


def pay_space(s: State, p: Player, story: Story) -> None:
    cost = SPACE_COSTS[len(p.stacks) - 1]
    request(s, p, [cost] if cost else [], PAY_SPACE, story)


@after_paying(PAY_SPACE)
def open_turn(s: State, p: Player, story: Story) -> None:
    stack = p.stacks[-1]
    s.strength = sum(CARD_STRENGTH[card] for card in stack)
    p.teapots += CARD_TEAPOTS[stack[-1]]
    s.question = OPEN
    if story is not None:
        tell(story, do.StackLaid(s.seat, len(p.stacks), s.strength))


@does(do.Done)
def done(s: State, p: Player, action: do.Done, story: Story) -> None:
    if s.question == LAY:
        pay_space(s, p, story)
        return
    enough = (
        (s.question == FERMENTING and s.option != FIRST_LEAF)
        or (s.question == HARVESTING and s.reached >= 0)
        or (s.question == MARKET and s.court.bought)
    )
    demand(enough, "there is nothing to finish")
    if s.question == MARKET:
        s.court.purchases = 0  # PE-211; what ends a bonus leaves the visit that it belongs to as it is
    settle(s, p, story)


@lists(OPEN)
def list_open(s: State, p: Player) -> list[Any]:
    top = p.stacks[-1][-1]
    actions: list[Any] = [catalogue.END_TURN]
    if not s.main_used:
        for list_kind in MAIN_ACTIONS:
            actions += list_kind(s, p)
    for side in offered_sides(s, p):
        actions += list_side(s, p, side)
    for number, effect in enumerate(CARD_EFFECTS[top]):
        if effect is not None and effect_open(s, p, number, effect):
            actions.append(catalogue.USE_EFFECT[number])
    if s.sold < CARD_SALE[top][0]:
        actions += [catalogue.SELL_LEAF[kind] for kind in range(KINDS_OF_LEAF) if p.leaves[kind]]
    actions += list_free(s, p)
    return actions


def effect_open(s: State, p: Player, number: int, effect: tuple[int, ...]) -> bool:
    return not s.effects_used >> number & 1 and any(possible(s, p, code) for code in effect)


@does(do.UseEffect)
def use_effect(s: State, p: Player, action: do.UseEffect, story: Story) -> None:
    demand(s.question == OPEN, "effects are used between two steps of your turn")
    top = p.stacks[-1][-1]
    number = action.effect - 1
    demand(0 <= number < len(CARD_EFFECTS[top]), "your top card has no such effect")
    effect = CARD_EFFECTS[top][number]
    demand(effect and effect_open(s, p, number, effect), "this effect cannot be used")
    assert effect is not None
    s.effects_used |= 1 << number
    if story is not None:
        tell(story, do.EffectUsed(s.seat, CARD_IDS[top], action.effect))
    gain_chosen(s, p, effect, story)


@does(do.SellLeaf)
def sell_leaf(s: State, p: Player, action: do.SellLeaf, story: Story) -> None:
    demand(s.question == OPEN, "leaves are sold between two steps of your turn")
    most, fresh_vp, fermented_vp = CARD_SALE[p.stacks[-1][-1]]
    demand(s.sold < most, "you can sell no more leaves in this turn")
    demand(1 <= action.quality <= BASKETS, "there is no such basket")
    kind = action.quality - 1 + BASKETS * action.fermented
    demand(p.leaves[kind], "you have no such leaf")
    points = fermented_vp if action.fermented else fresh_vp
    p.leaves[kind] -= 1
    p.vp += points
    s.sold += 1
    if story is not None:
        tell(story, do.LeafSold(s.seat, *leaf(kind), points))


@does(do.EndTurn)
def end_turn(s: State, p: Player, action: do.EndTurn, story: Story) -> None:
    demand(s.question == OPEN, "first finish what you are doing")
    if story is not None:
        tell(story, do.TurnEnded(s.seat))
    next_turn(s, story)


@lists(LU_YU)
def list_lu_yu(s: State, p: Player) -> list[Any]:
    return [catalogue.LU_YU_TURN]


@does(do.LuYuTurn)
def lu_yu_turn(s: State, p: Player, action: do.LuYuTurn, story: Story) -> None:
    demand(s.question == LU_YU, "it is not Lu Yu's turn")
    if not take_turn(s, story):
        drop_out(s, story, forced=True)
        return
    if story is not None:
        tell(story, do.TurnEnded(s.seat))
    next_turn(s, story)


def allowed(s: State, p: Player, action: Any) -> bool:
    """TG-304: a free action before laying cards, and each choice inside it, must leave a way to lay them."""
    return type(action) in (do.LayTop, do.PassRound) or not risky(s, p) or keeps_word(s, action)
