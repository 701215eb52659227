"""Every route against its own description: no server error, no answer that the OpenAPI document does not announce.

`python -m tests.campaigns.api_schema` (in `make soak`) lets schemathesis make thousands of requests, right and wrong
ones; `make test` a few hundred. Ids that it cannot guess come from tables that are set up first: this module is also
its hooks.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import schemathesis

from deploy.stack import Stack
from deploy.supervisor import ROOT
from tests.support.people import GAME, begin, play_on

IDS = "TEAHOUSE_SCHEMA_IDS"
# What is right by the schema may still be wrong: a name of spaces, a cursor that no page gave.
UNFIT = "positive_data_acceptance"
# Streams, which need not end (their tests are gateway/test_streams.py), and the call that would void our token.
APART = "/(events|tokens)$"


def set_up(url: str) -> dict[str, Any]:
    """A player with tables in every state; what the hooks put into requests."""
    playing, ada, bob = begin(url)
    finished, *others = begin(url)
    play_on(finished, *others)
    seats = ({"kind": "me"}, {"kind": "open"})
    tables = [ada.open(*seats), ada.open(*seats, visibility="private"), playing, finished]
    position = (ada, bob)[ada.view(playing)["actor"]].view(playing)
    return {
        "token": ada.token,
        "table": tables,
        "game": [GAME],
        "player": [ada.id, bob.id],
        "name": ["stale-version", "internal"],
        "version": [position["version"]],
        "legal": position["legal"],
    }


def run(url: str, examples: int, seed: int) -> str:
    """The story; raises AssertionError with the whole report."""
    ids = set_up(url)
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{url}/openapi.json", "--checks=all"]
    command += ["--phases=examples,coverage,fuzzing", f"--max-examples={examples}", f"--seed={seed}"]
    # One worker: in two threads Python 3.11 sometimes fails in `ast.parse`, which hypothesis calls.
    command += [
        "--workers=1",
        f"--header=Authorization: Bearer {ids['token']}",
        f"--exclude-path-regex={APART}",
        "--no-color",
    ]
    command += [f"--exclude-checks={UNFIT}", "--continue-on-failure", "--no-shrink", "--warnings=off"]
    env = os.environ | {IDS: json.dumps(ids), "SCHEMATHESIS_HOOKS": __name__, "NO_PROXY": "*", "PYTHONPATH": str(ROOT)}
    with tempfile.TemporaryDirectory() as folder:
        answer = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    found = re.search(r"(\d+) generated", answer.stdout)
    assert answer.returncode == 0 and found, answer.stdout + answer.stderr
    tested = re.search(r"Tested: (\d+)", answer.stdout)
    assert tested
    return f"schema: {tested[1]} operations, {found[1]} requests, no server error, no undocumented answer"


def put_ids(context: Any, case: Any, kwargs: Any) -> None:
    """Three requests of four go to something that exists."""
    rng, ids = random.Random(repr(case.path_parameters) + repr(case.body)), json.loads(os.environ[IDS])
    for name in case.path_parameters or ():
        if name in ids and rng.random() < 0.75:
            case.path_parameters[name] = rng.choice(ids[name])
    if case.operation.path.endswith("/actions") and isinstance(case.body, dict) and case.body.keys() >= {"action"}:
        case.body["action"] = rng.choice([case.body["action"], *ids["legal"]])
        case.body["version"] = rng.choice([case.body.get("version"), *ids["version"]])


if IDS in os.environ:
    schemathesis.hook("before_call")(put_ids)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=300, help="per operation")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Stack(Path(folder), sessions=2, output=sys.stderr) as stack:
        print(f"seed {chosen.seed}")
        print(run(stack.url, chosen.examples, chosen.seed))


if __name__ == "__main__":
    main()
