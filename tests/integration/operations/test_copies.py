"""Services call each other over mutual TLS if the operator wants it, and spread their calls over all copies."""

import subprocess
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
import redis
from prometheus_client.parser import text_string_to_metric_families

from deploy.probe import Unhealthy, grpc_health
from deploy.stack import Stack
from services.sessions.store.keys import SHARDS
from services.sessions.store.keys import changes as channel
from tests.support.people import Person
from tests.support.waiting import until

GAME = "geishas_road"


def openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


def certify(folder: Path) -> dict[str, str]:
    """An authority of our own and one certificate, as docs/operating.md describes them."""
    ca, key, request, cert = (str(folder / name) for name in ("ca.pem", "key.pem", "request.pem", "cert.pem"))
    ca_key, names = str(folder / "ca-key.pem"), folder / "names"
    names.write_text("subjectAltName=DNS:teahouse")
    new = ("req", "-newkey", "rsa:2048", "-nodes")
    openssl(*new, "-x509", "-days", "2", "-subj", "/CN=Teahouse authority", "-keyout", ca_key, "-out", ca)
    openssl(*new, "-subj", "/CN=teahouse", "-keyout", key, "-out", request)
    signed = ("-in", request, "-CA", ca, "-CAkey", ca_key, "-CAcreateserial", "-extfile", str(names), "-out", cert)
    openssl("x509", "-req", "-days", "2", *signed)
    return {"TEAHOUSE_TLS_KEY": key, "TEAHOUSE_TLS_CERT": cert, "TEAHOUSE_TLS_CA": ca}


def test_mutual_tls_by_configuration(tmp_path: Path) -> None:
    with Stack(tmp_path / "data", env=certify(tmp_path)) as stack:
        ada = Person(stack.url, "Ada")
        table = ada.open({"kind": "me"}, {"kind": "bot", "bot": "random"}, options={"starting_seat": 1})
        assert ada.post(f"/v1/tables/{table}/start").status_code == 200
        until(lambda: ada.view(table)["legal"], "the bot's first turn")
        for service in ("sessions", GAME):
            with pytest.raises(Unhealthy):  # a caller without a certificate
                grpc_health(stack.address(service))
        plain = grpc.insecure_channel(stack.address("sessions"))
        with pytest.raises(grpc.FutureTimeoutError):
            grpc.channel_ready_future(plain).result(timeout=1)


def calls(stack: Stack, copy: str) -> float:
    """How many views that copy of the session service has given."""
    text = httpx.get(stack.metrics(copy), trust_env=False).text
    return sum(
        sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == "teahouse_grpc_seconds_count" and sample.labels.get("method") == "Look"
    )


def test_every_copy_has_its_share(stack: Stack) -> None:
    copies = [name for name in stack.processes if name.startswith("sessions")]
    before = [calls(stack, copy) for copy in copies]
    ada = Person(stack.url, "Ada")
    table = ada.open({"kind": "me"}, {"kind": "open"})
    for _ in range(40):
        ada.view(table)
    shares = [calls(stack, copy) - earlier for copy, earlier in zip(copies, before, strict=True)]
    assert min(shares) >= 15, shares


def published(server: Any) -> int:
    """How often anything was published there."""
    return int(server.info("commandstats").get("cmdstat_publish", {}).get("calls", 0))


def test_a_copy_publishes_moves_only_where_another_listens(tmp_path: Path) -> None:
    with Stack(tmp_path / "data") as stack, redis.Redis.from_url(stack.redis_url) as server:
        ada = Person(stack.url, "Ada")
        table = ada.open({"kind": "me"}, {"kind": "bot", "bot": "random"}, options={"starting_seat": 0})
        assert ada.post(f"/v1/tables/{table}/start").status_code == 200

        def move() -> None:
            view = ada.view(table)
            assert ada.act(table, view["version"], view["legal"][0]).status_code == 200

        before = published(server)
        move()
        assert published(server) == before
        with server.pubsub() as listener:
            channels = [channel(number) for number in range(SHARDS)]
            listener.subscribe(*channels)
            for _ in channels:
                listener.get_message(timeout=5)
            move()
            heard = listener.get_message(timeout=5)
        assert heard and table.encode() in heard["data"]
        assert published(server) == before + 1
