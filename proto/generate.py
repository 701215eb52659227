"""Makes the Python package `teahouse` from the .proto files: `python proto/generate.py`.

For every .proto: the protobuf module, and the gRPC stubs where it defines a service. For every game's .proto also
`structs.py`: the same messages as msgspec structs, which the engines use directly, so that the shape of an action or a
view is written once, in the .proto. `teahouse/v1/clients.py` has a typed client of every service, over any transport.
Type stubs are made where mypy-protobuf is installed (the development environment).
"""

import importlib.util
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import grpc_tools
from google.protobuf import descriptor_pb2
from grpc_tools import protoc

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
OUT = ROOT / "teahouse"
FIELD = descriptor_pb2.FieldDescriptorProto
SCALARS = {
    FIELD.TYPE_STRING: "str",
    FIELD.TYPE_INT32: "int",
    FIELD.TYPE_UINT32: "int",
    FIELD.TYPE_BOOL: "bool",
    FIELD.TYPE_DOUBLE: "float",
}


def run_protoc(*arguments: str) -> None:
    google = Path(grpc_tools.__file__).parent / "_proto"
    if protoc.main(["protoc", f"-I{HERE}", f"-I{google}", *arguments]) != 0:
        sys.exit("protoc failed; its messages are above")


def main() -> None:
    files = sorted(str(path.relative_to(HERE)) for path in HERE.rglob("*.proto"))
    with tempfile.TemporaryDirectory(dir=ROOT, prefix=".proto-") as scratch:
        plugins = [f"--python_out={scratch}", f"--grpc_python_out={scratch}"]
        if importlib.util.find_spec("mypy_protobuf"):
            bin_ = Path(sys.executable).parent
            for name in ("mypy", "mypy_grpc"):
                plugins += [f"--plugin=protoc-gen-{name}={bin_ / f'protoc-gen-{name}'}", f"--{name}_out={scratch}"]
        run_protoc(*plugins, *files)
        descriptors = Path(scratch) / "descriptors"
        run_protoc(f"--descriptor_set_out={descriptors}", "--include_source_info", *files)
        made = Path(scratch) / "teahouse"
        write_structs(descriptors.read_bytes(), made)
        (made / "v1" / "clients.py").write_text(clients(descriptors.read_bytes()))
        for folder in [made, *(path for path in made.rglob("*") if path.is_dir())]:
            (folder / "__init__.py").touch()
        for stub in made.rglob("*_pb2_grpc.py"):
            if "Stub" not in stub.read_text():
                stub.unlink()
                stub.with_suffix(".pyi").unlink(missing_ok=True)
        shutil.rmtree(OUT, ignore_errors=True)
        made.rename(OUT)


def write_structs(descriptors: bytes, made: Path) -> None:
    sys.path.insert(0, str(made.parent))
    from teahouse.v1 import annotations_pb2  # makes the field rules readable

    for file in descriptor_pb2.FileDescriptorSet.FromString(descriptors).file:
        if file.name.startswith("teahouse/games/"):
            target = made.parent / file.name
            (target.parent / "structs.py").write_text(Structs(file, annotations_pb2.rules).source())


def clients(descriptors: bytes) -> str:
    """The source of a module with a class for each service, whose methods know what they take and what they answer."""
    files = [
        file
        for file in descriptor_pb2.FileDescriptorSet.FromString(descriptors).file
        if file.package == "teahouse.v1" and file.name != "teahouse/v1/link.proto"
    ]
    modules = {
        f".{file.package}.{message.name}": f"{Path(file.name).stem}_pb2"
        for file in files
        for message in file.message_type
    }
    lines: list[str] = []
    for service in (service for file in files for service in file.service):
        lines += ["", "", f"class {service.name}:", "    def __init__(self, caller: Caller) -> None:"]
        lines += ["        self.caller = caller"]
        for method in service.method:
            takes, answers = (
                f"{modules[kind]}.{kind.rsplit('.', 1)[1]}" for kind in (method.input_type, method.output_type)
            )
            way, gives = ("stream", "Stream") if method.server_streaming else ("unary", "Awaitable")
            lines += [
                "",
                f"    def {method.name}(self, request: {takes}, timeout: float) -> {gives}[{answers}]:",
                f'        return self.caller.{way}("{method.name}", {answers}, request, timeout)',
            ]
    return CALLER.format(modules=", ".join(sorted(set(modules.values())))) + "\n".join([*lines, ""])


CALLER = '''"""Made from the contracts by proto/generate.py: do not edit. A typed client of every service."""

from collections.abc import AsyncIterator, Awaitable
from typing import Protocol, TypeVar

from google.protobuf.message import Message

from teahouse.v1 import {modules}

Answer = TypeVar("Answer", bound=Message)
Answers = TypeVar("Answers", bound=Message, covariant=True)


class Stream(Protocol[Answers]):
    """The answers of a streaming call."""

    def __aiter__(self) -> AsyncIterator[Answers]: ...

    def __anext__(self) -> Awaitable[Answers]: ...

    def cancel(self) -> None: ...


class Caller(Protocol):
    """A way to a service. `timeout` is in seconds; errors are grpc.aio.AioRpcError."""

    def unary(self, method: str, answer: type[Answer], request: Message, timeout: float) -> Awaitable[Answer]: ...

    def stream(self, method: str, answer: type[Answer], request: Message, timeout: float) -> Stream[Answer]: ...
'''


class Structs:
    """One game's .proto as the source of a module of msgspec structs."""

    def __init__(self, file: descriptor_pb2.FileDescriptorProto, rules: Any) -> None:
        self.file = file
        self.rules = rules
        self.messages = {f".{file.package}.{message.name}": message for message in file.message_type}
        self.comments = {tuple(x.path): x.leading_comments for x in file.source_code_info.location}
        self.actions = self.reachable("Action")
        self.frozen = self.actions | self.reachable("Options")

    def reachable(self, name: str) -> set[str]:
        found: set[str] = set()
        todo = [f".{self.file.package}.{name}"]
        while todo:
            key = todo.pop()
            if key in found:
                continue
            if key not in self.messages:
                sys.exit(f"{self.file.name}: there is no message {key}; Options, Action, Event and View are required")
            found.add(key)
            todo += [field.type_name for field in self.messages[key].field if field.type == FIELD.TYPE_MESSAGE]
        return found

    def source(self) -> str:
        lines = [
            f'"""Made from {self.file.name} by proto/generate.py: do not edit."""',
            "",
            "from __future__ import annotations",
            "",
            "from typing import Annotated, Literal, TypeAlias",
            "",
            "from msgspec import Meta, Struct",
            "",
        ]
        unions = []
        for index, (key, message) in enumerate(self.messages.items()):
            if message.name in ("Action", "Event"):
                unions += self.union(message)
            else:
                lines += self.struct(index, key, message)
        return "\n".join([*lines, *unions, "__all__ = " + json.dumps(self.names()), ""])

    def names(self) -> list[str]:
        return [message.name for message in self.messages.values()] + ["ACTIONS", "EVENTS"]

    def union(self, message: descriptor_pb2.DescriptorProto) -> list[str]:
        kinds = [(field.name, field.type_name.rsplit(".", 1)[1]) for field in message.field]
        if len(message.oneof_decl) != 1 or len({kind for _, kind in kinds}) != len(kinds):
            sys.exit(f"{self.file.name}: {message.name} must be one oneof whose members have different types")
        table = ", ".join(f"{json.dumps(name)}: {kind}" for name, kind in kinds)
        return [
            f"{message.name}: TypeAlias = {' | '.join(kind for _, kind in kinds)}",
            f"{message.name.upper()}S: dict[str, type[Struct]] = {{{table}}}",
            "",
        ]

    def struct(self, index: int, key: str, message: descriptor_pb2.DescriptorProto) -> list[str]:
        config = "gc=False"
        if key in self.frozen:
            config = "frozen=True, cache_hash=True, forbid_unknown_fields=True, gc=False"
        if key in self.actions:
            config += ", omit_defaults=True"
        doc = self.comment((4, index)) or message.name
        required, optional = [], []
        for position, field in enumerate(message.field):
            line, has_default = self.field(key, field, self.comment((4, index, 2, position)))
            (optional if has_default else required).append(line)
        return [f"class {message.name}(Struct, {config}):", f'    """{doc}"""', "", *required, *optional, "", ""]

    def comment(self, path: tuple[int, ...]) -> str:
        return " ".join(self.comments.get(path, "").split()).replace('"', "'").replace("\\", "/")

    def field(self, key: str, field: Any, comment: str) -> tuple[str, bool]:
        rules = field.options.Extensions[self.rules]
        kind = self.kind(key, field, rules)
        default = None
        if rules.HasField("default"):
            default = repr(json.loads(rules.default))
        elif field.proto3_optional:
            kind, default = f"{kind} | None", "None"
        meta = []
        if comment:
            meta.append(f"description={comment!r}")
        annotated = f"Annotated[{kind}, Meta({', '.join(meta)})]" if meta else kind
        return f"    {field.name}: {annotated}" + (f" = {default}" if default is not None else ""), default is not None

    def kind(self, key: str, field: Any, rules: Any) -> str:
        if field.type == FIELD.TYPE_MESSAGE:
            if field.type_name not in self.messages:
                sys.exit(f"{self.file.name}: {field.name}: use messages of this file only (no maps, no nesting)")
            kind = field.type_name.rsplit(".", 1)[1]
        elif field.type not in SCALARS:
            sys.exit(f"{self.file.name}: {field.name}: use string, int32, bool, double or a message")
        elif rules.choices:
            kind = f"Literal[{', '.join(repr(str(choice)) for choice in rules.choices)}]"
        else:
            kind = SCALARS[field.type]
        bounds = [
            f"{word}={getattr(rules, name)}" for name, word in (("min", "ge"), ("max", "le")) if rules.HasField(name)
        ]
        if bounds:
            kind = f"Annotated[{kind}, Meta({', '.join(bounds)})]"
        if field.label == FIELD.LABEL_REPEATED:
            kind = f"tuple[{kind}, ...]" if key in self.frozen else f"list[{kind}]"
        return kind


if __name__ == "__main__":
    main()
