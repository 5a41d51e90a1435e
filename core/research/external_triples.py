"""Entities and triples extracted elsewhere that replace our own: `clew research eval --triples`.

Two ways to retrieve can thus be compared on one extraction. Nothing is added: only the names and triples of the
file are used, and they are located in the passages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import BadInput
from core.extraction.names import normalise
from core.progress import TaskContext
from core.research.datasets import read_rows, text_field
from core.text.dates import date_key
from core.types import ExtractedMention, Extraction, Passage, Sentence, Triple
from core.types.kinds import stable_id

_LAYOUT = "Each line is an object with id, title, entities (names) and triples (lists of three texts)."
_FORM = "1"  # changes when a line is parsed differently, so that cached workspaces are rebuilt
_YEARS = re.compile(r"\d{3,4}s?(?:\s*[-–]\s*\d{2,4}s?)?")


@dataclass(frozen=True, slots=True)
class ExternalPassage:
    """The file's entities and triples of one passage."""

    entities: tuple[str, ...]
    triples: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class ExternalTriples:
    """Entries by passage id. `skipped` counts triples that do not have three parts; `digest` identifies the file's
    content.
    """

    passages: Mapping[str, ExternalPassage]
    skipped: int
    digest: str


def read_external(file: Path, passages: Sequence[Passage]) -> ExternalTriples:
    """Read JSON lines of entities and triples for exactly these passages.

    Raises BadInput where a line is broken, or the file does not belong to the corpus: passages are
    missing, unknown, twice, or under another title.
    """
    titles = {passage.id: passage.title for passage in passages}
    found: dict[str, ExternalPassage] = {}
    skipped = 0
    for row, where in read_rows(file, _LAYOUT):
        passage_id = text_field(row, "id", where, _LAYOUT)
        _check_place(passage_id, row.get("title"), titles, found, where)
        triples, dropped = _triples(row.get("triples"), where)
        found[passage_id] = ExternalPassage(_names(row.get("entities"), where), triples)
        skipped += dropped
    missing = [passage_id for passage_id in titles if passage_id not in found]
    if missing:
        raise BadInput(
            f"{file} has no line for {len(missing):,} of {len(titles):,} passages; the first is {missing[0]!r}.",
            "Give a file that has one line a passage of corpus.jsonl.",
        )
    parts = (f"{key}\x1f{entry.entities}\x1f{entry.triples}" for key, entry in sorted(found.items()))
    return ExternalTriples(found, skipped, stable_id(*parts))


class ExternalExtractor:
    """An Extractor that returns the external entities and triples, located in the passage."""

    name = "given"

    def __init__(self, triples: ExternalTriples) -> None:
        self._external = triples
        self.version = f"{_FORM} {triples.digest}"

    def extract(self, passages: Sequence[Passage], context: TaskContext) -> Iterator[Extraction]:
        """Yield one Extraction a passage, in order; it is empty for passages that the file does not contain."""
        for number, passage in enumerate(passages, start=1):
            entry = self._external.passages.get(passage.id, ExternalPassage((), ()))
            yield place(passage, entry)
            context.report("extract", number, len(passages))


def place(passage: Passage, entry: ExternalPassage) -> Extraction:
    """Return mentions of every name and every end of a triple, and the triples with their evidence sentence.

    A name that does not occur in the text (only in the title, for example) is a mention with start == end == 0.
    """
    entities = set(entry.entities)
    ends = [end for subject, _, object_ in entry.triples for end in (subject, object_)]
    found = {name: _places(name, passage.text) for name in dict.fromkeys((*entry.entities, *ends))}
    mentions = tuple(
        ExtractedMention(name, _label(name, name in entities), start, end)
        for name, spans in found.items()
        for start, end in spans or ((0, 0),)
    )
    triples = []
    for subject, predicate, object_ in entry.triples:
        start, end = _evidence(passage, found[subject], found[object_], f"{predicate} {object_}")
        triples.append(Triple(subject, predicate, object_, passage.id, start, end, 1.0))
    return Extraction(mentions, tuple(dict.fromkeys(triples)))


def _places(name: str, text: str) -> list[tuple[int, int]]:
    """Return every occurrence at word boundaries, whatever its case and white space."""
    words = r"\s+".join(re.escape(word) for word in name.split())
    return [found.span() for found in re.finditer(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE)]


def _evidence(
    passage: Passage, subject: list[tuple[int, int]], object_: list[tuple[int, int]], words: str
) -> tuple[int, int]:
    """Return the first sentence with the most evidence: both ends, else one of them, else most of the other words."""
    wanted = _words(words)

    def worth(sentence: Sentence) -> tuple[int, int]:
        ends = sum(
            any(sentence.start <= start < sentence.end for start, _ in at) for at in (subject, object_)
        )
        return ends, len(wanted & _words(passage.text[sentence.start : sentence.end]))

    best = max(passage.sentences, key=worth, default=None)
    return (best.start, best.end) if best is not None else (0, len(passage.text))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def _label(name: str, entity: bool) -> str:
    """Return a label from the form of the name alone: dates and amounts have no synonyms; ends of triples are
    nouns.
    """
    if date_key(name) or _YEARS.fullmatch(name):
        return "DATE"
    if not any(character.isalpha() for character in name):
        return "CARDINAL"
    return "OTHER" if entity else "NOUN"


# ---------------------------------------------------------------- reading


def _check_place(
    passage_id: str,
    title: object,
    titles: Mapping[str, str],
    found: Mapping[str, ExternalPassage],
    where: str,
) -> None:
    if passage_id not in titles:
        raise BadInput(
            f"{where} is about passage {passage_id!r}, which the corpus does not hold.",
            "Give the triples of this very data set.",
        )
    if title is not None and title != titles[passage_id]:
        raise BadInput(
            f"{where} calls passage {passage_id!r} {title!r}; the corpus calls it {titles[passage_id]!r}.",
            "Give the triples of this very data set.",
        )
    if passage_id in found:
        raise BadInput(f"{where} is the second line for passage {passage_id!r}.", "Keep one line a passage.")


def _names(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise BadInput(f"{where} has no list of names 'entities'.", _LAYOUT)
    return tuple(dict.fromkeys(name for name in value if normalise(name)))


def _triples(value: object, where: str) -> tuple[tuple[tuple[str, str, str], ...], int]:
    """Return the triples of three texts that name something, and the number of lists that were rejected.

    Language models sometimes write two parts, or four; those state no fact.
    """
    if not isinstance(value, list) or not all(
        isinstance(triple, list) and all(isinstance(part, str) for part in triple) for triple in value
    ):
        raise BadInput(f"{where} has no list of lists of texts 'triples'.", _LAYOUT)
    valid = [
        (triple[0], triple[1], triple[2])
        for triple in value
        if len(triple) == 3 and normalise(triple[0]) and normalise(triple[2])
    ]
    return tuple(dict.fromkeys(valid)), len(value) - len(valid)
