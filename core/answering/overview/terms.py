"""Words and phrases that tell groups of texts apart: class-based tf-idf. Grootendorst 2022, BERTopic, 3.3."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from core.text.stems import strip_ending

_LONGEST = 3  # words of a phrase
_LEAST = 3  # letters of a word
_FEWEST = 3  # texts of a group that hold a term
_LOOK = 60  # best terms of a group that are looked at
_PART = 0.5  # share of a word's texts that a phrase with it stands in, to be taken in its place
_WORD = re.compile(r"[^\W\d_]+(?:[-'’&][^\W\d_]+)*")
_APART = re.compile(r"[^\w\s'’&-]+|[\n\d]|\s[-–]+\s")  # no phrase goes over it
_ADDRESS = re.compile(r"\S*[@/\\_]\S*|\S+\.\S+")  # of mail, of pages, of files: no words
_OWNER = re.compile(r"['’]s?$")

Key = tuple[str, ...]  # stems of a term's words


@dataclass(frozen=True, slots=True)
class Term:
    """`weight` tells how much it distinguishes its group."""

    key: Key
    words: str  # as it is mostly written
    weight: float


def phrases(text: str, stops: Set[str]) -> Iterator[tuple[Key, str]]:
    """Every run of one to three words that say something: by what it is counted, and as it is written."""
    for part in _APART.split(_ADDRESS.sub("\n", text)):
        run: list[tuple[str, str]] = []
        for written in _WORD.findall(part):
            word = _OWNER.sub("", written)
            low = word.casefold()
            if len(low) < _LEAST or low in stops or written.casefold() in stops:
                run = []
                continue
            run = [*run[1 - _LONGEST :], (strip_ending(low), word)]
            for length in range(1, len(run) + 1):
                yield tuple(s for s, _ in run[-length:]), " ".join(w for _, w in run[-length:])


class Counts:
    """In how many texts of each group each term stands, and how it is written."""

    def __init__(self, groups: int) -> None:
        self.texts = [0] * groups
        self.by_group: list[Counter[Key]] = [Counter() for _ in range(groups)]
        self._written: dict[Key, dict[str, int]] = {}

    def add(self, group: int, terms: Iterable[tuple[Key, str]]) -> None:
        """The terms of one text, each counted once."""
        found = dict(terms)
        self.texts[group] += 1
        self.by_group[group].update(found.keys())
        for key, words in found.items():
            forms = self._written.setdefault(key, {})
            forms[words] = forms.get(words, 0) + 1

    def best(self) -> list[list[Term]]:
        """Terms of each group by `p log(p / q)`, the greatest first: p is the share of the group's texts that hold
        the term, q that of all texts. What is as frequent everywhere weighs nothing; one group alone has nothing to
        be told from, and its terms weigh p."""
        every: Counter[Key] = Counter()
        for counts in self.by_group:
            every.update(counts)
        found = []
        alone = math.e if len(self.by_group) == 1 else 1.0
        for counts, texts in zip(self.by_group, self.texts, strict=True):
            weights = {
                key: n / texts * math.log(alone * n / texts * sum(self.texts) / every[key])
                for key, n in counts.items()
                if n >= min(_FEWEST, (texts + 1) // 2)
            }
            order = sorted((key for key in weights if weights[key] > 0), key=lambda key: (-weights[key], key))
            found.append([Term(key, self._spelling(key), weights[key]) for key in order[:_LOOK]])
        return found

    def _spelling(self, key: Key) -> str:
        forms = self._written[key]
        return min(forms, key=lambda form: (-forms[form], form))


def name_terms(terms: Sequence[Term], counts: Counter[Key], persons: frozenset[str], most: int) -> list[Term]:
    """The best terms of a group that share no word, of persons (by the stems of their names) one at most.

    A phrase takes the place of its word where it stands in most of the word's texts.
    """
    chosen: list[Term] = []
    for term in terms:
        taken = {part for other in chosen for part in (*other.key, "".join(other.key))}
        longer = (
            other
            for other in terms
            if set(term.key) < set(other.key)
            and taken.isdisjoint(other.key)
            and counts[other.key] >= max(2, _PART * counts[term.key])
        )
        best = max(longer, key=lambda other: len(other.key), default=term)
        again = len(set(best.key)) < len(best.key) or not taken.isdisjoint((*best.key, "".join(best.key)))
        if again or (persons.issuperset(best.key) and not persons.isdisjoint(taken)):
            continue
        chosen.append(best)
        if len(chosen) == most:
            break
    return chosen
