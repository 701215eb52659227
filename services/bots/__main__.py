"""`python -m services.bots`: one worker with a few processes."""

import os
import sys
import tempfile

if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="teahouse-bots-") as folder:
        # The processes of a worker share their metrics through files; prometheus_client reads this when imported.
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        from services.bots.app import INSTANT, SEARCH
        from services.bots.worker import app, settings

        app.worker_main(
            [
                "worker",
                f"--queues={INSTANT},{SEARCH}",
                f"--concurrency={settings.bot_processes}",
                "--without-gossip",
                "--without-mingle",
                "--without-heartbeat",
                f"--loglevel={settings.log_level}",
                *sys.argv[1:],
            ]
        )
