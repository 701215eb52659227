"""Players and their tokens."""

import base64
import hmac
import secrets
import time

import grpc

from services.platform.errors import Refusal, answers, invalid, not_found
from services.sessions.core import Core
from services.sessions.store import new_id
from teahouse.v1 import sessions_pb2 as pb

TOKEN_KEY = "teahouse:token-key"
LONGEST_NAME = 40


def player_key(player: str) -> str:
    return f"{{p:{player}}}"


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
        player = pb.Player(id=new_id("p_"), name=name, created_at=int(time.time()))
        await self.store.redis.set(player_key(player.id), player.SerializeToString())
        expires = player.created_at + self.settings.token_life
        return pb.CreatePlayerResponse(player=player, token=self.sign(player.id, expires), expires_at=expires)

    @answers
    async def Authenticate(self, request: pb.AuthenticateRequest) -> pb.Player:
        player, _, rest = request.token.partition(".")
        expires, _, _ = rest.partition(".")
        bad = Refusal(
            grpc.StatusCode.UNAUTHENTICATED,
            "BAD_TOKEN",
            "the token is not valid or has expired; get a new one with POST /v1/players",
        )
        if not (expires.isascii() and expires.isdigit()):
            raise bad
        if not hmac.compare_digest(self.sign(player, int(expires)).encode(), request.token.encode()):
            raise bad
        if int(expires) < time.time():
            raise bad
        try:
            return await self.player(player)
        except Refusal:
            raise bad from None

    @answers
    async def GetPlayer(self, request: pb.GetPlayerRequest) -> pb.Player:
        return await self.player(request.player)

    async def player(self, player: str) -> pb.Player:
        data = await self.store.redis.get(player_key(player))
        if data is None:
            raise not_found("UNKNOWN_PLAYER", f"there is no player {player[:40]!r}")
        return pb.Player.FromString(data)

    def sign(self, player: str, expires: int) -> str:
        head = f"{player}.{expires}"
        signature = hmac.digest(self.token_key, head.encode(), "sha256")
        return f"{head}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"
