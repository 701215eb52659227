"""Runs a command that ends when its parent does: `python deploy/stack/parent_watchdog.py PARENT-PID COMMAND…`.

On Linux a process can ask for a signal when its parent dies (PR_SET_PDEATHSIG), which works even after kill -9. Other
systems just run the command. This is a program of its own, run with `python -I -S`: it starts in milliseconds, and the
supervisor, which has threads, needs no code between fork and exec.
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
        sys.exit("the supervisor has ended")
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
