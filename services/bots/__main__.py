"""`python -m services.bots`: one worker with a few processes."""

import sys

from services.bots.app import INSTANT, SEARCH
from services.bots.worker import app, settings

if __name__ == "__main__":
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
