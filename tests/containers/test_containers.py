"""The images play whole games, and a worker's container may die in the middle of one."""

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from tests.containers.conftest import Deployment

pytestmark = pytest.mark.docker
GAME = "geishas_road"
RESUMED = 15.0  # seconds until another worker, or the restarted one, plays on


class Player:
    """A guest at a table, through the gateway."""

    def __init__(self, deployment: Deployment, name: str) -> None:
        self.url = deployment.url
        self.http = httpx.Client(base_url=f"{self.url}/v1", timeout=20, trust_env=False)
        self.token = self.call("POST", "/players", {"name": name})["token"]
        self.http.headers["Authorization"] = f"Bearer {self.token}"

    def call(self, method: str, path: str, body: Any = None) -> Any:
        answer = self.http.request(method, path, json=body)
        assert answer.is_success, answer.text
        return answer.json()

    def open(self, *seats: dict[str, str]) -> str:
        table: str = self.call("POST", "/tables", {"game": GAME, "seats": seats})["id"]
        return table

    def play_by_socket(self, table: str) -> Any:
        """Takes the first legal action whenever it has the decision; gives the outcome."""
        address = f"{self.url.replace('http', 'ws')}/v1/tables/{table}/socket?token={self.token}"
        acted = -1
        with connect(address, proxy=None) as socket:
            while True:
                message = json.loads(socket.recv(timeout=30))
                assert "error" not in message, message
                position = message.get("snapshot") or message.get("update")
                if position is None:
                    continue
                if position["status"] == "finished":
                    return position["outcome"]
                if position["legal"] and position["version"] > acted:
                    acted = position["version"]
                    socket.send(json.dumps({"act": {"id": acted, "version": acted, "action": position["legal"][0]}}))

    def until_mine(self, table: str) -> Any:
        """The position once this player has the decision, or the game is over."""
        limit = time.monotonic() + RESUMED
        while True:
            position = self.call("GET", f"/tables/{table}/view")
            if position["legal"] or position["status"] == "finished":
                return position
            assert time.monotonic() < limit, f"no bot has played for {RESUMED:.0f} s: {position['version']}"
            time.sleep(0.05)


def test_two_clients_play_a_whole_game_by_socket(deployment: Deployment) -> None:
    ada, bob = Player(deployment, "Ada"), Player(deployment, "Bob")
    table = ada.open({"kind": "me"}, {"kind": "open"})
    bob.call("POST", f"/tables/{table}/seats")
    ada.call("POST", f"/tables/{table}/start")
    with ThreadPoolExecutor() as pool:
        outcomes = list(pool.map(lambda player: player.play_by_socket(table), (ada, bob)))
    assert outcomes[0] == outcomes[1]
    assert sorted(outcomes[0]["places"]) in ([1, 1], [1, 2])
    assert len(ada.call("GET", f"/tables/{table}/replay")["actions"]) > 10


def test_a_bots_game_goes_on_when_workers_die(deployment: Deployment) -> None:
    """The first worker dies: the second plays on. That one dies too, alone: the first comes back and plays on."""
    [[first, second]] = deployment.scale(bots=2)
    deployment.wait()

    def kill_both_start_one() -> None:
        deployment.ask("kill", second)
        deployment.ask("start", first)

    accidents: dict[int, Callable[[], object]] = {3: lambda: deployment.ask("kill", first), 6: kill_both_start_one}
    ada = Player(deployment, "Ada")
    table = ada.open({"kind": "me"}, {"kind": "bot", "bot": "greedy"})
    ada.call("POST", f"/tables/{table}/start")
    turns = 0
    while (position := ada.until_mine(table))["status"] != "finished":
        action = {"version": position["version"], "action": position["legal"][0]}
        after = ada.call("POST", f"/tables/{table}/actions", action)
        if not after["legal"] and after["status"] == "playing":
            turns += 1
            accidents.get(turns, int)()
    assert turns > max(accidents)
    assert position["outcome"]["places"]


def test_every_copy_has_its_share(deployment: Deployment) -> None:
    """Two gateways behind the balancer, three session services behind them."""
    gateways, sessions = deployment.scale(gateway=2, sessions=3)
    deployment.wait()
    limit = time.monotonic() + 60
    idle = {(one, "teahouse_http_requests_total", 8080) for one in gateways}
    idle |= {(one, 'teahouse_grpc_seconds_count{method="Look"', 9400) for one in sessions}
    ada = Player(deployment, "Ada")
    table = ada.open({"kind": "me"}, {"kind": "open"})
    while idle:
        assert time.monotonic() < limit, f"these have nothing to do: {idle}"
        for _ in range(12):
            ada.http.headers["Connection"] = "close"  # the balancer chooses anew for every connection
            ada.call("GET", f"/tables/{table}/view")
        idle = {one for one in idle if one[1] not in metrics(deployment, one[0], one[2])}


def metrics(deployment: Deployment, container: str, port: int) -> str:
    read = f"import urllib.request as r; print(r.urlopen('http://127.0.0.1:{port}/metrics').read().decode())"
    return deployment.ask("exec", container, "python", "-c", read)


def test_the_image_runs_as_nobody_in_particular(deployment: Deployment, image: str) -> None:
    assert deployment.ask("run", "--rm", image, "id", "-u").strip() == "10001"


def test_nothing_can_be_written_into_the_image(deployment: Deployment) -> None:
    [one] = deployment.containers("geishas-road")
    assert deployment.ask("inspect", "--format", "{{.HostConfig.ReadonlyRootfs}}", one).strip() == "true"


def test_every_container_asks_itself(deployment: Deployment) -> None:
    """The health check of the image knows each service, and all are healthy; Redis and the balancer have their own."""
    for container in deployment.containers():
        test = deployment.ask("inspect", "--format", "{{json .Config.Healthcheck.Test}}", container)
        command = deployment.ask("inspect", "--format", "{{json .Config.Cmd}}", container)
        assert ("deploy.probe" in test) is ("python" in command)
