"""Clew's side of the exchange with a peer's driver through a folder: inputs, and rankings, which are validated."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.research.peers.processes import PeerFault

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
