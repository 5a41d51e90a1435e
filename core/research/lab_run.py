"""Compositions compared on the same questions; modules that two share run once. LEGO-GraphRAG 4.1.

A run is a file of JSON lines: a header that identifies it, then a row for each composition and question. A stopped
run can be resumed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.answering.ask import Asker
from core.config import changed
from core.errors import BadInput, ModelFault
from core.extraction.names import normalise
from core.graph.build import Edges
from core.lab.metrics import DEPTH, mean
from core.lab.rows import FORMAT, LabRow, as_line, begun
from core.models.capped import budgeted
from core.models.reader import ReaderPassage
from core.progress import TaskContext
from core.research.datasets import EvalQuestion
from core.research.runner import Gold
from core.retrieval.composed import ComposedRetriever
from core.retrieval.compositions import Composition, as_toml
from core.retrieval.path_ranking import Composed, Memo
from core.retrieval.snapshot import Extracted
from core.store.facts import FactColumns
from core.text.answer_score import is_right, score_answer
from core.types import Retrieval
from core.types.cost import measured
from core.types.kinds import stable_id
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
    retrievers = {name: asker.rankings.compose(each, memo) for name, each in compositions.items()}
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
        self._comprehension = asker.vectors.models.comprehension(asker.config.models)

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
                query = self._asker.rankings.analyse(question)
                return retriever.trace_paths(query, context), retriever.retrieve(query, DEPTH, context), ""
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
    rows = asker.view.corpus.entity_rows
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
    retrievers = {name: asker.rankings.compose(each, memo) for name, each in compositions.items()}
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
