"""How much retrieval keeps when a part of the graph is lost. A2RAG IV-F, figures 5 and 6."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from core.asking import Asker
from core.errors import BadInput
from core.evaluation.cached import open_cached
from core.evaluation.damage import damaged
from core.evaluation.datasets import EvalQuestion, read_dataset
from core.evaluation.figures import Figure
from core.evaluation.metrics import mean, recall_at
from core.models import Models
from core.progress import TaskContext

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
