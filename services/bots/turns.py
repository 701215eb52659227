"""A worker: takes a turn from the queue, asks for the position of its seat, thinks, acts."""

import gc
import logging
import multiprocessing
import secrets
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

import grpc
from celery import signals
from celery.exceptions import TimeLimitExceeded
from prometheus_client import CollectorRegistry, Counter, Histogram, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector

from services.bots.strategies import Mind
from services.bots.task import Work, at_work, set_up_worker_logs
from services.engine import registry
from services.engine.dice import Dice
from services.engine.game import WrongRules
from services.platform import tracing
from services.platform.channels import ask, blocking_channel
from services.platform.clock import CLOCK, monotonic_ms, now_ms
from services.platform.errors import from_rpc
from services.platform.pool.celery_app import HINT, TASK, make_app
from services.platform.pool.depth import Depth
from services.platform.pool.levels import thinking
from services.platform.settings import Settings
from teahouse.v1 import company_pb2, company_pb2_grpc, sessions_pb2_grpc
from teahouse.v1 import sessions_pb2 as pb

log = logging.getLogger(__name__)
settings = Settings()
app = make_app(settings)
# Seconds beyond its budget after which a decision is taken from a bot: what it has thought until then is played.
SOFT = 0.1
THINKING = Histogram(
    "teahouse_bot_seconds",
    "Thinking time of bots, by decision.",
    ["game", "level"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.35, 0.5, 0.65, 0.75, 1, 2, 2.25, 5),
)
TURNS = Counter("teahouse_bot_turns", "Turns of bots played: chains of decisions until another seat has it.", ["level"])
FAILURES = Counter(
    "teahouse_bot_failures",
    "Turns that were given up or whose process was stopped, and will be handed out again; or, if thought failed, that "
    "were played at random.",
    ["why"],
)
# Set by the worker's first process when it is told to stop, read by those that play.
stopping = multiprocessing.get_context("fork").Value("b", 0, lock=False)


class Sessions:
    """The session service as this process calls it. Opened after the fork: gRPC does not survive one."""

    stub: Any = None
    company: Any = None


@signals.setup_logging.connect
def _logs(**_: Any) -> None:
    set_up_worker_logs("bots", settings)


@signals.worker_init.connect
def _warm_up(**_: Any) -> None:
    """Before the processes are forked: they share what is read here."""
    for name in registry.names():
        registry.codec(name)


@signals.worker_ready.connect
def _serve_metrics(**_: Any) -> None:
    """Of all processes of this worker together; that they are served at all says that the worker is ready."""
    if settings.metrics_port:
        of_all = CollectorRegistry()
        MultiProcessCollector(of_all)  # type: ignore[no-untyped-call]
        of_all.register(Depth(settings))
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


@signals.task_failure.connect
def _count_failure(exception: BaseException, **_: Any) -> None:
    """In the worker's first process, if the one that played was stopped."""
    FAILURES.labels("limit" if isinstance(exception, TimeLimitExceeded) else "fault").inc()


@app.task(name=TASK, bind=True)
def play(task: Any, table: str, version: int, until: int = 0) -> None:
    """Plays the bot's decisions at that table until another seat has the decision."""
    if too_late(until):
        return  # it has been handed out again
    with at_work(task, table=table, version=version) as work:
        try:
            turn = ask_for_turn(Sessions.stub, "GetBotTurn", table, version)
            if turn.due:
                play_turn(turn, work)
        except grpc.RpcError as error:
            give_up(work, "sessions", from_rpc(error).message)
        except WrongRules as error:
            give_up(work, "rules", f"this worker has other rules: {error}")


@app.task(name=HINT, bind=True)
def hint(task: Any, table: str, version: int, level: str, until: int = 0) -> None:
    """Says what a bot of that level would do in the place of the player who has the decision."""
    if too_late(until):
        return  # nobody waits for it any more
    with at_work(task, table=table, version=version) as work:
        try:
            give_hint(table, version, level)
        except grpc.RpcError as error:
            work.give_up("sessions", from_rpc(error).message)
        except WrongRules as error:
            work.give_up("rules", f"this worker has other rules: {error}")


def ask_for_turn(stub: Any, method: str, table: str, version: int) -> pb.BotTurn:
    """A turn; what time it is comes with it."""
    asked = monotonic_ms()
    turn: pb.BotTurn = ask(stub, method, pb.BotTurnRequest(table=table, version=version), settings.deadline)
    CLOCK.learn(turn.at, asked, monotonic_ms())
    return turn


def too_late(until: int) -> bool:
    """Whether a message is older than it is good for, once the session service has told this process the time."""
    return CLOCK.known and 0 < until < now_ms()


def give_hint(table: str, version: int, level: str) -> None:
    turn = ask_for_turn(Sessions.company, "GetHintTurn", table, version)
    if turn.due:
        codec = registry.codec(turn.game)
        mind = Mind(level, codec.game, turn.seat, Dice(secrets.token_bytes(32)))
        action = think(mind, codec.decode(turn.state), level)
        found = company_pb2.Hint(version=version, bot=level, action=codec.encode_action(action))
        given = company_pb2.GiveHintRequest(table=table, hint=found)
        ask(Sessions.company, "GiveHint", given, settings.deadline)


def play_turn(turn: pb.BotTurn, work: Work) -> None:
    level, codec = turn.bot, registry.codec(turn.game)
    work.about["seat"] = turn.seat
    mind = Mind(level, codec.game, turn.seat, Dice(secrets.token_bytes(32)))
    while turn.due:
        if stopping.value:
            give_up(work, "stopping", "the worker is told to stop")
            return
        with THINKING.labels(turn.game, level).time():
            action = decide(mind, codec.decode(turn.state), level)
        done = pb.ActAsBotRequest(
            table=turn.table, version=turn.version, seat=turn.seat, action=codec.encode_action(action)
        )
        turn = ask(Sessions.stub, "ActAsBot", done, settings.deadline)
    if turn.played:
        TURNS.labels(level).inc()


def decide(mind: Mind, state: Any, level: str) -> Any:
    """What the bot plays. If thought fails it would fail again and hold up the table for ever: then anything legal."""
    try:
        return think(mind, state, level)
    except Exception:
        FAILURES.labels("thought").inc()
        log.exception("%s plays at random: its thought has failed", level)
        return mind.dice.choice(mind.game.legal(state))


def think(mind: Mind, state: Any, level: str) -> Any:
    """The best action, in its time: a search watches the clock itself, and is stopped when it did not."""
    gc.disable()  # A pass over the positions of a long plan took up to 0.2 s, which no alarm can interrupt.
    try:
        with suppress(TimeUp), limit(thinking(level) + SOFT):
            mind.think(state)
        return mind.answer(state)
    finally:
        gc.enable()


class TimeUp(Exception):
    """Raised into whatever the process is thinking about."""


@contextmanager
def limit(seconds: float) -> Iterator[None]:
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def on_alarm(number: int, frame: FrameType | None) -> None:
    raise TimeUp


def give_up(work: Work, why: str, message: str) -> None:
    """The outbox hands the turn out again."""
    FAILURES.labels(why).inc()
    work.give_up(why, message)
