"""Every call of the contracts is answered by one part, with the contract's types."""

import asyncio

import pytest

from services.platform.settings import Settings
from services.sessions.service import Answer, SessionService, answered_by, check
from services.sessions.wiring import Parts


@pytest.fixture
def listed() -> dict[str, Answer]:
    async def make() -> dict[str, Answer]:
        return answered_by(Parts(Settings()))

    return asyncio.run(make())


def test_all_calls_are_listed_and_reach_their_parts(listed: dict[str, Answer]) -> None:
    async def make() -> SessionService:
        return SessionService(Parts(Settings()))

    service = asyncio.run(make())
    for contract in SessionService.descriptors:
        for method in contract.methods:
            part = getattr(service, method.name).plain.args[0]
            assert type(part) is type(listed[method.name].__self__)  # type: ignore[attr-defined]


def test_a_call_that_is_missing_or_unknown_or_of_another_type_is_refused_at_the_start(
    listed: dict[str, Answer],
) -> None:
    with pytest.raises(TypeError, match="Undo"):
        check({name: answer for name, answer in listed.items() if name != "Undo"})
    with pytest.raises(TypeError, match="Redo"):
        check({**listed, "Redo": listed["Undo"]})
    with pytest.raises(TypeError, match=r"Undo takes .*ActRequest.*; the contract says .*UndoRequest"):
        check({**listed, "Undo": listed["Act"]})
    with pytest.raises(TypeError, match="Watch takes"):
        check({**listed, "Watch": listed["Act"]})
