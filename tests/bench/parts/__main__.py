"""`python -m tests.bench.parts`, or some of them: `python -m tests.bench.parts link scripts`.

Each row: what is measured, how many call at once, the way, calls a second, and microseconds of CPU a call in all
processes that take part. The CPU time is what to compare: with callers who wait for each other the rate is idle time.
"""

import argparse

import uvloop

from tests.bench.parts import http, link, redis

PARTS = ("link", "socket_writer", "shared_connection", "scripts", "header_limits", "slow_clients")


def run(parts: tuple[str, ...] | list[str] = PARTS) -> None:
    print("parts: ours against the library's own way; callers at once, calls a second, µs of CPU a call")
    for part in parts:
        if part == "link":
            uvloop.run(link.main())
        elif part in ("shared_connection", "scripts"):
            uvloop.run(redis.main(part))
        else:
            uvloop.run(http.main(part))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []])
    run(parser.parse_args().parts or PARTS)
