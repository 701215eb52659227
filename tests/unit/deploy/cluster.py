"""What deploy/kubernetes comes to: every object that `kubectl apply -k` would send, and what it means."""

import base64
import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from deploy.kubernetes.manifests import FOLDER
from tests.support.required_tools import missing

NAMESPACE = "teahouse"
# What an operator can apply: where it starts and which components are added to it.
VARIANTS = {
    "base": ("base",),
    "small": ("overlays/small",),
    "large": ("overlays/large",),
    "small with RabbitMQ": ("overlays/small", "rabbitmq"),
    "large with RabbitMQ and TLS": ("overlays/large", "rabbitmq", "tls"),
}
REFERENCE = re.compile(r"\$\((\w+)\)")
Labels = Mapping[str, str]


def renderer() -> list[str]:
    """The command that renders. Skips where there is none, which is a failure if REQUIRE_KUSTOMIZE=1."""
    if shutil.which("kustomize"):
        return ["kustomize", "build"]
    problem = "neither kustomize nor kubectl is installed"
    if shutil.which("kubectl"):
        told = subprocess.run(["kubectl", "version", "--client", "-o", "json"], capture_output=True, text=True).stdout
        version = json.loads(told or "{}").get("kustomizeVersion", "none")
        if version >= "v4":
            return ["kubectl", "kustomize"]
        problem = f"kubectl has an old kustomize ({version})"
    return missing(problem, "REQUIRE_KUSTOMIZE")


def operators_copy(folder: Path) -> Path:
    """The manifests, with the files that an operator makes."""
    copy = folder / "kubernetes"
    shutil.copytree(FOLDER, copy, ignore=shutil.ignore_patterns("secrets.env", "*.pem"))
    shutil.copy(copy / "base" / "secrets.env.example", copy / "base" / "secrets.env")
    for name in ("key", "cert", "ca"):
        (copy / "components" / "tls" / f"{name}.pem").write_text(f"the {name}\n")
    return copy


def overlay(start: str, *components: str) -> str:
    """A kustomization.yaml that adds components to one of ours."""
    wanted = {"resources": [f"../../{start}"], "components": [f"../../components/{name}" for name in components]}
    return json.dumps(wanted)


def render(copy: Path, kustomization: str) -> "Cluster":
    """What an operator's own overlay comes to."""
    mine = copy / "overlays" / "mine"
    mine.mkdir(exist_ok=True)
    (mine / "kustomization.yaml").write_text(kustomization)
    done = subprocess.run([*renderer(), str(mine)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not done.stderr, "it warns of something"
    return Cluster(list(yaml.load_all(done.stdout, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))))


@dataclass
class Workload:
    """A Deployment or StatefulSet, with its one container."""

    made: dict[str, Any]

    @property
    def name(self) -> str:
        return str(self.made["metadata"]["name"])

    @property
    def spec(self) -> dict[str, Any]:
        return self.made["spec"]  # type: ignore[no-any-return]

    @property
    def pod(self) -> dict[str, Any]:
        return self.spec["template"]["spec"]  # type: ignore[no-any-return]

    @property
    def labels(self) -> Labels:
        return self.spec["template"]["metadata"]["labels"]  # type: ignore[no-any-return]

    @property
    def container(self) -> dict[str, Any]:
        [container] = self.pod["containers"]
        return container  # type: ignore[no-any-return]

    @property
    def ports(self) -> dict[str, int]:
        return {port["name"]: port["containerPort"] for port in self.container["ports"]}

    @property
    def ours(self) -> bool:
        return bool(self.container["image"].startswith("teahouse:"))


class Cluster:
    def __init__(self, objects: list[dict[str, Any]]) -> None:
        self.objects = objects

    def all(self, *kinds: str) -> dict[str, dict[str, Any]]:
        """Those kinds' objects by name."""
        return {each["metadata"]["name"]: each for each in self.objects if each["kind"] in kinds}

    @cached_property
    def workloads(self) -> dict[str, Workload]:
        return {name: Workload(each) for name, each in self.all("Deployment", "StatefulSet").items()}

    @property
    def ours(self) -> list[Workload]:
        return [each for each in self.workloads.values() if each.ours]

    def environment(self, workload: Workload) -> dict[str, str]:
        """As the container gets it: from ConfigMaps and Secrets, with $(…) replaced by what stands before."""
        found: dict[str, str] = {}
        for source in workload.container.get("envFrom", []):
            found |= self.all("ConfigMap")[source["configMapRef"]["name"]]["data"]
        for variable in workload.container.get("env", []):
            value = variable["value"] if "value" in variable else self._look_up(variable["valueFrom"])
            found[variable["name"]] = REFERENCE.sub(lambda match: found[match[1]], value)
        return found

    def _look_up(self, source: dict[str, Any]) -> str:
        if reference := source.get("secretKeyRef"):
            secret = self.all("Secret")[reference["name"]]["data"][reference["key"]]
            return base64.b64decode(secret).decode()
        reference = source["configMapKeyRef"]
        return str(self.all("ConfigMap")[reference["name"]]["data"][reference["key"]])

    def behind(self, service: str) -> Workload:
        """The workload whose pods a Service selects."""
        wanted = dict(self.all("Service")[service]["spec"]["selector"])
        wanted.pop("statefulset.kubernetes.io/pod-name", None)  # Kubernetes' own label
        [workload] = [each for each in self.workloads.values() if wanted.items() <= each.labels.items()]
        return workload

    def arrows(self, *sides: str) -> set[tuple[str, str, int]]:
        """Who may open a connection to whom, at which port that is listened at.

        As the policies of the caller say ("egress"), of the one who is called ("ingress"), or both.
        """
        return {
            (caller.name, called.name, port)
            for caller in self.workloads.values()
            for called in self.workloads.values()
            for port in called.ports.values()
            if ("egress" not in sides or self._lets("egress", caller, called, port))
            and ("ingress" not in sides or self._lets("ingress", called, caller, port))
        }

    def _lets(self, way: str, owner: Workload, other: Workload, port: int) -> bool:
        """Whether the policies for one pod let it talk with another, in one direction."""
        policies = [each["spec"] for each in self.all("NetworkPolicy").values()]
        mine = [
            spec
            for spec in policies
            if way.capitalize() in spec["policyTypes"] and selects(spec["podSelector"], owner.labels)
        ]
        peers = {"egress": "to", "ingress": "from"}[way]
        return not mine or any(
            (peers not in rule or any(is_peer(peer, other.labels) for peer in rule[peers]))
            and ("ports" not in rule or port in (each["port"] for each in rule["ports"]))
            for spec in mine
            for rule in spec.get(way, [])
        )


def is_peer(peer: dict[str, Any], labels: Labels) -> bool:
    """Whether a pod of our namespace is meant. Its address is a private one: no ipBlock of ours holds it."""
    namespace = peer.get("namespaceSelector", {}).get("matchLabels", {}).get("kubernetes.io/metadata.name", NAMESPACE)
    return "podSelector" in peer and namespace == NAMESPACE and selects(peer["podSelector"], labels)


def selects(selector: dict[str, Any], labels: Labels) -> bool:
    if not selector.get("matchLabels", {}).items() <= labels.items():
        return False
    for rule in selector.get("matchExpressions", []):
        assert rule["operator"] in ("In", "NotIn")
        if (labels.get(rule["key"]) in rule["values"]) is (rule["operator"] == "NotIn"):
            return False
    return True
