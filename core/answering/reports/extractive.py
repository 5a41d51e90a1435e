"""Reports without any language model: what stands in the documents, chosen and cited."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from core.answering.reports.material import InnerFact, Material
from core.answering.reports.naming import RULES, title_of, title_of_references
from core.types import CommunityReport, DatedFact, KeyEntity, KeyFact, Statement
from core.types.kinds import VALUES

if TYPE_CHECKING:
    from numpy.typing import NDArray

BUDGET = {1: 500, 2: 200, 3: 100}  # tokens of the statements by level. Triple-layer GraphRAG 4.4.2
# Of relevance against what was said already; chosen looking at musique, see docs/communities.md.
_BALANCE = 0.8
_ENTITIES = 12
_FACTS = 12
_DATES = 16
_DOCUMENTS = 50


def budget(level: int) -> int:
    """Tokens that the statements of a report of this level may take."""
    return BUDGET.get(level, BUDGET[max(BUDGET)])


def write(material: Material) -> CommunityReport:
    """The report by rules; of the same material always the same."""
    document = material.documents[0].title if material.documents else ""
    entities = _key_entities(material)
    title = title_of_references(material.documents) if material.cited_only else title_of(entities, document)
    if material.cited_only:
        material = replace(material, facts=(), sentences=(), candidates=0)
    return CommunityReport(
        community_id=material.community_id,
        level=material.level,
        title=title,
        statements=tuple(
            Statement(material.sentences[at].text, (material.sentences[at].citation,))
            for at in chosen_sentences(material, budget(material.level))
        ),
        entities=entities,
        facts=_key_facts(material),
        timeline=_timeline(material),
        documents=material.documents[:_DOCUMENTS],
        written_by=RULES,
    )


def chosen_sentences(material: Material, tokens: int) -> list[int]:
    """Numbers of the sentences that are told, the first chosen first: by maximal marginal relevance.

    Each next one has the largest `balance * relevance - (1 - balance) * max cosine to those chosen`, until
    none fits into `tokens` any more; one at least. Carbonell and Goldstein 1998.
    """
    count = material.candidates
    if not count:
        return []
    sizes = np.array(material.tokens)
    relevance = relevance_of(material)
    vectors = material.vectors if len(material.vectors) == count else np.zeros((count, 1), np.float32)
    near = np.full(count, -np.inf)
    # Of those in the same words the most central: their vectors differ in the last bits from run to run.
    texts = [s.text.casefold() for s in material.sentences[:count]]
    open_ = np.zeros(count, dtype=bool)
    open_[list({text: at for at, text in reversed(list(enumerate(texts)))}.values())] = True
    chosen: list[int] = []
    left = tokens
    while True:
        able = open_ & (sizes <= left) if chosen or (sizes <= left).any() else open_
        if not able.any():
            return chosen
        worth = _BALANCE * relevance - (1 - _BALANCE) * np.maximum(near, 0.0)
        # The first of equals is taken: the most central.
        best = int(np.argmax(np.where(able, np.round(worth, 6), -np.inf)))
        open_[best] = False
        # Coarsely: the last bits of a cosine differ from run to run, and must hardly ever decide.
        near = np.maximum(near, np.round(vectors @ vectors[best], 2))
        chosen.append(best)
        left -= int(sizes[best])


def relevance_of(material: Material) -> NDArray[np.float64]:
    """How much each candidate stands for its community, 0 to 1, shape (candidates,): its centrality by the
    largest of them."""
    scores = np.array([s.centrality for s in material.sentences[: material.candidates]], dtype=np.float64)
    return np.asarray(scores / scores.max() if scores.any() else scores)


def _key_entities(material: Material) -> tuple[KeyEntity, ...]:
    """Those that distinguish the community most; dates, amounts and who is only cited where there is nothing else."""
    members = [m for m in material.members if not m.cited] or list(material.members)
    named = [m for m in members if m.label not in VALUES] or members
    named.sort(key=lambda m: (-m.distinction, -m.centrality, m.name, m.entity_id))
    return tuple(KeyEntity(m.entity_id, m.name, m.label, m.distinction) for m in named[:_ENTITIES])


def _key_facts(material: Material) -> tuple[KeyFact, ...]:
    """Those of most weight, each in other words than those before."""
    found: dict[str, InnerFact] = {}
    for fact in material.facts:
        if fact.inside:
            found.setdefault(fact.words.casefold(), fact)
    return tuple(
        KeyFact(f.fact_id, f.words, f.strength, material.sentences[f.sentence].citation)
        for f in list(found.values())[:_FACTS]
    )


def _timeline(material: Material) -> tuple[DatedFact, ...]:
    """Dated facts by date: the first and the last, which bound the time span, and those of most weight."""
    dated = sorted((f for f in material.facts if f.date), key=lambda f: (-f.weight, f.fact_id))
    if not dated:
        return ()
    ends = [min(dated, key=lambda f: f.date), max(dated, key=lambda f: f.date)]
    by_place: dict[tuple[str, int], InnerFact] = {}
    for fact in [*ends, *dated]:  # one a date and sentence
        by_place.setdefault((fact.date, fact.sentence), fact)
    chosen = sorted(list(by_place.values())[:_DATES], key=lambda f: (f.date, -f.weight, f.fact_id))
    return tuple(DatedFact(f.date, f.words, material.sentences[f.sentence].citation) for f in chosen)
