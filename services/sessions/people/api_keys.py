"""Client applications and their API keys."""

import secrets
from hashlib import sha256

import grpc

from services.platform.clock import now_ms
from services.platform.contracts import SCOPES
from services.platform.errors import Refusal, invalid, not_found
from services.sessions.store.connection import AsyncRedis
from services.sessions.store.ids import new_id
from services.sessions.store.keys import API_KEYS
from teahouse.v1 import accounts_pb2 as pb

# So that whoever finds one, a secret scanner for example, knows what it is.
PREFIX = "tea_"
LONGEST_NAME = 100
MOST = 10**9


def hashed(secret: str) -> str:
    """SHA-256 is enough: a key has 256 random bits, so that nobody finds it by trying, however fast the hash is."""
    return sha256(secret.encode()).hexdigest()


class ApiKeys:
    """Owns the keys. An operator makes hundreds at the most."""

    def __init__(self, redis: AsyncRedis) -> None:
        self.redis = redis

    async def create(self, request: pb.CreateKeyRequest) -> pb.CreateKeyResponse:
        check(request)
        application = request.application or new_id("a_")
        if request.application and all(key.application != application for key in await self._all()):
            raise not_found("UNKNOWN_APPLICATION", f"there is no application {application[:40]!r}")
        secret = PREFIX + secrets.token_urlsafe(32)
        key = pb.ApiKey(
            id=new_id("k_"),
            application=application,
            name=request.name,
            scopes=sorted(set(request.scopes)),
            limit_requests=request.limit_requests,
            limit_seconds=request.limit_seconds,
            created_at=now_ms() // 1000,
        )
        await self.redis.hset(API_KEYS, hashed(secret), key.SerializeToString())
        return pb.CreateKeyResponse(key=key, secret=secret)

    async def page(self, request: pb.ListKeysRequest) -> pb.ListKeysResponse:
        return pb.ListKeysResponse(keys=await self._all())

    async def revoke(self, request: pb.RevokeKeyRequest) -> pb.ApiKey:
        for name, record in (await self.redis.hgetall(API_KEYS)).items():
            key = pb.ApiKey.FromString(record)
            if key.id == request.id:
                key.revoked_at = key.revoked_at or now_ms() // 1000
                await self.redis.hset(API_KEYS, name, key.SerializeToString())
                return key
        raise not_found("UNKNOWN_KEY", f"there is no key {request.id[:40]!r}; `keys list` shows all of them")

    async def authenticate(self, request: pb.AuthenticateKeyRequest) -> pb.ApiKey:
        record = await self.redis.hget(API_KEYS, hashed(request.secret))
        key = pb.ApiKey.FromString(record) if record else None
        if key is None or key.revoked_at:
            text = "the API key is not valid or was revoked; ask the operator of this server for another"
            raise Refusal(grpc.StatusCode.UNAUTHENTICATED, "BAD_KEY", text)
        return key

    async def _all(self) -> list[pb.ApiKey]:
        found = [pb.ApiKey.FromString(record) for record in await self.redis.hvals(API_KEYS)]
        return sorted(found, key=lambda key: (key.created_at, key.id))


def check(request: pb.CreateKeyRequest) -> None:
    if not 1 <= len(request.name) <= LONGEST_NAME or not request.name.isprintable():
        raise invalid("BAD_NAME", f"a key's name has 1 to {LONGEST_NAME} printable characters", field="name")
    unknown = sorted(set(request.scopes) - SCOPES.keys())
    if unknown or not request.scopes:
        wrong = f"there is no scope {unknown[0][:40]!r}" if unknown else "a key needs a scope"
        raise invalid("BAD_SCOPE", f"{wrong}; there are {', '.join(SCOPES)}", field="scopes")
    numbers = (request.limit_requests, request.limit_seconds)
    if any(numbers) and not all(0 < number <= MOST for number in numbers):
        raise invalid("BAD_LIMIT", "a limit is a number of requests and a number of seconds", field="limit")
