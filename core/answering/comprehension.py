"""Reading a question's passages together: the reader, its proposals, and how likely each is right."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.answering.joint import SIGNALS, Proposal, Ranked, is_decided, proposals
from core.answering.listing import asks_for_several, asks_for_verdict
from core.answering.polar import says_yes
from core.answering.statement import QuestionFrame, passage_signals
from core.errors import ModelUnavailable
from core.extraction.question import parse_question
from core.models.reader import SMALL, UNREAD, PassageRead, Reader, ReaderFiles, ReaderPassage
from core.models.reader_examples import Kind
from core.text.translation import tr

_DECAY = 1e-3  # L2, so that signals that say the same share a weight


def expit(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -40, 40))), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Calibration:
    """`mean`, `scale` and `weights` of SIGNALS, each (n,); `slope` and `shift` of the logit of the likeliest."""

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    weights: NDArray[np.float64]
    bias: float
    slope: float = 1.0
    shift: float = 0.0

    def logits(self, signals: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n,) for signals (n, len(SIGNALS))."""
        return np.asarray(((signals - self.mean) / self.scale) @ self.weights + self.bias, dtype=np.float64)

    def probabilities(self, signals: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n,) for signals (n, len(SIGNALS)), as if each were the likeliest of its question."""
        return expit(self.slope * self.logits(signals) + self.shift)

    def ranked(self, proposals: Sequence[Proposal]) -> list[tuple[Proposal, float]]:
        """With their probabilities, the likeliest first."""
        if not proposals:
            return []
        signals = np.array([proposal.signals for proposal in proposals])
        # Of yes and no one is right: neither is more probable than its share.
        polar = np.array([proposal.kind in (Kind.YES, Kind.NO) for proposal in proposals])
        found = self.probabilities(signals)
        found = np.where(polar, np.minimum(found, signals[:, SIGNALS.index("probability")]), found)
        order = np.argsort(-found, kind="stable")
        return [(proposals[at], float(found[at])) for at in order]


@dataclass(frozen=True, slots=True)
class Judged:
    """The proposals of one question with whether each is right, and whether the question has an answer at all."""

    proposals: tuple[Proposal, ...]
    right: tuple[bool, ...]
    has_answer: bool = True


def fit(corpora: Mapping[str, Sequence[Judged]]) -> Calibration:
    """Raises ValueError where all proposals are right, or all are wrong."""
    found = _regression(corpora)
    families = {family(name) for name in corpora}
    if len(families) < 2:
        return found
    chosen: list[tuple[float, bool, float]] = []
    for omitted in sorted(families):
        try:
            without = _regression({name: own for name, own in corpora.items() if family(name) != omitted})
        except ValueError:  # too few corpora to say more
            return found
        for name, questions in corpora.items():
            if family(name) == omitted:
                share = 1 / len(questions)
                chosen.extend((*_likeliest(without, one), share) for one in questions if one.proposals)
    slope, shift = _line(chosen)
    return replace(found, slope=slope, shift=shift)


def family(name: str) -> str:
    """Corpora of one kind: what stands before the first dash of their names."""
    return name.partition("-")[0]


def _likeliest(calibration: Calibration, question: Judged) -> tuple[float, bool]:
    """Its logit, and whether it is right."""
    logits = calibration.logits(np.array([proposal.signals for proposal in question.proposals]))
    best = int(np.argmax(logits))
    return float(logits[best]), question.right[best]


def _line(chosen: Sequence[tuple[float, bool, float]]) -> tuple[float, float]:
    """Slope and shift under which the logits, each with its weight, say best which is right."""
    from scipy.optimize import minimize

    logits, right, share = (np.array(column, dtype=np.float64) for column in zip(*chosen, strict=True))
    share = share / share.sum()

    def loss(line: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scaled = line[0] * logits + line[1]
        error = share * (expit(scaled) - right)
        value = float(share @ (np.logaddexp(0, scaled) - right * scaled)) + _DECAY * (line[0] - 1) ** 2
        return value, np.array([error @ logits + 2 * _DECAY * (line[0] - 1), error.sum()])

    slope, shift = minimize(loss, np.array([1.0, 0.0]), jac=True, method="L-BFGS-B").x
    return float(slope), float(shift)


def _regression(corpora: Mapping[str, Sequence[Judged]]) -> Calibration:
    from scipy.optimize import minimize  # slow to import

    rows: list[NDArray[np.float64]] = []
    labels: list[bool] = []
    counts: list[float] = []
    for questions in corpora.values():
        own = [
            (proposal.signals, right)
            for question in questions
            for proposal, right in list(zip(question.proposals, question.right, strict=True))
        ]
        rows.extend(signals for signals, _ in own)
        labels.extend(right for _, right in own)
        counts.extend([1 / max(1, len(questions))] * len(own))
    signals, right, share = np.array(rows), np.array(labels, dtype=np.float64), np.array(counts)
    if not len(right) or right.min() == right.max():
        raise ValueError("right and wrong answers are needed")
    mean, scale = signals.mean(0), signals.std(0) + 1e-6
    standard = (signals - mean) / scale
    share = share / share.sum()

    def loss(parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights, bias = parameters[:-1], parameters[-1]
        logits = standard @ weights + bias
        error = share * (expit(logits) - right)
        value = float(share @ (np.logaddexp(0, logits) - right * logits)) + _DECAY * float(weights @ weights)
        return value, np.append(standard.T @ error + 2 * _DECAY * weights, error.sum())

    found = minimize(loss, np.zeros(len(SIGNALS) + 1), jac=True, method="L-BFGS-B").x
    return Calibration(mean, scale, found[:-1], float(found[-1]))


def write(calibration: Calibration, path: Path) -> None:
    rows = zip(calibration.mean, calibration.scale, calibration.weights, strict=True)
    signals = {
        name: {"mean": float(mean), "scale": float(scale), "weight": float(weight)}
        for name, (mean, scale, weight) in zip(SIGNALS, rows, strict=True)
    }
    line = {"bias": calibration.bias, "slope": calibration.slope, "shift": calibration.shift}
    path.write_text(json.dumps({"signals": signals, **line}, indent=1) + "\n", "utf-8")


def load(path: Path) -> Calibration:
    """Raises ModelUnavailable where the file is missing or of another version."""
    try:
        read = json.loads(path.read_text("utf-8"))
        rows = [read["signals"][name] for name in SIGNALS]
        mean, scale, weights = (
            np.array([float(row[key]) for row in rows]) for key in ("mean", "scale", "weight")
        )
        line = (float(read[key]) for key in ("bias", "slope", "shift"))
        return Calibration(mean, scale, weights, *line)
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise ModelUnavailable(
            tr("The reader's calibration {path} cannot be read.", path=path), tr("Install Clew again.")
        ) from fault


_REMEMBERED = 8  # questions with their passages
_FIRST = 4  # passages that are read before the others: of ten, the likeliest words stand in these nine times of ten


@dataclass(frozen=True, slots=True)
class Understood:
    """`reads` of the passages in order, UNREAD for those below one that tells; `answers` with the probability that
    each is right, the likeliest first."""

    reads: tuple[PassageRead, ...]
    answers: tuple[tuple[Proposal, float], ...]


class Comprehension:
    """Thread-safe; the first question loads the reader."""

    def __init__(
        self,
        files: ReaderFiles = SMALL,
        reader: Reader | None = None,
        calibration: Calibration | None = None,
    ) -> None:
        self.files = files
        self.reader = reader or Reader(files.weights)
        self._custom_calibration = calibration
        self._last: dict[tuple[str, tuple[ReaderPassage, ...]], Understood] = {}

    @cached_property
    def _calibration(self) -> Calibration:
        return self._custom_calibration or load(self.files.calibration)

    def warm(self) -> None:
        """Read the weights, so that the first question need not. Raises ModelUnavailable."""
        self.reader.warm()
        self.understand("Who?", [ReaderPassage("", "Nobody.")], [1.0])

    def understand(
        self, question: str, passages: Sequence[ReaderPassage], scores: Sequence[float]
    ) -> Understood:
        """`passages` as retrieval ranked them, with its `scores`. Raises ModelUnavailable."""
        asked = question, tuple(passages)
        if (known := self._last.get(asked)) is not None:
            return known
        proposed, reads = self.propose(question, passages, scores)
        found = Understood(tuple(reads), tuple(self._calibration.ranked(proposed)))
        if len(self._last) >= _REMEMBERED:
            self._last.clear()
        self._last[asked] = found  # who checks the answer asks the same again
        return found

    def propose(
        self, question: str, passages: Sequence[ReaderPassage], scores: Sequence[float]
    ) -> tuple[list[Proposal], list[PassageRead]]:
        from core.models.spacy_model import parsed

        frame = QuestionFrame(parse_question(question, parsed))

        def sentence_signals(row: int, start: int, end: int) -> tuple[float, ...]:
            passage = passages[row]
            return passage_signals(frame, passage.text, start, end, passage.title, parsed)

        several, polar = asks_for_several(parsed(question)), asks_for_verdict(parsed(question))
        reads = self.reader.read(question, passages[:_FIRST])
        below = passages[_FIRST:]
        reads += [UNREAD] * len(below) if is_decided(reads, several) else self.reader.read(question, below)
        top = max(max(scores, default=0.0), 1e-9)
        ranked = [
            Ranked(passage.text, place, max(0.0, score) / top)
            for place, (passage, score) in enumerate(zip(passages, scores, strict=True), start=1)
        ]

        def yes(rows: Sequence[int]) -> list[float | None]:
            return says_yes(question, [passages[row] for row in rows], self.reader)

        return proposals(question, ranked, reads, yes if polar else None, several, sentence_signals), reads
