"""Every setting of every service: an environment variable with a default that works on a laptop."""

import os
from dataclasses import dataclass, field


def _text(name: str, default: str) -> str:
    return os.environ.get(f"TEAHOUSE_{name}", default)


def _number(name: str, default: float) -> float:
    raw = _text(name, str(default))
    try:
        return float(raw)
    except ValueError:
        raise SystemExit(f"TEAHOUSE_{name} is {raw!r}; expected a number such as {default}") from None


def _whole(name: str, default: int) -> int:
    return int(_number(name, default))


def _addresses(name: str, default: str) -> dict[str, str]:
    """Reads "name=host:port,name=host:port"."""
    pairs = [pair.strip() for pair in _text(name, default).split(",") if pair.strip()]
    if not all("=" in pair for pair in pairs):
        raise SystemExit(f"TEAHOUSE_{name} must look like game=host:port,game=host:port")
    return dict(pair.split("=", 1) for pair in pairs)


@dataclass(frozen=True)
class Settings:
    # Where this process listens. The gateway's port is the one that clients use.
    host: str = field(default_factory=lambda: _text("HOST", "127.0.0.1"))
    port: int = field(default_factory=lambda: _whole("PORT", 8080))
    # Prometheus metrics of a gRPC service; 0 = none. (The gateway serves /metrics itself.)
    metrics_port: int = field(default_factory=lambda: _whole("METRICS_PORT", 0))
    # Where the others are.
    redis_url: str = field(default_factory=lambda: _text("REDIS_URL", "redis://127.0.0.1:6379/0"))
    broker_url: str = field(default_factory=lambda: _text("BROKER_URL", _text("REDIS_URL", "redis://127.0.0.1:6379/0")))
    sessions: str = field(default_factory=lambda: _text("SESSIONS", "127.0.0.1:7400"))
    rules: dict[str, str] = field(default_factory=lambda: _addresses("RULES", ""))
    # Streams over which one process calls another service; with many copies of that service, take as many.
    links: int = field(default_factory=lambda: _whole("LINKS", 1))
    # Seconds that one service waits for another.
    deadline: float = field(default_factory=lambda: _number("DEADLINE", 5))
    # Seconds that a stopping service gives the calls under way.
    drain: float = field(default_factory=lambda: _number("DRAIN", 5))
    # Seconds after which a bot's turn that nobody played is handed out again.
    redeliver: float = field(default_factory=lambda: _number("REDELIVER", 3))
    # Seconds that a bot's turn may take before its worker is stopped.
    turn_limit: int = field(default_factory=lambda: _whole("TURN_LIMIT", 30))
    # Processes of one bot worker.
    bot_processes: int = field(default_factory=lambda: _whole("BOT_PROCESSES", 2))
    # Seconds that a player's token is good for; 90 days.
    token_life: int = field(default_factory=lambda: _whole("TOKEN_LIFE", 90 * 86400))
    # Signs the tokens. Empty: the session service makes a key once and keeps it in Redis.
    token_key: str = field(default_factory=lambda: _text("TOKEN_KEY", ""))
    # Largest request body and WebSocket message, in bytes.
    body_limit: int = field(default_factory=lambda: _whole("BODY_LIMIT", 64 * 1024))
    # Seconds between heartbeats on streams.
    heartbeat: float = field(default_factory=lambda: _number("HEARTBEAT", 15))
    # "human" or "json".
    log_format: str = field(default_factory=lambda: _text("LOG_FORMAT", "human"))
    log_level: str = field(default_factory=lambda: _text("LOG_LEVEL", "INFO"))
