"""The files of the web table: where they are, what they may do, how they are kept."""

import re

import httpx
import pytest

from deploy.stack import Stack
from services.engine import registry


@pytest.fixture
def client(stack: Stack) -> httpx.Client:
    return httpx.Client(base_url=stack.url, timeout=20)


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_a_page_may_load_nothing_from_elsewhere_and_run_nothing_inline(client: httpx.Client, path: str) -> None:
    page = client.get(path)
    assert page.headers["Content-Type"].startswith("text/html")
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
    assert "<style" not in page.text and "<script>" not in page.text and " style=" not in page.text
    addresses = re.findall(r'(?:src|href)="([^"]*)"', page.text)
    assert addresses
    for address in addresses:
        assert client.get(address).status_code == 200, address


def test_files_are_kept_by_their_tag_and_sent_small(client: httpx.Client) -> None:
    script = client.get("/main.js", headers={"Accept-Encoding": "gzip"})
    assert script.headers["Content-Encoding"] == "gzip" and "import" in script.text
    assert client.get("/main.js", headers={"Accept-Encoding": "identity"}).text == script.text
    assert client.get("/main.js", headers={"If-None-Match": script.headers["ETag"]}).status_code == 304


def test_only_what_is_there_is_served(client: httpx.Client) -> None:
    for path in ("/index.html.bak", "/boards/", "/boards/none.js", "/../web.py", "/%2e%2e/web.py", "/vendor"):
        assert client.get(path).status_code == 404, path
    assert client.post("/").status_code == 405
    assert client.post("/v1/nothing").json()["reason"] == "UNKNOWN_ROUTE"


def test_the_page_learns_which_boards_and_calls_there_are(client: httpx.Client) -> None:
    features = client.get("/features.json").json()
    assert "/v1/tables/{table}/actions" in features["paths"]
    assert set(features["boards"]) <= set(registry.names()) and features["boards"]
    for game in features["boards"]:
        assert client.get(f"/boards/{game}.js").status_code == client.get(f"/boards/{game}.css").status_code == 200
