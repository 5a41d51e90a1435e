"""What a process is held to that works on files for which nobody vouches: its time, its memory, its parent."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from multiprocessing.process import BaseProcess
from pathlib import Path

ADDRESSES, RESIDENT = 0, 1  # fields of /proc/self/statm


def end_with(parent: int, with_group: bool = True) -> None:
    """Have this process end once its parent has, even in the middle of a file, and with it its process group: what was
    started here, where the group is its own."""
    threading.Thread(target=_follow, args=(parent, with_group), daemon=True).start()


def _follow(parent: int, with_group: bool) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    if with_group and hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def end_child(process: BaseProcess) -> None:
    """End a child process and all that it started, at once; to be called once."""
    if process.pid is not None and hasattr(os, "killpg"):
        # Before it leads a group of its own there is none of its number, and nothing that it started.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.join()
    process.close()


def end_after(seconds: int) -> None:
    """Have the system end this process after `seconds` (0: never), even while native code runs."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def bound_memory(megabytes: int) -> None:
    """Let memory grow by at most so much; native parsers then fail instead of filling the machine."""
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    base = memory(ADDRESSES)
    if base:
        limit = base + megabytes * 1_000_000
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def memory(field: int) -> int:
    """Bytes of address space or of resident memory; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_bytes().split()[field])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
