"""Facts against Re-DocRED (Tan et al. 2022): articles with every name and every related pair of names marked.

The file is the user's own copy of its `dev.json` or `test.json`; predicates are not compared.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import BadInput
from core.extraction.extractors import rules_extractor
from core.files.safe_files import WRONG_SHAPE, read_json
from core.progress import TaskContext
from core.research.benches.extraction_score import same_key, same_name
from core.research.benches.figures import Figure
from core.types import Extraction, Passage, Triple

# A numeral is no name.
_UNNAMED = frozenset({"NUM"})
_REMEDY = "Name its dev.json, a list of articles with vertexSet."


@dataclass(frozen=True, slots=True)
class Article:
    """`names` are the spellings of each name, `related` the pairs of their numbers, the smaller first."""

    passage: Passage
    names: tuple[tuple[str, ...], ...]
    related: frozenset[tuple[int, int]]


def run(file: Path, context: TaskContext) -> dict[str, Figure]:
    """Score the rules. Raises BadInput where the file is no such data set."""
    articles = read_articles(file)
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
    """Counts of one article: facts, those between gold names, those of related pairs, pairs joined, names found."""
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
    """Pairs of the article's names that the ends of a triple are, the smaller number first."""
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
    """Numbers of the names that the end of a fact is, else of those that hold it or that it holds."""
    exact = [i for i, name in enumerate(article.names) if any(same_key(text, one) for one in name)]
    return exact or [i for i, name in enumerate(article.names) if any(same_name(text, one) for one in name)]


def _share(counts: Counter[str], part: str, whole: str) -> Figure:
    return Figure(counts[part] / max(1, counts[whole]), "share")
