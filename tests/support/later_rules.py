"""`python -m tests.support.later_rules GAME NUMBER MODULE …` runs MODULE as it would run with later rules of that game.

The rules have that number; with UPGRADED=other they also deal differently, so that games begun before cannot go on.
"""

import os
import runpy
import sys

from services.engine import registry


def main() -> None:
    name, number, module = sys.argv[1:4]
    game = registry.load(name)
    game.rules = int(number)  # type: ignore[misc]
    if os.environ.get("UPGRADED") == "other":
        deal = game.new
        game.new = lambda seats, options, seed: deal(seats, options, seed[::-1])  # type: ignore[method-assign]
    sys.argv = [module, *sys.argv[4:]]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
