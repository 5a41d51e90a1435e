"""Child processes with a time limit: read line by line, killed with all their descendants."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

from core.errors import CoreError
from core.progress import TaskContext

_LOOK = 0.1  # seconds between checks for cancellation
_TAIL_BYTES = 4_000  # bytes read from the end of its error output
_MESSAGE_LENGTH = 300  # characters of it that are displayed


class PeerFault(CoreError):
    """A peer that could not be installed, ran too long, failed or returned nonsense. The others continue."""


def run(
    command: Sequence[str],
    folder: Path,
    on_line: Callable[[str], str | None],
    seconds: float,
    context: TaskContext,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Run a command in `folder`; `on_line` gets each line of its standard output, and may return a reply.

    The program and its children are gone when this returns. Raises PeerFault where it fails, does not exist or
    takes longer than `seconds`; Cancelled; and what `on_line` raises.
    """
    error_log = folder / "said.txt"
    with error_log.open("wb") as errors:
        try:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            raise PeerFault(f"{command[0]} cannot be started ({error.strerror}).") from error
    assert process.stdin is not None and process.stdout is not None
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    reader = threading.Thread(target=_read, args=(process.stdout, lines), daemon=True)
    reader.start()
    try:
        _converse(process.stdin, lines, on_line, time.monotonic() + seconds, seconds, context)
        code = process.wait(timeout=10)
    except subprocess.TimeoutExpired as error:
        raise PeerFault("It closed its output, but did not end.") from error
    finally:
        _end(process)
        reader.join()
        with contextlib.suppress(OSError):
            process.stdin.close()
        process.stdout.close()
    if code:
        raise PeerFault(f"It ended with code {code}: {last_words(error_log)}")


def last_words(log: Path) -> str:
    """Return the last line of its error output, for display."""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _TAIL_BYTES))
        lines = file.read().decode("utf-8", "replace").split("\n")
    return next(
        (line.strip()[:_MESSAGE_LENGTH] for line in reversed(lines) if line.strip()), "it said nothing"
    )


def _read(stream: IO[str], lines: queue.SimpleQueue[str | None]) -> None:
    for line in stream:
        lines.put(line.rstrip("\n"))
    lines.put(None)


def _converse(
    answers: IO[str],
    lines: queue.SimpleQueue[str | None],
    on_line: Callable[[str], str | None],
    ends: float,
    seconds: float,
    context: TaskContext,
) -> None:
    """Answer lines until the process closes its output."""
    while True:
        context.check()
        if time.monotonic() > ends:
            raise PeerFault(f"It took longer than {seconds:,.0f} seconds.", "Give it more: --seconds.")
        try:
            line = lines.get(timeout=_LOOK)
        except queue.Empty:
            continue
        if line is None:
            return
        if (answer := on_line(line)) is not None:
            with contextlib.suppress(BrokenPipeError):  # it has died: its exit code says why
                answers.write(answer + "\n")
                answers.flush()


def _end(process: subprocess.Popen[str]) -> None:
    if hasattr(os, "killpg"):
        # Even if it has ended: its children may still run.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    if process.poll() is None:
        process.kill()
    process.wait()
