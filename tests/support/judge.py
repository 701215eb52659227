"""What the tables' logs say, compared with what the players remember."""

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import redis

from services.sessions.store.keys import shard
from teahouse.v1 import sessions_pb2 as pb


@dataclass
class Table:
    """What its players know of it. Versions are those that a move made."""

    id: str
    # People; they have the first seats.
    players: int
    # What was tried and what was acknowledged, by version: (seat, action).
    tried: dict[int, list[tuple[int, Any]]] = field(default_factory=lambda: defaultdict(list))
    acknowledged: dict[int, tuple[int, Any]] = field(default_factory=dict)
    version: int = 0
    finished: bool = False


@dataclass
class Verdict:
    acknowledged: int = 0
    # Moves of people in the logs: those that were acknowledged, and those whose answer was lost on its way.
    found: int = 0
    lost: list[str] = field(default_factory=list)
    duplicates: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"moves acknowledged {self.acknowledged:,}, found {self.found:,}, lost {len(self.lost)}, "
            f"duplicates {len(self.duplicates)}"
        )

    @property
    def problems(self) -> list[str]:
        """What must not be; that nothing was acknowledged is a problem too, as then nothing was compared."""
        found = [f"lost: {one}" for one in self.lost] + [f"duplicate: {one}" for one in self.duplicates]
        found += [f"broken: {one}" for one in self.broken]
        return found if self.acknowledged else [*found, "no move was acknowledged, so none was looked for"]


def judge(redis_url: str, tables: list[Table]) -> Verdict:
    verdict = Verdict()
    with redis.Redis.from_url(redis_url) as store:
        for table in tables:
            key = f"{{t:{shard(table.id)}}}:{table.id}"
            version, entries = store.hget(key, "version"), store.lrange(f"{key}:log", 0, -1)
            log = [pb.LogEntry.FromString(entry) for entry in entries]
            if int(version or 0) != len(log):
                verdict.broken.append(f"{table.id}: version {version!r}, {len(log)} entries")
            compare(table, log, verdict)
    return verdict


def compare(table: Table, log: list[pb.LogEntry], verdict: Verdict) -> None:
    verdict.acknowledged += len(table.acknowledged)
    for version, (seat, action) in table.acknowledged.items():
        if version > len(log) or move_of(log[version - 1]) != (seat, action):
            verdict.lost.append(f"{table.id}: version {version} is not {action} of seat {seat}")
    for version, entry in enumerate(log, 1):
        move = move_of(entry)
        if move is None or move[0] >= table.players:
            continue
        verdict.found += 1
        if move not in table.tried[version]:
            verdict.duplicates.append(f"{table.id}: nobody tried {move} to make version {version}")


def move_of(entry: pb.LogEntry) -> tuple[int, Any] | None:
    return (entry.seat, json.loads(entry.action)) if entry.action else None
