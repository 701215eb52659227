"""All of Teahouse as processes of this machine: Redis, every rules service, sessions, bot workers, hooks and gateway.

    with Stack(Path("var"), port=8080) as stack:
        print(stack.url)

Tests use it too: `kill("sessions")` is kill -9, and the service stays away until `restart("sessions")`. Whatever dies
by itself is started again, after a pause that grows. Names: redis, the games', sessions (sessions-2 …), bots-1 … for
turns that are played at once, search-1 … for those that are thought about, hooks, gateway (gateway-2 …).
"""

import contextlib
import fcntl
import os
import random
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import IO, Any

from deploy import probe, redis
from deploy.supervisor import PATIENCE, Process, StackError, Supervisor
from services.engine import registry

LOCAL = "127.0.0.1"
# Below the range from which systems take the ports of outgoing connections.
PORTS = range(20000, 32000)
CHANCE = random.SystemRandom()  # tests fix the seed of the other one
GIVEN: set[int] = set()
# The latest ports given, kept from other stacks that start at the same time; a service can listen there all the same.
HELD: deque[socket.socket] = deque(maxlen=200)
GATEWAY, BOTS, SESSIONS, RULES, REDIS = range(5)  # the layers, from the outside in


class Stack:
    """`port` 0 takes a free one; `env` goes to every service; `output` is where they write, `say` what happens here."""

    def __init__(
        self,
        data: Path,
        *,
        host: str = LOCAL,
        port: int = 0,
        sessions: int = 1,
        bots: int = 1,
        search: int = 1,
        gateways: int = 1,
        env: Mapping[str, str] | None = None,
        output: IO[Any] | None = None,
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.data, self.host, self.say = data.resolve(), host, say
        self.sessions, self.bots, self.search = sessions, bots, search
        self.port = port or free_port()
        self.ports = [self.port, *(free_port() for _ in range(gateways - 1))]
        self.env = {**os.environ, **(env or {}), "PYTHONUNBUFFERED": "1"}
        self.supervisor = Supervisor(output, say)
        self.processes = self.supervisor.processes
        self.lock: IO[str] | None = None

    @property
    def url(self) -> str:
        """Of the first gateway."""
        return self.urls[0]

    @property
    def urls(self) -> list[str]:
        """Of every gateway."""
        host = LOCAL if self.host == "0.0.0.0" else self.host
        return [f"http://{host}:{port}" for port in self.ports]

    @property
    def redis_url(self) -> str:
        return f"redis://{self.address('redis')}/0"

    def address(self, name: str) -> str:
        """Where a service listens: "host:port"."""
        return f"{LOCAL}:{self.processes[name].port}"

    def metrics(self, name: str) -> str:
        """Where Prometheus reads a service."""
        process = self.processes[name]
        return f"http://{LOCAL}:{process.port if process.layer == GATEWAY else process.metrics_port}/metrics"

    def pid(self, name: str) -> int:
        process = self.processes[name]
        if process.running is None or process.gone():
            raise StackError(f"{name} does not run")
        return process.running.pid

    def __enter__(self) -> "Stack":
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def start(self) -> None:
        """Returns when everything is healthy; starts nothing if that cannot be."""
        require_free(self.host, self.port)
        try:
            self.lock = lock(self.data)
            self._plan()
            # So that deploy.admin, deploy.backup and the pool.depth command find them: the ports change each time.
            (self.data / "sessions").write_text(self.env["TEAHOUSE_SESSIONS"])
            (self.data / "redis-url").write_text(self.redis_url)
            self.say(f"starting {', '.join(self.processes)}")
            self.supervisor.start(["redis"])
            self.supervisor.start(name for name in self.processes if name != "redis")
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        self.supervisor.stop()
        if self.lock:
            self.lock.close()

    def kill(self, name: str) -> None:
        """kill -9. It stays away until `restart`."""
        self.supervisor.kill(name)

    def restart(self, name: str) -> None:
        """Starts a process that was killed, or stops and starts a living one; returns when it is healthy."""
        self.supervisor.restart(name)

    def wait(self, *names: str, patience: float = PATIENCE) -> None:
        """Until these (without names: all) are healthy."""
        self.supervisor.wait(names or tuple(self.processes), patience)

    def _plan(self) -> None:
        assert self.lock
        self._add_redis(self.lock.fileno())
        games = {name: free_port() for name in registry.names()}
        sessions = [free_port() for _ in range(self.sessions)]
        self.env |= {
            "TEAHOUSE_REDIS_URL": self.redis_url,
            "TEAHOUSE_BROKER_URL": self.redis_url,
            "TEAHOUSE_SESSIONS": ",".join(f"{LOCAL}:{port}" for port in sessions),
            "TEAHOUSE_RULES": ",".join(f"{name}={LOCAL}:{port}" for name, port in games.items()),
        }
        for name, port in games.items():
            self._add(name, RULES, f"services.games.{name}", port, partial(self._answers, name))
        for number, port in enumerate(sessions, 1):
            name = "sessions" if number == 1 else f"sessions-{number}"
            self._add(name, SESSIONS, "services.sessions", port, partial(self._answers, name))
        for name, queue in (
            *((f"bots-{number + 1}", "instant") for number in range(self.bots)),
            *((f"search-{number + 1}", "search") for number in range(self.search)),
        ):
            answers = partial(self._answers, name)
            self._add(name, BOTS, "services.bots", 0, answers, f"--name={name}", f"--queues={queue}")
        self._add("hooks", BOTS, "services.bots.webhooks", 0, partial(self._answers, "hooks"))
        for number, (port, url) in enumerate(zip(self.ports, self.urls, strict=True), 1):
            name = "gateway" if number == 1 else f"gateway-{number}"
            self._add(name, GATEWAY, "gateway", port, partial(probe.http, f"{url}/readyz"))

    def _add(self, name: str, layer: int, module: str, port: int, healthy: Callable[[], None], *arguments: str) -> None:
        metrics = 0 if layer == GATEWAY else free_port()
        env = self.env | {
            "TEAHOUSE_HOST": self.host if layer == GATEWAY else LOCAL,
            "TEAHOUSE_PORT": str(port),
            "TEAHOUSE_METRICS_PORT": str(metrics),
        }
        command = [sys.executable, "-m", module, *arguments]
        self.processes[name] = Process(name, layer, command, env, healthy, port, metrics)

    def _answers(self, name: str) -> None:
        """All of them serve their metrics once they are ready. gRPC would make this process twice as large."""
        probe.http(self.metrics(name))

    def _add_redis(self, lock: int) -> None:
        data, port = self.data / "redis", free_port()
        data.mkdir(exist_ok=True)
        try:
            server = redis.executable(data)
            command = redis.command(server, port, data, self.env.get("TEAHOUSE_REDIS_FSYNC", "always"))
        except redis.NoRedis as error:
            raise StackError(str(error)) from None
        healthy = partial(probe.redis, f"{LOCAL}:{port}")
        # It inherits the lock: the death of the supervisor alone must not free data that is in use.
        self.processes["redis"] = Process("redis", REDIS, command, self.env, healthy, port, keep=(lock,))


def lock(data: Path) -> IO[str]:
    """Makes sure that one stack at a time uses this directory."""
    data.mkdir(parents=True, exist_ok=True)
    file = (data / "lock").open("w")
    limit = time.monotonic() + 3  # for a stack that is just ending
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file
        except BlockingIOError:
            if time.monotonic() > limit:
                file.close()
                raise StackError(
                    f"Another Teahouse runs on the data in {data}. Stop it first, or start this one elsewhere: "
                    "TEAHOUSE_DATA=./var2 TEAHOUSE_PORT=8081 make run"
                ) from None
        time.sleep(0.05)


def require_free(host: str, port: int) -> None:
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((host, port))
        except OSError as error:
            raise StackError(
                f"Cannot listen on {host}:{port}: {error.strerror}. Choose another port: TEAHOUSE_PORT=8081 make run"
            ) from None


def free_port() -> int:
    """A port that nobody listens on and that was not given before: whoever got it may not listen yet."""
    while True:
        port, trial = CHANCE.choice(PORTS), socket.socket()
        with contextlib.suppress(OSError):
            trial.bind((LOCAL, port))
            if port not in GIVEN:
                GIVEN.add(port)
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                HELD.append(trial)
                return port
        trial.close()
