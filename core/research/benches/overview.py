"""Answers about all documents, against the outline that the documents have of their own.

Headings, titles, tables of contents and names of folders are taken out of the text; what is told of the rest is held
against them. An entry is matched by a theme whose name holds half of the entry's content words, or is near to it; and
so are the largest themes and titles of communities, the largest and any, in the same number. A heading that several
documents have is asked for, too: they are the ones to tell of it. With a language model as judge answers are compared
head to head besides.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import platformdirs

from core.answering.models import Models
from core.errors import BadInput
from core.lab.metrics import mean
from core.models.hosts import own_config
from core.progress import TaskContext
from core.protocols import Encoder, LanguageModel
from core.research.benches.figures import Figure
from core.research.benches.index import sample_folder
from core.research.benches.judge import Judgement, judge
from core.research.benches.judge import figures as judge_figures
from core.research.benches.outlines import read_outlined, without_outline
from core.research.datasets import CORPUS, DOCUMENTS, read_dataset
from core.research.index_cache import open_cached
from core.retrieval.selection.wording import content_words
from core.types import Answer
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
BROAD = QUESTIONS[:4]  # they are told by themes
TOLD = (5, 8, 12)  # themes that are looked at, the first of the answer
ABOUT = "What do these documents say about {}?"
_HEADINGS = (
    3,
    1 / 3,
    60,
)  # documents that have one at least, and which share of all at most; how many are asked for
BESIDE = ("dense", "graph")
WORDS = 0.5  # share of an entry's content words that a name holds
COSINE = 0.5  # of an entry and a name, by the encoder that ships
_DRAWN = 20  # times that communities are taken at random


@dataclass(frozen=True, slots=True)
class Measured:
    """`judgements` are empty without a judge."""

    figures: dict[str, Figure]
    judgements: tuple[Judgement, ...] = ()


def measure(
    dataset: Path | None, context: TaskContext, judged_by: str = "", settings: Sequence[str] = ()
) -> Measured:
    """`dataset` is a folder of documents, a question set of one, or of passages, which have no outline; without one
    the sample folder serves. `judged_by` is "ollama:MODEL" or "".

    Raises BadInput for a setting or model that there is none of, or a judge without a data set; ModelUnavailable.
    """
    if dataset is None and judged_by:
        raise BadInput("A judge needs a question set.", "Name its folder.")
    models, config = Models(), own_config(settings)
    outlined = None
    if dataset is not None and (dataset / CORPUS).is_file():
        corpus = read_dataset(dataset)
    else:
        folder = sample_folder() if dataset is None else dataset
        folder = folder / DOCUMENTS if (folder / DOCUMENTS).is_dir() else folder
        outlined = read_outlined(folder, context)
        corpus = without_outline(folder, outlined, Path(platformdirs.user_cache_dir("clew")) / "eval")
    workspace, _ = open_cached(corpus, context, models, config=config)
    try:
        model = workspace._language_model(judged_by) if judged_by else None
        workspace.load_models(context)
        figures, judged = _asked(workspace, model, context)
        figures |= _tokens(workspace, models.encoder(), context)
        if outlined is not None and outlined.entries:
            figures |= _against(outlined.entries, workspace, models.encoder(), context)
            figures |= _specific(outlined.headings, len(outlined.texts), workspace, context)
        return Measured(figures, tuple(judged))
    finally:
        workspace.close()


def _asked(
    workspace: Workspace, model: LanguageModel | None, context: TaskContext
) -> tuple[dict[str, Figure], list[Judgement]]:
    judged: list[Judgement] = []
    seconds: list[float] = []
    recognised = 0
    for number, question in enumerate(QUESTIONS):
        context.report("questions", number, len(QUESTIONS), question)
        recognised += workspace.ask(question, context).trace.route.name == "global"
        answer = workspace.ask(question, context, "global")
        seconds.append(answer.trace.seconds)
        if model is not None:
            for route in BESIDE:
                other = workspace.ask(question, context, route, max(1, len(answer.evidence)))
                judged += judge(model, question, answer, other, route, context)
    figures = {
        "questions recognised": Figure(recognised / len(QUESTIONS), "", None, "1"),
        "seconds of a global answer, median": Figure(float(np.median(seconds)), "s"),
    }
    return {**figures, **(judge_figures(judged) if judged else {})}, judged


def _against(
    entries: Sequence[str], workspace: Workspace, encoder: Encoder, context: TaskContext
) -> dict[str, Figure]:
    """How much of the outline is matched, and by how many of the names, beside communities of the same number."""
    title_lists = [_titles(workspace.ask(question, context, "global")) for question in BROAD]
    communities = workspace.graph.communities()
    tops = sorted((c for c in communities if c.parent_id is None), key=lambda c: (-len(c.entity_ids), c.id))
    largest = workspace.retrieval.asker().overview.largest()
    drawn = random.Random(7)
    figures = {
        "entries of the outline": Figure(len(entries), ""),
        "themes": Figure(len(largest), ""),
    }
    near = _near(entries, encoder, context)
    for count in TOLD:
        some = [
            [c.label for c in drawn.sample(communities, min(count, len(communities)))] for _ in range(_DRAWN)
        ]
        ways = {
            "themes": [titles[:count] for titles in title_lists],
            "largest themes": [largest[:count]],
            "largest communities": [[community.label for community in tops[:count]]],
            "random communities": some,
        }
        for by, matches in {"words": _by_words(entries), "cosine": near}.items():
            scores = {way: [_score(matches(names)) for names in lists] for way, lists in ways.items()}
            for at, what in enumerate(("entries matched", "names that match")):
                before = mean([score[at] for score in scores["largest themes"]])
                for way, found in scores.items():
                    baseline = before if way == "themes" else None
                    name = f"{what} by {by}, {count} told, {way}"
                    figures[name] = Figure(mean([score[at] for score in found]), "", baseline)
    return figures


def _titles(answer: Answer) -> list[str]:
    return [community.title for community in answer.communities]


def _specific(
    headings: Mapping[str, frozenset[int]], documents: int, workspace: Workspace, context: TaskContext
) -> dict[str, Figure]:
    """How many of the first sentences told of a heading are of documents that had it, which is not in the text."""
    least, most, asked = _HEADINGS
    usable = [h for h, owners in headings.items() if least <= len(owners) <= most * documents]
    rows: list[list[float]] = []
    paths = {document.id: document.path for document in workspace.documents.all()}
    for heading in sorted(usable, key=lambda h: (-len(headings[h]), h))[:asked]:
        answer = workspace.ask(ABOUT.format(heading), context, "global")
        # The texts are called by their numbers, from 1.
        cited = [int(Path(paths[citation.document_id]).stem) - 1 for citation in answer.citations]
        own = [number in headings[heading] for number in cited]
        by_chance = len(headings[heading]) / documents
        rows.append([mean(own[:count]) if own else 0.0 for count in TOLD] + [by_chance])
    if not rows:
        return {}
    figures = {"headings asked for": Figure(len(rows), "")}
    for at, count in enumerate(TOLD):
        name = f"sentences from documents with the heading, {count} told"
        figures[name] = Figure(mean([row[at] for row in rows]), "", mean([row[-1] for row in rows]))
    return figures


def _tokens(workspace: Workspace, encoder: Encoder, context: TaskContext) -> dict[str, Figure]:
    """Tokens, as the encoder counts them, of all passages, and of what an answer about all of them is made of.

    Triple-layer GraphRAG 4.4.3: summaries of communities are 3 % of the documents.
    """

    def counted(texts: Sequence[str]) -> int:
        return sum(encoder.tokenizer.counts(texts))

    documents = [document.id for document in workspace.documents.all()]
    every = counted([p.text for id in documents for p in workspace.passages.of_document(id)])
    figures = {"tokens of all passages": Figure(every, "")}
    answers = [workspace.ask(question, context, "global") for question in BROAD]
    read = mean([float(counted([e.passage.text for e in answer.evidence])) for answer in answers])
    answer_tokens = mean([float(counted([answer.text, *answer.sentences])) for answer in answers])
    figures["tokens of the passages of a global answer, share"] = Figure(read / max(1, every), "")
    figures["tokens of its words, share"] = Figure(answer_tokens / max(1, every), "", None, "0.03")
    communities = workspace.graph.communities()
    for level in sorted({community.level for community in communities}):
        reports = [workspace.reports.get(c.id) for c in communities if c.level == level]
        tokens = counted([text for r in reports for text in (r.title, *(s.text for s in r.statements))])
        goal = "0.03" if level == max(community.level for community in communities) else ""
        figures[f"tokens of all reports of level {level}, share"] = Figure(
            tokens / max(1, every), "", None, goal
        )
    return figures


def _by_words(entries: Sequence[str]) -> Callable[[Sequence[str]], np.ndarray]:
    wanted = [frozenset(content_words(entry)) for entry in entries]

    def matches(names: Sequence[str]) -> np.ndarray:
        name_words = [frozenset(content_words(name)) for name in names]
        return np.array([[bool(e) and len(e & h) >= WORDS * len(e) for h in name_words] for e in wanted])

    return matches


def _near(
    entries: Sequence[str], encoder: Encoder, context: TaskContext
) -> Callable[[Sequence[str]], np.ndarray]:
    wanted = encoder.embed(entries, context)
    return lambda names: np.asarray(wanted @ encoder.embed(names, context).T >= COSINE)


def _score(matches: np.ndarray) -> tuple[float, float]:
    """Of matches (entries, names): the share of entries that a name matches, and of names that match one."""
    if not matches.size:
        return 0.0, 0.0
    return float(matches.any(axis=1).mean()), float(matches.any(axis=0).mean())
