import pytest

from tests.campaign import pieces
from tests.playthrough import all_playthroughs, path, transcript


@pytest.mark.parametrize(("name", "title"), all_playthroughs())
def test_playthrough_is_unchanged(name: str, title: str) -> None:
    """If the change is wanted: `python -m tests.playthrough`, and read the diff before you commit it."""
    seats, options, number = pieces(name).PLAYTHROUGHS[title]
    assert transcript(name, list(seats), dict(options), number) == path(name, title).read_text(encoding="utf-8")
