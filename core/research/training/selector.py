"""Training of the second stage: choose, see what is missing, choose again (torch, at training time only).

Each round lets the previous model choose passages one by one and learns, at every step, to rank the missing gold
passages first; so it sees its own mistakes (imitation with the learner's own states: Ross et al. 2011, DAgger).
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.answering.models import Models
from core.lab.metrics import mean
from core.progress import TaskContext
from core.research.datasets import Dataset, each_question
from core.retrieval.selection.model import SelectionModel
from core.retrieval.selection.pool import SIGNALS, Pool, signals
from core.retrieval.selection.selector import choose

Floats = NDArray[np.float32]
_CLIP = 5.0


@dataclass(frozen=True, slots=True)
class Example:
    """One question's pool. `gold` (n,) marks its evidence, `total` counts all evidence of the question."""

    pool: Pool
    gold: NDArray[np.bool_]
    total: int
    group: str  # data set and kind
    fold: int  # related questions share one
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class FitSettings:
    hidden: int = 16
    rounds: int = 3
    epochs: int = 8
    rate: float = 3e-3
    decay: float = 1e-2
    dropout: float = 0.2
    steps: int = 5
    batch: int = 128
    seed: int = 7


@dataclass(frozen=True, slots=True)
class _States:
    """Rows are states before a choice, padded to the widest pool."""

    values: Floats  # (m, width, d) standardised
    wanted: Floats  # (m, width) 1 for missing evidence
    open: NDArray[np.bool_]  # (m, width) candidates that may be chosen
    weights: Floats  # (m,)


def fit(
    examples: Sequence[Example], context: TaskContext, settings: FitSettings = FitSettings()
) -> SelectionModel:
    """Train the model. Raises ValueError when no pool contains evidence; Cancelled."""
    examples = [example for example in examples if example.gold.any()]
    if not examples:
        raise ValueError("No pool holds any evidence: there is nothing to learn from.")
    generator = np.random.default_rng(settings.seed)
    centre, scale = _standard(examples)
    states: list[_States] = []
    model: SelectionModel | None = None
    for number in range(settings.rounds):
        context.report("second stage", number, settings.rounds, f"round {number + 1}")  # not shown
        states.append(_visit(examples, model, centre, scale, generator, settings))
        model = _learn(_joined(states), centre, scale, settings, context)
    assert model is not None
    return model


def _standard(examples: Sequence[Example]) -> tuple[Floats, Floats]:
    """Return mean and spread of the signals before and after a first right choice."""
    values = [signals(e.pool, []) for e in examples]
    values += [signals(e.pool, [int(np.flatnonzero(e.gold)[0])]) for e in examples]
    stacked = np.concatenate(values)
    return stacked.mean(0).astype(np.float32), (stacked.std(0) + 1e-3).astype(np.float32)


def _visit(
    examples: Sequence[Example],
    model: SelectionModel | None,
    centre: Floats,
    scale: Floats,
    generator: np.random.Generator,
    settings: FitSettings,
) -> _States:
    """Return the states that the model visits; without a model, noisy ones, half guided by the gold."""
    width = max(len(example.pool) for example in examples)
    rows: list[tuple[Floats, Floats, NDArray[np.bool_], float]] = []
    for example in examples:
        chosen: list[int] = []
        for step in range(min(settings.steps, len(example.pool))):
            wanted = example.gold.astype(np.float32)
            wanted[chosen] = 0.0
            if not wanted.any():
                break
            values = signals(example.pool, chosen)
            rows.append(_padded(values, wanted, chosen, width, centre, scale, example.weight * 0.85**step))
            if model is None:
                led = 2.0 * wanted * float(generator.random() < 0.5)
                scores = np.log(example.pool.alone[:, 0]) + generator.normal(0, 0.5, len(values)) + led
            else:
                scores = model.score(values)
            scores[chosen] = -np.inf
            chosen.append(int(scores.argmax()))
    return _States(
        np.stack([row[0] for row in rows]),
        np.stack([row[1] for row in rows]),
        np.stack([row[2] for row in rows]),
        np.array([row[3] for row in rows], dtype=np.float32),
    )


def _padded(
    values: NDArray[np.float64],
    wanted: Floats,
    chosen: Sequence[int],
    width: int,
    centre: Floats,
    scale: Floats,
    weight: float,
) -> tuple[Floats, Floats, NDArray[np.bool_], float]:
    n = len(values)
    room = np.zeros((width, len(SIGNALS)), dtype=np.float32)
    room[:n] = np.clip((values - centre) / scale, -_CLIP, _CLIP)
    target = np.zeros(width, dtype=np.float32)
    target[:n] = wanted
    free = np.zeros(width, dtype=bool)
    free[:n] = True
    free[list(chosen)] = False
    return room, target, free, weight


def _joined(states: Sequence[_States]) -> _States:
    return _States(
        np.concatenate([s.values for s in states]),
        np.concatenate([s.wanted for s in states]),
        np.concatenate([s.open for s in states]),
        np.concatenate([s.weights for s in states]),
    )


def _learn(
    states: _States, centre: Floats, scale: Floats, settings: FitSettings, context: TaskContext
) -> SelectionModel:
    """Train a softmax over the candidates; half the loss asks for any missing evidence, half for all of it."""
    import torch

    torch.manual_seed(settings.seed)
    d, h = len(SIGNALS), settings.hidden
    direct = torch.nn.Linear(d, 1, bias=False)
    first, second, last = torch.nn.Linear(d, h), torch.nn.Linear(h, h), torch.nn.Linear(h, 1, bias=False)
    drop = torch.nn.Dropout(settings.dropout)
    net = torch.nn.ModuleList([direct, first, second, last])
    values, wanted, free, weights = (
        torch.from_numpy(a) for a in (states.values, states.wanted, states.open, states.weights)
    )
    batches = -(-len(values) // settings.batch)
    optimiser = torch.optim.AdamW(net.parameters(), lr=settings.rate, weight_decay=settings.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, settings.rate, total_steps=settings.epochs * batches
    )
    for _ in range(settings.epochs):
        context.check()
        for rows in torch.randperm(len(values)).split(settings.batch):  # type: ignore[no-untyped-call]
            x = values[rows]
            hidden = torch.relu(second(drop(torch.relu(first(x)))))
            logits = (direct(x) + last(hidden)).squeeze(-1).masked_fill(~free[rows], -1e4)
            shares = torch.log_softmax(logits, 1)
            target = wanted[rows]
            any_of = torch.logsumexp(shares.masked_fill(target == 0, -1e4), 1)
            all_of = (shares * target).sum(1) / target.sum(1)
            loss = -((any_of + all_of) * 0.5 * weights[rows]).sum() / weights[rows].sum()
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            schedule.step()

    def array(tensor: torch.Tensor) -> Floats:
        return tensor.detach().numpy().astype(np.float32)

    return SelectionModel(
        centre, scale, array(direct.weight[0]), array(first.weight), array(first.bias),
        array(second.weight), array(second.bias), array(last.weight[0]),
    )  # fmt: skip


def cross_validate(
    examples: Sequence[Example],
    measure: Callable[[SelectionModel, Sequence[Example]], list[tuple[str, tuple[float, ...]]]],
    context: TaskContext,
    settings: FitSettings = FitSettings(),
) -> list[tuple[str, tuple[float, ...]]]:
    """Apply `measure` to every example with a model trained without its fold."""
    found = []
    for fold in sorted({example.fold for example in examples}):
        model = fit([e for e in examples if e.fold != fold], context, settings)
        found += measure(model, [e for e in examples if e.fold == fold])
    return found


FOLDS = 5
DEPTHS = (2, 5, 10)


def collect(dataset: Dataset, models: Models, context: TaskContext) -> list[Example]:
    """Return two examples a question: the candidates from the graph and from the fusion."""
    found = []
    for workspace, question in each_question(dataset, models, context):
        # Sub-questions have the id of their question and a number: they must share a fold.
        family = f"{dataset.name} {question.id.partition('-')[0]}"
        for route, (ids, pool) in (
            workspace.retrieval.asker().rankings.pools(question.question, context).items()
        ):
            gold = np.array([passage in question.supporting for passage in ids], dtype=bool)
            fold = zlib.crc32(family.encode()) % FOLDS
            group = f"{dataset.name} {question.kind} {route}"
            found.append(Example(pool, gold, len(question.supporting), group, fold))
    return found


def balanced(examples: Sequence[Example]) -> list[Example]:
    """Weight the examples so that a data set counts by the square root of its size."""
    sizes = Counter(example.group for example in examples)
    return [replace(e, weight=10.0 / sizes[e.group] ** 0.5) for e in examples]


def measured(
    model: SelectionModel | None, examples: Sequence[Example]
) -> list[tuple[str, tuple[float, ...]]]:
    """Return (group, recall at 2, 5 and 10) of each example; without a model, of the first stage."""
    found = []
    for example in examples:
        order = choose(example.pool, model.score)[0] if model else list(range(len(example.pool)))
        hits = example.gold[order]
        found.append((example.group, tuple(float(hits[:k].sum()) / example.total for k in DEPTHS)))
    return found


def train(examples: Sequence[Example], context: TaskContext) -> tuple[SelectionModel, dict[str, object]]:
    """Fit the model on all examples, and report by group: first stage, cross-validated."""
    weighted = balanced(examples)
    cv_results = cross_validate(weighted, measured, context)
    model = fit(weighted, context)
    report: dict[str, object] = {
        "folds": FOLDS,
        "examples": len(examples),
        "first_stage": _means(measured(None, examples)),
        "cross_validated": _means(cv_results),
    }
    return model, report


def _means(rows: Sequence[tuple[str, tuple[float, ...]]]) -> dict[str, dict[str, float]]:
    groups = sorted({group for group, _ in rows})
    return {
        group: {
            f"recall@{k}": round(mean([values[at] for g, values in rows if g == group]), 4)
            for at, k in enumerate(DEPTHS)
        }
        for group in groups
    }
