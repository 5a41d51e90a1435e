"""Other processes, looked at from outside."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from tests.waiting import wait_until

_TICKS = os.sysconf("SC_CLK_TCK")


def alive(pid: int) -> bool:
    """Whether it runs; one that ended and waits to be collected does not."""
    fields = _fields(Path(f"/proc/{pid}/stat"))
    return bool(fields) and fields[0] != "Z"


def cpu_seconds(pid: int) -> float:
    """What it has computed so far; 0 once it is gone."""
    fields = _fields(Path(f"/proc/{pid}/stat"))
    return (int(fields[11]) + int(fields[12])) / _TICKS if fields else 0.0


def children(parent: int) -> list[int]:
    """Processes that it started."""
    found = ((place, _fields(place)) for place in Path("/proc").glob("[0-9]*/stat"))
    return [int(place.parent.name) for place, fields in found if fields and int(fields[1]) == parent]


def wait_until_computed(pid: int, seconds: float) -> None:
    """Return once it has computed for so long from now on."""
    begin = cpu_seconds(pid)
    wait_until(lambda: cpu_seconds(pid) - begin >= seconds)


def at_rest(pid: int) -> Callable[[], bool]:
    """A condition to wait for: in many looks in a row, no thread of it and of its children had anything to do."""
    quiet = 0

    def rests() -> bool:
        nonlocal quiet
        quiet = quiet + 1 if all(_sleeps(each) for each in (pid, *children(pid))) else 0
        return quiet >= 20

    return rests


def _sleeps(pid: int) -> bool:
    threads = [_fields(place) for place in Path(f"/proc/{pid}/task").glob("*/stat")]
    return all(not fields or fields[0] in "SZ" for fields in threads)


def _fields(place: Path) -> list[str]:
    """What stands behind the name in a `stat` file of /proc: state, parent...; nothing once it is gone."""
    try:
        return place.read_text().rsplit(")", 1)[1].split()
    except OSError:
        return []
