"""Answers about all documents: how much of them they cover, how varied they are, and what they cost to read.

Comprehensiveness without a judge: of the top communities, the share of which a key fact is told.
Diversity: 1 minus the mean cosine of the passages shown, two by two (triple-layer GraphRAG 5.4).
With a language model as judge both are asked of it besides, head to head.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import BadInput
from core.evaluation.cached import open_cached
from core.evaluation.datasets import read_dataset
from core.evaluation.figures import Figure
from core.evaluation.judge import Judgement, judge
from core.evaluation.judge import figures as judge_figures
from core.hosts import own_config
from core.models import Models
from core.progress import TaskContext
from core.protocols import LanguageModel
from core.providers.tokenizer import WordPieceTokenizer
from core.types import Answer, CommunityReport
from core.workspace import Workspace

# Of all documents, whatever these are about.
QUESTIONS = (
    "What are the main themes of these documents?",
    "Give me an overview of the whole collection.",
    "Summarise what these documents are about.",
    "What are the most important topics across all documents?",
    "Who are the key people in this collection?",
    "Which organisations come up most often across the documents?",
    "Which places are mentioned most across all files?",
    "How did things develop over the years across the documents?",
)
BESIDE = ("dense", "graph")
KEY_FACTS = 3  # of a community: any of them told, and the community is covered


@dataclass(frozen=True, slots=True)
class _Told:
    """What one answer shows: words, the passages that carry them, and the tokens of these."""

    covered: float
    diversity: float
    tokens: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Measured:
    """`judgements` are empty without a judge."""

    figures: dict[str, Figure]
    judgements: tuple[Judgement, ...] = ()


def measure(
    dataset: Path | None, context: TaskContext, judged_by: str = "", settings: Sequence[str] = ()
) -> Measured:
    """The global route beside others that show as many passages; `judged_by` is "ollama:MODEL" or "".

    Raises BadInput without a question set, for a setting or model that there is none of; ModelUnavailable.
    """
    if dataset is None:
        raise BadInput("This benchmark needs a question set, for its passages.", "Name its folder.")
    models, config = Models(), own_config(settings)
    model = models.language_model(judged_by, config.models) if judged_by else None
    workspace, _ = open_cached(read_dataset(dataset), context, models, config=config)
    try:
        return _measure(workspace, models, model, context)
    finally:
        workspace.close()


def _measure(
    workspace: Workspace, models: Models, model: LanguageModel | None, context: TaskContext
) -> Measured:
    workspace.load_models(context)
    tops = [c for c in workspace.communities() if c.parent_id is None]
    reports = [workspace.community_report(community.id) for community in tops]
    every = _every_passage(workspace)
    told: dict[str, list[_Told]] = {route: [] for route in ("global", *BESIDE)}
    judged: list[Judgement] = []
    recognised = 0
    for number, question in enumerate(QUESTIONS):
        context.report("questions", number, len(QUESTIONS), question)
        answer = workspace.ask(question, context)
        recognised += answer.trace.route.name == "global"
        answer = workspace.ask(question, context, "global")
        told["global"].append(_measured(answer, reports, models))
        for route in BESIDE:
            other = workspace.ask(question, context, route, max(1, len(answer.evidence)))
            told[route].append(_measured(other, reports, models))
            if model is not None:
                judged += judge(model, question, answer, other, route, context)
    figures = _figures(told, every, len(tops), recognised)
    return Measured({**figures, **(judge_figures(judged) if judged else {})}, tuple(judged))


def _figures(told: Mapping[str, list[_Told]], every: int, tops: int, recognised: int) -> dict[str, Figure]:
    tokens = _mean([one.tokens for one in told["global"]])
    figures = {
        "top communities": Figure(tops, ""),
        "questions recognised": Figure(recognised / len(QUESTIONS), "", None, "1"),
        "tokens of every passage": Figure(every, ""),
        "tokens that a global answer reads": Figure(tokens, ""),
        "fewer tokens": Figure(1.0 - tokens / max(1, every), "", None, "at least 0.97"),
        "seconds of a global answer, median": Figure(
            float(np.median([one.seconds for one in told["global"]])), "s"
        ),
    }
    for route, found in told.items():
        figures[f"comprehensiveness, {route}"] = Figure(_mean([one.covered for one in found]), "")
        figures[f"diversity, {route}"] = Figure(_mean([one.diversity for one in found]), "")
    return figures


def _measured(answer: Answer, reports: Sequence[CommunityReport], models: Models) -> _Told:
    tokenizer = WordPieceTokenizer()
    texts = [f"{evidence.passage.title}\n{evidence.passage.text}" for evidence in answer.evidence]
    vectors = models.encoder().embed(texts, TaskContext()) if texts else np.zeros((0, 1), np.float32)
    passages = {evidence.passage.id for evidence in answer.evidence}
    words = " ".join((answer.text, *answer.sentences))
    covered = [_covers(words, passages, report) for report in reports]
    return _Told(
        _mean([float(one) for one in covered]),
        diversity(vectors),
        float(sum(tokenizer.count(text) for text in texts)),
        answer.trace.seconds,
    )


def _covers(words: str, passages: set[str], report: CommunityReport) -> bool:
    """Whether a key fact of the community is told: its evidence is shown, or it is said by its words."""
    facts = report.facts[:KEY_FACTS]
    return any(fact.citation.passage_id in passages or fact.words in words for fact in facts)


def diversity(vectors: NDArray[np.float32]) -> float:
    """1 minus the mean cosine of unit vectors (n, d), two by two; 0 for fewer than two."""
    n = len(vectors)
    if n < 2:
        return 0.0
    cosines = vectors @ vectors.T
    return 1.0 - float((cosines.sum() - np.trace(cosines)) / (n * (n - 1)))


def _every_passage(workspace: Workspace) -> int:
    """Tokens of all passages, counted."""
    tokenizer = WordPieceTokenizer()
    return sum(
        tokenizer.count(f"{passage.title}\n{passage.text}")
        for document in workspace.documents()
        for passage in workspace.passages_of(document.id)
    )


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0
