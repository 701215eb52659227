"""Starting the game: all seats are taken, the cards are dealt."""

import secrets

from services.engine.dice import seed_hash
from services.platform.errors import conflict
from services.sessions.play import clocks
from services.sessions.rules.client import RulesClient
from services.sessions.store.records import Loaded, Stale
from services.sessions.store.tables import TableStore
from services.sessions.tables.access import check_host, check_open, shown
from services.sessions.tables.seats import rules_seats
from services.sessions.tables.writer import TRIES, TableWriter, busy
from teahouse.v1 import rules_pb2
from teahouse.v1 import sessions_pb2 as pb


class Starting:
    """Owns the deal: from it on the table has a seed, a state and an actor."""

    def __init__(self, store: TableStore, rules: RulesClient, writer: TableWriter) -> None:
        self.store, self.rules, self.writer = store, rules, writer

    async def start(self, request: pb.TableRequest) -> pb.Table:
        for _ in range(TRIES):
            loaded = await self.store.load(request.table)
            table = loaded.table
            check_host(table, request.caller)
            check_open(table)
            free = [number for number, seat in enumerate(table.seats) if seat.kind == "open"]
            if free:
                raise conflict("SEATS_OPEN", f"seats {free} are still open: wait for players or seat bots there")
            try:
                return shown(await self.deal(loaded), request.caller)
            except Stale:
                continue
        raise busy()

    async def deal(self, loaded: Loaded) -> pb.Table:
        table = loaded.table
        seed = secrets.token_bytes(32)
        deal = rules_pb2.NewRequest(seats=rules_seats(table), options=table.options, seed=seed)
        position = await self.rules.new(table.game, deal)
        table.status, table.seed_hash = "playing", seed_hash(seed)
        table.rules_version = position.rules_version
        clocks.fill_banks(table)
        loaded.record.seed = seed
        event = {"started": {"seed_hash": table.seed_hash}}
        await self.writer.write(loaded.record, loaded.version, event, position)
        return table
