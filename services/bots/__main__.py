"""`python -m services.bots --queues instant,search`: a worker that plays the turns of bots."""

import argparse
import os
import tempfile


def main() -> None:
    from services.bots.turns import app, settings
    from services.bots.worker import run_worker
    from services.platform.pool.celery_app import QUEUES

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--queues", default=",".join(QUEUES), help="the queues it takes turns from: instant, search or both"
    )
    parser.add_argument("--name", default="bots", help="must differ between the workers of one machine")
    asked = parser.parse_args()
    queues = asked.queues.split(",")
    if not set(queues) <= set(QUEUES):
        parser.error(f"--queues is {asked.queues!r}; expected {' or '.join(QUEUES)}, or both separated by a comma")
    names = [QUEUES[queue] for queue in queues]
    run_worker(app, asked.name, names, settings.bot_processes, settings.log_level)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="teahouse-bots-") as folder:
        # The processes of a worker share their metrics through files here. prometheus_client reads this when imported.
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        main()
