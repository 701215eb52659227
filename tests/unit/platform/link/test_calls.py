"""Single calls over a link: their answers, refusals, deadlines, order and size. A real process answers."""

import asyncio
import time

import grpc
from google.protobuf.empty_pb2 import Empty
from google.protobuf.wrappers_pb2 import BytesValue, DoubleValue, Int64Value

from services.platform import channels
from services.platform.errors import from_rpc
from services.platform.link.batching import LARGEST
from tests.unit.platform.link.echo_process import Client, EchoProcess, talk, until

MANY = 500


def test_each_of_many_calls_at_once_gets_its_own_answer(echo: EchoProcess) -> None:
    async def test(client: Client) -> None:
        asked = [b"%d" % number for number in range(MANY)]
        answers = await asyncio.gather(*(client("Echo", BytesValue(value=each)) for each in asked))
        assert [answer.value for answer in answers] == asked

    talk(test, echo)


def test_calls_begin_in_the_order_in_which_they_were_made(echo: EchoProcess) -> None:
    """Over a connection that stands; those that wait for one begin when it does."""

    async def test(client: Client) -> None:
        await client("Echo", BytesValue())
        await asyncio.gather(*(client("Note", Int64Value(value=number)) for number in range(MANY)))
        noted = (await client("Notes", Empty())).value
        assert [int(number) for number in noted.split(b",")] == list(range(MANY))

    talk(test, echo)


def test_a_slow_call_does_not_delay_a_quick_one(echo: EchoProcess) -> None:
    async def test(client: Client) -> None:
        slow = asyncio.ensure_future(client("Wait", DoubleValue(value=60)))
        assert (await client("Echo", BytesValue(value=b"quick"))).value == b"quick"
        assert not slow.done()
        slow.cancel()

    talk(test, echo)


def test_a_refusal_arrives_with_its_reason(echo: EchoProcess) -> None:
    async def test(client: Client) -> None:
        refusal = from_rpc(await client.refused("Refuse", Empty()))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "NOT_TODAY")
        assert refusal.message == "come back tomorrow"

    talk(test, echo)


def test_an_error_of_the_service_tells_nothing_of_its_inside(echo: EchoProcess) -> None:
    async def test(client: Client) -> None:
        refusal = from_rpc(await client.refused("Fail", Empty()))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")
        assert "secret" not in refusal.message

    talk(test, echo)


def test_an_unknown_method_is_refused(echo: EchoProcess) -> None:
    async def test(client: Client) -> None:
        unknown = client.link.unary("Sing", Empty, Empty(), 20)
        [error] = await asyncio.gather(unknown, return_exceptions=True)
        assert isinstance(error, grpc.aio.AioRpcError)
        assert (from_rpc(error).code, from_rpc(error).reason) == (grpc.StatusCode.UNIMPLEMENTED, "UNKNOWN_METHOD")

    talk(test, echo)


def test_a_call_ends_at_its_deadline_and_what_it_began_is_finished(echo: EchoProcess) -> None:
    async def test(client: Client) -> None:
        async def finished() -> int:
            return int((await client("Finished", Empty())).value)

        before, began = await finished(), time.monotonic()
        error = await client.refused("Wait", DoubleValue(value=1), timeout=0.2)
        assert error.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        assert time.monotonic() - began < 1
        # The caller has heard from the service meanwhile: it keeps its connection.
        assert await finished() == before

        async def one_more() -> bool:
            return await finished() == before + 1

        await until(one_more)

    talk(test, echo)


def test_a_caller_who_goes_away_leaves_nothing_behind(echo: EchoProcess) -> None:
    async def test(client: Client) -> None:
        calls = [asyncio.ensure_future(client("Wait", DoubleValue(value=0.2))) for _ in range(10)]
        await client("Echo", BytesValue())
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        await client("Echo", BytesValue())
        [copy] = client.link.copies
        assert copy.connection
        assert not copy.connection.waiting

    talk(test, echo)


def test_answers_that_are_too_large_for_one_message_travel_in_several(echo: EchoProcess) -> None:
    async def test(client: Client) -> None:
        size = 1 << 20
        answers = await asyncio.gather(*(client("Enlarge", Int64Value(value=size)) for _ in range(40)))
        assert 40 * size > channels.LARGEST
        assert {len(answer.value) for answer in answers} == {size}
        asked = [BytesValue(value=bytes(size)) for _ in range(40)]
        answers = await asyncio.gather(*(client("Echo", each) for each in asked))
        assert list(answers) == asked

    talk(test, echo)


def test_the_largest_message_passes_and_a_larger_one_ends_only_its_own_call(echo: EchoProcess) -> None:
    async def test(client: Client) -> None:
        largest = LARGEST - 16
        assert len((await client("Enlarge", Int64Value(value=largest))).value) == largest
        assert len((await client("Echo", BytesValue(value=bytes(largest)))).value) == largest
        other = asyncio.ensure_future(client("Wait", DoubleValue(value=0.5)))
        for method, request in (
            ("Enlarge", Int64Value(value=channels.LARGEST)),
            ("Echo", BytesValue(value=bytes(channels.LARGEST))),
        ):
            error = await client.refused(method, request)
            assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        await other

    talk(test, echo)
