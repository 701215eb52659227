"""Dashboard and alerts name figures that the services really give, and the figures are true."""

import json
import re

import httpx
import redis
import yaml

from deploy.stack import Stack
from deploy.supervisor import ROOT
from tests.support.people import Person, begin
from tests.support.table_counts import counted, there
from tests.support.waiting import until

HERE = ROOT / "deploy" / "observability"
NAME = re.compile(r"\bteahouse_[a-z_]+")


def asked_for() -> set[str]:
    dashboard = json.loads((HERE / "grafana" / "dashboards" / "teahouse.json").read_text())
    panels = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    alerts = yaml.safe_load((HERE / "alerts.yml").read_text())["groups"]
    texts = [*panels, *(rule["expr"] for group in alerts for rule in group["rules"])]
    assert len(texts) > len(panels) > 0
    # What Prometheus and its client give every process is not ours.
    named = {text: NAME.findall(text) for text in texts if text not in ("up == 0", "process_resident_memory_bytes")}
    assert all(named.values()), "an expression without a figure of ours"
    return {name for names in named.values() for name in names}


def missing(stack: Stack) -> set[str]:
    names = [name for name in stack.processes if name != "redis"]
    given = "".join(httpx.get(stack.metrics(name), trust_env=False).text for name in names)
    return {name for name in asked_for() if not re.search(rf"^{name}[ {{]", given, re.MULTILINE)}


def test_every_figure_on_the_dashboard_is_given_by_a_service(stack: Stack) -> None:
    ada = Person(stack.url, "Ada")
    table = ada.open({"kind": "me"}, {"kind": "bot", "bot": "random"}, options={"starting_seat": 1})
    ada.post(f"/v1/tables/{table}/start")
    until(lambda: ada.view(table)["legal"], "the bot's first turn")
    version, action = (position := ada.view(table))["version"], position["legal"][0]
    assert ada.act(table, version, action).status_code == 200
    assert ada.act(table, version, action).status_code == 409
    with ada.socket(table) as live:
        live.send(json.dumps({"act": {"id": 1, "version": version, "action": action}}))
        until(lambda: "error" in json.loads(live.recv(timeout=30)))
    assert not missing(stack)


def figures(stack: Stack, *names: str) -> dict[str, float]:
    """What these services give together, by name and labels."""
    lines = "".join(httpx.get(stack.metrics(name), trust_env=False).text for name in names).splitlines()
    found: dict[str, float] = {}
    for line in lines:
        if not line.startswith("#"):
            name, _, value = line.rpartition(" ")
            found[name] = found.get(name, 0) + float(value)
    return found


def test_every_service_counts_and_times_by_method(stack: Stack) -> None:
    ada = Person(stack.url, "Ada")
    table = ada.open({"kind": "me"}, {"kind": "bot", "bot": "random"}, options={"starting_seat": 1})
    ada.post(f"/v1/tables/{table}/start")
    until(lambda: bool(ada.view(table)["legal"]))
    assert ada.act(table, 0, {}).status_code == 409
    with ada.socket(table) as live:
        live.send(json.dumps({"act": {"id": 1, "version": 0, "action": {}}}))
        until(lambda: "error" in json.loads(live.recv(timeout=30)))
    sessions, bots = ("sessions", "sessions-2"), ("bots-1", "bots-2")
    for services, name in (
        (("gateway",), 'teahouse_http_requests_total{method="POST",route="/v1/tables/{table}/actions",status="409"}'),
        (("gateway",), 'teahouse_http_seconds_count{method="POST",route="/v1/tables/{table}/actions"}'),
        (("gateway",), 'teahouse_socket_seconds_count{message="act",status="409"}'),
        (sessions, 'teahouse_grpc_seconds_count{method="Act",status="ABORTED"}'),
        (sessions, 'teahouse_grpc_seconds_count{method="ActAsBot",status="OK"}'),
        (sessions, 'teahouse_grpc_seconds_count{method="Watch",status="OK"}'),
        (("geishas_road",), 'teahouse_grpc_seconds_count{method="Act",status="OK"}'),
        (bots, 'teahouse_task_seconds_count{status="OK",task="bots.play"}'),
    ):
        # A worker's process may write its figure after the table has changed.
        until(lambda services=services, name=name: figures(stack, *services).get(name, 0) > 0)  # type: ignore[misc]


def test_every_copy_counts_the_tables_that_are_there(stack: Stack) -> None:
    ada = Person(stack.url, "Ada")
    opened, closed = (ada.open({"kind": "me"}, {"kind": "open"}, visibility="private") for _ in range(2))
    assert ada.delete(f"/v1/tables/{closed}/seats/0").status_code == 200
    table, bob, eve = begin(stack.url)
    assert bob.post(f"/v1/tables/{table}/resign").status_code == 200
    begin(stack.url)
    with redis.Redis.from_url(stack.redis_url) as store:
        for copy in ("sessions", "sessions-2"):
            until(lambda copy=copy: counted(stack, copy) == there(store))  # type: ignore[misc]
        assert there(store).keys() == {"open", "playing", "finished", "closed"}
    assert eve.view(table)["status"] == "finished"
    assert ada.get(f"/v1/tables/{opened}").json()["status"] == "open"
