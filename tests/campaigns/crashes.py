"""Games that go on while processes are killed with -9: what was acknowledged must be there, and every game must end.

`make test` kills each process once; `python -m tests.campaigns.crashes --rounds 20` (in `make soak`) does it again and
again.
"""

import argparse
import random
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from deploy.stack import Stack
from services.engine.verify import verify

# Longest pause of a game after everything runs again.
RESUME = 10.0
PATIENCE = 120.0


@dataclass
class Acknowledged:
    version: int
    action: Any


@dataclass
class Player(threading.Thread):
    """A person at the gateway who plays one game against a bot and tries again whatever fails."""

    url: str
    number: int
    table: str = ""
    moves: list[Acknowledged] = field(default_factory=list)
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
            self.replay = self.ask("GET", f"/v1/tables/{self.table}/replay").json()
        except Exception as error:
            self.problem = repr(error)

    def sit_down(self) -> None:
        token = self.ask("POST", "/v1/players", {"name": f"player {self.number}"}).json()["token"]
        self.client.headers["Authorization"] = f"Bearer {token}"
        seats = [{"kind": "me"}, {"kind": "bot", "bot": "random"}]
        options = {"mode": self.random.choice(["basic", "harder", "advanced"])}
        opened = self.ask("POST", "/v1/tables", {"game": "geishas_road", "options": options, "seats": seats})
        self.table = opened.json()["id"]
        self.ask("POST", f"/v1/tables/{self.table}/start")

    def play(self) -> None:
        seen = -1
        while time.monotonic() < self.limit:
            position = self.ask("GET", f"/v1/tables/{self.table}/view").json()
            if position["version"] != seen:
                seen, self.changed = position["version"], time.monotonic()
            if position["status"] == "finished":
                return
            if not position["legal"]:
                time.sleep(0.02)
                continue
            action = self.random.choice(position["legal"])
            answer = self.ask("POST", f"/v1/tables/{self.table}/actions", {"version": seen, "action": action})
            if answer.status_code == 200:
                self.moves.append(Acknowledged(answer.json()["version"], action))
            elif answer.status_code != 409:
                raise RuntimeError(f"action: {answer.status_code} {answer.text}")
        raise TimeoutError(f"table {self.table} did not end; stuck since {time.monotonic() - self.changed:.0f} s")

    def missing(self) -> list[Acknowledged]:
        """Acknowledged moves that are not where they were acknowledged."""
        # Version 1 opened the table, version 2 started it: the action that made version v is number v - 3.
        actions = self.replay["actions"]
        return [move for move in self.moves if actions[move.version - 3] != {"seat": 0, "action": move.action}]


def play_through(stack: Stack, victim: str, games: int = 6, away: float = 0.5) -> str:
    """Plays games, kills the victim in the middle and starts it again; raises AssertionError, else tells the story."""
    players = [Player(stack.url, number) for number in range(games)]
    for player in players:
        player.start()
    limit = time.monotonic() + 30
    while sum(len(player.moves) for player in players) < 4 * games:
        assert time.monotonic() < limit, [player.problem for player in players]
        time.sleep(0.01)
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
        assert not player.missing(), f"{victim} killed: lost {player.missing()}"
        assert verify(player.replay).startswith("true")
    moves = sum(len(player.moves) for player in players)
    return f"{victim} killed: {games} games ended, {moves} acknowledged moves, 0 lost, all resumed in {resumed:.1f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder, Stack(Path(folder), output=sys.stderr) as stack:
        for number in range(rounds):
            for victim in stack.processes:
                print(f"round {number + 1}/{rounds}: {play_through(stack, victim)}", flush=True)
    print(f"faults: {rounds} rounds, every process killed in each, nothing lost")


if __name__ == "__main__":
    main()
