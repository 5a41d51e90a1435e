"""Training of the judge of names: people's labels of public texts, and judged names of folders.

A line of public labels is a name with its kind alone; a line about a workspace says besides how the name is used there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.answering.models import Models
from core.errors import BadInput
from core.extraction.name_judge import FEATURES, KINDS, NONE, Array, NameJudge, is_judged
from core.files.safe_files import parse_json
from core.ingest.map_content import NODE, measure_names, speaker_keys
from core.progress import TaskContext
from core.store.settings import MINILM
from core.store.store import Store

# Inverse of the penalties: what is a thing is learned from few names of folders, kinds from many public ones.
_STRENGTHS = (0.3, 1.0)
_LINE = 'Write a JSON object a line: "name", "kind", and "source" of public labels or "workspace" of a judged name.'


@dataclass(frozen=True, slots=True)
class LabelledName:
    """A name and its kind of KINDS; `source`: its corpus or workspace; `features` of a name in a workspace."""

    name: str
    kind: str
    source: str
    features: Array | None = None


def read_labels(paths: Sequence[Path]) -> list[LabelledName]:
    """Read labelled names and measure those of workspaces. Raises BadInput for lines of another form."""
    lines = [
        (path, line)
        for path in paths
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.strip()
    ]
    found: list[LabelledName] = []
    judged: dict[str, dict[str, str]] = {}
    for path, line in lines:
        try:
            row: Any = parse_json(line)
            name, kind = str(row["name"]), str(row["kind"])
            if kind not in KINDS:
                raise ValueError(kind)
            if "workspace" in row:
                judged.setdefault(str(row["workspace"]), {})[name] = kind
            else:
                found.append(LabelledName(name, kind, str(row["source"])))
        except (ValueError, KeyError, TypeError) as error:
            raise BadInput(f"A line of {path.name} is no labelled name: {line[:80]}", _LINE) from error
    for workspace, kinds in judged.items():
        found += _measured(Path(workspace), kinds)
    return found


def _measured(workspace: Path, kinds: dict[str, str]) -> list[LabelledName]:
    store = Store(workspace, MINILM.model, MINILM.dimension, read_only=True)
    try:
        own = {
            row.key: row.name for row in store.entities.rows() if row.name in kinds and is_judged(row.label)
        }
        names = store.name_uses.read(list(own))
        rows = measure_names(store, names, speaker_keys(store))
        return [
            LabelledName(own[name.key], kinds[own[name.key]], str(workspace), row)
            for name, row in zip(names, rows, strict=True)
        ]
    finally:
        store.close()


def train_judge(
    labels: Sequence[LabelledName], models: Models, context: TaskContext
) -> tuple[NameJudge, dict[str, dict[str, float]]]:
    """Fit a judge to all labels; and how each judged workspace fares by one that was not trained on it.

    Raises BadInput without names of two workspaces.
    """
    if len({label.source for label in labels if label.features is not None}) < 2:
        raise BadInput("Names of two workspaces are needed: each is judged by what the others teach.", _LINE)
    vectors = models.encoder().embed([label.name for label in labels], context)
    sources = [label.source for label in labels if label.features is not None]
    judged = {}
    for number, source in enumerate(dict.fromkeys(sources)):
        context.report("training", number, len(set(sources)) + 1)
        apart = np.array([label.source == source for label in labels])
        judge = _fit(labels, vectors, ~apart)
        judged[source] = _score(judge, [label for label in labels if label.source == source], vectors[apart])
    return _fit(labels, vectors, np.ones(len(labels), dtype=bool)), judged


def _fit(labels: Sequence[LabelledName], vectors: NDArray[np.float32], rows: NDArray[np.bool_]) -> NameJudge:
    """Fit a judge to these rows: each source counts the same, names of workspaces as much as public ones together."""
    own = [label for label, is_own in zip(labels, rows.tolist(), strict=True) if is_own]
    is_used = np.array([label.features is not None for label in own])
    features = np.array([np.zeros(FEATURES) if label.features is None else label.features for label in own])
    sizes: dict[str, int] = {}
    for label in own:
        sizes[label.source] = sizes.get(label.source, 0) + 1
    weights = np.array([1.0 / sizes[label.source] for label in own])
    for part in (is_used, ~is_used):
        if part.any():
            weights[part] *= is_used.sum() / weights[part].sum()
    parts = (features, vectors[rows], [label.kind for label in own], weights, is_used)
    return fit_judge(*parts, *_STRENGTHS)


def _score(
    judge: NameJudge, labels: Sequence[LabelledName], vectors: NDArray[np.float32]
) -> dict[str, float]:
    """Return how often a judge is right about nodes, and about the kind of true ones."""
    features = np.array([label.features for label in labels])
    shares = judge.probabilities(features, vectors)
    none = KINDS.index(NONE)
    is_thing = np.array([label.kind != NONE for label in labels])
    right = (1 - shares[:, none] > NODE) == is_thing
    shares[:, none] = -1
    kinds = np.array(KINDS)[shares.argmax(axis=1)]
    own = kinds == np.array([label.kind for label in labels])
    return {
        "names": float(len(labels)),
        "nodes right": float(right.mean()),
        "kinds right": float(own[is_thing].mean()) if is_thing.any() else 0.0,
    }


def fit_judge(
    features: Array,
    vectors: NDArray[np.floating],
    kinds: Sequence[str],
    weights: Array,
    is_used: NDArray[np.bool_],
    strength: float,
    kind_strength: float,
) -> NameJudge:
    """Fit a judge by weighted cross-entropy with an L2 penalty, by L-BFGS.

    `is_used` (n,): whether the features of a name are known; of others its vector alone is learned from. The strengths
    are the inverse of the penalty, for what is a thing and for its kind.
    """
    centre, scale = features[is_used].mean(axis=0), features[is_used].std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    features = np.where(is_used[:, None], features, centre)
    width = features.shape[1] + vectors.shape[1]
    none = (np.zeros((width, len(KINDS))), np.zeros(len(KINDS)))
    inputs = NameJudge(centre, scale, *none, *none).inputs(features, vectors)
    targets = np.eye(len(KINDS))[[KINDS.index(k) for k in kinds]]
    parts = (_fit_softmax(inputs, targets, weights, each) for each in (strength, kind_strength))
    return NameJudge(centre, scale, *next(parts), *next(parts))


def _fit_softmax(inputs: Array, targets: Array, weights: Array, strength: float) -> tuple[Array, Array]:
    from scipy.optimize import minimize

    width = inputs.shape[1]

    def loss(flat: Array) -> tuple[float, Array]:
        own, bias = flat[: -len(KINDS)].reshape(width, len(KINDS)), flat[-len(KINDS) :]
        logits = inputs @ own + bias
        logits -= logits.max(axis=1, keepdims=True)
        log_shares = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        value = -(weights * (targets * log_shares).sum(axis=1)).sum() + (own**2).sum() / (2 * strength)
        errors = (np.exp(log_shares) - targets) * weights[:, None]
        slope = inputs.T @ errors + own / strength
        return float(value), np.concatenate([slope.ravel(), errors.sum(axis=0)])

    start = np.zeros((width + 1) * len(KINDS))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 200}).x
    return found[: -len(KINDS)].reshape(width, len(KINDS)), found[-len(KINDS) :]
