"""Reading a question's passages together: the reader, its proposals, and how likely each is right."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
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

_COLUMNS = ("mean", "scale", "weight", "confidence weight")  # of a signal, in the file
_DECAY = 1e-3  # L2, so that signals that say the same share a weight
_CONFIDENCE_DECAY = 1e-2  # the same where one row a question is fitted


def expit(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -40, 40))), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Calibration:
    """`mean` and `scale` of SIGNALS, each (n,); what ranks the proposals of a question, `weights` (n,) and `bias`; and
    what judges the likeliest of them, `confidence_weights` (n,) and `confidence_bias`."""

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    weights: NDArray[np.float64]
    bias: float
    confidence_weights: NDArray[np.float64]
    confidence_bias: float

    def logits(self, signals: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (n,) for signals (n, len(SIGNALS)), by which proposals are ranked."""
        return np.asarray(((signals - self.mean) / self.scale) @ self.weights + self.bias, dtype=np.float64)

    def probabilities(self, signals: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (n,) for signals (n, len(SIGNALS)), as if each were the likeliest of its question."""
        return expit(((signals - self.mean) / self.scale) @ self.confidence_weights + self.confidence_bias)

    def ranked(self, proposals: Sequence[Proposal]) -> list[tuple[Proposal, float]]:
        """Return them with their probabilities, the likeliest first; none is likelier than one before it."""
        if not proposals:
            return []
        signals = np.array([proposal.signals for proposal in proposals])
        # Of yes and no one is right: neither is more probable than its share.
        polar = np.array([proposal.kind in (Kind.YES, Kind.NO) for proposal in proposals])
        found = self.probabilities(signals)
        found = np.where(polar, np.minimum(found, signals[:, SIGNALS.index("probability")]), found)
        order = np.argsort(-found if polar.all() else -self.logits(signals), kind="stable")
        found = np.minimum.accumulate(found[order])
        return [(proposals[at], float(share)) for at, share in zip(order, found, strict=True)]


@dataclass(frozen=True, slots=True)
class Judged:
    """The proposals of one question with whether each is right; whether the question has an answer at all, and whether
    it describes something that has to be found first."""

    proposals: tuple[Proposal, ...]
    right: tuple[bool, ...]
    has_answer: bool = True
    is_indirect: bool = False


def fit(corpora: Mapping[str, Sequence[Judged]]) -> Calibration:
    """Fit the ranking on all proposals, and the probability on those that rankings without their family put first:
    what was chosen for its number is right less often than that says. Raises ValueError where all proposals are
    right, or all are wrong.
    """
    found = _ranking(corpora)
    families = {family(name) for name in corpora}
    chosen: list[tuple[NDArray[np.float64], bool, float]] = []
    for omitted in sorted(families) if len(families) > 1 else ():
        try:
            without = _ranking({name: own for name, own in corpora.items() if family(name) != omitted})
        except ValueError:  # too few corpora to say more
            return found
        for name, questions in corpora.items():
            if family(name) == omitted:
                share = 1 / len(questions)
                chosen.extend((*_likeliest(without, one), share) for one in questions if one.proposals)
    if len({right for _, right, _ in chosen}) < 2:
        return found
    signals, right, shares = (np.array(column, dtype=np.float64) for column in zip(*chosen, strict=True))
    confidence_weights, bias = _regression(
        (signals - found.mean) / found.scale, right, shares, _CONFIDENCE_DECAY
    )
    return replace(found, confidence_weights=confidence_weights, confidence_bias=bias)


def family(name: str) -> str:
    """Corpora of one kind: what stands before the first dash of their names."""
    return name.partition("-")[0]


def _likeliest(calibration: Calibration, question: Judged) -> tuple[NDArray[np.float64], bool]:
    """Return its signals, and whether it is right."""
    best = int(np.argmax(calibration.logits(np.array([each.signals for each in question.proposals]))))
    return question.proposals[best].signals, question.right[best]


def _ranking(corpora: Mapping[str, Sequence[Judged]]) -> Calibration:
    rows: list[NDArray[np.float64]] = []
    labels: list[bool] = []
    counts: list[float] = []
    for questions in corpora.values():
        own = [
            (proposal.signals, right)
            for question in questions
            for proposal, right in zip(question.proposals, question.right, strict=True)
        ]
        rows.extend(signals for signals, _ in own)
        labels.extend(right for _, right in own)
        counts.extend([1 / max(1, len(questions))] * len(own))
    signals, right, share = np.array(rows), np.array(labels, dtype=np.float64), np.array(counts)
    if not len(right) or right.min() == right.max():
        raise ValueError("right and wrong answers are needed")
    mean, scale = signals.mean(0), signals.std(0) + 1e-6
    weights, bias = _regression((signals - mean) / scale, right, share)
    return Calibration(mean, scale, weights, bias, weights, bias)


def _regression(
    signals: NDArray[np.float64],
    right: NDArray[np.float64],
    share: NDArray[np.float64],
    decay: float = _DECAY,
) -> tuple[NDArray[np.float64], float]:
    """Return weights (n,) and bias of a logistic regression on standard signals (m, n), each row by its share."""
    from scipy.optimize import minimize  # slow to import

    share = share / share.sum()

    def loss(parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights, bias = parameters[:-1], parameters[-1]
        logits = signals @ weights + bias
        error = share * (expit(logits) - right)
        value = float(share @ (np.logaddexp(0, logits) - right * logits)) + decay * float(weights @ weights)
        return value, np.append(signals.T @ error + 2 * decay * weights, error.sum())

    found = minimize(loss, np.zeros(len(SIGNALS) + 1), jac=True, method="L-BFGS-B").x
    return found[:-1], float(found[-1])


def write(calibration: Calibration, path: Path) -> None:
    columns = (calibration.mean, calibration.scale, calibration.weights, calibration.confidence_weights)
    signals = {
        name: dict(zip(_COLUMNS, map(float, row), strict=True))
        for name, row in zip(SIGNALS, zip(*columns, strict=True), strict=True)
    }
    biases = {"bias": calibration.bias, "confidence bias": calibration.confidence_bias}
    path.write_text(json.dumps({"signals": signals, **biases}, indent=1) + "\n", "utf-8")


def load(path: Path) -> Calibration:
    """Raises ModelUnavailable where the file is missing or of another version."""
    try:
        read = json.loads(path.read_text("utf-8"))
        rows = [read["signals"][name] for name in SIGNALS]
        mean, scale, weights, confidence_weights = (
            np.array([float(row[key]) for row in rows]) for key in _COLUMNS
        )
        bias, confidence_bias = float(read["bias"]), float(read["confidence bias"])
        return Calibration(mean, scale, weights, bias, confidence_weights, confidence_bias)
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise ModelUnavailable(
            tr("The reader's calibration {path} cannot be read.", path=path), tr("Install Clew again.")
        ) from fault


OnFirst = Callable[[Proposal, float], None]
_REMEMBERED = 8  # questions with their passages
_FIRST = 4  # passages that are read before the others: of ten, the likeliest words stand in these nine times of ten


@dataclass(frozen=True, slots=True)
class Understood:
    """`reads` of the passages in order, UNREAD for those below one that tells; `answers` with the probability that
    each is right, the likeliest first."""

    reads: tuple[PassageRead, ...]
    answers: tuple[tuple[Proposal, float], ...]


def _unheard(rows: Sequence[int]) -> list[float | None]:
    """Nothing is asked of passages whether they say yes: the verdict is that of their kinds alone."""
    return []


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
        self,
        question: str,
        passages: Sequence[ReaderPassage],
        scores: Sequence[float],
        on_first: OnFirst | None = None,
    ) -> Understood:
        """`passages` as retrieval ranked them, with its `scores`. Raises ModelUnavailable.

        `on_first` receives the likeliest answer of the first passages, where others are read after them.
        """
        asked = question, tuple(passages)
        if (known := self._last.get(asked)) is not None:
            return known
        proposed, reads = self.propose(question, passages, scores, on_first)
        found = Understood(tuple(reads), tuple(self._calibration.ranked(proposed)))
        if len(self._last) >= _REMEMBERED:
            self._last.clear()
        self._last[asked] = found  # who checks the answer asks the same again
        return found

    def propose(
        self,
        question: str,
        passages: Sequence[ReaderPassage],
        scores: Sequence[float],
        on_first: OnFirst | None = None,
    ) -> tuple[list[Proposal], list[PassageRead]]:
        from core.models.spacy_model import parsed

        frame = QuestionFrame(parse_question(question, parsed))

        def sentence_signals(row: int, start: int, end: int) -> tuple[float, ...]:
            passage = passages[row]
            return passage_signals(frame, passage.text, start, end, passage.title, parsed)

        several, polar = asks_for_several(parsed(question)), asks_for_verdict(parsed(question))
        top = max(max(scores, default=0.0), 1e-9)
        ranked = [
            Ranked(passage.text, place, max(0.0, score) / top)
            for place, (passage, score) in enumerate(zip(passages, scores, strict=True), start=1)
        ]
        reads = self.reader.read(question, passages[:_FIRST])
        below = passages[_FIRST:]
        if is_decided(reads, several):
            reads += [UNREAD] * len(below)
        else:
            if on_first is not None and below and not several:
                first = proposals(
                    question, ranked[:_FIRST], reads, _unheard if polar else None, several, sentence_signals
                )
                for proposal, probability in self._calibration.ranked(first)[:1]:
                    on_first(proposal, probability)
            reads += self.reader.read(question, below)

        def yes(rows: Sequence[int]) -> list[float | None]:
            return says_yes(question, [passages[row] for row in rows], self.reader)

        return proposals(question, ranked, reads, yes if polar else None, several, sentence_signals), reads
