"""Problem documents: every reason has a title, a page in the manual and the right status."""

import re
from pathlib import Path

import grpc
import grpc.aio
import msgspec
import pytest
from starlette.exceptions import HTTPException

from gateway.contract.problems import STATUSES, TITLES, Problem, from_error, invalid
from services.platform.errors import Refusal

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (grpc.StatusCode.INVALID_ARGUMENT, 422),
        (grpc.StatusCode.UNAUTHENTICATED, 401),
        (grpc.StatusCode.PERMISSION_DENIED, 403),
        (grpc.StatusCode.NOT_FOUND, 404),
        (grpc.StatusCode.ABORTED, 409),
        (grpc.StatusCode.FAILED_PRECONDITION, 409),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, 429),
        (grpc.StatusCode.UNAVAILABLE, 503),
        (grpc.StatusCode.DEADLINE_EXCEEDED, 504),
        (grpc.StatusCode.INTERNAL, 500),
    ],
)
def test_a_refusal_becomes_its_http_status(code: grpc.StatusCode, status: int) -> None:
    problem = from_error(Refusal(code, "STALE_VERSION", "look again", current_version="7"))
    document = problem.document("/v1/tables/t_x/actions")
    assert document == {
        "type": "/problems/stale-version",
        "title": TITLES["STALE_VERSION"],
        "status": status,
        "detail": "look again",
        "instance": "/v1/tables/t_x/actions",
        "reason": "STALE_VERSION",
        "current_version": 7,
    }


def test_a_field_of_a_refusal_becomes_a_validation_error() -> None:
    problem = from_error(Refusal(grpc.StatusCode.INVALID_ARGUMENT, "BAD_NAME", "too long", field="name"))
    assert problem.members == {"errors": [{"field": "name", "message": "too long"}]}


@pytest.mark.parametrize("code", grpc.StatusCode)
def test_what_the_transport_says_stays_inside(code: grpc.StatusCode) -> None:
    problem = from_error(Refusal(code, f"RPC_{code.name}", "ipv4:10.0.0.1:7400: connection refused"))
    assert "10.0.0.1" not in problem.detail
    assert problem.reason in TITLES
    assert problem.status == STATUSES.get(code, 500) or problem.reason == "INTERNAL"


def test_metadata_cannot_replace_the_members_of_a_problem() -> None:
    problem = from_error(Refusal(grpc.StatusCode.NOT_FOUND, "UNKNOWN_TABLE", "no", title="x", status="200"))
    assert problem.document("/")["status"] == 404
    assert problem.document("/")["title"] == TITLES["UNKNOWN_TABLE"]


def test_headers_tell_what_to_do_next() -> None:
    assert Problem(401, "BAD_TOKEN", "").headers == {"WWW-Authenticate": "Bearer"}
    assert Problem(503, "UNAVAILABLE", "").headers == {"Retry-After": "1"}
    wrong = from_error(HTTPException(405, headers={"Allow": "GET"}))
    assert (wrong.headers, wrong.reason) == ({"Allow": "GET"}, "METHOD_NOT_ALLOWED")


def test_an_unforeseen_error_keeps_its_secrets() -> None:
    problem = from_error(RuntimeError("the password is tea"))
    assert (problem.status, problem.reason) == (500, "INTERNAL")
    assert "tea" not in problem.detail


def test_the_response_is_a_problem_document() -> None:
    response = invalid([{"field": "seats", "message": "Expected `array`"}]).response("/v1/tables")
    assert response.headers["content-type"] == "application/problem+json"
    document = msgspec.json.decode(response.body)
    assert document["errors"] == [{"field": "seats", "message": "Expected `array`"}]
    assert document["detail"].startswith("seats: Expected `array`.")


def test_every_reason_of_the_contracts_has_a_title() -> None:
    for name in ("sessions", "rules", "webhooks", "outside"):
        text = (ROOT / f"proto/teahouse/v1/{name}.proto").read_text().partition("package")[0]
        reasons = set(re.findall(r"\b[A-Z]+_[A-Z_]+\b", text.partition("Errors carry")[2]))
        assert reasons <= TITLES.keys()


def test_every_reason_is_explained_in_the_manual() -> None:
    manual = (ROOT / "docs/errors.md").read_text()
    explained = set(re.findall(r"^\| `([A-Z_]+)` \|", manual, re.MULTILINE))
    assert explained == TITLES.keys()
