"""Reads the material of many communities at once; nothing is asked of the store for one entity alone.

Row keys decide nothing: ties go by stable ids and places, so that the same documents give the same material.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from core.answering.reports.material import InnerFact, Material, Member, Places, Spoken, source_of
from core.protocols import Tokenizer
from core.store.contents import CommunityRow, FactRow, MemberRow
from core.store.reports import in_one_line
from core.store.store import Store
from core.text.dates import date_in, iso, only_counts
from core.types import DocumentShare

Numbers = NDArray[np.int64]
Amounts = NDArray[np.float64]

_MENTIONED = 20  # passages of a name where no fact tells of it


class Read:
    """Entities and facts by number, in the order of their ids; sentences by their row in `places`.

    `homes`: for each level the number of each entity's community, (n_entities,), -1 for none.
    `facts`, with columns (n_facts,): `ends` (n_facts, 2) are entities, the object -1 where it was not read;
    `strengths`; `dated`, whether the object is a date; `surest`, the number of the evidence, -1 for none.
    Evidence, (n_triples,): `fact_rows` is the fact, `spans` (n_triples, 3) passage key, start and end, `rows` the
    sentence, -1 for none. Mentions: `mentioned` is the entity, `mention_rows` the sentence; `mentions` (n_entities,) is
    how often texts name each. `edge_ends` (m, 2), -1 where it was not read, and `edge_weights` (m,) are facts and ties.

    What stands in a list of references is left out: evidence, facts without any other, and mentions, but for those of
    entities in communities that are `cited_only`: for each level, by number, whether nothing else holds any of it.
    """

    def __init__(
        self, store: Store, levels: Sequence[Sequence[CommunityRow]], dates: Mapping[int, str] | None
    ) -> None:
        self._read_entities(store, levels)
        self._read_cited(store, levels)
        names = {name: self._at[entity] for name, entity in store.contents.names(self._at).items()}
        facts = store.contents.facts(names)
        ends = {end for fact in facts for end in (fact.subject, fact.object)}
        self.dates = store.contents.dates_among(ends) if dates is None else dates
        evidence, self._confidences = store.contents.evidence(fact.key for fact in facts)
        listed = store.reference_lists.inside(evidence[:, 1], evidence[:, 2])
        evidence, self._confidences = evidence[~listed], self._confidences[~listed]
        if listed.any():
            fact_keys = set(evidence[:, 0].tolist())
            facts = [fact for fact in facts if fact.key in fact_keys]
        self._read_facts(names, facts)
        known = np.isin(evidence[:, 0], [fact.key for fact in self.facts])
        evidence, self._confidences = evidence[known], self._confidences[known]
        keys: Numbers = np.array([fact.key for fact in self.facts], dtype=np.int64)
        order = np.argsort(keys)
        self.fact_rows: Numbers = order[np.searchsorted(keys, evidence[:, 0], sorter=order)]
        self.spans: Numbers = evidence[:, 1:]
        summed = np.bincount(self.fact_rows, self._confidences, minlength=len(keys))
        self.strengths: Amounts = np.asarray(np.round(summed, 6), dtype=np.float64)
        mentions = store.contents.mentions(self._without_facts(), _MENTIONED)
        mentions = mentions[self._counted_mentions(store, mentions)]
        self.mentioned: Numbers = np.array([self._at[key] for key in mentions[:, 0].tolist()], dtype=np.int64)
        self.places = Places(store.contents, [*self.spans[:, 0].tolist(), *mentions[:, 1].tolist()])
        self.rows = self.places.at(self.spans[:, 0], self.spans[:, 1])
        self.mention_rows = self.places.at(mentions[:, 1], mentions[:, 2])
        self.surest = self._surest()
        counts = store.contents.mention_counts(self._at)
        self.mentions = np.array([counts.get(member.key, 0) for member in self.entities], dtype=np.float64)
        edges = store.map_edges.columns_touching(self._at)
        numbers = [self._at.get(key, -1) for key in edges.ends.ravel().tolist()]
        self.edge_ends: Numbers = np.array(numbers, dtype=np.int64).reshape(-1, 2)
        self.edge_weights: Amounts = np.round(edges.weights, 6)
        is_tie = (edges.facts < 0) & (self.edge_ends >= 0).all(axis=1)
        self.tie_ends, self.tie_weights = self.edge_ends[is_tie], self.edge_weights[is_tie]

    def _read_entities(self, store: Store, levels: Sequence[Sequence[CommunityRow]]) -> None:
        found: list[list[MemberRow]] = [store.contents.members(row.key for row in rows) for rows in levels]
        self._approved = store.candidates.entities()
        if self._approved is not None:
            found = [[member for member in members if member.key in self._approved] for members in found]
        every = {member.id: member for members in found for member in members}
        self.entities = [every[id] for id in sorted(every)]
        self._at = {member.key: at for at, member in enumerate(self.entities)}
        self.homes: list[Numbers] = []
        for rows, members in zip(levels, found, strict=True):
            number = {row.key: at for at, row in enumerate(rows)}
            home: Numbers = np.full(len(self.entities), -1, dtype=np.int64)
            home[[self._at[member.key] for member in members]] = [number[m.community] for m in members]
            self.homes.append(home)

    def _read_facts(self, names: Mapping[int, int], facts: Sequence[FactRow]) -> None:
        """Facts between two of the entities, and of one of them with a date. `names` are numbers by key of a name."""
        rows: list[tuple[str, FactRow, int, int]] = []
        for fact in facts:
            _, id, name, _, object_ = fact
            subject, other = names[name], names.get(object_, -1)
            if other != subject and (other >= 0 or object_ in self.dates):
                rows.append((id, fact, subject, other))
        rows.sort()
        self.facts = [row[1] for row in rows]
        self.subjects = [row[2] for row in rows]
        self.ends: Numbers = np.array([row[2:] for row in rows], dtype=np.int64).reshape(-1, 2)
        self.dated = np.array([fact.object in self.dates for fact in self.facts], dtype=bool)

    def _without_facts(self) -> list[int]:
        """Keys of the entities that stand at some level in a community without a fact inside; none where only
        approved facts are told."""
        if self._approved is not None:
            return []
        lonely = np.zeros(len(self.entities), dtype=bool)
        subject, object_ = self.ends.T
        for home in self.homes:
            inside = (object_ >= 0) & (home[object_] == home[subject])
            inhabited = np.unique(home[subject[inside]])
            lonely |= (home >= 0) & ~np.isin(home, inhabited)
        return [self.entities[at].key for at in np.flatnonzero(lonely).tolist()]

    def _read_cited(self, store: Store, levels: Sequence[Sequence[CommunityRow]]) -> None:
        """Entities that only lists of references name, and communities of nothing else."""
        keys = [entity.key for entity in self.entities]
        cited = store.reference_lists.entities(keys)
        self.cited = np.array([key in cited for key in keys], dtype=bool)
        self.cited_only: list[NDArray[np.bool_]] = []
        for rows, home in zip(levels, self.homes, strict=True):
            others = np.bincount(home[(home >= 0) & ~self.cited], minlength=len(rows))
            self.cited_only.append((others == 0) & (np.bincount(home[home >= 0], minlength=len(rows)) > 0))

    def _counted_mentions(self, store: Store, mentions: Numbers) -> NDArray[np.bool_]:
        """Which of these rows count: those outside of lists, and all of who is named nowhere else, where at some
        level nobody else is in its community."""
        among = np.zeros(len(self.entities), dtype=bool)
        for home, only in zip(self.homes, self.cited_only, strict=True):
            among[home >= 0] |= only[home[home >= 0]]
        entities = np.array([self._at[key] for key in mentions[:, 0].tolist()], dtype=np.int64)
        return ~store.reference_lists.inside(mentions[:, 1], mentions[:, 2]) | among[entities]

    def _surest(self) -> Numbers:
        """Of each fact the evidence of most confidence; of equals the one that stands first."""
        found: Numbers = np.full(len(self.facts), -1, dtype=np.int64)
        good = np.flatnonzero(self.rows >= 0)
        rows, places = self.rows[good], self.places
        facts_of, spans = self.fact_rows[good], self.spans[good]
        order = good[
            np.lexsort(
                (
                    spans[:, 2],
                    spans[:, 1] + places.firsts[rows],
                    places.documents_of[rows],
                    -self._confidences[good],
                    facts_of,
                )
            )
        ]
        facts, first = np.unique(self.fact_rows[order], return_index=True)
        found[facts] = order[first]
        return found


CANDIDATES = 48  # sentences that may become statements
_FACTS = 50  # between entities, and as many to dates
_FEWEST_WORDS = 4  # of a sentence that says something by itself
_NO_VECTORS: NDArray[np.float32] = np.zeros((0, 0), np.float32)


def gather(
    store: Store, communities: Sequence[CommunityRow], dates: Mapping[int, str] | None = None
) -> list[Material]:
    """Material of communities, in order, without vectors and tokens; see `weighed`.

    Communities of several levels that hold the same entities are best read together. `dates` are
    `store.contents.dates()`, where they were read before; few communities read their own.
    """
    levels: dict[int, list[CommunityRow]] = {}
    for row in communities:
        levels.setdefault(row.level, []).append(row)
    read = Read(store, list(levels.values()), dates)
    found: dict[int, Material] = {}
    for rows, home, only in zip(levels.values(), read.homes, read.cited_only, strict=True):
        level = _Level(read, rows, home, only)
        found |= {row.key: level.material(at) for at, row in enumerate(rows)}
    return [found[row.key] for row in communities]


def weighed(store: Store, tokenizer: Tokenizer, materials: Sequence[Material]) -> list[Material]:
    """The same with vectors and tokens of the sentences that may become statements; zeros for no vector."""
    wanted = {s.passage_key for m in materials for s in m.sentences[: m.candidates]}
    stored = store.embeddings.get("sentence", sorted(wanted))
    nothing = np.zeros((1, store.embeddings.dimension), np.float32)
    # All at once: words that many share are counted once.
    counts = iter(tokenizer.counts([s.text for m in materials for s in m.sentences[: m.candidates]]))
    found = []
    for material in materials:
        able = material.sentences[: material.candidates]
        rows = [
            vectors[s.ordinal]
            if s.ordinal < len(vectors := stored.get(s.passage_key, nothing))
            else nothing[0]
            for s in able
        ]
        tokens = tuple(islice(counts, len(able)))
        found.append(replace(material, tokens=tokens, vectors=np.stack(rows) if rows else _NO_VECTORS))
    return found


class _Level:
    """Communities of one level, by their numbers; entities, facts and sentences by those of what was read."""

    def __init__(
        self, read: Read, communities: Sequence[CommunityRow], home: Numbers, cited_only: NDArray[np.bool_]
    ) -> None:
        self._read = read
        self._communities = communities
        self._home = home
        self._cited_only = cited_only
        self._order = np.argsort(home, kind="stable")
        self._members = np.searchsorted(home[self._order], np.arange(len(communities) + 1))
        subject, object_ = read.ends.T
        within = (object_ >= 0) & (home[object_] == home[subject])
        self._ends: Numbers = np.stack([subject, np.where(within, object_, -1)], axis=1)
        # Facts inside, and those with a date that is not in the community.
        self._counted = (home[subject] >= 0) & (within | read.dated)
        self._of: Numbers = home[subject]
        self._inhabited = np.zeros(len(communities), dtype=bool)
        self._inhabited[self._of[self._counted & within]] = True
        self._statements = self._read_statements()
        self._centrality = self._centralities()
        self._distinction = self._distinctions()
        self._rank_sentences()
        self._rank_facts()

    def _read_statements(self) -> Numbers:
        """Rows (entity, sentence) of what is said of entities; mentions only where no fact is inside."""
        read = self._read
        counted = self._counted[read.fact_rows]
        ends, rows = self._ends[read.fact_rows[counted]], read.rows[counted]
        where = self._home[read.mentioned]
        lonely = (where >= 0) & ~self._inhabited[where]
        lonely &= ~read.cited[read.mentioned] | self._cited_only[where]
        every = np.concatenate(
            [
                np.stack([ends[:, 0], rows], axis=1),
                np.stack([ends[:, 1], rows], axis=1),
                np.stack([read.mentioned, read.mention_rows], axis=1)[lonely],
            ]
        )
        return every[(every >= 0).all(axis=1)]

    def _centralities(self) -> Amounts:
        """Share of each entity in its community: see `Member`."""
        inner, count = self._ends[:, 1] >= 0, len(self._home)
        ends, strengths = self._ends[inner], self._read.strengths[inner]
        raw: Amounts = np.zeros(count)
        tied = self._read.tie_ends
        inside = self._home[tied[:, 0]] == self._home[tied[:, 1]]
        for side in (0, 1):
            raw += np.bincount(ends[:, side], strengths, minlength=count)
            raw += np.bincount(tied[inside, side], self._read.tie_weights[inside], minlength=count)
        spots = self._read.places.spots[self._statements[:, 1]]
        entity_rows = np.unique(np.stack([self._statements[:, 0], spots], axis=1), axis=0)[:, 0]
        connected = np.bincount(np.maximum(self._home, 0), raw, minlength=len(self._communities)) > 0
        raw = np.where(
            connected[self._home], raw, np.bincount(entity_rows, minlength=count).astype(np.float64)
        )
        raw[self._home < 0] = 0.0
        return self._shares_of(raw)

    def _distinctions(self) -> Amounts:
        """How much each entity tells its community from the others, see `Member`."""
        read, count = self._read, len(self._home)
        homes = np.where(read.edge_ends >= 0, self._home[read.edge_ends], -1)
        inside = homes[:, 0] == homes[:, 1]
        within, every = np.zeros(count), np.zeros(count)
        for side in (0, 1):
            at = read.edge_ends[:, side]
            there = at >= 0
            every += np.bincount(at[there], read.edge_weights[there], minlength=count)
            within += np.bincount(at[there & inside], read.edge_weights[there & inside], minlength=count)
        # One more of each, so that a name that only a title or another community's facts tell of is not nothing.
        raw = (1 + read.mentions) * (1 + within) / (1 + every)
        return self._shares_of(np.where(self._home < 0, 0.0, raw))

    def _shares_of(self, raw: Amounts) -> Amounts:
        """Return each entity's share of the sum over its community, (n_entities,)."""
        sums = np.bincount(np.maximum(self._home, 0), raw, minlength=len(self._communities))[self._home]
        return np.asarray(np.round(np.divide(raw, sums, out=np.zeros(len(raw)), where=sums > 0), 9))

    def _rank_sentences(self) -> None:
        """Sentences by community, the most central first; of one that stands in two passages the first's."""
        places, (member, row) = self._read.places, self._statements.T
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
            np.stack([self._home[self._statements[:, 0]], places.passages[self._statements[:, 1]]], axis=1),
            axis=0,
        )
        self._shares = passages

    def _rank_facts(self) -> None:
        """Facts that have a place, by community and weight."""
        read = self._read
        shares = (
            np.where(self._ends >= 0, self._centrality[self._ends], 0.0) if len(self._ends) else self._ends
        )
        weights: Amounts = np.round(read.strengths * shares.sum(axis=1), 9)
        placed = np.flatnonzero(self._counted & (read.surest >= 0))
        ranked = placed[np.lexsort((placed, -weights[placed], self._of[placed]))]
        self._facts_of = np.searchsorted(self._of[ranked], np.arange(len(self._communities) + 1))
        # Lists: a column gives single numbers slowly.
        self._ranked: list[int] = ranked.tolist()
        self._weights: list[float] = weights.tolist()
        self._objects: list[int] = self._ends[:, 1].tolist()

    def material(self, at: int) -> Material:
        """Of the community with this number."""
        row, places = self._communities[at], self._read.places
        members = self._named_members(at)
        chosen = self._chosen_facts(at)
        central = self._central_sentences(at)
        candidates = self._candidates(list(central))
        by_spot = dict(zip(places.spots[list(central)].tolist(), central, strict=True))
        surest = self._read.rows[self._read.surest[chosen]]
        evidence = [by_spot[spot] for spot in places.spots[surest].tolist()]
        rows = list(dict.fromkeys([*candidates, *evidence]))
        number = {sentence: n for n, sentence in enumerate(rows)}
        sentences = tuple(places.spoken(r, central[r]) for r in rows)
        facts = tuple(
            self._fact(f, number[e], sentences[number[e]]) for f, e in zip(chosen, evidence, strict=True)
        )
        documents = self._documents(at)
        cited_only = bool(self._cited_only[at])
        return Material(
            community_id=row.key,
            level=row.level,
            members=members,
            facts=facts,
            sentences=sentences,
            candidates=len(candidates),
            documents=documents,
            source=source_of(row.level, members, facts, sentences, documents),
            cited_only=cited_only,
            tokens=(),
            vectors=_NO_VECTORS,
        )

    def _named_members(self, at: int) -> tuple[Member, ...]:
        found = []
        numbers = self._order[self._members[at] : self._members[at + 1]]
        centrality, distinction = self._centrality[numbers].tolist(), self._distinction[numbers].tolist()
        for number, share, own in zip(numbers.tolist(), centrality, distinction, strict=True):
            member = self._read.entities[number]
            cited = bool(self._read.cited[number])
            found.append(Member(member.id, in_one_line(member.name), member.label, share, own, cited))
        return tuple(sorted(found, key=lambda m: (-m.centrality, m.name, m.entity_id)))

    def _chosen_facts(self, at: int) -> list[int]:
        """Those of most weight: between entities, and those with a date, which may be outside."""
        ranked = self._ranked[self._facts_of[at] : self._facts_of[at + 1]]
        dates = self._read.dates
        dated = islice((fact for fact in ranked if self._read.facts[fact].object in dates), _FACTS)
        other = islice((fact for fact in ranked if self._read.facts[fact].object not in dates), _FACTS)
        return sorted([*dated, *other], key=lambda fact: (-self._weights[fact], fact))

    def _central_sentences(self, at: int) -> dict[int, float]:
        """Centrality of the community's sentences by row, the most central first."""
        span = slice(self._bounds[at], self._bounds[at + 1])
        return dict(zip(self._sentences[span].tolist(), self._central[span].tolist(), strict=True))

    def _candidates(self, rows: Sequence[int]) -> list[int]:
        """What may be told: sentences, and only where there is none what else has some words."""
        text = self._read.places.text
        telling = filter(self._read.places.is_statement, rows)
        if found := list(islice(telling, CANDIDATES)):
            return found
        full = (r for r in rows if len(text(r).split(None, _FEWEST_WORDS)) >= _FEWEST_WORDS)
        return list(islice(full, CANDIDATES)) or list(rows[:CANDIDATES])

    def _fact(self, at: int, sentence: int, spoken: Spoken) -> InnerFact:
        read, other = self._read, self._objects[at]
        fact = read.facts[at]
        object_ = read.entities[other].name if other >= 0 else read.dates[fact.object]
        date = ""
        for end in (fact.object, fact.subject):
            date = date or (iso(read.dates[end]) if end in read.dates else "")
        date = "" if only_counts(date, spoken.text) else date
        return InnerFact(
            fact_id=fact.id,
            words=in_one_line(f"{read.entities[read.subjects[at]].name} {fact.predicate} {object_}"),
            strength=float(read.strengths[at]),
            weight=self._weights[at],
            sentence=sentence,
            date=date
            or date_in(read.places.words(*read.spans[read.surest[at]].tolist()))
            or date_in(spoken.text),
            inside=other >= 0,
        )

    def _documents(self, at: int) -> tuple[DocumentShare, ...]:
        places = self._read.places
        first, last = np.searchsorted(self._shares[:, 0], (at, at + 1)).tolist()
        documents = places.documents_of_passages[self._shares[first:last, 1]]
        numbers, counts = np.unique(documents, return_counts=True)
        found = []
        for number, passages in zip(numbers.tolist(), counts.tolist(), strict=True):
            document = places.documents[number]
            found.append(DocumentShare(document.id, in_one_line(document.title), passages))
        return tuple(sorted(found, key=lambda share: (-share.passages, share.document_id)))
