"""What the rows of tables say: which cells are names, and which columns relate names to the record of their row.

Cells of columns that hold names are names; cells that come again and again, such as "Accepted", and the header are not.
A column of persons, organisations or places beside a key column of names is a relation; numbers, dates and texts are
attributes, which answer questions about tables and are no facts.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import accumulate, product

import numpy as np
from numpy.typing import NDArray

from core.extraction.identifiers import find_identifiers
from core.extraction.inverted_names import natural_order
from core.extraction.names import clean, normalise, words_of
from core.extraction.titles import KNOWN_FORENAMES
from core.text.dates import find_dates
from core.text.summary_rows import summaries_of
from core.types import DocumentTable, ExtractedMention, Extraction, Passage, Triple

ROW_CONFIDENCE = 0.6  # confidence: the row says that the values belong together, not how
_SAMPLE = 400  # rows that a column is judged by
_PROSE = 12  # words: longer cells are read like any text
_UNLIKE = 0.5  # of the cells differ in a column of names, else
_NAMELIKE = 0.3  # of what differs is written like a name of several words
_FEW = 4  # rows: in fewer nothing comes again, and a table of two columns tells one thing by its labels
_FILLED = 0.6  # of the rows name their record in the key column
_UNIQUE = 0.9  # of the cells of a key column differ, where its rows are records of what it names
_RELATED = frozenset({"PERSON", "ORG", "GPE", "LOC", "FAC"})  # what a column of a relation holds
_WRITTEN = 0.8  # of its cells are written like names
_TYPED = 0.5  # of the cells of such a column are recognised as one of these
_COVERED = 0.6  # of a cell that its name fills
_MOST = 24  # cells of a row that are told
_SUMMED = 50_000  # cells of a table that is looked through for totals
_BETWEEN = re.compile(r"\s{0,3}[,;\n]\s{0,3}(?:(?:and|&)\s{1,3})?|\s{1,3}(?:and|&)\s{1,3}")  # names in a list
_QUOTED = re.compile(r"[\d\"“”():/]")  # what stands in no list of names
_PARTNERS = re.compile(r"(?:sons?|brothers|partners|associates|company|co)\b", re.IGNORECASE)  # of one firm
CATEGORY = "NOUN"  # the label of what names nothing


@dataclass(frozen=True, slots=True)
class Records:
    """One table with its judged columns: `key` names the records, -1 for none; `named` hold names.

    `apart`: rows of totals and averages, which say nothing of anybody. `related`: columns written like names
    beside a key that holds names, each once, with what they may hold: of organisations that come again and again the
    recogniser cannot tell sectors of industry apart.
    """

    table: DocumentTable
    key: int
    named: frozenset[int]
    apart: frozenset[int] = frozenset()
    related: Mapping[int, Set[str]] = field(default_factory=dict)


class DocumentRecords:
    """The judged tables of one document, by place."""

    def __init__(self, tables: Sequence[DocumentTable], text: str) -> None:
        """`text` of the document in which the tables stand."""
        found = [_judged(table, text) for table in tables if len(table.columns) > 1 and len(table.cells)]
        self._all = sorted(found, key=lambda records: records.table.start)
        self._starts = [records.table.start for records in self._all]
        self._reach = list(accumulate((records.table.end for records in self._all), max))

    def within(self, start: int, end: int) -> list[Records]:
        """Return those that have some of the document's text[start:end]."""
        first, stop = bisect_right(self._reach, start), bisect_left(self._starts, end)
        return [records for records in self._all[first:stop] if records.table.end > start]


def with_records(passage: Passage, extraction: Extraction, tables: DocumentRecords) -> Extraction:
    """Replace what was read out of the rows as if they were sentences by what the rows say.

    All offsets lie in the passage's text.
    """
    # Names that are read otherwise than they are written: "Solberg, Henrik".
    turned = {
        (m.start, m.end): m
        for m in extraction.mentions
        if m.label == "PERSON" and natural_order(passage.text[m.start : m.end]) == m.text
    }
    within = tables.within(passage.start, passage.end)
    recognised = [m for m in extraction.mentions if m.label in _RELATED and m.end > m.start]
    rows = [row for records in within for row in _rows(records, passage, turned, recognised)]
    if not rows:
        return extraction
    spans = np.array(sorted(span for _, _, spans in rows for span in spans)).reshape(-1, 2)

    def apart(found: ExtractedMention | Triple) -> bool:
        at = int(np.searchsorted(spans[:, 0], found.start, "right")) - 1
        return found.end <= found.start or at < 0 or found.start >= spans[at, 1]

    mentions = [m for m in extraction.mentions if apart(m)]
    triples = [t for t in extraction.triples if apart(t)]
    for cells, triple_of, _ in rows:
        mentions += cells
        triples += triple_of
    return replace(extraction, mentions=tuple(mentions), triples=tuple(triples))


def _judged(table: DocumentTable, text: str) -> Records:
    cells = table.cells[table.cells[:, 0] < _SAMPLE]
    rows = max(1, len(np.unique(cells[:, 0])))
    named: set[int] = set()
    written: dict[int, Set[str]] = {}  # columns of cells like names, nearly all
    keys: list[tuple[float, int, bool]] = []
    by_column: defaultdict[int, list[str]] = defaultdict(list)
    for _, column, start, end in cells.tolist():
        by_column[column].append(clean(text[start:end]))
    for column in range(len(table.columns)):
        own = by_column[column]
        words = [cell for cell in own if _label(cell) == "OTHER" and len(cell.split()) <= _PROSE]
        if len(words) < max(1, 0.5 * len(own)):
            continue
        distinct = {normalise(cell) for cell in words}
        unlike = len(distinct) / len(words)
        namelike = len({normalise(cell) for cell in words if _namelike(cell)}) / max(1, len(distinct))
        formed = sum(map(_is_name_form, words)) / len(words)
        if formed >= _WRITTEN:
            written[column] = _RELATED if unlike >= _UNLIKE else _RELATED - {"ORG"}
        if rows < _FEW:
            if namelike >= _UNLIKE and (column or len(table.columns) > 2):
                named.add(column)
        elif unlike >= _UNLIKE or namelike >= _NAMELIKE:
            named.add(column)
            if len(words) >= _FILLED * rows and unlike >= _UNLIKE:
                relates = unlike >= _UNIQUE and formed >= _TYPED
                keys.append((round(unlike, 1) + formed / 2 - column / 50, column, relates))
    apart = summaries_of(table, text).apart if len(table.cells) <= _SUMMED else frozenset[int]()
    _, key, relates = max(keys, default=(0.0, -1, False))
    related = {column: written[column] for column in (named & written.keys()) - {key} if relates}
    return Records(table, key, frozenset(named), apart, related)


def _rows(
    records: Records,
    passage: Passage,
    turned: Mapping[tuple[int, int], ExtractedMention],
    recognised: Sequence[ExtractedMention],
) -> Iterator[tuple[list[ExtractedMention], list[Triple], list[tuple[int, int]]]]:
    """Yield for each row that stands in the passage: its names, its facts, and the spans that they stand for."""
    cells = records.table.cells
    first, stop = (bisect_left(cells, at, key=lambda cell: cell[2]) for at in (passage.start, passage.end))
    inside = cells[first:stop]
    inside = inside[inside[:, 3] <= passage.end]
    if not len(inside):
        return
    related = _related_columns(records, inside, passage, recognised)
    for row in np.split(inside, np.flatnonzero(np.diff(inside[:, 0])) + 1):
        found: dict[int, list[ExtractedMention]] = {}
        spans: list[tuple[int, int]] = []
        before = passage.text.rfind("\n", 0, int(row[0, 2]) - passage.start) + 1
        for _, column, start, end in row[:_MOST].tolist():
            first, last = start - passage.start, end - passage.start
            text = clean(passage.text[first:last])
            if len(text.split()) > _PROSE:
                spans.append((before, first))
                before = last
            elif (person := turned.get((first, last))) is not None:
                found[column] = [person]
            elif normalise(text) and (label := _label(text)):
                is_named = column == records.key or column in records.named
                names = _listed(passage.text, first, last) if is_named and label == "OTHER" else []
                named = column == records.key or (
                    column in records.named and (" " not in text or _namelike(text))
                )
                label = CATEGORY if label == "OTHER" and not named else label
                found[column] = names or [ExtractedMention(text, label, first, last)]
        if len(row) > 1 and int(row[0, 0]) in records.apart:
            found = {}
        stop = passage.text.find("\n", int(row[-1, 3]) - passage.start)
        spans.append((before, stop if stop >= 0 else len(passage.text)))
        mentions = [mention for cell in found.values() for mention in cell]
        written = [
            replace(m, text=passage.text[m.start : m.end]) for m in mentions if (m.start, m.end) in turned
        ]
        yield [*mentions, *written], list(_facts(records, passage, found, related)), spans


def _related_columns(
    records: Records,
    cells: NDArray[np.int32],
    passage: Passage,
    recognised: Sequence[ExtractedMention],
) -> frozenset[int]:
    """Return the columns that relate persons, organisations or places to the records, by their cells here."""
    counts: defaultdict[int, list[bool]] = defaultdict(list)
    for _, column, start, end in cells.tolist():
        if column in records.related:
            first, last = start - passage.start, end - passage.start
            own = (m for m in recognised if m.label in records.related[column])
            covered = sum(max(0, min(m.end, last) - max(m.start, first)) for m in own)
            counts[column].append(covered >= _COVERED * (last - first))
    return frozenset(column for column, typed in counts.items() if sum(typed) >= _TYPED * len(typed))


def _listed(text: str, start: int, end: int) -> list[ExtractedMention]:
    """Return the several names in a cell: "Anna Holt, Per Krog"; none where it holds one, as "Acton, Ohio" does."""
    cell = text[start:end]
    breaks = [match.span() for match in _BETWEEN.finditer(cell)]
    firsts, lasts = [0, *(last for _, last in breaks)], [*(first for first, _ in breaks), len(cell)]
    parts = [(start + a, start + b, cell[a:b]) for a, b in zip(firsts, lasts, strict=True)]
    names = all(_namelike(part) and not _QUOTED.search(part) for *_, part in parts)
    if len(parts) < 2 or not names or any(_PARTNERS.match(part) for *_, part in parts):
        return []
    # "Bank of Oslo & Western Norway" is one, "Anna Holt and Per Krog" are two.
    if not any(sign in cell for sign in ",;\n") and not all(
        words_of(part)[:1] and words_of(part)[0] in KNOWN_FORENAMES for *_, part in parts
    ):
        return []
    return [ExtractedMention(part, "OTHER", first, last) for first, last, part in parts]


def _facts(
    records: Records,
    passage: Passage,
    cells: Mapping[int, Sequence[ExtractedMention]],
    related: Set[int],
) -> Iterator[Triple]:
    subjects = cells.get(records.key, ())
    start = min((cell.start for row in cells.values() for cell in row), default=0)
    end = max((cell.end for row in cells.values() for cell in row), default=0)
    for subject, column in product(subjects, sorted(related & cells.keys())):
        name = records.table.columns[column].strip().lower()
        for cell in cells[column]:
            if cell.label != CATEGORY and name and normalise(cell.text) != normalise(subject.text):
                yield Triple(subject.text, name, cell.text, passage.id, start, end, ROW_CONFIDENCE)


def _label(text: str) -> str:
    """ "" for what joins nothing: signs, single letters, and numbers of fewer than three digits."""
    identifiers = find_identifiers(text)
    if len(identifiers) == 1 and identifiers[0].end - identifiers[0].start == len(text):
        return identifiers[0].label
    dates = find_dates(text)
    if dates and dates[0][0] == 0:
        return "DATE"
    letters, digits = sum(map(str.isalpha, text)), sum(map(str.isdigit, text))
    if digits > letters:
        return "CARDINAL" if digits > 2 else ""
    return "OTHER" if letters > 1 else ""


def _is_name_form(text: str) -> bool:
    """Return whether a cell is a name of several words, or one word with a capital that is no code."""
    return _namelike(text) or (text[:1].isupper() and text.isalpha() and not text.isupper())


def _namelike(text: str) -> bool:
    """Return whether there are several words, the longer of them with capitals: "Brandvold Lines", "University of
    Tartu"."""
    words = text.split()
    return 1 < len(words) <= 8 and all(not word[:1].islower() for word in words if len(word) > 3)
