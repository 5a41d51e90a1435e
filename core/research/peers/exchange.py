"""The exchange with the driver of a peer: child processes with a time limit, inputs, and validated rankings."""

from __future__ import annotations

import contextlib
import json
import math
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from core.errors import CoreError
from core.progress import TaskContext

_MOST = 10_000  # longest ranking, in passages
_BATCH = 1 << 20  # most texts that a peer may have encoded at once


@dataclass(frozen=True, slots=True)
class PeerPassage:
    """`content` is what is encoded."""

    id: str
    content: str
    entities: tuple[str, ...]
    triples: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class PeerQuestion:
    """`names` are those that it mentions."""

    id: str
    question: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ranking:
    """The passage ids of one question, best first."""

    passages: tuple[str, ...]
    seconds: float


def write(
    folder: Path,
    passages: Sequence[PeerPassage],
    questions: Sequence[PeerQuestion],
    vectors: Mapping[str, NDArray[np.float32]],
) -> None:
    """Write the driver's input; `vectors` are unit vectors by text, at least one."""
    _write_lines(
        folder / "passages.jsonl",
        (
            {"id": each.id, "content": each.content, "entities": each.entities, "triples": each.triples}
            for each in passages
        ),
    )
    _write_lines(
        folder / "questions.jsonl",
        ({"id": each.id, "question": each.question, "names": each.names} for each in questions),
    )
    _write_lines(folder / "texts.jsonl", vectors)
    np.save(folder / "vectors.npy", np.array(list(vectors.values()), dtype=np.float32))


class DriverSession:
    """Processes a driver's messages line by line. Raises PeerFault for an invalid one."""

    def __init__(
        self,
        folder: Path,
        passages: Iterable[PeerPassage],
        questions: Iterable[PeerQuestion],
        encode: Callable[[Sequence[str]], NDArray[np.float32]],
        on_progress: Callable[[int], None],
    ) -> None:
        """`on_progress` gets the number of ranked questions."""
        self._folder, self._encode, self._on_progress = folder, encode, on_progress
        self._known = {each.id for each in passages}
        self._asked = {each.id for each in questions}
        self.rankings: dict[str, Ranking] = {}
        self.index_seconds = 0.0

    def receive(self, line: str) -> str | None:
        """Process a message, and return the reply if the driver waits for one."""
        try:
            message = json.loads(line)
        except ValueError as error:
            raise PeerFault(f"It said what is not JSON: {line[:80]!r}.") from error
        if isinstance(message, dict) and "wanted" in message:
            return self._encode_wanted()
        if isinstance(message, dict) and "indexed" in message:
            self.index_seconds = _seconds(message["indexed"])
        elif isinstance(message, dict) and isinstance(asked := message.get("ranked"), str):
            if asked not in self._asked:
                raise PeerFault(f"It ranked passages for a question that nobody asked: {asked[:80]!r}.")
            self.rankings[asked] = Ranking(
                self._passages(message.get("passages")), _seconds(message.get("seconds"))
            )
            self._on_progress(len(self.rankings))
        else:
            raise PeerFault(f"It said what is not understood: {line[:80]!r}.")
        return None

    def all_ranked(self) -> dict[str, Ranking]:
        """Return the rankings by question. Raises PeerFault where one is missing."""
        if self._asked - self.rankings.keys():
            raise PeerFault(
                f"It ranked passages for {len(self.rankings):,} of {len(self._asked):,} questions."
            )
        return self.rankings

    def _encode_wanted(self) -> str:
        try:
            lines = (self._folder / "wanted.jsonl").read_text(encoding="utf-8").splitlines()
            texts = [json.loads(line) for line in lines[:_BATCH]]
        except (OSError, ValueError) as error:
            raise PeerFault("It wants texts encoded, but there are none to read.") from error
        if not texts or not all(isinstance(text, str) for text in texts):
            raise PeerFault("It wants something encoded that is no text.")
        np.save(self._folder / "made.npy", self._encode(texts))
        return str(len(texts))

    def _passages(self, found: object) -> tuple[str, ...]:
        if not isinstance(found, list) or len(found) > _MOST:
            raise PeerFault("It gave no list of passages.")
        if strange := [each for each in found if not isinstance(each, str) or each not in self._known]:
            raise PeerFault(f"It found a passage that there is none of: {str(strange[0])[:80]!r}.")
        if len(set(found)) < len(found):
            raise PeerFault("It ranked a passage twice.")
        return tuple(found)


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        raise PeerFault(f"It told no seconds: {str(value)[:80]!r}.")
    return float(value)


def _write_lines(path: Path, rows: Iterable[object]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


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
