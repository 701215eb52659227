"""`python -m services.sessions`."""

import asyncio
import logging
import secrets

import grpc.aio
from prometheus_client import Gauge
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from services.bots.queue import Queue
from services.platform.errors import Refusal
from services.platform.server import serve
from services.platform.settings import Settings
from services.sessions.play import Play, bot_seat
from services.sessions.rules import RulesClient
from services.sessions.store import ORIGIN, Store
from services.sessions.tables import bot_level
from services.sessions.watch import Hub
from teahouse.v1 import sessions_pb2, sessions_pb2_grpc

log = logging.getLogger(__name__)
WAITING = Gauge("teahouse_outbox_turns", "Bot turns that are due or being played.")
OVERDUE = Gauge("teahouse_outbox_overdue_seconds", "How long the oldest unplayed bot turn has waited past its time.")


def connect(url: str) -> Redis:
    # No silent retries: a commit whose answer was lost must be reported, not sent twice.
    once = Retry(NoBackoff(), 0)
    pool = BlockingConnectionPool.from_url(url, retry=once, socket_connect_timeout=2, max_connections=64, timeout=5)
    return Redis(connection_pool=pool)


class Sessions(Play):
    """The whole service, with what runs beside its calls."""

    descriptor = sessions_pb2.DESCRIPTOR.services_by_name["Sessions"]

    def __init__(self, settings: Settings) -> None:
        self.redis, origin = connect(settings.redis_url), secrets.token_bytes(ORIGIN)
        self.queue = Queue(settings)
        store, hub = Store(self.redis, origin), Hub(self.redis, origin)
        super().__init__(settings, store, RulesClient(settings), hub, self.queue.put)
        self.tasks: list[asyncio.Task[None]] = []

    def add_to(self, server: grpc.aio.Server) -> None:
        sessions_pb2_grpc.add_SessionsServicer_to_server(self, server)

    async def begin(self) -> None:
        await until_redis_answers(self)
        self.tasks = [asyncio.create_task(self.hub.run()), asyncio.create_task(dispatch(self))]
        await self.hub.listening.wait()

    async def end(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        self.queue.close()
        await self.rules.close()
        await self.redis.aclose()


async def until_redis_answers(service: Play) -> None:
    while True:
        try:
            return await service.load_token_key()
        except (RedisError, OSError) as error:
            log.warning("waiting for Redis: %s", error)
            await asyncio.sleep(0.3)


async def dispatch(service: Play) -> None:
    """Hands out again, for as long as the process lives, every bot turn that was not played in time."""
    redeliver = int(service.settings.redeliver * 1000)
    while True:
        await asyncio.sleep(min(0.25, service.settings.redeliver / 4))
        try:
            waiting, overdue = await service.store.outbox()
            WAITING.set(waiting)
            OVERDUE.set(overdue / 1000)
            for table, again in await service.store.due_bots(redeliver):
                await hand_out_again(service, table, again / 1000)
        except (RedisError, OSError) as error:
            log.warning("the dispatcher cannot reach Redis: %s", error)
        except Exception:
            log.exception("the dispatcher goes on after an error")


async def hand_out_again(service: Play, table: str, expires: float) -> None:
    try:
        loaded = await service.store.load(table)
    except Refusal as gone:
        log.warning("table %s: %s", table, gone.message)
        return
    seat = bot_seat(loaded.table)
    if seat is not None:
        log.info("table %s: bot turn at version %d is handed out again", table, loaded.version)
        service.hand_out(table, loaded.version, bot_level(loaded.table.seats[seat]) or "", expires)


if __name__ == "__main__":
    chosen = Settings()
    serve("sessions", chosen, lambda: Sessions(chosen))
