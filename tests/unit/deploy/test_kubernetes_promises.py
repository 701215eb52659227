"""deploy/kubernetes keeps what docs/operating.md says of it: nothing lost, nobody let in, as many copies as needed."""

from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import yaml

from deploy.manifests import FOLDER
from deploy.supervisor import ROOT
from gateway.__main__ import LINGER
from services.engine import registry
from services.platform.pool.celery_app import HOOKS, QUEUES, over_amqp, waiting_lists
from services.platform.public_addresses import GLOBAL_6, SPECIAL_4, SPECIAL_6
from services.platform.settings import Settings
from tests.unit.deploy.cluster import Cluster, Workload, operators_copy, render

GAMES = [name.replace("_", "-") for name in registry.names()]
WORKERS = ("bots", "search", "hooks")


def settings_of(cluster: Cluster, workload: Workload, patch: pytest.MonkeyPatch) -> Settings:
    with patch.context() as once:
        for name, value in cluster.environment(workload).items():
            once.setenv(name, value)
        return Settings()


def test_a_rolling_update_loses_nothing(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    for workload in cluster.ours:
        assert workload.spec["strategy"] == {
            "type": "RollingUpdate",
            "rollingUpdate": {"maxUnavailable": 0, "maxSurge": 1},
        }
        settings = settings_of(cluster, workload, monkeypatch)
        grace = workload.pod["terminationGracePeriodSeconds"]
        if workload.name in ("bots", "search"):
            assert grace > settings.turn_limit
        elif workload.name == "hooks":
            assert grace > settings.webhook_timeout + settings.deadline
        else:
            sleep, seconds = workload.container["lifecycle"]["preStop"]["exec"]["command"]
            assert sleep == "sleep"
            assert int(seconds) >= 5, "callers look a name up every 2 s, and names are kept for some seconds"
            assert grace >= int(seconds) + LINGER + 2 * settings.drain


def test_only_the_arrows_of_the_architecture_are_open(cluster: Cluster) -> None:
    wanted = {("sessions", game, 7400) for game in GAMES}
    wanted |= {(caller, "sessions", 7400) for caller in ("gateway", "sessions", *WORKERS)}
    wanted |= {("sessions", "redis", 6379), ("redis", "redis", 6379)}
    wanted |= {(user, "broker", 6379) for user in ("gateway", "sessions", *WORKERS)}
    if "rabbitmq" in cluster.workloads:
        wanted |= {(user, "rabbitmq", 5672) for user in ("sessions", *WORKERS)}
    assert cluster.arrows("egress") == wanted
    # Anybody may call the gateway, whose own policies let him.
    assert cluster.arrows("ingress") == wanted | {(anybody, "gateway", 8080) for anybody in cluster.workloads}


def test_nobody_talks_without_a_policy(cluster: Cluster) -> None:
    nothing = cluster.all("NetworkPolicy")["nothing"]["spec"]
    assert nothing == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}


def test_webhooks_reach_the_public_internet_and_only_that(cluster: Cluster) -> None:
    outside = [
        (name, peer["ipBlock"])
        for name, policy in cluster.all("NetworkPolicy").items()
        for rule in policy["spec"].get("egress", [])
        for peer in rule["to"]
        if "ipBlock" in peer
    ]
    assert outside == [
        ("webhooks", {"cidr": "0.0.0.0/0", "except": list(map(str, SPECIAL_4))}),
        ("webhooks", {"cidr": str(GLOBAL_6), "except": list(map(str, SPECIAL_6))}),
    ]
    assert cluster.all("NetworkPolicy")["webhooks"]["spec"]["podSelector"] == {
        "matchLabels": {"app.kubernetes.io/name": "hooks"}
    }


def test_nobody_has_more_rights_than_needed(cluster: Cluster) -> None:
    [namespace] = cluster.all("Namespace").values()
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    for workload in cluster.workloads.values():
        pod, container = workload.pod["securityContext"], workload.container["securityContext"]
        assert pod["runAsNonRoot"] is True
        assert pod["runAsUser"] > 0
        assert pod["seccompProfile"] == {"type": "RuntimeDefault"}
        assert container == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert workload.pod["automountServiceAccountToken"] is False
        assert workload.pod["enableServiceLinks"] is False, "they would look like settings"
        assert workload.container["resources"]["requests"].keys() == {"cpu", "memory"}
        assert "memory" in workload.container["resources"]["limits"]
    assert "USER 10001" in (ROOT / "deploy" / "Dockerfile").read_text()
    assert {each.pod["securityContext"]["runAsUser"] for each in cluster.ours} == {10001}


def test_secrets_are_the_operators_and_go_only_where_they_are_needed(cluster: Cluster) -> None:
    ignored = (ROOT / ".gitignore").read_text().split()
    assert "/deploy/kubernetes/base/secrets.env" in ignored
    assert "/deploy/kubernetes/components/tls/*.pem" in ignored
    readers: dict[str, set[str]] = {}
    for workload in cluster.workloads.values():
        for variable in workload.container.get("env", []):
            if key := variable.get("valueFrom", {}).get("secretKeyRef", {}).get("key"):
                readers.setdefault(key, set()).add(workload.name)
    brokers = {"broker", "rabbitmq"} & set(cluster.workloads)
    assert readers == {
        "REDIS_PASSWORD": {"redis", "sessions"},
        "BROKER_PASSWORD": {"gateway", "sessions", *WORKERS, *brokers},
        "TOKEN_KEY": {"sessions"},
    }


def test_the_truth_is_written_to_a_disk_of_its_own(cluster: Cluster) -> None:
    redis = cluster.workloads["redis"]
    [claim] = redis.spec["volumeClaimTemplates"]
    assert {"name": claim["metadata"]["name"], "mountPath": "/data"} in redis.container["volumeMounts"]
    script = (FOLDER / "base" / "redis.sh").read_text()
    assert "--dir /data --appendonly yes --appendfsync always" in script
    assert {"redis.sh": script} in [each["data"] for each in cluster.all("ConfigMap").values()]
    for name in ("sessions", "gateway", *WORKERS):
        environment = cluster.environment(cluster.workloads[name])
        assert ("TEAHOUSE_REDIS_URL" in environment) is (name == "sessions"), "only sessions touches the tables"
        assert "@redis:" not in environment.get("TEAHOUSE_BROKER_URL", "") + environment.get("TEAHOUSE_LIMITS_URL", "")


def test_small_needs_one_node_and_nothing_else(clusters: dict[str, Cluster]) -> None:
    small = clusters["small"]
    assert all(each.spec["replicas"] == 1 for each in small.workloads.values())
    assert not small.all("HorizontalPodAutoscaler")
    assert not [each["kind"] for each in small.objects if "." in each["apiVersion"].replace(".k8s.io", "")]
    asked = [each.container["resources"]["requests"] for each in small.workloads.values()]
    assert sum(int(each["cpu"].removesuffix("m")) for each in asked) <= 1000
    assert sum(int(each["memory"].removesuffix("Mi")) for each in asked) <= 2048


def test_large_grows_with_its_load(clusters: dict[str, Cluster]) -> None:
    large = clusters["large"]
    scalers = large.all("HorizontalPodAutoscaler")
    assert set(scalers) == {"gateway", "sessions", *GAMES}
    for scaler in scalers.values():
        [metric] = scaler["spec"]["metrics"]
        assert metric["resource"]["name"] == "cpu"
        assert 2 <= scaler["spec"]["minReplicas"] < scaler["spec"]["maxReplicas"]
    assert large.workloads["redis"].spec["replicas"] == 3
    assert large.workloads["hooks"].spec["replicas"] == 2
    assert "tls" in large.all("Ingress")["gateway"]["spec"]


@pytest.mark.parametrize("name", ["large", "large with RabbitMQ and TLS"])
def test_bot_workers_grow_with_their_queue(clusters: dict[str, Cluster], name: str) -> None:
    large = clusters[name]
    scalers = large.all("ScaledObject")
    for worker, queue in (("bots", "instant"), ("search", "search")):
        workload, spec = large.workloads[worker], scalers[worker]["spec"]
        assert workload.container["command"][-1] == queue
        assert spec["minReplicaCount"] < spec["maxReplicaCount"]
        *queues, busy = spec["triggers"]
        assert busy["type"] == "cpu"
        assert [each["metadata"] for each in queues] == triggers(large, workload, QUEUES[queue], queues)
    assert HOOKS not in str(scalers), "it waits for others and needs no processor"


def triggers(cluster: Cluster, workload: Workload, queue: str, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What KEDA must be told: the queue's lists in Redis, or the queue in RabbitMQ, and how to get there."""
    environment = cluster.environment(workload)
    if environment["TEAHOUSE_BROKER_URL"].startswith("amqp"):
        more = {"queueName": queue, "hostFromEnv": "TEAHOUSE_BROKER_URL", "mode": "QueueLength", "protocol": "amqp"}
        return [{**more, "value": found[0]["metadata"]["value"]}]
    assert "BROKER_PASSWORD" in environment
    reached = {"address": "broker.teahouse.svc:6379", "passwordFromEnv": "BROKER_PASSWORD"}
    lists = waiting_lists(queue).values()
    lengths = [each["metadata"]["listLength"] for each in found]
    assert int(lengths[0]) < int(lengths[1]), "the opponents of people count for more"
    return [{**reached, "listName": name, "listLength": length} for name, length in zip(lists, lengths, strict=True)]


@pytest.mark.parametrize("name", ["small with RabbitMQ", "large with RabbitMQ and TLS"])
def test_rabbitmq_is_a_matter_of_configuration(
    clusters: dict[str, Cluster], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = clusters[name]
    for user in ("sessions", *WORKERS):
        settings = settings_of(cluster, cluster.workloads[user], monkeypatch)
        assert over_amqp(settings)
        assert settings.limits_url.startswith("redis://")
    gateway = settings_of(cluster, cluster.workloads["gateway"], monkeypatch)
    assert gateway.limits_url.endswith("@broker:6379/0")


def test_with_tls_nobody_is_asked_without_a_certificate(clusters: dict[str, Cluster]) -> None:
    cluster = clusters["large with RabbitMQ and TLS"]
    for workload in cluster.ours:
        environment = cluster.environment(workload)
        assert {"TEAHOUSE_TLS_KEY", "TEAHOUSE_TLS_CERT", "TEAHOUSE_TLS_CA"} <= set(environment)
        assert "'grpc': {'port'" not in str(workload.container), "Kubernetes' own probe has no certificate"


def test_prometheus_finds_everybody_and_warns_of_the_same(clusters: dict[str, Cluster]) -> None:
    large = clusters["large"]
    [monitor] = large.all("PodMonitor").values()
    wanted, ports = monitor["spec"]["selector"]["matchLabels"], monitor["spec"]["podMetricsEndpoints"]
    for workload in large.ours:
        assert wanted.items() <= workload.labels.items()
        assert {each["port"] for each in ports} & set(workload.ports)
    [alerts] = large.all("PrometheusRule").values()
    known = yaml.safe_load((ROOT / "deploy" / "observability" / "alerts.yml").read_text())
    names = [[rule["alert"] for rule in group["rules"]] for group in alerts["spec"]["groups"]]
    assert names == [[rule["alert"] for rule in group["rules"]] for group in known["groups"]]
    assert 'up{namespace="teahouse"} == 0' in str(alerts)


def test_the_overlay_in_the_docs_is_one(tmp_path: Path) -> None:
    text = dedent((ROOT / "docs" / "operating.md").read_text().partition("<<'END'\n")[2].partition("    END\n")[0])
    cluster = render(operators_copy(tmp_path), text.replace("LEVEL=INFO", "LEVEL=DEBUG"))
    assert {each.container["image"] for each in cluster.workloads.values() if each.name not in ("redis", "broker")} == {
        "registry.example.org/teahouse:1.0.0"
    }
    assert {cluster.environment(cluster.workloads[name])["TEAHOUSE_LOG_LEVEL"] for name in GAMES} == {"DEBUG"}
    assert cluster.environment(cluster.workloads["sessions"])["TEAHOUSE_SESSIONS"] == "sessions:7400"
