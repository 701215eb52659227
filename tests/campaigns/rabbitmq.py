"""The bots' queues in RabbitMQ instead of Redis, by TEAHOUSE_BROKER_URL alone.

`python -m tests.campaigns.rabbitmq` (in `make soak`; needs the program `rabbitmq-server`) looks at the order in which a
queue that has waited is played, then plays bot turns as `python -m tests.campaigns.bot_pool` does while RabbitMQ is
killed, and workers.
"""

import argparse
import shutil
import socket
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from amqp.exceptions import AMQPError
from kombu import Connection

from deploy.probe import Unhealthy
from deploy.stack import LOCAL, REDIS, Stack, free_port
from deploy.supervisor import Process
from services.platform.pool.celery_app import INSTANT
from services.platform.pool.depth import rabbitmq_depth
from teahouse.v1 import sessions_pb2 as pb
from tests.campaigns.bot_pool import KILL_EVERY, Campaign
from tests.support.session_client import ME, SessionClient, bot
from tests.support.waiting import until

PATIENCE = 120.0


class RabbitStack(Stack):
    """A stack whose bots' queues are in a RabbitMQ of its own."""

    def _plan(self) -> None:
        super()._plan()
        self._add_rabbit()
        self.supervisor.start(["epmd", "rabbitmq"])
        for process in self.processes.values():
            process.env["TEAHOUSE_BROKER_URL"] = self.broker_url

    @property
    def broker_url(self) -> str:
        return f"amqp://guest:guest@{self.address('rabbitmq')}//"

    def _add_rabbit(self) -> None:
        names, port, nodes = free_port(), free_port(), free_port()
        folder = self.data / "rabbitmq"
        folder.mkdir()
        (folder / "plugins").write_text("[].")
        (folder / "rabbitmq.conf").write_text(f"listeners.tcp.1 = {LOCAL}:{port}\n")
        env = self.env | {
            "HOME": str(folder),
            "ERL_EPMD_PORT": str(names),
            "RABBITMQ_NODENAME": "teahouse@localhost",
            "RABBITMQ_DIST_PORT": str(nodes),
            "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
            "RABBITMQ_MNESIA_BASE": str(folder),
            "RABBITMQ_LOG_BASE": str(folder),
        }
        epmd = ["epmd", "-port", str(names)]
        self.processes["epmd"] = Process("epmd", REDIS, epmd, env, partial(listens, names), names)
        server = next(str(path) for path in programs() if path.exists())
        answers = partial(broker_answers, f"amqp://guest:guest@{LOCAL}:{port}//")
        self.processes["rabbitmq"] = Process("rabbitmq", REDIS, [server], env, answers, port)


def programs() -> list[Path]:
    """Debian's own script on the PATH insists on its own user; the one behind it does not."""
    return [Path("/usr/lib/rabbitmq/bin/rabbitmq-server"), Path(shutil.which("rabbitmq-server") or "rabbitmq-server")]


def listens(port: int) -> None:
    try:
        socket.create_connection((LOCAL, port), 2).close()
    except OSError as error:
        raise Unhealthy(str(error)) from None


def broker_answers(url: str) -> None:
    try:
        with Connection(url, connect_timeout=2) as connection:
            connection.connect()
    except (OSError, AMQPError) as error:
        raise Unhealthy(str(error)) from None


class Kills(Campaign):
    """The broker dies first, then the workers as ever."""

    def kill_workers(self) -> None:
        self.over.wait(KILL_EVERY)
        self.stack.kill("rabbitmq")
        self.stack.restart("rabbitmq")
        super().kill_workers()


def people_come_first(stack: RabbitStack) -> None:
    """While no worker runs, five tables of bots and then one with a person wait; that one is played first."""
    house = SessionClient(stack)
    stack.kill("bots-1")
    stack.kill("bots-2")
    among_bots = [start(house, bot("random"), bot("random")) for _ in range(5)]
    against_a_person = start(house, ME, bot("random"))
    # More when some were handed out again meanwhile.
    until(lambda: rabbitmq_depth(stack.broker_url, INSTANT).waiting >= 6, "six turns in the queue", PATIENCE)
    stack.restart("bots-1")
    first = played_at(house, against_a_person)
    assert all(first <= played_at(house, table) for table in among_bots), "a table of bots came before a person"
    stack.restart("bots-2")


def start(house: SessionClient, *seats: pb.Seat) -> str:
    """A table of Geisha's Road where seat 1 begins."""
    host = house.player()
    table: str = house.open(host, *seats, options={"starting_seat": 1}).id
    house.call("StartTable", pb.TableRequest(caller=host, table=table))
    return table


def played_at(house: SessionClient, table: str) -> int:
    """When the first move was made there; waits for it."""
    moves = until(
        lambda: [line.at for line in house.log(table) if line.HasField("seat")], f"a move at {table}", PATIENCE
    )
    return moves[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=2_000)
    asked = parser.parse_args()
    if not any(path.exists() for path in programs()):
        print("rabbitmq: not tried, there is no rabbitmq-server here")
        return
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, (stack := RabbitStack(Path(folder), bots=2, output=sys.stderr)):
        people_come_first(stack)
        campaign = Kills(stack, asked.turns)
        campaign.run()
    print(
        f"rabbitmq: {campaign.played} bot turns of {campaign.games} games in {time.monotonic() - began:.0f} s, "
        f"the broker and {campaign.killed} workers killed"
    )


if __name__ == "__main__":
    main()
