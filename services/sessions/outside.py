"""Outside bots: accounts that programs play under. They offer themselves, and hosts seat them."""

import asyncio
from collections.abc import Collection

from services.platform.clock import now_ms
from services.platform.errors import answers, conflict, denied, invalid, not_found
from services.sessions.players import Players, name_key, player_key
from teahouse.v1 import outside_pb2 as pb
from teahouse.v1 import sessions_pb2

# Player ids of those that have offered themselves, with the time at which the offer lapses.
OFFERED = "bots:offered"
LONGEST_OFFER = 86400
MOST_GAMES = 50
LARGEST_PAGE = 100


def offer_key(player: str) -> str:
    return f"{{p:{player}}}:offer"


class OutsideBots(Players):
    @answers
    async def OfferBot(self, request: pb.OfferBotRequest) -> pb.BotOffer:
        player = await self.player(request.caller)
        if not player.bot:
            raise denied("NOT_A_BOT", 'only a bot account offers itself: POST /v1/players {"name": …, "bot": true}')
        redis, offer = self.store.redis, pb.BotOffer(available=request.available)
        if not request.available:
            await redis.zrem(OFFERED, player.id)
            await redis.delete(offer_key(player.id))
            return offer
        if not 0 <= request.seconds <= LONGEST_OFFER or len(request.games) > MOST_GAMES:
            text = f"an offer is for at most {LONGEST_OFFER} seconds and {MOST_GAMES} games"
            raise invalid("BAD_OFFER", text, field="seconds")
        for game in request.games:
            await self.rules.info(game)
        offer.games.extend(dict.fromkeys(request.games))
        if request.seconds:
            offer.until = now_ms() + request.seconds * 1000
        await redis.set(offer_key(player.id), offer.SerializeToString(), px=request.seconds * 1000 or None)
        await redis.zadd(OFFERED, {player.id: offer.until if request.seconds else float("inf")})
        await redis.zremrangebyscore(OFFERED, "-inf", now_ms())
        return offer

    @answers
    async def ListBots(self, request: pb.ListBotsRequest) -> pb.ListBotsResponse:
        if request.game:
            await self.rules.info(request.game)
        limit = min(max(request.limit or 20, 1), LARGEST_PAGE)
        offered = await self.store.redis.zrangebyscore(OFFERED, now_ms(), "+inf")
        names = sorted(name for name in (each.decode() for each in offered) if name > request.cursor)
        page: list[pb.OfferedBot] = []
        while names and len(page) <= limit:
            some, names = names[:LARGEST_PAGE], names[LARGEST_PAGE:]
            bots = await asyncio.gather(*(self.offered(name) for name in some))
            page += [bot for bot in bots if bot and plays(bot.games, request.game)]
        more = page[limit - 1].player.id if len(page) > limit else ""
        return pb.ListBotsResponse(bots=page[:limit], next_cursor=more)

    async def offered(self, player: str) -> pb.OfferedBot | None:
        account, offer = await asyncio.gather(self.player(player), self.store.redis.get(offer_key(player)))
        if offer is None:
            return None
        return pb.OfferedBot(player=account, games=pb.BotOffer.FromString(offer).games)

    async def seatable(self, wanted: str, game: str) -> sessions_pb2.Player:
        """The bot account with that id or name, if a host may seat it at that game."""
        redis = self.store.redis
        player = await redis.get(player_key(wanted))
        if player is None and (owner := await redis.get(name_key(wanted))):
            player = await redis.get(player_key(owner.decode()))
        if player is None:
            raise not_found("UNKNOWN_PLAYER", f"there is no bot account {wanted[:40]!r}; GET /v1/bots lists them")
        account = sessions_pb2.Player.FromString(player)
        if not account.bot:
            raise denied("NOT_A_BOT", f"{account.name} is not a bot account: people take a seat themselves")
        bot = await self.offered(account.id)
        if bot is None or not plays(bot.games, game):
            text = "is not available now" if bot is None else f"plays only {', '.join(bot.games)}"
            raise conflict(
                "BOT_AWAY", f"{account.name} {text}; GET /v1/bots?game={game} lists those that can be seated"
            )
        return account


def plays(games: Collection[str], game: str) -> bool:
    """Whether an offer for these games (none: all) holds for that one ("": any)."""
    return not games or not game or game in games


def check_unrated(table: sessions_pb2.Table, player: sessions_pb2.Player) -> None:
    """Bot accounts never count for ratings."""
    if table.rated and player.bot:
        raise denied("RATED_TABLE", "bot accounts do not sit at rated tables; open one that is not rated")
