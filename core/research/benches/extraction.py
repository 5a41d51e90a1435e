"""Recall of gold facts by the rule extractor. See docs/extraction.md.

On a question set whose questions carry gold triples, a triple counts when some triple of a gold passage has one end
that matches its subject and the other end its object, in either direction. On Re-DocRED (Tan et al. 2022), whose
articles mark every name and every related pair of names, facts are compared with the pairs; the file is the user's
own copy of its `dev.json` or `test.json`. Predicates are not compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.errors import BadInput
from core.extraction.extractors import rules_extractor
from core.extraction.names import normalise
from core.files.safe_files import WRONG_SHAPE, read_json
from core.progress import TaskContext
from core.protocols import Extractor
from core.research.benches.harness import Arguments, Figure, Figures
from core.research.datasets import read_rows
from core.text.dates import date_key, dates_in
from core.types import Extraction, Passage, Triple

# A numeral is not a name.
_UNNAMED = frozenset({"NUM"})
_REMEDY = "Name its dev.json, a list of articles with vertexSet."


def run(arguments: Arguments) -> Figures:
    """Score the rules on a question set, or on a file of Re-DocRED. Raises BadInput where it is neither."""
    assert arguments.dataset is not None
    if arguments.dataset.is_file():
        return _score_articles(read_articles(arguments.dataset), arguments.context)
    score = score_extraction(arguments.dataset, rules_extractor(), arguments.context)
    return {
        "gold triples joined": Figure(
            score.joined, "share", score.possible, "as near to the bound as can be"
        ),
        "joined by exact names": Figure(score.exact, "share"),
        "both ends occur in the passage": Figure(score.possible, "share"),
        "triples a passage": Figure(score.triples_per_passage, ""),
        "gold triples": Figure(score.gold, ""),
    }


# ---------------------------------------------------------------- gold triples


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
    possible: float  # both ends occur in a gold passage or its title: the upper bound
    triples_per_passage: float


def score_extraction(dataset: Path, extractor: Extractor, context: TaskContext) -> ExtractionScore:
    """Run the extractor over the gold passages of `dataset` and score its triples.

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
    """Score the extractions, by passage id."""
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


def read_gold(dataset: Path) -> tuple[GoldTriple, ...]:
    """Return the gold triples; one of several questions once for each of their smallest sets of passages."""
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


# ---------------------------------------------------------------- Re-DocRED


@dataclass(frozen=True, slots=True)
class Article:
    """`names` are the spellings of each name, `related` the pairs of their numbers, the smaller first."""

    passage: Passage
    names: tuple[tuple[str, ...], ...]
    related: frozenset[tuple[int, int]]


def _score_articles(articles: Sequence[Article], context: TaskContext) -> Figures:
    extractor = rules_extractor()
    counts: Counter[str] = Counter()
    found = extractor.extract([article.passage for article in articles], context)
    for article, extraction in zip(articles, found, strict=True):
        counts.update(score(article, extraction))
    return {
        "related pairs that a fact joins": _share(counts, "joined", "related"),
        "facts whose pair is related": _share(counts, "right", "facts"),
        "of those between two gold names": _share(counts, "right", "between"),
        "names found": _share(counts, "found", "names"),
        "facts an article": Figure(counts["facts"] / max(1, len(articles)), ""),
        "articles": Figure(len(articles), ""),
    }


def score(article: Article, extraction: Extraction) -> Counter[str]:
    """Count, for one article: facts, those between gold names, those of related pairs, pairs found, names found."""
    joined: set[tuple[int, int]] = set()
    facts = [triple for triple in extraction.triples if not triple.assertion]
    counts = Counter(related=len(article.related), facts=len(facts), names=len(article.names))
    for triple in facts:
        pairs = pairs_of(triple, article)
        counts["between"] += bool(pairs)
        counts["right"] += bool(pairs & article.related)
        joined |= pairs & article.related
    spelled = [mention.text for mention in extraction.mentions]
    counts["joined"] = len(joined)
    counts["found"] = sum(any(same_key(one, s) for one in name for s in spelled) for name in article.names)
    return counts


def pairs_of(triple: Triple, article: Article) -> set[tuple[int, int]]:
    """Return the pairs of the article's names that the ends of a triple match, the smaller number first."""
    ends = _meant(triple.subject, article), _meant(triple.object, article)
    return {(min(a, b), max(a, b)) for a in ends[0] for b in ends[1] if a != b}


def read_articles(file: Path) -> list[Article]:
    rows = read_json(file, _REMEDY)
    try:
        articles = [
            _article(number, row) for number, row in enumerate(rows if isinstance(rows, list) else [])
        ]
    except WRONG_SHAPE as error:
        raise BadInput(f"{file} cannot be read as Re-DocRED.", _REMEDY) from error
    if not articles:
        raise BadInput(f"{file} holds no article.", _REMEDY)
    return articles


def _article(number: int, row: dict[str, Any]) -> Article:
    text = " ".join(" ".join(words) for words in row["sents"])
    for mark in (" ,", " .", " )", " 's", " ;", " :"):
        text = text.replace(mark, mark[1:])
    text = text.replace("( ", "(")
    entity_rows = [i for i, own in enumerate(row["vertexSet"]) if own[0]["type"] not in _UNNAMED]
    place = {old: new for new, old in enumerate(entity_rows)}
    pairs = (
        (place[label["h"]], place[label["t"]])
        for label in row["labels"]
        if label["h"] in place and label["t"] in place
    )
    names = (tuple({str(mention["name"]): None for mention in row["vertexSet"][i]}) for i in entity_rows)
    id = str(number)
    return Article(
        Passage(id, id, 0, str(row["title"]), text, 0, len(text)),
        tuple(names),
        frozenset((min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]),
    )


def _meant(text: str, article: Article) -> list[int]:
    """Return the numbers of the names that equal the end of a fact, else of those that contain it or are part of
    it.
    """
    exact = [i for i, name in enumerate(article.names) if any(same_key(text, one) for one in name)]
    return exact or [i for i, name in enumerate(article.names) if any(same_name(text, one) for one in name)]


def _share(counts: Counter[str], numerator: str, denominator: str) -> Figure:
    return Figure(counts[numerator] / max(1, counts[denominator]), "share")


# ---------------------------------------------------------------- matching


def same_key(one: str, other: str) -> bool:
    """Return whether two names are equal once normalised."""
    return bool(normalise(one)) and normalise(one) == normalise(other)


def same_name(one: str, other: str) -> bool:
    """Return whether two names match: equal, one within the other at word boundaries, the same date, or a country
    and its adjective.
    """
    for a in _spellings(one):
        for b in _spellings(other):
            if a == b or f" {a} " in f" {b} " or f" {b} " in f" {a} ":
                return True
    key = date_key(one)
    return bool(key) and key == date_key(other)


def occurs(name: str, text: str) -> bool:
    """Return whether the name, or the same date or country in another spelling, occurs in the text."""
    words = f" {_words(text)} "
    return any(f" {a} " in words for a in _spellings(name)) or date_key(name) in dates_in(text)


def _joins(triple: Triple, gold: GoldTriple, same: Callable[[str, str], bool]) -> bool:
    return (same(triple.subject, gold.subject) and same(triple.object, gold.object)) or (
        same(triple.subject, gold.object) and same(triple.object, gold.subject)
    )


@lru_cache(maxsize=65_536)
def _words(text: str) -> str:
    """Return the words of the text, casefolded and without punctuation, separated by single spaces."""
    return " ".join("".join(c if c.isalnum() else " " for c in normalise(text)).split())


@lru_cache(maxsize=65_536)
def _spellings(name: str) -> frozenset[str]:
    """Return the name's words and, for a country or its adjective, the other's."""
    words = _words(name)
    return (frozenset({words}) | demonyms().get(words, frozenset())) if words else frozenset()


@lru_cache(maxsize=1)
def demonyms() -> dict[str, frozenset[str]]:
    """Return all spellings of a country by country or adjective, from demonyms.tsv beside this file."""
    table: dict[str, frozenset[str]] = {}
    for line in (Path(__file__).parent / "demonyms.tsv").read_text(encoding="utf-8").splitlines():
        group = frozenset(_words(word) for word in line.split("\t"))
        table.update(dict.fromkeys(group, group))
    return table
