"""The network between services: wires that can be cut and mended. A process of its own, told what to do on its input.

wires = Wires({"sessions>redis": (20001, 6379)})       # whoever connects to port 20001 talks to port 6379
wires.cut("sessions>redis")                            # connections are reset, new ones too
wires.hang("sessions>redis")                           # nothing gets through, nobody is told
wires.lose("sessions>redis")                           # those that stand are dead for ever, new ones work
wires.mend("sessions>redis")                           # what hung arrives late
"""

import asyncio
import contextlib
import socket
import struct
import subprocess
import sys
from typing import Any

import uvloop

LOCAL = "127.0.0.1"
RESET = struct.pack("ii", 1, 0)  # SO_LINGER: an end without a farewell
ENOUGH = 1 << 16


class Wires:
    def __init__(self, ends: dict[str, tuple[int, int]]) -> None:
        arguments = [f"{name}={listens}:{leads_to}" for name, (listens, leads_to) in ends.items()]
        self.names = list(ends)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.network", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._heard()

    def _heard(self) -> None:
        assert self.process.stdout
        if self.process.stdout.readline() != "done\n":
            raise RuntimeError("the wires have broken")

    def _tell(self, what: str, names: tuple[str, ...]) -> None:
        assert self.process.stdin
        for name in names:
            assert name in self.names, name
            self.process.stdin.write(f"{what} {name}\n")
            self.process.stdin.flush()
            self._heard()

    def cut(self, *names: str) -> None:
        self._tell("cut", names)

    def hang(self, *names: str) -> None:
        self._tell("hang", names)

    def lose(self, *names: str) -> None:
        self._tell("lose", names)

    def mend(self, *names: str) -> None:
        self._tell("mend", names)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


class End(asyncio.Protocol):
    """One end of a connection through a wire."""

    def __init__(self, wire: "Wire", other: "End | None" = None) -> None:
        self.wire, self.other = wire, other
        self.transport: asyncio.Transport
        self.dead = False
        # What came before there was another end.
        self.early = b""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.transport.set_write_buffer_limits(ENOUGH)
        self.wire.ends.add(self)
        if self.other is None:
            self.wire.arrived(self)

    def data_received(self, data: bytes) -> None:
        if self.other is None:
            self.early += data
        elif not self.dead:
            self.other.transport.write(data)

    def pause_writing(self) -> None:
        if self.other:
            self.other.transport.pause_reading()

    def resume_writing(self) -> None:
        if self.other and self.wire.state == "whole":
            self.other.transport.resume_reading()

    def connection_lost(self, error: Exception | None) -> None:
        self.wire.ends.discard(self)
        if self.other and not self.dead:
            self.other.transport.close()

    def reset(self) -> None:
        end: socket.socket = self.transport.get_extra_info("socket")
        with contextlib.suppress(OSError):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self.transport.abort()


class Wire:
    def __init__(self, leads_to: int) -> None:
        self.leads_to, self.state = leads_to, "whole"
        self.ends: set[End] = set()
        self.waiting: list[End] = []
        self.tasks: set[asyncio.Task[None]] = set()

    def arrived(self, end: End) -> None:
        if self.state == "cut":
            end.reset()
        elif self.state == "hung":
            self.waiting.append(end)
        else:
            task = asyncio.create_task(self.connect(end))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

    async def connect(self, end: End) -> None:
        loop = asyncio.get_running_loop()
        try:
            _, other = await loop.create_connection(lambda: End(self, end), LOCAL, self.leads_to)
        except OSError:
            end.reset()
            return
        end.other = other
        if end.transport.is_closing():
            other.transport.close()
        elif self.state == "hung":
            end.transport.pause_reading()
            other.transport.pause_reading()
        other.transport.write(end.early)

    def cut(self) -> None:
        self.state = "cut"
        for end in list(self.ends):
            end.reset()

    def hang(self) -> None:
        self.state = "hung"
        for end in self.ends:
            end.transport.pause_reading()

    def lose(self) -> None:
        for end in self.ends:
            end.dead = True
            end.transport.pause_reading()

    def mend(self) -> None:
        self.state = "whole"
        for end in self.ends:
            if end.other and not end.dead:
                end.transport.resume_reading()
        waiting, self.waiting = self.waiting, []
        for end in waiting:
            self.arrived(end)


async def main(arguments: list[str]) -> None:
    loop = asyncio.get_running_loop()
    wires: dict[str, Wire] = {}
    for argument in arguments:
        name, _, ports = argument.rpartition("=")
        listens, leads_to = map(int, ports.split(":"))
        wire = wires[name] = Wire(leads_to)
        await loop.create_server(lambda wire=wire: End(wire), LOCAL, listens)  # type: ignore[misc]
    told: asyncio.Queue[str] = asyncio.Queue()
    loop.add_reader(0, lambda: told.put_nowait(sys.stdin.readline()))
    print("done", flush=True)
    while line := await told.get():
        what, name = line.split()
        getattr(wires[name], what)()
        print("done", flush=True)


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1:]))
