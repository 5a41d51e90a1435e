"""Three ranked lists, by words, by meaning and by the graph, joined with weights that are decided for each question.

Weighted reciprocal ranks (Cormack et al. 2009; EA-GraphRAG 3.4.3, eq. 8 and 9, with words as a full partner).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from core.config import RetrievalConfig
from core.retrieval.ranking import diversify_by_document, numbered
from core.text.translation import mark, tr
from core.types import LISTS_CALLED, Complexity, Hit, Retrieval, Stage
from core.types.stages import MOST, Joined, JoinedPassage

LISTS = tuple(LISTS_CALLED)
UNTRAINED = "equal"  # the source of weights without a trained model
Lists = Mapping[str, tuple[Hit, ...]]
Documents = Callable[[Sequence[str]], Sequence[Hashable]]  # the document of each passage, by ids


def join(
    lists: Lists, weights: Mapping[str, float], config: RetrievalConfig, k: int, documents: Documents
) -> tuple[Hit, ...]:
    """Return the best k by sum(weight / (rrf_k + rank)) over the lists that hold a passage; ranks from 1.

    Of equal sums the passage that stands in an earlier list, and higher in it, comes first. Where several lists
    count, passages of a document (`documents`) that is there already count a little less.
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
    """Return whether only the graph counts: then it is consulted whatever the other lists show."""
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


def fuse(
    found: Mapping[str, Retrieval],
    complexity: Complexity | None,
    config: RetrievalConfig,
    documents: Documents,
    k: int,
    weighing: float = 0.0,
) -> Retrieval:
    """Return the k best passages of several ranked lists, by name.

    `complexity` weighs the lists for the question, on top of the configured weights; without it all count alike.
    `weighing`: seconds that finding it took.
    """
    begin = time.perf_counter() - weighing
    lists = {name: part.hits for name, part in found.items()}
    complexity = None if complexity is None else apply_list_weights(complexity, config)
    weights = dict.fromkeys(lists, 1.0 / len(lists)) if complexity is None else complexity.weights
    # A later passage changes nothing of those before it: the best k are the same however many are asked for.
    fused = join(lists, weights, config, max(k, MOST), documents)
    hits, ranks = fused[: max(0, k)], ranks_by_part(lists, fused)
    count = len({hit.passage_id for part in lists.values() for hit in part})
    words = tr(", ").join(
        tr("{list} {weight}", list=tr(LISTS_CALLED.get(name, name)), weight=f"{weights[name]:.2f}")
        for name in lists
    )
    if complexity is not None and complexity.source == UNTRAINED:
        words = tr("{weights}: no trained model tells what counts more", weights=words)
    joined = as_fused(weights, fused, ranks, k, count)
    stages = [stage for part in found.values() for stage in part.stages]
    return replace(
        list(found.values())[-1],  # what it says of the graph holds
        hits=hits,
        stages=(*stages, Stage(mark("join"), time.perf_counter() - begin, words, joined)),
        ranks={hit.passage_id: ranks[hit.passage_id] for hit in hits},
        complexity=complexity,
    )
