"""Runs a command that ends when its parent does: `python deploy/parent_watchdog.py PARENT-PID COMMAND…`.

Linux tells a process when its parent has died if it asked for that (PR_SET_PDEATHSIG), even after kill -9 of the
parent. Elsewhere the command simply runs. A file of its own, run with `python -I -S`, because that starts in
milliseconds and needs no code between fork and exec in a supervisor that has threads.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    parent, command = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        sys.exit("the supervisor has gone")
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
