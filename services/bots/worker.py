"""A worker: takes a turn from the queue, asks for the position of its seat, thinks, acts."""

import logging
import secrets
from typing import Any

import grpc
from celery import signals
from prometheus_client import CollectorRegistry, Histogram, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector

from services.bots.app import TASK, make_app
from services.bots.players import choose
from services.engine import registry
from services.engine.dice import Dice
from services.engine.game import WrongRules
from services.platform.errors import from_rpc
from services.platform.logs import set_up_logs
from services.platform.server import CHANNEL_OPTIONS
from services.platform.settings import Settings
from teahouse.v1 import sessions_pb2 as pb
from teahouse.v1 import sessions_pb2_grpc

log = logging.getLogger(__name__)
settings = Settings()
app = make_app(settings)
THINKING = Histogram("teahouse_bot_seconds", "Thinking time of bots.", ["game", "level"])


class Sessions:
    """The session service as this process calls it. Opened after the fork: gRPC does not survive one."""

    stub: Any = None


@signals.setup_logging.connect
def _logs(**_: Any) -> None:
    set_up_logs("bots", settings)
    for chatty in ("celery.worker.strategy", "celery.app.trace"):
        logging.getLogger(chatty).setLevel(logging.WARNING)


@signals.worker_ready.connect
def _serve_metrics(**_: Any) -> None:
    """Of all processes of this worker together; that they are served at all says that the worker is ready."""
    if settings.metrics_port:
        registry_of_all = CollectorRegistry()
        MultiProcessCollector(registry_of_all)  # type: ignore[no-untyped-call]
        start_http_server(settings.metrics_port, settings.host, registry=registry_of_all)


@signals.worker_process_init.connect
def _warm_up(**_: Any) -> None:
    for name in registry.names():
        registry.codec(name)
    Sessions.stub = sessions_pb2_grpc.SessionsStub(grpc.insecure_channel(settings.sessions, options=CHANNEL_OPTIONS))


@app.task(name=TASK)
def play(table: str, version: int) -> None:
    """Plays the bot's decisions at that table until another seat has the decision."""
    try:
        turn = Sessions.stub.GetBotTurn(pb.BotTurnRequest(table=table, version=version), timeout=settings.deadline)
        while turn.due:
            turn = Sessions.stub.ActAsBot(think(turn), timeout=settings.deadline)
    except grpc.RpcError as error:
        # The outbox hands the turn out again.
        log.warning("table %s: turn left unplayed: %s", table, from_rpc(error).message)
    except WrongRules as error:
        log.warning("table %s: turn left unplayed: this worker has other rules: %s", table, error)


def think(turn: pb.BotTurn) -> pb.ActAsBotRequest:
    game, codec = registry.load(turn.game), registry.codec(turn.game)
    with THINKING.labels(turn.game, turn.bot).time():
        action = choose(turn.bot, game, codec.decode(turn.state), turn.seat, Dice(secrets.token_bytes(32)))
    return pb.ActAsBotRequest(
        table=turn.table, version=turn.version, seat=turn.seat, action=codec.encode_action(action)
    )
