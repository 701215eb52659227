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

from deploy.supervisor import ROOT
from tests.support.people import GAME, begin, play_on
from tests.support.processes import own_stack

# This module, also where it is run as a program: what schemathesis loads for its hooks.
HOOKS = "tests.campaigns.api_schema"
IDS, SUCCESSES = "TEAHOUSE_SCHEMA_IDS", "TEAHOUSE_SCHEMA_SUCCESSES"
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
    env = os.environ | {IDS: json.dumps(ids), "SCHEMATHESIS_HOOKS": HOOKS, "NO_PROXY": "*", "PYTHONPATH": str(ROOT)}
    with tempfile.TemporaryDirectory() as folder:
        successes = Path(folder, "successes")
        env[SUCCESSES] = str(successes)
        answer = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
        reached = set(successes.read_text().splitlines()) if successes.exists() else set()
    found = re.search(r"(\d+) generated", answer.stdout)
    assert answer.returncode == 0 and found, answer.stdout + answer.stderr
    tested = re.search(r"Tested: (\d+)", answer.stdout)
    assert tested
    # Who only asks for what is not there learns nothing of what is.
    assert len(reached) >= int(tested[1]) // 2, f"only these operations ever succeeded: {sorted(reached)}"
    return f"schema: {tested[1]} operations, {len(reached)} of them with success, {found[1]} requests, as described"


def put_ids(context: Any, case: Any, kwargs: Any) -> None:
    """Three requests of four go to something that exists."""
    rng, ids = random.Random(repr(case.path_parameters) + repr(case.body)), json.loads(os.environ[IDS])
    for name in case.path_parameters or ():
        if name in ids and rng.random() < 0.75:
            case.path_parameters[name] = rng.choice(ids[name])
    if case.operation.path.endswith("/actions") and isinstance(case.body, dict) and case.body.keys() >= {"action"}:
        case.body["action"] = rng.choice([case.body["action"], *ids["legal"]])
        case.body["version"] = rng.choice([case.body.get("version"), *ids["version"]])


def note_success(context: Any, case: Any, response: Any) -> None:
    if response.status_code < 300:
        with Path(os.environ[SUCCESSES]).open("a") as file:
            file.write(f"{case.operation.label}\n")


if IDS in os.environ:
    schemathesis.hook("before_call")(put_ids)
    schemathesis.hook("after_call")(note_success)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=300, help="per operation")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    chosen = parser.parse_args()
    with own_stack(sessions=2) as stack:
        print(f"seed {chosen.seed}")
        print(run(stack.url, chosen.examples, chosen.seed))


if __name__ == "__main__":
    main()
