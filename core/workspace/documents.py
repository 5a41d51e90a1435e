"""The documents of a workspace: what they hold, which of them failed, which were taken out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from core.answering.models import Models
from core.errors import BadInput
from core.ingest.encodings import encoding_named, plausible_readings
from core.ingest.media import has_encoding
from core.progress import TaskContext
from core.store.files import DATE, ENCODING
from core.store.store import Store
from core.text.dates import cell_date, day_span
from core.text.translation import mark, tr
from core.types import (
    Anatomy,
    Block,
    Boxes,
    Contradiction,
    Document,
    DocumentListing,
    DocumentRow,
    DocumentTable,
    Failure,
    Mention,
    Notice,
    Page,
    Passage,
    Region,
    Removal,
)
from core.types.kinds import stable_id
from core.workspace.document_listing import DocumentFilter, listed
from core.workspace.handle import WorkspaceHandle
from core.workspace.placed_text import PlacedText

_PREVIEW = 80  # characters of a line


class DocumentsApi:
    """`workspace.documents`. Reading is safe from every thread.

    What changes it raises WorkspaceError where nothing can be written or another process writes, and Untrusted.
    """

    def __init__(self, opened: WorkspaceHandle, catch_up: Callable[[TaskContext], None]) -> None:
        """`catch_up` brings all that follows from the documents in step."""
        self._store = opened.store
        self._writing = opened.writing
        self._catch_up = catch_up

    # ------------------------------------------------------------ reading

    def all(self) -> list[Document]:
        return self._store.documents.all()

    def some(self, document_ids: Collection[str]) -> list[Document]:
        """Those of these that are there, by path."""
        return self._store.documents.some(document_ids)

    def listed(
        self, text: str = "", failed_only: bool = False, column: int = 0, descending: bool = False
    ) -> DocumentListing:
        """Which documents match (see DocumentFilter), only those that failed if asked, in the order of a column: of
        name, state, pages, passages, kind, date and reason."""
        return listed(self._store, DocumentFilter.parse(text), failed_only, column, descending)

    def rows(self, document_ids: Sequence[str]) -> list[DocumentRow]:
        """Those of these that are there, in their order."""
        return self._store.documents.rows(document_ids)

    def get(self, document_id: str) -> Document:
        """Raises BadInput when it is gone."""
        return self._store.documents.get(document_id)

    def find(self, names: Sequence[str]) -> list[Document]:
        """By id, by path, or by the only path that ends so. Raises BadInput for any other name."""
        documents = {document.path: document for document in self.all()}
        ids = {path: document.id for path, document in documents.items()}
        found = []
        for name in names:
            near = _matches(name, ids)
            if len(near) == 1:
                found.append(documents[near[0]])
            else:
                raise BadInput(
                    tr("There is more than one document {name} in the workspace.", name=name)
                    if near
                    else tr("There is no document {name} in the workspace.", name=name),
                    tr("Give its path as clew documents WORKSPACE lists it."),
                )
        return found

    def text(self, document_id: str) -> str:
        """All of it, as it is stored; offsets everywhere point into it."""
        return self._store.documents.text(document_id)

    def pages(self, document_id: str) -> list[Page]:
        return self._store.documents.pages(document_id)

    def regions(self, document_id: str, start: int, end: int) -> list[Region]:
        """Named places (sheets, cells, notes) that overlap a span of the document's text, the narrowest first."""
        return self._store.documents.regions(document_id, start, end)

    def blocks(self, document_id: str, start: int, end: int) -> list[Block]:
        """What the parts of the document's text are that overlap a span, the outer before the inner."""
        return self._store.documents.blocks(document_id, start, end)

    def boxes(self, document_id: str) -> Boxes | None:
        """Where the text stands on its pages; None for formats that do not tell."""
        return self._store.documents.boxes(document_id)

    def placed(self, document_id: str) -> PlacedText | None:
        """The same, to ask where a span stands and what stands at a place."""
        boxes = self.boxes(document_id)
        return PlacedText(boxes) if boxes is not None else None

    def tables(self, document_id: str) -> list[DocumentTable]:
        """Its tables, in the order of its text."""
        return [table for _, table in self._store.documents.tables([document_id])]

    def metadata(self, document_id: str) -> list[tuple[str, str]]:
        """(name, value) as the document states them: sender, recipients, thread and the like."""
        return self._store.documents.metadata(document_id)

    def notices(self, document_ids: Sequence[str]) -> dict[str, tuple[Notice, ...]]:
        """Return what was not read, or read by a guess, by the id of each document that has any."""
        return self._store.documents.notices(document_ids)

    def mentions(self, document_id: str) -> list[Mention]:
        """Mentions with offsets in the document's text, by place."""
        return self._store.entities.mentions_of_document(document_id)

    # ------------------------------------------------------------ failures

    def failures(self, document_ids: Collection[str] | None = None) -> list[Failure]:
        """Documents that could not be read and passages at which a stage failed: all, or of these documents."""
        return self._store.failures.all(document_ids)

    def retry(self, document_ids: Sequence[str] | None = None) -> int:
        """Let what failed be tried again by the next indexing, of these documents or of all; how much it is."""
        with self._writing(mark("changed")):
            return self._store.failures.retry(document_ids)

    # ------------------------------------------------------------ what a file does not say

    def choices(self, document_ids: Sequence[str]) -> dict[str, dict[str, str]]:
        """Return what was chosen for these documents ("encoding", "date"), by id; nothing for the others."""
        chosen = self._store.choices.all()
        return {each.id: chosen[each.path] for each in self.some(document_ids) if each.path in chosen}

    def encodings(self, document_id: str) -> list[tuple[str, str]]:
        """Return encodings that a text may be in, the more plausible first, each with its first line beyond ASCII as it
        reads then."""
        now = self.choices([document_id]).get(document_id, {}).get(ENCODING, "")
        guessed = [n.detail for n in self.notices([document_id]).get(document_id, ()) if n.kind == ENCODING]
        line = next((line for line in self.text(document_id).split("\n") if not line.isascii()), "")
        return plausible_readings(line[:_PREVIEW].encode(now or (guessed or ["utf-8"])[0], "replace"))

    def choose(self, document_ids: Sequence[str], name: str, value: str) -> int:
        """Set the "encoding" or the "date" of documents, or with "" leave it to their files; return how many change.

        The choice outlives every indexing. A date holds at once; the next indexing reads again what has another
        encoding, or no chosen date any more. Raises BadInput for what is neither, and for documents that are no text.
        """
        if name not in (ENCODING, DATE):
            raise BadInput(
                tr("{name} cannot be chosen for a document.", name=name or "?"),
                tr("Choose its encoding or its date."),
            )
        if name == DATE and value:
            value = _iso_date(value)
        if name == ENCODING and value:
            value = encoding_named(value)
            for document in self.some(document_ids):
                if not has_encoding(document.media_type):
                    raise BadInput(
                        tr("{path} says itself how it is written.", path=document.path),
                        tr("Choose the encoding of plain texts, tables, web pages and mails."),
                    )
        with self._writing(mark("changed")):
            changed = self._store.choices.choose(document_ids, name, value)
            self._store.settings.touch()
            return changed

    # ------------------------------------------------------------ taking out

    def excluded(self) -> list[str]:
        """Paths of documents that were taken out, by alphabet."""
        return sorted(self._store.files.excluded())

    def find_excluded(self, names: Sequence[str]) -> list[str]:
        """Those of these names whose documents are out already; any `remove` finishes what one left that was killed."""
        present = {document.path: document.id for document in self.all()}
        gone = {path: stable_id("document", path) for path in self._store.files.excluded()}
        return [name for name in names if not _matches(name, present) and _matches(name, gone)]

    def preview_removal(self, document_ids: Sequence[str]) -> Removal:
        """What would go with these documents. Changes nothing."""
        return self._store.failures.removal(document_ids)

    def remove(self, document_ids: Sequence[str], context: TaskContext) -> Removal:
        """Take documents out with all that only they support; the files stay, later runs pass them by.

        What went. They are gone at once; interrupted, it leaves what follows from that to the next run, whichever it
        is. Raises Cancelled.
        """
        with self._writing(mark("changed")):
            went = self._store.failures.removal(document_ids)
            self._store.files.exclude(document_ids)
            self._catch_up(context)
            return went

    def restore(self, paths: Sequence[str]) -> None:
        """Let the next indexing read these again, by the path they were taken out under."""
        with self._writing(mark("changed")):
            self._store.files.restore(paths)


def _iso_date(value: str) -> str:
    """A date as people write it, in ISO 8601; a year or a month will do. Raises BadInput."""
    date = value.strip() if day_span(value.strip()) else cell_date(value)
    if day_span(date) is None or "T" in date or " " in date:
        raise BadInput(
            tr("{date} is no date.", date=value), tr("Write a year, 2021-05 for a month, or 2021-05-04.")
        )
    return date


def _matches(name: str, ids: Mapping[str, str]) -> list[str]:
    """Of documents, ids by path, the path of that which is called so; else all paths that end so."""
    exact = [path for path, id in ids.items() if name in (id, path)]
    return exact or [path for path in ids if path.endswith(f"/{name}")]


# ------------------------------------------------------------ passages


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class PassagesApi:
    """`workspace.passages`. Changes nothing; safe from every thread."""

    def __init__(self, store: Store, models: Models) -> None:
        self._store, self._models = store, models

    def get(self, passage_id: str) -> Passage:
        """Raises BadInput when it is gone."""
        return self._store.passages.get(passage_id).passage

    def of_document(self, document_id: str) -> list[Passage]:
        return [stored.passage for stored in self._store.passages.of_document(document_id)]

    def of_entity(self, entity_id: str, limit: int = 20) -> list[Passage]:
        keys = self._store.entities.passage_keys(entity_id, limit)
        return [stored.passage for stored in self._store.passages.by_keys(keys)]

    def counts(self, document_ids: Collection[str]) -> dict[str, int]:
        """How many passages each of these documents has, by id."""
        return self._store.passages.counts(document_ids)

    def anatomy(self, passage_id: str) -> Anatomy:
        """Read a passage by its extractor again: its parse, what was taken, what was not and why.

        Where a language model read it, what that said then: it is not asked again. Loads the models; one thread at a
        time. Raises BadInput where the passage is gone, ModelUnavailable.
        """
        from core.ingest.anatomy import anatomy  # with the rules of extraction: only who looks needs them

        return self._models.parsing(lambda parser: anatomy(self._store, passage_id, parser))

    def contradictions(self, most: int, context: TaskContext) -> list[Contradiction]:
        """Return pairs of sentences of two documents that may give different values for one thing, the likeliest first.

        Loads the models; one thread at a time. Raises Cancelled.
        """
        from core.answering.contradictions import find_contradictions  # only who looks needs it

        return find_contradictions(self._store, self._models.parse, context, most)

    def vectors(self) -> dict[str, NDArray[np.float32]]:
        """Unit vectors, shape (d,), by passage id; passages without one yet are left out."""
        keys, vectors = self._store.embeddings.all("passage")
        ids = dict(self._store.passages.ids())
        return {ids[int(key)]: vector for key, vector in zip(keys, vectors, strict=True)}
