"""A snapshot taken during play holds every move that was acknowledged before it, and can be played on elsewhere."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from deploy.backup import started
from deploy.stack import Stack, free_port
from deploy.stack.redis_server import command, executable
from deploy.supervisor import ROOT
from tests.support.people import begin, play_on


def backup(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "deploy.backup", *arguments]
    return subprocess.run(line, cwd=ROOT, env=os.environ | env, capture_output=True, text=True)


def test_a_game_is_saved_and_goes_on_from_the_backup(stack: Stack, tmp_path: Path) -> None:
    table, ada, bob = begin(stack.url)
    actor = (ada, bob)[play_on(table, ada, bob, moves=6)["actor"]]
    before = actor.view(table)
    busy, *others = begin(stack.url)
    acknowledged = play_on(busy, *others, moves=4)["version"]
    file = tmp_path / "teahouse.rdb"
    with ThreadPoolExecutor(1) as pool:  # moves go on while it is saved
        moving = pool.submit(play_on, busy, *others, moves=25)
        saved = backup("save", str(file), TEAHOUSE_DATA=str(stack.data))
        last = moving.result()["version"]
    assert saved.returncode == 0, saved.stderr
    play_on(table, ada, bob, moves=2)  # not in the backup

    (data := tmp_path / "data" / "redis").mkdir(parents=True)
    port = free_port()
    server = subprocess.Popen(command(executable(data), port, data, "always"))
    try:
        url = f"redis://127.0.0.1:{port}/0"
        started(port, server)
        assert "keys loaded" in backup("load", str(file), TEAHOUSE_REDIS_URL=url).stdout
        again = backup("load", str(file), TEAHOUSE_REDIS_URL=url)
        assert again.returncode != 0
        assert "only into an empty one" in again.stderr
    finally:
        server.terminate()
        server.wait()

    with Stack(tmp_path / "data") as elsewhere:
        for person in (ada, bob, *others):
            person.base_url = httpx.URL(elsewhere.url)  # their tokens are good there too
        assert actor.view(table) == before
        assert play_on(table, ada, bob)["status"] == "finished"
        assert acknowledged <= others[0].view(busy)["version"] <= last
        play_on(busy, *others, moves=3)


def test_what_cannot_be_saved_is_said(tmp_path: Path) -> None:
    file = str(tmp_path / "teahouse.rdb")
    cluster = backup("save", file, TEAHOUSE_REDIS_URL="redis://a:6379,b:6379")
    assert "That is a Redis Cluster" in cluster.stderr
    nobody = backup("save", file, TEAHOUSE_REDIS_URL="redis://127.0.0.1:1")
    assert "save failed" in nobody.stderr
    for one in (cluster, nobody):
        assert one.returncode == 1
        assert "Traceback" not in one.stderr
    assert not list(tmp_path.iterdir())
