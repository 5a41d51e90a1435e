"""The Python API of Clew: one workspace, everything that people do with it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.catalog.reading import LANGUAGE_MODELS
from core.config import ENCODING, INDEXING, Config, changed, kept, with_settings
from core.document_filter import DocumentFilter
from core.errors import ModelFault, ModelUnavailable, WorkspaceError
from core.exporting import export
from core.finding import KINDS
from core.hosts import NOBODY, own_config, set_own_host
from core.index.vector import IndexFolder
from core.indexing import OnGrowth, index_folder, index_passages
from core.ingest.folder import OnDocument
from core.ingest.forms import note_forms
from core.ingest.watch import Tell, follow
from core.keeping import decide_names, remove, reporter
from core.looking import Looking
from core.models import Models, encoder_choice, encoder_words
from core.opening import Opened, open_store
from core.preflight import LanguageModels, last_extractor
from core.progress import Cancelled, TaskContext
from core.protocols import Extractor
from core.reporting.writing import write_reports
from core.store.backup import back_up
from core.store.encoder import MINILM, KeptEncoder
from core.store.lock import WriterLock, held_by
from core.store.settings import CHOSEN
from core.store.workspace_files import DERIVED
from core.trust import trust
from core.types import (
    Answer,
    Backup,
    Check,
    Exported,
    Origin,
    Passage,
    Removal,
    Retrieval,
    SearchResult,
    Status,
    Written,
)
from core.verifying import check_workspace, damage_behind, mend_workspace

if TYPE_CHECKING:
    from core.asking import Asker, Change
    from core.retrieval.joined import Lists
    from core.retrieval.paths import Scores
    from core.retrieval.selection.pool import Pool

__all__ = ["DERIVED", "DocumentFilter", "Workspace"]
_SHORTEST, _LETTERS = 3, 200  # of what is looked for by its meaning


class Workspace(Looking):
    """An open workspace. Reading is safe from every thread; one process at a time indexes."""

    def __init__(self, path: Path, opened: Opened, config: Config, models: Models) -> None:
        super().__init__(opened.store)
        self.path = path
        self.config = config
        self._opened = opened
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
        own: bool = False,
    ) -> Workspace:
        """Raises WorkspaceError when there is none, or it is newer, damaged or cannot be made.

        Without a `config` the person's host and the defaults hold, and what `index` kept; `settings` hold above,
        until it is closed. `exclusive` is for a window: the second one that opens a workspace gets it read-only, with
        `in_use_by` telling by whom it is used. One that is not trusted is opened for reading only, and nobody is
        contacted for it; `own` trusts it, for places where only Clew itself makes any.
        """
        path = path.expanduser()
        opened = open_store(path, create=create, read_only=read_only, exclusive=exclusive, own=own)
        try:
            config = config or own_config(config=kept(opened.store.settings.get(CHOSEN).splitlines()))
            nobody = () if opened.trusted else (f"models.host={NOBODY}",)
            return cls(path, opened, with_settings(config, [*settings, *nobody]), models or Models())
        except BaseException:
            opened.close()
            raise

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Closes. Raises WorkspaceError for a bug that only shows because the workspace is damaged."""
        self.close()
        if error is not None and (damage := self.damage_behind(error)):
            raise damage from error

    def damage_behind(self, error: BaseException) -> WorkspaceError | None:
        """Damage of the workspace that explains a fault nobody foresaw; None where it is a bug. Reads everything."""
        return damage_behind(error, self.path)

    def close(self) -> None:
        """Release the database; safe to call twice."""
        self._asker = None
        self._opened.close()

    @property
    def read_only(self) -> bool:
        return self._store.database.read_only

    @property
    def in_use_by(self) -> str:
        """Which other window has it open: completes "the workspace is ..."."""
        return self._opened.in_use_by

    @property
    def origin(self) -> Origin | None:
        """Where it comes from and what it names; None for one that was made just now."""
        return self._opened.origin

    @property
    def trusted(self) -> bool:
        """Whether it is the person's own; else nothing may be written to it and nobody contacted for it."""
        return self._opened.trusted

    @staticmethod
    def trust(path: Path) -> None:
        """Take the workspace in a folder for one's own, from the next opening on. Raises WorkspaceError."""
        trust(path)

    @property
    def written_by(self) -> str:
        """Who writes at this moment: completes "the workspace is ..."; "" when nobody does."""
        return held_by(self.path) or ""

    @property
    def language_models(self) -> LanguageModels:
        """What can be found out about language models, by the settings that hold now."""
        parts = (self._store, self._models, self.config.models)
        return LanguageModels(*parts, self._writing, self._opened.check_trusted)

    def set_host(self, address: str) -> None:
        """Ask language models there, from now on and for every workspace of this person. Raises BadInput."""
        host = set_own_host(address)
        if self.trusted:
            self.config, self._asker = with_settings(self.config, [f"models.host={host.address}"]), None

    # ------------------------------------------------------------ building

    def _choose(self, config: Config) -> None:
        """These settings of indexing hold from now on."""
        # Also where this object knows them: it may have been opened with others than are kept.
        kept = with_settings(config, [f"{name}=" for name in ENCODING])
        self._store.settings.set(CHOSEN, "\n".join(changed(kept, INDEXING)))
        # The host of this run only.
        self.config = with_settings(config, [f"models.host={self.config.models.host}"])

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

        `extractor` "" is the last one used. `settings` of indexing such as "reading.max_seconds=60" are kept once the
        run is through, but for the person's own; also where it is stopped, for what it read it read by them. One that
        fails leaves them as they were.
        The counts afterwards; the digest reads everything, so who does not need it goes without.
        Raises BadInput for a folder or a setting that cannot be used, WorkspaceError while another process writes,
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

    def retry(self, document_ids: Sequence[str] | None = None) -> int:
        """Let what failed be tried again by the next indexing, of these documents or of all; how much it is."""
        with self._writing("changed"):
            return self._store.troubles.retry(document_ids)

    def remove(self, document_ids: Sequence[str], context: TaskContext) -> Removal:
        """Take documents out with all that only they support; the files stay, later runs pass them by."""
        with self._writing("changed"):
            return remove(self._store, self._models, self.config, document_ids, context)

    def restore(self, paths: Sequence[str]) -> None:
        """Let the next indexing read these again, by the path they were taken out under."""
        with self._writing("changed"):
            self._store.files.restore(paths)

    def decide_names(self, one_id: str, other_id: str, verdict: str, context: TaskContext) -> None:
        """Say that two names are one entity ("same"), are two ("different"), or leave it to the rules ("")."""
        with self._writing("changed"):
            decide_names(self._store, self._models, self.config, (one_id, other_id), verdict, context)

    def judge(self, answer: Answer, verdict: str, right_answer: str = "") -> None:
        """Keep that an answer is "right" or "wrong", with the right one if it is known; "" takes it back."""
        self._opened.check_trusted()  # no lock: nothing follows from it, so it can be said while another indexes
        self._store.judged_answers.judge(answer, verdict, right_answer)

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

    def backup(self, target: Path, context: TaskContext) -> Backup:
        """A consistent copy in the new or empty folder `target`, while others read and write.

        Raises BadInput for a target that is not empty, WorkspaceError when there is no room, Cancelled;
        nothing is left at `target` then.
        """
        return back_up(self._store.database.path, target.expanduser(), context)

    def export(self, target: Path, context: TaskContext, replace: bool = False) -> Exported:
        """The graph with its sources, for other programs; see `core.exporting.export` for what it raises."""
        return export(self._store, target, context, replace)

    def verify(self, context: TaskContext, repair: bool = False) -> list[Check]:
        """Whether everything fits together; with `repair`, what can be made again is mended.

        Without it nothing is changed, and others may read and write. Raises Cancelled, and WorkspaceError
        where repairing is not possible: read-only, or another process writes.
        """
        if repair:
            self._opened.check_trusted()
        act = mend_workspace if repair else check_workspace
        checks = act(self._store.database, self.path / DERIVED, context)
        self._asker = None if repair else self._asker
        return checks

    def _writing(self, doing: str) -> contextlib.AbstractContextManager[object]:
        """Around everything that writes: one writer at a time. Raises WorkspaceError while there is another."""
        self._opened.check_trusted()
        if self.read_only:
            return contextlib.nullcontext()  # what is refused anyhow is refused in its own words
        return WriterLock(self.path, doing)

    def watch(self, folder: Path, tell: Tell, context: TaskContext) -> None:
        """Follow `folder` until cancelled and tell what changed once it is at rest; indexes nothing.

        `tell` is called with WatchNews, from this thread. Raises Cancelled, Untrusted.
        """
        self._opened.check_trusted()
        follow(folder, self.config.watch, tell, context, self.config.reading.follow_links)

    # ------------------------------------------------------------ asking

    def load_models(self, context: TaskContext) -> None:
        """Import and read the models and the graph, so that the first question is quick."""
        self._models.load(context)
        if self.counts().passages:
            self._current_asker()
            self._models.comprehension.warm()

    def prepare_meaning(self, context: TaskContext) -> None:
        """Open the vectors of communities and entities, so that `search` finds by meaning, too.

        Takes up to a minute the first time, hardly any later. Raises Cancelled before it begins.
        """
        if self.counts().passages:
            context.check()
            # Together: another thread may replace the asker, and its file would be taken for that of the new one.
            asker, revision = self._current_asker_with_revision()
            asker.nearest.open(self._store.embeddings.encoder.model, revision, self._index_folder)

    def search(self, text: str, limit: int = 20, kinds: Collection[str] = KINDS) -> list[SearchResult]:
        """Also communities and entities that are near in meaning, once `prepare_meaning` was called."""
        found, asker = super().search(text, limit, kinds), self._asker
        if asker is None or not asker.nearest.ready or self._asker_revision != self.revision:
            return found
        words = " ".join(text.split())[:_LETTERS]
        if len(words) < _SHORTEST:
            return found
        from core.meaning import beside, near_in_meaning  # slow to import

        try:
            vector = asker.vectors.embed_question(words)
        except (ModelUnavailable, ModelFault):  # whose encoder's host is gone finds words all the same
            return found
        return beside(found, near_in_meaning(self._store, asker.nearest, vector, kinds), limit)

    @property
    def encoder(self) -> KeptEncoder:
        """What its texts are compared by."""
        return self._store.embeddings.encoder

    @property
    def encoder_words(self) -> str:
        """The same for people."""
        return encoder_words(self.encoder)

    @property
    def models_loaded(self) -> bool:
        return self._models.loaded

    def ask(self, question: str, context: TaskContext, route: str = "auto", k: int = 5, **how: Any) -> Answer:
        """`how`: generator and on_text of `Asker.ask`. Raises what it raises, WorkspaceError when empty, Untrusted."""
        if str(how.get("generator", "")).partition(":")[0] in LANGUAGE_MODELS:
            self._opened.check_trusted()
        return self._current_asker().ask(question, context, route, k, **how)

    def retrieve(
        self, question: str, context: TaskContext, route: str = "auto", k: int = 10
    ) -> tuple[str, Retrieval]:
        """Only the ranking, without an answer: the route taken and its hits."""
        return self._current_asker().retrieve(question, route, k, context)

    def selection_pools(self, question: str, context: TaskContext) -> dict[str, tuple[tuple[str, ...], Pool]]:
        """What the second stage would choose from, by first stage: passage ids and their signals."""
        return self._current_asker().pools(question, context)

    def weighed_lists(self, question: str, context: TaskContext) -> tuple[Lists, dict[str, float]]:
        """The ranked lists that `auto` joins, and what question and lists show by the name of each signal."""
        return self._current_asker().weighed_lists(question, context)

    def hybrid_scores(self, question: str) -> tuple[tuple[str, ...], Scores, Scores]:
        """Ids of all passages and what the hybrid route weighs, cosine and path, each (n_passages,) in 0..1."""
        return self._current_asker().hybrid_scores(question)

    @property
    def _index_folder(self) -> IndexFolder:
        return IndexFolder(self.path / DERIVED, self.read_only)

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

        if encoder_choice(self._store, self.config.models) != MINILM.choice:
            self._opened.check_trusted()  # the workspace would say which folder is read, which host is asked
        return asker_over(self._store, self._models, self.config, self._index_folder, change)
