"""Checks a downloaded game: `.venv/bin/python -m services.engine.verify replay.json`.

The hash of the seed was published when the game began; the seed came with the replay. If the hash fits, nobody chose
the cards. Then the game is dealt and played again from the seed and the actions, and the result compared. Where players
resigned, they must come last, or have ended the game.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from services.engine import registry
from services.engine.dice import seed_hash
from services.engine.game import BadOptions, IllegalAction
from services.engine.resigning import ends_it, given_up, resigned_last


class Untrue(Exception):
    """The replay does not hold; the text says where."""


def verify(replay: dict[str, Any]) -> str:
    """Returns a sentence for people; raises Untrue."""
    name = replay["game"]
    if name not in registry.names():
        raise Untrue(f"unknown game {name!r}; this installation has {', '.join(registry.names())}")
    game, codec = registry.load(name), registry.codec(name)
    if replay["rules_version"] != codec.rules_version:
        raise Untrue(f"played by rules {replay['rules_version']}; this installation has {codec.rules_version}")
    seed = bytes.fromhex(replay["seed"])
    if seed_hash(seed) != replay["seed_hash"]:
        raise Untrue("the seed is not the one whose hash was published when the game began")
    options = codec.options(json.dumps(replay["options"]).encode())
    state = game.new(replay["seats"], options, seed)
    for number, played in enumerate(replay["actions"], 1):
        if game.actor(state) != played["seat"]:
            raise Untrue(f"action {number}: seat {played['seat']} acted, but seat {game.actor(state)} had the decision")
        game.apply(state, codec.action(json.dumps(played["action"]).encode()), tell=False)
    outcome = result(msgspec.to_builtins(game.outcome(state)), replay)
    if outcome != replay["outcome"]:
        raise Untrue(f"the result is {outcome}, not {replay['outcome']}")
    return f"true: {name}, {len(replay['actions'])} actions, scores {outcome and outcome['scores']}"


def result(outcome: dict[str, Any] | None, replay: dict[str, Any]) -> dict[str, Any] | None:
    """The game's own outcome, if it came to its end, and what resigning made of it."""
    resigned = replay.get("resigned", [])
    if outcome is not None:
        return resigned_last(outcome, resigned)
    if resigned and ends_it([player["kind"] for player in replay["players"]], resigned):
        return given_up(len(replay["seats"]), resigned)
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description="Replay a downloaded game and say whether deal and result are true.")
    parser.add_argument("replay", type=Path)
    try:
        print(verify(json.loads(parser.parse_args().replay.read_bytes())))
    except (Untrue, IllegalAction, BadOptions, msgspec.MsgspecError) as error:
        sys.exit(f"NOT TRUE: {error}")
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"cannot read the replay: {error!r}; expected the answer of GET /v1/tables/<id>/replay")


if __name__ == "__main__":
    main()
