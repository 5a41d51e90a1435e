"""How much retrieval keeps when a part of the graph is lost. A2RAG IV-F, figures 5 and 6."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.asking import Asker
from core.errors import BadInput
from core.evaluation.cached import open_cached
from core.evaluation.datasets import EvalQuestion, read_dataset
from core.evaluation.figures import Figure
from core.graph.build import Edges
from core.measuring.metrics import mean, recall_at
from core.models import Models
from core.progress import TaskContext
from core.retrieval.snapshot import Extracted
from core.store.facts import FactColumns

ROUTES = ("graph", "agentic")
SHARES = (0.1, 0.2, 0.4)
SEEDS = (1, 2, 3)
QUESTIONS = 100  # of each kind
DEPTH = 5
GOAL = (0.2, 0.92)  # lost, and the least share of its own recall that the agentic route keeps


def run(dataset: Path | None, context: TaskContext) -> dict[str, Figure]:
    """Recall@5 by route and loss, mean over three random losses. Raises BadInput without a data set."""
    if dataset is None:
        raise BadInput("The robustness benchmark needs a question set.", "Name its folder.")
    data = read_dataset(dataset, QUESTIONS)
    models = Models()
    workspace, _ = open_cached(data, context, models)
    try:
        workspace.load_models(context)
        losses = [(share, seed) for share in SHARES for seed in SEEDS]
        context.report("losses", 0, 1 + len(losses), data.name)
        whole = _recalls(workspace.retrieval.asker_over(None), data.questions, context)
        found: dict[tuple[str, float], list[float]] = {}
        for number, (share, seed) in enumerate(losses, start=1):
            context.report("losses", number, 1 + len(losses), f"{share:.0%}, seed {seed}")
            asker = workspace.retrieval.asker_over(partial(damaged, share=share, seed=seed))
            for route, recall in _recalls(asker, data.questions, context).items():
                found.setdefault((route, share), []).append(recall)
    finally:
        workspace.close()
    return _figures(whole, {key: mean(values) for key, values in found.items()}, len(data.questions))


def _recalls(asker: Asker, questions: Sequence[EvalQuestion], context: TaskContext) -> dict[str, float]:
    """Mean recall@5 of each route; gold passages are looked at after the retrieval."""
    found: dict[str, list[float]] = {route: [] for route in ROUTES}
    for question in questions:
        for route in ROUTES:
            _, retrieval = asker.retrieve(question.question, route, DEPTH, context)
            passages = [hit.passage_id for hit in retrieval.hits]
            found[route].append(recall_at(passages, question.supporting, DEPTH))
    return {route: mean(values) for route, values in found.items()}


def _figures(
    whole: dict[str, float], found: dict[tuple[str, float], float], questions: int
) -> dict[str, Figure]:
    """Recall beside the undamaged one, and the share that is kept beside that of the graph route."""
    figures = {f"recall@5, {route}, whole graph": Figure(whole[route], "") for route in ROUTES}
    for (route, share), recall in found.items():
        figures[f"recall@5, {route}, {share:.0%} lost"] = Figure(recall, "", whole[route])
    for share in SHARES:
        kept = {route: found[route, share] / max(whole[route], 1e-9) for route in ROUTES}
        goal = f">= {GOAL[1]}" if share == GOAL[0] else ""
        figures[f"kept, agentic, {share:.0%} lost"] = Figure(kept["agentic"], "", kept["graph"], goal)
    figures["questions"] = Figure(questions, "")
    return figures


def damaged(extracted: Extracted, share: float, seed: int) -> Extracted:
    """What is left when `share` (0..1) of the entities and of the facts are lost at random.

    An entity goes with its mentions, its facts and its synonyms; the same share of all facts goes
    besides. Passages and their vectors stay: it is the extraction that failed, not the reading.
    """
    generator = np.random.default_rng(seed)
    keys = extracted.entities.keys
    stays = np.flatnonzero(_kept(len(keys), share, generator))
    kept = keys[stays]
    facts = extracted.facts
    whole = _kept(len(facts.keys), share, generator)
    whole &= np.isin(facts.subjects, kept) & np.isin(facts.objects, kept)
    held = set(kept.tolist())
    linked = np.isin(extracted.synonyms.ends, kept).all(axis=1)
    return replace(
        extracted,
        entities=extracted.entities.kept(stays),
        aliases=tuple(alias for alias in extracted.aliases if alias[1] in held),
        occurrences=extracted.occurrences[np.isin(extracted.occurrences[:, 0], kept)],
        places=extracted.places[np.isin(extracted.places[:, 1], kept)],
        facts=FactColumns(
            facts.keys[whole], facts.subjects[whole], facts.objects[whole], facts.strengths[whole]
        ),
        synonyms=Edges(extracted.synonyms.ends[linked], extracted.synonyms.weights[linked]),
    )


def _kept(count: int, share: float, generator: np.random.Generator) -> NDArray[np.bool_]:
    """(count,) with `share` of it false."""
    lost = generator.permutation(count)[: round(share * count)]
    kept = np.ones(count, dtype=np.bool_)
    kept[lost] = False
    return kept
