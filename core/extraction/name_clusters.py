"""Which names of one component are one entity, by the merges between them: sure pairs first, then short forms.

A short form ("Mr Krag", "M. Krag", "mkrag") is one of whoever alone may be meant by it. The more of its bearer a name
says, the earlier it is placed, so that "Krag" is looked for among people, not among names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

from core.extraction.entity_resolution import PROPOSALS, claim_excludes, conflict, is_settled, level
from core.extraction.names import NamedEntity
from core.extraction.short_forms import APART, SHORTENINGS, SINGLE_WORDS
from core.extraction.titles import sex_of_words, titles_of, untitled

Edge = tuple[int, int, str, str, float]  # one, other, rule, reason, score
PERSON_RULE = "person"  # somebody said so
_INTRODUCED = 0.9  # score above which a document says so itself
_FEW = 3  # mentions of what may be no name at all
_SELDOM = (
    0.25  # of the mentions of the most frequent one: least at which another name may be meant by a short form
)


class NameClusters:
    """Clusters of `names`, which grow by merges; `apart`: pairs of which somebody said that they are two."""

    def __init__(
        self, names: Mapping[int, NamedEntity], mentions: Mapping[int, int], apart: Set[tuple[int, int]]
    ) -> None:
        self._names, self._mentions, self._apart = names, mentions, apart
        self._members = {key: {key} for key in names}

    def clusters(self) -> list[set[int]]:
        """Return the keys of each cluster."""
        return list({id(members): members for members in self._members.values()}.values())

    def join_sure(self, edges: Iterable[Edge]) -> None:
        """Join the surest pairs first; never two names that contradict each other."""
        # By name, not by key: an interrupted run must come to the same.
        order = sorted(
            edges, key=lambda e: (-e[4], *sorted((self._names[e[0]].normal, self._names[e[1]].normal)))
        )
        for one, other, rule, *_ in order:
            self._join(one, other, rule == PERSON_RULE)

    def join_short(self, edges: Iterable[Edge]) -> None:
        """Join short forms to the one cluster that they may be short for, those that say most of it first."""
        longer: dict[int, list[tuple[float, int]]] = {}
        for one, other, _, _, score in edges:
            ranks = {key: (level(self._names[key]), len(self._names[key].letters)) for key in (one, other)}
            short, full = sorted((one, other), key=lambda key: (ranks[key], self._names[key].normal))
            longer.setdefault(short, []).append((score, full))
        by_level: dict[tuple[int, int], list[int]] = {}
        for key in sorted(longer, key=lambda key: self._names[key].normal):
            by_level.setdefault(level(self._names[key]), []).append(key)
        for rank in sorted(by_level, reverse=True):
            claims = {
                key: meant for key in by_level[rank] if (meant := self._meant(key, longer[key])) is not None
            }
            for key, meant in claims.items():
                if not self._contested(key, claims):
                    self._join(key, meant)

    def _join(self, one: int, other: int, stated: bool = False) -> None:
        left, right = self._members[one], self._members[other]
        if left is right or not self._fit(left, right, stated):
            return
        left |= right
        for key in right:
            self._members[key] = left

    def _fit(self, left: Set[int], right: Set[int], stated: bool = False) -> bool:
        crossing = [(a, b) for a in left for b in right]
        if any((min(pair), max(pair)) in self._apart for pair in crossing):
            return False
        return stated or not any(conflict(self._names[a], self._names[b]) for a, b in crossing)

    def _meant(self, short: int, longer: Sequence[tuple[float, int]]) -> int | None:
        """Return the name that stands for the one cluster that a short form may belong to; None if there are more."""
        introduced, shared = (
            [full for score, full in longer if score > least] for least in (_INTRODUCED, APART)
        )
        shared = introduced or shared or [full for _, full in longer]
        found: dict[int, list[int]] = {}  # names by cluster
        for full in shared:
            if self._fit(self._members[short], self._members[full]):
                found.setdefault(id(self._members[full]), []).append(full)
        groups = list(found.values())
        name = self._names[short]
        if len(groups) > 1:
            groups = [own for own in groups if is_settled(name, self._of(own[0]))] or groups
        if len(groups) > 1 and not titles_of(name.words):
            groups = [own for own in groups if not self._is_titled_woman(own[0])] or groups
        if len(groups) > 1:
            count = {own[0]: max(self._mentions[key] for key in self._members[own[0]]) for own in groups}
            most = max(count.values())
            groups = [own for own in groups if count[own[0]] > _FEW or count[own[0]] >= _SELDOM * most]
        return min(groups[0], key=lambda key: self._names[key].normal) if len(groups) == 1 else None

    def _contested(self, short: int, claims: Mapping[int, int]) -> bool:
        """Return whether another short form, which cannot be the same one, claims the cluster with the same right."""
        target, name = self._members[claims[short]], self._names[short]
        settled = is_settled(name, self._of(claims[short]))
        sex = max(sex_of_words(own.words) for own in self._of(claims[short]))
        return any(
            key != short
            and self._members[full] is target
            and claim_excludes(name, self._names[key], sex)
            and (not settled or is_settled(self._names[key], self._of(full)))
            for key, full in claims.items()
        )

    def _is_titled_woman(self, key: int) -> bool:
        """Return whether nobody calls her without her title, as "Mrs Krag": a bare "Krag" is somebody else."""
        own = [self._names[member] for member in self._members[key] if self._mentions[member] > _FEW]
        return bool(own) and all(
            sex_of_words(name.words) == "she" and len(untitled(name.words)) == 1 for name in own
        )

    def _of(self, key: int) -> Iterable[NamedEntity]:
        return (self._names[member] for member in self._members[key])


def cluster_names(
    names: Mapping[int, NamedEntity],
    mentions: Mapping[int, int],
    edges: Iterable[Edge],
    apart: Set[tuple[int, int]],
) -> list[set[int]]:
    """Return the keys of the names of each entity."""
    edges = [edge for edge in edges if edge[2] not in PROPOSALS]
    found = NameClusters(names, mentions, apart)
    short: list[Edge] = []
    sure: list[Edge] = []
    for edge in edges:
        is_short = edge[2] in SHORTENINGS and not (names[edge[0]].sense or names[edge[1]].sense)
        (short if is_short else sure).append(edge)
    found.join_sure(sure)
    found.join_short(edge for edge in short if edge[2] not in SINGLE_WORDS)
    found.join_short(edge for edge in short if edge[2] in SINGLE_WORDS)
    return found.clusters()
