"""The trained reader: what a passage tells about a question, and what it says to a claim.

Importing this file imports nothing heavy; the network is loaded at the first reading, by one thread.
"""

from __future__ import annotations

import os
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.comprehension.encoding import Pair, PairEncoder
from core.comprehension.examples import KINDS, Kind
from core.text.sentences import sentences
from core.types import BlockKind, Passage, Verdict

if TYPE_CHECKING:
    from core.comprehension.network import Outputs, Weights

SHIPPED = Path(__file__).resolve().parents[2] / "resources" / "reader.safetensors"
_SPANS = 6  # of a passage, the likeliest ones
_STARTS = 12  # places looked at for either end of a span
_LONGEST = 80  # tokens of a span
_STOPS = (".", "!", "?", "…", "。", "！", "？")
_CLOSING = "'\"”’»)]」』）"  # that may stand behind a stop
_BATCH = 4_096  # tokens read at once


@dataclass(frozen=True, slots=True)
class SpanRead:
    """Words of a passage that may answer: offsets in its text. `margin` is the sum of the logits of both ends over
    that of position 0, which says that the passage does not tell; `probability` among all spans of the passage."""

    start: int
    end: int
    margin: float
    probability: float
    inside: float  # mean probability that its tokens belong to an answer


@dataclass(frozen=True, slots=True)
class PassageRead:
    """What one passage tells. `kinds` are probabilities in the order of KINDS; `spans` the likeliest first;
    `runs` are the runs of tokens that more likely than not belong to an answer, for lists."""

    kinds: NDArray[np.float64]
    relevance: float  # that the passage is about what is asked, 0 to 1
    spans: tuple[SpanRead, ...]
    runs: tuple[tuple[int, int], ...]

    def kind(self, kind: Kind) -> float:
        return float(self.kinds[KINDS.index(kind)])


@dataclass(frozen=True, slots=True)
class ReaderPassage:
    """A passage as it is read."""

    title: str
    text: str
    headings: tuple[tuple[int, int], ...] = ()  # where they lie in the text

    @classmethod
    def of(cls, passage: Passage) -> ReaderPassage:
        headings = (block for block in passage.blocks if block.kind is BlockKind.HEADING)
        return cls(passage.title, passage.text, tuple((block.start, block.end) for block in headings))


class Reader:
    """Thread-safe."""

    def __init__(self, path: Path | None = None) -> None:
        """`path` of the weights; None for those that ship. They are read when they are first needed."""
        self._path = path
        self._lock = threading.Lock()

    @cached_property
    def _encoder(self) -> PairEncoder:
        return PairEncoder()

    @cached_property
    def _weights(self) -> Weights:
        from core.comprehension.network import in_precision, load, precision

        return in_precision(load(self._path or SHIPPED), precision())

    def read(self, question: str, passages: Sequence[ReaderPassage]) -> list[PassageRead]:
        """Of a passage that is too long for one reading the window that is likeliest to answer.

        Raises ModelUnavailable where the weights or the encoder's package are missing.
        """
        found: list[list[PassageRead]] = [[] for _ in passages]
        for owner, pair, out, row in self._outputs(question, passages):
            found[owner].append(_passage_read(pair, out, row, passages[owner].text))
        return [max(windows, key=_promise) for windows in found]

    def support(self, claim: str, passages: Sequence[ReaderPassage]) -> list[dict[Verdict, float]]:
        """What each passage says to a claim, as probabilities; of a long one the window that says most."""
        from core.comprehension.network import VERDICTS

        found: list[list[dict[Verdict, float]]] = [[] for _ in passages]
        for owner, _, out, row in self._outputs(claim, passages):
            shares = _softmax(out.support[row].numpy())
            found[owner].append(dict(zip(VERDICTS, shares.tolist(), strict=True)))
        return [min(windows, key=lambda said: said[Verdict.ABSENT]) for windows in found]

    def _outputs(self, asked: str, passages: Sequence[ReaderPassage]) -> list[tuple[int, Pair, Outputs, int]]:
        """(row of the passage, its pair, the outputs of a batch, the pair's row in it) of every window."""
        with self._lock:
            import torch

            from core.comprehension.network import forward

            # The encoder takes half of the cores, beside what reads names; a question waits for this alone.
            torch.set_num_threads(_cores())
            texts = self._encoder.texts(
                [passage.text for passage in passages], [passage.headings for passage in passages]
            )
            pairs = [
                (owner, pair)
                for owner, (passage, text) in enumerate(zip(passages, texts, strict=True))
                for pair in self._encoder.pairs(asked, passage.title, text)
            ]
            found: list[tuple[int, Pair, Outputs, int]] = []
            with torch.inference_mode():
                for batch in _batches(pairs):
                    out = forward(self._weights, [pair for _, pair in batch])
                    found.extend((owner, pair, out, row) for row, (owner, pair) in enumerate(batch))
            return found


def _cores() -> int:
    """Those that this process may use, where the system tells."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _batches(pairs: Sequence[tuple[int, Pair]]) -> list[list[tuple[int, Pair]]]:
    found: list[list[tuple[int, Pair]]] = []
    tokens = _BATCH + 1
    for owner, pair in pairs:
        if tokens + len(pair.ids) > _BATCH:
            found.append([])
            tokens = 0
        found[-1].append((owner, pair))
        tokens += len(pair.ids)
    return found


def _promise(read: PassageRead) -> float:
    return max((span.margin for span in read.spans), default=-np.inf) + 4 * (1 - read.kind(Kind.NONE))


def _passage_read(pair: Pair, out: Outputs, row: int, whole: str) -> PassageRead:
    first = out.firsts[row]
    text = slice(first + pair.begin, first + len(pair.ids) - 1)
    start, end = out.start[text].double().numpy(), out.end[text].double().numpy()
    inside = 1 / (1 + np.exp(-out.inside[text].double().numpy()))
    nothing = float(out.start[first] + out.end[first])
    relevance = 1 / (1 + np.exp(-float(out.relevance[row])))
    kinds = _softmax(out.kind[row].double().numpy())
    spans = _spans(pair, start, end, inside, nothing, _Sentences(whole))
    return PassageRead(kinds, float(relevance), spans, runs(pair, inside))


class _Sentences:
    """Where the sentences of a text lie; looked for once a span may run over the end of one."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _found(self) -> tuple[list[int], list[int], list[bool]]:
        """Starts, ends, whether a stop is at the end."""
        found = sentences(self._text)
        words = (self._text[each.start : each.end].rstrip(_CLOSING) for each in found)
        return [s.start for s in found], [s.end for s in found], [each.endswith(_STOPS) for each in words]

    def torn(self, start: int, end: int) -> bool:
        """Whether the span runs over a full stop and holds only a part of the sentences on either side."""
        if not any(stop in self._text[start : end - 1] for stop in _STOPS):
            return False
        starts, ends, stopped = self._found
        first, last = bisect_right(starts, start) - 1, bisect_left(ends, end)
        if first < 0 or not any(stopped[first:last]):
            return False
        return start > starts[first] or end < ends[min(last, len(ends) - 1)] - 1


def _spans(
    pair: Pair,
    start: NDArray[np.float64],
    end: NDArray[np.float64],
    inside: NDArray[np.float64],
    nothing: float,
    written: _Sentences,
) -> tuple[SpanRead, ...]:
    """The likeliest, none of which lies in one before it, or ends in the middle of another sentence."""
    words = pair.ends > pair.starts
    goes_on = np.append(pair.joined[1:], False)
    start = np.where(words & ~pair.joined, start, -np.inf)
    end = np.where(words & ~goes_on, end, -np.inf)
    firsts, lasts = (np.argsort(-scores, kind="stable")[:_STARTS] for scores in (start, end))
    both = [(start[a] + end[b], a, b) for a in firsts for b in lasts if a <= b < a + _LONGEST]
    whole = (
        np.logaddexp(np.logaddexp.reduce(start) + np.logaddexp.reduce(end), nothing) if len(start) else 0.0
    )
    found: list[SpanRead] = []
    for score, a, b in sorted(both, key=lambda each: -each[0]):
        if not np.isfinite(score):
            break
        place = int(pair.starts[a]), int(pair.ends[b])
        if any(place[0] < kept.end and kept.start < place[1] for kept in found) or written.torn(*place):
            continue
        share = float(np.exp(score - whole))
        found.append(SpanRead(*place, float(score - nothing), share, float(inside[a : b + 1].mean())))
        if len(found) == _SPANS:
            break
    return tuple(found)


def runs(pair: Pair, inside: NDArray[np.float64]) -> tuple[tuple[int, int], ...]:
    """Words that more likely than not belong to an answer, those that follow one another as one."""
    found: list[tuple[int, int]] = []
    open_ = False
    firsts = np.flatnonzero(~pair.joined)
    for first, after in zip(firsts, np.append(firsts[1:], len(inside))[: len(firsts)], strict=True):
        start, end = int(pair.starts[first]), int(pair.ends[after - 1])
        likely = bool(inside[first:after].mean() > 0.5) and end > start
        if likely and open_:
            found[-1] = (found[-1][0], end)
        elif likely:
            found.append((start, end))
        open_ = likely
    return tuple(found)


def _softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    shares = np.exp(logits - logits.max())
    return np.asarray(shares / shares.sum(), dtype=np.float64)
