"""Every rules service as a process, over its contract: the plain methods, and the same over a link."""

import asyncio
import json
from typing import Any

import grpc
import grpc.aio
import jsonschema
import pytest
import uvloop
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from deploy.stack import Stack
from services.engine import registry
from services.platform.errors import from_rpc
from services.platform.link.client import Linked
from services.platform.settings import Settings
from teahouse.v1 import rules_pb2 as pb
from teahouse.v1 import rules_pb2_grpc
from tests.campaign import pieces

SEED = bytes(range(32))


@pytest.fixture(params=registry.names())
def game(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def stub(stack: Stack, game: str) -> Any:
    return rules_pb2_grpc.RulesStub(grpc.insecure_channel(stack.address(game)))


def deal(game: str) -> pb.NewRequest:
    seats, options = pieces(game).CASES[0]
    return pb.NewRequest(seats=seats, options=json.dumps(options).encode(), seed=SEED)


def refusal(call: Any, request: Any) -> tuple[grpc.StatusCode, str]:
    with pytest.raises(grpc.RpcError) as error:
        call(request)
    refused = from_rpc(error.value)
    return refused.code, refused.reason


def test_a_game_describes_itself(stub: Any, game: str) -> None:
    info = stub.Describe(pb.DescribeRequest())
    assert info.id == game
    assert set(info.title) == {"en", "pl"}
    assert info.rules_version
    for schema in (info.options_schema, info.action_schema, info.event_schema, info.view_schema):
        jsonschema.Draft202012Validator.check_schema(json.loads(schema))
    assert set(json.loads(info.texts)) == {"en", "pl"}
    assert json.loads(info.components)


def test_the_same_deal_gives_the_same_bytes_and_a_replay_the_same_position(stub: Any, game: str) -> None:
    position = stub.New(deal(game))
    assert stub.New(deal(game)) == position
    actions = []
    current = position
    for _ in range(12):
        action = json.dumps(json.loads(current.legal)[0]).encode()
        acted = stub.Act(pb.RulesActRequest(state=current.state, seat=current.actor, action=action))
        actions.append(pb.ReplayedAction(seat=current.actor, action=acted.action))
        current = acted.position
        if not current.HasField("actor"):
            break
        assert stub.Look(pb.RulesLookRequest(state=current.state)) == current
    request = deal(game)
    replay = pb.ReplayRequest(seats=request.seats, options=request.options, seed=request.seed, actions=actions)
    assert stub.Replay(replay).state == current.state


def test_views_and_actions_fit_the_schemas(stub: Any, game: str) -> None:
    info, position = stub.Describe(pb.DescribeRequest()), stub.New(deal(game))
    for view in position.views:
        jsonschema.validate(json.loads(view), json.loads(info.view_schema))
    for action in json.loads(position.legal):
        jsonschema.validate(action, json.loads(info.action_schema))


def test_a_redealt_position_hides_the_seed(stub: Any, game: str) -> None:
    position = stub.New(deal(game))
    redealt = stub.Redeal(pb.RedealRequest(state=position.state, seat=position.actor, seed=bytes(32))).state
    assert SEED in position.state
    assert SEED not in redealt
    assert stub.Look(pb.RulesLookRequest(state=redealt)).views[position.actor] == position.views[position.actor]


def test_what_the_service_refuses(stub: Any, game: str) -> None:
    bad, wrong = grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.FAILED_PRECONDITION
    request = deal(game)
    position = stub.New(request)
    state, actor = position.state, position.actor
    legal = json.dumps(json.loads(position.legal)[0]).encode()
    assert refusal(stub.New, pb.NewRequest(seats=["player"] * 9, seed=SEED)) == (bad, "BAD_SEATS")
    assert refusal(stub.New, pb.NewRequest(seats=["player", "cat"], seed=SEED)) == (bad, "BAD_SEATS")
    assert refusal(stub.New, pb.NewRequest(seats=request.seats, seed=b"short")) == (bad, "BAD_OPTIONS")
    unknown = pb.NewRequest(seats=request.seats, seed=SEED, options=b'{"none": 1}')
    assert refusal(stub.New, unknown) == (bad, "BAD_OPTIONS")
    foreign = pb.RulesActRequest(state=state, seat=(actor + 1) % len(request.seats), action=legal)
    assert refusal(stub.Act, foreign) == (wrong, "NOT_YOUR_TURN")
    malformed = pb.RulesActRequest(state=state, seat=actor, action=b"{}")
    assert refusal(stub.Act, malformed) == (bad, "MALFORMED_ACTION")
    version = stub.Describe(pb.DescribeRequest()).rules_version.encode()
    old = state.replace(version, b"0" * len(version), 1)
    assert refusal(stub.Look, pb.RulesLookRequest(state=old)) == (wrong, "RULES_CHANGED")


def test_health_and_reflection(stack: Stack, game: str) -> None:
    channel = grpc.insecure_channel(stack.address(game))
    health: Any = health_pb2_grpc.HealthStub(channel)
    asked = health_pb2.HealthCheckRequest(service="teahouse.v1.Rules")
    assert health.Check(asked).status == health_pb2.HealthCheckResponse.SERVING
    reflection: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
    request = reflection_pb2.ServerReflectionRequest(list_services="")
    (answer,) = reflection.ServerReflectionInfo(iter([request]))
    assert {"teahouse.v1.Rules", "teahouse.v1.Link"} <= {one.name for one in answer.list_services_response.service}


def test_a_link_gives_the_same_answers_and_errors(stack: Stack, stub: Any, game: str) -> None:
    async def over_a_link() -> tuple[Any, Any]:
        linked: Any = Linked(stack.address(game), pb.DESCRIPTOR.services_by_name.values(), Settings())
        position = await linked.New(deal(game), timeout=10)
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await linked.New(pb.NewRequest(seats=["player"] * 9, seed=SEED), timeout=10)
        await linked.close()
        return position, from_rpc(error.value)

    position, refused = uvloop.run(over_a_link())
    assert position == stub.New(deal(game))
    assert (refused.code, refused.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "BAD_SEATS")


def test_many_large_answers_over_one_link(stack: Stack, game: str) -> None:
    """Together they are far larger than one gRPC message may be."""

    async def over_a_link() -> list[Any]:
        linked: Any = Linked(stack.address(game), pb.DESCRIPTOR.services_by_name.values(), Settings())
        calls = [linked.Describe(pb.DescribeRequest(), timeout=30) for _ in range(400)]
        answers = await asyncio.gather(*calls)
        await linked.close()
        return answers

    answers = uvloop.run(over_a_link())
    assert sum(answer.ByteSize() for answer in answers) > 16 * 1024 * 1024
    assert {answer.id for answer in answers} == {game}
