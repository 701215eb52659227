"""Outside bots: accounts that programs play under. They offer themselves, and hosts seat them."""

import asyncio
from collections.abc import Collection

from services.platform.clock import now_ms
from services.platform.errors import conflict, denied, invalid, not_found
from services.sessions.people.accounts import Accounts
from services.sessions.rules.client import RulesClient
from services.sessions.store import keys
from services.sessions.store.connection import AsyncRedis
from services.sessions.store.keys import OFFERED
from teahouse.v1 import outside_pb2 as pb
from teahouse.v1 import sessions_pb2

LONGEST_OFFER = 86400
MOST_GAMES = 50
LARGEST_PAGE = 100


class OutsideBots:
    """Owns the offers of bot accounts: which of them can be seated now, and at which games."""

    def __init__(self, redis: AsyncRedis, accounts: Accounts, rules: RulesClient) -> None:
        self.redis, self.accounts, self.rules = redis, accounts, rules

    async def offer(self, request: pb.OfferBotRequest) -> pb.BotOffer:
        player = await self.accounts.player(request.caller)
        if not player.bot:
            raise denied("NOT_A_BOT", 'only a bot account offers itself: POST /v1/players {"name": …, "bot": true}')
        redis, offer = self.redis, pb.BotOffer(available=request.available)
        if not request.available:
            await redis.zrem(OFFERED, player.id)
            await redis.delete(keys.offer(player.id))
            return offer
        if not 0 <= request.seconds <= LONGEST_OFFER or len(request.games) > MOST_GAMES:
            text = f"an offer is for at most {LONGEST_OFFER} seconds and {MOST_GAMES} games"
            raise invalid("BAD_OFFER", text, field="seconds")
        for game in request.games:
            await self.rules.info(game)
        offer.games.extend(dict.fromkeys(request.games))
        if request.seconds:
            offer.until = now_ms() + request.seconds * 1000
        await redis.set(keys.offer(player.id), offer.SerializeToString(), px=request.seconds * 1000 or None)
        await redis.zadd(OFFERED, {player.id: offer.until if request.seconds else float("inf")})
        await redis.zremrangebyscore(OFFERED, "-inf", now_ms())
        return offer

    async def page(self, request: pb.ListBotsRequest) -> pb.ListBotsResponse:
        if request.game:
            await self.rules.info(request.game)
        limit = min(max(request.limit or 20, 1), LARGEST_PAGE)
        offered = await self.redis.zrangebyscore(OFFERED, now_ms(), "+inf")
        names = sorted(name for name in (each.decode() for each in offered) if name > request.cursor)
        page: list[pb.OfferedBot] = []
        while names and len(page) <= limit:
            some, names = names[:LARGEST_PAGE], names[LARGEST_PAGE:]
            bots = await asyncio.gather(*(self._offered(name) for name in some))
            page += [bot for bot in bots if bot and plays(bot.games, request.game)]
        more = page[limit - 1].player.id if len(page) > limit else ""
        return pb.ListBotsResponse(bots=page[:limit], next_cursor=more)

    async def _offered(self, player: str) -> pb.OfferedBot | None:
        account, offer = await asyncio.gather(self.accounts.player(player), self.redis.get(keys.offer(player)))
        if offer is None:
            return None
        return pb.OfferedBot(player=account, games=pb.BotOffer.FromString(offer).games)

    async def seatable(self, wanted: str, game: str) -> sessions_pb2.Player:
        """The bot account with that id or name, if a host may seat it at that game."""
        player = await self.redis.get(keys.player(wanted))
        if player is None and (owner := await self.redis.get(keys.bot_name(wanted))):
            player = await self.redis.get(keys.player(owner.decode()))
        if player is None:
            raise not_found("UNKNOWN_PLAYER", f"there is no bot account {wanted[:40]!r}; GET /v1/bots lists them")
        account = sessions_pb2.Player.FromString(player)
        if not account.bot:
            raise denied("NOT_A_BOT", f"{account.name} is not a bot account: people take a seat themselves")
        bot = await self._offered(account.id)
        if bot is None or not plays(bot.games, game):
            text = "is not available now" if bot is None else f"plays only {', '.join(bot.games)}"
            raise conflict(
                "BOT_AWAY", f"{account.name} {text}; GET /v1/bots?game={game} lists those that can be seated"
            )
        return account


def plays(games: Collection[str], game: str) -> bool:
    """Whether an offer for these games (none: all) holds for that one ("": any)."""
    return not games or not game or game in games
