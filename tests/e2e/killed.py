"""Runs `clew` commands in processes that kill themselves right after their n-th commit: what a kill leaves on the disk
is what was committed, so that going through every n goes through everything that a kill can leave.

The models are loaded once, in a process that runs nothing itself; each command is a fork of it.
"""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from core.cli import main
from core.store import database
from tests.forks import prepare


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended. `killed`: it was, right after a commit."""

    code: int
    out: str
    err: str

    @property
    def killed(self) -> bool:
        return self.code == -signal.SIGKILL


class Runner:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(self, *arguments: object, commits: int = 0) -> Ended:
        """`clew` with these arguments, to its end, or killed after so many commits."""
        assert self._process.stdin is not None and self._process.stdout is not None
        asked = {"arguments": [str(argument) for argument in arguments], "commits": commits}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return Ended(**json.loads(self._process.stdout.readline()))


@contextmanager
def runner() -> Iterator[Runner]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.e2e.killed"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},  # threads do not live on in a fork
    )
    try:
        yield Runner(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(30)


def _serve() -> None:
    prepare()
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(_forked(asked["arguments"], asked["commits"])), flush=True)


def _forked(arguments: Sequence[str], commits: int) -> dict[str, object]:
    """How the command ended in a process of its own."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = os.fork()
        if not process:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            code = 70
            try:
                _kill_after(commits)
                code = main(list(arguments))
            except Exception:  # noqa: BLE001  whatever it is, the test is told
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        _, status = os.waitpid(process, 0)
        out.seek(0)
        err.seek(0)
        return {"code": os.waitstatus_to_exitcode(status), "out": out.read(), "err": err.read()}


def _kill_after(commits: int) -> None:
    """Have this process killed by the system right after so many commits; 0: let it live."""
    left = itertools.count(commits - 1, -1)
    whole = database._Explained.commit

    def commit(connection: database._Explained) -> None:
        whole(connection)
        if next(left) == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    database._Explained.commit = commit  # type: ignore[method-assign]


if __name__ == "__main__":
    _serve()
