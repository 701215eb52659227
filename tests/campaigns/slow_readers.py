"""300 stream readers that are slow or dead, and what they do to the moves at other tables (`make soak`).

Ten tables are watched by the readers and played on all the time; ten others are measured, with and without the readers
in turns. The readers read nothing at all or 64 bytes a second, through small buffers, half of them events and half of
them sockets. They come back when they notice that they were dropped, and now and then without a reason.
"""

import argparse
import contextlib
import itertools
import multiprocessing
import re
import selectors
import socket
import statistics
import sys
import threading
import time
from multiprocessing.synchronize import Event
from urllib.parse import urlsplit

import httpx
import uvloop

from deploy.stack import Stack
from tests.bench.path import measure
from tests.support.people import Person, play_on, start
from tests.support.processes import own_stack

# Long games with large views.
GAME = "tea_garden"
TABLES, PAUSE = 10, 0.05
LARGEST_RATIO = 1.5
RETURN = 20  # seconds
SOCKET = (
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)
LINES = "Accept: application/x-ndjson\r\n"


class Reader:
    """A connection that is asked for a stream and then neglected: `neglect` reads no more than `pace` bytes of it."""

    def __init__(self, url: str, path: str, headers: str = "", pace: int = 0) -> None:
        self.address, self.pace = urlsplit(url), pace
        self.request = f"GET {path} HTTP/1.1\r\nHost: x\r\n{headers}\r\n".encode()
        self.open()

    def open(self) -> None:
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)  # as small as it can be
        self.socket.connect((str(self.address.hostname), self.address.port or 80))
        self.socket.sendall(self.request)
        self.socket.setblocking(False)

    def neglect(self) -> bool:
        """Reads its few bytes; says whether it was dropped."""
        try:
            flags = 0 if self.pace else socket.MSG_PEEK
            return not self.socket.recv(self.pace or 1, flags)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def again(self) -> None:
        self.socket.close()
        with contextlib.suppress(OSError):
            self.open()


def read(url: str, tables: list[str], count: int, ready: Event) -> None:
    """A process of its own, so that it does not slow down whoever measures."""
    streams = (("socket", SOCKET), ("events", ""))
    readers = []
    for number in range(count):
        kind, headers = streams[number % 2]
        path = f"/v1/tables/{tables[number % len(tables)]}/{kind}"
        readers.append(Reader(url, path, headers, pace=64 * (number // 2 % 2)))
    answered = selectors.DefaultSelector()
    for reader in readers:
        answered.register(reader.socket, selectors.EVENT_READ, reader)
    while answered.get_map():
        for key, _ in answered.select():
            head = key.data.socket.recv(13, socket.MSG_PEEK)
            assert head in (b"HTTP/1.1 101 ", b"HTTP/1.1 200 "), f"the stream was refused: {head!r}"
            answered.unregister(key.fileobj)
    ready.set()
    for second in itertools.count():
        time.sleep(1)
        for number, reader in enumerate(readers):
            if reader.neglect() or (number + second) % RETURN == 0:
                reader.again()


class Play(threading.Thread):
    """Moves at the tables that the readers watch, each some times a second."""

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        self.over = threading.Event()
        self.people = [Person(url, name) for name in ("Ada", "Bob")]
        self.tables = [start(*self.people, game=GAME) for _ in range(TABLES)]
        self.moves = 0

    def run(self) -> None:
        while not self.over.is_set():
            for number, table in enumerate(self.tables):
                if play_on(table, *self.people, moves=1)["status"] == "finished":
                    self.tables[number] = start(*self.people, game=GAME)
                self.moves += 1
                time.sleep(0.02)


def compare(stack: Stack, readers: int, rounds: int) -> tuple[float, float]:
    """The p99 of moves in ms without and with the readers; of several rounds the median."""
    alone, beside = [], []
    play = Play(stack.url)
    play.start()
    for _ in range(rounds):
        alone.append(uvloop.run(measure(stack.url, TABLES, PAUSE))[2])
        ready, moves = multiprocessing.Event(), play.moves
        crowd = multiprocessing.Process(target=read, args=(stack.url, play.tables, readers, ready), daemon=True)
        crowd.start()
        assert ready.wait(60), "the readers were not answered"
        beside.append(uvloop.run(measure(stack.url, TABLES, PAUSE))[2])
        assert play.is_alive() and play.moves > moves, "nothing happened at the tables that the readers watch"
        assert crowd.is_alive(), "the readers have ended"
        crowd.kill()
        crowd.join()
        sys.stderr.write(f"p99 {alone[-1]:.1f} ms alone, {beside[-1]:.1f} ms beside {readers} readers\n")
    play.over.set()
    play.join()
    return statistics.median(alone), statistics.median(beside)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readers", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    with own_stack(quiet=True, env={"TEAHOUSE_PATIENCE": "5"}) as stack:
        alone, beside = compare(stack, chosen.readers, chosen.rounds)
        figures = httpx.get(f"{stack.url}/metrics").text
    [dropped] = re.findall(r"^teahouse_dropped_readers_total (\S+)$", figures, re.MULTILINE)
    print(
        f"slow readers: p99 of moves at other tables {alone:.1f} ms without and {beside:.1f} ms with {chosen.readers} "
        f"of them, {beside / alone:.2f} times; {float(dropped):.0f} were dropped"
    )
    sys.exit(beside > LARGEST_RATIO * alone or not float(dropped))


if __name__ == "__main__":
    main()
