"""Rewards: what needs no decision is gained at once, the rest waits in frames until it has been seen to (TG-701)."""

from typing import Any

from services.engine.game import Story
from services.games.tea_garden.actions import catalogue
from services.games.tea_garden.actions.costs import affordable_tokens, can_pay_repeat
from services.games.tea_garden.actions.handlers import demand, does, lists, tell
from services.games.tea_garden.components import (
    ANY_SCROLL,
    AT_ONCE,
    BASIC_TOKEN,
    BASKETS,
    CARD_IDS,
    CARD_NUMBERS,
    CUPS,
    DRAW,
    DRAW_DISCARD,
    EMPEROR_CARD,
    EMPEROR_CARDS,
    FERMENT,
    GAIN_STRENGTH,
    HARVEST_EACH,
    LEAVES,
    MARKER,
    REGION_VALUE,
    REMOVE,
    REPEAT_SCROLL,
    REWARDS,
    RIVER,
    RIVER_END,
    SCROLLS,
    SIDE,
    TOKEN,
    VP,
    reward_code,
    reward_parts,
)
from services.games.tea_garden.pu_erh.decrees import settle_decrees
from services.games.tea_garden.state import (
    CHOOSE_SIDE,
    DECREE_SPACE,
    DISCARD,
    FERMENTING,
    LINK,
    MARKET,
    OPEN,
    REMOVING,
    REPEAT,
    RESOLVE,
    TAKE_BASIC,
    TAKE_EMPEROR,
    TAKE_SCROLL,
    TURN_START,
    Player,
    State,
)
from teahouse.games.tea_garden.v1 import structs as do

MAY_BE_DECLINED = (DRAW, DRAW_DISCARD)  # the other declinable rewards are declined within their own question


def grant(s: State, p: Player, rewards: tuple[int, ...], story: Story, side: int = 0) -> None:
    """Gains rewards together; `side` is the side action they come from, if any."""
    frame = [side]
    for code in rewards:
        if code & 31 <= AT_ONCE:
            gain(s, p, code, story)
        else:
            frame.append(code)
    if side or len(frame) > 1:
        s.frames.append(frame)


def gain(s: State, p: Player, code: int, story: Story) -> None:
    kind, amount, detail = reward_parts(code)
    if kind == VP:
        p.vp += amount
    elif kind == LEAVES:
        p.leaves[detail - 1] += amount
    elif kind == TOKEN:
        p.tokens += amount
    elif kind == HARVEST_EACH:
        for region in p.gardens:
            gain(s, p, reward_code(LEAVES, amount, REGION_VALUE[region]), story)
        return
    else:
        p.scrolls[kind - GAIN_STRENGTH] += amount
    if story is not None:
        tell(story, do.Gained(s.seat, REWARDS[kind], amount, detail))


def settle(s: State, p: Player, story: Story) -> None:
    """Goes on until the player has something to decide."""
    place = settle_decrees(s, p, s.seat, True, story)
    if place >= 0:
        s.subject, s.question = place, DECREE_SPACE
        return
    while s.frames:
        frame = s.frames[-1]
        if len(frame) > 1:
            codes = [code for code in frame[1:] if possible(s, p, code)]
            if not codes:
                del frame[1:]
            elif codes[0] & 31 in MAY_BE_DECLINED or codes.count(codes[0]) < len(codes):
                s.question = RESOLVE
                return
            elif begin(s, p, codes[0], story):
                return
            continue
        if frame[0] and can_repeat(s, p, frame[0]):
            s.question = REPEAT
            return
        s.frames.pop()
    if s.court.purchases and affordable_tokens(s, p):
        s.question = MARKET
        return
    s.court.purchases = 0
    s.question = OPEN if s.laid else TURN_START


def can_repeat(s: State, p: Player, side: int) -> bool:
    """TG-604: once a turn, at once, for a repeat scroll or fermented leaves."""
    return not s.repeated and (p.scrolls[REPEAT_SCROLL] > 0 or can_pay_repeat(p)) and side_possible(s, p, side)


def side_possible(s: State, p: Player, side: int) -> bool:
    if side == RIVER:
        return p.boat < RIVER_END
    if side == CUPS:
        return any(stack and p.provinces >> province & 1 for province, stack in enumerate(s.cup_stacks))
    return True


def possible(s: State, p: Player, code: int) -> bool:
    kind, _, detail = reward_parts(code)
    if kind == FERMENT:
        return any(p.leaves[:BASKETS])
    if kind == MARKER:
        return any(p.markers)
    if kind in MAY_BE_DECLINED:
        return bool(p.deck or p.discard)
    if kind == REMOVE:
        return bool(p.hand or p.deck or p.discard)
    if kind == SIDE:
        return side_possible(s, p, detail)
    if kind == EMPEROR_CARD:
        return max(s.emperor_row) >= 0
    if kind == BASIC_TOKEN:
        return max(s.court.basic_row, default=-1) >= 0
    return True


def begin(s: State, p: Player, code: int, story: Story) -> bool:
    """Starts one pending reward; True if it asks the player something."""
    s.frames[-1].remove(code)
    kind, amount, detail = reward_parts(code)
    if kind == FERMENT:
        s.left, s.option, s.reached, s.question = amount, 0, BASKETS, FERMENTING
    elif kind == MARKER:
        links = [(row, link) for row, markers in enumerate(p.markers) for link in range(len(markers))]
        if len(links) == 1:
            put_marker(s, p, *links[0], story)
            return False
        s.question = LINK
    elif kind == DRAW:
        draw(s, p, s.seat, amount, story)
        return False
    elif kind == DRAW_DISCARD:
        s.left, s.question = draw(s, p, s.seat, amount, story), DISCARD
        if s.left == len(p.hand):
            while p.hand:
                throw_away(s, p, p.hand[0], story)
            return False
    elif kind == REMOVE:
        s.question = REMOVING
    elif kind == SIDE:
        s.option, s.subject, s.question = detail, -1, CHOOSE_SIDE
    elif kind == EMPEROR_CARD:
        offered = [card for card in s.emperor_row if card >= 0]
        if len(offered) == 1:
            take_emperor(s, p, offered[0], story)
            return False
        s.question = TAKE_EMPEROR
    elif kind == ANY_SCROLL:
        s.question = TAKE_SCROLL
    elif kind == BASIC_TOKEN:
        s.question = TAKE_BASIC
    return True


def draw(s: State, p: Player, seat: int, count: int, story: Story) -> int:
    """Draws cards and says how many there were (TG-702)."""
    drawn: list[int] = []
    reshuffled = False
    for _ in range(count):
        if not p.deck:
            if not p.discard:
                break
            p.deck, p.discard = p.discard, []
            s.dice.shuffle(p.deck)
            reshuffled = True
        drawn.append(p.deck.pop())
    p.hand += drawn
    if story is not None:
        mine = do.Drawn(seat, len(drawn), [CARD_IDS[card] for card in drawn], reshuffled)
        tell(story, do.Drawn(seat, len(drawn), [], reshuffled), {seat: mine}, reveals=True)
    return len(drawn)


def put_marker(s: State, p: Player, row: int, link: int, story: Story) -> None:
    p.markers[row][link] += 1
    if story is not None:
        tell(story, do.MarkerPlaced(s.seat, row + 1, link + 1))


@lists(RESOLVE)
def list_pending(s: State, p: Player) -> list[Any]:
    codes = sorted({code for code in s.frames[-1][1:] if possible(s, p, code)})
    return [catalogue.resolve(code) for code in codes] + [
        catalogue.decline(code) for code in codes if code & 31 in MAY_BE_DECLINED
    ]


def pending_code(s: State, p: Player, action: Any, table: Any) -> int:
    """The pending reward that an action names."""
    for code in s.frames[-1][1:]:
        if table(code) == action and possible(s, p, code):
            return int(code)
    demand(False, "no such reward is pending")
    return 0


@does(do.Resolve)
def resolve(s: State, p: Player, action: do.Resolve, story: Story) -> None:
    demand(s.question == RESOLVE, "no reward is pending")
    if not begin(s, p, pending_code(s, p, action, catalogue.resolve), story):
        settle(s, p, story)


@does(do.Decline)
def decline(s: State, p: Player, action: do.Decline, story: Story) -> None:
    if s.question == RESOLVE:
        code = pending_code(s, p, action, catalogue.decline)
        demand(code & 31 in MAY_BE_DECLINED, "this reward cannot be declined")
        s.frames[-1].remove(code)
    else:
        demand(action == catalogue.DECLINE, "no such reward is pending")
        if s.question == REPEAT:
            s.frames.pop()
        else:
            optional_side = s.question == CHOOSE_SIDE and s.subject < 0
            demand(optional_side or s.question in (REMOVING, TAKE_BASIC), "there is nothing to decline")
    if story is not None:
        tell(story, do.Declined(s.seat))
    settle(s, p, story)


@lists(DISCARD)
def list_discards(s: State, p: Player) -> list[Any]:
    return [catalogue.DISCARD[card] for card in sorted(p.hand)]


@does(do.DiscardCard)
def discard(s: State, p: Player, action: do.DiscardCard, story: Story) -> None:
    demand(s.question == DISCARD, "no card is to be discarded")
    card = CARD_NUMBERS.get(action.card, -1)
    demand(card in p.hand, "this card is not in your hand")
    throw_away(s, p, card, story)
    s.left -= 1
    if not s.left:
        settle(s, p, story)


def throw_away(s: State, p: Player, card: int, story: Story) -> None:
    p.hand.remove(card)
    p.discard.append(card)
    if story is not None:
        tell(story, do.Discarded(s.seat, CARD_IDS[card]))


@lists(REMOVING)
def list_removals(s: State, p: Player) -> list[Any]:
    return [
        catalogue.DECLINE,
        *(catalogue.REMOVE["hand"][card] for card in sorted(p.hand)),
        *(catalogue.REMOVE["deck"][card] for card in sorted(p.deck)),
        *(catalogue.REMOVE["discard"][card] for card in sorted(p.discard)),
    ]


@does(do.RemoveCard)
def remove(s: State, p: Player, action: do.RemoveCard, story: Story) -> None:
    demand(s.question == REMOVING, "no card may be removed now")
    card = CARD_NUMBERS.get(action.card, -1)
    place = {"hand": p.hand, "deck": p.deck, "discard": p.discard}.get(action.place, [])
    demand(card in place, "this card is not there")
    place.remove(card)
    s.removed.append(card)
    from_deck = action.place == "deck"
    if from_deck:
        s.dice.shuffle(p.deck)  # TG-704
    if story is not None:
        tell(story, do.Removed(s.seat, action.card, action.place), reveals=from_deck)
    settle(s, p, story)


@lists(LINK)
def list_links(s: State, p: Player) -> list[Any]:
    return [catalogue.mark_link(row, link) for row, markers in enumerate(p.markers) for link in range(len(markers))]


@does(do.MarkLink)
def mark_link(s: State, p: Player, action: do.MarkLink, story: Story) -> None:
    demand(s.question == LINK, "no marker is to be placed")
    row, link = action.row - 1, action.link - 1
    demand(0 <= row < len(p.markers) and 0 <= link < len(p.markers[row]), "you have no such link")
    put_marker(s, p, row, link, story)
    settle(s, p, story)


@lists(TAKE_EMPEROR)
def list_emperor_cards(s: State, p: Player) -> list[Any]:
    return [catalogue.TAKE_EMPEROR[card] for card in s.emperor_row if card >= 0]


@does(do.TakeEmperorCard)
def take_emperor_card(s: State, p: Player, action: do.TakeEmperorCard, story: Story) -> None:
    demand(s.question == TAKE_EMPEROR, "no emperor card may be taken now")
    card = CARD_NUMBERS.get(action.card, -1)
    demand(card in EMPEROR_CARDS and card in s.emperor_row, "this card is not on offer")
    take_emperor(s, p, card, story)
    settle(s, p, story)


def take_emperor(s: State, p: Player, card: int, story: Story) -> None:
    p.hand.append(card)
    if story is not None:
        tell(story, do.EmperorCardTaken(s.seat, CARD_IDS[card]))
    refill_emperor_card(s, s.emperor_row.index(card), story)


def refill_emperor_card(s: State, position: int, story: Story) -> None:
    card = s.emperor_row[position] = s.emperor_deck.pop() if s.emperor_deck else -1
    if story is not None:
        tell(story, do.Revealed("emperor", position + 1, CARD_IDS[card] if card >= 0 else ""), reveals=True)


@lists(TAKE_SCROLL)
def list_scrolls(s: State, p: Player) -> list[Any]:
    return list(catalogue.TAKE_SCROLL)


@does(do.TakeScroll)
def take_scroll(s: State, p: Player, action: do.TakeScroll, story: Story) -> None:
    demand(s.question == TAKE_SCROLL, "no scroll may be taken now")
    demand(action.scroll in SCROLLS, "there is no such scroll")
    gain(s, p, reward_code(GAIN_STRENGTH + SCROLLS.index(action.scroll)), story)
    settle(s, p, story)
