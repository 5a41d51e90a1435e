"""Answers that are read or computed from the tables of documents, each with the rows that it rests on."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple

from core.answering.tables.question import Action, Query, asks_to_compute, understand
from core.answering.tables.result import TableResult, run
from core.answering.tables.typed import Cell, TypedTable, typed
from core.store.passages import StoredPassage
from core.store.store import Store
from core.text.cell_values import number_of
from core.text.translation import mark, tr, trn
from core.types import Citation, Claim, Document, DocumentTable, Hit, Stage, Verdict

SURE = 0.9  # of what is told or computed where every word of the question is explained
DOUBTFUL = 0.5  # the same where the structure of the table is not certain
LEAST = 0.6  # of the words explained
_NEAREST = 5  # passages that tell whether a question is about rows
MOST_ROWS = 8  # that are shown and cited
_COMPUTED = frozenset({Action.COUNT, Action.SUM, Action.MEAN})
_TABLES = 40  # looked at for one question, those of the nearest documents first
_MOST_CELLS = (
    1_000_000  # of tables that are looked at and stay typed; what is beyond is searched as text alone
)


@dataclass(frozen=True, slots=True)
class TableAnswer:
    """What a table tells; `citations` and `sentences` one to one, `hits` the passages that hold the rows.

    `guess`: the structure of the table is not certain. `note`: why, and how many of the rows are shown; "" for all.
    """

    text: str
    sentences: tuple[str, ...]
    citations: tuple[Citation, ...]
    claims: tuple[Claim, ...]
    hits: tuple[Hit, ...]
    confidence: float
    stage: Stage
    guess: bool = False
    note: str = ""


class Found(NamedTuple):
    query: Query
    table: TypedTable
    document_id: str
    result: TableResult


class TableAnswers:
    """Over one snapshot of a workspace."""

    def __init__(self, store: Store, passages: Set[str] | None = None) -> None:
        """Of tables that `passages`, by id, hold as a whole; None for all."""
        self._store = store
        self._passages = passages
        self._typed: dict[tuple[str, int], TypedTable] = {}
        self._cells = 0  # of these
        self._few = store.documents.with_tables(_TABLES, _MOST_CELLS)

    def answer(self, question: str, passages: Sequence[str]) -> TableAnswer | None:
        """From the tables of the documents that hold `passages`, ids, best first; None where no table carries one."""
        begin = time.perf_counter()
        tables = (
            (id, (self._store.documents.get(id).title, *_called(table.name)), self._records(id, table))
            for id, table in self._near(passages)
        )
        if (best := best_reading(question, tables)) is None:
            return None
        query, records, document_id, result = best
        document = self._store.documents.get(document_id)
        seconds = time.perf_counter() - begin
        stage = Stage(
            mark("table"),
            seconds,
            tr(
                "{action} in {document}: {sentence}",
                action=query.action.value,
                document=document.path,
                sentence=result.sentence,
            ),
        )
        sure = DOUBTFUL if result.doubt else SURE
        return self._answer(document, records, result, sure * query.explained, stage)

    def computes(self, question: str, passages: Sequence[str]) -> bool:
        """Whether a count, sum, mean or list is asked for and most of the nearest `passages` are rows of tables."""
        if not asks_to_compute(question):
            return False
        near = [self._store.passages.get(id).passage for id in passages[:_NEAREST]]
        tables = self._store.documents.tables(list({passage.document_id for passage in near}))
        rows = [
            p
            for p in near
            if 2
            * sum(
                max(0, min(p.end, t.end) - max(p.start, t.start)) for id, t in tables if id == p.document_id
            )
            >= p.end - p.start
        ]
        return len(rows) > len(near) / 2

    def _near(self, passages: Sequence[str]) -> list[tuple[str, DocumentTable]]:
        documents = dict.fromkeys(self._store.passages.get(id).passage.document_id for id in passages)
        # Rows read alike to the searches: where there are few tables, all are looked at.
        documents |= dict.fromkeys(self._few)
        tables = self._store.documents.tables(list(documents))
        tables = [(id, table) for id, table in tables if self._whole(id, table)][:_TABLES]
        sizes = accumulate(len(table.cells) for _, table in tables)
        return [found for found, size in zip(tables, sizes, strict=True) if size <= _MOST_CELLS]

    def _whole(self, document_id: str, table: DocumentTable) -> bool:
        """Whether all of it may be told: a sum over some of its rows would be another one."""
        if self._passages is None:
            return True
        passages = (stored.passage for stored in self._store.passages.of_document(document_id))
        return all(p.id in self._passages for p in passages if p.start < table.end and table.start < p.end)

    def _records(self, document_id: str, table: DocumentTable) -> TypedTable:
        key = document_id, table.start
        if key not in self._typed:
            self._cells += len(table.cells)
            while self._cells > _MOST_CELLS and self._typed:
                oldest = self._typed.pop(next(iter(self._typed)))
                self._cells -= sum(map(len, oldest.rows.values()))
            self._typed[key] = typed(table, self._store.documents.text(document_id))
        return self._typed[key]

    def _answer(
        self, document: Document, table: TypedTable, result: TableResult, confidence: float, stage: Stage
    ) -> TableAnswer:
        """The result, then the rows behind it."""
        text = self._store.documents.text(document.id)
        doc_passages = self._store.passages.of_document(document.id)
        every = list(dict.fromkeys(cell.row for cell in result.cells))
        rows = every[:MOST_ROWS]
        lines = [_line(list(table.rows[row].values()), text) for row in rows]
        places = [(_holding(doc_passages, start), start, end) for start, end in lines]
        citations = [
            Citation(p.id, document.id, document.path, p.title, p.page, start, end, text[start:end])
            for stored, start, end in places
            for p in (stored.passage,)
        ]
        # The result rests on the first row, too: it is cited once.
        sentences = [result.sentence, *(text[start:end] for start, end in lines[1:])]
        claims = [
            Claim(
                sentence,
                Verdict.SUPPORTED,
                (at,),
                trn("{count} cell", "{count} cells", len(result.cells)),
                "table",
            )
            for at, sentence in enumerate(sentences)
        ]
        passages = dict.fromkeys(stored.passage.id for stored, _, _ in places)
        hits = tuple(Hit(id, 1.0 / rank, rank) for rank, id in enumerate(passages, start=1))
        return TableAnswer(
            result.text, tuple(sentences), tuple(citations), tuple(claims), hits, confidence, stage,
            bool(result.doubt), _note(result, len(rows), len(every)),
        )  # fmt: skip


def _called(name: str) -> tuple[str, ...]:
    """What a table is called: by all of its name, and without the sheet's ("Sheet1: Members")."""
    return (name, name.partition(": ")[2]) if ": " in name else (name,)


def _note(result: TableResult, cited: int, rows: int) -> str:
    """Why it is not sure, and how much of what it rests on is listed and cited; "" where all is."""
    parts = [tr("Not sure: {why}", why=result.doubt)] if result.doubt else []
    if result.left_out:
        parts.append(tr("{count} more are not listed", count=result.left_out))
    if rows > cited:
        parts.append(tr("{cited} of {count} rows shown", cited=cited, count=rows))
    return tr("; ").join(parts)


def best_reading(question: str, tables: Iterable[tuple[str, Sequence[str], TypedTable]]) -> Found | None:
    """Of tables, (document id, what it is called, records), the one that explains most of the question.

    None where others explain as much and tell otherwise.
    """
    found = [
        reading
        for document_id, about, records in tables
        if (reading := _found_by(understand(question, records, about), records, document_id))
    ]
    most = max(map(_share, found), default=None)
    best = [each for each in found if _share(each) == most]
    agreed = _agreed(best)
    if agreed is None or len({_written(each) for each in best}) == 1 or agreed.query.action not in _COMPUTED:
        return agreed
    # Two tables have the same figure by chance: each is asked for, or both together.
    return agreed._replace(result=replace(agreed.result, doubt=tr("several tables may be meant")))


def _written(found: Found) -> tuple[tuple[str, ...], ...]:
    """The rows that a result rests on, as written: a copy of a table is no other one."""
    rows = dict.fromkeys(cell.row for cell in found.result.cells)
    return tuple(tuple(cell.text for cell in found.table.rows[row].values()) for row in rows)


def _share(found: Found) -> tuple[float, int, int]:
    return found.query.explained, found.query.matched, -found.query.cost


def _found_by(tiers: Sequence[Sequence[Query]], table: TypedTable, document_id: str) -> Found | None:
    """What the plainest reading tells that tells anything."""
    for queries in tiers:
        found = [
            Found(query, table, document_id, result)
            for query in queries
            if query.explained >= LEAST and (result := run(query, table))
        ]
        if found:
            return _agreed(found)
    return None


def _agreed(found: Sequence[Found]) -> Found | None:
    return found[0] if len({_plain(each.result.text) for each in found}) == 1 else None


def _plain(text: str) -> str | float:
    number = number_of(text)
    return text.casefold() if number is None else number


def _line(cells: Sequence[Cell], text: str) -> tuple[int, int]:
    """Where the row's line stands, its labels included."""
    first, last = min(cell.start for cell in cells), max(cell.end for cell in cells)
    end = text.find("\n", last)
    return text.rfind("\n", 0, first) + 1, len(text) if end < 0 else end


def _holding(passages: Sequence[StoredPassage], place: int) -> StoredPassage:
    """The passage in which the place lies."""
    starts = [stored.passage.start for stored in passages]
    return passages[max(0, bisect_right(starts, place) - 1)]
