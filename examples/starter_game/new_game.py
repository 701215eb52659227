"""`make new-game NAME=paper_boats`: a new game that works, made from the starter game beside this file.

It copies the folders below to their places and puts the new name for the old one. Nothing else is changed.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
OLD = "starter_game"
PLACES = {
    "rules": "services/games/{name}",
    "contract": "proto/teahouse/games/{name}/v1",
    "tests": "tests/unit/{name}",
    "page": "docs/games",
}


def spellings(name: str) -> dict[str, str]:
    """
    >>> list(spellings("paper_boats").values())
    ['paper_boats', 'paper-boats', 'PaperBoats', 'Paper Boats']
    """
    words = name.split("_")
    return {
        OLD: name,
        OLD.replace("_", "-"): "-".join(words),
        "StarterGame": "".join(map(str.capitalize, words)),
        "Starter Game": " ".join(map(str.capitalize, words)),
    }


def make(name: str) -> list[Path]:
    """The new files. Exits if the name is not one, or in use."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        sys.exit(f"NAME is {name!r}; expected words of small letters joined by _, such as NAME=paper_boats")
    new = {}
    for folder, place in PLACES.items():
        for path in sorted((HERE / folder).glob("*.*")):
            new[ROOT / place.format(name=name) / replaced(path.name, name)] = path.read_text(encoding="utf-8")
    for path in new:
        if path.exists():
            sys.exit(f"{path.relative_to(ROOT)} is there already; choose another NAME")
    for path, text in new.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(replaced(text, name), encoding="utf-8")
    return list(new)


def replaced(text: str, name: str) -> str:
    for old, new in spellings(name).items():
        text = text.replace(old, new)
    return text


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for made in make(sys.argv[1]):
        print(made.relative_to(ROOT))
