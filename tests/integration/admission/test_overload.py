"""More to do than a process takes on: what is beyond is refused at once and changes nothing, and then all is well."""

import asyncio
import json
from collections import Counter
from contextlib import AsyncExitStack
from typing import Any

import httpx

from deploy.stack import LOCAL, Stack, free_port
from tests.support.processes import frozen, gateway, process

MANY, PATIENCE = 100, 60.0
TABLE = {"game": "geishas_road", "seats": [{"kind": "me"}, {"kind": "open"}]}


class Ada(httpx.AsyncClient):
    """A player with many connections."""

    def __init__(self, url: str) -> None:
        limits = httpx.Limits(max_connections=2 * MANY)
        super().__init__(base_url=url, timeout=PATIENCE, limits=limits, trust_env=False)
        made = httpx.post(f"{url}/v1/players", json={"name": "Ada"}, timeout=PATIENCE, trust_env=False)
        self.headers["Authorization"] = f"Bearer {made.json()['token']}"

    def storm(self) -> list[asyncio.Task[httpx.Response]]:
        """Wants many tables at once."""
        return [asyncio.create_task(self.post("/v1/tables", json=TABLE)) for _ in range(MANY)]

    async def tables(self) -> int:
        query: dict[str, Any] = {"mine": "true", "limit": 100}
        return len((await self.get("/v1/tables", params=query)).json()["tables"])


async def check(ada: Ada, answers: list[httpx.Response]) -> Counter[int]:
    counted = Counter(answer.status_code for answer in answers)
    assert set(counted) == {201, 503}, counted
    for answer in answers:
        if answer.status_code == 503:
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.headers["retry-after"] == "1"
            assert answer.json()["reason"] == "OVERLOADED"
    assert await ada.tables() == counted[201], "something came of a call that was refused"
    for _ in range(3):
        assert (await ada.post("/v1/tables", json=TABLE)).status_code == 201, "service is not as usual"
    return counted


def shed(metrics: str) -> float:
    """How many calls a process says that it has refused."""
    lines = httpx.get(metrics, timeout=PATIENCE, trust_env=False).text.splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("teahouse_shed_total"))


def test_a_gateway_refuses_what_is_too_much_and_serves_what_it_took(stack: Stack) -> None:
    most = 5

    async def overload(url: str) -> None:
        async with Ada(url) as ada:
            assert (await ada.get("/v1/tables")).status_code == 200
            with frozen([stack.pid(name) for name in ("sessions", "sessions-2")]):
                calls = ada.storm()
                # Those that it took wait, the others do not.
                waiting = set(calls)
                while len(waiting) > most:
                    done, waiting = await asyncio.wait(waiting, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
                    assert done, "nobody was refused"
            counted = await check(ada, await asyncio.gather(*calls))
            assert counted == {201: most, 503: MANY - most}
            assert shed(f"{url}/metrics") == MANY - most

    with gateway(stack, call_limit=str(most), deadline="60") as url:
        asyncio.run(overload(url))


def test_a_stream_counts_until_its_first_message(stack: Stack) -> None:
    most = 5

    async def overload(url: str) -> None:
        async with Ada(url) as ada:
            made = await ada.post("/v1/tables", json=TABLE)
            path = f"/v1/tables/{made.json()['id']}/events"
            with frozen([stack.pid(name) for name in ("sessions", "sessions-2")]):
                watching = [asyncio.create_task(first_line(ada, path)) for _ in range(MANY)]
                waiting = set(watching)
                while len(waiting) > most:
                    done, waiting = await asyncio.wait(
                        waiting, timeout=PATIENCE / 4, return_when=asyncio.FIRST_COMPLETED
                    )
                    assert done, "nobody was refused"
            assert Counter([await each for each in watching]) == {"id: 1": most, "OVERLOADED": MANY - most}
            # A stream that has begun takes nobody's place.
            async with AsyncExitStack() as begun:
                for _ in range(2 * most):
                    await begun.enter_async_context(ada.stream("GET", path))
                assert await first_line(ada, path) == "id: 1"

    with gateway(stack, call_limit=str(most), deadline="60") as url:
        asyncio.run(overload(url))


async def first_line(ada: Ada, path: str) -> str:
    """The first line of a stream, or the reason why there is none."""
    async with ada.stream("GET", path) as answer:
        if answer.status_code == 503:
            return str(json.loads(await answer.aread())["reason"])
        return await anext(answer.aiter_lines())


def test_a_session_service_refuses_what_is_too_much(stack: Stack) -> None:
    port, metrics = free_port(), free_port()

    async def overload(url: str) -> None:
        async with Ada(url) as ada:
            counted = await check(ada, await asyncio.gather(*ada.storm()))
            assert shed(f"http://{LOCAL}:{metrics}/metrics") >= counted[503]

    settings = {"call_limit": "2", "metrics_port": str(metrics)}
    with (
        process(stack, "services.sessions", port, **settings),
        gateway(stack, sessions=f"{LOCAL}:{port}") as url,
    ):
        asyncio.run(overload(url))
