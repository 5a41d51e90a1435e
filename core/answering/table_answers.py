"""Answers that are read or computed from the tables of documents, each with the rows that it rests on."""

from __future__ import annotations

import sys
import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import accumulate
from typing import NamedTuple

from core.answering.passage_reader import PassageReader
from core.answering.rankings import Rankings
from core.answering.tables.question import TableQuery, asks_to_compute, understand
from core.answering.tables.result import TableResult, run
from core.answering.tables.segments import Action, TableWords, may_answer, words_of_table
from core.answering.tables.typed import Cell, TypedTable, typed
from core.answering.writers import Request
from core.progress import TaskContext
from core.retrieval.query import Query
from core.retrieval.ranking import by_rank
from core.store.passages import StoredPassage
from core.store.store import Store
from core.text.cell_values import number_of
from core.text.translation import mark, tr, trn
from core.types import (
    Answer,
    Citation,
    Claim,
    Document,
    DocumentTable,
    Evidence,
    Stage,
    Trace,
    Verdict,
    Way,
)

SURE = 0.9  # of what is told or computed where every word of the question is explained
DOUBTFUL = 0.5  # the same where the structure of the table is not certain
LEAST = 0.6  # of the words explained
_NEAREST = 5  # passages that tell whether a question is about rows
MOST_ROWS = 8  # that are shown and cited
_COMPUTED = frozenset({Action.COUNT, Action.SUM, Action.MEAN})
_NEAR = 20  # passages by each of two ways, whose documents' tables are looked at
_TABLES = 40  # looked at for one question, those of the nearest documents first
_REMEMBERED = 5 * _TABLES  # tables whose words stay known
_MOST_CELLS = (
    1_000_000  # of tables that are looked at and stay typed; what is beyond is searched as text alone
)


class Found(NamedTuple):
    query: TableQuery
    table: TypedTable
    document_id: str
    result: TableResult


class TableAnswers:
    """Over one snapshot of a workspace."""

    def __init__(
        self,
        store: Store,
        rankings: Rankings,
        reader: PassageReader,
        passages: Set[str] | None = None,
    ) -> None:
        """Of tables that `passages`, by id, hold in full; None for all."""
        self._store = store
        self._rankings = rankings
        self._reader = reader
        self._passages = passages
        self._typed: dict[tuple[str, int], TypedTable] = {}
        self._cells = 0  # of these
        self._words: dict[tuple[str, int], TableWords] = {}
        self._words_of_few: list[TableWords] | None = None  # all of them, after the first question
        self._few = store.documents.with_tables(_TABLES, _MOST_CELLS)
        self._has_any = bool(self._few or store.documents.with_tables(sys.maxsize, sys.maxsize))

    def answer(self, request: Request, context: TaskContext) -> tuple[Answer | None, bool]:
        """Return what a table of the nearest documents says, read or computed, None where none does; and whether the
        question asks to compute what none does. (None, False) where a person chose a route.
        """
        if request.route:
            return None, False
        question = request.question
        if not self._is_worth_a_search(question.text):
            return None, False
        nearest = self._rankings.nearest(request.query, _NEAR, context)
        begin = time.perf_counter()
        found = best_reading(question.text, self._tables(question.text, nearest))
        if found is None:
            return None, self._is_uncomputed(question.text, nearest)
        document = self._store.documents.get(found.document_id)
        action = tr(
            "{action} in {document}: {sentence}",
            action=found.query.action.value,
            document=document.path,
            sentence=found.result.sentence,
        )
        stage = Stage(mark("table"), time.perf_counter() - begin, action)
        return self._answer(request.query, found, document, stage), False

    def _is_worth_a_search(self, question: str) -> bool:
        """Whether some table may answer; of many tables only the search for the nearest passages tells."""
        if not self._few or asks_to_compute(question):
            return self._has_any
        if self._words_of_few is None:
            tables = self._store.documents.tables(self._few)
            self._words_of_few = [self._words_of(*each) for each in tables if self._is_complete(*each)]
        return any(may_answer(question, words) for words in self._words_of_few)

    def _tables(
        self, question: str, passages: Sequence[str]
    ) -> Iterator[tuple[str, Sequence[str], TypedTable]]:
        """Yield the tables that may answer, of the documents that hold `passages`, ids, best first.

        Of each its document's id, what it is called, and its records.
        """
        for id, table in self._near(passages):
            key = id, table.start
            words = self._words.get(key) or self._words_of(id, table)
            if len(self._words) >= _REMEMBERED:
                self._words.clear()
            self._words[key] = words
            if may_answer(question, words):
                yield id, self._names(id, table), self._records(id, table)

    def _names(self, document_id: str, table: DocumentTable) -> Sequence[str]:
        return self._store.documents.get(document_id).title, *_called(table.name)

    def _words_of(self, document_id: str, table: DocumentTable) -> TableWords:
        text = self._store.documents.text(document_id)
        return words_of_table(table, text, self._names(document_id, table))

    def _is_uncomputed(self, question: str, passages: Sequence[str]) -> bool:
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
        tables = [(id, table) for id, table in tables if self._is_complete(id, table)][:_TABLES]
        sizes = accumulate(len(table.cells) for _, table in tables)
        return [found for found, size in zip(tables, sizes, strict=True) if size <= _MOST_CELLS]

    def _is_complete(self, document_id: str, table: DocumentTable) -> bool:
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

    def _answer(self, query: Query, found: Found, document: Document, stage: Stage) -> Answer:
        """Return the result, then the rows behind it."""
        result = found.result
        text = self._store.documents.text(document.id)
        doc_passages = self._store.passages.of_document(document.id)
        rows = list(dict.fromkeys(cell.row for cell in result.cells))
        lines = [_line(list(found.table.rows[row].values()), text) for row in rows[:MOST_ROWS]]
        holders = [_holding(doc_passages, start).passage for start, _ in lines]
        citations = [
            Citation(p.id, document.id, document.path, p.title, p.page, start, end, text[start:end])
            for p, (start, end) in zip(holders, lines, strict=True)
        ]
        # The result rests on the first row, too: it is cited once.
        sentences = [result.sentence, *(text[start:end] for start, end in lines[1:])]
        cells = trn("{count} cell", "{count} cells", len(result.cells))
        claims = [
            Claim(sentence, Verdict.SUPPORTED, (at,), cells, "table") for at, sentence in enumerate(sentences)
        ]
        ids = dict.fromkeys(passage.id for passage in holders)
        hits = by_rank(ids)
        reason = tr("is worded as a table of {document} is", document=document.title or document.path)
        route, stages = self._rankings.choose_route(query.text, way=Way.TABLE, reason=reason)
        candidates, read = self._reader.read(hits)
        evidence = tuple(Evidence(c.hit, c.passage, c.document) for c in candidates)
        answer = Answer(
            text=result.text,
            sentences=tuple(sentences),
            citations=tuple(citations),
            evidence=evidence,
            trace=Trace(query.text, route, (*stages, stage, read), (), {}, hits, 0.0),
            confidence=(DOUBTFUL if result.doubt else SURE) * found.query.explained,
            guess=bool(result.doubt),
            claims=tuple(claims),
            table_note=_note(result, len(lines), len(rows)),
        )
        return self._reader.complete(query, answer, candidates)


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


def _found_by(tiers: Sequence[Sequence[TableQuery]], table: TypedTable, document_id: str) -> Found | None:
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
