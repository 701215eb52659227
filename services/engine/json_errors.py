"""What is wrong with JSON that does not have the shape it should have: where, what, and what would be right."""

import re
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import inspect

PATH = re.compile(r"(?P<message>.*) - at `(?P<path>[^`]*)`$", re.DOTALL)
NAMED = re.compile(r"Object (?:missing required|contains unknown) field `(?P<name>.*)`$", re.DOTALL)
CHOICE = re.compile(r"Invalid (?:enum )?value (?P<value>.*)$", re.DOTALL)
STEP = re.compile(r"\.(\w+)|(\[)[^\]]*\]")
# Characters of what somebody sent that are said back.
LONGEST = 40


def cut(text: str, most: int = LONGEST) -> str:
    """
    >>> cut("visibility"), cut("x" * 1000, 5)
    ('visibility', 'xxxxx…')
    """
    return text if len(text) <= most else text[:most] + "…"


def wrong(error: msgspec.ValidationError, kind: Any) -> tuple[str, str]:
    """The field and what to say of it; `kind` is the type that was wanted.

    >>> from typing import Literal
    >>> class Table(msgspec.Struct):
    ...     seen: Literal["public", "private"] = "public"
    >>> try:
    ...     msgspec.json.decode(b'{"seen": "x"}', type=Table)
    ... except msgspec.ValidationError as error:
    ...     wrong(error, Table)
    ('seen', 'Invalid value \\'x\\'; expected one of "private", "public"')
    """
    found = PATH.match(str(error))
    message, path = (found["message"], found["path"]) if found else (str(error), "$")
    if named := NAMED.match(message):
        message = message.replace(named["name"], cut(named["name"]))
        path += f".{cut(named['name'])}"
    elif choice := CHOICE.match(message):
        steps = [name or bracket for name, bracket in STEP.findall(path)]
        known = ", ".join(f'"{each}"' for each in choices([inspect.type_info(kind)], steps))
        message = f"Invalid value {cut(choice['value'])}" + (f"; expected one of {known}" if known else "")
    return path.removeprefix("$").removeprefix("."), message


def choices(kinds: Iterable[Any], steps: list[str]) -> list[Any]:
    """The values that are allowed at that place in any of these types."""
    kinds = list(_plain(kinds))
    if not steps:
        return [value for kind in kinds if isinstance(kind, inspect.LiteralType) for value in kind.values]
    first, *rest = steps
    structs = [kind for kind in kinds if isinstance(kind, inspect.StructType)]
    if tags := [kind.tag for kind in structs if kind.tag_field == first]:
        return tags
    if first == "[":
        lists = (inspect.ListType, inspect.VarTupleType)
        return choices([kind.item_type for kind in kinds if isinstance(kind, lists)], rest)
    return choices([each.type for kind in structs for each in kind.fields if each.encode_name == first], rest)


def _plain(kinds: Iterable[Any]) -> Iterable[Any]:
    """Without what is around types: descriptions, and unions, of which each member stands for itself."""
    for kind in kinds:
        if isinstance(kind, inspect.Metadata):
            yield from _plain([kind.type])
        elif isinstance(kind, inspect.UnionType):
            yield from _plain(kind.types)
        else:
            yield kind
