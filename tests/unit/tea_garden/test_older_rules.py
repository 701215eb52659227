"""Tables begun by rules 1, recorded with that code: they go on by rules 2, or say that they cannot."""

import asyncio
import json
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from services.engine import registry
from services.engine.codec import Codec
from services.platform.errors import Refusal
from services.rules.server import Rules
from teahouse.v1 import rules_pb2 as pb

TABLES: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("rules-1.json").read_text())
GAME = registry.load("tea_garden")
CODEC: Codec = registry.codec("tea_garden")


def replayed(table: dict[str, Any]) -> pb.Position:
    """As sessions asks for it when the rules of a table in play were replaced (services/sessions/renewing.py)."""
    actions = [pb.ReplayedAction(seat=seat, action=json.dumps(action).encode()) for seat, action in table["actions"]]
    request = pb.ReplayRequest(
        seats=table["seats"],
        options=json.dumps(table["options"]).encode(),
        seed=bytes.fromhex(table["seed"]),
        actions=actions,
        state=b64decode(table["state"]),
    )
    position: pb.Position = asyncio.run(Rules(GAME, CODEC).Replay.plain(request))
    return position


def test_the_version_of_the_rules_was_raised() -> None:
    assert CODEC.rules_version.startswith("2-")
    for table in TABLES.values():
        assert b"1-cbe60412" in b64decode(table["state"])


def test_a_table_begun_by_rules_1_goes_on_to_its_end() -> None:
    position = replayed(TABLES["goes_on"])
    assert position.rules_version == CODEC.rules_version
    state = CODEC.decode(position.state)
    while GAME.actor(state) is not None:
        GAME.apply(state, GAME.legal(state)[0], tell=False)
    assert GAME.outcome(state) is not None


def test_a_table_that_met_a_mistake_of_rules_1_is_not_altered_silently() -> None:
    """PE-211: its last action ended a ferment, and by rules 1 the visit to the market with it."""
    table = TABLES["market"]
    assert table["actions"][-1][1] == {"done": {}}
    with pytest.raises(Refusal) as refused:
        replayed(table)
    assert refused.value.reason == "RULES_CHANGED" and "another position" in refused.value.message
