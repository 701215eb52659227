"""Streams of answers over a link: their order, a slow reader, and every way in which they end."""

import asyncio
import signal
from typing import Any

import grpc
import grpc.aio
import pytest
from google.protobuf.empty_pb2 import Empty
from google.protobuf.wrappers_pb2 import Int64Value

from services.platform.link.flow_control import CREDIT
from teahouse.v1 import link_pb2 as pb
from teahouse.v1 import link_pb2_grpc
from tests.unit.platform.link.echo_process import Client, EchoProcess, talk, until

MANY = 300


async def open_streams(client: Client, number: int) -> None:
    """Waits until so many streams of Stay are open at the service."""

    async def so_many() -> bool:
        return int((await client("Open", Empty())).value) == number

    await until(so_many)


def test_answers_come_in_order_and_the_stream_ends(echo: EchoProcess) -> None:
    async def test(client: Client) -> None:
        streams = [client.stream("Count", Int64Value(value=MANY)) for _ in range(5)]

        async def read(stream: Any) -> list[int]:
            return [answer.value async for answer in stream]

        assert await asyncio.gather(*map(read, streams)) == [list(range(MANY))] * 5

    talk(test, echo)


def test_a_slow_reader_stops_the_sender_and_no_one_else(echo: EchoProcess) -> None:
    async def test(client: Client) -> None:
        async def counted() -> int:
            return int((await client("Counted", Empty())).value)

        slow = client.stream("Count", Int64Value(value=MANY))
        for number in range(CREDIT):
            assert (await anext(slow)).value == number
        # So many were read, so many more may be under way; the sender has the next one in its hand.
        await until(lambda: at_least(counted, 2 * CREDIT))
        await asyncio.gather(*(counted() for _ in range(50)))
        assert await counted() <= 2 * CREDIT + 1
        assert [answer.value async for answer in slow] == list(range(CREDIT, MANY))

    async def at_least(counted: Any, number: int) -> bool:
        return bool(await counted() >= number)

    talk(test, echo)


def test_a_stream_that_is_cancelled_ends_at_the_service(echo: EchoProcess) -> None:
    async def test(client: Client) -> None:
        streams = [client.stream("Stay", Empty()) for _ in range(3)]
        for stream in streams:
            await anext(stream)
        await open_streams(client, 3)
        streams[1].cancel()
        await open_streams(client, 2)
        # Before it has begun.
        client.stream("Stay", Empty()).cancel()
        await open_streams(client, 2)
        streams[0].cancel()
        streams[2].cancel()
        await open_streams(client, 0)

    talk(test, echo)


def test_a_stream_that_is_begun_and_cancelled_in_one_message_does_not_stay(echo: EchoProcess) -> None:
    """Written by hand, so that both are sure to be in one."""

    async def test(client: Client) -> None:
        channel = grpc.aio.insecure_channel(echo.address)
        opener: Any = link_pb2_grpc.LinkStub(channel)
        stream = opener.Open()
        begin, cancel = pb.Call(id=1, method="Stay"), pb.Call(id=1, cancel=True)
        other, end = pb.Call(id=2, method="Stay"), pb.Call(id=2, cancel=True)
        await stream.write(pb.Calls(calls=[begin, cancel, other]))
        await stream.read()
        await open_streams(client, 1)
        await stream.write(pb.Calls(calls=[end]))
        await open_streams(client, 0)
        stream.cancel()
        await channel.close()

    talk(test, echo)


def test_streams_end_with_the_connection_of_their_caller(echo: EchoProcess) -> None:
    async def test(client: Client) -> None:
        other = Client(echo.address)
        await anext(other.stream("Stay", Empty()))
        await open_streams(client, 1)
        await other.link.close()
        await open_streams(client, 0)

    talk(test, echo)


def test_a_stream_ends_at_its_deadline(echo: EchoProcess) -> None:
    async def test(client: Client) -> None:
        stream = client.stream("Stay", Empty(), timeout=0.3)
        await anext(stream)
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await anext(stream)
        assert error.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        await open_streams(client, 0)

    talk(test, echo)


def test_what_a_stopping_service_had_open_ends_without_an_error() -> None:
    async def test(client: Client) -> None:
        stream = client.stream("Stay", Empty())
        await anext(stream)
        end = asyncio.ensure_future(anext(stream))
        await asyncio.to_thread(echo.end, signal.SIGTERM)
        with pytest.raises(StopAsyncIteration):
            await end

    with EchoProcess() as echo:
        talk(test, echo)
