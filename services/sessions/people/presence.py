"""Those around a table: who is connected, on which copy of the service, and what reaches them beside the moves.

Every copy notes in a hash of the table who has a stream of it open there, and says every few seconds that it lives:
what a dead copy has noted is not believed. A change costs one script call, a move costs nothing.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from redis.exceptions import RedisError

from services.sessions.people.chat_lines import MOST_LINES, line_from, place
from services.sessions.store import keys
from services.sessions.store.ids import ORIGIN
from services.sessions.store.keys import COPIES
from services.sessions.store.script import Script
from services.sessions.store.tables import TableStore
from services.sessions.tables.access import check_access
from services.sessions.updates.change_listener import CONNECTED
from services.sessions.updates.hub import Hub, Watcher
from teahouse.v1 import sessions_pb2 as pb

log = logging.getLogger(__name__)
# Seconds between two signs of life, and for which one is believed.
BEAT, ALIVE = 2.0, 7
# Milliseconds that a note of who is connected is kept, seconds after which it is written again.
KEPT_MS, RENEW = 3_600_000, 1200.0
# Seconds for which changes are gathered: whoever reloads a page does not leave.
GATHER = 0.05


def presence(table: pb.Table, connected: Iterable[pb.Connected]) -> pb.Presence:
    players: set[str] = set()
    guests = 0
    for each in connected:
        players.update(each.players)
        guests += each.guests
    seated = {seat.player.id for seat in table.seats if seat.kind == "player"}
    there = [
        seat.kind in ("bot", "automa") or (bool(seat.player.id) and seat.player.id in players) for seat in table.seats
    ]
    return pb.Presence(connected=there, spectators=len(players - seated) + guests)


@dataclass(slots=True)
class Around:
    """What this copy knows of a table that somebody attends here."""

    # Those whose streams are open here, each with its caller, "" without an account.
    here: dict[Watcher, str] = field(default_factory=dict)
    # Who is connected through the other copies, dead ones included.
    elsewhere: dict[bytes, pb.Connected] = field(default_factory=dict)
    # The copies that were heard since this one last asked.
    heard: set[bytes] = field(default_factory=set)
    # The newest line that was heard of; empty until the first watcher knows where it begins.
    newest: str = ""
    noted: float = 0.0


class Presence:
    """Owns who is connected to a table, and tells them what is new beside the moves: people and lines of chat."""

    def __init__(self, store: TableStore, hub: Hub, origin: bytes) -> None:
        self.store, self.hub, self.origin = store, hub, origin
        self.around: dict[str, Around] = {}
        self.alive: set[bytes] = set()
        # Tables whose note must be written, and the sign that there are some.
        self.to_note: set[str] = set()
        self.something_to_note = asyncio.Event()
        self._present = Script(store.redis, "present")
        self._beat = Script(store.redis, "beat")

    # Streams of this copy.

    @contextlib.contextmanager
    def attend(self, table: str, caller: str, spectator: bool) -> Iterator[Watcher]:
        """Watches a table, and is seen doing so."""
        with self.hub.watch(table, spectator) as watcher:
            around = self.around.setdefault(table, Around())
            around.here[watcher] = caller
            self._note_soon(table)
            try:
                yield watcher
            finally:
                del around.here[watcher]
                self._note_soon(table)

    def begin_after(self, table: str, watcher: Watcher, newest: str) -> None:
        """The watcher is told of the lines after that one."""
        watcher.line = newest
        watcher.lines = [line for line in watcher.lines if place(line.id) > place(newest)]
        around = self.around[table]
        around.newest = around.newest or (watcher.lines[-1].id if watcher.lines else newest)

    def news(self, watcher: Watcher, table: pb.Table) -> pb.Update | None:
        """What the watcher has not been told yet, beside the changes of the table."""
        if not watcher.lines and not watcher.presence_changed:
            return None
        update = pb.Update(chat=watcher.lines)
        watcher.lines = []
        if watcher.presence_changed:
            watcher.presence_changed = False
            now = presence(table, self._connected(table.id))
            if now != watcher.presence_told:
                watcher.presence_told = now
                update.presence.CopyFrom(now)
        return update if update.chat or update.HasField("presence") else None

    def _connected(self, table: str) -> list[pb.Connected]:
        others = self.around[table].elsewhere.items()
        return [self._here(table), *(who for copy, who in others if copy in self.alive)]

    def _here(self, table: str) -> pb.Connected:
        callers = list(self.around[table].here.values()) if table in self.around else []
        players = sorted({caller for caller in callers if caller})
        return pb.Connected(players=players, guests=callers.count(""))

    def _note_soon(self, table: str) -> None:
        self.to_note.add(table)
        self.something_to_note.set()

    def _tell_presence(self, table: str) -> None:
        for watcher in self.around[table].here:
            watcher.presence_changed = True
            watcher.wake()

    # What is heard from all copies.

    def look_again(self) -> None:
        """Something may have been missed: what every table's company is, and what was said there, is read anew."""
        for table in self.around:
            self._note_soon(table)

    def hear_line(self, table: str, data: bytes) -> None:
        if table in self.around:
            id_, _, line = data.partition(b" ")
            self._pass_on(table, line_from(id_, line))

    def _pass_on(self, table: str, line: pb.ChatLine) -> None:
        around = self.around[table]
        if around.newest and place(line.id) <= place(around.newest):
            return
        if around.newest:
            around.newest = line.id
        for watcher in around.here:
            if place(line.id) > place(watcher.line):
                watcher.lines.append(line)
                del watcher.lines[:-MOST_LINES]
                watcher.wake()

    def hear_connected(self, table: str, data: bytes) -> None:
        copy, who = data[:ORIGIN], data[ORIGIN:]
        if table in self.around and copy != self.origin:
            self.alive.add(copy)
            around = self.around[table]
            around.elsewhere[copy] = pb.Connected.FromString(who)
            around.heard.add(copy)
            self._tell_presence(table)

    # What is written.

    async def run(self) -> None:
        """Says that this copy lives and notes who is connected here, until cancelled."""
        last_beat = 0.0
        while True:
            try:
                if time.monotonic() - last_beat >= BEAT:
                    await self._say_alive()
                    last_beat = time.monotonic()
                await self._note()
            except (RedisError, OSError) as error:
                log.warning("cannot note who is connected: %s", error)
                await asyncio.sleep(0.5)
            except Exception:
                log.exception("presence goes on after an error")
                await asyncio.sleep(0.5)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.something_to_note.wait(), max(0.0, last_beat + BEAT - time.monotonic()))
            await asyncio.sleep(GATHER)

    async def end(self) -> None:
        """This copy ends: nobody is connected here any more."""
        with contextlib.suppress(RedisError, OSError):
            await self._note()
            await self.store.redis.zrem(COPIES, self.origin)

    async def _say_alive(self) -> None:
        alive = set(await self._beat.run([COPIES], [self.origin, ALIVE]))
        changed, self.alive = alive ^ self.alive, alive
        long_ago = time.monotonic() - RENEW
        for table, around in self.around.items():
            if not changed.isdisjoint(around.elsewhere):
                self._tell_presence(table)
            if around.noted < long_ago:
                self._note_soon(table)

    async def _note(self) -> None:
        self.something_to_note.clear()
        due, self.to_note = self.to_note, set()
        try:
            await asyncio.gather(*map(self._note_table, due))
        except BaseException:
            self.to_note |= due
            raise

    async def _note_table(self, table: str) -> None:
        around = self.around.setdefault(table, Around())
        here = self._here(table).SerializeToString()
        message = CONNECTED + table.encode() + self.origin + here
        around.heard.clear()
        fields, lines = await self._present.run(
            [keys.table(table), keys.table(table, ":present"), keys.table(table, ":chat")],
            [self.origin, here, KEPT_MS, keys.news(keys.shard(table)), message, around.newest],
        )
        if not around.here:
            self.around.pop(table, None)
            return
        around.noted = time.monotonic()
        # What the other copies said meanwhile is newer than this answer.
        newer = {copy: who for copy, who in around.elsewhere.items() if copy in around.heard}
        around.elsewhere = others(fields, self.origin) | newer
        for id_, (_, line, *_) in lines:
            self._pass_on(table, line_from(id_, line))
        self._tell_presence(table)

    async def get(self, request: pb.TableRequest) -> pb.Presence:
        table = (await self.store.load(request.table)).table
        check_access(table, request.caller, request.join_code)
        return await self.at(table)

    async def at(self, table: pb.Table) -> pb.Presence:
        """Who is there, for those who ask without a stream."""
        noted = await self.store.redis.hgetall(keys.table(table.id, ":present"))
        fields = [part for pair in noted.items() for part in pair]
        alive = [who for copy, who in others(fields, self.origin).items() if copy in self.alive]
        return presence(table, [self._here(table.id), *alive])


def others(fields: list[bytes], origin: bytes) -> dict[bytes, pb.Connected]:
    """What the other copies have noted."""
    pairs = zip(fields[::2], fields[1::2], strict=True)
    return {copy: pb.Connected.FromString(who) for copy, who in pairs if copy != origin}
