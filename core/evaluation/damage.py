"""A graph that lost a part of what was extracted: copies in memory, never the store. A2RAG IV-F."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.graph.build import Edges
from core.retrieval.snapshot import Extracted
from core.store.facts import FactColumns


def damaged(extracted: Extracted, share: float, seed: int) -> Extracted:
    """What is left when `share` (0..1) of the entities and of the facts are lost at random.

    An entity goes with its mentions, its facts and its synonyms; the same share of all facts goes
    besides. Passages and their vectors stay: it is the extraction that failed, not the reading.
    """
    generator = np.random.default_rng(seed)
    keys = np.array([row.key for row in extracted.entities], dtype=np.int64)
    kept = keys[_kept(len(keys), share, generator)]
    facts = extracted.facts
    whole = _kept(len(facts.keys), share, generator)
    whole &= np.isin(facts.subjects, kept) & np.isin(facts.objects, kept)
    held = set(kept.tolist())
    linked = np.isin(extracted.synonyms.ends, kept).all(axis=1)
    return replace(
        extracted,
        entities=tuple(row for row in extracted.entities if row.key in held),
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
