"""A client that does not read what it asked for is dropped, and its table goes on; who comes back misses nothing."""

import itertools
import socket
import time
from collections.abc import Callable, Iterator

import httpx
import pytest

from deploy.stack import Stack
from gateway.routes.pages import FOLDER
from gateway.server.slow_clients import KEPT, bound_buffers
from tests.campaigns.slow_readers import GAME, LINES, SOCKET, Reader
from tests.support.people import Person, play_on, start
from tests.support.processes import gateway
from tests.support.waiting import until

LONGEST = 90.0
LARGE = FOLDER / "vendor" / "swagger-ui" / "swagger-ui-bundle.js"


@pytest.fixture(scope="module")
def url(stack: Stack) -> Iterator[str]:
    """A gateway of its own with little patience."""
    with gateway(stack, patience="1") as address:
        yield address


@pytest.fixture
def game(url: str) -> tuple[str, Person, Person]:
    ada, bob = Person(url, "Ada"), Person(url, "Bob")
    return start(ada, bob, game=GAME), ada, bob


def drops(url: str) -> float:
    return figure(url, "teahouse_dropped_readers_total")


def streams(url: str, kind: str) -> float:
    return figure(url, f'teahouse_open_streams{{kind="{kind}"}}')


def figure(url: str, name: str) -> float:
    figures = httpx.get(f"{url}/metrics").text.splitlines()
    (line,) = [each for each in figures if each.startswith(f"{name} ")]
    return float(line.rpartition(" ")[2])


@pytest.mark.parametrize(("kind", "stream", "headers"), [("sse", "events", ""), ("socket", "socket", SOCKET)])
def test_a_reader_that_reads_nothing_is_dropped(
    url: str, game: tuple[str, Person, Person], kind: str, stream: str, headers: str
) -> None:
    table, *people = game
    before = people[0].view(table)["version"]
    reader = Reader(url, f"/v1/tables/{table}/{stream}", headers)
    until(lambda: streams(url, kind) == 1)
    position = play_on(table, *people, moves=10)
    until(lambda: streams(url, kind) == 0)
    reader.socket.close()
    after = play_on(table, *people, moves=3)["version"]
    assert after == position["version"] + 3
    with people[0].socket(table, after=before) as connection:
        assert f'"version":{after}' in str(connection.recv(timeout=20))


@pytest.mark.parametrize(
    ("kind", "stream", "headers"),
    [("sse", "events", ""), ("sse", "events", LINES), ("socket", "socket", SOCKET)],
    ids=["events", "lines", "socket"],
)
def test_a_reader_that_reads_a_little_is_dropped_too(
    url: str, game: tuple[str, Person, Person], kind: str, stream: str, headers: str
) -> None:
    table, *people = game

    def move() -> None:
        assert play_on(table, *people, moves=1)["status"] == "playing"

    neglect(url, Reader(url, f"/v1/tables/{table}/{stream}", headers, pace=500), kind, move)


def test_so_is_one_of_a_players_events(url: str) -> None:
    ada, bob = Person(url, "Ada"), Person(url, "Bob")
    table = ada.open({"kind": "me"}, {"kind": "open"}, {"kind": "open"}, game=GAME)
    seats = itertools.cycle((1, 2))

    def invite() -> None:
        invitation = {"player": bob.id, "seat": next(seats)}
        assert ada.post(f"/v1/tables/{table}/invitations", json=invitation).status_code == 200

    neglect(url, Reader(url, f"/v1/players/me/events?token={bob.token}", pace=20), "sse", invite)


def neglect(url: str, reader: Reader, kind: str, happen: Callable[[], None]) -> None:
    """It takes some bytes now and then, so that its connection lives, but fewer than there are for it: until it is
    dropped."""
    before = drops(url)
    until(lambda: streams(url, kind) == 1)

    def dropped() -> bool:
        happen()
        return reader.neglect() or drops(url) > before

    until(dropped)
    until(lambda: streams(url, kind) == 0)
    assert drops(url) == before + 1
    reader.socket.close()


@pytest.mark.parametrize(
    ("answered", "unfinished"),
    [
        (b"", b""),
        (b"", b"GET /v1/games HTTP/1.1\r\nHost: x\r\n"),
        (b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /v1/games HTTP/1.1\r\n"),
        (b"", b"POST /v1/players HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"),
    ],
    ids=["nothing", "headers", "second", "body"],
)
def test_who_does_not_finish_a_request_is_dropped(url: str, answered: bytes, unfinished: bytes) -> None:
    with socket.create_connection(("127.0.0.1", httpx.URL(url).port or 80), timeout=LONGEST) as connection:
        if answered:
            connection.sendall(answered)
            assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200")
        connection.sendall(unfinished)
        with pytest.raises(ConnectionResetError):
            read_out(connection)


def read_out(connection: socket.socket) -> None:
    """Until it is closed in order; raises if it is cut."""
    while connection.recv(1 << 16):
        pass


def test_a_slow_line_gets_all_of_a_large_answer(stack: Stack) -> None:
    """It takes longer than the patience as a whole, but goes on."""
    size, seconds = LARGE.stat().st_size, 6
    with gateway(stack, patience="4") as address:
        reader = Reader(address, "/" + LARGE.relative_to(FOLDER).as_posix(), pace=size // (20 * seconds))
        reader.socket.setblocking(True)
        began, got = time.monotonic(), 0
        while got < size:
            told = reader.socket.recv(reader.pace)
            assert told, f"dropped after {got} of {size} bytes"
            got += len(told)
            time.sleep(max(0, began + seconds * got / size - time.monotonic()))
        assert drops(address) == 0
        reader.socket.close()


def test_a_reader_that_reads_stays(url: str, game: tuple[str, Person, Person]) -> None:
    """Longer than the patience, with nothing to read in between."""
    table, ada, bob = game
    with ada.socket(table) as connection:
        while '"presence"' not in str(connection.recv(timeout=20)):
            pass
        with pytest.raises(TimeoutError):
            connection.recv(timeout=2.5)
        play_on(table, ada, bob, moves=1)
        assert '"update"' in str(connection.recv(timeout=20))


def test_connections_inherit_the_bounds_of_the_socket_that_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        bound_buffers(listening)
        with socket.create_connection(listening.getsockname()):
            connection, _ = listening.accept()
            with connection:
                assert KEPT <= connection.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) <= 2 * KEPT
