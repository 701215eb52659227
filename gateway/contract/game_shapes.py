"""The shapes of the games, for the OpenAPI document."""

import grpc.aio
import msgspec

from gateway.backend import Backend
from gateway.contract.describe import REF, JsonObject
from teahouse.v1 import rules_pb2, sessions_pb2

DEFINITION = "#/$defs/"


class GameShapes:
    """As each game describes them itself; asked for again when a game or its rules are new."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.known: dict[str, tuple[str, JsonObject]] = {}

    async def components(self) -> JsonObject:
        """Of every game that has ever answered."""
        try:
            found = await self.backend.read(self.backend.sessions.ListGames, sessions_pb2.ListGamesRequest())
            for each in found.games:
                if self.known.get(each.id, ("",))[0] != each.rules_version:
                    request = sessions_pb2.GetGameRequest(game=each.id)
                    info = await self.backend.read(self.backend.sessions.GetGame, request)
                    self.known[each.id] = (each.rules_version, shapes(info))
        except grpc.aio.AioRpcError:
            pass  # The document is asked for while a service is away: it says what is known.
        return {name: shape for _, made in self.known.values() for name, shape in made.items()}


def shapes(info: rules_pb2.GameInfo) -> JsonObject:
    """A game's schemas as components whose names begin with that of the game."""
    prefix = camel(info.id)
    made: JsonObject = {}
    for name, payload in (
        ("Action", info.action_schema),
        ("Event", info.event_schema),
        ("View", info.view_schema),
        ("Options", info.options_schema),
    ):
        schema = msgspec.json.decode(payload.replace(DEFINITION.encode(), f"{REF}{prefix}".encode()))
        made |= {prefix + each: shape for each, shape in schema.pop("$defs", {}).items()}
        if "oneOf" in schema:
            made |= kinds(prefix + name, schema)
    for name, shape in made.items():
        shape["title"] = name
    return made


def kinds(name: str, schema: JsonObject) -> JsonObject:
    """A choice, and each of its kinds under a name of its own, so that generated code has good names."""
    choices = {name + camel(choice["required"][0]): choice for choice in schema["oneOf"]}
    return {name: schema | {"oneOf": [{"$ref": REF + each} for each in choices]}, **choices}


def camel(name: str) -> str:
    """
    >>> camel("example_game")
    'ExampleGame'
    """
    return "".join(part.capitalize() for part in name.split("_"))
