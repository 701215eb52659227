"""Whatever a player reads exists in English and Polish, for every game there is."""

import json
from string import Formatter
from typing import Any

import pytest

from services.engine import registry
from services.engine.registry import GAMES
from tests.campaign import play


def texts(name: str) -> dict[str, dict[str, str]]:
    data: dict[str, dict[str, str]] = json.loads((GAMES / name / "texts.json").read_text(encoding="utf-8"))
    return data


def needed(name: str) -> dict[str, Any]:
    """Every key that a client will look up, with the fields its text may mention."""
    game = registry.load(name)
    keys: dict[str, Any] = {}
    for prefix, kinds in (("action", game.structs.ACTIONS), ("event", game.structs.EVENTS)):
        keys |= {f"{prefix}.{kind}": set(struct.__struct_fields__) for kind, struct in kinds.items()}
    keys |= {f"option.{field}": set() for field in game.structs.Options.__struct_fields__}
    for number in range(6):
        outcome = game.outcome(play(name, number).state)
        assert outcome is not None
        keys[f"reason.{outcome.reason}"] = set()
        keys |= {f"score.{line.label}": set() for lines in outcome.breakdown for line in lines}
    return keys


@pytest.mark.parametrize("name", registry.names())
def test_every_text_is_there_in_both_languages(name: str) -> None:
    have = texts(name)
    assert set(have) == {"en", "pl"}
    assert set(have["en"]) == set(have["pl"])
    for key, fields in needed(name).items():
        for language in ("en", "pl"):
            assert have[language].get(key), f"{language} has no text for {key}"
            mentioned = {part for _, part, _, _ in Formatter().parse(have[language][key]) if part}
            assert mentioned <= fields, f"{language} {key} mentions {mentioned - fields}"
