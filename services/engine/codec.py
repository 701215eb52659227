"""A game's values as bytes: JSON for clients, MessagePack for stored positions."""

import json as stdlib
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from services.engine.game import Event, Game, WrongRules
from services.engine.json_errors import cut, wrong

json = msgspec.json.Encoder()
CACHED_ACTIONS = 50_000


class Malformed(Exception):
    """A client's JSON does not have the shape that the contract demands; `field` is the place, if known."""

    def __init__(self, text: str, field: str = "") -> None:
        super().__init__(text)
        self.field = field


class Codec:
    """Encodes and decodes for one game."""

    def __init__(self, game: Game[Any]) -> None:
        self.game = game
        self.rules_version = rules_version(game)
        self._state = msgspec.msgpack.Decoder(tuple[str, game.state_type])  # type: ignore[name-defined]
        self._options = msgspec.json.Decoder(game.structs.Options)
        self._names = {
            kind: name for table in (game.structs.ACTIONS, game.structs.EVENTS) for name, kind in table.items()
        }
        self._actions = {name: msgspec.json.Decoder(kind) for name, kind in game.structs.ACTIONS.items()}
        self._kinds = ", ".join(self._actions)
        self._encoded: dict[Any, bytes] = {}

    def encode(self, state: Any) -> bytes:
        return msgspec.msgpack.encode((self.rules_version, state))

    def decode(self, data: bytes) -> Any:
        try:
            version, state = self._state.decode(data)
        except msgspec.MsgspecError:
            version, state = msgspec.msgpack.decode(data)[0], None
        if version != self.rules_version or state is None:
            raise WrongRules(f"the position was made by rules {version}; this service runs {self.rules_version}")
        return state

    def same(self, data: bytes, state: Any) -> bool:
        """Whether these bytes, made by any version of the rules, are that position.

        Fields that this version has added at the end, with defaults, count as having those in older bytes.
        """
        try:
            _, other = self._state.decode(data)
        except msgspec.MsgspecError:
            return False
        return self.encode(other) == self.encode(state)

    def options(self, data: bytes) -> Any:
        return decode(self._options, data or b"{}", "options")

    def action(self, data: bytes) -> Any:
        """Reads {"<kind>": {…}}."""
        try:
            outer = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise Malformed(f"an action is an object with one key, its kind: {error}", "action") from None
        if len(outer) != 1:
            text = f"an action has exactly one key, its kind (one of {self._kinds}); this one has {len(outer)}"
            raise Malformed(text, "action")
        [(kind, body)] = outer.items()
        if kind not in self._actions:
            raise Malformed(f"unknown kind of action {cut(kind)!r}; expected one of {self._kinds}", "action")
        # Room for the key once more, which the decoder would overlook. Seldom: there is much white space around it.
        if len(data) - len(bytes(body)) >= 2 * (len(kind) + 5) and len(stdlib.loads(data, object_pairs_hook=list)) > 1:
            raise Malformed(f"an action has exactly one key; this one has {kind} twice", "action")
        return decode(self._actions[kind], body, f"action.{kind}")

    def encode_action(self, action: Any) -> bytes:
        """The inverse of `action`, remembered: the same few actions are listed again and again."""
        data = self._encoded.get(action)
        if data is None:
            data = self.tagged(action)
            if len(self._encoded) < CACHED_ACTIONS:
                self._encoded[action] = data
        return data

    def tagged(self, value: msgspec.Struct) -> bytes:
        return b'{"%s":%s}' % (self._names[type(value)].encode(), json.encode(value))

    def legal(self, state: Any) -> bytes:
        return b"[%s]" % b",".join(map(self.encode_action, self.game.legal(state)))

    def view(self, state: Any, seat: int | None) -> bytes:
        return json.encode(self.game.view(state, seat))

    def events(self, events: list[Event], seat: int | None) -> bytes:
        parts = (event.public if seat is None else event.private.get(seat, event.public) for event in events)
        return b"[%s]" % b",".join(map(self.tagged, parts))


def decode(decoder: "msgspec.json.Decoder[Any]", data: bytes | msgspec.Raw, place: str) -> Any:
    try:
        return decoder.decode(data)
    except msgspec.ValidationError as error:
        field, text = wrong(error, decoder.type)
        field = f"{place}.{field}" if field else place
        raise Malformed(f"{field}: {text}", field) from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Malformed(f"{place}: {error}", place) from None


def rules_version(game: Game[Any]) -> str:
    """The code's number and a fingerprint of the JSON files in the game's folder: changed data is a new version."""
    folder = Path(__import__(type(game).__module__, fromlist=["_"]).__file__ or "").parent
    data = b"".join(path.read_bytes() for path in sorted(folder.glob("*.json")) if path.name != "texts.json")
    return f"{game.rules}-{sha256(data).hexdigest()[:8]}"


def action_schema(game: Game[Any]) -> dict[str, Any]:
    return _one_of(game.structs.ACTIONS, "Action")


def event_schema(game: Game[Any]) -> dict[str, Any]:
    return _one_of(game.structs.EVENTS, "Event")


def _one_of(kinds: dict[str, type], title: str) -> dict[str, Any]:
    """The JSON Schema of a oneof in the proto JSON mapping: an object with exactly one of the keys."""
    bodies, definitions = msgspec.json.schema_components(list(kinds.values()), ref_template="#/$defs/{name}")
    choices = [
        {"type": "object", "properties": {name: body}, "required": [name], "additionalProperties": False}
        for name, body in zip(kinds, bodies, strict=True)
    ]
    return {"title": title, "oneOf": choices, "$defs": definitions}
