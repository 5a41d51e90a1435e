"""What stands in the store on the entities of some communities, read once for all their levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from core.answering.reports.places import Places
from core.store.contents import CommunityRow, FactRow, MemberRow
from core.store.store import Store

Numbers = NDArray[np.int64]
Amounts = NDArray[np.float64]

_MENTIONED = 20  # passages of a name where no fact tells of it


class Read:
    """Entities and facts by number, in the order of their ids; sentences by their row in `places`.

    `homes`: for each level the number of each entity's community, (n_entities,), -1 for none.
    `facts`, with columns (n_facts,): `ends` (n_facts, 2) are entities, the object -1 where it was not read;
    `strengths`; `dated`, whether the object is a date; `surest`, the number of the evidence, -1 for none.
    Evidence, (n_triples,): `fact_rows` is the fact, `spans` (n_triples, 3) passage key, start and end, `rows` the
    sentence, -1 for none. Mentions: `mentioned` is the entity, `mention_rows` the sentence.

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

    def _read_entities(self, store: Store, levels: Sequence[Sequence[CommunityRow]]) -> None:
        found: list[list[MemberRow]] = [store.contents.members(row.key for row in rows) for rows in levels]
        self._told = store.candidates.entities()
        if self._told is not None:
            found = [[member for member in members if member.key in self._told] for members in found]
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
        if self._told is not None:
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
