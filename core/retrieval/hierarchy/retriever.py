"""Beam search from the top communities down to entities, then their passages. Deep GraphRAG, Algorithm 1."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.config import HierarchyConfig
from core.progress import TaskContext
from core.retrieval.corpus import Corpus
from core.retrieval.hierarchy.tree import Tree, joined
from core.retrieval.query import Query
from core.retrieval.ranking import as_ranked, numbered
from core.text.translation import mark, tr
from core.types import Beam, Retrieval, Seed, Stage

_COMPARED = 50_000  # sentences up to which it is cheaper to compare the question with all of them
_NEAREST = 3  # sentences of a community that its re-ranking looks at

Numbers = NDArray[np.int64]
Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Cut:
    """Rows of a level that stay in the beam, best first, with their scores."""

    rows: Numbers
    scores: Scores


class HierarchicalRetriever:
    """Goes down where the question points; what lies outside the beam is never looked at."""

    def __init__(
        self,
        corpus: Corpus,
        tree: Callable[[], Tree],
        config: HierarchyConfig,
    ) -> None:
        """`tree` gives the hierarchy of the same snapshot; it is asked for with the first question."""
        self._corpus = corpus
        self._tree = tree
        self._config = config

    def retrieve(self, query: Query, k: int, context: TaskContext) -> Retrieval:
        """The k best passages of the best entities; scores are means of cosines. Stages tell the beam."""
        context.check()
        vector, tree = query.vector, self._tree()
        begin = time.perf_counter()
        all_at_once = len(self._corpus.sentence_vectors) <= _COMPARED
        sentences = self._corpus.sentence_vectors.cosines(vector) if all_at_once else None
        named = frozenset(query.entities)
        holding = tree.above(named)
        beam: list[Beam] = []
        candidates = np.arange(len(tree.levels[-1].keys)) if tree.levels else np.zeros(0, dtype=np.int64)
        parents: dict[int, float] = {}
        for number in range(len(tree.levels), 0, -1):
            context.check()
            level = tree.levels[number - 1]
            cut = self._cut(tree, number, candidates, vector, sentences, holding[number - 1])
            names = tuple(
                (int(level.keys[row]), float(score)) for row, score in zip(cut.rows, cut.scores, strict=True)
            )
            beam.append(Beam(number, len(candidates), names))
            candidates = np.concatenate(
                [level.below(int(row)) for row in cut.rows] or [np.zeros(0, np.int64)]
            )
            parents = {
                int(below): float(score)
                for row, score in zip(cut.rows, cut.scores, strict=True)
                for below in level.below(int(row))
            }
        entities, scores = self._entities(tree, candidates, parents, vector, sentences, named)
        searched = time.perf_counter()
        hits = numbered(self._passages(tree, entities, scores, vector, sentences, k))
        spent = time.perf_counter()
        stages = (
            Stage(mark("beam"), searched - begin, _in_words(beam, len(candidates), len(entities))),
            Stage(
                mark("passages"),
                spent - searched,
                tr("{count} of the {best} best entities", count=len(hits), best=len(entities)),
                as_ranked("hierarchical", hits, len(self._corpus.passage_ids)),
            ),
        )
        return Retrieval(hits, stages, seeds=self._seeds(entities, scores), beam=tuple(beam))

    def _near(self, rows: Numbers, vector: Scores, sentences: Scores | None) -> Scores:
        """Cosines of the question and these sentences."""
        if sentences is not None:
            return sentences[rows]
        return self._corpus.sentence_vectors.of(rows, vector)

    def _cut(
        self,
        tree: Tree,
        number: int,
        candidates: Numbers,
        vector: Scores,
        sentences: Scores | None,
        holding: dict[int, float],
    ) -> _Cut:
        """The best of the candidates: by their vectors and the question's names that they hold first, the few
        best of these by their own sentences besides."""
        names = holding if self._config.named else dict[int, float]()
        name_scores = np.array([names.get(row, 0.0) for row in candidates.tolist()], dtype=np.float32)
        cosines = tree.levels[number - 1].vectors[candidates] @ vector
        wide = np.argsort(-(cosines + name_scores), kind="stable")[: self._config.reranked]
        rows, found = candidates[wide], cosines[wide].astype(np.float32)
        starts, inside = tree.naming_starts[number - 1], tree.naming[number - 1]
        for at, row in enumerate(rows.tolist()):
            near = self._near(inside[starts[row] : starts[row + 1]], vector, sentences)
            if len(near):
                best = np.partition(near, max(0, len(near) - _NEAREST))[-_NEAREST:]
                found[at] = 0.5 * (found[at] + float(best.mean()))
        found += self._config.named * name_scores[wide]
        first = np.argsort(-found, kind="stable")[: self._config.width]
        return _Cut(rows[first], found[first])

    def _entities(
        self,
        tree: Tree,
        candidates: Numbers,
        parents: dict[int, float],
        vector: Scores,
        sentences: Scores | None,
        named: frozenset[int],
    ) -> tuple[Numbers, Scores]:
        """The best entities: by their own vectors D(v), or by their nearest sentences and their communities' scores."""
        if self._config.entity_vectors and len(candidates):
            scores = joined(self._corpus, tree, candidates) @ vector
        else:
            scores = np.zeros(len(candidates), dtype=np.float32)
            for at, entity in enumerate(candidates.tolist()):
                near = self._near(tree.entity_sentences(entity), vector, sentences)
                own = float(near.max()) if len(near) else 0.0
                scores[at] = 0.5 * (own + parents[entity])
        scores += self._config.named * np.isin(candidates, sorted(named))
        best = np.argsort(-scores, kind="stable")[: self._config.entities]
        return candidates[best], scores[best]

    def _passages(
        self,
        tree: Tree,
        entities: Numbers,
        scores: Scores,
        vector: Scores,
        sentences: Scores | None,
        k: int,
    ) -> list[tuple[str, float]]:
        """Passages that name the entities: by their vector, their nearest sentence, and the best entity."""
        best: dict[int, float] = {}
        sentence: dict[int, float] = {}
        for entity, score in zip(entities.tolist(), scores.tolist(), strict=True):
            rows = tree.entity_sentences(entity)
            near = self._near(rows, vector, sentences)
            for row, cosine in zip(self._corpus.sentence_passages[rows].tolist(), near.tolist(), strict=True):
                best[row] = max(best.get(row, 0.0), score)
                sentence[row] = max(sentence.get(row, -1.0), cosine)
        rows = np.array(sorted(best), dtype=np.int64)
        cosines = self._corpus.passage_vectors.of(rows, vector)
        found = [
            (self._corpus.passage_ids[row], float(0.4 * cosine + 0.4 * sentence[row] + 0.2 * best[row]))
            for row, cosine in zip(rows.tolist(), cosines.tolist(), strict=True)
        ]
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))[: max(0, k)]

    def _seeds(self, entities: Numbers, scores: Scores) -> tuple[Seed, ...]:
        total = float(scores.sum()) or 1.0
        return tuple(
            Seed(
                self._corpus.entity_ids[entity],
                self._corpus.entity_names[entity],
                float(score) / total,
                tr("at the end of the beam"),
            )
            for entity, score in zip(entities.tolist()[:12], scores.tolist()[:12], strict=True)
        )


def _in_words(beam: list[Beam], candidates: int, entities: int) -> str:
    if not beam:
        return tr("no communities yet")
    widths = [
        tr(
            "{chosen} of {considered} on level {level}",
            chosen=len(step.chosen),
            considered=step.considered,
            level=step.level,
        )
        for step in beam
    ]
    return tr(
        "{widths}; {entities} of {candidates} entities",
        widths=tr(", ").join(widths),
        entities=entities,
        candidates=candidates,
    )
