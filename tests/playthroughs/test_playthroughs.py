import pytest

from tests.playthroughs.transcripts import all_playthroughs, path, played


@pytest.mark.parametrize(("name", "title"), all_playthroughs())
def test_playthrough_is_unchanged(name: str, title: str) -> None:
    """If the change is wanted: `python -m tests.playthroughs --write`, and read the diff before you commit it."""
    assert played(name, title) == path(name, title).read_text(encoding="utf-8")
