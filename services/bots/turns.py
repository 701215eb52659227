"""The tasks of a bot worker. It fetches the position of the bot's seat, thinks and acts, until another seat is due."""

import gc
import logging
import multiprocessing
import secrets
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from celery import signals
from celery.exceptions import TimeLimitExceeded
from prometheus_client import CollectorRegistry, Counter, Histogram, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector

from services.bots.queue_metrics import QueueMetrics
from services.bots.strategies import Bot
from services.bots.task import RunningTask, running
from services.bots.worker import set_up_worker_logs
from services.engine import registry
from services.engine.dice import Dice
from services.platform import tracing
from services.platform.channels import ask, blocking_channel
from services.platform.clock import CLOCK, monotonic_ms, now_ms
from services.platform.pool.celery_app import HINT, PLAY, make_app
from services.platform.pool.levels import thinking
from services.platform.settings import Settings
from teahouse.v1 import company_pb2, company_pb2_grpc, sessions_pb2_grpc
from teahouse.v1 import sessions_pb2 as pb

log = logging.getLogger(__name__)
settings = Settings()
app = make_app(settings)
# Seconds beyond its budget after which a bot is stopped; it plays the best action found so far.
GRACE = 0.1
THINKING = Histogram(
    "teahouse_bot_seconds",
    "Thinking time of bots, by decision.",
    ["game", "level"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.35, 0.5, 0.65, 0.75, 1, 2, 2.25, 5),
)
TURNS = Counter("teahouse_bot_turns", "Turns that bots have played; a turn may be several decisions.", ["level"])
FAILURES = Counter(
    "teahouse_bot_failures",
    "Turns left undone, which are handed out again; and decisions played at random because the bot failed (thought).",
    ["why"],
)
WHY = ("sessions", "rules", "stopping", "limit", "fault", "thought")
# The main process of the worker sets it when it is told to stop; the processes that play read it.
stopping = multiprocessing.get_context("fork").Value("b", 0, lock=False)


class Sessions:
    """This process's stubs of the session service. They are made after the fork, which gRPC does not survive."""

    stub: Any = None
    company: Any = None


@signals.setup_logging.connect
def _logs(**_: Any) -> None:
    set_up_worker_logs("bots", settings)


@signals.worker_init.connect
def _load_games(**_: Any) -> None:
    """Before the fork, so that the processes share the memory."""
    for name in registry.names():
        registry.codec(name)


@signals.worker_ready.connect
def _serve_metrics(**_: Any) -> None:
    """The metrics of all processes of this worker. Health checks ask for them: they are served once it is ready."""
    if settings.metrics_port:
        of_all = CollectorRegistry()
        MultiProcessCollector(of_all)  # type: ignore[no-untyped-call]
        of_all.register(QueueMetrics(settings))
        start_http_server(settings.metrics_port, settings.host, registry=of_all)


@signals.worker_shutting_down.connect
def _drain(**_: Any) -> None:
    stopping.value = 1


@signals.worker_process_init.connect
def _connect(**_: Any) -> None:
    signal.signal(signal.SIGALRM, on_alarm)
    tracing.begin("bots", settings)
    channel = blocking_channel(settings.sessions, settings)
    Sessions.stub = sessions_pb2_grpc.SessionsStub(channel)
    Sessions.company = company_pb2_grpc.CompanyStub(channel)
    for why in WHY:
        FAILURES.labels(why)  # shown from the start: an alert on the increase would miss the first failure


@signals.task_failure.connect
def _count_failure(exception: BaseException, **_: Any) -> None:
    """Runs in the main process of the worker if the process that played was killed for its time limit."""
    FAILURES.labels("limit" if isinstance(exception, TimeLimitExceeded) else "fault").inc()


@app.task(name=PLAY, bind=True)
def play(task: Any, table: str, version: int, until: int = 0) -> None:
    """Plays the bot's decisions at that table until another seat has the decision."""
    if too_late(until):
        return  # the turn has been handed out again
    with running(task, table=table, version=version) as run:
        turn = fetch_turn(Sessions.stub, "GetBotTurn", table, version)
        if turn.due:
            play_turn(turn, run)
    if run.status != "OK":
        FAILURES.labels(run.status).inc()


@app.task(name=HINT, bind=True)
def hint(task: Any, table: str, version: int, level: str, until: int = 0) -> None:
    """Tells what a bot of that level would do in place of the player who has the decision."""
    if too_late(until):
        return  # nobody waits for it any more
    with running(task, table=table, version=version):
        give_hint(table, version, level)


def fetch_turn(stub: Any, method: str, table: str, version: int) -> pb.BotTurn:
    """Asks the session service for a turn. The answer carries the time, from which this process sets its clock."""
    asked = monotonic_ms()
    turn: pb.BotTurn = ask(stub, method, pb.BotTurnRequest(table=table, version=version), settings.deadline)
    CLOCK.learn(turn.at, asked, monotonic_ms())
    return turn


def too_late(until: int) -> bool:
    """Whether the task has expired. A process that has not been told the time yet does not know, and goes on."""
    return CLOCK.known and 0 < until < now_ms()


def give_hint(table: str, version: int, level: str) -> None:
    turn = fetch_turn(Sessions.company, "GetHintTurn", table, version)
    if turn.due:
        codec = registry.codec(turn.game)
        bot = Bot(level, codec.game, turn.seat, Dice(secrets.token_bytes(32)))
        action = think(bot, codec.decode(turn.state))
        found = company_pb2.Hint(version=version, bot=level, action=codec.encode_action(action))
        given = company_pb2.GiveHintRequest(table=table, hint=found)
        ask(Sessions.company, "GiveHint", given, settings.deadline)


def play_turn(turn: pb.BotTurn, run: RunningTask) -> None:
    level, codec = turn.bot, registry.codec(turn.game)
    run.about["seat"] = turn.seat
    bot = Bot(level, codec.game, turn.seat, Dice(secrets.token_bytes(32)))
    while turn.due:
        if stopping.value:
            run.give_up("stopping", "the worker is told to stop")
            return
        with THINKING.labels(turn.game, level).time():
            action = decide(bot, codec.decode(turn.state))
        done = pb.ActAsBotRequest(
            table=turn.table, version=turn.version, seat=turn.seat, action=codec.encode_action(action)
        )
        turn = ask(Sessions.stub, "ActAsBot", done, settings.deadline)
    if turn.played:
        TURNS.labels(level).inc()


def decide(bot: Bot, state: Any) -> Any:
    """The action that the bot plays. A bot that fails would fail again and block its table, so it plays at random."""
    try:
        return think(bot, state)
    except Exception:
        FAILURES.labels("thought").inc()
        log.exception("%s failed to choose an action and plays at random", bot.level)
        return bot.dice.choice(bot.game.legal(state))


def think(bot: Bot, state: Any) -> Any:
    """The bot's best action. A search watches the clock itself; an alarm stops one that did not."""
    gc.disable()  # A collection over the positions of a long plan took up to 0.2 s, which no alarm can interrupt.
    try:
        with suppress(TimeUp), limit(thinking(bot.level) + GRACE):
            bot.think(state)
        return bot.answer(state)
    finally:
        gc.enable()


class TimeUp(Exception):
    """The alarm raises it wherever the process is thinking."""


@contextmanager
def limit(seconds: float) -> Iterator[None]:
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def on_alarm(number: int, frame: FrameType | None) -> None:
    raise TimeUp
