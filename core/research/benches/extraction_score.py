"""How many gold triples an extractor joins, on a data set whose questions carry gold triples.

A gold triple counts when some triple of a gold passage has one end that matches its subject and
the other end its object, in either direction; predicates are not compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.errors import BadInput
from core.extraction.names import normalise
from core.progress import TaskContext
from core.protocols import Extractor
from core.research.datasets import read_rows
from core.text.dates import date_key, dates_in
from core.types import Extraction, Passage, Triple


@dataclass(frozen=True, slots=True)
class GoldTriple:
    """`passages` are the ids of the passages that support it; subject and object as in the data set."""

    subject: str
    predicate: str
    object: str
    passages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExtractionScore:
    """Shares of the gold triples, 0 to 1."""

    gold: int  # gold triples, each counted once
    joined: float  # both ends matched: equal, one within the other, same date, country and its adjective
    exact: float  # both ends equal once normalised
    possible: float  # both ends stand somewhere in a gold passage or its title: the upper bound
    triples_per_passage: float


def score_extraction(dataset: Path, extractor: Extractor, context: TaskContext) -> ExtractionScore:
    """Runs the extractor over the gold passages of `dataset` and scores its triples.

    Raises BadInput when the folder is no data set or its questions carry no gold triples.
    """
    gold = read_gold(dataset)
    wanted = {passage for triple in gold for passage in triple.passages}
    passages = [passage for passage in _read_passages(dataset) if passage.id in wanted]
    extractions = dict(
        zip((passage.id for passage in passages), extractor.extract(passages, context), strict=True)
    )
    return _score(gold, passages, extractions)


def _score(
    gold: Sequence[GoldTriple], passages: Sequence[Passage], extractions: Mapping[str, Extraction]
) -> ExtractionScore:
    """`extractions` maps passage id to what was found there."""
    texts = {passage.id: f"{passage.title}\n{passage.text}" for passage in passages}
    joined, exact, possible = set(), set(), set()
    for i, triple in enumerate(gold):
        found = [
            t for p in triple.passages if p in extractions for t in extractions[p].triples if not t.assertion
        ]
        if any(_joins(t, triple, same_name) for t in found):
            joined.add(i)
        if any(_joins(t, triple, same_key) for t in found):
            exact.add(i)
        if any(occurs(triple.subject, text) and occurs(triple.object, text)
               for p in triple.passages if (text := texts.get(p, ""))):  # fmt: skip
            possible.add(i)
    n, m = max(len(gold), 1), max(len(passages), 1)
    return ExtractionScore(
        gold=len(gold),
        joined=len(joined) / n,
        exact=len(exact) / n,
        possible=len(possible | joined) / n,
        triples_per_passage=sum(not t.assertion for e in extractions.values() for t in e.triples) / m,
    )


# ---------------------------------------------------------------- matching


def same_key(one: str, other: str) -> bool:
    """Equal once normalised."""
    return bool(normalise(one)) and normalise(one) == normalise(other)


def same_name(one: str, other: str) -> bool:
    """Equal, one within the other as whole words, the same date, or a country and its adjective."""
    for a in _spellings(one):
        for b in _spellings(other):
            if a == b or f" {a} " in f" {b} " or f" {b} " in f" {a} ":
                return True
    key = date_key(one)
    return bool(key) and key == date_key(other)


def occurs(name: str, text: str) -> bool:
    """Whether the name, or the same date or country in another spelling, stands in the text."""
    words = f" {_words(text)} "
    return any(f" {a} " in words for a in _spellings(name)) or date_key(name) in dates_in(text)


def _joins(triple: Triple, gold: GoldTriple, same: Callable[[str, str], bool]) -> bool:
    return (same(triple.subject, gold.subject) and same(triple.object, gold.object)) or (
        same(triple.subject, gold.object) and same(triple.object, gold.subject)
    )


@lru_cache(maxsize=65_536)
def _words(text: str) -> str:
    """Words of the text, casefolded, single spaces, without punctuation: so that word borders are spaces."""
    return " ".join("".join(c if c.isalnum() else " " for c in normalise(text)).split())


@lru_cache(maxsize=65_536)
def _spellings(name: str) -> frozenset[str]:
    """The name's words, and for a country or its adjective the other's."""
    words = _words(name)
    return (frozenset({words}) | demonyms().get(words, frozenset())) if words else frozenset()


@lru_cache(maxsize=1)
def demonyms() -> dict[str, frozenset[str]]:
    """Country or adjective -> all spellings of that country, from demonyms.tsv beside this file."""
    table: dict[str, frozenset[str]] = {}
    for line in (Path(__file__).parent / "demonyms.tsv").read_text(encoding="utf-8").splitlines():
        group = frozenset(_words(word) for word in line.split("\t"))
        table.update(dict.fromkeys(group, group))
    return table


# ---------------------------------------------------------------- reading


def read_gold(dataset: Path) -> tuple[GoldTriple, ...]:
    """Gold triples, once each. A triple that a smaller question also has is tied to that one's passages."""
    supports: dict[tuple[str, str, str], set[frozenset[str]]] = {}
    for question in _read_lines(dataset / "questions.jsonl"):
        for subject, predicate, object_ in question.get("triples") or ():
            sets = supports.setdefault((str(subject), str(predicate), str(object_)), set())
            sets.add(frozenset(question["supporting"]))
    if not supports:
        raise BadInput(
            f"The questions of {dataset} carry no gold triples.", "Choose a data set such as 2wiki."
        )
    return tuple(
        GoldTriple(*key, tuple(sorted(ids)))
        for key, sets in supports.items()
        for ids in sorted(sets, key=sorted)
        if not any(smaller < ids for smaller in sets)
    )


def _read_passages(dataset: Path) -> list[Passage]:
    return [
        Passage(str(row["id"]), str(row["id"]), 0, str(row["title"]), str(row["text"]), 0, len(row["text"]))
        for row in _read_lines(dataset / "corpus.jsonl")
    ]


def _read_lines(path: Path) -> list[dict[str, Any]]:
    return [row for row, _ in read_rows(path, "It needs corpus.jsonl and questions.jsonl.")]
