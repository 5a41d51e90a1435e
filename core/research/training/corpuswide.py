"""Training of the scope model: L2 logistic regression, its strength and threshold by cross-validation.

Similar questions are never on both sides of a fold, or a memorised paraphrase would count as generalisation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.answering.models import Models
from core.errors import BadInput
from core.extraction.question import ParsedQuestion
from core.progress import TaskContext
from core.retrieval.routing.corpuswide import Array, ScopeModel, features, in_particular, sigmoid, signs

Flags = NDArray[np.bool_]

# Corpus: of one kind of thing over all documents; broad: of the whole. The model is trained on dev alone.
LABELS = ("broad", "corpus", "particular")
SPLITS = ("dev", "works", "held")
_KINDS = frozenset((label, split) for label in LABELS for split in SPLITS)
_LABELLED = Path(__file__).with_suffix(".tsv")
_TABLE = (
    "Below a line of headings, write: broad, corpus or particular, dev or held, the question; tabs between."
)


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """`label` is one of LABELS, `split` one of SPLITS."""

    label: str
    split: str
    question: str


@dataclass(frozen=True, slots=True)
class ScopeSettings:
    """The grid and limits of the search for a scope model."""

    strengths: tuple[float, ...] = (0.05, 0.1)  # of the L2 penalty, summed over questions
    fewest: int = 2  # least questions that contain a word of the vocabulary
    folds: int = 5
    near: float = 0.7  # cosine from which two questions share a fold
    precision: float = 0.97  # out of fold, at the threshold
    seed: int = 7


@dataclass(frozen=True, slots=True)
class TrainedScope:
    """`report` is for the file and for display: the chosen values, and their out-of-fold figures."""

    model: ScopeModel
    report: dict[str, float]


def labelled_questions(path: Path = _LABELLED) -> tuple[LabelledQuestion, ...]:
    """Read the labelled questions of a table; by default of corpuswide.tsv beside this file.

    Raises BadInput that names the invalid line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}).", _TABLE) from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not text in UTF-8.", _TABLE) from error
    found = []
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        label, split, question = line.split("\t") if line.count("\t") == 2 else ("", "", "")
        if (label, split) not in _KINDS or not question.strip():
            raise BadInput(f"{path}, line {number} is no labelled question.", _TABLE)
        found.append(LabelledQuestion(label, split, question))
    if not found:
        raise BadInput(f"{path} holds no question.", _TABLE)
    return tuple(found)


def trained_on(questions: Sequence[LabelledQuestion]) -> list[LabelledQuestion]:
    """Return the dev questions. Raises BadInput if they are all of one kind."""
    rows = [row for row in questions if row.split == "dev"]
    if len({row.label == "particular" for row in rows}) < 2:
        raise BadInput("To train, dev questions of both kinds are needed.", _TABLE)
    return rows


def scope_trained(rows: Sequence[LabelledQuestion], models: Models, context: TaskContext) -> TrainedScope:
    """Train a scope model on questions of both kinds. Raises Cancelled, ModelUnavailable."""
    vectors, parses = [], []
    for number, row in enumerate(rows):
        context.report("questions", number, len(rows), "dev")
        vectors.append(models.embed_question(row.question))
        parses.append(models.parse(row.question))
    labels = np.array([row.label for row in rows])
    return train(np.array(vectors), parses, labels != "particular", labels == "broad")


def train(
    vectors: Array,
    parses: Sequence[ParsedQuestion],
    wide: Flags,
    broad: Flags,
    settings: ScopeSettings = ScopeSettings(),
) -> TrainedScope:
    """Train on unit vectors (n, d), parses, whether each is about all documents, and whether about the whole of
    them.

    The same input gives the same model, but for rounding. Raises ValueError if all are of one kind.
    """
    if wide.all() or not wide.any():
        raise ValueError("questions of both kinds are needed")
    found = [signs(parsed) for parsed in parses]
    counts = Counter(sign for each in found for sign in each)
    vocabulary = tuple(sorted(sign for sign, count in counts.items() if count >= settings.fewest))
    x = np.array([features(v, own, vocabulary) for v, own in zip(vectors, found, strict=True)])
    groups = near_groups(vectors.astype(np.float64), settings.near)
    strength, guesses = min(
        ((strength, _out_of_fold(x, wide, groups, strength, settings)) for strength in settings.strengths),
        key=lambda pair: _loss(pair[1], wide),
    )
    guesses[[bool(in_particular(parsed)) for parsed in parses]] = 0.0
    threshold = _threshold(guesses, wide, settings.precision)
    taken = guesses > threshold
    model = ScopeModel(
        fit(x, wide, strength),
        fit(x[wide], broad[wide], strength) if broad.any() else np.zeros(x.shape[1] + 1),
        vocabulary,
        threshold,
    )
    report = {
        "questions": float(len(x)),
        "groups": float(len(set(groups.tolist()))),
        "strength": strength,
        "threshold": threshold,
        "precision": float((taken & wide).sum() / max(1, taken.sum())),
        "recall": float((taken & wide).sum() / wide.sum()),
    }
    return TrainedScope(model, report)


def fit(x: Array, labels: Flags, strength: float) -> Array:
    """Return weights (d + 1,), with the unpenalised bias last, by Newton's method."""
    if len(x) < x.shape[1]:
        # Weights lie in the span of the questions: few questions make a small system.
        basis, inside = np.linalg.qr(x.T)
        few = fit(inside.T, labels, strength)
        return np.append(basis @ few[:-1], few[-1])
    rows = np.column_stack([x, np.ones(len(x))])
    penalty = np.full(rows.shape[1], strength)
    penalty[-1] = 1e-9
    weights = np.zeros(rows.shape[1])
    for _ in range(50):
        p = sigmoid(rows @ weights)
        slope = rows.T @ (p - labels) + penalty * weights
        curvature = (rows * (p * (1 - p))[:, None]).T @ rows + np.diag(penalty)
        step = np.linalg.solve(curvature, slope)
        weights -= step
        if np.abs(step).max() < 1e-7:
            break
    return weights


def near_groups(x: Array, near: float) -> NDArray[np.intp]:
    """Return the group of each unit vector: connected components of vectors nearer than `near`."""
    close = x @ x.T > near
    groups = np.arange(len(x))
    for row in range(len(x)):
        met = np.unique(groups[close[row]])
        groups[np.isin(groups, met)] = met[0]
    return groups


def _out_of_fold(
    x: Array, labels: Flags, groups: NDArray[np.intp], strength: float, settings: ScopeSettings
) -> Array:
    """Return probabilities (n,) by models trained on neither the question nor one near it."""
    names, member = np.unique(groups, return_inverse=True)
    folds = (np.random.default_rng(settings.seed).permutation(len(names)) % settings.folds)[member]
    guesses = np.zeros(len(x))
    for fold in np.unique(folds):
        left = folds == fold
        weights = fit(x[~left], labels[~left], strength)
        guesses[left] = sigmoid(x[left] @ weights[:-1] + weights[-1])
    return guesses


def _loss(guesses: Array, labels: Flags) -> float:
    right = np.where(labels, guesses, 1.0 - guesses)
    return float(-np.log(np.maximum(right, 1e-12)).mean())


def _threshold(guesses: Array, labels: Flags, precision: float) -> float:
    """Return the lowest threshold at which precision holds; 0.99 if it never does."""
    for threshold in np.round(np.arange(0.5, 0.99, 0.01), 2):
        taken = guesses > threshold
        if (taken & labels).sum() >= precision * max(1, taken.sum()):
            return float(threshold)
    return 0.99
