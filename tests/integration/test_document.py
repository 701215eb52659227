"""The OpenAPI document is good enough for programs: a client is generated from it and plays, and it tells the truth."""

import importlib
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import jsonschema
import pytest

from deploy.stack import LOCAL, Stack, free_port
from deploy.supervisor import ROOT
from gateway.document import camel
from gateway.openapi import STATUS_OF
from gateway.problems import TITLES, type_of
from services.engine import registry
from tests import schema
from tests.integration import alone
from tests.integration.people import GAME, Person, begin, play_on

PACKAGE = "generated_client"


@pytest.fixture(scope="module")
def document(stack: Stack) -> dict[str, Any]:
    made: dict[str, Any] = httpx.get(f"{stack.url}/openapi.json").json()
    return made


@pytest.fixture(scope="module")
def generated(document: dict[str, Any], stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """A package made by openapi-python-client."""
    folder = tmp_path_factory.mktemp("generated")
    config = folder / "config.yml"
    config.write_text("post_hooks: []\n")
    command = [
        str(Path(sys.executable).parent / "openapi-python-client"),
        "generate",
        "--meta=none",
        "--fail-on-warning",
    ]
    command += [f"--url={stack.url}/openapi.json", f"--config={config}", f"--output-path={folder / PACKAGE}"]
    made = subprocess.run(command, capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr
    sys.path.insert(0, str(folder))
    yield importlib.import_module(PACKAGE)
    sys.path.remove(str(folder))


class Client:
    """Calls the generated functions; whatever is not the documented success is an error."""

    def __init__(self, package: ModuleType, url: str) -> None:
        self.package, self.models = package, importlib.import_module(f"{PACKAGE}.models")
        self.client = package.Client(base_url=url, raise_on_unexpected_status=True)

    def call(self, tag: str, name: str, *arguments: Any, **more: Any) -> Any:
        module = importlib.import_module(f"{PACKAGE}.api.{tag}.{name}")
        answer = module.sync(*arguments, client=self.client, **more)
        assert not isinstance(answer, self.models.ProblemDocument), answer
        return answer

    def payload(self, name: str, value: Any) -> Any:
        """A payload of the game through its own generated class and back."""
        return getattr(self.models, camel(GAME) + name).from_dict(value.to_dict())


def test_a_generated_client_plays_a_whole_game_against_a_bot(stack: Stack, generated: ModuleType) -> None:
    ada = Client(generated, stack.url)
    models = ada.models
    me = ada.call("players", "create_player", body=models.NewPlayer(name="Ada"))
    ada.client = generated.AuthenticatedClient(base_url=stack.url, token=me.token, raise_on_unexpected_status=True)
    assert me.expires_at > me.created_at
    seats = [models.Me(kind=models.MeKind.ME), models.Bot(kind=models.BotKind.BOT, bot="greedy")]
    opened = ada.call("tables", "open_table", body=models.NewTable(game=GAME, seats=seats))
    table = ada.call("tables", "start_table", opened.id)
    assert (table.status, table.seats[0].player.name, table.outcome) == (models.TableStatus.PLAYING, "Ada", None)
    limit = time.monotonic() + 90
    acted = 0
    while (position := ada.call("play", "get_view", opened.id)).status == models.PositionStatus.PLAYING:
        assert time.monotonic() < limit
        view = ada.payload("View", position.view)
        assert view.to_dict() == position.view.to_dict()
        if not position.legal:
            time.sleep(0.02)
            continue
        move = models.Move(version=position.version, action=position.legal[acted % len(position.legal)])
        update = ada.call("play", "act", opened.id, body=move)
        assert update.version == position.version + 1
        acted += 1
    assert position.outcome.scores == [sum(line.points for line in seat) for seat in position.outcome.breakdown]
    assert acted > 10
    replay = ada.call("play", "get_replay", opened.id)
    assert replay.outcome == position.outcome


def test_a_generated_client_understands_problems(stack: Stack, generated: ModuleType) -> None:
    table, ada, _ = begin(stack.url)
    client = generated.AuthenticatedClient(base_url=stack.url, token=ada.token)
    models = importlib.import_module(f"{PACKAGE}.models")
    act = importlib.import_module(f"{PACKAGE}.api.play.act")
    problem = act.sync(table, client=client, body=models.Move(version=0, action=models.Action()))
    assert (problem.reason, problem.status, problem.type_) == ("STALE_VERSION", 409, type_of("STALE_VERSION"))
    assert problem.current_version == ada.view(table)["version"]


@pytest.mark.parametrize("game", registry.names())
def test_every_game_has_its_shapes_in_the_document(stack: Stack, document: dict[str, Any], game: str) -> None:
    described = httpx.get(f"{stack.url}/v1/games/{game}").json()
    shapes = document["components"]["schemas"]
    for name in ("Action", "Event"):
        kinds = [shapes[each["$ref"].rpartition("/")[2]]["required"][0] for each in shapes[camel(game) + name]["oneOf"]]
        assert kinds == [each["required"][0] for each in described["schemas"][name.lower()]["oneOf"]]
    assert shapes[f"{camel(game)}View"]["properties"].keys() == view_fields(described["schemas"]["view"])
    options = {"$ref": f"#/components/schemas/{camel(game)}Options", "components": document["components"]}
    jsonschema.validate({}, options)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"no such option": 1}, options)


def view_fields(schema: dict[str, Any]) -> Any:
    return schema["$defs"][schema["$ref"].rpartition("/")[2]]["properties"].keys()


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    names = set(re.findall(r"'#/components/schemas/([^']+)'", str(document)))
    assert names - document["components"]["schemas"].keys() == set()
    assert all(shape["title"] == name for name, shape in document["components"]["schemas"].items() if "title" in shape)


def test_positions_and_updates_have_the_shapes_of_the_game(stack: Stack, document: dict[str, Any]) -> None:
    table, *people = begin(stack.url)
    position = people[people[0].view(table)["actor"]].view(table)
    play_on(table, *people, moves=8)
    lines = people[0].get(f"/v1/tables/{table}/log").json()["lines"]
    events = [event for line in lines for event in line["events"]]
    for name, values in {"View": [position["view"]], "Action": position["legal"], "Event": events}.items():
        shape = {"$ref": f"#/components/schemas/{camel(GAME)}{name}", "components": document["components"]}
        assert values
        for value in values:
            jsonschema.validate(value, shape)


def test_a_game_that_comes_up_later_is_in_the_document_then(stack: Stack) -> None:
    rules, sessions = free_port(), free_port()
    wanted = f"{camel(GAME)}View"
    # Another database of the same Redis: these sessions must not see the tables of the others.
    empty = {"TEAHOUSE_REDIS_URL": stack.redis_url.replace("/0", "/1"), "TEAHOUSE_RULES": f"{GAME}={LOCAL}:{rules}"}
    with (
        alone.process(stack, "services.sessions", sessions, **empty),
        alone.gateway(stack, TEAHOUSE_SESSIONS=f"{LOCAL}:{sessions}") as url,
    ):
        before = httpx.get(f"{url}/openapi.json", timeout=20).json()["components"]["schemas"]
        assert wanted not in before
        assert "Position" in before
        with alone.process(stack, f"services.games.{GAME}", rules):
            limit = time.monotonic() + 60
            while wanted not in httpx.get(f"{url}/openapi.json", timeout=20).json()["components"]["schemas"]:
                assert time.monotonic() < limit
                time.sleep(0.1)
        # What is known of a game that is away again stays.
        assert wanted in httpx.get(f"{url}/openapi.json", timeout=20).json()["components"]["schemas"]


def test_the_document_is_not_sent_again_while_it_is_the_same(stack: Stack) -> None:
    first = httpx.get(f"{stack.url}/openapi.json")
    again = httpx.get(f"{stack.url}/openapi.json", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_no_route_answers_what_its_description_does_not_say(stack: Stack) -> None:
    assert "no server error, no undocumented answer" in schema.run(stack.url, examples=3, seed=1)


def test_what_a_stream_answers_is_in_its_description(stack: Stack, document: dict[str, Any]) -> None:
    responses = document["paths"]["/v1/tables/{table}/events"]["get"]["responses"]
    table, ada, bob = begin(stack.url)
    last = play_on(table, ada, bob)["version"]
    path = f"/v1/tables/{table}/events"
    private = ada.open({"kind": "me"}, {"kind": "open"}, visibility="private")
    for address, headers in (
        (path, {}),
        (path, {"Accept": "application/x-ndjson"}),
        (path, {"Last-Event-ID": "3"}),
        (path, {"Last-Event-ID": str(last)}),
        (f"{path}?after={last + 1}", {}),
        (f"{path}?after=x", {}),
        (f"{path}?token=x", {}),
        ("/v1/tables/t_none/events", {}),
        (f"/v1/tables/{private}/events", {}),
    ):
        answer = httpx.get(stack.url + address, headers=headers)
        said = responses[str(answer.status_code)].get("content", {"": None})
        assert answer.headers.get("content-type", "").partition(";")[0] in said, address


@pytest.mark.parametrize("reason", TITLES)
def test_the_type_of_a_problem_leads_to_its_explanation(stack: Stack, reason: str) -> None:
    answer = httpx.get(stack.url + type_of(reason))
    assert answer.status_code == 200
    problem = answer.json()
    assert (problem["type"], problem["reason"], problem["title"]) == (type_of(reason), reason, TITLES[reason])
    manual = (ROOT / "docs" / "errors.md").read_text()
    assert f"| `{reason}` | {problem['status']} | {problem['explanation']} |" in manual
    assert problem["status"] == STATUS_OF.get(reason, 422)


def test_a_browser_gets_a_page_about_a_problem_and_nonsense_a_404(stack: Stack) -> None:
    page = httpx.get(f"{stack.url}/problems/stale-version", headers={"Accept": "text/html,*/*"})
    assert page.headers["content-type"].startswith("text/html")
    assert f"<h1>{TITLES['STALE_VERSION']}</h1>" in page.text
    wrong = httpx.get(f"{stack.url}/problems/no-tea")
    assert (wrong.status_code, wrong.json()["reason"]) == (404, "UNKNOWN_PROBLEM")


def test_a_problem_that_happened_has_a_type_that_resolves(stack: Stack) -> None:
    problem = Person(stack.url, "Ada").get("/v1/tables/t_none").json()
    assert httpx.get(stack.url + problem["type"]).json()["status"] == problem["status"]
