"""Sentences of the passages that a batch of communities rests on, and where they stand."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from core.store.contents import Contents, DocumentRow
from core.store.reports import in_one_line
from core.types import Citation


class Place(NamedTuple):
    """A sentence: offsets in the document's text, then the passage that holds it and its number there."""

    document: int
    start: int
    end: int
    passage: int
    ordinal: int


class Places:
    def __init__(self, contents: Contents, passages: Iterable[int]) -> None:
        """`passages` are row keys; those that are gone are left out."""
        self._passages = {row.key: row for row in contents.passages(sorted(set(passages)))}
        self.documents: dict[int, DocumentRow] = {
            row.key: row for row in contents.documents(sorted({p.document for p in self._passages.values()}))
        }
        table = contents.sentences(self._passages)
        keys, first, count = np.unique(table[:, 0], return_index=True, return_counts=True)
        self._bounds = {
            key: (at, at + n)
            for key, at, n in zip(keys.tolist(), first.tolist(), count.tolist(), strict=True)
        }
        self._starts: list[int] = table[:, 2].tolist()
        self._ends: list[int] = table[:, 3].tolist()
        self._pages: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for document, start, end, number in contents.pages(self.documents).tolist():
            self._pages[document].append((start, end, number))

    def of(self, passage: int, at: int) -> Place | None:
        """The sentence of a passage that holds its offset `at`, without white space around it."""
        first, last = self._bounds.get(passage, (0, 0))
        if first == last:
            return None
        found = max(bisect_right(self._starts, at, first, last) - 1, first)
        row = self._passages[passage]
        start, end = self._starts[found], min(self._ends[found], len(row.text))
        said = row.text[start:end]
        start += len(said) - len(said.lstrip())
        end -= len(said) - len(said.rstrip())
        if start >= end:
            return None
        return Place(row.document, row.start + start, row.start + end, passage, found - first)

    def quote(self, place: Place) -> str:
        """The document's own words."""
        row = self._passages[place.passage]
        return row.text[place.start - row.start : place.end - row.start]

    def words(self, passage: int, start: int, end: int) -> str:
        """A span of a passage, in one line."""
        return in_one_line(self._passages[passage].text[start:end])

    def begin(self, place: Place) -> int:
        """Where the place's passage begins in its document."""
        return self._passages[place.passage].start

    def cite(self, place: Place) -> Citation:
        row, document = self._passages[place.passage], self.documents[place.document]
        return Citation(
            passage_id=row.id,
            document_id=document.id,
            document=document.path,
            title=row.title,
            page=self._page(place.document, place.start, row.page),
            start=place.start,
            end=place.end,
            quote=self.quote(place),
        )

    def _page(self, document: int, at: int, otherwise: int | None) -> int | None:
        """The page that holds the offset; the passage's own page when pages are not known."""
        pages = self._pages.get(document, ())
        found = bisect_right(pages, (at, float("inf"), 0)) - 1
        if found >= 0 and pages[found][0] <= at < pages[found][1]:
            return pages[found][2]
        return otherwise
