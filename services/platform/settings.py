"""Every setting of every service: an environment variable with a default that works on a laptop."""

import os
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

# The least number of seconds where there must be some.
SOME = 0.01
# The variables that `Settings` has read.
KNOWN: set[str] = set()


def running(name: str) -> str:
    """What `make run` has written beside its data: the address of its "sessions", or its "redis-url"; or nothing."""
    noted = Path(os.environ.get("TEAHOUSE_DATA", "var")) / name
    return noted.read_text() if noted.exists() else ""


def _text(name: str, default: str) -> str:
    KNOWN.add(f"TEAHOUSE_{name}")
    return os.environ.get(f"TEAHOUSE_{name}", default)


def _number(name: str, default: float, least: float = 0, most: float = inf) -> float:
    raw = _text(name, str(default))
    try:
        number = float(raw)
    except ValueError:
        raise SystemExit(f"TEAHOUSE_{name} is {raw!r}; expected a number such as {default}") from None
    if not least <= number <= most or number == inf:
        bounds = f"from {least}" if most == inf else f"from {least} to {most}"
        raise SystemExit(f"TEAHOUSE_{name} is {raw!r}; expected a number {bounds}, such as {default}")
    return number


def _whole(name: str, default: int, least: int = 0, most: float = inf) -> int:
    number = _number(name, default, least, most)
    if not number.is_integer():
        raise SystemExit(f"TEAHOUSE_{name} is {number}; expected a whole number such as {default}")
    return int(number)


def _choice(name: str, default: str, *others: str) -> str:
    chosen = _text(name, default)
    if chosen not in (default, *others):
        raise SystemExit(f"TEAHOUSE_{name} is {chosen!r}; expected one of {', '.join((default, *others))}")
    return chosen


def _switch(name: str) -> bool:
    raw = _text(name, "").lower()
    if raw not in ("", "0", "1", "false", "true", "no", "yes"):
        raise SystemExit(f"TEAHOUSE_{name} is {raw!r}; expected 1 or 0")
    return raw in ("1", "true", "yes")


def _addresses(name: str, default: str) -> dict[str, str]:
    """Reads "name=host:port,name=host:port". A name that occurs twice has two copies."""
    pairs = [pair.strip() for pair in _text(name, default).split(",") if pair.strip()]
    if not all("=" in pair for pair in pairs):
        raise SystemExit(f"TEAHOUSE_{name} must look like game=host:port,game=host:port")
    found: dict[str, str] = {}
    for service, address in (pair.split("=", 1) for pair in pairs):
        found[service] = f"{found[service]},{address}" if service in found else address
    return found


def _broker() -> str:
    url = _text("BROKER_URL", _text("REDIS_URL", "redis://127.0.0.1:6379/0"))
    if "," in url:
        raise SystemExit(
            "With a Redis Cluster, TEAHOUSE_BROKER_URL must name a plain Redis or a RabbitMQ: Celery needs one"
        )
    return url


def _url(name: str) -> str:
    url = _text(name, "")
    if url and not url.startswith(("http://", "https://")):
        raise SystemExit(f"TEAHOUSE_{name} is {url!r}; expected an address such as http://127.0.0.1:4318, or nothing")
    return url


def _limits() -> str:
    """Defaults to the Redis of the broker; to that of the tables if the broker is a RabbitMQ."""
    broker, tables = _broker(), _text("REDIS_URL", "redis://127.0.0.1:6379/0")
    url = _text("LIMITS_URL", "") or (tables if broker.startswith("amqp") else broker)
    if "," in url:
        raise SystemExit("TEAHOUSE_LIMITS_URL must name a plain Redis, where the gateways count for their rate limits")
    return url


def _rate(name: str, default: str) -> tuple[int, int]:
    """Reads "600/60", which is 600 in 60 seconds; "0" is no limit."""
    raw = _text(name, default)
    count, _, seconds = raw.partition("/")
    if raw == "0":
        return 0, 1
    if not (raw.isascii() and count.isdigit() and seconds.isdigit() and int(count) and int(seconds)):
        raise SystemExit(f"TEAHOUSE_{name} is {raw!r}; expected requests/seconds such as {default}, or 0 for no limit")
    return int(count), int(seconds)


@dataclass(frozen=True)
class Settings:
    # Where this process listens. Clients use the port of the gateway.
    host: str = field(default_factory=lambda: _text("HOST", "127.0.0.1"))
    port: int = field(default_factory=lambda: _whole("PORT", 8080, most=65535))
    # Prometheus metrics of a gRPC service or a worker; 0 = none. (The gateway serves /metrics itself.)
    metrics_port: int = field(default_factory=lambda: _whole("METRICS_PORT", 0, most=65535))
    # The addresses of the others. A Redis Cluster has several nodes: redis://host:port,host:port
    redis_url: str = field(default_factory=lambda: _text("REDIS_URL", "redis://127.0.0.1:6379/0"))
    # A plain Redis, or a RabbitMQ: amqp://user:password@host:port/
    broker_url: str = field(default_factory=_broker)
    sessions: str = field(default_factory=lambda: _text("SESSIONS", "127.0.0.1:7400"))
    rules: dict[str, str] = field(default_factory=lambda: _addresses("RULES", ""))
    # Mutual TLS between the services: the files with the key and the certificate of this one, and with the certificate
    # of the authority that signed all of them. Empty: no TLS.
    tls_key: str = field(default_factory=lambda: _text("TLS_KEY", ""))
    tls_cert: str = field(default_factory=lambda: _text("TLS_CERT", ""))
    tls_ca: str = field(default_factory=lambda: _text("TLS_CA", ""))
    # Seconds that one service waits for another.
    deadline: float = field(default_factory=lambda: _number("DEADLINE", 5, SOME))
    # Calls under way in one process (gateway, session service, rules service); those beyond are refused. 0 = no limit.
    call_limit: int = field(default_factory=lambda: _whole("CALL_LIMIT", 1000))
    # Seconds that a stopping service waits for the calls under way.
    drain: float = field(default_factory=lambda: _number("DRAIN", 5))
    # Seconds after which a bot turn that no worker has played is handed out again.
    redeliver: float = field(default_factory=lambda: _number("REDELIVER", 3))
    # Seconds for one bot turn, after which its worker is stopped.
    turn_limit: int = field(default_factory=lambda: _whole("TURN_LIMIT", 120, 1))
    # Seconds after which a matchmaking ticket expires.
    ticket_life: int = field(default_factory=lambda: _whole("TICKET_LIFE", 3600, 1))
    # Megabytes above which a process of a bot worker is replaced.
    bot_memory: int = field(default_factory=lambda: _whole("BOT_MEMORY", 300, 1))
    # Processes of one bot worker.
    bot_processes: int = field(default_factory=lambda: _whole("BOT_PROCESSES", 1, 1))
    # Seconds without an action after which the others can vote that a player is absent.
    absence: float = field(default_factory=lambda: _number("ABSENCE", 60))
    # Seconds for which a table is kept after it was finished (90 days), or after its last action (30 days).
    keep_finished: float = field(default_factory=lambda: _number("KEEP_FINISHED", 90 * 86400))
    keep_abandoned: float = field(default_factory=lambda: _number("KEEP_ABANDONED", 30 * 86400))
    # Seconds that a table in play waits for the rules that made it, if those that run cannot continue it.
    rules_patience: float = field(default_factory=lambda: _number("RULES_PATIENCE", 600))
    # Seconds for which the token of a player is valid; 90 days.
    token_life: int = field(default_factory=lambda: _whole("TOKEN_LIFE", 90 * 86400, 1))
    # The key that signs tokens. Empty: the session service makes one and keeps it in Redis.
    token_key: str = field(default_factory=lambda: _text("TOKEN_KEY", ""))
    # Largest request body and WebSocket message, in bytes.
    body_limit: int = field(default_factory=lambda: _whole("BODY_LIMIT", 64 * 1024, 1))
    # The plain Redis where the gateway counts requests for its rate limits.
    limits_url: str = field(default_factory=_limits)
    # Requests in seconds of one player, of one application key, of one address without either.
    limit_player: tuple[int, int] = field(default_factory=lambda: _rate("LIMIT_PLAYER", "12000/60"))
    limit_application: tuple[int, int] = field(default_factory=lambda: _rate("LIMIT_APPLICATION", "60000/60"))
    limit_address: tuple[int, int] = field(default_factory=lambda: _rate("LIMIT_ADDRESS", "12000/60"))
    # Of calls that cost more: new players, tables opened (and what costs as much), wrong join codes.
    limit_new_players: tuple[int, int] = field(default_factory=lambda: _rate("LIMIT_NEW_PLAYERS", "3000/600"))
    limit_tables: tuple[int, int] = field(default_factory=lambda: _rate("LIMIT_TABLES", "600/600"))
    limit_codes: tuple[int, int] = field(default_factory=lambda: _rate("LIMIT_CODES", "60/60"))
    # Requests and streams that one client may have open at one copy of the gateway; 0 = no limit.
    open_limit: int = field(default_factory=lambda: _whole("OPEN_LIMIT", 500))
    # How many proxies stand before the gateway; so many entries of X-Forwarded-For are trusted.
    proxy_hops: int = field(default_factory=lambda: _whole("PROXY_HOPS", 0))
    # Seconds between heartbeats on streams.
    heartbeat: float = field(default_factory=lambda: _number("HEARTBEAT", 15, SOME))
    # Seconds for which a client may leave unread what we send; after that it is dropped.
    patience: float = field(default_factory=lambda: _number("PATIENCE", 60, SOME))
    # Whether webhooks may go to private addresses (for tests and closed networks).
    webhook_private: bool = field(default_factory=lambda: _switch("WEBHOOK_PRIVATE"))
    # Seconds for one attempt to deliver to a webhook, from the connection to the answer.
    webhook_timeout: float = field(default_factory=lambda: _number("WEBHOOK_TIMEOUT", 10, SOME))
    # Seconds after the first failed attempt; the pauses grow to 4320 times as many.
    webhook_pause: float = field(default_factory=lambda: _number("WEBHOOK_PAUSE", 5))
    # Attempts before a delivery is given up.
    webhook_tries: int = field(default_factory=lambda: _whole("WEBHOOK_TRIES", 8, 1))
    # Deliveries given up in a row, after which a webhook is disabled.
    webhook_failures: int = field(default_factory=lambda: _whole("WEBHOOK_FAILURES", 5, 1))
    # Deliveries that one worker makes at a time.
    webhook_threads: int = field(default_factory=lambda: _whole("WEBHOOK_THREADS", 16, 1))
    # The collector of traces, which takes OTLP over HTTP: http://host:4318. Empty: no traces.
    traces: str = field(default_factory=lambda: _url("TRACES"))
    # The part of the traces that is recorded, from 0 to 1.
    traces_share: float = field(default_factory=lambda: _number("TRACES_SHARE", 1, most=1))
    # "human" or "json".
    log_format: str = field(default_factory=lambda: _choice("LOG_FORMAT", "human", "json"))
    log_level: str = field(
        default_factory=lambda: _choice("LOG_LEVEL", "INFO", "DEBUG", "WARNING", "ERROR", "CRITICAL")
    )
