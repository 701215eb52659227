"""The tokens of players. A token says who, until when, and of which generation it is, and is signed."""

import base64
import hmac
import secrets

import grpc

from services.platform.clock import now_ms
from services.platform.errors import Refusal
from services.platform.settings import Settings
from services.sessions.store.connection import AsyncRedis
from services.sessions.store.keys import TOKEN_KEY
from teahouse.v1 import sessions_pb2 as pb


class Tokens:
    """Owns the key that signs tokens."""

    key: bytes

    def __init__(self, settings: Settings, redis: AsyncRedis) -> None:
        self.settings, self.redis = settings, redis

    async def load_key(self) -> None:
        """From the settings, or made once and shared by all copies through Redis."""
        if self.settings.token_key:
            self.key = self.settings.token_key.encode()
            return
        await self.redis.set(TOKEN_KEY, secrets.token_bytes(32), nx=True)
        self.key = await self.redis.get(TOKEN_KEY)

    def make(self, player: pb.Player, generation: int) -> pb.CreatePlayerResponse:
        expires = now_ms() // 1000 + self.settings.token_life
        head = f"{player.id}.{expires}.{generation}"
        return pb.CreatePlayerResponse(player=player, token=f"{head}.{self._signature(head)}", expires_at=expires)

    def read(self, token: str) -> tuple[str, int]:
        """The player and the generation of a token that is good; whether the generation still is, the account says."""
        head, _, signature = token.rpartition(".")
        if not hmac.compare_digest(self._signature(head).encode(), signature.encode()):
            raise bad_token()
        # Tokens of earlier releases had no generation.
        player, expires, generation = f"{head}.0".split(".")[:3]
        if int(expires) * 1000 < now_ms():
            raise bad_token()
        return player, int(generation)

    def _signature(self, head: str) -> str:
        signature = hmac.digest(self.key, head.encode(), "sha256")
        return base64.urlsafe_b64encode(signature).rstrip(b"=").decode()


def bad_token() -> Refusal:
    return Refusal(
        grpc.StatusCode.UNAUTHENTICATED,
        "BAD_TOKEN",
        "the token is not valid, has expired or was made void; get a new one with POST /v1/players",
    )
