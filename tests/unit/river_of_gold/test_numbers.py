"""Every rule, worked example and derived check of the reference is cited by a test."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


def cited() -> set[str]:
    found: set[str] = set()
    for path in FOLDER.glob("test_*.py"):
        if path.name == Path(__file__).name:
            continue
        text = path.read_text(encoding="utf-8").upper().replace("_", "-")
        # The head of a module only announces what follows.
        tests = text.split('"""', 2)[-1]
        found |= set(re.findall(r"(?<![A-Z])(?:RG|WE|DX)-\d+", tests))
    return found


@pytest.mark.parametrize(("kind", "last"), [("RG", 107), ("WE", 17), ("DX", 15)])
def test_every_number_is_cited(kind: str, last: int) -> None:
    missing = {f"{kind}-{n}" for n in range(1, last + 1)} - cited()
    assert not missing, sorted(missing, key=lambda name: int(name[3:]))
