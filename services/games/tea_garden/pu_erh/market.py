"""Pu-erh tokens: the market, basic tokens, and placing them (PE-211 to PE-216)."""

from typing import Any

from services.engine.game import Story
from services.games.tea_garden.actions import catalogue
from services.games.tea_garden.actions.costs import affordable_tokens
from services.games.tea_garden.actions.handlers import after_paying, demand, does, lists, main_action, tell
from services.games.tea_garden.actions.main import declare, spend_strength
from services.games.tea_garden.actions.payment import request
from services.games.tea_garden.actions.rewards import grant, settle
from services.games.tea_garden.components import STRENGTH_SCROLL
from services.games.tea_garden.pu_erh.components import (
    CAKE,
    MARKET_STRENGTH,
    PU_ERH_BONUS,
    PU_ERH_IDS,
    PU_ERH_NUMBERS,
    PU_ERH_PRICE,
)
from services.games.tea_garden.state import MARKET, PAY_PU_ERH, PLACE_TOKEN, TAKE_BASIC, Player, State
from teahouse.games.tea_garden.v1 import structs as do


def tokens_for(strength: int) -> int:
    """How many tokens a visit of that strength may buy."""
    return sum(needed <= strength for needed in MARKET_STRENGTH)


def useful_scrolls(s: State, p: Player) -> list[int]:
    """The numbers of strength scrolls that each let the player buy another number of tokens."""
    most = p.scrolls[STRENGTH_SCROLL]
    needed = {max(0, strength - s.strength) for strength in MARKET_STRENGTH}
    return sorted(scrolls for scrolls in needed if scrolls <= most)


@main_action
def list_market(s: State, p: Player) -> list[Any]:
    return [catalogue.visit_market(scrolls) for scrolls in useful_scrolls(s, p)] if affordable_tokens(s, p) else []


@does(do.VisitMarket)
def visit_market(s: State, p: Player, action: do.VisitMarket, story: Story) -> None:
    declare(s)
    demand(affordable_tokens(s, p), "you can pay no token of the market")
    demand(action.scrolls in useful_scrolls(s, p), "this number of scrolls does not help, or you do not have it")
    s.main_used = True
    spend_strength(s, p, s.strength + action.scrolls, story)
    s.court.purchases, s.court.bought = tokens_for(s.strength), False
    if story is not None:
        tell(story, do.MarketVisited(s.seat, s.court.purchases))
    s.question = MARKET


@lists(MARKET)
def list_offers(s: State, p: Player) -> list[Any]:
    actions: list[Any] = [catalogue.BUY_PU_ERH[token] for token in affordable_tokens(s, p)]
    return [*actions, catalogue.DONE] if s.court.bought else actions


@does(do.BuyPuErh)
def buy_token(s: State, p: Player, action: do.BuyPuErh, story: Story) -> None:
    demand(s.question == MARKET, "you are not at the market")
    token = PU_ERH_NUMBERS.get(action.token, -1)
    demand(token in affordable_tokens(s, p), "this token is not on offer, or you cannot pay it")
    s.subject = token
    request(s, p, [PU_ERH_PRICE[token]], PAY_PU_ERH, story)


@after_paying(PAY_PU_ERH)
def take_bought(s: State, p: Player, story: Story) -> None:
    court = s.court
    court.purchases -= 1
    court.bought = True
    position = court.premium_row.index(s.subject)
    take_premium(s, s.seat, position, story)
    ask_place(s, p, story)


def take_premium(s: State, seat: int, position: int, story: Story) -> int:
    """Takes a premium token and refills its place (PE-216)."""
    return take(s, seat, "premium", s.court.premium_row, s.court.premium_deck, position, story)


def take(s: State, seat: int, display: str, row: list[int], deck: list[int], position: int, story: Story) -> int:
    token = row[position]
    new = row[position] = deck.pop() if deck else -1
    if story is not None:
        tell(story, do.PuErhTaken(seat, PU_ERH_IDS[token]))
        tell(story, do.Revealed(display, position + 1, PU_ERH_IDS[new] if new >= 0 else ""), reveals=True)
    return token


@lists(TAKE_BASIC)
def list_basic(s: State, p: Player) -> list[Any]:
    return [*(catalogue.TAKE_PU_ERH[token] for token in s.court.basic_row if token >= 0), catalogue.DECLINE]


@does(do.TakePuErh)
def take_basic(s: State, p: Player, action: do.TakePuErh, story: Story) -> None:
    demand(s.question == TAKE_BASIC, "no basic token may be taken now")
    token = PU_ERH_NUMBERS.get(action.token, -1)
    court = s.court
    demand(token >= 0 and token in court.basic_row, "this token is not on offer")
    s.subject = take(s, s.seat, "basic", court.basic_row, court.basic_deck, court.basic_row.index(token), story)
    ask_place(s, p, story)


# Placing.


def open_sets(s: State, p: Player) -> list[int]:
    """The sets that a token gained now may join (PE-213, PE-214)."""
    return [number for number, own in enumerate(p.sets) if len(own) < CAKE and not s.court.young >> number & 1]


def ask_place(s: State, p: Player, story: Story) -> None:
    if open_sets(s, p):
        s.question = PLACE_TOKEN
    else:
        put_token(s, p, len(p.sets), story)


@lists(PLACE_TOKEN)
def list_sets(s: State, p: Player) -> list[Any]:
    return [catalogue.place_token(0), *(catalogue.place_token(number + 1) for number in open_sets(s, p))]


@does(do.PlacePuErh)
def place_token(s: State, p: Player, action: do.PlacePuErh, story: Story) -> None:
    demand(s.question == PLACE_TOKEN, "you have no Pu-erh token to place")
    demand(not action.set or action.set - 1 in open_sets(s, p), "the token cannot join this set")
    put_token(s, p, action.set - 1 if action.set else len(p.sets), story)


def put_token(s: State, p: Player, number: int, story: Story) -> None:
    """Adds the token to a set, perhaps a new one, and gains the bonuses of all its tokens (PE-213)."""
    join_set(p, s.seat, s.subject, number, story)
    s.court.young |= 1 << number
    grant(s, p, tuple(code for token in p.sets[number] for code in PU_ERH_BONUS[token]), story)
    settle(s, p, story)


def join_set(p: Player, seat: int, token: int, number: int, story: Story) -> None:
    if number == len(p.sets):
        p.sets.append([])
    p.sets[number].append(token)
    if story is not None:
        tell(story, do.PuErhPlaced(seat, PU_ERH_IDS[token], number + 1, len(p.sets[number]) == CAKE))
