"""The Python API of Clew: one workspace, everything that people do with it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.config import INDEXING, Config, changed, kept, with_settings
from core.document_filter import DocumentFilter
from core.errors import WorkspaceError
from core.finding import KINDS
from core.indexing import OnGrowth, index_folder, index_passages
from core.ingest.folder import OnDocument
from core.ingest.forms import note_forms
from core.ingest.watch import Tell, follow
from core.keeping import decide_names, name_id, named, remove, reporter, taken_out
from core.looking import Looking
from core.models import DIMENSION, MODEL, Models
from core.preflight import LanguageModels, last_extractor
from core.progress import Cancelled, TaskContext
from core.protocols import Extractor
from core.reporting.writing import write_reports
from core.store.backup import back_up
from core.store.lock import FileLock, WriterLock, claimed_window, held_by
from core.store.store import Store
from core.types import (
    Answer,
    Backup,
    Check,
    Document,
    Failure,
    NameMerge,
    Passage,
    Removal,
    Retrieval,
    SearchResult,
    Status,
    Written,
)
from core.verifying import check_workspace, mend_workspace

if TYPE_CHECKING:
    from core.asking import Asker, Change
    from core.retrieval.paths import Scores
    from core.retrieval.selection.pool import Pool

__all__ = ["DERIVED", "DocumentFilter", "Workspace"]
DERIVED = "derived"  # the folder of what can be deleted
_SHORTEST, _LETTERS = 3, 200  # of what is looked for by its meaning
CHOSEN = "chosen"  # what was set with `configure`, a line each


class Workspace(Looking):
    """An open workspace. Reading is safe from every thread; one process at a time indexes."""

    def __init__(
        self, path: Path, store: Store, config: Config, models: Models, window: FileLock | None = None
    ) -> None:
        super().__init__(store)
        self.path = path
        self.config = config
        self.in_use_by = ""  # which other window has it open: completes "the workspace is ..."
        self._window = window
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
        settings: Sequence[str] = (),
    ) -> Workspace:
        """Raises WorkspaceError when there is none, or it is newer, damaged or cannot be made.

        Without a `config` the defaults hold, and what `configure` set; `settings` hold above, until it is closed.
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
        config = with_settings(config or kept(store.settings.get(CHOSEN).splitlines()), settings)
        opened = cls(path, store, config, models or Models(), window)
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

    @property
    def language_models(self) -> LanguageModels:
        """What can be found out about language models, by the settings that hold now."""
        return LanguageModels(self._store, self._models, self.config.models, self._writing)

    # ------------------------------------------------------------ building

    def configure(self, wanted: Sequence[str]) -> None:
        """Set settings of indexing such as "reading.max_seconds=60", for this and all later runs.

        Raises BadInput for a setting that there is none of and a value that does not fit,
        WorkspaceError while another process writes.
        """
        config = with_settings(self.config, wanted, INDEXING)
        with self._writing("changed"):
            self._choose(config)

    def _choose(self, config: Config) -> None:
        """These settings of indexing hold from now on."""
        # Also where this object knows them: it may have been opened with others than are kept.
        self._store.settings.set(CHOSEN, "\n".join(changed(config, INDEXING)))
        self.config = config

    def index(
        self,
        folder: Path,
        context: TaskContext,
        on_growth: OnGrowth | None = None,
        on_document: OnDocument | None = None,
        extractor: str = "",
        *,
        settings: Sequence[str] = (),
        digest: bool = True,
    ) -> Status:
        """Bring the workspace in line with `folder`; only what changed is done again.

        `extractor` "" is the last one used. `settings` are as for `configure`, and are kept once the run is through;
        also where it is stopped, for what it read it read by them. One that fails leaves them as they were.
        The counts afterwards; the digest reads everything, so who does not need it goes without.
        Raises BadInput for a folder that cannot be used, WorkspaceError while another process writes,
        Cancelled with everything committed kept.
        """
        config = with_settings(self.config, settings, INDEXING)
        with self._writing("indexed"):
            extractor = extractor or last_extractor(self._store)
            parts = (self._store, self._models, config)
            try:
                index_folder(folder, *parts, context, on_growth, on_document, extractor)
            except Cancelled:
                if settings:
                    self._choose(config)
                raise
            if settings:
                self._choose(config)
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

    def taken_out(self, names: Sequence[str]) -> list[str]:
        """Those of these names whose documents are out already; any `remove` finishes what one left that was killed."""
        return taken_out(self._store, names)

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

    def write_reports(
        self,
        context: TaskContext,
        generator: str = "extractive",
        *,
        level: int | None = None,
        again: bool = False,
        only: Collection[int] | None = None,
    ) -> Written:
        """Reports of the communities, of one level or `only` these: those that are wanting, or `again` all.

        `generator` is "extractive", the rules, or "ollama:MODEL"; without a model what one wrote stays as long
        as it holds. Raises BadInput for what there is none of, WorkspaceError while another process writes,
        Cancelled, ModelUnavailable and ModelFault with what was written kept.
        """
        model = reporter(generator, self._store, self._models, self.config, level)
        with self._writing("given its reports"):
            note_forms(self._store, context)
            return write_reports(self._store, context, level=level, model=model, again=again, only=only)

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

    def prepare_meaning(self, context: TaskContext) -> None:
        """Open the vectors of communities and entities, so that `search` finds by meaning, too.

        Takes up to a minute the first time, hardly any later. Raises Cancelled before it begins.
        """
        if self.counts().passages:
            context.check()
            # Together: another thread may replace the asker, and its file would be taken for that of the new one.
            asker, revision = self._current_asker_with_revision()
            asker.nearest.open(MODEL, revision, self.path / DERIVED)

    def search(self, text: str, limit: int = 20, kinds: Collection[str] = KINDS) -> list[SearchResult]:
        """Also communities and entities that are near in meaning, once `prepare_meaning` was called."""
        found, asker = super().search(text, limit, kinds), self._asker
        if asker is None or not asker.nearest.ready or self._asker_revision != self.revision:
            return found
        words = " ".join(text.split())[:_LETTERS]
        if len(words) < _SHORTEST:
            return found
        from core.meaning import beside, near_in_meaning  # slow to import

        vector = self._models.embed_question(words)
        return beside(found, near_in_meaning(self._store, asker.nearest, vector, kinds), limit)

    @property
    def models_loaded(self) -> bool:
        return self._models.loaded

    def ask(self, question: str, context: TaskContext, route: str = "auto", k: int = 5, **how: Any) -> Answer:
        """`how`: generator and on_text of `Asker.ask`. Raises what it raises, WorkspaceError when empty."""
        return self._current_asker().ask(question, context, route, k, **how)

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
        return self._current_asker_with_revision()[0]

    def _current_asker_with_revision(self) -> tuple[Asker, int]:
        with self._lock:
            revision = self._store.settings.revision()
            if self._asker is None or self._asker_revision != revision:
                self._asker = self.asker_over(None)
                self._asker_revision = revision
            return self._asker, revision

    def asker_over(self, change: Change | None) -> Asker:
        """An asker over a changed copy of what was extracted, in memory. Raises WorkspaceError when empty."""
        from core.asking import asker_over  # slow to import, and needed for asking only

        return asker_over(self._store, self._models, self.config, self.path / DERIVED, change)
