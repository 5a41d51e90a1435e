"""Three ranked lists, by words, by meaning and by the graph, joined with weights that are decided for each question.

Weighted reciprocal ranks (Cormack et al. 2009; EA-GraphRAG 3.4.3, eq. 8 and 9, with words as a full partner).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from core.config import RetrievalConfig
from core.progress import TaskContext
from core.protocols import Retriever
from core.retrieval.ranking import diversify_by_document, numbered
from core.text.translation import mark, tr
from core.types import LISTS_CALLED, Complexity, Hit, Retrieval, Stage
from core.types.stages import MOST, Joined, JoinedPassage

LISTS = tuple(LISTS_CALLED)
UNTOLD = "equal"  # the source of weights that nothing was learned of
Lists = Mapping[str, tuple[Hit, ...]]
Weigh = Callable[[str, Lists], Complexity]
Owners = Callable[[Sequence[str]], Sequence[Hashable]]  # the document of each passage, by ids
Enough = Callable[[str, Lists], Complexity | None]
Score = Callable[[str], Complexity]


def join(
    lists: Lists, weights: Mapping[str, float], config: RetrievalConfig, k: int, documents: Owners
) -> tuple[Hit, ...]:
    """Best k of sum(weight / (rrf_k + rank)) over the lists that hold a passage; ranks from 1.

    Of equal sums the passage that stands in an earlier list, and higher in it, comes first. Where several lists are
    heard, passages of a document (`documents`) that is there already count a little less.
    """
    scores: dict[str, float] = {}
    for name, hits in lists.items():
        for hit in hits if weights[name] > 0 else ():
            scores[hit.passage_id] = scores.get(hit.passage_id, 0.0) + weights[name] / (
                config.rrf_k + hit.rank
            )
    if sum(weight > 0 for weight in weights.values()) == 1:
        return numbered(islice(scores.items(), max(0, k)))
    ids = list(scores)
    best = diversify_by_document(list(scores.values()), documents(ids), config.crowding, k)
    return numbered((ids[place], score) for place, score in best)


def apply_list_weights(complexity: Complexity, config: RetrievalConfig) -> Complexity:
    """With weights times what is configured for each list, summing to 1; where that leaves none, as they were."""
    factors = {name: float(getattr(config, f"{name}_weight")) for name in LISTS}
    if set(factors.values()) == {1.0}:
        return complexity
    weights = {name: weight * factors[name] for name, weight in complexity.weights.items()}
    total = sum(weights.values())
    if total <= 0:
        return complexity
    return replace(complexity, weights={name: weight / total for name, weight in weights.items()})


def graph_alone(config: RetrievalConfig) -> bool:
    """Whether nothing but the graph is heard: then it is asked, whatever the others show."""
    return config.graph_weight > 0 and not (config.lexical_weight or config.dense_weight)


def ranks_by_part(parts: Lists, hits: tuple[Hit, ...]) -> dict[str, dict[str, int]]:
    """For each hit, its rank in every part that holds it."""
    placed = {name: {hit.passage_id: hit.rank for hit in found} for name, found in parts.items()}
    return {
        hit.passage_id: {
            name: ranks[hit.passage_id] for name, ranks in placed.items() if hit.passage_id in ranks
        }
        for hit in hits
    }


def as_fused(
    weights: Mapping[str, float],
    hits: tuple[Hit, ...],
    ranks: Mapping[str, dict[str, int]],
    k: int,
    count: int,
) -> Joined:
    """The joined list for the trace, of which the first `k` go on; `count` passages stood in any list."""
    cut = tr("beyond the first {count}", count=k)
    passages = (
        JoinedPassage(
            hit.passage_id, ranks[hit.passage_id], hit.score, hit.rank, "" if hit.rank <= k else cut
        )
        for hit in hits[:MOST]
    )
    return Joined(dict(weights), tuple(passages), min(k, len(hits)), count)


class FusionRetriever:
    """Asks all and joins what they found."""

    def __init__(
        self,
        parts: Mapping[str, Retriever],
        weigh: Weigh | None,
        config: RetrievalConfig,
        documents: Owners,
        enough: Enough | None = None,
        score: Score | None = None,
    ) -> None:
        """`weigh(question, lists)` decides what each of LISTS counts, and `parts` are by these names; without it they
        have any names and count alike. `enough` gives the weights where all lists but the last, which takes longest,
        tell that it need not be asked, or is heard alone; `score` those of a question before anything is asked: what
        counts nothing then is not."""
        self._parts = parts
        self._weigh = weigh
        self._config = config
        self._documents = documents
        self._enough = enough
        self._score = score

    def retrieve(self, question: str, k: int, context: TaskContext) -> Retrieval:
        """Raises Cancelled."""
        found, complexity = self._asked(question, k, context)
        context.check()
        begin = time.perf_counter()
        lists = {name: part.hits for name, part in found.items()}
        if complexity is None and self._weigh is not None:
            complexity = self._weigh(question, lists)
        complexity = None if complexity is None else apply_list_weights(complexity, self._config)
        weights = dict.fromkeys(lists, 1.0 / len(lists)) if complexity is None else complexity.weights
        # Who comes later changes nothing of those before: the best k are the same however many are asked for.
        every = join(lists, weights, self._config, max(k, MOST), self._documents)
        hits, ranks = every[: max(0, k)], ranks_by_part(lists, every)
        count = len({hit.passage_id for part in lists.values() for hit in part})
        joined = as_fused(weights, every, ranks, k, count)
        words = tr(", ").join(
            tr("{list} {weight}", list=tr(LISTS_CALLED.get(name, name)), weight=f"{weights[name]:.2f}")
            for name in lists
        )
        if complexity is not None and complexity.source == UNTOLD:
            words = tr("{weights}: no trained model tells what counts more", weights=words)
        stages = [stage for part in found.values() for stage in part.stages]
        return replace(
            list(found.values())[-1],  # what it says of the graph holds
            hits=hits,
            stages=(*stages, Stage(mark("join"), time.perf_counter() - begin, words, joined)),
            ranks={hit.passage_id: ranks[hit.passage_id] for hit in hits},
            complexity=complexity,
        )

    def _asked(
        self, question: str, k: int, context: TaskContext
    ) -> tuple[dict[str, Retrieval], Complexity | None]:
        """What the parts find, with the weights where they were told before all were asked."""
        if self._score is not None:
            assessment = self._score(question)
            wanted = [name for name in self._parts if assessment.weights[name] > 0]
            asked = self.lists(question, k, context, wanted)
            return {name: asked.get(name, Retrieval(())) for name in self._parts}, assessment
        if self._enough is None:
            return self.lists(question, k, context), None
        *quick, last = self._parts
        found = self.lists(question, k, context, quick)
        complexity = self._enough(question, {name: part.hits for name, part in found.items()})
        if complexity is not None and not complexity.weights[last]:
            return {**found, last: Retrieval(())}, complexity
        return {**found, **self.lists(question, k, context, [last])}, complexity

    def lists(
        self, question: str, k: int, context: TaskContext, names: Sequence[str] | None = None
    ) -> dict[str, Retrieval]:
        """What each part finds, or each of `names`, at least `k` passages deep where there are so many. Raises
        Cancelled."""
        wide = max(k, self._config.candidates)
        wanted = self._parts if names is None else names
        return {name: self._parts[name].retrieve(question, wide, context) for name in wanted}
