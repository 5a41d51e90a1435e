"""Reads the material of many communities at once; nothing is asked of the store for one entity alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.protocols import Tokenizer
from core.reporting.material import InnerFact, Material, Member, Spoken, source_of
from core.reporting.places import Place, Places
from core.reporting.timeline import date_in, iso
from core.store.contents import CommunityRow, FactRow, MemberRow
from core.store.reports import in_one_line
from core.store.store import Store
from core.types import DocumentShare

CANDIDATES = 64  # sentences that may become statements
_FACTS = 300  # inside, and as many to dates outside
_MENTIONED = 20  # passages of a name where no fact tells of it
_FEWEST_WORDS = 4  # of a sentence that says something by itself
_NO_VECTORS: NDArray[np.float32] = np.zeros((0, 0), np.float32)

Span = tuple[int, int, int]  # passage key, start, end


def gather(store: Store, tokenizer: Tokenizer, communities: Sequence[CommunityRow]) -> list[Material]:
    """Material of communities of one level, in order, without vectors; see `with_vectors`."""
    members: dict[int, list[MemberRow]] = defaultdict(list)
    for member in store.contents.members(row.key for row in communities):
        members[member.community].append(member)
    home = {member.key: member.community for found in members.values() for member in found}
    facts: dict[int, list[FactRow]] = defaultdict(list)
    inhabited: set[int] = set()  # communities with a fact inside
    for fact in store.contents.facts(home):
        community = home[fact.subject]
        inside = home.get(fact.object) == community
        if fact.subject != fact.object and (inside or fact.object_label == "DATE"):
            facts[community].append(fact)
            if inside:
                inhabited.add(community)
    evidence = _evidence(store, (fact.key for found in facts.values() for fact in found))
    lonely = [key for key, community in home.items() if community not in inhabited]
    mentions: dict[int, list[Span]] = defaultdict(list)
    for key, passage, start, end in store.contents.mentions(lonely, _MENTIONED).tolist():
        mentions[key].append((passage, start, end))
    touched = {span[0] for spans in evidence.values() for span, _ in spans}
    places = Places(store.contents, touched.union(s[0] for spans in mentions.values() for s in spans))
    return [
        _Gathering(places, members[row.key], facts[row.key], evidence, mentions).material(row, tokenizer)
        for row in communities
    ]


def with_vectors(store: Store, materials: Iterable[Material]) -> list[Material]:
    """The same with the vectors of the sentences that may become statements; zeros where there are none."""
    materials = list(materials)
    wanted = {s.passage_key for m in materials for s in m.sentences[: m.candidates]}
    stored = store.embeddings.get("sentence", sorted(wanted))
    nothing = np.zeros(store.embeddings.dimension, np.float32)
    found = []
    for material in materials:
        rows = [
            stored[s.passage_key][s.ordinal]
            if s.passage_key in stored and s.ordinal < len(stored[s.passage_key])
            else nothing
            for s in material.sentences[: material.candidates]
        ]
        found.append(replace(material, vectors=np.stack(rows) if rows else _NO_VECTORS))
    return found


def _evidence(store: Store, facts: Iterable[int]) -> dict[int, list[tuple[Span, float]]]:
    """((passage key, start, end), confidence) of every triple, by fact key."""
    table, confidences = store.contents.evidence(facts)
    found: dict[int, list[tuple[Span, float]]] = defaultdict(list)
    for (fact, passage, start, end), confidence in zip(table.tolist(), confidences.tolist(), strict=True):
        found[fact].append(((passage, start, end), confidence))
    return found


class _Gathering:
    """One community. Row keys decide nothing: ties go by stable ids and places."""

    def __init__(
        self,
        places: Places,
        members: Sequence[MemberRow],
        facts: Sequence[FactRow],
        evidence: Mapping[int, Sequence[tuple[Span, float]]],
        mentions: Mapping[int, Sequence[Span]],
    ) -> None:
        self._places = places
        self._members = {member.key: member for member in members}
        self._facts = facts
        self._strengths = [round(sum(c for _, c in evidence[fact.key]), 6) for fact in facts]
        self._tells: dict[tuple[int, int, int], set[int]] = {}  # entities by the place of a sentence
        self._where: dict[tuple[int, int, int], Place] = {}
        self._passages: dict[int, set[int]] = defaultdict(set)  # by document
        inside = any(fact.object in self._members for fact in facts)
        self._surest = [self._read(fact, evidence[fact.key]) for fact in facts]
        if not inside:
            for key in self._members:
                for passage, start, _ in mentions.get(key, ()):
                    self._see(passage, start, (key,))
        self._centrality = self._centralities(inside)

    def material(self, community: CommunityRow, tokenizer: Tokenizer) -> Material:
        members = sorted(
            (
                Member(m.id, in_one_line(m.name), m.label, self._centrality[key])
                for key, m in self._members.items()
            ),
            key=lambda member: (-member.centrality, member.name, member.entity_id),
        )
        chosen = self._chosen_facts()
        spots, candidates = self._spots([self._surest[at] for at in chosen])
        number = {spot: at for at, spot in enumerate(spots)}
        facts = tuple(self._fact(at, number) for at in chosen)
        sentences = self._sentences(spots, tokenizer)
        documents = self._documents()
        return Material(
            community_id=community.key,
            level=community.level,
            members=tuple(members),
            facts=facts,
            sentences=sentences,
            candidates=candidates,
            documents=documents,
            source=source_of(community.level, tuple(members), facts, sentences, documents),
            vectors=_NO_VECTORS,
        )

    def _read(
        self, fact: FactRow, evidence: Sequence[tuple[Span, float]]
    ) -> tuple[tuple[int, int, int], Span] | None:
        """The sentence that says the fact most surely, and the words there; every one is seen."""
        ends = (fact.subject, fact.object) if fact.object in self._members else (fact.subject,)
        found = []
        for span, confidence in evidence:
            spot = self._see(span[0], span[1], ends)
            if spot is not None:
                found.append((-confidence, self._places.documents[spot[0]].id, spot, span))
        if not found:
            return None
        best = min(found, key=lambda one: (one[0], one[1], one[2][1:], one[3][1:]))
        return best[2], best[3]

    def _see(self, passage: int, at: int, entities: Sequence[int]) -> tuple[int, int, int] | None:
        place = self._places.of(passage, at)
        if place is None:
            return None
        spot = place[:3]
        self._tells.setdefault(spot, set()).update(entities)
        self._passages[place.document].add(passage)
        # Passages overlap: a sentence that stands in two is the first one's.
        known = self._where.get(spot)
        if known is None or self._places.begin(place) < self._places.begin(known):
            self._where[spot] = place
        return spot

    def _centralities(self, inside: bool) -> dict[int, float]:
        raw = dict.fromkeys(self._members, 0.0)
        if inside:
            for fact, strength in zip(self._facts, self._strengths, strict=True):
                if fact.object in raw:
                    raw[fact.subject] += strength
                    raw[fact.object] += strength
        else:
            for entities in self._tells.values():
                for key in entities:
                    raw[key] += 1.0
        total = sum(raw.values()) or 1.0
        return {key: round(value / total, 9) for key, value in raw.items()}

    def _weight(self, at: int) -> float:
        fact = self._facts[at]
        ends = self._centrality[fact.subject] + self._centrality.get(fact.object, 0.0)
        return round(self._strengths[at] * ends, 9)

    def _chosen_facts(self) -> list[int]:
        """Numbers of the facts that are told: those of most weight, inside and to dates outside."""
        order = sorted(range(len(self._facts)), key=lambda at: (-self._weight(at), self._facts[at].id))
        within = [at for at in order if self._facts[at].object in self._members and self._surest[at]]
        outside = [at for at in order if self._facts[at].object not in self._members and self._surest[at]]
        return within[:_FACTS] + outside[:_FACTS]

    def _spots(
        self, evidence: Sequence[tuple[tuple[int, int, int], Span] | None]
    ) -> tuple[list[tuple[int, int, int]], int]:
        """Places of the sentences in order, and how many of them may become statements."""
        central = {spot: sum(self._centrality[k] for k in sorted(keys)) for spot, keys in self._tells.items()}
        order = sorted(
            central,
            key=lambda s: (-round(central[s], 6), self._places.documents[s[0]].id, s[1], s[2]),
        )
        full = [s for s in order if len(self._places.quote(self._where[s]).split()) >= _FEWEST_WORDS]
        candidates = (full or order)[:CANDIDATES]
        spots = dict.fromkeys([*candidates, *(found[0] for found in evidence if found)])
        return list(spots), len(candidates)

    def _fact(self, at: int, number: Mapping[tuple[int, int, int], int]) -> InnerFact:
        fact, surest = self._facts[at], self._surest[at]
        assert surest is not None
        subject, inside = self._members[fact.subject], fact.object in self._members
        other = self._members[fact.object].name if inside else fact.object_name
        labels = ((subject.label, subject.name), (fact.object_label, fact.object_name))
        date = next((found for label, name in labels if label == "DATE" and (found := iso(name))), "")
        spot, span = surest
        return InnerFact(
            fact_id=fact.id,
            words=in_one_line(f"{subject.name} {fact.predicate} {other}"),
            strength=self._strengths[at],
            weight=self._weight(at),
            sentence=number[spot],
            date=date or date_in(self._places.words(*span)) or date_in(self._places.quote(self._where[spot])),
            inside=inside,
        )

    def _sentences(self, spots: Sequence[tuple[int, int, int]], tokenizer: Tokenizer) -> tuple[Spoken, ...]:
        texts = [in_one_line(self._places.quote(self._where[spot])) for spot in spots]
        return tuple(
            Spoken(
                citation=self._places.cite(self._where[spot]),
                text=text,
                centrality=round(sum(self._centrality[key] for key in sorted(self._tells[spot])), 6),
                tokens=tokens,
                passage_key=self._where[spot].passage,
                ordinal=self._where[spot].ordinal,
            )
            for spot, text, tokens in zip(spots, texts, tokenizer.counts(texts), strict=True)
        )

    def _documents(self) -> tuple[DocumentShare, ...]:
        found = []
        for key, passages in self._passages.items():
            document = self._places.documents[key]
            found.append(DocumentShare(document.id, in_one_line(document.title), len(passages)))
        return tuple(sorted(found, key=lambda share: (-share.passages, share.document_id)))
