"""Every game there is, played to its end through the gateway by somebody who knows nothing about it."""

import json
import random
from typing import Any

import jsonschema
import pytest

from deploy.stack import Stack
from services.engine import registry
from services.engine.verify import verify
from tests.campaigns.random_games import pieces
from tests.support.people import Person

SEATED = "player"


def tables() -> list[tuple[str, list[str], dict[str, Any]]]:
    """For each game its largest case with options, and one with each automa."""
    chosen = []
    for name in registry.names():
        cases = [(list(seats), options) for seats, options in pieces(name).CASES]
        chosen.append((name, *max(cases, key=lambda case: (len(case[0]), len(case[1])))))
        automas = registry.load(name).info.automas
        with_automa = [[case for case in cases if automa in case[0]] for automa in automas]
        chosen += [(name, *max(cases, key=lambda case: len(case[1]))) for cases in with_automa]
    return chosen


@pytest.mark.parametrize(("game", "seats", "options"), tables(), ids=lambda value: str(value).replace(" ", ""))
def test_a_person_and_bots_play_to_the_end(stack: Stack, game: str, seats: list[str], options: dict[str, Any]) -> None:
    ada = Person(stack.url, "Ada")
    described = ada.get(f"/v1/games/{game}").json()
    me = seats.index(SEATED)
    wanted = [
        {"kind": "me"} if number == me else {"kind": "bot", "bot": "greedy"} if seat == SEATED
        else {"kind": "automa", "automa": seat}
        for number, seat in enumerate(seats)
    ]  # fmt: skip
    opened = ada.post("/v1/tables", json={"game": game, "options": options, "seats": wanted})
    assert opened.status_code == 201, opened.text
    table = opened.json()["id"]
    assert ada.post(f"/v1/tables/{table}/start").status_code == 200
    rng, schema = random.Random(game), jsonschema.Draft202012Validator(described["schemas"]["view"])
    with ada.socket(table) as socket:
        position = json.loads(socket.recv(timeout=30))["snapshot"]
        while position["status"] == "playing":
            schema.validate(position["view"])
            if position["legal"]:
                act = {"id": "1", "version": position["version"], "action": rng.choice(position["legal"])}
                socket.send(json.dumps({"act": act}))
            position = next_position(socket, position["version"])
    assert sorted(position["outcome"]["places"])[0] == 1
    assert verify(ada.get(f"/v1/tables/{table}/replay").json()).startswith("true")


def next_position(socket: Any, seen: int) -> dict[str, Any]:
    """The next update; answers to the own action are passed over."""
    while True:
        message = json.loads(socket.recv(timeout=30))
        assert "error" not in message, message
        if "update" in message and message["update"]["version"] > seen:
            update: dict[str, Any] = message["update"]
            return update
