"""Who is calling: a player with a token, a client application with a key, or an address. Asked of the session service
and remembered for some seconds, which is how long a token or key that was made void may still work."""

import ipaddress
from collections.abc import Awaitable, Callable, Mapping
from time import monotonic
from typing import Generic, TypeVar
from urllib.parse import parse_qsl

import grpc.aio
from starlette.datastructures import Headers
from starlette.types import Scope

from gateway.admission.rate_limits import Allowance, RateLimits
from gateway.backend import Backend
from gateway.contract.problems import Problem, from_error
from teahouse.v1 import accounts_pb2, sessions_pb2

REMEMBER = 5.0
MOST = 10_000
LONGEST = 4096
HOW = "Get a token with POST /v1/players and send it as Authorization: Bearer <token>."
Name = TypeVar("Name")
Found = TypeVar("Found")


class Memory(Generic[Name, Found]):
    """What the session service answered, for REMEMBER seconds. What it refused is asked again every time."""

    def __init__(self, ask: Callable[[Name], Awaitable[Found]]) -> None:
        self.ask = ask
        self.known: dict[Name, tuple[float, Found]] = {}

    async def find(self, name: Name) -> Found:
        known = self.known.get(name)
        if known is not None and known[0] > monotonic():
            return known[1]
        found = await self.ask(name)
        self.known.pop(name, None)
        now = monotonic()
        # The first are the oldest.
        while self.known and (len(self.known) >= MOST or next(iter(self.known.values()))[0] < now):
            del self.known[next(iter(self.known))]
        self.known[name] = (now + REMEMBER, found)
        return found

    def until(self, name: Name) -> float:
        """When it is asked again."""
        return self.known[name][0] if name in self.known else 0.0


class Identities:
    """Players by token, applications by key, and an application's own players."""

    def __init__(self, backend: Backend, limits: RateLimits) -> None:
        self.limits = limits

        async def by_token(token: str) -> sessions_pb2.Player:
            if not token.isascii() or len(token) > LONGEST:
                raise Problem(401, "BAD_TOKEN", f"This is not a token of this server. {HOW}")
            request = sessions_pb2.AuthenticateRequest(token=token)
            return await backend.read(backend.sessions.Authenticate, request)

        async def by_key(secret: str) -> accounts_pb2.ApiKey:
            if not secret.isascii() or len(secret) > LONGEST:
                raise Problem(401, "BAD_KEY", "This is not an API key of this server; ask its operator for one.")
            request = accounts_pb2.AuthenticateKeyRequest(secret=secret)
            return await backend.read(backend.accounts.AuthenticateKey, request)

        async def own(pair: tuple[str, str]) -> sessions_pb2.Player:
            request = accounts_pb2.OwnPlayerRequest(application=pair[0], player=pair[1])
            return await backend.read(backend.accounts.GetOwnPlayer, request)

        self.tokens, self.keys, self.own = Memory(by_token), Memory(by_key), Memory(own)


class Client:
    """Who sends a request, and what it may still send."""

    __slots__ = (
        "address", "allowance", "guess", "key", "memory", "named", "player", "problem", "secret", "token", "until"
    )  # fmt: skip

    def __init__(self, memory: Identities, headers: Mapping[str, str], query: Mapping[str, str], address: str) -> None:
        self.memory, self.address = memory, address
        self.player: sessions_pb2.Player | None = None
        self.key: accounts_pb2.ApiKey | None = None
        # Why the token is not accepted; admission says it.
        self.problem: Problem | None = None
        self.secret = headers.get("x-api-key", "")
        # The player of its own for whom an application acts.
        self.named = headers.get("x-player", "") if self.secret else ""
        self.token = ""
        try:
            self.token = bearer(headers) or query.get("token", "")
        except Problem as problem:
            self.problem = problem
        self.until = 0.0
        self.allowance: Allowance
        # What it has paid for a join code of which nobody has said yet whether it is right.
        self.guess: Allowance | None = None

    def unheard(self) -> bool:
        """Whether it brings a key or a token that was never good here."""
        memory = self.memory
        return bool(
            (self.secret and self.secret not in memory.keys.known)
            or (self.token and self.token not in memory.tokens.known)
        )

    async def identify(self) -> None:
        """Finds out who it is; to be repeated when `until` has passed."""
        if self.secret:
            self.key = await self.memory.keys.find(self.secret)
        if self.key and self.named:
            self.player = await self.memory.own.find((self.key.application, self.named))
        elif self.token:
            try:
                self.player = await self.memory.tokens.find(self.token)
            except (Problem, grpc.aio.AioRpcError) as error:
                problem = from_error(error)
                if problem.status != 401:
                    raise  # nobody can tell now; it is asked again
                self.problem = problem
        self.allowance = self.limit()
        if self.problem is None:
            self.until = self.known_until()

    def known_until(self) -> float:
        """Not longer than what is known of its key or token may be believed."""
        memory, now = self.memory, monotonic()
        of_key = memory.keys.until(self.secret) if self.secret else now + REMEMBER
        if self.key and self.named:
            return min(of_key, memory.own.until((self.key.application, self.named)))
        return min(of_key, memory.tokens.until(self.token)) if self.token else of_key

    def may_go_on(self) -> bool:
        """Whether a message on its socket can be taken without asking anybody."""
        now = monotonic()
        return now < self.until and self.allowance.spend(now)

    async def go_on(self) -> None:
        """The same, having asked: raises what speaks against it."""
        if monotonic() >= self.until:
            await self.identify()
            if self.problem:
                raise self.problem
        await self.allowance.take()

    async def still_welcome(self) -> bool:
        """False when its key or token was made void; while nobody can tell, it stays."""
        try:
            await self.identify()
        except (Problem, grpc.aio.AioRpcError) as error:
            return from_error(error).status not in (401, 403)
        return self.problem is None

    @property
    def name(self) -> str:
        """Whose requests and streams these are."""
        if self.player:
            return self.player.id
        return self.key.id if self.key else self.address

    def limit(self) -> Allowance:
        limits = self.memory.limits
        if self.key:
            return limits.allowance("application", self.key.id, self.key.limit_requests, self.key.limit_seconds)
        if self.player:
            return limits.allowance("player", self.player.id)
        return limits.allowance("address", self.address)

    @property
    def onlooker(self) -> str:
        """The player's id, "" for a spectator."""
        return self.player.id if self.player else ""

    async def guess_code(self) -> None:
        """Pays for a join code before anybody looks at it; raises TOO_MANY_REQUESTS for whoever tries them."""
        codes = self.memory.limits.allowance("codes", self.address)
        if codes.policy.requests and not self.guess:
            await codes.take()
            self.guess = codes

    def guessed_wrong(self) -> None:
        self.guess = None

    def guessed_right(self) -> None:
        """A code that is right costs nothing."""
        if self.guess:
            self.guess.give_back()
            self.guess = None


def client_of(scope: Scope, hops: int) -> Client:
    headers = Headers(scope=scope)
    query: dict[str, str] = {}
    # Only where browsers cannot set headers.
    streaming = scope["type"] == "websocket" or scope["path"].endswith("/events")
    if streaming and scope["query_string"]:
        query = dict(parse_qsl(scope["query_string"].decode("latin-1")))
    peer = scope["client"][0] if scope.get("client") else "unknown"
    address = address_of(peer, ", ".join(headers.getlist("x-forwarded-for")), hops)
    memory: Identities = scope["app"].state.identities
    return Client(memory, headers, query, address)


def bearer(headers: Mapping[str, str]) -> str | None:
    """The token in the headers, None without one."""
    value = headers.get("authorization")
    if value is None:
        return None
    scheme, _, token = value.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Problem(401, "BAD_TOKEN", f"The Authorization header must be: Bearer <token>. {HOW}")
    return token.strip()


def address_of(peer: str, forwarded: str, hops: int) -> str:
    """The caller's address behind so many trusted proxies, each of which adds the address it saw to X-Forwarded-For.
    Whoever has an IPv6 address has 2^64 of them.

    >>> address_of("10.0.0.1", "6.6.6.6, 1.2.3.4", 1), address_of("10.0.0.1", "6.6.6.6", 0)
    ('1.2.3.4', '10.0.0.1')
    >>> address_of("2001:db8::1:2:3:4", "", 0), address_of("::ffff:1.2.3.4", "", 0)
    ('2001:db8::/64', '1.2.3.4')
    """
    told = [each.strip() for each in forwarded.split(",") if each.strip()] if hops else []
    text = told[-min(hops, len(told))] if told else peer
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return peer
    if isinstance(address, ipaddress.IPv6Address):
        mapped = address.ipv4_mapped
        return str(mapped or ipaddress.ip_network((address, 64), strict=False))
    return text
