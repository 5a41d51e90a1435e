"""Runs a question set over the routes of a workspace and sums up what was found."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs

from core.config import Config
from core.evaluation.datasets import Dataset
from core.evaluation.metrics import DEPTH, mean, measures, percentile
from core.identity import stable_id
from core.models import Models
from core.progress import TaskContext
from core.protocols import Extractor
from core.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Row:
    """Means over the questions of one kind on one route; latencies in milliseconds."""

    questions: int
    measures: dict[str, float]
    p50: float
    p95: float


@dataclass(frozen=True, slots=True)
class RouteReport:
    """`shares` of the routes that `auto` took; empty for the others."""

    kinds: dict[str, Row]
    shares: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EvalReport:
    dataset: str
    passages: int
    index_seconds: float  # 0 when the workspace was in the cache already
    routes: dict[str, RouteReport]


def open_cached(
    dataset: Dataset, context: TaskContext, models: Models, extractor: Extractor | None = None
) -> tuple[Workspace, float]:
    """The data set's workspace in the user's cache folder, indexed, and the seconds that took.

    With an `extractor` in place of the rules it has a workspace of its own, by the extractor's version.
    """
    name = f"{dataset.name}-{dataset.fingerprint}"
    if extractor is not None:
        name += f"-{extractor.name}-{stable_id(extractor.version)}"
    folder = Path(platformdirs.user_cache_dir("clew")) / "eval" / name
    workspace = Workspace.open(folder, create=True, config=Config(), models=models)
    begin = time.perf_counter()
    before = workspace.revision
    workspace.index_passages(dataset.passages, context, extractor)
    spent = time.perf_counter() - begin
    return workspace, 0.0 if workspace.revision == before else spent


def evaluate(
    workspace: Workspace, dataset: Dataset, routes: list[str], index_seconds: float, context: TaskContext
) -> EvalReport:
    """Ask every question on every route. Latency is from the question to its hits, encoding included."""
    workspace.load_models(context)
    reports: dict[str, RouteReport] = {}
    for number, route in enumerate(routes):
        reports[route] = _route(
            workspace, dataset, route, number * len(dataset.questions), len(routes), context
        )
    return EvalReport(dataset.name, len(dataset.passages), index_seconds, reports)


def _route(
    workspace: Workspace, dataset: Dataset, route: str, done: int, routes: int, context: TaskContext
) -> RouteReport:
    found: dict[str, list[dict[str, float]]] = {}
    times: dict[str, list[float]] = {}
    taken: Counter[str] = Counter()
    for number, question in enumerate(dataset.questions):
        context.report("questions", done + number + 1, routes * len(dataset.questions), route)
        workspace.forget_questions()
        begin = time.perf_counter()
        name, retrieval = workspace.retrieve(question.question, context, route, DEPTH)
        spent = (time.perf_counter() - begin) * 1000.0
        taken[name] += 1
        scores = measures([hit.passage_id for hit in retrieval.hits], question.supporting)
        for kind in (question.kind, "all"):
            found.setdefault(kind, []).append(scores)
            times.setdefault(kind, []).append(spent)
    kinds = {kind: _row(rows, times[kind]) for kind, rows in found.items()}
    shares = {name: count / taken.total() for name, count in sorted(taken.items())}
    return RouteReport(kinds, shares if route == "auto" else {})


def _row(rows: list[dict[str, float]], times: list[float]) -> Row:
    means = {name: mean([row[name] for row in rows]) for name in rows[0]}
    return Row(len(rows), means, percentile(times, 0.5), percentile(times, 0.95))
