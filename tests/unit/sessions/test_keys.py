"""Keys of Redis are made in one place."""

import re
from pathlib import Path

import pytest

from deploy.supervisor import ROOT
from services.sessions.store import keys

SESSIONS = ROOT / "services/sessions"
KEYS = SESSIONS / "store/keys.py"
# How keys and channels begin: with a hash tag (its braces doubled in an f-string), or with one of these words.
BUILT = re.compile(r"""["'](\{\{[a-z]|\{m\}|(teahouse|bots|copy):)""")
SOURCES = sorted(path for kind in ("*.py", "*.lua") for path in SESSIONS.rglob(kind))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(SESSIONS)))
def test_nothing_else_builds_a_key(path: Path) -> None:
    code = re.sub(r'"""(.|\n)*?"""', "", path.read_text())
    assert bool(BUILT.search(code)) == (path == KEYS)


def test_a_table_and_all_that_points_to_it_share_a_hash_tag() -> None:
    table = "t_abcdefghjkmnpq"
    number = keys.shard(table)
    of_shard = (keys.outbox, keys.tries, keys.late, keys.deadlines, keys.expiry, keys.results, keys.states)
    names = [keys.table(table, suffix) for suffix in keys.TABLE_KEYS] + [one(number) for one in of_shard]
    assert {name.partition("}")[0] for name in names} == {f"{{t:{number}"}
