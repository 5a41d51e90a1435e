"""Compositions compared on the same questions; modules that two share run once. LEGO-GraphRAG 4.1.

A run is a file of JSON lines: a header that identifies it, then a row for each composition and question. A stopped
run can be resumed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from core.config import changed
from core.errors import ModelFault
from core.extraction.names import normalise
from core.lab.metrics import DEPTH
from core.lab.rows import FORMAT, LabRow, as_line, begun
from core.models.capped import budgeted
from core.models.reader import ReaderPassage
from core.progress import TaskContext
from core.research.datasets import EvalQuestion
from core.research.gold import Gold
from core.retrieval.composed import ComposedRetriever
from core.retrieval.compositions import Composition, as_toml
from core.retrieval.memo import Memo
from core.retrieval.path_ranking import Composed
from core.text.answer_score import is_right, score_answer
from core.types import Retrieval
from core.types.cost import measured
from core.types.identity import stable_id
from core.workspace import Workspace

if TYPE_CHECKING:
    from core.answering.ask import Asker

READ = 5  # passages that the reader is given


def run(
    workspace: Workspace,
    questions: Sequence[EvalQuestion],
    compositions: Mapping[str, Composition],
    out: Path,
    context: TaskContext,
    jobs: int = 1,
) -> list[LabRow]:
    """Run the compositions and return all rows, those already in `out` included. Gold is read only after retrieval.

    More `jobs` finish sooner, but each question takes longer; memory peaks are measured only with one job.

    Raises BadInput where a composition lacks what it needs, or `out` belongs to another run; Cancelled.
    """
    workspace.load_models(context)
    asker, memo = workspace.retrieval.asker(), Memo(peaks=jobs == 1)
    retrievers = {name: ComposedRetriever(asker.parts, each, memo) for name, each in compositions.items()}
    log = begun(out, stamp(workspace, questions))
    digests = {name: stable_id(as_toml("", each)) for name, each in compositions.items()}
    rows = {
        (row.composition, row.question): row for digest, row in log if digests.get(row.composition) == digest
    }
    judge, lock, done = (
        Judge(workspace, asker, jobs == 1),
        Lock(),
        iter(range(len(questions) * len(retrievers))),
    )
    with out.open("a", encoding="utf-8") as file:

        def ask(question: EvalQuestion) -> None:
            asker.rankings.choose_route(
                question.question
            )  # parsed and encoded once: no composition pays for it
            asker.vectors.embed_question(question.question)
            for name, retriever in retrievers.items():
                with lock:
                    context.report("questions", next(done), len(questions) * len(retrievers), name)
                if (name, question.id) in rows:
                    continue
                row = judge.row(name, retriever, question, compositions[name].differs, context)
                with lock:
                    rows[name, question.id] = row
                    file.write(as_line(digests[name], row))
                    file.flush()

        with ThreadPoolExecutor(jobs) as pool:
            try:
                for _ in pool.map(ask, questions):
                    pass
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
    every = ((name, each.id) for name in retrievers for each in questions)
    return [rows[key] for key in every]


@dataclass(frozen=True, slots=True)
class Judged:
    """The reader's answer from the first passages, its probability, and the tokens that were read."""

    answer: str
    probability: float
    tokens: int
    measures: dict[str, float]  # of the ranking and of the answer


class Judge:
    """Runs one composition on one question, and scores the result against the gold."""

    def __init__(self, workspace: Workspace, asker: Asker, peaks: bool = False, answers: bool = True) -> None:
        """`peaks`: measure memory; `answers`: ask the reader."""
        self._workspace, self._asker, self._gold, self._peaks = workspace, asker, Gold(workspace), peaks
        self._answers = answers
        self._comprehension = asker.vectors.models.comprehension

    def row(
        self,
        name: str,
        retriever: ComposedRetriever,
        question: EvalQuestion,
        note: str,
        context: TaskContext,
    ) -> LabRow:
        (composed, retrieval, fault), spent = measured(
            lambda: self._ranked(retriever, question.question, context), self._peaks
        )
        costs = (spent, *(composed.costs if composed is not None else ()))
        seconds = defaultdict[str, float](float)
        for stage in retrieval.stages:
            seconds[stage.name] += stage.seconds
        seconds["all"] = max(spent.seconds, sum(seconds.values()))
        passages = tuple(hit.passage_id for hit in retrieval.hits)
        judged = self.judged(question, passages, [hit.score for hit in retrieval.hits])
        return LabRow(
            name,
            question.id,
            question.question,
            question.kind,
            dict(seconds),
            sum(stage.shared for stage in (composed or retrieval).stages),
            0 if composed is None else len(composed.subgraph.entities),
            0 if composed is None else len(composed.subgraph.facts),
            0 if composed is None else len(composed.paths),
            passages,
            judged.answer,
            judged.probability,
            judged.tokens,
            judged.measures | _of_paths(self._asker, composed, question),
            scored_tokens=sum(cost.tokens for cost in costs),
            peak=max((cost.peak for cost in costs if cost.peak is not None), default=None),
            hops=hops(question),
            fault=fault,
            note=note,
            ended=retrieval.ended,
        )

    def _ranked(
        self, retriever: ComposedRetriever, question: str, context: TaskContext
    ) -> tuple[Composed | None, Retrieval, str]:
        """Rank within the caps of one question; return nothing, and why, if a model fails. Raises Cancelled."""
        with budgeted(self._workspace.config.caps):
            try:
                return retriever.found(question, context), retriever.retrieve(question, DEPTH, context), ""
            except ModelFault as fault:
                return None, Retrieval(()), fault.message

    def judged(self, question: EvalQuestion, passages: Sequence[str], scores: Sequence[float]) -> Judged:
        """Score ranked passages from any system, with their scores."""
        found = self._gold.measures(question, passages)
        if not (self._answers and passages):
            return Judged("", 0.0, 0, found | (_of_answer("", question) if self._answers else {}))
        top_passages = [ReaderPassage.of(self._workspace.passages.get(each)) for each in passages[:READ]]
        read = self._comprehension.understand(question.question, top_passages, scores[:READ])
        best, probability = read.answers[0] if read.answers else (None, 0.0)
        answer = best.text if best is not None else ""
        tokens = self._comprehension.reader.tokens(top_passages)
        return Judged(answer, probability, tokens, found | _of_answer(answer, question))


def hops(question: EvalQuestion) -> int:
    """Return the number of documents or quotes that the answer needs."""
    return len(question.supporting or question.quotes)


def _of_paths(asker: Asker, composed: Composed | None, question: EvalQuestion) -> dict[str, float]:
    """Return whether the paths reach an entity with the name of an answer, and the share that do."""
    if composed is None or not question.answers:
        return {}
    rows = asker.parts.corpus.entity_rows
    named = [row for answer in question.answers for row in rows.get(normalise(answer), ())]
    if not named:
        return {}  # no entity has that name: paths cannot reach it
    leading = np.asarray(np.isin(composed.paths.entities, named).any(axis=1))
    return {"reach": float(leading.any()), "precision": float(leading.mean()) if len(leading) else 0.0}


def _of_answer(answer: str, question: EvalQuestion) -> dict[str, float]:
    if not question.answers:
        return {}
    score = score_answer(answer, question.answers)
    scores = {"exact": score.exact, "f1": score.f1, "contains": score.contains}
    return {"exact": score.exact, "f1": score.f1, "right": float(is_right(scores))}


def stamp(workspace: Workspace, questions: Sequence[EvalQuestion]) -> dict[str, object]:
    asked = stable_id(*(f"{each.id}\x1f{each.question}" for each in questions))
    return {
        "format": FORMAT,
        "revision": workspace.revision,
        "questions": asked,
        "settings": changed(workspace.config),
    }
