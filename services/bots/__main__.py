"""`python -m services.bots --queues instant,search`: one worker with a few processes."""

import argparse
import os
import tempfile


def main() -> None:
    from services.bots.turns import app, settings
    from services.platform.pool.celery_app import QUEUES, work

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queues", default=",".join(QUEUES), help="whose turns it plays: instant, search or both")
    parser.add_argument("--name", default="bots", help="unique among the workers of one machine")
    asked = parser.parse_args()
    queues = asked.queues.split(",")
    if not set(queues) <= set(QUEUES):
        parser.error(f"--queues is {asked.queues!r}; expected {' or '.join(QUEUES)} or both with a comma")
    names = [QUEUES[queue] for queue in queues]
    work(app, asked.name, names, settings.bot_processes, settings.log_level)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="teahouse-bots-") as folder:
        # The processes of a worker share their metrics through files; prometheus_client reads this when imported.
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        main()
