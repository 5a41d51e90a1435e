"""Robustness of compositions against the loss of a part of the graph. A2RAG IV-F, figures 5 and 6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.answering.ask import Asker
from core.errors import BadInput
from core.graph.build import Edges
from core.lab.metrics import mean
from core.progress import TaskContext
from core.research.datasets import EvalQuestion
from core.research.lab_run import Judge
from core.retrieval.compositions import Composition
from core.retrieval.path_ranking import Memo
from core.retrieval.snapshot import Extracted
from core.store.facts import FactColumns
from core.workspace import Workspace

NODES, EDGES, BOTH = "nodes", "edges", "both"
FIGURES = ("recall@5", "right")


@dataclass(frozen=True, slots=True)
class Robustness:
    """One figure of one composition over the questions to which it applies.

    `baseline` is measured on the entire graph, `damaged` with the share `lost` (0..1) removed, for each random
    loss.
    """

    composition: str
    figure: str  # of FIGURES
    lost: float
    baseline: float
    damaged: tuple[float, ...]

    @property
    def value(self) -> float:
        """Return the mean over the losses."""
        return mean(self.damaged)

    @property
    def share(self) -> float | None:
        """Return the share of the baseline that remains; None for a baseline of 0."""
        return self.value / self.baseline if self.baseline else None


def measure_robustness(
    workspace: Workspace,
    questions: Sequence[EvalQuestion],
    compositions: Mapping[str, Composition],
    shares: Sequence[float],
    context: TaskContext,
    target: str = BOTH,
    seeds: int = 3,
    answers: bool = False,
) -> list[Robustness]:
    """Measure each composition by figure and loss; losses are simulated on a copy in memory, with seeds from 1.

    `answers`: also score the reader's answers from the first five passages. Raises BadInput for invalid shares, and
    where a composition lacks what it needs; NothingIndexed, Cancelled.
    """
    if not shares or any(not 0 < share <= 1 for share in shares):
        raise BadInput(
            "What is lost is a share of the graph.", "Give shares above 0, up to 1, such as 0.1,0.2."
        )
    workspace.load_models(context)
    losses = [(share, seed) for share in shares for seed in range(1, seeds + 1)]
    context.report("losses", 0, 1 + len(losses), "the whole graph")

    def figures(asker: Asker) -> dict[tuple[str, str], float]:
        return _figures(Judge(workspace, asker, answers=answers), asker, questions, compositions, context)

    baseline, found = figures(workspace.retrieval.asker()), dict[tuple[str, str, float], list[float]]()
    for number, (share, seed) in enumerate(losses, start=1):
        context.report("losses", number, 1 + len(losses), f"{share:.0%}, seed {seed}")
        asker = workspace.retrieval.asker_over(partial(damaged, share=share, seed=seed, target=target))
        for (name, figure), value in figures(asker).items():
            found.setdefault((name, figure, share), []).append(value)
    return [
        Robustness(name, figure, share, value, tuple(found[name, figure, share]))
        for (name, figure), value in baseline.items()
        for share in shares
    ]


def _figures(
    judge: Judge,
    asker: Asker,
    questions: Sequence[EvalQuestion],
    compositions: Mapping[str, Composition],
    context: TaskContext,
) -> dict[tuple[str, str], float]:
    """Return the means by composition and figure."""
    memo = Memo()
    retrievers = {name: asker.compose(each, memo) for name, each in compositions.items()}
    found: dict[tuple[str, str], list[float]] = {}
    for question in questions:
        for name, retriever in retrievers.items():
            context.check()
            measures = judge.row(name, retriever, question, "", context).measures
            for figure in FIGURES:
                if figure in measures:
                    found.setdefault((name, figure), []).append(measures[figure])
    ordered = ((name, figure) for name in compositions for figure in FIGURES)
    return {key: mean(found[key]) for key in ordered if key in found}


def damaged(extracted: Extracted, share: float, seed: int, target: str = BOTH) -> Extracted:
    """Remove a random `share` (0..1) of the entities (`target` "nodes"), of the facts ("edges") or of each ("both").

    The same seed removes the same. An entity goes with its mentions, facts and synonyms; with "both" the same share of
    all facts goes as well. Passages and their vectors stay: the damage models failed extraction, not failed reading.
    """
    generator = np.random.default_rng(seed)
    keys, facts = extracted.entities.keys, extracted.facts
    stays = np.flatnonzero(_random_mask(len(keys), share if target != EDGES else 0.0, generator))
    entity_keys = keys[stays]
    mask = _random_mask(len(facts.keys), share if target != NODES else 0.0, generator)
    mask &= np.isin(facts.subjects, entity_keys) & np.isin(facts.objects, entity_keys)
    key_set = set(entity_keys.tolist())
    linked = np.isin(extracted.synonyms.ends, entity_keys).all(axis=1)
    return replace(
        extracted,
        entities=extracted.entities.take(stays),
        aliases=tuple(alias for alias in extracted.aliases if alias[1] in key_set),
        occurrences=extracted.occurrences[np.isin(extracted.occurrences[:, 0], entity_keys)],
        places=extracted.places[np.isin(extracted.places[:, 1], entity_keys)],
        facts=FactColumns(facts.keys[mask], facts.subjects[mask], facts.objects[mask], facts.strengths[mask]),
        synonyms=Edges(extracted.synonyms.ends[linked], extracted.synonyms.weights[linked]),
    )


def _random_mask(count: int, share: float, generator: np.random.Generator) -> NDArray[np.bool_]:
    """Return a mask (count,) of which `share` is false."""
    lost = generator.permutation(count)[: round(share * count)]
    mask = np.ones(count, dtype=np.bool_)
    mask[lost] = False
    return mask
