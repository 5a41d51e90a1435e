"""Ranks of gold documents and quotes among the passages that were found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.lab.metrics import Ranks, measures
from core.research.datasets import EvalQuestion, Quote
from core.types import Document, Passage, State
from core.workspace import Workspace


class Gold:
    """Resolves the names that questions give to documents.

    A document is known by its path and by that of the file that contains it; a passage that was indexed as it is,
    is a document of its own whose path is its id.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._names: dict[str, set[str]] = {}  # by document id
        self._documents: dict[str, list[Document]] = {}  # by name
        self._paths: dict[str, str] = {}  # by document id
        self._passages: dict[str, Passage] = {}
        for document in workspace.documents.all():
            self._paths[document.id] = document.path
            self._names[document.id] = {document.path, document.file} - {""}
            for name in self._names[document.id]:
                self._documents.setdefault(name, []).append(document)

    def path(self, passage_id: str) -> str:
        """Return the path of the passage's document."""
        return self._paths[self._passage(passage_id).document_id]

    def ranks(self, question: EvalQuestion, passage_ids: Sequence[str]) -> Ranks:
        """Return the rank of the first passage of each gold document."""
        document_names = [self._names[self._passage(key).document_id] for key in passage_ids]
        return [
            next((rank for rank, names in enumerate(document_names, start=1) if name in names), None)
            for name in question.supporting
        ]

    def of_gold(self, question: EvalQuestion, passage_ids: Sequence[str]) -> int:
        """Return how many of the passages belong to a gold document."""
        return sum(
            not question.supporting.isdisjoint(self._names[self._passage(key).document_id])
            for key in passage_ids
        )

    def quote_ranks(self, question: EvalQuestion, passage_ids: Sequence[str]) -> Ranks:
        """Return the rank at which each gold quote is complete, in a passage or across two neighbours."""
        found = [self._passage(key) for key in passage_ids]
        return [self._quote_rank(quote, found) for quote in question.quotes]

    def measures(self, question: EvalQuestion, passage_ids: Sequence[str]) -> dict[str, float]:
        """Return how well a ranking finds gold documents, and quotes as "quote recall@5"; those that apply."""
        found = measures(self.ranks(question, passage_ids)) if question.supporting else {}
        quoted = measures(self.quote_ranks(question, passage_ids)) if question.quotes else {}
        return found | {f"quote {name}": value for name, value in quoted.items()}

    def marks(self, question: EvalQuestion, passage_ids: Sequence[str]) -> NDArray[np.bool_]:
        """Return (n_gold, n_passages): the passages of each gold document, then those that contain each quote."""
        found = [self._passage(key) for key in passage_ids]
        documents = [
            [name in self._names[p.document_id] for p in found] for name in sorted(question.supporting)
        ]
        quotes = [
            [
                quote.file in self._names[p.document_id] and _spaced(quote.text) in _spaced(p.text)
                for p in found
            ]
            for quote in question.quotes
        ]
        return np.array([*documents, *quotes], dtype=np.bool_).reshape(-1, len(found))

    def owners(self, passage_ids: Sequence[str]) -> NDArray[np.int64]:
        """Return a number for the document of each passage, (n_passages,)."""
        return np.unique([self._passage(key).document_id for key in passage_ids], return_inverse=True)[1]

    def problems(self, questions: Sequence[EvalQuestion]) -> tuple[str, ...]:
        """Describe gold that cannot be found by any ranking; it counts as not found."""
        asking: dict[str, list[str]] = {}
        for question in questions:
            for name in sorted(question.supporting):
                if problem := self._problem(name):
                    asking.setdefault(problem, []).append(question.id)
            for quote in question.quotes:
                documents = self._documents.get(quote.file, [])
                if not self._problem(quote.file) and not any(self._holds(d, quote) for d in documents):
                    asking.setdefault(f"{quote.file} does not hold “{quote.text}”", []).append(question.id)
        return tuple(f"{problem}: not found for {', '.join(ids)}" for problem, ids in asking.items())

    def _problem(self, name: str) -> str:
        documents = self._documents.get(name)
        if not documents:
            return f"{name} is not among the documents"
        if all(document.state is State.FAILED for document in documents):
            return f"{name} could not be read ({documents[0].reason.rstrip('.')})"
        return ""

    def _holds(self, document: Document, quote: Quote) -> bool:
        return _spaced(quote.text) in _spaced(self._workspace.documents.text(document.id))

    def _quote_rank(self, quote: Quote, found: Sequence[Passage]) -> int | None:
        words = _spaced(quote.text)
        for rank, passage in enumerate(found, start=1):
            if quote.file not in self._names[passage.document_id]:
                continue
            neighbours = [p for p in found[: rank - 1] if _neighbours(p, passage)]
            if words in _spaced(passage.text) or any(words in self._joined(p, passage) for p in neighbours):
                return rank
        return None

    def _joined(self, one: Passage, other: Passage) -> str:
        text = self._workspace.documents.text(one.document_id)
        return _spaced(text[min(one.start, other.start) : max(one.end, other.end)])

    def _passage(self, passage_id: str) -> Passage:
        if passage_id not in self._passages:
            self._passages[passage_id] = self._workspace.passages.get(passage_id)
        return self._passages[passage_id]


def _neighbours(one: Passage, other: Passage) -> bool:
    return one.document_id == other.document_id and abs(one.ordinal - other.ordinal) == 1


def _spaced(text: str) -> str:
    return " ".join(text.split())
