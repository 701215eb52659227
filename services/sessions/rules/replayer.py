"""Games played again from their logs."""

from services.platform.errors import Refusal
from services.sessions.rules.client import RulesChanged, RulesClient
from services.sessions.store.records import Loaded
from services.sessions.store.tables import TableStore
from services.sessions.tables.seats import rules_seats
from teahouse.v1 import rules_pb2
from teahouse.v1 import sessions_pb2 as pb


class Replayer:
    """Owns the way from a log back to a position."""

    def __init__(self, store: TableStore, rules: RulesClient) -> None:
        self.store, self.rules = store, rules

    async def actions(self, loaded: Loaded, version: int | None = None) -> list[rules_pb2.ReplayedAction]:
        """The actions that count, up to that version."""
        version = loaded.version if version is None else version
        return effective(await self.store.log(loaded.table.id, 0, version)) if version else []

    async def position(self, loaded: Loaded, actions: list[rules_pb2.ReplayedAction]) -> rules_pb2.Position:
        """Where these actions lead by the rules that the table is played by."""
        table = loaded.table
        request = replay_of(loaded, actions)
        request.rules_version = table.rules_version
        return await self.rules.replay(table.game, request, table.rules_version)

    async def same_position(self, loaded: Loaded, actions: list[rules_pb2.ReplayedAction]) -> rules_pb2.Position:
        """The table's position by the rules that run now; RulesChanged if these come to another one."""
        request = replay_of(loaded, actions)
        request.state = loaded.state
        try:
            return await self.rules.replay(loaded.table.game, request)
        except Refusal as refusal:
            if refusal.reason == "RULES_CHANGED":
                raise RulesChanged(refusal.message) from None
            raise


def replay_of(loaded: Loaded, actions: list[rules_pb2.ReplayedAction]) -> rules_pb2.ReplayRequest:
    table = loaded.table
    return rules_pb2.ReplayRequest(
        seats=rules_seats(table), options=table.options, seed=loaded.record.seed, actions=actions
    )


def effective(entries: list[pb.LogEntry]) -> list[rules_pb2.ReplayedAction]:
    """The actions of a whole log without those that were taken back."""
    actions: dict[int, rules_pb2.ReplayedAction] = {}
    for version, entry in enumerate(entries, 1):
        if entry.action:
            actions[version] = rules_pb2.ReplayedAction(seat=entry.seat, action=entry.action)
        elif entry.undoes:
            del actions[entry.undoes]
    return list(actions.values())
