"""Plays whole games at random and checks every step. `make test` plays a sample, `make soak` the whole campaign.

A game's own part is `tests/unit/<game>/pieces.py`: `CASES`, the (seats, options) to play; `account(state)`, which
raises AssertionError unless every piece of the box is where it may be; perhaps `NEWS`, the names of events that have a
part for one seat alone and bring something to light for the others too.
"""

import argparse
import random
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import msgspec
from google.protobuf import json_format

from services.engine import registry
from services.engine.dice import Dice
from services.engine.game import Event, IllegalAction

MOST_LEGAL = 200
LONGEST = 20_000


@dataclass
class Checks:
    """How often the costly checks run: 1 = at every step, n = at every n-th, 0 = never."""

    codec: int = 5
    redeal: int = 7
    contract: int = 29
    foreign: int = 11


# Over thousands of games the costly checks reach every kind of position even so.
SOAK = Checks(codec=11, redeal=61, contract=401, foreign=59)


@dataclass
class Played:
    seats: list[str]
    options: dict[str, Any]
    seed: bytes
    actions: list[tuple[int, bytes]] = field(default_factory=list)
    final: bytes = b""


def pieces(game: str) -> Any:
    return import_module(f"tests.unit.{game}.pieces")


class Table:
    """One game in play, checked after every action."""

    def __init__(self, name: str, seats: list[str], options: dict[str, Any], number: int, checks: Checks) -> None:
        self.name, self.number, self.checks = name, number, checks
        self.game, self.codec = registry.load(name), registry.codec(name)
        self.pb2 = import_module(f"teahouse.games.{name}.v1.{name}_pb2")
        self.random = random.Random(f"{name} {seats} {sorted(options.items())} {number}")
        self.account = pieces(name).account
        self.news = getattr(pieces(name), "NEWS", ())
        self.played = Played(seats, options, self.random.randbytes(32))
        self.state = self.deal()
        self.seen: list[Any] = []
        # How often the redealt positions differed from the real one, and how many events told the same in both.
        self.hidden_changed = self.told_alike = 0

    def deal(self) -> Any:
        options = self.codec.options(msgspec.json.encode(self.played.options))
        return self.game.new(self.played.seats, options, self.played.seed)

    def play(self) -> Played:
        for step in range(LONGEST):
            legal = self.check_position(step)
            actor = self.game.actor(self.state)
            if actor is None:
                break
            self.step(step, actor, self.random.choice(legal))
        else:
            raise AssertionError(f"no end after {LONGEST} actions")
        assert self.game.legal(self.state) == [], "legal actions after the end"
        self.check_outcome()
        self.played.final = self.codec.encode(self.state)
        assert self.replay() == self.played.final, "the replay differs"
        return self.played

    def step(self, step: int, actor: int, action: Any) -> None:
        quiet = self.played_quietly(action) if self.due(self.checks.codec, step) else None
        redealt = self.redealt(step)
        told = quiet is not None or bool(redealt) or self.due(self.checks.contract, step)
        events = self.game.apply(self.state, action, told)
        if quiet is not None:
            assert self.codec.encode(quiet) == self.codec.encode(self.state), "tell=False plays differently"
        if told:
            self.check_events(step, action, events, redealt)
        self.seen.append(action)
        self.played.actions.append((actor, self.codec.encode_action(action)))

    def played_quietly(self, action: Any) -> Any:
        before = self.codec.encode(self.state)
        quiet = self.game.clone(self.state)
        self.game.apply(quiet, action, tell=False)
        assert self.codec.encode(self.state) == before, "a clone shares something with its original"
        return quiet

    def due(self, every: int, step: int) -> bool:
        return bool(every) and step % every == self.number % every

    def check_position(self, step: int) -> list[Any]:
        """Checks everything that can be seen from the position alone; returns the legal actions."""
        self.account(self.state)
        if self.due(self.checks.codec, step):
            data = self.codec.encode(self.state)
            assert self.codec.encode(self.codec.decode(data)) == data, "the state does not survive its encoding"
        if self.game.actor(self.state) is None:
            return []
        legal = self.game.legal(self.state)
        assert legal, "a dead end: no legal action"
        assert len(legal) <= MOST_LEGAL, f"{len(legal)} legal actions at once"
        assert len(set(legal)) == len(legal), "a duplicate in the legal list"
        if self.due(self.checks.codec, step):
            assert self.game.outcome(self.state) is None, "an outcome while the game goes on"
            again = [self.codec.action(self.codec.encode_action(action)) for action in legal]
            assert again == legal, "an action does not survive its encoding"
        if self.due(self.checks.foreign, step):
            self.check_foreign(set(legal))
        if self.due(self.checks.contract, step):
            self.check_contract(legal)
        return legal

    def check_foreign(self, legal: set[Any]) -> None:
        """Any action seen in this game is accepted if and only if it is listed now."""
        data = self.codec.encode(self.state)
        for action in self.random.sample(self.seen, min(40, len(self.seen))):
            clone = self.game.clone(self.state)
            try:
                self.game.apply(clone, action)
            except IllegalAction as error:
                assert action not in legal, f"listed but refused: {action}: {error}"
                assert self.codec.encode(clone) == data, f"a refused action changed the state: {action}"
                assert str(error), "an IllegalAction without a reason"
            else:
                assert action in legal, f"accepted but not listed: {action}"

    def check_contract(self, legal: list[Any]) -> None:
        for action in legal[:20]:
            json_format.Parse(self.codec.encode_action(action), self.pb2.Action())
        for seat in [*range(len(self.played.seats)), None]:
            json_format.Parse(self.codec.view(self.state, seat), self.pb2.View())

    def redealt(self, step: int) -> list[tuple[int, Any]]:
        if not self.due(self.checks.redeal, step):
            return []
        data, out = self.codec.encode(self.state), []
        for seat in range(len(self.played.seats)):
            other = self.game.redeal(self.state, seat, Dice(self.random.randbytes(32)))
            assert self.codec.encode(self.state) == data, "redeal changed the original"
            self.account(other)
            assert self.played.seed not in self.codec.encode(other), "the seed leaks into a redealt position"
            assert self.codec.view(other, seat) == self.codec.view(self.state, seat), (
                f"redeal changes the view of seat {seat}"
            )
            assert self.codec.view(other, None) == self.codec.view(self.state, None), (
                "redeal changes a spectator's view"
            )
            assert self.game.actor(other) == self.game.actor(self.state)
            if self.game.actor(self.state) == seat:
                assert self.codec.legal(other) == self.codec.legal(self.state), "redeal changes the legal list"
            self.hidden_changed += any(
                self.codec.view(other, rival) != self.codec.view(self.state, rival)
                for rival in range(len(self.played.seats))
                if rival != seat
            )
            out.append((seat, other))
        return out

    def check_events(self, step: int, action: Any, events: list[Any], redealt: list[tuple[int, Any]]) -> None:
        """A seat reads the same story in a position redealt for it, until hidden things come to light for that seat."""
        viewers = [*range(len(self.played.seats)), None]
        if self.due(self.checks.contract, step):
            for seat in viewers:
                for one in msgspec.json.decode(self.codec.events(events, seat), type=list[msgspec.Raw]):
                    json_format.Parse(bytes(one), self.pb2.Event())
        for seat, other in redealt:
            if action in self.game.legal(other):
                again = self.game.apply(other, action)
                for mine, theirs in zip(self.alike(seat, events), self.alike(seat, again), strict=False):
                    assert self.codec.events([mine], seat) == self.codec.events([theirs], seat), (
                        f"events leak to seat {seat}"
                    )
                    self.told_alike += 1

    def alike(self, seat: int, events: list[Event]) -> Iterator[Event]:
        """Those that must not depend on what the seat cannot know: all until something comes to light for it.

        What comes to light for another seat alone is among them; what follows from that need not be.
        """
        for event in events:
            secret = event.private and seat not in event.private and type(event.public).__name__ not in self.news
            if event.reveals and not secret:
                return
            yield event
            if event.reveals:
                return

    def check_outcome(self) -> None:
        outcome = self.game.outcome(self.state)
        assert outcome is not None
        seats = len(self.played.seats)
        assert len(outcome.places) == len(outcome.scores) == len(outcome.breakdown) == seats
        assert min(outcome.places) == 1
        for score, lines in zip(outcome.scores, outcome.breakdown, strict=True):
            assert sum(line.points for line in lines) == score, "the breakdown does not add up"

    def replay(self) -> bytes:
        state = self.deal()
        for seat, action in self.played.actions:
            assert self.game.actor(state) == seat
            self.game.apply(state, self.codec.action(action), tell=False)
        return self.codec.encode(state)


def play(name: str, number: int, checks: Checks | None = None) -> Table:
    """Plays game number `number` of the campaign; the cases take turns."""
    cases = pieces(name).CASES
    seats, options = cases[number % len(cases)]
    table = Table(name, list(seats), dict(options), number, checks or Checks())
    try:
        table.play()
    except Exception as error:
        error.add_note(f"game {number} of {name}: {seats} {options}, after {len(table.played.actions)} actions")
        raise
    return table


def _batch(name: str, numbers: range) -> tuple[int, int]:
    return len(numbers), sum(len(play(name, number, SOAK).played.actions) for number in numbers)


def main() -> None:
    parser = argparse.ArgumentParser(description="Play many random games with every check.")
    parser.add_argument("games", nargs="*", help="names of games (all)")
    parser.add_argument("--count", type=int, default=2000, help="games per case (2000)")
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    for name in arguments.games or registry.names():
        total = arguments.count * len(pieces(name).CASES)
        began, done, actions = time.monotonic(), 0, 0
        with ProcessPoolExecutor(arguments.processes) as pool:
            batches = [pool.submit(_batch, name, range(at, min(at + 100, total))) for at in range(0, total, 100)]
            for batch in batches:
                games, played = batch.result()
                done, actions = done + games, actions + played
                sys.stderr.write(
                    f"\r{name}: {done}/{total} games, {actions:,} actions, {time.monotonic() - began:.0f} s"
                )
        sys.stderr.write("\n")
        print(f"{name}: {done} games, {actions} actions, every check passed")


if __name__ == "__main__":
    main()
