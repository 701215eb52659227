"""`make bench`, or some of it: `python -m tests.bench engines`, `parts`, `path`, `bots`, `refusals`, `search`, `sizes`,
`start`. `python -m tests.bench.parts` has more to choose from."""

import argparse
import tempfile
import time
from pathlib import Path

from deploy.stack import Stack
from tests.bench import bots, engines, path, refusals, search, sizes
from tests.bench.parts import __main__ as parts_alone
from tests.support.processes import family

PARTS = ("engines", "parts", "start", "path", "bots", "refusals", "sizes", "search")


def resident(stack: Stack) -> float:
    """Megabytes of all processes together; shared pages are counted once per process."""
    return sum(one.memory_info().rss for name in stack.processes for one in family(stack.pid(name))) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []])
    parts = parser.parse_args().parts or PARTS
    if "engines" in parts:
        engines.main()
    if "search" in parts:
        search.engines()
    if "parts" in parts:
        parts_alone.run()
    if set(parts) <= {"engines", "parts"}:
        return
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("w") as output:
        began = time.monotonic()
        with Stack(Path(folder) / "data", output=output) as stack:
            if "start" in parts:
                seconds = time.monotonic() - began
                print(f"start: healthy after {seconds:.1f} s, all processes together {resident(stack):.0f} MB")
            if "path" in parts:
                path.main(stack)
            if "bots" in parts:
                bots.main(stack)
            if "refusals" in parts:
                refusals.main(stack)
            if "sizes" in parts:
                sizes.main(stack)
        if "search" in parts:
            search.main(output)


if __name__ == "__main__":
    main()
