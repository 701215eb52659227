"""`python -m services.sessions`."""

import asyncio
import logging
import secrets

from prometheus_client import Gauge
from redis.exceptions import RedisError

from services.platform import clock
from services.platform.errors import Refusal
from services.platform.server import serve
from services.platform.settings import Settings
from services.platform.tracing.context import caused_by
from services.sessions.accounts import Accounts
from services.sessions.company import Company
from services.sessions.connect import connect
from services.sessions.contracts import CONTRACTS, OPERATORS
from services.sessions.core import bot_level
from services.sessions.headcount import count_tables
from services.sessions.hints import Hints
from services.sessions.invitations import Invitations
from services.sessions.leaving import Leaving
from services.sessions.matchmaker import Matchmaker
from services.sessions.operators import Operators
from services.sessions.play import Play, bot_seat
from services.sessions.player_events import PlayerEvents
from services.sessions.ratings import count_results
from services.sessions.rematch import Rematch
from services.sessions.replays import Replays
from services.sessions.retention import sweep
from services.sessions.rules import RulesClient
from services.sessions.store import ORIGIN, Store
from services.sessions.tables import person_waits
from services.sessions.timekeeper import keep_time
from services.sessions.turns.queue import Queue
from services.sessions.undo import Undoing
from services.sessions.webhooks import Webhooks

log = logging.getLogger(__name__)
WAITING = Gauge("teahouse_outbox_turns", "Bot turns that are due or being played.")
OVERDUE = Gauge("teahouse_outbox_overdue_seconds", "How long the oldest unplayed bot turn has waited past its time.")


class Sessions(Invitations, PlayerEvents, Leaving, Undoing, Hints, Rematch, Replays, Accounts, Webhooks, Operators):
    """The whole service, with what runs beside its calls."""

    descriptors = (*CONTRACTS, OPERATORS)

    def __init__(self, settings: Settings) -> None:
        self.redis, origin = connect(settings.redis_url), secrets.token_bytes(ORIGIN)
        # Deliveries have a queue of their own: many of them must not delay a bot's turn.
        self.queue, self.deliveries = Queue(settings), Queue(settings)
        store = Store(self.redis, origin)
        hub = Company(settings.redis_url, store)
        super().__init__(settings, store, RulesClient(settings), hub, self.queue.put)
        self.tasks: list[asyncio.Task[None]] = []

    async def begin(self) -> None:
        await until_redis_answers(self)
        beside = (
            *(clock.follow(self.redis), self.hub.run(), self.hub.keep(), dispatch(self), keep_time(self)),
            sweep(self.store, self.settings),
            *(Matchmaker(self).run(), count_results(self), self.send_notices(self.deliveries.deliver)),
            count_tables(self.store),
        )
        self.tasks = [asyncio.create_task(each) for each in beside]
        await self.hub.listening.wait()

    async def end(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        await self.hub.end()
        self.queue.close()
        self.deliveries.close()
        await self.rules.close()
        await self.redis.aclose()


async def until_redis_answers(service: Play) -> None:
    while True:
        try:
            await clock.look(service.store.redis)
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
        log.warning("no bot plays: %s", gone.message, extra={"table": table})
        return
    seat = bot_seat(loaded.table)
    if seat is not None:
        with caused_by(loaded.record.cause):
            about = {"table": table, "seat": seat, "version": loaded.version}
            log.info("a bot's turn is handed out again", extra=about)
            level = bot_level(loaded.table.seats[seat]) or ""
            service.hand_out(table, loaded.version, level, expires, person_waits(loaded.table))


if __name__ == "__main__":
    chosen = Settings()
    serve("sessions", chosen, lambda: Sessions(chosen))
