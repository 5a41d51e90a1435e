"""Sentences of the passages that a batch of communities rests on, and where they stand."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from core.answering.reports.material import Spoken
from core.store.contents import Contents
from core.store.reports import in_one_line
from core.text.statements import is_statement
from core.types import Citation

_FEWEST_WORDS = 4  # of a row that says something by itself
_FAR = 1 << 32  # more than any offset


class Places:
    """Columns, one row a sentence: `documents` by the rank of their ids, `begins` and `ends` in the document's
    text, `firsts` where the passage begins there. Passages overlap: a sentence may have two rows, of one `spot`.
    """

    def __init__(self, contents: Contents, passages: Iterable[int]) -> None:
        """`passages` are row keys; those that are gone are left out."""
        rows = contents.passages(sorted(set(passages)))
        self._rows = rows
        found = contents.documents(sorted({row.document for row in rows}))
        self.documents = sorted(found, key=lambda document: document.id)
        self._rank = rank = {document.key: at for at, document in enumerate(self.documents)}
        self._keys = np.array([row.key for row in rows], dtype=np.int64)
        table = contents.sentences(self._keys.tolist())
        self._passages = np.searchsorted(self._keys, table[:, 0])
        self._places = self._passages * _FAR + table[:, 2]
        self._table = table
        self.passages = self._passages
        self.firsts = np.array([row.start for row in rows], dtype=np.int64)[self._passages]
        self.documents_of_passages = np.array([rank[row.document] for row in rows], dtype=np.int64)
        self.documents_of = self.documents_of_passages[self._passages]
        self.begins = self.firsts + table[:, 2]
        _, self.spots = np.unique(
            np.stack([self.documents_of, self.begins, table[:, 3] - table[:, 2]], axis=1),
            axis=0,
            return_inverse=True,
        )
        # Lists: a column gives single numbers slowly.
        self._key_list: list[int] = self._keys.tolist()
        self._within: list[int] = self._passages.tolist()
        self._spans: list[list[int]] = table[:, 1:].tolist()
        self._statements: dict[int, bool] = {}
        self._pages: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for document, start, end, number in contents.pages(rank).tolist():
            self._pages[rank[document]].append((start, end, number))

    def at(self, passages: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Rows of the sentences that hold these offsets of these passages (row keys), (n,); -1 for none."""
        place = np.minimum(np.searchsorted(self._keys, passages), max(len(self._keys) - 1, 0))
        if not len(self._table):
            return np.full(len(passages), -1)
        rows = np.searchsorted(self._places, place * _FAR + starts, side="right") - 1
        rows = np.maximum(rows, np.searchsorted(self._places, place * _FAR))
        rows = np.minimum(rows, len(self._table) - 1)
        same = (self._keys[place] == passages) & (self._passages[rows] == place)
        return np.where(same, rows, -1)

    def text(self, row: int) -> str:
        """The sentence as its passage holds it."""
        _, start, end = self._spans[row]
        return self._rows[self._within[row]].text[start:end]

    def start(self, row: int) -> int:
        """Where the sentence begins in its passage's text."""
        return self._spans[row][1]

    def is_statement(self, row: int) -> bool:
        """Whether it says something by itself: a sentence, or some words of a document that has hardly any."""
        found = self._statements.get(row)
        if found is None:  # once for all levels
            text = self.text(row)
            listed = not self.documents[self.documents_of[row]].sentences
            found = is_statement(text) or (listed and len(text.split(None, _FEWEST_WORDS)) >= _FEWEST_WORDS)
            self._statements[row] = found
        return found

    def words(self, passage: int, start: int, end: int) -> str:
        """A span of a passage (row key)."""
        return self._rows[bisect_left(self._key_list, passage)].text[start:end]

    def spoken(self, row: int, centrality: float) -> Spoken:
        passage = self._rows[self._within[row]]
        ordinal, begin, end = self._spans[row]
        sentence = passage.text[begin:end]
        quote = sentence.strip()
        start = passage.start + begin + len(sentence) - len(sentence.lstrip())
        at = self._rank[passage.document]
        document = self.documents[at]
        page = self._page(at, start, passage.page)
        citation = Citation(
            passage.id, document.id, document.path, passage.title, page, start, start + len(quote), quote
        )
        return Spoken(citation, in_one_line(quote), centrality, passage.key, ordinal)

    def _page(self, document: int, at: int, otherwise: int | None) -> int | None:
        """The page that holds the offset; the passage's own page when pages are not known."""
        pages = self._pages.get(document)
        if not pages:
            return otherwise
        found = bisect_right(pages, (at, float("inf"), 0)) - 1
        return pages[found][2] if found >= 0 and at < pages[found][1] else otherwise
