"""Brings the store's documents in line with a folder: only what changed is read again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from core.errors import DocumentError
from core.identity import stable_id
from core.ingest.scan import FoundFile, scan
from core.progress import TaskContext
from core.protocols import Chunker, Loader
from core.store.store import Store
from core.types import Document, State

_BLOCK = 1 << 20
OnDocument = Callable[[Document], None]


def read_folder(
    folder: Path, store: Store, loader: Loader, chunker: Chunker, context: TaskContext, tell: OnDocument
) -> None:
    """Read new and changed files, retry failed ones, forget deleted ones.

    A file that cannot be read becomes a failed document with its reason, and the rest goes on.
    Raises BadInput when the folder itself cannot be used.
    """
    files = scan(folder, context)
    known = {document.path: document for document in store.documents.all()}
    gone = [known[path].id for path in known.keys() - {file.relative for file in files}]
    if gone:
        store.documents.remove(gone)
    for number, file in enumerate(files):
        context.report("read", number, len(files), file.relative)
        document = _bring(file, known.get(file.relative), store, loader, chunker)
        if document is not None:
            tell(document)
    context.report("read", len(files), len(files))


def _bring(
    file: FoundFile, known: Document | None, store: Store, loader: Loader, chunker: Chunker
) -> Document | None:
    """Store one file; None when its content is what is known already."""
    settled = known is not None and known.state is not State.FAILED
    if settled and known and (known.size, known.modified_ns) == (file.size, file.modified_ns):
        return None
    document = Document(
        id=stable_id("document", file.relative),
        path=file.relative,
        sha256="",
        size=file.size,
        title=Path(file.relative).name,
        media_type="",
        modified_ns=file.modified_ns,
    )
    try:
        if file.reason:
            raise DocumentError(file.reason, file.remedy)
        digest = _sha256(file.path)
        if settled and known and known.sha256 == digest:
            store.documents.set_modified(known.id, file.modified_ns)
            return None
        return _read(file, document, digest, store, loader, chunker)
    except DocumentError as error:
        failed = replace(document, state=State.FAILED, reason=error.message, remedy=error.remedy)
        store.documents.put(failed)
        return failed


def _read(
    file: FoundFile, document: Document, digest: str, store: Store, loader: Loader, chunker: Chunker
) -> Document:
    (part,) = loader.parts(file.path)
    assert part.document is not None
    loaded = part.document
    document = replace(
        document,
        sha256=digest,
        title=loaded.title,
        media_type=loaded.media_type,
        date=loaded.date,
        author=loaded.author,
        pages=len(loaded.pages),
        state=State.PENDING,
    )
    passages = chunker.passages(document.id, loaded)
    # One transaction: a document is never stored without its passages.
    store.documents.put_read(document, loaded.text, loaded.pages, passages)
    return document


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except OSError as error:
        raise DocumentError(
            f"The file cannot be opened ({error.strerror}).", "Check that it is still there and may be read."
        ) from error
    return digest.hexdigest()
