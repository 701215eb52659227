"""A finished game can be looked back on, step by step, from every seat."""

import random

from deploy.stack import Stack
from tests.support.people import Person


def test_every_position_of_a_finished_game_is_as_it_was(stack: Stack) -> None:
    dice, ada, bo = random.Random(4), Person(stack.url, "Ada"), Person(stack.url, "Bo")
    table = ada.open({"kind": "me"}, {"kind": "open"})
    path = f"/v1/tables/{table}"
    assert bo.post(f"{path}/seats").status_code == 200
    assert ada.post(f"{path}/start").status_code == 200
    assert ada.get(f"{path}/replay/2").json()["reason"] == "NOT_FINISHED"
    positions = {}
    position = ada.view(table)
    while position["status"] == "playing":
        positions[position["version"]] = (ada.view(table), bo.view(table))
        actor = (ada, bo)[position["actor"]]
        action = dice.choice(positions[position["version"]][position["actor"]]["legal"])
        assert actor.act(table, position["version"], action).status_code == 200
        position = ada.view(table)
    last = position["version"]
    positions[last] = (ada.view(table), bo.view(table))
    for version in [*dice.sample(sorted(positions), 8), last]:
        for person, then in zip((ada, bo), positions[version], strict=True):
            again = person.get(f"{path}/replay/{version}").json()
            assert (again["status"], again["legal"]) == ("finished", [])
            for part in ("version", "seat", "actor", "view", "outcome"):
                assert again[part] == then[part], part
    beyond = ada.get(f"{path}/replay/{last + 1}")
    assert (beyond.status_code, beyond.json()["current_version"]) == (409, last)
