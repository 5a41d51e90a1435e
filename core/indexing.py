"""From a folder, or from given passages, to a finished index."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.catalog import EXTRACTORS, choose
from core.config import Config
from core.errors import BadInput, WorkspaceError
from core.identity import stable_id
from core.index.exact import ExactIndex
from core.index.vector import EXACT_UP_TO, HnswIndex
from core.ingest.chunking import SentenceChunker
from core.ingest.derive import derive
from core.ingest.executors import Executor, InlineExecutor, ProcessExecutor
from core.ingest.folder import OnDocument, read_folder
from core.ingest.loaders import DocumentLoader
from core.ingest.pipeline import Pipeline
from core.models import MODEL, Models
from core.progress import TaskContext
from core.protocols import Extractor
from core.providers.tokenizer import WordPieceTokenizer
from core.store.store import Store
from core.types import Document, Growth, Passage, State

_INLINE_UP_TO = 48  # passages; starting a second process would take longer than their extraction

OnGrowth = Callable[[Growth], None]


def index_folder(
    folder: Path,
    store: Store,
    models: Models,
    config: Config,
    derived: Path,
    context: TaskContext,
    on_growth: OnGrowth | None,
    on_document: OnDocument | None,
    extractor: str,
) -> None:
    """Read what changed in `folder`, take it through every stage, derive the rest."""
    _check(store, extractor)
    folder = folder.expanduser().absolute()
    loader = DocumentLoader(config.chunking)
    chunker = SentenceChunker(config.chunking, WordPieceTokenizer())
    before = _fingerprint(store)
    read_folder(folder, store, loader, chunker, context, on_document or _nobody)
    store.settings.set("folder", str(folder))
    _build(store, models, config, derived, context, on_growth, extractor, before)
    if on_document is not None:
        for document in store.documents.all():
            on_document(document)


def index_passages(
    passages: Sequence[Passage],
    store: Store,
    models: Models,
    config: Config,
    derived: Path,
    context: TaskContext,
    extractor: Extractor | None = None,
) -> None:
    """Store passages as they are, each a document of its own, and take them through every stage.

    `extractor` stands in for the rules; it works in this process.
    """
    _check(store, "rules")
    before = _fingerprint(store)
    known = {document.id for document in store.documents.all()}
    for number, passage in enumerate(passages):
        context.report("read", number, len(passages), passage.title)
        if passage.document_id not in known:
            store.documents.put_read(_document_of(passage), passage.text, (), [passage])
    _build(store, models, config, derived, context, None, extractor or "rules", before)


def _build(
    store: Store,
    models: Models,
    config: Config,
    derived: Path,
    context: TaskContext,
    on_growth: OnGrowth | None,
    extractor: str | Extractor,
    before: str,
) -> None:
    _renew(store, extractor)
    pending = store.passages.count_pending()
    if pending:
        executor = _executor(models, extractor, pending)
        try:
            Pipeline(store, models.encoder(), executor, on_growth).run(context)
        finally:
            executor.close()
    # An unfinished derivation leaves its mark, so that an interrupted run is completed.
    if pending or _fingerprint(store) != before or store.settings.get("derived") != _fingerprint(store):
        derive(store, models.encoder(), _index, derived, config.graph, context)
        store.settings.set("derived", _fingerprint(store))


def _executor(models: Models, extractor: str | Extractor, pending: int) -> Executor:
    """A second process for large jobs, where the system allows one and the extractor has a name there."""
    if not isinstance(extractor, str):
        return InlineExecutor(lambda: extractor)
    if pending > _INLINE_UP_TO:
        # Without shared memory (some containers) no process can be talked to: then one does it all.
        with contextlib.suppress(OSError, ImportError):
            return ProcessExecutor(choose("extractor", extractor, EXTRACTORS))
    return InlineExecutor(lambda: models.extractor(extractor))


def _renew(store: Store, extractor: str | Extractor) -> None:
    """Extract everything anew when another extractor, or another version of it, is used."""
    made = choose("extractor", extractor, EXTRACTORS)() if isinstance(extractor, str) else extractor
    current, known = f"{made.name} {made.version}", store.settings.get("extractor")
    if known != current:
        if known:
            store.passages.reset("extract")
        store.settings.set("extractor", current)


def _fingerprint(store: Store) -> str:
    """Changes when documents or passages come, go or are finished."""
    status = store.census.status(digest=False)
    documents = "".join(f"{d.id}{d.sha256}{d.state}" for d in store.documents.all())
    return stable_id(documents, str(status.passages), str(status.pending), str(status.triples))


def _index(vectors: NDArray[np.float32]) -> ExactIndex | HnswIndex:
    return ExactIndex(vectors) if len(vectors) <= EXACT_UP_TO else HnswIndex(vectors)


def _document_of(passage: Passage) -> Document:
    return Document(
        id=passage.document_id,
        path=passage.id,
        sha256=stable_id(passage.title, passage.text),
        size=len(passage.text),
        title=passage.title,
        media_type="text/plain",
        state=State.PENDING,
    )


def _check(store: Store, extractor: str) -> None:
    if store.database.read_only:
        raise WorkspaceError(
            f"The workspace {store.database.path.parent} is read-only, so nothing can be indexed into it.",
            "Choose another place for the workspace.",
        )
    choose("extractor", extractor, EXTRACTORS)
    others = store.embeddings.other_models()
    if others:
        raise BadInput(
            f"This workspace holds vectors of {', '.join(others)}; {MODEL} would not fit with them.",
            "Index into a new workspace.",
        )


def _nobody(document: Document) -> None:
    """Nobody listens."""
