"""The core of the suite against a Redis Cluster of three nodes, with two copies of the session service."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import httpx
import pytest
import redis

from tests.campaigns.races import race
from tests.support.admin import operate
from tests.support.people import (
    BOT,
    GAME,
    Person,
    again,
    begin,
    chat,
    hear,
    insist,
    play_on,
    play_out,
    presence,
    texts,
)
from tests.support.redis_cluster import NODES, ClusterStack
from tests.support.waiting import until


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusterStack]:
    folder = tmp_path_factory.mktemp("cluster")
    with (folder / "output.log").open("w") as output:
        stack = ClusterStack(folder / "data", games=(GAME,), sessions=2, output=output)
        with stack:
            yield stack


def test_people_play_watch_and_talk_while_a_copy_dies(cluster: ClusterStack) -> None:
    table, ada, bob = begin(cluster.url)
    with bob.socket(table) as watching:
        until(lambda: presence(ada, table) == ([False, True], 0))
        for number, victim in enumerate(("sessions", "sessions-2")):
            version = play_on(table, ada, bob, moves=4)["version"]
            while hear(watching, "update")["version"] < version:
                pass
            cluster.kill(victim)
            insist(ada, table, f"line {number}")
            assert hear(watching, "chat")["text"] == f"line {number}"
            cluster.restart(victim)
        play_on(table, ada, bob)
        while hear(watching, "update")["status"] != "finished":
            pass
    assert texts(chat(bob, table)) == ["line 0", "line 1"]
    assert again(bob, table).json()["status"] == "open"
    assert again(ada, table).json()["status"] == "playing"


def test_bots_play_and_tables_are_listed(cluster: ClusterStack) -> None:
    ada = Person(cluster.url, "Ada")
    tables = [ada.open({"kind": "me"}, BOT) for _ in range(6)]
    listed = ada.get("/v1/tables", params={"status": "open"}).json()["tables"]
    assert [table["id"] for table in listed] == tables[::-1]
    assert ada.post(f"/v1/tables/{tables[0]}/start").status_code == 200
    play_out(ada, tables[0])


def test_the_operator_sees_the_tables_of_all_nodes(cluster: ClusterStack) -> None:
    ada = Person(cluster.url, "Ada")
    tables = {ada.open({"kind": "me"}, BOT) for _ in range(12)}
    found = json.loads(operate(cluster, "tables", "--status", "open", "--limit", "1000", "--json")[0])
    assert tables <= {row["table"]["id"] for row in found["tables"]}
    statistics = json.loads(operate(cluster, "statistics", "--json")[0])
    assert statistics["keys"]["table"] == sum(each["tables"] for each in statistics["tables"]) >= 12
    assert statistics["memory"] > 0
    one = tables.pop()
    assert one in operate(cluster, "table", one)[0]
    assert "is closed" in operate(cluster, "close", one, "--reason", "It is late")[0]
    assert operate(cluster, "retention", "run")[1] == ""


def test_of_two_simultaneous_moves_one_wins(cluster: ClusterStack) -> None:
    assert race(cluster, 10) == (10, 10)


def test_people_are_matched_rated_and_told(cluster: ClusterStack) -> None:
    """What touches keys of several players, tickets and tables at once."""
    people = [Person(cluster.url, name) for name in ("Ada", "Bob")]
    for person in people:
        hook = {"url": "https://receiver.example/", "events": ["your_turn"]}
        assert person.post("/v1/webhooks", json=hook).status_code == 201
    wish = {"wishes": [{"game": GAME, "seats": [2]}], "rated": True}
    tickets = [person.post("/v1/matchmaking/tickets", json=wish).json()["id"] for person in people]
    until(lambda: people[0].get(f"/v1/matchmaking/tickets/{tickets[0]}").json()["status"] == "matched")
    table = people[0].get(f"/v1/matchmaking/tickets/{tickets[0]}").json()["table"]
    seats = people[0].get(f"/v1/tables/{table}").json()["seats"]
    assert people[0].post(f"/v1/tables/{table}/resign").status_code == 200
    until(lambda: len(people[0].get(f"/v1/leaderboards/{GAME}").json()["players"]) == 2)
    best = people[0].get(f"/v1/leaderboards/{GAME}").json()["players"][0]
    assert best["player"]["id"] == people[1].id in {seat["player"]["id"] for seat in seats}
    assert people[1].get("/v1/players/me").json()["results"][GAME] == {"played": 1, "won": 1}


def test_bot_accounts_offer_themselves(cluster: ClusterStack) -> None:
    ada = Person(cluster.url, "Ada")
    made = ada.post("/v1/players", json={"name": "Marvin", "bot": True})
    token = {"Authorization": f"Bearer {made.json()['token']}"}
    assert ada.put("/v1/players/me/availability", json={"available": True}, headers=token).status_code == 200
    table = ada.open({"kind": "me"}, {"kind": "open"})
    seated = ada.put(f"/v1/tables/{table}/seats/1", json={"kind": "player", "player": "Marvin"})
    assert seated.json()["seats"][1]["player"]["name"] == "Marvin"


def test_a_node_that_comes_back_has_its_tables(cluster: ClusterStack) -> None:
    games = [begin(cluster.url) for _ in range(4)]
    before = [ada.view(table) for table, ada, _ in games]
    cluster.kill("node-1")
    cluster.restart("node-1")
    for (table, ada, bob), position in zip(games, before, strict=True):
        until(partial(answers, ada, table))
        assert ada.view(table) == position
        assert play_on(table, ada, bob, moves=2)["version"] == position["version"] + 2
    until(partial(everybody_comes_in, cluster))


def everybody_comes_in(cluster: ClusterStack) -> bool:
    """Players are kept on all nodes; what asked the one that was away may still have to find out that it is back."""
    coming = [httpx.post(f"{cluster.url}/v1/players", json={"name": "Eve"}, timeout=20) for _ in range(12)]
    return all(answer.status_code == 201 for answer in coming)


def answers(person: Person, table: str) -> bool:
    return person.get(f"/v1/tables/{table}/view").status_code == 200


def test_every_node_has_tables(cluster: ClusterStack) -> None:
    ada = Person(cluster.url, "Ada")
    for number in range(NODES):
        with redis.Redis.from_url(f"redis://{cluster.address(f'node-{number}')}") as node:
            until(partial(has_table, node, ada))


def has_table(node: Any, person: Person) -> bool:
    """Which node a new table belongs to is chance; here is one more."""
    person.open({"kind": "me"}, BOT)
    return next(node.scan_iter("{t:*}:t_*", count=1000), None) is not None
