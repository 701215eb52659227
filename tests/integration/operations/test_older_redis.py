"""Data that the Redis 6.2 of earlier releases wrote is taken over whole, whichever server there is today.

The folder holds its append-only file, with one game half played, and what the API said of it then.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from deploy.stack import Stack

OLD = Path(__file__).parent / "data_of_redis_6_2"
THEN: Any = json.loads((OLD / "expected.json").read_text())
TABLE, PLAYERS = THEN["table"], THEN["players"]
# The game began in 2026: neither its table nor its players' tokens may expire.
FOREVER = {"TEAHOUSE_KEEP_ABANDONED": "1e11", "TEAHOUSE_KEEP_FINISHED": "1e11"}


@pytest.fixture
def api(tmp_path: Path) -> Iterator[httpx.Client]:
    (tmp_path / "redis").mkdir()
    shutil.copy(OLD / "appendonly.aof", tmp_path / "redis")
    with (tmp_path / "output").open("w") as output, Stack(tmp_path, env=FOREVER, output=output) as stack:
        yield httpx.Client(base_url=f"{stack.url}/v1", timeout=20)


def test_a_game_begun_on_redis_6_goes_on_to_its_end(api: httpx.Client) -> None:
    headers = [{"Authorization": f"Bearer {player['token']}"} for player in PLAYERS]
    for player, own in zip(PLAYERS, headers, strict=True):
        assert api.get(f"/tables/{TABLE}/view", headers=own).json() == THEN["views"][player["id"]]
    assert api.get(f"/tables/{TABLE}/log?limit=500", headers=headers[0]).json() == THEN["log"]
    while True:
        for own in headers:
            position = api.get(f"/tables/{TABLE}/view", headers=own).json()
            if position["status"] == "finished":
                assert position["outcome"]["places"]
                return
            if position["legal"]:
                act = {"version": position["version"], "action": position["legal"][0]}
                assert api.post(f"/tables/{TABLE}/actions", json=act, headers=own).status_code == 200
