"""deploy/kubernetes is what Kubernetes takes, and every name in it stands for something."""

import copy
import importlib.util
import json
import tomllib
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import kubernetes_validate
import pytest
import yaml
from jsonschema import Draft202012Validator, ValidationError

from deploy.manifests import made
from deploy.supervisor import ROOT
from services.engine import registry
from services.platform.settings import Settings
from tests.unit.deploy.cluster import NAMESPACE, Cluster, Workload

# The oldest version that has everything we use, and the newest whose schemas are installed.
VERSIONS = ("1.29", kubernetes_validate.latest_version())
CUSTOM = json.loads((Path(__file__).parent / "crds.json").read_text())
SETTINGS = {f"TEAHOUSE_{field.name.upper()}" for field in fields(Settings)}
SCHEMAS = cache(kubernetes_validate.utils.schema_contents)
# Not settings: they only stand in the URLs.
PASSWORDS = {"REDIS_PASSWORD", "BROKER_PASSWORD"}


@pytest.fixture(autouse=True)
def schemas(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read once: they are megabytes."""
    monkeypatch.setattr(kubernetes_validate.utils, "schema_contents", SCHEMAS)


def check(made: dict[str, Any], version: str) -> None:
    if made["kind"] in CUSTOM:
        Draft202012Validator({**CUSTOM[made["kind"]], "$defs": CUSTOM["$defs"]}).validate(made)
    else:
        kubernetes_validate.validate(made, version, strict=True)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_object_is_valid(cluster: Cluster, version: str) -> None:
    for each in cluster.objects:
        check(each, version)
    names = [(each["kind"], each["metadata"]["name"]) for each in cluster.objects]
    assert len(set(names)) == len(names)


def test_what_is_not_valid_is_found(clusters: dict[str, Cluster]) -> None:
    large = clusters["large"]
    wrong = copy.deepcopy(large.workloads["sessions"].made)
    wrong["spec"]["template"]["spec"]["containers"][0]["redinessProbe"] = {}
    with pytest.raises(kubernetes_validate.ValidationError, match="redinessProbe"):
        check(wrong, VERSIONS[0])
    wrong = copy.deepcopy(large.all("ScaledObject")["search"])
    wrong["spec"]["triggers"][0]["metadata"]["listLength"] = 2
    with pytest.raises(ValidationError):
        check(wrong, VERSIONS[0])


def test_everything_is_in_one_namespace(cluster: Cluster) -> None:
    assert {each["metadata"].get("namespace") for each in cluster.objects if each["kind"] != "Namespace"} == {NAMESPACE}


@pytest.mark.parametrize("file", made(), ids=lambda file: file.name)
def test_what_is_made_is_made_anew(file: Path) -> None:
    assert file.read_text() == made()[file], "run `make kubernetes`"


def test_the_same_processes_run_as_in_compose(cluster: Cluster) -> None:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    wanted = {name: each["command"] for name, each in services.items() if "TEAHOUSE_IMAGE" in each["image"]}
    assert {each.name: each.container["command"] for each in cluster.ours} == wanted


def test_the_image_has_the_version_of_the_project(cluster: Cluster) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert {each.container["image"] for each in cluster.ours} == {f"teahouse:{version}"}


def test_every_game_is_served(cluster: Cluster) -> None:
    told = cluster.environment(cluster.workloads["sessions"])["TEAHOUSE_RULES"]
    rules = dict(pair.split("=") for pair in told.split(","))
    assert set(rules) == set(registry.names())
    for game, address in rules.items():
        host, port = address.split(":")
        workload = cluster.behind(host)
        assert workload.container["command"] == ["python", "-m", f"services.games.{game}"]
        assert int(port) in workload.ports.values()
        assert workload.name in cluster.all("PodDisruptionBudget")


def test_every_variable_is_a_setting_that_the_service_takes(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    for workload in cluster.ours:
        environment = cluster.environment(workload)
        assert set(environment) - PASSWORDS <= SETTINGS, workload.name
        with monkeypatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            settings = Settings()
        assert settings.log_format == "json"
        listening = {"http": settings.port, "grpc": settings.port, "metrics": settings.metrics_port}
        assert workload.ports == {name: listening[name] for name in workload.ports}


def test_every_address_is_a_service_that_may_be_called(cluster: Cluster) -> None:
    arrows = cluster.arrows("egress", "ingress")
    for workload in cluster.ours:
        for host, port in called(cluster.environment(workload), workload):
            name = host.removesuffix(f".{NAMESPACE}.svc")
            target = cluster.behind(name)
            [service] = cluster.all("Service")[name]["spec"]["ports"]
            assert service["port"] == port in target.ports.values()
            assert (workload.name, target.name, port) in arrows


def called(environment: dict[str, str], workload: Workload) -> set[tuple[str, int]]:
    urls = [value for name, value in environment.items() if name.endswith("_URL")]
    # Everybody is told where sessions is; rules services call nobody.
    if workload.labels.get("app.kubernetes.io/component") != "rules":
        urls.append(f"//{environment['TEAHOUSE_SESSIONS']}")
    urls += [f"//{pair.split('=')[1]}" for pair in environment.get("TEAHOUSE_RULES", "").split(",") if pair]
    parts = map(urlsplit, urls)
    return {(each.hostname or "", each.port or 0) for each in parts}


def test_every_copy_is_found_by_name(cluster: Cluster) -> None:
    """gRPC connections last: behind one address of a Service, a caller would stay with one copy."""
    for name, service in cluster.all("Service").items():
        if service["spec"]["ports"][0]["name"] == "grpc":
            assert service["spec"]["clusterIP"] == "None", name
            assert not service["spec"].get("publishNotReadyAddresses"), name


def test_commands_exist_in_the_image(cluster: Cluster) -> None:
    copied = (ROOT / "deploy" / "Dockerfile").read_text()
    for workload in cluster.ours:
        commands = [workload.container["command"]]
        commands += [probe["exec"]["command"] for probe in probes(workload).values() if "exec" in probe]
        for python, option, module, *_ in commands:
            assert (python, option) == ("python", "-m")
            assert importlib.util.find_spec(module), module
            assert any(f"COPY {part}" in copied for part in (module.split(".")[0], module.replace(".", "/"))), module


def probes(workload: Workload) -> dict[str, dict[str, Any]]:
    found = {name: workload.container.get(f"{name}Probe") for name in ("startup", "readiness", "liveness")}
    return {name: probe for name, probe in found.items() if probe}


def test_probes_ask_where_somebody_answers(cluster: Cluster) -> None:
    for workload in cluster.ours:
        asked = probes(workload)
        assert set(asked) == {"startup", "readiness", "liveness"}
        for probe in asked.values():
            if "httpGet" in probe:
                assert probe["httpGet"]["port"] in workload.ports
            elif "grpc" in probe:
                assert probe["grpc"]["port"] == workload.ports["grpc"]
            else:
                assert probe["exec"]["command"][-2:] == ["grpc", f"127.0.0.1:{workload.ports['grpc']}"]
        # Time for a slow start, and more patience before a restart than before clients are sent elsewhere.
        assert asked["startup"]["periodSeconds"] * asked["startup"]["failureThreshold"] >= 120
        patience = {name: probe["periodSeconds"] * probe.get("failureThreshold", 3) for name, probe in asked.items()}
        assert patience["liveness"] > patience["readiness"]
    paths = {name: probe["httpGet"]["path"] for name, probe in probes(cluster.workloads["gateway"]).items()}
    assert paths == {"startup": "/healthz", "readiness": "/readyz", "liveness": "/healthz"}


def test_budgets_and_autoscalers_are_about_pods_that_there_are(cluster: Cluster) -> None:
    for name, budget in cluster.all("PodDisruptionBudget").items():
        wanted = budget["spec"]["selector"]["matchLabels"]
        assert [each.name for each in cluster.workloads.values() if wanted.items() <= each.labels.items()] == [name]
        assert budget["spec"]["maxUnavailable"] == 1, "a budget must let a node be emptied, whatever the copies"
    assert {each.name for each in cluster.ours} <= set(cluster.all("PodDisruptionBudget"))
    for scaler in cluster.all("HorizontalPodAutoscaler", "ScaledObject").values():
        target = cluster.workloads[scaler["spec"]["scaleTargetRef"]["name"]]
        assert "replicas" not in target.spec, f"{target.name}: each `kubectl apply` would undo what the autoscaler did"
        assert target.container["resources"]["requests"]["cpu"]


def test_every_workload_selects_its_own_pods(cluster: Cluster) -> None:
    for workload in cluster.workloads.values():
        wanted = workload.spec["selector"]["matchLabels"].items()
        assert [each.name for each in cluster.workloads.values() if wanted <= each.labels.items()] == [workload.name]


def test_files_come_from_something_that_is_there(cluster: Cluster) -> None:
    for workload in cluster.workloads.values():
        volumes = {each["name"]: each for each in workload.pod["volumes"]}
        volumes |= {each["metadata"]["name"]: {} for each in workload.spec.get("volumeClaimTemplates", [])}
        for mount in workload.container["volumeMounts"]:
            volume = volumes.pop(mount["name"])
            if "configMap" in volume:
                assert volume["configMap"]["name"] in cluster.all("ConfigMap")
            if "secret" in volume:
                files = cluster.all("Secret")[volume["secret"]["secretName"]]["data"]
                told = map(Path, cluster.environment(workload).values())
                assert {path.name for path in told if path.is_relative_to(mount["mountPath"])} == set(files)
        assert not volumes, "nobody uses it"


def test_the_ingress_leads_to_the_gateway(cluster: Cluster) -> None:
    [ingress] = cluster.all("Ingress").values()
    [rule] = ingress["spec"]["rules"]
    service = rule["http"]["paths"][0]["backend"]["service"]
    [port] = cluster.all("Service")[service["name"]]["spec"]["ports"]
    assert port["name"] == service["port"]["name"]
    gateway = cluster.behind(service["name"])
    assert gateway.name == "gateway"
    assert port["targetPort"] in gateway.ports
    heartbeat = Settings().heartbeat
    assert float(ingress["metadata"]["annotations"]["nginx.ingress.kubernetes.io/proxy-read-timeout"]) > 10 * heartbeat
