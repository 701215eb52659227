"""The web table at `/` and the API's page at `/docs`: the files of gateway/web, and what this server has to offer."""

import gzip
import json
from asyncio import to_thread
from functools import lru_cache
from hashlib import blake2b
from mimetypes import guess_type
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.responses import Response

from gateway.contract.openapi import document
from gateway.contract.responses import matches

FOLDER = Path(__file__).parents[1] / "web"
# Everything comes from here: no inline scripts or styles, no other site, no frame around it.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "public, no-cache",
    "Vary": "Accept-Encoding",
}
BOARDS = sorted(path.stem for path in FOLDER.glob("boards/*.js"))
PAGES = {"/": "index.html", "/docs": "docs.html"}
PICTURES = sorted(path.stem for path in FOLDER.glob("boards/*.svg"))
SHOWN = {".html", ".js", ".css", ".svg", ".txt"}

router = APIRouter(include_in_schema=False)


async def file(request: Request) -> Response:
    address = request.scope["path"]
    name = PAGES.get(address, address.lstrip("/"))
    path = FOLDER / name
    # In a thread: a large file takes a while to compress.
    made = await to_thread(packed, path, path.stat().st_mtime_ns)
    return send(request, guess_type(name)[0] or "text/plain", *made)


@router.get("/features.json")
async def features(request: Request) -> Response:
    """Which games have a board and a picture in web/boards; and which calls this server offers."""
    offered = {"boards": BOARDS, "pictures": PICTURES, "paths": list(document(request.app)["paths"])}
    return send(request, "application/json", *pack(json.dumps(offered).encode()))


def send(request: Request, media_type: str, body: bytes, small: bytes, tag: str) -> Response:
    headers = {**HEADERS, "ETag": tag}
    if matches(request.headers.get("if-none-match", ""), tag):
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        body, headers["Content-Encoding"] = small, "gzip"
    return Response(body, 200, headers, media_type)


@lru_cache(maxsize=200)
def packed(path: Path, changed: int) -> tuple[bytes, bytes, str]:
    """Read again only when the file has changed."""
    return pack(path.read_bytes())


def pack(body: bytes) -> tuple[bytes, bytes, str]:
    return body, gzip.compress(body, mtime=0), f'"{blake2b(body, digest_size=12).hexdigest()}"'


# One route per file: what is not there stays an unknown address.
for each in sorted(FOLDER.rglob("*")):
    if each.suffix in SHOWN:
        name = each.relative_to(FOLDER).as_posix()
        address = next((page for page in PAGES if PAGES[page] == name), f"/{name}")
        router.add_route(address, file, methods=["GET"])
