"""What a log line says beside its text, and what it does not."""

import json
import logging
from typing import Any

from services.platform.logs import Human, Json, about
from services.platform.tracing.context import caused_by
from teahouse.v1 import rules_pb2
from teahouse.v1 import sessions_pb2 as pb
from teahouse.v1.link_pb2 import Cause

CAUSE = Cause(request_id="r-1", traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
TOKEN = "p_abc.1790000000.0." + "x" * 43


def record(text: str, **extra: Any) -> logging.LogRecord:
    return logging.getLogger("test").makeRecord("test", logging.INFO, "file", 1, text, (), None, extra=extra)


def test_a_line_for_people_ends_with_what_it_is_about() -> None:
    with caused_by(CAUSE):
        line = Human("sessions").format(record(f"moved {TOKEN}", table="t_x", seat=0, version=7))
    told = "[table=t_x seat=0 version=7 request=r-1 trace=0af7651916cd43dd8448eb211c80319c]"
    assert line.endswith(f"sessions         INFO    moved …  {told}")
    assert Human("sessions").format(record("listening")).endswith("INFO    listening")
    assert "\n" not in Human("sessions").format(record("looked", table="t\n12:00:00 sessions ERROR"))


def test_a_line_for_machines_has_it_in_fields() -> None:
    with caused_by(Cause(request_id="r-1")):
        line = json.loads(Json("sessions").format(record("moved", table="t_x", seat=0, version=7)))
    assert line.pop("at")
    told = {"table": "t_x", "seat": 0, "version": 7, "request": "r-1"}
    assert line == {"service": "sessions", "level": "info", "message": "moved", **told}


def test_of_a_message_only_table_seat_and_version_are_told() -> None:
    act = pb.ActRequest(caller="p_x", table="t_x", version=3, action=b"{}", idempotency_key="k")
    assert about(act) == {"table": "t_x", "version": 3}
    assert about(rules_pb2.RulesActRequest(state=b"s", seat=0, action=b"{}")) == {"seat": 0}
    assert about(pb.TakeSeatRequest(caller="p_x", table="t_x", join_code="secret")) == {"table": "t_x"}
    assert about(pb.OpenTableRequest(caller="p_x")) == {}
