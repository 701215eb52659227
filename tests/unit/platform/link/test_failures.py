"""A copy of a service that is killed, stopped, silent or started again while others call it."""

import asyncio
import signal
import time
from collections.abc import Iterator

import grpc
import grpc.aio
import pytest
from google.protobuf.empty_pb2 import Empty
from google.protobuf.wrappers_pb2 import BytesValue, DoubleValue, Int64Value

from services.platform.errors import from_rpc
from services.platform.link import client as link_client
from tests.unit.platform.link.echo_process import Client, EchoProcess, talk, until

MANY, DRAIN = 50, 60


@pytest.fixture
def first() -> Iterator[EchoProcess]:
    with EchoProcess(drain=str(DRAIN)) as process:
        yield process


@pytest.fixture
def second() -> Iterator[EchoProcess]:
    with EchoProcess() as process:
        yield process


async def both_called(client: Client) -> None:
    """Until each copy has its connection."""

    async def connected() -> bool:
        await client("Echo", BytesValue())
        return all(copy.connection and copy.connection.open for copy in client.link.copies)

    await until(connected)


def test_calls_of_a_copy_that_is_killed_fail_at_once(first: EchoProcess) -> None:
    async def test(client: Client) -> None:
        stream = client.stream("Stay", Empty())
        await anext(stream)
        call = asyncio.ensure_future(client.refused("Wait", DoubleValue(value=60), timeout=60))
        await client("Echo", BytesValue())
        first.end()
        assert (await call).code() is grpc.StatusCode.UNAVAILABLE
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await anext(stream)
        assert error.value.code() is grpc.StatusCode.UNAVAILABLE

    talk(test, first)


def test_a_call_waits_for_a_service_that_is_started_again(first: EchoProcess) -> None:
    async def test(client: Client) -> None:
        assert await client.link.serving()
        await client("Note", Int64Value(value=1))
        first.end()
        assert not await client.link.serving()
        call = asyncio.ensure_future(client("Notes", Empty()))
        await asyncio.to_thread(first.start)
        assert (await call).value == b"", "the same process answers"
        assert await client.link.serving()

    talk(test, first)


def test_a_service_that_stays_away_is_unavailable() -> None:
    async def test(client: Client) -> None:
        error = await client.refused("Echo", BytesValue())
        assert error.code() is grpc.StatusCode.UNAVAILABLE
        # Not for each call again.
        began = time.monotonic()
        errors = await asyncio.gather(*(client.refused("Echo", BytesValue()) for _ in range(MANY)))
        assert {each.code() for each in errors} == {grpc.StatusCode.UNAVAILABLE}
        assert time.monotonic() - began < 3

    talk(test, EchoProcess())


def test_calls_are_spread_over_the_copies_and_go_to_the_other_if_one_is_killed(
    first: EchoProcess, second: EchoProcess
) -> None:
    async def test(client: Client) -> None:
        await both_called(client)
        await asyncio.gather(*(client("Note", Int64Value(value=number)) for number in range(MANY)))
        notes = await asyncio.gather(*(client("Notes", Empty()) for _ in range(2)))
        assert [len(each.value.split(b",")) for each in notes] == [MANY // 2, MANY // 2]
        first.end()

        async def noticed() -> bool:
            return len(client.link.ready_copies()) == 1

        await until(noticed)
        await asyncio.gather(*(client("Note", Int64Value(value=number)) for number in range(MANY)))
        assert len((await client("Notes", Empty())).value.split(b",")) == MANY // 2 + MANY

    talk(test, first, second)


def test_a_silent_copy_is_avoided_after_one_deadline(first: EchoProcess, second: EchoProcess) -> None:
    """Its connections stand, and nothing is ever answered."""

    async def test(client: Client) -> None:
        await both_called(client)
        first.freeze()
        await asyncio.sleep(0.1)  # what it sent before is no sign of life later
        try:
            codes = [await code(client, timeout=0.5) for _ in range(10)]
        finally:
            first.send(signal.SIGCONT)
        assert codes.count(grpc.StatusCode.DEADLINE_EXCEEDED) == 1
        assert codes.count(grpc.StatusCode.OK) == 9

    async def code(client: Client, timeout: float) -> grpc.StatusCode:  # noqa: ASYNC109
        try:
            await client("Echo", BytesValue(), timeout)
        except grpc.aio.AioRpcError as error:
            return error.code()
        return grpc.StatusCode.OK

    talk(test, first, second)


def test_a_stopping_copy_answers_what_it_has_and_gets_nothing_new(first: EchoProcess, second: EchoProcess) -> None:
    async def test(client: Client) -> None:
        await both_called(client)
        waiting = [asyncio.ensure_future(client("Wait", DoubleValue(value=1))) for _ in range(10)]
        await both_called(client)
        stopped = asyncio.ensure_future(asyncio.to_thread(first.end, signal.SIGTERM))

        async def told() -> bool:
            return len(client.link.ready_copies()) == 1

        await until(told)
        while not stopped.done():
            await client("Echo", BytesValue())
        await asyncio.gather(*waiting)

    talk(test, first, second)


def test_no_call_fails_while_the_only_copy_is_restarted(first: EchoProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stopping copy asks its callers to go; those that have nowhere to go wait."""
    monkeypatch.setattr(link_client, "PATIENCE", 60.0)

    async def test(client: Client) -> None:
        async def call_on() -> None:
            while not restarted.done():
                await client("Echo", BytesValue())

        def restart() -> float:
            began = time.monotonic()
            first.end(signal.SIGTERM)
            stopped = time.monotonic()
            first.start()
            return stopped - began

        await client("Echo", BytesValue())
        restarted = asyncio.ensure_future(asyncio.to_thread(restart))
        await asyncio.gather(*(call_on() for _ in range(5)))
        # It is not kept from stopping by those who call on and on.
        assert await restarted < DRAIN

    talk(test, first)


def test_calls_beyond_the_limit_are_refused_at_once_and_streams_do_not_count() -> None:
    async def test(client: Client) -> None:
        streams = [client.stream("Stay", Empty()) for _ in range(5)]
        for stream in streams:
            await anext(stream)
        await overload(client)
        for stream in streams:
            stream.cancel()
        await overload(client)

    async def overload(client: Client) -> None:
        calls = [asyncio.ensure_future(client("Wait", DoubleValue(value=1))) for _ in range(3)]
        await asyncio.sleep(0)
        refusals = await asyncio.gather(*(client.refused("Echo", BytesValue()) for _ in range(10)))
        assert {from_rpc(error).reason for error in refusals} == {"OVERLOADED"}
        await asyncio.gather(*calls)
        await client("Echo", BytesValue())

    with EchoProcess(call_limit="3") as echo:
        talk(test, echo)
