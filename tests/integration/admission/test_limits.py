"""Rate limits: they hold across gateways, count what comes over sockets too, and outlive their Redis."""

import contextlib
import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, repeat
from pathlib import Path

import httpx
import pytest
from redis import Redis
from websockets.exceptions import InvalidStatus

from deploy.stack import Stack, free_port, redis_server
from tests.support.people import Person, begin, problem, socket
from tests.support.processes import gateway
from tests.support.waiting import until

LIMITS = {
    "limit_player": "40/36000",
    "limit_address": "30/36000",
    "limit_new_players": "4/36000",
    "limit_tables": "3/36000",
    "limit_codes": "3/36000",
    "open_limit": "3",
    "proxy_hops": "1",
}
ANYONE = httpx.Client(timeout=20)


@pytest.fixture(scope="module")
def copies(stack: Stack) -> Iterator[list[str]]:
    """Two gateways with small limits that do not fill up while a test runs, behind one proxy: the test."""
    with gateway(stack, **LIMITS) as first, gateway(stack, **LIMITS) as second:
        yield [first, second]


def seen_from(address: str) -> dict[str, str]:
    return {"X-Forwarded-For": address}


def left(answer: httpx.Response) -> int:
    found = re.match(r'"[\w-]+";r=(\d+);t=\d+', answer.headers["ratelimit"])
    assert found
    return int(found[1])


def test_every_answer_tells_the_policy_and_what_is_left(stack: Stack) -> None:
    ada = Person(stack.url, "Ada")
    answers = [ada.get("/v1/players/me"), ada.get("/v1/players/me"), ada.get("/v1/tables/t_none")]
    assert {answer.headers["ratelimit-policy"] for answer in answers} == {'"player";q=12000;w=60'}
    assert [left(answer) for answer in answers] == [11999, 11998, 11997]
    opened = ada.post("/v1/tables", json={})
    assert re.fullmatch(r'"player";r=\d+;t=\d+, "tables";r=599;t=1', opened.headers["ratelimit"])
    assert "ratelimit" not in ANYONE.get(f"{stack.url}/healthz").headers


def test_a_players_limit_holds_across_gateways(stack: Stack, copies: list[str]) -> None:
    ada, bob = Person(stack.url, "Ada"), Person(stack.url, "Bob")
    answers = [ada.get(f"{url}/v1/players/me") for url, _ in zip(cycle(copies), range(60), strict=False)]
    assert sum(answer.is_success for answer in answers) == 40
    for url in copies:
        refused = ada.get(f"{url}/v1/players/me")
        document = problem(refused, 429, "TOO_MANY_REQUESTS")
        assert 0 < int(refused.headers["retry-after"]) <= 36000 / 40
        assert document["retry_after"] == int(refused.headers["retry-after"])
        assert document["violated-policies"] == ["player"]
        assert left(refused) == 0
        assert bob.get(f"{url}/v1/players/me").is_success


def test_an_address_without_a_token_has_a_limit_and_so_has_whoever_tries_tokens(copies: list[str]) -> None:
    for guess in ({}, {"Authorization": "Bearer p_x.1.0.y"}):
        headers = seen_from(f"10.0.0.{len(guess)}") | guess
        statuses = [ANYONE.get(f"{copies[0]}/v1/tables", headers=headers).status_code for _ in range(40)]
        assert statuses.count(429) >= 10
        assert statuses[-1] == 429
    assert ANYONE.get(f"{copies[0]}/v1/tables", headers=seen_from("10.0.0.9")).is_success


def test_behind_a_proxy_only_what_the_proxy_adds_is_believed(copies: list[str]) -> None:
    answers = [
        ANYONE.get(f"{copies[1]}/v1/games", headers=seen_from(f"6.6.6.{number}, 10.0.1.1")) for number in range(3)
    ]
    assert [left(answer) for answer in answers] == [29, 28, 27]


def test_without_a_proxy_nobody_chooses_its_own_address(stack: Stack) -> None:
    for number in range(3):
        ANYONE.get(f"{stack.url}/v1/games", headers=seen_from(f"6.6.7.{number}"))
    with Redis.from_url(stack.redis_url) as store:
        assert store.keys("{limit:address:6.6.7.*") == []
        assert store.exists("{limit:address:127.0.0.1}")


def test_what_costs_more_has_a_limit_of_its_own(stack: Stack, copies: list[str]) -> None:
    made = [
        ANYONE.post(f"{url}/v1/players", json={"name": "Ada"}, headers=seen_from("10.0.2.1"))
        for url, _ in zip(cycle(copies), range(5), strict=False)
    ]
    assert [answer.status_code for answer in made] == [201] * 4 + [429]
    assert problem(made[4], 429, "TOO_MANY_REQUESTS")["violated-policies"] == ["new-players"]
    ada = Person(stack.url, "Ada")
    table = {"game": "geishas_road", "seats": [{"kind": "me"}, {"kind": "open"}]}
    opened = [ada.post(f"{copies[0]}/v1/tables", json=table).status_code for _ in range(4)]
    assert opened == [201] * 3 + [429]
    assert len(ada.get("/v1/tables?mine=true").json()["tables"]) == 3


def test_actions_through_a_socket_count(stack: Stack, copies: list[str]) -> None:
    table, ada, _ = begin(stack.url)
    with socket(copies[0], table, token=ada.token) as live:
        live.recv()
        reasons: list[str] = []
        for number in range(45):
            live.send(json.dumps({"act": {"id": number, "version": 1, "action": {}}}))
            while len(reasons) <= number:
                message = json.loads(live.recv())
                reasons += [message["error"]["reason"]] if "error" in message else []  # presence comes too
    assert reasons == ["STALE_VERSION"] * 39 + ["TOO_MANY_REQUESTS"] * 6
    problem(ada.get(f"{copies[1]}/v1/players/me"), 429, "TOO_MANY_REQUESTS")


def test_a_client_has_so_many_streams_open_and_no_more(stack: Stack, copies: list[str]) -> None:
    table, ada, bob = begin(stack.url)
    with contextlib.ExitStack() as streams:
        first = streams.enter_context(socket(copies[0], table, token=ada.token))
        streams.enter_context(socket(copies[0], table, token=ada.token))
        streams.enter_context(ada.stream("GET", f"{copies[0]}/v1/tables/{table}/events"))
        problem(ada.get(f"{copies[0]}/v1/players/me"), 429, "TOO_MANY_OPEN")
        with pytest.raises(InvalidStatus) as refused:
            socket(copies[0], table, token=ada.token)
        assert refused.value.response.status_code == 429
        assert bob.get(f"{copies[0]}/v1/players/me").is_success
        first.close()
        until(lambda: ada.get(f"{copies[0]}/v1/players/me").is_success)


def test_join_codes_cannot_be_tried_one_after_another(stack: Stack, copies: list[str]) -> None:
    ada = Person(stack.url, "Ada")
    table = ada.open({"kind": "me"}, {"kind": "open"}, visibility="private")
    code = ada.get(f"/v1/tables/{table}").json()["join_code"]
    address, url = seen_from("10.0.3.1"), f"{copies[0]}/v1/tables/{table}"
    bob = Person(stack.url, "Bob")
    problem(ANYONE.get(url, headers=address | {"X-Join-Code": "aaaaaa"}), 403, "WRONG_CODE")
    problem(ANYONE.get(url, headers=address, params={"join_code": "aaaaab"}), 403, "WRONG_CODE")
    problem(bob.post(f"{url}/seats", headers=address, json={"join_code": "aaaaac"}), 403, "WRONG_CODE")
    with pytest.raises(InvalidStatus):
        socket(copies[0], table, token=bob.token, join_code="aaaaad")
    problem(ANYONE.get(url, headers=address), 403, "WRONG_CODE")
    refused = problem(bob.post(f"{url}/seats", headers=address, json={"join_code": code}), 429, "TOO_MANY_REQUESTS")
    assert refused["violated-policies"] == ["codes"]
    assert bob.get(f"{copies[0]}/v1/tables", headers=address).is_success
    assert bob.post(f"/v1/tables/{table}/seats", json={"join_code": code}).is_success


def test_nor_many_at_once(stack: Stack, copies: list[str]) -> None:
    ada = Person(stack.url, "Ada")
    table = ada.open({"kind": "me"}, {"kind": "open"}, visibility="private")
    code = ada.get(f"/v1/tables/{table}").json()["join_code"]
    url = f"{copies[0]}/v1/tables/{table}"

    def guess(text: str, address: str) -> int:
        return ANYONE.get(url, headers=seen_from(address) | {"X-Join-Code": text}).status_code

    with ThreadPoolExecutor(20) as pool:
        guesses = Counter(pool.map(guess, (f"aaaa{number}" for number in range(40)), repeat("10.0.3.2")))
        right = Counter(pool.map(guess, [code] * 20, repeat("10.0.3.3")))
    assert guesses == {403: 3, 429: 37}
    assert right[403] == 0
    assert guess(code, "10.0.3.3") == 200, "a code that is right costs nothing"


def test_nought_is_no_limit(stack: Stack) -> None:
    with gateway(stack, limit_address="0", open_limit="0") as url:
        answers = [ANYONE.get(f"{url}/v1/games") for _ in range(20)]
    assert all(answer.is_success and "ratelimit" not in answer.headers for answer in answers)


def test_without_redis_each_gateway_limits_by_itself_until_it_is_back(stack: Stack, tmp_path: Path) -> None:
    port = free_port()
    with gateway(stack, limits_url=f"redis://127.0.0.1:{port}/0", limit_address="100/2000") as url:
        statuses = [ANYONE.get(f"{url}/v1/games").status_code for _ in range(10)]
        # A fiftieth at once, and as much again every forty seconds.
        assert statuses == [200] * 2 + [429] * 8
        command = redis_server.command(redis_server.executable(tmp_path), port, tmp_path, "no")
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
            try:
                until(lambda: left_at(url) > 50)
            finally:
                server.terminate()


def left_at(url: str) -> int:
    answer = ANYONE.get(f"{url}/v1/games")
    return left(answer) if answer.is_success else 0
