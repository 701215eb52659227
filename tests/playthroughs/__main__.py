"""Compares the recorded playthroughs with what the rules play today; with --write, records them anew."""

import argparse
import sys

from tests.playthroughs.transcripts import FOLDER, all_playthroughs, path, played


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="replace the files that differ; read the diff afterwards")
    write = parser.parse_args().write
    differ = 0
    for name, title in all_playthroughs():
        target, text = path(name, title), played(name, title)
        if target.exists() and target.read_text(encoding="utf-8") == text:
            continue
        differ += 1
        if write:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        print(f"{'written' if write else 'differs'}: {target.relative_to(FOLDER)}")
    print(f"playthroughs: {len(all_playthroughs())} compared, {differ} {'written' if write else 'differ'}")
    sys.exit(bool(differ) and not write)


if __name__ == "__main__":
    main()
