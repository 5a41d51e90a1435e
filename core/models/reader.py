"""The trained reader: what a passage tells about a question, and what it says to a claim.

Importing this file imports nothing heavy; the network is loaded at the first reading, by one thread.
"""

from __future__ import annotations

import itertools
import os
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.files import RESOURCES
from core.index.blas import one_thread
from core.models.mpnet_weights import can_load
from core.models.reader_encoding import VERDICTS, Logits, Pair, PairEncoder, Text
from core.models.reader_examples import KINDS, Kind
from core.text.sentences import sentences
from core.types import BlockKind, Passage, Verdict
from core.types.cost import spend

if TYPE_CHECKING:
    from core.models.minilm_numpy import NumpyNetwork
    from core.models.reader_network import Weights

_SPANS = 6  # of a passage, the likeliest ones
_STARTS = 12  # places looked at for either end of a span
_LONGEST = 80  # tokens of a span
_STOPS = (".", "!", "?", "…", "。", "！", "？")
_CLOSING = "'\"”’»)]」』）"  # that may stand behind a stop
_BATCH = 2_048  # tokens that a thread reads at once
_FEW = 40  # windows that numpy reads in the time that it takes to import torch, about
_REMEMBERED = 128  # readings of a passage for a question, and passages in tokens
_UNREADABLE = (OSError, KeyError, ValueError)  # what a file raises that is no reader
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class ReaderFiles:
    """What a reader is loaded from, what its answers are judged by, and how that was measured."""

    weights: Path
    calibration: Path
    report: Path

    @classmethod
    def named(cls, name: str) -> ReaderFiles:
        found = (RESOURCES / f"{name}{end}" for end in (".safetensors", "-calibration.json", "-report.json"))
        return cls(*found)


SMALL = ReaderFiles.named("reader")


def reader_files(size: str) -> ReaderFiles:
    """Return the files of the "large" reader where all that it needs is installed, else those of the small one."""
    large = ReaderFiles.named("reader-large")
    return large if size == "large" and large.weights.is_file() and can_load() else SMALL


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


UNREAD = PassageRead(np.array([float(kind is Kind.NONE) for kind in KINDS]), 0.0, (), ())


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

    def __init__(self, path: Path) -> None:
        """`path` of the weights, which are read when they are first needed."""
        self._path = path
        self._lock = threading.Lock()
        self._reads: dict[tuple[str, ReaderPassage], PassageRead] = {}
        self._supports: dict[tuple[str, ReaderPassage], dict[Verdict, float]] = {}
        self._tokens: dict[ReaderPassage, Text] = {}
        self._few = _FEW

    @cached_property
    def _encoder(self) -> PairEncoder:
        return PairEncoder()

    @cached_property
    def _weights(self) -> Weights:
        from core.models.reader_network import load_for_reading

        return load_for_reading(self._path)

    @cached_property
    def _numpy(self) -> NumpyNetwork:
        from core.models.minilm_numpy import NumpyNetwork

        return NumpyNetwork(self._path)

    def warm(self) -> None:
        """Load what reads those fastest. Raises ModelUnavailable."""
        with self._lock:
            self._many()

    def _many(self) -> Weights:
        found, self._few = self._weights, 0
        self.__dict__.pop("_numpy", None)
        return found

    def read(self, question: str, passages: Sequence[ReaderPassage]) -> list[PassageRead]:
        """Read each passage; of a passage that is too long for one reading the window that is likeliest to answer.

        Raises ModelUnavailable where the weights or the encoder's package are missing.
        """
        return self._remembered(self._reads, question, passages, self._read)

    def _read(self, question: str, passages: Sequence[ReaderPassage]) -> list[PassageRead]:
        found: list[list[PassageRead]] = [[] for _ in passages]
        for owner, pair, logits in self._window_scores(question, passages):
            found[owner].append(_passage_read(pair, logits, passages[owner].text))
        return [max(windows, key=_promise) for windows in found]

    def tokens(self, passages: Sequence[ReaderPassage]) -> int:
        """Return how many there are of these passages to read."""
        return sum(len(text.ids) for text in self._texts(passages))

    def relevance(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return how likely each text is about what is asked, (n,) in 0 to 1; of a long one the window that is most so.

        Raises ModelUnavailable. Nothing is remembered, and no answer is looked for.
        """
        found = np.zeros(len(texts))
        read = self._window_scores(question, [ReaderPassage("", text) for text in texts])
        spend(sum(len(pair.ids) for _, pair, _ in read))
        for owner, _, logits in read:
            found[owner] = max(found[owner], 1 / (1 + np.exp(-logits.relevance)))
        return found

    def support(self, claim: str, passages: Sequence[ReaderPassage]) -> list[dict[Verdict, float]]:
        """Return what each passage says to a claim, as probabilities; of a long one the window that says most."""
        return self._remembered(self._supports, claim, passages, self._support)

    def _support(self, claim: str, passages: Sequence[ReaderPassage]) -> list[dict[Verdict, float]]:
        found: list[list[dict[Verdict, float]]] = [[] for _ in passages]
        for owner, _, scores in self._window_scores(claim, passages):
            shares = _softmax(scores.support)
            found[owner].append(dict(zip(VERDICTS, shares.tolist(), strict=True)))
        return [min(windows, key=lambda verdicts: verdicts[Verdict.ABSENT]) for windows in found]

    def _remembered(
        self,
        memory: dict[tuple[str, ReaderPassage], _Value],
        asked: str,
        passages: Sequence[ReaderPassage],
        read: Callable[[str, Sequence[ReaderPassage]], list[_Value]],
    ) -> list[_Value]:
        """Return what is read of each; another attempt at a question mostly finds the same passages."""
        with self._lock:
            known = {each: memory[asked, each] for each in passages if (asked, each) in memory}
            new = [each for each in dict.fromkeys(passages) if each not in known]
            for each, found in zip(new, read(asked, new) if new else (), strict=True):
                known[each] = found
                _keep(memory, (asked, each), found)
        return [known[each] for each in passages]

    def _window_scores(self, asked: str, passages: Sequence[ReaderPassage]) -> list[tuple[int, Pair, Logits]]:
        """(row of the passage, its pair, what the network says) of every window."""
        owned = [
            (owner, pair)
            for owner, (passage, text) in enumerate(zip(passages, self._texts(passages), strict=True))
            for pair in self._encoder.pairs(asked, passage.title, text)
        ]
        pairs = [pair for _, pair in owned]
        logits = self._by_few(pairs) if len(pairs) <= self._few else self._by_many(pairs)
        return [(owner, pair, each) for (owner, pair), each in zip(owned, logits, strict=True)]

    def _by_few(self, pairs: Sequence[Pair]) -> list[Logits]:
        try:
            network = self._numpy
        except _UNREADABLE:
            return self._by_many(pairs)  # which tells what is wrong
        self._few -= len(pairs)
        with ThreadPoolExecutor(_cores()) as pool, one_thread():
            return list(pool.map(network.read, pairs))

    def _by_many(self, pairs: Sequence[Pair]) -> list[Logits]:
        """Read by threads that each read their own share and never wait for each other, as those of one
        multiplication do at every step: an eighth of the time where other programs take a core now and then."""
        weights = self._many()
        from core.models.reader_network import read

        with ThreadPoolExecutor(_cores()) as pool:
            return list(itertools.chain.from_iterable(pool.map(partial(read, weights), _batches(pairs))))

    def _texts(self, passages: Sequence[ReaderPassage]) -> list[Text]:
        new = [each for each in passages if each not in self._tokens]
        found = self._encoder.texts([each.text for each in new], [each.headings for each in new])
        known = {each: self._tokens[each] for each in passages if each in self._tokens}
        for each, text in zip(new, found, strict=True):
            known[each] = text
            _keep(self._tokens, each, text)
        return [known[each] for each in passages]


def _keep(memory: dict[_Key, _Value], key: _Key, value: _Value) -> None:
    while len(memory) >= _REMEMBERED:
        memory.pop(next(iter(memory)))
    memory[key] = value


def _cores() -> int:
    """Return the cores that this process may use, where the system tells."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _batches(pairs: Sequence[Pair]) -> list[list[Pair]]:
    """Return for each core one batch of about as many tokens, or several."""
    most = min(_BATCH, -(-sum(len(pair.ids) for pair in pairs) // _cores()))
    found: list[list[Pair]] = []
    tokens = most
    for pair in pairs:
        if tokens + len(pair.ids) // 2 > most:
            found.append([])
            tokens = 0
        found[-1].append(pair)
        tokens += len(pair.ids)
    return found


def _promise(read: PassageRead) -> float:
    return max((span.margin for span in read.spans), default=-np.inf) + 4 * (1 - read.kind(Kind.NONE))


def _passage_read(pair: Pair, logits: Logits, passage: str) -> PassageRead:
    text = slice(pair.begin, len(pair.ids) - 1)
    start, end, inside = (each[text].astype(np.float64) for each in (logits.start, logits.end, logits.inside))
    inside = 1 / (1 + np.exp(-inside))
    nothing = float(logits.start[0] + logits.end[0])
    relevance = 1 / (1 + np.exp(-logits.relevance))
    kinds = _softmax(logits.kind.astype(np.float64))
    spans = _spans(pair, start, end, inside, nothing, _Sentences(passage))
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
        """Return whether the span runs over a full stop and holds only a part of the sentences on either side."""
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
    """Return the likeliest spans, none of which lies in one before it, or ends in the middle of another sentence."""
    words = pair.ends > pair.starts
    goes_on = np.append(pair.joined[1:], False)
    start = np.where(words & ~pair.joined, start, -np.inf)
    end = np.where(words & ~goes_on, end, -np.inf)
    firsts, lasts = (np.argsort(-scores, kind="stable")[:_STARTS] for scores in (start, end))
    both = [(start[a] + end[b], a, b) for a in firsts for b in lasts if a <= b < a + _LONGEST]
    log_total = (
        np.logaddexp(np.logaddexp.reduce(start) + np.logaddexp.reduce(end), nothing) if len(start) else 0.0
    )
    found: list[SpanRead] = []
    for score, a, b in sorted(both, key=lambda each: -each[0]):
        if not np.isfinite(score):
            break
        place = int(pair.starts[a]), int(pair.ends[b])
        if any(place[0] < span.end and span.start < place[1] for span in found) or written.torn(*place):
            continue
        share = float(np.exp(score - log_total))
        found.append(SpanRead(*place, float(score - nothing), share, float(inside[a : b + 1].mean())))
        if len(found) == _SPANS:
            break
    return tuple(found)


def runs(pair: Pair, inside: NDArray[np.float64]) -> tuple[tuple[int, int], ...]:
    """Return words that more likely than not belong to an answer, those that follow one another as one."""
    firsts = np.flatnonzero(~pair.joined)
    if not len(firsts):
        return ()
    after = np.append(firsts[1:], len(inside))
    starts, ends = pair.starts[firsts], pair.ends[after - 1]
    likely = (np.add.reduceat(inside, firsts) > (after - firsts) / 2) & (ends > starts)
    turns = np.flatnonzero(np.diff(likely.astype(np.int8), prepend=0, append=0))
    return tuple(
        (int(starts[one]), int(ends[other - 1])) for one, other in zip(turns[::2], turns[1::2], strict=True)
    )


def _softmax(logits: NDArray[np.float64] | NDArray[np.float32]) -> NDArray[np.float64]:
    shares = np.exp(logits - logits.max())
    return np.asarray(shares / shares.sum(), dtype=np.float64)
