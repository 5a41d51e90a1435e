"""Reports without any language model: what stands in the documents, chosen and cited."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from core.answering.reports.material import InnerFact, Material, Member
from core.types import CommunityReport, DatedFact, DocumentShare, KeyEntity, KeyFact, Statement
from core.types.kinds import VALUES

if TYPE_CHECKING:
    from numpy.typing import NDArray

LONGEST = 60  # characters
_NAMES = 3
_LOOK = 12  # of the most central entities may stand in a title
_KINDS = {"FAC": "GPE", "LOC": "GPE", "NORP": "GPE", "PRODUCT": "WORK", "WORK_OF_ART": "WORK"}
_OTHER, _COMMON = "OTHER", "NOUN"  # labels: no kind, and no name at all
_FORMULA = re.compile(r"[_^\\={}<>|]")
_PARTS = frozenset("figure figures fig table tables section appendix equation algorithm theorem".split())
_MOSTLY = 0.7  # least share of the passages of one document after which references are called
_LEAST = 0.35  # of the centrality of the first: who has less is not put before another of the same kind


def title_of(members: Sequence[Member], document: str = "") -> str:
    """At most `LONGEST` characters, in one line; `members` the most central first. "" without a member.

    The most central name, then others, those of a kind that is not yet named first. Dates, amounts and
    counts are no names, and of names that hold each other only the first is taken. A community without
    a name is called after `document`, where most of it stands, and its most central member. Who only lists of
    references name gives no title.
    """
    members = [m for m in members if not m.cited] or members
    names = (m for m in members if m.label not in VALUES and m.label != _COMMON and _is_name(m.name))
    able = list(islice(names, _LOOK))
    if not able:
        return _without_names(members, document)
    chosen: list[Member] = []
    while able and len(chosen) < _NAMES:
        kinds = {_OTHER, *map(_kind, chosen)}
        floor = _LEAST * able[0].centrality
        best = next((m for m in able if _kind(m) not in kinds and m.centrality >= floor), able[0])
        best = best if chosen else able[0]
        able.remove(best)
        if not any(_holds(best.name, other.name) for other in chosen):
            chosen.append(best)
    while len(chosen) > 1 and len(_joined([_plain(m.name) for m in chosen])) > LONGEST:
        chosen.pop()
    return shortened(_joined([_plain(m.name) for m in chosen]))


def title_of_references(documents: Sequence[DocumentShare]) -> str:
    """Of a community that only lists of references name: of the document that holds most of it, or of how many.

    English in every language: it is kept in the workspace, and the window knows it by its first word.
    """
    begin = "References of "
    total = sum(document.passages for document in documents)
    if not documents or not documents[0].title.strip():
        return "References"
    if documents[0].passages < _MOSTLY * total:
        return f"{begin}{len(documents)} documents"
    return f"{begin}{shortened(documents[0].title, LONGEST - len(begin))}"


def shortened(text: str, longest: int = LONGEST) -> str:
    """At most `longest` characters, cut at the end of a word, in one line and without what is not seen."""
    title = _plain(text)
    if len(title) <= longest:
        return title
    short = title[: longest - 1]
    head, _, _ = short.rpartition(" ")
    return f"{(head if len(head) > longest // 2 else short).rstrip(' ,;:-')}…"


def _without_names(members: Sequence[Member], document: str) -> str:
    """ "Ledger of 2021: 38 containers"; the longer part gives way."""
    first, about = _plain(document), shortened(members[0].name if members else "", LONGEST // 2)
    if not first or not about or _holds(first, about):
        return shortened(first or about)
    return f"{shortened(first, LONGEST - len(about) - 2)}: {about}"


def _kind(member: Member) -> str:
    return _KINDS.get(member.label, member.label)


def _is_name(name: str) -> bool:
    """Whether it begins with a letter, is not mostly digits, no formula ("v_i^") and no part of a text ("Figure")."""
    if _FORMULA.search(name) or name.casefold() in _PARTS:
        return False
    letters = sum(sign.isalpha() for sign in name)
    return name[:1].isalpha() and letters >= 2 and letters > 2 * sum(sign.isdigit() for sign in name)


def _plain(name: str) -> str:
    """Without what is not seen: control characters, marks that turn the direction of writing."""
    visible = "".join(
        " " if s.isspace() else s for s in name if s.isspace() or unicodedata.category(s)[0] != "C"
    )
    return " ".join(visible.split())


def _holds(one: str, other: str) -> bool:
    """Whether all words of one name stand in the other."""
    left, right = (frozenset(re.findall(r"\w+", name.casefold())) for name in (one, other))
    return left <= right or right <= left


def _joined(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


BUDGET = {1: 500, 2: 200, 3: 100}  # tokens of the statements by level. Triple-layer GraphRAG 4.4.2
RULES = "rules"
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
    title = (
        title_of_references(material.documents)
        if material.cited_only
        else title_of(material.members, document)
    )
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
        entities=_key_entities(material),
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
    """The most central ones; dates, amounts and who is only cited where there is nothing else."""
    members = [m for m in material.members if not m.cited] or list(material.members)
    named = [m for m in members if m.label not in VALUES] or members
    return tuple(KeyEntity(m.entity_id, m.name, m.label, round(m.centrality, 6)) for m in named[:_ENTITIES])


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
