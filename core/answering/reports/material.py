"""All that a report of one community is written from, as values."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.store.contents import Contents
from core.store.reports import in_one_line
from core.text.statements import is_statement
from core.types import Citation, DocumentShare
from core.types.kinds import stable_id

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VERSION = "5"  # of what is gathered and how reports are written by rules: another one, and all are stale


@dataclass(frozen=True, slots=True)
class Member:
    """An entity of the community. `centrality` is its share of the community's, 0 to 1; all sum to 1.

    Centrality is the degree weighted by the strength of the facts and ties inside the community; where there are none,
    the number of sentences that mention the entity. `distinction` says how much it tells the community from the
    others: how often texts name it, times the share of its facts and ties that lie inside; all sum to 1.
    `cited`: only lists of references name it.
    """

    entity_id: str
    name: str
    label: str
    centrality: float
    distinction: float
    cited: bool = False


@dataclass(frozen=True, slots=True)
class InnerFact:
    """A fact between two entities of the community, or of one of them with a date.

    `weight` is the strength times the centrality of both ends; `sentence` the number of its surest evidence
    in the material's sentences; `date` when the fact is dated: "1930", "1930-05" or "1930-05-04".
    """

    fact_id: str
    words: str
    strength: float
    weight: float
    sentence: int
    date: str = ""
    inside: bool = True  # both ends are entities of the community


@dataclass(frozen=True, slots=True)
class Spoken:
    """A sentence of a document. `centrality` is the sum of the centrality of the entities it tells of, 0 to 1.

    `passage_key` and `ordinal` lead to its vector; they are the store's own and tell nothing of its content.
    """

    citation: Citation
    text: str  # in one line
    centrality: float
    passage_key: int
    ordinal: int


@dataclass(frozen=True, slots=True)
class Material:
    """What one community's report is written from; the most central first everywhere.

    The first `candidates` of the sentences may become statements; `tokens` (as the encoder counts) and
    `vectors` are theirs, unit vectors, float32, shape (candidates, dimension); () and (0, 0) while they are
    not read. The other sentences are evidence of facts. `cited_only`: lists of references name its members, and
    nothing else does; its sentences are entries of them, and nothing is told.
    """

    community_id: int
    level: int
    members: tuple[Member, ...]
    facts: tuple[InnerFact, ...]
    sentences: tuple[Spoken, ...]
    candidates: int
    documents: tuple[DocumentShare, ...]
    source: str
    tokens: tuple[int, ...]
    vectors: NDArray[np.float32]
    cited_only: bool = False


def source_of(
    level: int,
    members: tuple[Member, ...],
    facts: tuple[InnerFact, ...],
    sentences: tuple[Spoken, ...],
    documents: tuple[DocumentShare, ...],
) -> str:
    """Hash of the content by stable ids, the same in every run over the same documents.

    A passage's id is a hash of its place and text, so that offsets stand for the words there.
    """
    parts = [VERSION, str(level)]
    parts += [
        f"{m.entity_id} {m.name} {m.label} {m.centrality:.6f} {m.distinction:.6f} {m.cited}" for m in members
    ]
    parts += [f"{f.fact_id} {f.words} {f.strength:.6f} {f.sentence} {f.date} {f.inside}" for f in facts]
    parts += [
        f"{s.citation.passage_id} {s.citation.start} {s.citation.end} {s.citation.document}"
        for s in sentences
    ]
    parts += [f"{d.document_id} {d.title} {d.passages}" for d in documents]
    return stable_id("report", *parts)


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
