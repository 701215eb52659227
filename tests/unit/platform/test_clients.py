"""The clients that proto/generate.py writes call what the contracts say."""

from typing import Any

import pytest
from google.protobuf import message_factory

from services.platform.contracts import CONTRACTS
from teahouse.v1 import clients, rules_pb2

METHODS = [
    pytest.param(service.name, method, id=method.full_name)
    for service in (*CONTRACTS, rules_pb2.DESCRIPTOR.services_by_name["Rules"])
    for method in service.methods
]


class Recorder:
    """Gives what it is called with."""

    def unary(self, *call: Any) -> Any:
        return "unary", *call

    def stream(self, *call: Any) -> Any:
        return "stream", *call


@pytest.mark.parametrize(("service", "method"), METHODS)
def test_a_method_names_its_call_and_its_answer(service: str, method: Any) -> None:
    request = message_factory.GetMessageClass(method.input_type)()
    way = "stream" if method.server_streaming else "unary"
    called = getattr(getattr(clients, service)(Recorder()), method.name)(request, 5.0)
    assert called == (way, method.name, message_factory.GetMessageClass(method.output_type), request, 5.0)
