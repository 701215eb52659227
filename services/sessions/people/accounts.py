"""Players: people who have a token, and bot accounts."""

from services.platform.clock import now_ms
from services.platform.errors import conflict, denied, invalid, not_found
from services.sessions.people.tokens import Tokens, bad_token
from services.sessions.store import keys
from services.sessions.store.connection import AsyncRedis
from services.sessions.store.ids import new_id
from teahouse.v1 import accounts_pb2
from teahouse.v1 import sessions_pb2 as pb

LONGEST_NAME = 40


class Accounts:
    """Owns who a player is, the application it belongs to, and which generation of its tokens is good."""

    def __init__(self, redis: AsyncRedis, tokens: Tokens) -> None:
        self.redis, self.tokens = redis, tokens

    async def create(self, request: pb.CreatePlayerRequest) -> pb.CreatePlayerResponse:
        name = " ".join(request.name.split())
        if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
            raise invalid("BAD_NAME", f"a name has 1 to {LONGEST_NAME} printable characters", field="name")
        player = pb.Player(id=new_id("p_"), name=name, created_at=now_ms() // 1000, bot=request.bot)
        if request.application:
            # First: whatever happens in between, there is no player without its application.
            await self.redis.hset(keys.account(player.id), "application", request.application)
        await self.redis.set(keys.player(player.id), player.SerializeToString())
        if player.bot:
            await self._claim_name(player)
        return self.tokens.make(player, 0)

    async def _claim_name(self, player: pb.Player) -> None:
        """After the account is kept: a claim that is cut short leaves no name that belongs to nobody."""
        if not await self.redis.set(keys.bot_name(player.name), player.id, nx=True):
            await self.redis.delete(keys.player(player.id), keys.account(player.id))
            raise conflict("NAME_TAKEN", f"another bot account is called {player.name!r}; choose another name")

    async def authenticate(self, request: pb.AuthenticateRequest) -> pb.Player:
        player, generation = self.tokens.read(request.token)
        record, current = await self._account(player, "generation")
        if record is None or int(current or 0) != generation:
            raise bad_token()
        return pb.Player.FromString(record)

    async def get(self, request: pb.GetPlayerRequest) -> pb.Player:
        return await self.player(request.player)

    async def player(self, player: str) -> pb.Player:
        data = await self.redis.get(keys.player(player))
        if data is None:
            raise not_found("UNKNOWN_PLAYER", f"there is no player {player[:40]!r}")
        return pb.Player.FromString(data)

    async def get_own(self, request: accounts_pb2.OwnPlayerRequest) -> pb.Player:
        record, application = await self._account(request.player, "application")
        if record is None or application is None or application.decode() != request.application:
            raise denied("NOT_YOUR_PLAYER", "an application acts for the players that it made, and for no others")
        return pb.Player.FromString(record)

    async def issue_token(self, request: accounts_pb2.OwnPlayerRequest) -> pb.CreatePlayerResponse:
        player = await (self.get_own(request) if request.application else self.player(request.player))
        generation = await self.redis.hget(keys.account(player.id), "generation")
        return self.tokens.make(player, int(generation or 0))

    async def revoke_tokens(self, request: accounts_pb2.RevokeTokensRequest) -> pb.CreatePlayerResponse:
        """All that were given out; the answer has the first one that is good again."""
        player = await self.player(request.player)
        return self.tokens.make(player, await self.redis.hincrby(keys.account(player.id), "generation", 1))

    async def _account(self, player: str, field: str) -> tuple[bytes | None, bytes | None]:
        """The player's record and one field of its account; both live on one node of a Redis Cluster."""
        pipe = self.redis.pipeline(transaction=False)
        pipe.get(keys.player(player))
        pipe.hget(keys.account(player), field)
        record, value = await pipe.execute()
        return record, value
