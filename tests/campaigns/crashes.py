"""Games that go on while processes are killed with -9: what was acknowledged must be there, and every game must end.

`make test` kills each process once; `python -m tests.campaigns.crashes --rounds 20` (in `make soak`) does it again and
again.
"""

import argparse
import random
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import httpx

from deploy.stack import Stack
from services.engine.verify import verify
from tests.support.judge import Table, judge
from tests.support.processes import own_stack
from tests.support.waiting import until

# Longest pause of a game after everything runs again.
RESUME = 10.0
PATIENCE = 120.0


@dataclass
class Player(threading.Thread):
    """A person at the gateway who plays one game against a bot and tries again whatever fails."""

    url: str
    number: int
    table: Table = field(default_factory=lambda: Table("", players=1))
    replay: dict[str, Any] = field(default_factory=dict)
    problem: str = ""
    # When the table last changed, as this player saw it.
    changed: float = 0.0

    def __post_init__(self) -> None:
        super().__init__(daemon=True)
        self.random = random.Random(self.number)
        self.limit = time.monotonic() + PATIENCE
        self.client = httpx.Client(base_url=self.url, timeout=10, trust_env=False)

    def __hash__(self) -> int:
        return id(self)

    def ask(self, method: str, path: str, body: Any = None) -> httpx.Response:
        """Until somebody answers; a refusal is an answer, a broken service is not."""
        while time.monotonic() < self.limit:
            try:
                answer = self.client.request(method, path, json=body)
            except httpx.TransportError:
                time.sleep(0.1)
                continue
            if answer.status_code < 500:
                return answer
            if answer.status_code not in (502, 503, 504):
                raise RuntimeError(f"{method} {path}: {answer.status_code} {answer.text}")
            time.sleep(0.1)
        raise TimeoutError(f"{method} {path}: nobody answered")

    def run(self) -> None:
        try:
            self.sit_down()
            self.play()
            self.replay = self.ask("GET", f"{self.path}/replay").json()
        except Exception as error:
            self.problem = repr(error)

    @property
    def path(self) -> str:
        return f"/v1/tables/{self.table.id}"

    def sit_down(self) -> None:
        token = self.ask("POST", "/v1/players", {"name": f"player {self.number}"}).json()["token"]
        self.client.headers["Authorization"] = f"Bearer {token}"
        seats = [{"kind": "me"}, {"kind": "bot", "bot": "random"}]
        options = {"mode": self.random.choice(["basic", "harder", "advanced"])}
        opened = self.ask("POST", "/v1/tables", {"game": "geishas_road", "options": options, "seats": seats})
        self.table.id = opened.json()["id"]
        self.ask("POST", f"{self.path}/start")

    def play(self) -> None:
        seen = -1
        while time.monotonic() < self.limit:
            position = self.ask("GET", f"{self.path}/view").json()
            if position["version"] != seen:
                seen, self.changed = position["version"], time.monotonic()
            if position["status"] == "finished":
                return
            if not position["legal"]:
                time.sleep(0.02)
                continue
            action = self.random.choice(position["legal"])
            self.table.tried[seen + 1].append((0, action))
            answer = self.ask("POST", f"{self.path}/actions", {"version": seen, "action": action})
            if answer.status_code == 200:
                self.table.acknowledged[answer.json()["version"]] = (0, action)
            elif answer.status_code != 409:
                raise RuntimeError(f"action: {answer.status_code} {answer.text}")
        raise TimeoutError(f"table {self.table.id} did not end; stuck since {time.monotonic() - self.changed:.0f} s")


def play_through(stack: Stack, victim: str, games: int = 6, away: float = 0.5) -> str:
    """Plays games, kills the victim in the middle and starts it again; raises AssertionError, else tells the story."""
    players = [Player(stack.url, number) for number in range(games)]
    for player in players:
        player.start()
    until(lambda: sum(len(player.table.acknowledged) for player in players) >= 4 * games, "four moves in each game", 30)
    assert any(player.is_alive() for player in players), f"every game was over before {victim} was killed"
    stack.kill(victim)
    time.sleep(away)
    stack.restart(victim)
    again = time.monotonic()
    before = [player.changed for player in players]
    while any(p.is_alive() and p.changed <= at for p, at in zip(players, before, strict=True)):
        late = time.monotonic() - again
        assert late < RESUME, f"after {victim} came back, a game did not go on for {late:.0f} s"
        time.sleep(0.02)
    resumed = time.monotonic() - again
    for player in players:
        player.join()
        assert not player.problem, f"{victim} killed: {player.problem}"
        assert verify(player.replay).startswith("true")
    verdict = judge(stack.redis_url, [player.table for player in players])
    assert not verdict.problems, f"{victim} killed: {verdict.problems}"
    return f"{victim} killed: {games} games ended, {verdict}, all resumed in {resumed:.1f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    with own_stack() as stack:
        for number in range(rounds):
            for victim in stack.processes:
                print(f"round {number + 1}/{rounds}: {play_through(stack, victim)}", flush=True)
    print(f"crashes: {rounds} rounds, every process killed in each")


if __name__ == "__main__":
    main()
