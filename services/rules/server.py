"""The rules service: one generic gRPC server that serves any game. It keeps nothing between two calls."""

from collections.abc import Sequence
from typing import Any

import msgspec

from services.engine import registry
from services.engine.codec import Codec, Malformed
from services.engine.dice import Dice
from services.engine.game import BadOptions, BadSeats, Event, Game, IllegalAction, WrongRules
from services.platform.errors import Refusal, answers, conflict, invalid
from services.platform.server import serve
from services.platform.settings import Settings
from services.rules.description import describe
from teahouse.v1 import rules_pb2 as pb


def main(name: str) -> None:
    """What `python -m services.games.<game>` runs."""
    serve(name, Settings(), lambda: Rules(registry.load(name), registry.codec(name)))


class Rules:
    descriptors = (pb.DESCRIPTOR.services_by_name["Rules"],)

    def __init__(self, game: Game[Any], codec: Codec) -> None:
        self.game, self.codec = game, codec
        self.info = describe(game, codec)

    async def begin(self) -> None:
        """Nothing to connect to."""

    async def end(self) -> None:
        """Nothing to keep."""

    @answers
    async def Describe(self, request: pb.DescribeRequest) -> pb.GameInfo:
        return self.info

    @answers
    async def New(self, request: pb.NewRequest) -> pb.Position:
        state, options = self.deal(list(request.seats), request.options, request.seed)
        position = self.position(state, len(request.seats))
        position.options, position.rules_version = msgspec.json.encode(options), self.codec.rules_version
        return position

    @answers
    async def Act(self, request: pb.RulesActRequest) -> pb.RulesActResponse:
        state = self.decode(request.state)
        action = self.check(state, request.seat, request.action)
        events = self.apply(state, action)
        seats = self.game.seats(state)
        position = self.position(state, seats, request.unwanted)
        public = self.codec.events(events, None)
        told = [
            self.codec.events(events, seat) if any(seat in event.private for event in events) else b""
            for seat in range(seats)
        ]
        return pb.RulesActResponse(
            position=position,
            events=pb.Events(by_seat=[*told, public]),
            undoable=self.game.actor(state) == request.seat and not any(event.reveals for event in events),
            action=self.codec.encode_action(action),
        )

    @answers
    async def Look(self, request: pb.RulesLookRequest) -> pb.Position:
        state = self.decode(request.state)
        return self.position(state, self.game.seats(state))

    @answers
    async def Redeal(self, request: pb.RedealRequest) -> pb.RedealResponse:
        state = self.decode(request.state)
        return pb.RedealResponse(state=self.codec.encode(self.game.redeal(state, request.seat, Dice(request.seed))))

    @answers
    async def Replay(self, request: pb.ReplayRequest) -> pb.Position:
        if request.rules_version not in ("", self.codec.rules_version):
            raise other_rules(f"made by rules {request.rules_version}; this service runs {self.codec.rules_version}")
        state, options = self.again(request) if request.state else self.replay(request)
        position = self.position(state, len(request.seats))
        position.options, position.rules_version = msgspec.json.encode(options), self.codec.rules_version
        return position

    def replay(self, request: pb.ReplayRequest) -> tuple[Any, Any]:
        state, options = self.deal(list(request.seats), request.options, request.seed)
        for played in request.actions:
            self.apply(state, self.check(state, played.seat, played.action), tell=False)
        return state, options

    def again(self, request: pb.ReplayRequest) -> tuple[Any, Any]:
        """The same for a game that was played by other rules, if it comes to the same position by these."""
        try:
            state, options = self.replay(request)
        except Refusal as refusal:
            raise other_rules(f"by rules {self.codec.rules_version} it cannot have come so far: {refusal}") from None
        if not self.codec.same(request.state, state):
            raise other_rules(f"by rules {self.codec.rules_version} it would have come to another position")
        return state, options

    def deal(self, seats: list[str], options: bytes, seed: bytes) -> tuple[Any, Any]:
        if len(seed) != 32:
            raise invalid("BAD_OPTIONS", f"the seed has {len(seed)} bytes; expected 32")
        try:
            self.game.info.check_seats(seats)
            chosen = self.codec.options(options)
            return self.game.new(seats, chosen, seed), chosen
        except Malformed as error:
            raise invalid("BAD_OPTIONS", str(error), field=error.field) from None
        except BadSeats as error:
            raise invalid("BAD_SEATS", str(error), field="seats") from None
        except BadOptions as error:
            raise invalid("BAD_OPTIONS", f"options: {error}", field="options") from None

    def check(self, state: Any, seat: int, data: bytes) -> Any:
        """The action, if that seat has the decision."""
        actor = self.game.actor(state)
        if actor != seat:
            whose = "the game is over" if actor is None else f"seat {actor} has the decision"
            raise conflict("NOT_YOUR_TURN", f"seat {seat} cannot act: {whose}")
        try:
            action = self.codec.action(data)
        except Malformed as error:
            raise invalid("MALFORMED_ACTION", str(error), field=error.field) from None
        return action

    def apply(self, state: Any, action: Any, tell: bool = True) -> list[Event]:
        try:
            return self.game.apply(state, action, tell)
        except IllegalAction as error:
            raise invalid("ILLEGAL_ACTION", f"{error}; `legal` in the view lists what can be done") from None

    def decode(self, data: bytes) -> Any:
        try:
            return self.codec.decode(data)
        except WrongRules as error:
            raise other_rules(str(error)) from None

    def position(self, state: Any, seats: int, unwanted: Sequence[int] = ()) -> pb.Position:
        actor = self.game.actor(state)
        outcome = self.game.outcome(state)
        return pb.Position(
            state=self.codec.encode(state),
            actor=actor,
            views=[
                b"" if number in unwanted else self.codec.view(state, number if number < seats else None)
                for number in range(seats + 1)
            ],
            legal=self.codec.legal(state) if actor is not None else b"[]",
            outcome=msgspec.json.encode(outcome) if outcome else b"",
        )


def other_rules(text: str) -> Refusal:
    return conflict("RULES_CHANGED", text)
