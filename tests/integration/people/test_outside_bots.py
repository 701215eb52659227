"""Outside bots: a program's account offers itself, a host seats it by name, and it plays through the gateway."""

import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc
import httpx
import pytest
import redis

from deploy.stack import Stack
from services.sessions.store.keys import PLAYER_LISTS
from services.sessions.store.keys import player_list as player_list_key
from teahouse.v1 import sessions_pb2 as pb
from tests.support.people import GAME, Json, Person, play_on, problem
from tests.support.session_client import ME, OPEN, SessionClient
from tests.support.waiting import until


class Machine(Person):
    """A bot account with a name of its own."""

    def __init__(self, url: str) -> None:
        self.name = f"Marvin {secrets.token_hex(4)}"
        httpx.Client.__init__(self, base_url=url, timeout=20)
        made = self.post("/v1/players", json={"name": self.name, "bot": True})
        assert made.status_code == 201, made.text
        assert made.json()["bot_account"] is True
        self.id, self.token = made.json()["id"], made.json()["token"]
        self.headers["Authorization"] = f"Bearer {self.token}"

    def offer(self, available: bool = True, **more: object) -> httpx.Response:
        return self.put("/v1/players/me/availability", json={"available": available, **more})


@pytest.fixture
def ada(stack: Stack) -> Person:
    return Person(stack.url, "Ada")


@pytest.fixture
def marvin(stack: Stack) -> Iterator[Machine]:
    machine = Machine(stack.url)
    yield machine
    machine.offer(False)


def seat(host: Person, table: str, player: str) -> httpx.Response:
    return host.put(f"/v1/tables/{table}/seats/1", json={"kind": "player", "player": player})


def offered(client: httpx.Client, **query: str) -> dict[str, Json]:
    """All pages, by id."""
    found: dict[str, Json] = {}
    while True:
        page = client.get("/v1/bots", params={"limit": "1", **query}).json()
        found |= {bot["id"]: bot for bot in page["bots"]}
        if page["next_cursor"] is None:
            return found
        query["cursor"] = page["next_cursor"]


def test_a_host_seats_a_bot_by_name_and_it_plays_to_the_end(stack: Stack, ada: Person, marvin: Machine) -> None:
    assert marvin.offer(games=[GAME]).json() == {"available": True, "games": [GAME], "until": None}
    table = ada.open({"kind": "me"}, {"kind": "open"})
    seated = seat(ada, table, f"  {marvin.name.upper()} ").json()
    assert seated["seats"][1] == {
        "seat": 1,
        "kind": "player",
        "player": {"id": marvin.id, "name": marvin.name, "bot_account": True},
    }
    assert [each["id"] for each in marvin.get("/v1/tables", params={"mine": True}).json()["tables"]] == [table]
    assert ada.post(f"/v1/tables/{table}/start").json()["status"] == "playing"
    assert play_on(table, ada, marvin)["status"] == "finished"


def test_it_hears_of_its_seat_through_a_webhook(stack: Stack, ada: Person, marvin: Machine) -> None:
    """The address cannot be called; that there is a delivery for the seat is what counts."""
    webhook = marvin.post("/v1/webhooks", json={"url": "http://teahouse.invalid/", "events": ["seated"]}).json()
    marvin.offer()
    table = ada.open({"kind": "me"}, {"kind": "open"})
    assert seat(ada, table, marvin.id).status_code == 200
    told = until(lambda: marvin.get(f"/v1/webhooks/{webhook['id']}/deliveries").json()["deliveries"], "a delivery")
    assert [(each["type"], each["table"], each["version"]) for each in told] == [("seated", table, 2)]
    marvin.delete(f"/v1/webhooks/{webhook['id']}")


def test_only_those_that_offer_themselves_are_listed_and_seated(stack: Stack, ada: Person, marvin: Machine) -> None:
    table = ada.open({"kind": "me"}, {"kind": "open"})
    problem(seat(ada, table, marvin.name), 409, "BOT_AWAY")
    other = next(game["id"] for game in ada.get("/v1/games").json()["games"] if game["id"] != GAME)
    marvin.offer(games=[other, other])
    assert offered(ada)[marvin.id] == {"id": marvin.id, "name": marvin.name, "games": [other]}
    assert marvin.id in offered(ada, game=other)
    assert marvin.id not in offered(ada, game=GAME)
    assert other in problem(seat(ada, table, marvin.name), 409, "BOT_AWAY")["detail"]
    assert marvin.offer(seconds=3600).json()["until"]
    assert marvin.id in offered(ada, game=GAME)
    assert seat(ada, table, marvin.id).status_code == 200
    marvin.offer(False)
    assert marvin.id not in offered(ada)
    assert marvin.delete(f"/v1/tables/{table}/seats/1").json()["seats"][1]["kind"] == "open"
    problem(seat(ada, table, marvin.id), 409, "BOT_AWAY")


def test_a_bot_that_could_not_be_seated_is_not_troubled(stack: Stack, ada: Person, marvin: Machine) -> None:
    marvin.offer()
    bob = Person(stack.url, "Bob")
    table = ada.open({"kind": "me"}, {"kind": "open"})
    assert bob.post(f"/v1/tables/{table}/seats").status_code == 200
    problem(seat(ada, table, marvin.id), 409, "SEAT_TAKEN")
    with redis.Redis.from_url(stack.redis_url) as store:
        lists = [player_list_key(marvin.id, name) for name in PLAYER_LISTS]
        assert not any(store.zscore(each, table) for each in lists)


def test_an_offer_lapses(ada: Person, marvin: Machine) -> None:
    marvin.offer(seconds=1)
    until(lambda: marvin.id not in offered(ada))
    problem(seat(ada, ada.open({"kind": "me"}, {"kind": "open"}), marvin.id), 409, "BOT_AWAY")


def test_names_of_bot_accounts_are_claimed_once(stack: Stack, ada: Person, marvin: Machine) -> None:
    names = [marvin.name, f" {marvin.name.upper()}", marvin.name.replace("M", "Ｍ")]
    for name in names:
        problem(ada.post("/v1/players", json={"name": name, "bot": True}), 409, "NAME_TAKEN")
    alike = marvin.name.replace("a", "\u0430", 1)
    problem(ada.post("/v1/players", json={"name": alike, "bot": True}), 422, "BAD_NAME")
    assert ada.post("/v1/players", json={"name": alike}).status_code == 201
    assert ada.post("/v1/players", json={"name": marvin.name}).json()["bot_account"] is False
    wish = {"name": f"Eddie {secrets.token_hex(4)}", "bot": True}
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: ada.post("/v1/players", json=wish).status_code, range(8)))
    assert sorted(answers) == [201] + [409] * 7


def test_people_are_not_seated_by_others(stack: Stack, ada: Person, marvin: Machine) -> None:
    bob = Person(stack.url, "Bob")
    marvin.offer()
    table = ada.open({"kind": "me"}, {"kind": "open"})
    problem(seat(ada, table, bob.id), 403, "NOT_A_BOT")
    problem(seat(ada, table, "Nobody at all"), 404, "UNKNOWN_PLAYER")
    problem(seat(ada, table, ""), 422, "INVALID_REQUEST")
    problem(seat(bob, table, marvin.id), 403, "NOT_HOST")
    problem(bob.put("/v1/players/me/availability", json={"available": True}), 403, "NOT_A_BOT")
    assert not marvin.get("/v1/tables", params={"mine": True}).json()["tables"]
    assert seat(ada, table, marvin.id).status_code == 200
    problem(seat(ada, table, marvin.id), 409, "SEAT_TAKEN")
    again = ada.open({"kind": "open"}, {"kind": "open"})
    assert seat(ada, again, marvin.id).status_code == 200
    twice = ada.put(f"/v1/tables/{again}/seats/0", json={"kind": "player", "player": marvin.id})
    problem(twice, 409, "ALREADY_SEATED")


@pytest.mark.parametrize(
    ("wish", "status", "reason"),
    [
        ({"available": True, "seconds": 0}, 422, "INVALID_REQUEST"),
        ({"available": True, "seconds": 90000}, 422, "INVALID_REQUEST"),
        ({"available": "yes"}, 422, "INVALID_REQUEST"),
        ({"available": True, "games": ["chess"]}, 404, "UNKNOWN_GAME"),
    ],
)
def test_offers_that_cannot_be(ada: Person, marvin: Machine, wish: Json, status: int, reason: str) -> None:
    problem(marvin.put("/v1/players/me/availability", json=wish), status, reason)
    assert marvin.id not in offered(ada)


def test_bot_accounts_stay_away_from_rated_tables(stack: Stack, marvin: Machine) -> None:
    house = SessionClient(stack)
    request = pb.OpenTableRequest(caller=marvin.id, game=GAME, seats=[ME, OPEN], options=b"{}", rated=True)
    refusal = house.refused("OpenTable", request)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "RATED_TABLE")
