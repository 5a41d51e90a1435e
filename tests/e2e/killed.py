"""Runs `clew` commands in processes that kill themselves right after their n-th commit: what a kill leaves on the disk
is what was committed, so that going through every n goes through everything that a kill can leave.

The models are loaded once, in a process that runs nothing itself; each command is a fork of it.
"""

from __future__ import annotations

import io
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import core.indexing
import core.workspace.workspace
from core.cli import main
from core.ingest.loaders import DocumentLoader
from core.models import Models
from core.progress import TaskContext
from core.store import database


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
    models = Models()
    models.load(TaskContext())
    core.workspace.workspace.Models = lambda: models  # type: ignore[assignment,misc]
    # Another process that reads takes a second to start; that it dies with this one is for tests of its own.
    core.indexing.ReadingProcess = lambda config, check: nullcontext(DocumentLoader(config))  # type: ignore[assignment,misc]
    _warm_up()
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(_forked(asked["arguments"], asked["commits"])), flush=True)


def _warm_up() -> None:
    """One run here, so that no fork imports torch and the rest by itself."""
    with tempfile.TemporaryDirectory() as place, redirect_stdout(io.StringIO()):
        papers = Path(place, "papers")
        papers.mkdir()
        (papers / "a.txt").write_text("Otto Kask commands the Northern Star. Otto Kask lives in Tallinn.")
        assert main(["index", str(papers), "--workspace", str(Path(place, "workspace"))]) == 0


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
