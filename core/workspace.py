"""The Python API of Clew: one workspace, everything that people do with it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from core.asking import Asker, Change, asker_over
from core.config import Config
from core.document_filter import DocumentFilter
from core.errors import WorkspaceError
from core.indexing import OnGrowth, index_folder, index_passages
from core.ingest.folder import OnDocument
from core.ingest.watch import Tell, follow
from core.keeping import decide_names, name_id, named, remove
from core.models import DIMENSION, MODEL, Models
from core.progress import TaskContext
from core.protocols import Extractor
from core.retrieval.paths import Scores
from core.retrieval.selection.pool import Pool
from core.store.backup import back_up
from core.store.lock import FileLock, WriterLock, claimed_window, held_by
from core.store.store import Store
from core.types import (
    Answer,
    Backup,
    Boxes,
    Check,
    Community,
    Document,
    Entity,
    Fact,
    Failure,
    GraphView,
    Mention,
    NameMerge,
    Page,
    Passage,
    Region,
    Removal,
    Retrieval,
    SearchResult,
    Status,
)
from core.verifying import check_workspace, mend_workspace
from core.views import communities, graph_view, neighbourhood, search

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["DERIVED", "DocumentFilter", "Workspace"]
DERIVED = "derived"  # the folder of what can be deleted


class Workspace:
    """An open workspace. Reading is safe from every thread; one process at a time indexes."""

    def __init__(
        self, path: Path, store: Store, config: Config, models: Models, window: FileLock | None = None
    ) -> None:
        self.path = path
        self.config = config
        self.in_use_by = ""  # which other window has it open: completes "the workspace is ..."
        self._window = window
        self._store = store
        self._models = models
        self._lock = threading.Lock()
        self._asker: Asker | None = None
        self._asker_revision = -1

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        create: bool = False,
        read_only: bool = False,
        exclusive: bool = False,
        config: Config | None = None,
        models: Models | None = None,
    ) -> Workspace:
        """Raises WorkspaceError when there is none, or it is newer, damaged or cannot be made.

        `exclusive` is for a window: the second one that opens a workspace gets it read-only, with
        `in_use_by` telling by whom it is used.
        """
        path = path.expanduser()
        if create and not read_only:
            try:
                path.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise WorkspaceError(
                    f"The workspace {path} cannot be made ({error.strerror}).",
                    "Choose a place where you may write.",
                ) from error
        window, user = claimed_window(path) if exclusive and not read_only else (None, "")
        try:
            store = Store(path, MODEL, DIMENSION, create=create, read_only=read_only or bool(user))
        except BaseException:
            if window is not None:
                window.release()
            raise
        opened = cls(path, store, config or Config(), models or Models(), window)
        opened.in_use_by = user
        return opened

    def close(self) -> None:
        """Release the database; safe to call twice."""
        self._asker = None
        self._store.close()
        if self._window is not None:
            self._window.release()

    @property
    def read_only(self) -> bool:
        return self._store.database.read_only

    @property
    def written_by(self) -> str:
        """Who writes at this moment: completes "the workspace is ..."; "" when nobody does."""
        return held_by(self.path) or ""

    @property
    def folder(self) -> Path | None:
        """The folder that was indexed last."""
        stored = self._store.settings.get("folder")
        return Path(stored) if stored else None

    @property
    def revision(self) -> int:
        """Grows whenever indexing changed something."""
        return self._store.settings.revision()

    # ------------------------------------------------------------ building

    def index(
        self,
        folder: Path,
        context: TaskContext,
        on_growth: OnGrowth | None = None,
        on_document: OnDocument | None = None,
        extractor: str = "rules",
        *,
        digest: bool = True,
    ) -> Status:
        """Bring the workspace in line with `folder`; only what changed is done again.

        The counts afterwards; the digest reads everything, so who does not need it goes without.
        Raises BadInput for a folder that cannot be used, WorkspaceError while another process writes,
        Cancelled with everything committed kept.
        """
        with self._writing("indexed"):
            index_folder(
                folder,
                self._store,
                self._models,
                self.config,
                context,
                on_growth,
                on_document,
                extractor,
            )
        return self.status() if digest else self.counts()

    def index_passages(
        self, passages: Sequence[Passage], context: TaskContext, extractor: Extractor | None = None
    ) -> Status:
        """Index passages as they are, each a document of its own; what is there already is kept.

        `extractor` stands in for the rules; it runs in this process.
        """
        with self._writing("indexed"):
            index_passages(passages, self._store, self._models, self.config, context, extractor)
        return self.status()

    # ------------------------------------------------------------ keeping

    def failures(self) -> list[Failure]:
        """Documents that could not be read and passages at which a stage failed."""
        return self._store.troubles.failures()

    def retry(self, document_ids: Sequence[str] | None = None) -> int:
        """Let what failed be tried again by the next indexing, of these documents or of all; how much it is."""
        with self._writing("changed"):
            return self._store.troubles.retry(document_ids)

    def named(self, names: Sequence[str]) -> list[Document]:
        """Documents by id, by path or by the end of a path. Raises BadInput where none or several match."""
        return named(self._store, names)

    def preview_removal(self, document_ids: Sequence[str]) -> Removal:
        """What would go with these documents. Changes nothing."""
        return self._store.troubles.removal(document_ids)

    def remove(self, document_ids: Sequence[str], context: TaskContext) -> Removal:
        """Take documents out with all that only they support; the files stay, later runs pass them by."""
        with self._writing("changed"):
            return remove(self._store, self._models, self.config, document_ids, context)

    def restore(self, paths: Sequence[str]) -> None:
        """Let the next indexing read these again, by the path they were taken out under."""
        with self._writing("changed"):
            self._store.files.restore(paths)

    def entity_by_name(self) -> dict[str, str]:
        """Id of the entity that each name, by its normal form, belongs to."""
        return self._store.entities.ids_by_name()

    def name_id(self, name: str) -> str:
        """Id of this very name. Raises BadInput when no document holds it."""
        return name_id(self._store, name)

    def merges_of(self, entity_id: str) -> list[NameMerge]:
        """The pairs of names that make up an entity, each with its reason, the surest first."""
        return self._store.resolution.merges_of(entity_id)

    def decide_names(self, one_id: str, other_id: str, verdict: str, context: TaskContext) -> None:
        """Say that two names are one entity ("same"), are two ("different"), or leave it to the rules ("")."""
        with self._writing("changed"):
            decide_names(self._store, self._models, self.config, (one_id, other_id), verdict, context)

    def excluded(self) -> list[str]:
        """Paths of documents that were taken out, by alphabet."""
        return sorted(self._store.files.excluded())

    def backup(self, target: Path, context: TaskContext) -> Backup:
        """A consistent copy in the new or empty folder `target`, while others read and write.

        Raises BadInput for a target that is not empty, WorkspaceError when there is no room, Cancelled;
        nothing is left at `target` then.
        """
        return back_up(self._store.database.path, target.expanduser(), context)

    def verify(self, context: TaskContext, repair: bool = False) -> list[Check]:
        """Whether everything fits together; with `repair`, what can be made again is mended.

        Without it nothing is changed, and others may read and write. Raises Cancelled, and WorkspaceError
        where repairing is not possible: read-only, or another process writes.
        """
        act = mend_workspace if repair else check_workspace
        checks = act(self._store.database, self.path / DERIVED, context)
        self._asker = None if repair else self._asker
        return checks

    def _writing(self, doing: str) -> contextlib.AbstractContextManager[object]:
        """Around everything that writes: one writer at a time. Raises WorkspaceError while there is another."""
        if self.read_only:
            return contextlib.nullcontext()  # what is refused anyhow is refused in its own words
        return WriterLock(self.path, doing)

    def watch(self, folder: Path, tell: Tell, context: TaskContext) -> None:
        """Follow `folder` until cancelled and tell what changed once it is at rest; indexes nothing.

        `tell` is called with WatchNews, from this thread. Raises Cancelled.
        """
        follow(folder, self.config.watch, tell, context)

    # ------------------------------------------------------------ asking

    def load_models(self, context: TaskContext) -> None:
        """Import and read the models and the graph, so that the first question is quick."""
        self._models.load(context)
        if self.counts().passages:
            self._current_asker()

    @property
    def models_loaded(self) -> bool:
        return self._models.loaded

    def ask(self, question: str, context: TaskContext, route: str = "auto", k: int = 5) -> Answer:
        """Raises BadInput for a question or route that cannot be used, WorkspaceError when empty."""
        return self._current_asker().ask(question, context, route, k)

    def retrieve(
        self, question: str, context: TaskContext, route: str = "auto", k: int = 10
    ) -> tuple[str, Retrieval]:
        """Only the ranking, without an answer: the route taken and its hits."""
        return self._current_asker().retrieve(question, route, k, context)

    def selection_pools(self, question: str, context: TaskContext) -> dict[str, tuple[tuple[str, ...], Pool]]:
        """What the second stage would choose from, by first stage: passage ids and their signals."""
        return self._current_asker().pools(question, context)

    def hybrid_scores(self, question: str) -> tuple[tuple[str, ...], Scores, Scores]:
        """Ids of all passages and what the hybrid route weighs, cosine and path, each (n_passages,) in 0..1."""
        return self._current_asker().hybrid_scores(question)

    def forget_questions(self) -> None:
        """Drop remembered questions, so that a measurement encodes and reads each anew."""
        self._models.forget_questions()

    def _current_asker(self) -> Asker:
        with self._lock:
            revision = self._store.settings.revision()
            if self._asker is None or self._asker_revision != revision:
                self._asker = self.asker_over(None)
                self._asker_revision = revision
            return self._asker

    def asker_over(self, change: Change | None) -> Asker:
        """An asker over a changed copy of what was extracted, in memory. Raises WorkspaceError when empty."""
        return asker_over(self._store, self._models, self.config, self.path / DERIVED, change)

    # ------------------------------------------------------------ looking

    def status(self) -> Status:
        """Counts and digest; reads everything."""
        return self._store.census.status(digest=True)

    def counts(self) -> Status:
        """Counts, digest empty; quick."""
        return self._store.census.status(digest=False)

    def documents(self) -> list[Document]:
        return self._store.documents.all()

    def document(self, document_id: str) -> Document:
        """Raises BadInput when it is gone."""
        return self._store.documents.get(document_id)

    def document_text(self, document_id: str) -> str:
        return self._store.documents.text(document_id)

    def pages(self, document_id: str) -> list[Page]:
        return self._store.documents.pages(document_id)

    def regions(self, document_id: str, start: int, end: int) -> list[Region]:
        """Named places (sheets, cells, notes) that overlap a span of the document's text, the narrowest first."""
        return self._store.documents.regions(document_id, start, end)

    def boxes(self, document_id: str) -> Boxes | None:
        """Where the text stands on its pages; None for formats that do not tell."""
        return self._store.documents.boxes(document_id)

    def metadata(self, document_id: str) -> list[tuple[str, str]]:
        """(name, value) as the document states them: sender, recipients, thread and the like."""
        return self._store.documents.metadata(document_id)

    def document_mentions(self, document_id: str) -> list[Mention]:
        """Mentions with offsets in the document's text, by place."""
        return self._store.entities.mentions_of_document(document_id)

    def passage(self, passage_id: str) -> Passage:
        """Raises BadInput when it is gone."""
        return self._store.passages.get(passage_id).passage

    def passages_of(self, document_id: str) -> list[Passage]:
        return [stored.passage for stored in self._store.passages.of_document(document_id)]

    def passage_vectors(self) -> dict[str, NDArray[np.float32]]:
        """Unit vectors, shape (384,), by passage id; passages without one yet are left out."""
        keys, vectors = self._store.embeddings.all("passage")
        ids = dict(self._store.passages.ids())
        return {ids[int(key)]: vector for key, vector in zip(keys, vectors, strict=True)}

    def passage_counts(self) -> dict[str, int]:
        """Number of passages by document id."""
        return self._store.passages.counts()

    def entity(self, entity_id: str) -> Entity:
        """Raises BadInput when it is gone."""
        return self._store.entities.get(entity_id)

    def entities(self, limit: int = 0) -> list[Entity]:
        """Most mentioned first; `limit` 0 means all."""
        return self._store.entities.all(limit)

    def facts_of(self, entity_id: str, limit: int = 50) -> list[Fact]:
        """Strongest first, with the triples that support them."""
        return self._store.facts.of_entity(entity_id, limit)

    def passages_of_entity(self, entity_id: str, limit: int = 20) -> list[Passage]:
        keys = self._store.entities.passage_keys(entity_id, limit)
        return [stored.passage for stored in self._store.passages.by_keys(keys)]

    def neighbourhood(self, entity_id: str, limit: int = 40) -> GraphView:
        """The entity and its strongest neighbours, with the facts among them."""
        return neighbourhood(self._store, entity_id, limit)

    def graph_view(self, limit: int = 0) -> GraphView:
        """Entities with facts and the edges between them; the `limit` most connected, 0 for all."""
        return graph_view(self._store, limit)

    def communities(self) -> list[Community]:
        """Largest first; entities without facts belong to none."""
        return communities(self._store)

    def search(self, text: str, limit: int = 20) -> list[SearchResult]:
        """Entities, documents and passages that match; [] for an empty text."""
        return search(self._store, text, limit)
