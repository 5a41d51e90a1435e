"""Reads the material of many communities at once; nothing is asked of the store for one entity alone.

Row keys decide nothing: ties go by stable ids and places, so that the same documents give the same material.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from core.protocols import Tokenizer
from core.reporting.material import InnerFact, Material, Member, Spoken, source_of
from core.reporting.places import Places
from core.reporting.timeline import date_in, iso
from core.store.contents import CommunityRow, FactRow, MemberRow
from core.store.reports import in_one_line
from core.store.store import Store
from core.types import DocumentShare

CANDIDATES = 64  # sentences that may become statements
_FACTS = 100  # between entities, and as many to dates
_MENTIONED = 20  # passages of a name where no fact tells of it
_FEWEST_WORDS = 4  # of a sentence that says something by itself
_NO_VECTORS: NDArray[np.float32] = np.zeros((0, 0), np.float32)

Numbers = NDArray[np.int64]
Amounts = NDArray[np.float64]


def gather(
    store: Store, communities: Sequence[CommunityRow], dates: Mapping[int, str] | None = None
) -> list[Material]:
    """Material of communities of one level, in order, without vectors and tokens; see `weighed`.

    `dates` are `store.contents.dates()`, where they were read before.
    """
    batch = _Batch(store, communities, store.contents.dates() if dates is None else dates)
    return [batch.material(at) for at in range(len(communities))]


def weighed(store: Store, tokenizer: Tokenizer, materials: Sequence[Material]) -> list[Material]:
    """The same with vectors and tokens of the sentences that may become statements; zeros for no vector."""
    wanted = {s.passage_key for m in materials for s in m.sentences[: m.candidates]}
    stored = store.embeddings.get("sentence", sorted(wanted))
    nothing = np.zeros((1, store.embeddings.dimension), np.float32)
    found = []
    for material in materials:
        able, rest = material.sentences[: material.candidates], material.sentences[material.candidates :]
        tokens = tokenizer.counts([sentence.text for sentence in able])
        rows = [
            vectors[s.ordinal]
            if s.ordinal < len(vectors := stored.get(s.passage_key, nothing))
            else nothing[0]
            for s in able
        ]
        found.append(
            replace(
                material,
                sentences=(*(replace(s, tokens=n) for s, n in zip(able, tokens, strict=True)), *rest),
                vectors=np.stack(rows) if rows else _NO_VECTORS,
            )
        )
    return found


class _Batch:
    """Communities, members, facts and sentences by their numbers in this batch, as columns."""

    def __init__(self, store: Store, communities: Sequence[CommunityRow], dates: Mapping[int, str]) -> None:
        self._communities = communities
        self._dates = dates
        number = {row.key: at for at, row in enumerate(communities)}
        self._members: list[MemberRow] = store.contents.members(number)
        self._members.sort(key=lambda member: (number[member.community], member.id))
        self._home: Numbers = np.array([number[m.community] for m in self._members], dtype=np.int64)
        self._read_facts(store)
        self._read_places(store)
        self._centrality = self._centralities()
        self._rank_sentences()
        self._rank_facts()

    def _read_facts(self, store: Store) -> None:
        """Facts inside a community, and those of its entities with a date that is not one of them; by id."""
        at = {member.key: number for number, member in enumerate(self._members)}
        names = {name: at[entity] for name, entity in store.contents.names(at).items() if entity in at}
        home = self._home.tolist()
        kept: list[tuple[FactRow, int, int]] = []
        for fact in store.contents.facts(names):
            _, _, name, _, object_ = fact
            subject, other = names[name], names.get(object_, -1)
            if other >= 0 and home[other] != home[subject]:
                other = -1
            if other != subject and (other >= 0 or object_ in self._dates):
                kept.append((fact, subject, other))
        kept.sort(key=lambda row: row[0].id)
        self._facts = [row[0] for row in kept]
        self._ends: Numbers = np.array([row[1:] for row in kept], dtype=np.int64).reshape(-1, 2)
        self._of: Numbers = self._home[self._ends[:, 0]]  # community of each fact

    def _read_places(self, store: Store) -> None:
        """Evidence of the facts, and mentions of the entities of communities without a fact inside."""
        keys: Numbers = np.array([fact.key for fact in self._facts], dtype=np.int64)
        order = np.argsort(keys)
        evidence, confidences = store.contents.evidence(keys.tolist())
        self._told: Numbers = order[np.searchsorted(keys, evidence[:, 0], sorter=order)]  # fact of each row
        self._spans: Numbers = evidence[:, 1:]
        self._confidences: Amounts = confidences
        strengths = np.bincount(self._told, confidences, minlength=len(keys))
        self._strengths: Amounts = np.round(strengths, 6)
        inhabited = np.zeros(len(self._communities), dtype=bool)
        inhabited[self._of[self._ends[:, 1] >= 0]] = True
        self._inhabited = inhabited
        lonely = {self._members[at].key: at for at in np.flatnonzero(~inhabited[self._home]).tolist()}
        mentions = store.contents.mentions(lonely, _MENTIONED)
        self._places = Places(store.contents, [*self._spans[:, 0].tolist(), *mentions[:, 1].tolist()])
        self._rows: Numbers = self._places.at(self._spans[:, 0], self._spans[:, 1])
        who: Numbers = np.array([lonely[key] for key in mentions[:, 0].tolist()], dtype=np.int64)
        ends, rows = self._ends[self._told], self._rows
        tells = [
            np.stack([ends[:, 0], rows], axis=1),
            np.stack([ends[:, 1], rows], axis=1),
            np.stack([who, self._places.at(mentions[:, 1], mentions[:, 2])], axis=1),
        ]
        every = np.concatenate(tells)
        self._tells: Numbers = every[(every >= 0).all(axis=1)]  # (member, row of the sentence)

    def _centralities(self) -> Amounts:
        """Share of each member in its community: see `Member`."""
        inner = self._ends[:, 1] >= 0
        ends, strengths = self._ends[inner], self._strengths[inner]
        raw: Amounts = np.zeros(len(self._members))
        for side in (0, 1):
            raw += np.bincount(ends[:, side], strengths, minlength=len(self._members))
        spots = np.unique(
            np.stack([self._tells[:, 0], self._places.spots[self._tells[:, 1]]], axis=1), axis=0
        )
        said = np.bincount(spots[:, 0], minlength=len(self._members)).astype(np.float64)
        raw = np.where(self._inhabited[self._home], raw, said)
        total = np.bincount(self._home, raw, minlength=len(self._communities))[self._home]
        return np.asarray(np.round(np.divide(raw, total, out=np.zeros(len(raw)), where=total > 0), 9))

    def _rank_sentences(self) -> None:
        """Sentences by community, the most central first; of one that stands in two passages the first's."""
        places, (member, row) = self._places, self._tells.T
        community, spot = self._home[member], places.spots[row]
        order = np.lexsort((member, places.firsts[row], spot, community))
        community, spot, member, row = (column[order] for column in (community, spot, member, row))
        pair = community * (len(places.begins) + 1) + spot
        pairs, first, group = np.unique(pair, return_index=True, return_inverse=True)
        # Each entity once, though several facts of a sentence may name it; sums in the order of their ids.
        _, once = np.unique(np.stack([group, member], axis=1), axis=0, return_index=True)
        summed = np.bincount(group[once], self._centrality[member[once]], minlength=len(pairs))
        central = np.asarray(np.round(summed, 6), dtype=np.float64)
        row = row[first]
        order = np.lexsort((places.begins[row], places.documents_of[row], -central, community[first]))
        self._sentences: Numbers = row[order]
        self._central: Amounts = central[order]
        self._bounds = np.searchsorted(community[first][order], np.arange(len(self._communities) + 1))
        passages = np.unique(
            np.stack([self._home[self._tells[:, 0]], places.passages[self._tells[:, 1]]], axis=1), axis=0
        )
        self._shares = passages

    def _rank_facts(self) -> None:
        """Facts that have a place, by community and weight; and the surest evidence of each."""
        ends = self._centrality[self._ends[:, 0]]
        other = (
            np.where(self._ends[:, 1] >= 0, self._centrality[self._ends[:, 1]], 0.0) if len(ends) else ends
        )
        self._weights: Amounts = np.round(self._strengths * (ends + other), 9)
        found, places = self._rows, self._places
        good = np.flatnonzero(found >= 0)
        rows = found[good]
        order = good[
            np.lexsort(
                (self._spans[good, 1], places.begins[rows], places.documents_of[rows],
                 -self._confidences[good], self._told[good])
            )
        ]  # fmt: skip
        facts, first = np.unique(self._told[order], return_index=True)
        surest = order[first]
        self._surest = dict(zip(facts.tolist(), found[surest].tolist(), strict=True))  # row of the sentence
        self._surest_spans = dict(zip(facts.tolist(), self._spans[surest].tolist(), strict=True))
        # Lists: a column gives single numbers slowly.
        self._end_list: list[list[int]] = self._ends.tolist()
        self._strength_list: list[float] = self._strengths.tolist()
        self._weight_list: list[float] = self._weights.tolist()
        self._ranked = facts[np.lexsort((facts, -self._weights[facts], self._of[facts]))]
        self._facts_of = np.searchsorted(self._of[self._ranked], np.arange(len(self._communities) + 1))

    def material(self, at: int) -> Material:
        """Of the community with this number."""
        row = self._communities[at]
        members = self._told_members(at)
        chosen = self._chosen_facts(at)
        central = self._central_sentences(at)
        candidates = self._candidates(list(central))
        spots = self._places.spots
        by_spot = dict(zip(spots[list(central)].tolist(), central, strict=True))
        evidence = [by_spot[spot] for spot in spots[[self._surest[fact] for fact in chosen]].tolist()]
        rows = list(dict.fromkeys([*candidates, *evidence]))
        number = {sentence: n for n, sentence in enumerate(rows)}
        sentences = tuple(self._places.spoken(r, central[r]) for r in rows)
        facts = tuple(
            self._fact(f, number[e], sentences[number[e]]) for f, e in zip(chosen, evidence, strict=True)
        )
        documents = self._documents(at)
        source = source_of(row.level, members, facts, sentences, documents)
        return Material(
            row.key, row.level, members, facts, sentences, len(candidates), documents, source, _NO_VECTORS
        )

    def _told_members(self, at: int) -> tuple[Member, ...]:
        first, last = np.searchsorted(self._home, (at, at + 1)).tolist()
        shares = self._centrality[first:last].tolist()
        found = [
            Member(m.id, in_one_line(m.name), m.label, share)
            for m, share in zip(self._members[first:last], shares, strict=True)
        ]
        return tuple(sorted(found, key=lambda m: (-m.centrality, m.name, m.entity_id)))

    def _chosen_facts(self, at: int) -> list[int]:
        """Those of most weight: between entities, and those with a date, which may be outside."""
        ranked = self._ranked[self._facts_of[at] : self._facts_of[at + 1]].tolist()
        dated = [fact for fact in ranked if self._facts[fact].object in self._dates]
        other = [fact for fact in ranked if self._facts[fact].object not in self._dates]
        return sorted([*other[:_FACTS], *dated[:_FACTS]], key=lambda fact: (-self._weight_list[fact], fact))

    def _central_sentences(self, at: int) -> dict[int, float]:
        """Centrality of the community's sentences by row, the most central first."""
        span = slice(self._bounds[at], self._bounds[at + 1])
        return dict(zip(self._sentences[span].tolist(), self._central[span].tolist(), strict=True))

    def _candidates(self, rows: Sequence[int]) -> list[int]:
        full = (r for r in rows if len(self._places.text(r).split(None, _FEWEST_WORDS)) >= _FEWEST_WORDS)
        return list(islice(full, CANDIDATES)) or list(rows[:CANDIDATES])

    def _fact(self, at: int, sentence: int, spoken: Spoken) -> InnerFact:
        fact, (subject, other) = self._facts[at], self._end_list[at]
        object_ = self._members[other].name if other >= 0 else self._dates[fact.object]
        date = ""
        for end in (fact.object, fact.subject):
            date = date or (iso(self._dates[end]) if end in self._dates else "")
        return InnerFact(
            fact_id=fact.id,
            words=in_one_line(f"{self._members[subject].name} {fact.predicate} {object_}"),
            strength=self._strength_list[at],
            weight=self._weight_list[at],
            sentence=sentence,
            date=date or date_in(self._places.words(*self._surest_spans[at])) or date_in(spoken.text),
            inside=other >= 0,
        )

    def _documents(self, at: int) -> tuple[DocumentShare, ...]:
        first, last = np.searchsorted(self._shares[:, 0], (at, at + 1)).tolist()
        documents = self._places.documents_of_passages[self._shares[first:last, 1]]
        found = []
        for number, passages in zip(
            *(c.tolist() for c in np.unique(documents, return_counts=True)), strict=True
        ):
            document = self._places.documents[number]
            found.append(DocumentShare(document.id, in_one_line(document.title), passages))
        return tuple(sorted(found, key=lambda share: (-share.passages, share.document_id)))
