"""Players and their tokens."""

import base64
import hmac
import secrets
from unicodedata import normalize

import grpc

from services.platform.clock import now_ms
from services.platform.errors import Refusal, answers, conflict, invalid, not_found
from services.sessions.core import Core
from services.sessions.store import new_id
from teahouse.v1 import sessions_pb2 as pb

TOKEN_KEY = "teahouse:token-key"
LONGEST_NAME = 40


def player_key(player: str) -> str:
    return f"{{p:{player}}}"


def account_key(player: str) -> str:
    """A hash: the application that the player belongs to, and how often its tokens were made void."""
    return f"{{p:{player}}}:account"


def name_key(name: str) -> str:
    """Which bot account has that name; names that look alike are the same."""
    return f"bots:name:{normalize('NFKC', ' '.join(name.split())).casefold()}"


class Players(Core):
    token_key: bytes

    async def load_token_key(self) -> None:
        """The key that signs tokens: from the settings, or made once and shared by all copies through Redis."""
        if self.settings.token_key:
            self.token_key = self.settings.token_key.encode()
            return
        await self.store.redis.set(TOKEN_KEY, secrets.token_bytes(32), nx=True)
        key = await self.store.redis.get(TOKEN_KEY)
        assert key is not None
        self.token_key = key

    @answers
    async def CreatePlayer(self, request: pb.CreatePlayerRequest) -> pb.CreatePlayerResponse:
        name = " ".join(request.name.split())
        if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
            raise invalid("BAD_NAME", f"a name has 1 to {LONGEST_NAME} printable characters", field="name")
        player = pb.Player(id=new_id("p_"), name=name, created_at=now_ms() // 1000, bot=request.bot)
        if request.application:
            # First: whatever happens in between, there is no player without its application.
            await self.store.redis.hset(account_key(player.id), "application", request.application)
        await self.store.redis.set(player_key(player.id), player.SerializeToString())
        if player.bot:
            await self.claim_name(player)
        return self.token(player, 0)

    async def claim_name(self, player: pb.Player) -> None:
        """After the account is kept: a claim that is cut short leaves no name that belongs to nobody."""
        if not await self.store.redis.set(name_key(player.name), player.id, nx=True):
            await self.store.redis.delete(player_key(player.id), account_key(player.id))
            raise conflict("NAME_TAKEN", f"another bot account is called {player.name!r}; choose another name")

    @answers
    async def Authenticate(self, request: pb.AuthenticateRequest) -> pb.Player:
        head, _, signature = request.token.rpartition(".")
        bad = Refusal(
            grpc.StatusCode.UNAUTHENTICATED,
            "BAD_TOKEN",
            "the token is not valid, has expired or was made void; get a new one with POST /v1/players",
        )
        if not hmac.compare_digest(self.signature(head).encode(), signature.encode()):
            raise bad
        # Tokens of earlier releases had no generation.
        player, expires, generation = f"{head}.0".split(".")[:3]
        if int(expires) * 1000 < now_ms():
            raise bad
        record, current = await self.account(player, "generation")
        if record is None or int(current or 0) != int(generation):
            raise bad
        return pb.Player.FromString(record)

    @answers
    async def GetPlayer(self, request: pb.GetPlayerRequest) -> pb.Player:
        return await self.player(request.player)

    async def player(self, player: str) -> pb.Player:
        data = await self.store.redis.get(player_key(player))
        if data is None:
            raise not_found("UNKNOWN_PLAYER", f"there is no player {player[:40]!r}")
        return pb.Player.FromString(data)

    async def account(self, player: str, field: str) -> tuple[bytes | None, bytes | None]:
        """The player's record and one field of its account; both live on one node of a Redis Cluster."""
        pipe = self.store.redis.pipeline(transaction=False)
        pipe.get(player_key(player))
        pipe.hget(account_key(player), field)
        record, value = await pipe.execute()
        return record, value

    def token(self, player: pb.Player, generation: int) -> pb.CreatePlayerResponse:
        """A token says who, until when, and of which generation it is; RevokeTokens begins the next one."""
        expires = now_ms() // 1000 + self.settings.token_life
        head = f"{player.id}.{expires}.{generation}"
        return pb.CreatePlayerResponse(player=player, token=f"{head}.{self.signature(head)}", expires_at=expires)

    def signature(self, head: str) -> str:
        signature = hmac.digest(self.token_key, head.encode(), "sha256")
        return base64.urlsafe_b64encode(signature).rstrip(b"=").decode()
