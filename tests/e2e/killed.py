"""Runs `clew` commands in processes that kill themselves right after their n-th commit: what a kill leaves on the disk
is what was committed.

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
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
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
        (ended,) = self.run_each([arguments], commits)
        return ended

    def run_each(self, commands: Iterable[Sequence[object]], commits: int = 0) -> list[Ended]:
        """`clew` with each of these in turn, in one process; those after a kill are missing."""
        assert self._process.stdin is not None and self._process.stdout is not None
        request = {"commands": [[str(word) for word in command] for command in commands], "commits": commits}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return [Ended(**ended) for ended in json.loads(self._process.stdout.readline())]


def kill_points() -> Iterator[int]:
    """Numbers of commits after which to kill, ever sparser: the first ones differ most."""
    return (3**number for number in itertools.count())


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
        request = json.loads(line)
        print(json.dumps(_forked(request["commands"], request["commits"])), flush=True)


def _forked(commands: Sequence[Sequence[str]], commits: int) -> list[dict[str, object]]:
    """How each command ended, all in one process."""
    with ExitStack() as files:
        streams = [
            [files.enter_context(tempfile.TemporaryFile("w+")) for _ in ("out", "err")] for _ in commands
        ]
        codes = files.enter_context(tempfile.TemporaryFile("w+"))
        process = os.fork()
        if not process:
            try:
                _kill_after(commits)
                for command, (out, err) in zip(commands, streams, strict=True):
                    os.dup2(out.fileno(), 1)
                    os.dup2(err.fileno(), 2)
                    print(_run(command), file=codes, flush=True)
            finally:
                os._exit(0)
        _, status = os.waitpid(process, 0)
        codes.seek(0)
        ended = [int(code) for code in codes]
        if killed := os.waitstatus_to_exitcode(status):
            ended.append(killed)
        for stream in itertools.chain(*streams):
            stream.seek(0)
        return [
            {"code": code, "out": out.read(), "err": err.read()}
            for code, (out, err) in zip(ended, streams, strict=False)
        ]


def _run(command: Sequence[str]) -> int:
    try:
        return main(list(command))
    except Exception:  # noqa: BLE001  whatever it is, the test is told
        traceback.print_exc()
        return 70
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def _kill_after(commits: int) -> None:
    """Have this process killed by the system right after so many commits; 0: let it live."""
    left = itertools.count(commits - 1, -1)
    full = database._Explained.commit

    def commit(connection: database._Explained) -> None:
        full(connection)
        if next(left) == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    database._Explained.commit = commit  # type: ignore[method-assign]


if __name__ == "__main__":
    _serve()
