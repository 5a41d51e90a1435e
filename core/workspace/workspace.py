"""One workspace: opening, indexing and asking; the rest is in its sub-APIs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from core.answering.diff import diff_answers
from core.answering.models import Models, encoder_words
from core.config import ASKED_BY, ENCODING, INDEXING, Config, changed, described, saved_config, with_settings
from core.errors import WorkspaceError
from core.ingest.folder import OnDocument
from core.ingest.watch import OnNews, follow
from core.models.hosts import NOBODY, own_config, set_own_host
from core.models.loading import LANGUAGE_MODELS, check_model
from core.models.reader import reader_files
from core.progress import Cancelled, TaskContext
from core.protocols import Extractor, LanguageModel
from core.retrieval.quick_search import KINDS, search
from core.retrieval.traces import write_trace
from core.review.attach_support import attach_support
from core.store.backup import FILES_IN, back_up
from core.store.settings import ASKING, CHOSEN, EncoderRecord, path_from_text
from core.store.workspace_files import DERIVED, lock_holder
from core.text.translation import mark
from core.types import (
    EVERYTHING,
    Answer,
    Backup,
    Changed,
    Check,
    Exported,
    Origin,
    Passage,
    Retrieval,
    SavedTrace,
    Scope,
    SearchResult,
    SideBySide,
    Status,
    Trace,
)
from core.workspace.answers import AnswersApi, TracesApi
from core.workspace.documents import DocumentsApi, PassagesApi
from core.workspace.export import export
from core.workspace.graph import GraphApi, GraphViewsApi, ReportsApi, TimelineApi
from core.workspace.handle import WorkspaceHandle, open_public_part, open_store
from core.workspace.indexing import index_folder, index_passages
from core.workspace.integrators import IntegratorsApi
from core.workspace.lab import CompositionsApi, LabApi
from core.workspace.misses import MissesApi
from core.workspace.names import NamesApi
from core.workspace.pack.files import check_pack, compare_pack, write_pack
from core.workspace.page_pictures import PagePictures
from core.workspace.pins import PinsApi
from core.workspace.preflight import LanguageModels, last_extractor
from core.workspace.private import PrivateApi
from core.workspace.public_part import build_public_part
from core.workspace.retrieval import RetrievalApi, before_the_change
from core.workspace.review import ReviewApi
from core.workspace.stages import OnGrowth, refresh_derived
from core.workspace.threads import ThreadsApi
from core.workspace.trust import trust
from core.workspace.verify import check_workspace, damage_behind, mend_workspace


class Workspace:
    """An open workspace. Reading is safe from every thread; one process at a time indexes.

    What there is to see and to decide is in `documents`, `passages`, `graph`, `graph_views`, `names`, `review`,
    `reports`, `answers`, `traces`, `timeline`, `pins`, `threads`, `misses`, `retrieval`, `compositions`,
    `private`, `lab`, `integrators` and `language_models`.
    """

    def __init__(self, path: Path, opened: WorkspaceHandle, config: Config, lent: Models | None) -> None:
        models = lent or Models()
        self._release = models.release if lent is None else None
        self.path = path
        self.config = config
        self.documents = DocumentsApi(opened, self._catch_up_after_removal)
        self.passages = PassagesApi(opened.store, models)
        self.graph = GraphApi(opened)
        self.graph_views = GraphViewsApi(opened)
        self.names = NamesApi(opened, self._catch_up, models, lambda: self.config, self._language_model)
        self.review = ReviewApi(opened, models, self._catch_up, self.public_part)
        self.reports = ReportsApi(opened, self._language_model)
        self.retrieval = RetrievalApi(opened, models, lambda: self.config)
        self.compositions = CompositionsApi(opened)
        self.lab = LabApi(opened, self.retrieval.asker)
        self.integrators = IntegratorsApi(opened, lambda: self.config.answer, self.keep_settings)
        self.answers = AnswersApi(opened, lambda: self.config.models)
        self.traces = TracesApi(opened.store)
        self.timeline = TimelineApi(opened.store)
        self.private = PrivateApi(opened)
        self.pins = PinsApi(opened, self.ask, lambda: self.config, self.retrieval.asker, self.keep_settings)
        self.threads = ThreadsApi(opened, models, self.ask, self._language_model)
        self.misses = MissesApi(opened, self.retrieval, lambda: self.config, self.keep_settings)
        self._opened = opened
        self._store = opened.store
        self._writing = opened.writing
        self._models = models

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
            stored = opened.store.settings
            lines = [*stored.get(CHOSEN).splitlines(), *stored.get(ASKING).splitlines()]
            config = config or own_config(config=saved_config(lines))
            nobody = () if opened.trusted else (f"models.host={NOBODY}",)
            return cls(path, opened, with_settings(config, [*settings, *nobody]), models)
        except BaseException:
            opened.close()
            raise

    @contextlib.contextmanager
    def public_part(self, context: TaskContext) -> Iterator[Workspace]:
        """Yield, for reading only, the workspace without its private documents: this one where nothing is private.

        It is built again after anything changed. Raises Untrusted, WorkspaceError where nothing can be written,
        Cancelled.
        """
        if not self._store.private.is_any:
            yield self
            return
        self._opened.check_trusted()
        path = build_public_part(self.path, self._models, self.config, context)
        with Workspace(path, open_public_part(path), self.config, self._models) as part:
            yield part

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
        """Release the database, and models that were not lent; safe to call twice."""
        self.retrieval.forget_asker()
        self._opened.close()
        if self._release is not None:
            self._release()

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
        return lock_holder(self.path) or ""

    def set_change_listener(self, on_change: Callable[[Changed], None] | None) -> None:
        """Call `on_change`, on the thread that wrote, with what each act of this object changed from now on.

        Also where the act was stopped or failed: what it committed by then stays.
        """
        self._opened.listeners[:] = [on_change] if on_change is not None else []

    @property
    def language_models(self) -> LanguageModels:
        """What can be found out about language models, by the settings that hold now."""
        parts = (self._store, self._models, self.config.models)
        return LanguageModels(*parts, self._writing, self._opened.check_trusted)

    def set_host(self, address: str) -> None:
        """Ask language models there, from now on and for every workspace of this person. Raises BadInput."""
        host = set_own_host(address)
        if self.trusted:
            self.config = with_settings(self.config, [f"models.host={host.address}"])
            self.retrieval.forget_asker()

    def keep_settings(self, settings: Sequence[str], instead: bool = False) -> list[str]:
        """Settings of asking, such as "retrieval.damping=0.5", hold for this workspace from now on.

        They come beside those that were kept before, or `instead` of them; these are given back, so that it can be
        undone. Raises BadInput for a setting of another stage, Untrusted, WorkspaceError where nothing can be written.
        """
        self._opened.check_trusted()
        before = self._store.settings.get(ASKING).splitlines()
        wanted = changed(with_settings(saved_config(() if instead else before), settings, ASKED_BY), ASKED_BY)
        gone = [line.partition("=")[0] for line in before]
        standard = [
            f"{each.name}={each.default}" for each in described(self.config, ASKED_BY) if each.name in gone
        ]
        self._store.settings.set(ASKING, "\n".join(wanted))
        self.config = with_settings(self.config, [*standard, *wanted])
        self.retrieval.forget_asker()
        return before

    # ------------------------------------------------------------ building

    def _choose(self, config: Config) -> None:
        """These settings of indexing hold from now on."""
        # Also where this object knows them: it may have been opened with others than are kept.
        stored_config = with_settings(config, [f"{name}=" for name in ENCODING])
        self._store.settings.set(CHOSEN, "\n".join(changed(stored_config, INDEXING)))
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
        executor: str = "",
    ) -> Status:
        """Bring the workspace in line with `folder`; only what changed is done again.

        `executor` "ray[:ADDRESS]" has the nodes of a cluster read, extract and encode; "" is this machine.
        `extractor` "" is the last one used. `settings` of indexing such as "reading.max_seconds=60" are kept once the
        run is through, but for the person's own; also where it is stopped, for what it read it read by them. One that
        fails leaves them as they were.
        The counts afterwards; the digest reads everything, so who does not need it goes without.
        Raises BadInput for a folder or a setting that cannot be used, WorkspaceError while another process writes,
        Cancelled with everything committed kept.
        """
        config = with_settings(self.config, settings, INDEXING)
        with self._writing(mark("indexed")):
            extractor = extractor or last_extractor(self._store)
            parts = (self._store, self._models, config)
            try:
                index_folder(folder, *parts, context, on_growth, on_document, extractor, executor)
            except Cancelled:
                if settings:
                    self._choose(config)
                raise
            if settings:
                self._choose(config)
            self.retrieval.keep_snapshot()
            self.graph.keep_picture()
        return self.status() if digest else self.counts()

    def index_passages(
        self, passages: Sequence[Passage], context: TaskContext, extractor: Extractor | None = None
    ) -> Status:
        """Index passages as they are, each a document of its own; what is there already is kept.

        `extractor` stands in for the rules; it runs in this process.
        """
        with self._writing(mark("indexed")):
            index_passages(passages, self._store, self._models, self.config, context, extractor)
        return self.status()

    def watch(self, folder: Path, notify: OnNews, context: TaskContext) -> None:
        """Follow `folder` until cancelled and tell what changed once it is at rest; indexes nothing.

        `notify` is called with WatchNews, from this thread. Raises Cancelled, Untrusted.
        """
        self._opened.check_trusted()
        follow(folder, self.config.watch, notify, context, self.config.reading.follow_links)

    def _catch_up(self, context: TaskContext) -> None:
        refresh_derived(self._store, self._models, self.config, context)

    def _catch_up_after_removal(self, context: TaskContext) -> None:
        self._catch_up(context)
        self.graph.keep_picture()  # the one before held names of what is gone, and went

    def _language_model(self, name: str) -> LanguageModel:
        from core.answering.writers import check_generator  # slow to import

        check_generator(name, self.config.models)
        return self._models.language_model(self._store, name, self.config.models)

    # ------------------------------------------------------------ the whole of it

    def status(self) -> Status:
        """Counts and digest; reads everything."""
        return self._store.database.retry_read(lambda: self._store.census.status(digest=True))

    def counts(self) -> Status:
        """Counts, digest empty; quick."""
        return self._store.census.status(digest=False)

    @property
    def revision(self) -> int:
        """Grows whenever indexing changed something."""
        return self._store.settings.revision()

    @property
    def folder(self) -> Path | None:
        """The folder that was indexed last."""
        stored = self._store.settings.get("folder") or self._store.settings.get(FILES_IN)
        return path_from_text(stored) if stored else None

    def page_pictures(self) -> PagePictures:
        """Who draws pages of its documents, in a process that ends with `close`."""
        return PagePictures(self.folder, self.config.reading, self._opened.check_trusted)

    def backup(self, target: Path, context: TaskContext) -> Backup:
        """A consistent copy in the new or empty folder `target`, private documents included, while others read and
        write.

        Raises BadInput for a target that is not empty, WorkspaceError when there is no room, Cancelled;
        nothing is left at `target` then.
        """
        return back_up(self._store.database.path, target.expanduser(), context)

    def export(self, target: Path, context: TaskContext, replace: bool = False) -> Exported:
        """The graph with its sources, without private documents; see `core.workspace.export.export`."""
        with self.public_part(context) as part:
            return export(part._store, target, context, replace)

    def pack(
        self, answer: Answer, target: Path, context: TaskContext, moment: str = "", replace: bool = False
    ) -> Answer:
        """Write an answer of this workspace with all that it rests on, sealed, and return it; see `write_pack`.

        Where documents are private, the question is asked again without them, and that answer is packed.
        """
        digest = partial(self.language_models.digest, context=context)
        reader = reader_files(self.config.models.reader).weights
        with self.public_part(context) as part:
            if part is not self:
                answer = part._ask_again(answer.trace, context)
            write_pack(part._store, part.folder, answer, target, context, moment, replace, digest, reader)
        return answer

    def write_trace(
        self, saved: SavedTrace, target: Path, context: TaskContext, replace: bool = False
    ) -> SavedTrace:
        """Write a trace to a file and return it. Raises BadInput for a file that is not to be replaced, WorkspaceError.

        Where documents are private, the question is asked again without them, and that trace is written.
        """
        with self.public_part(context) as part:
            if part is not self:
                saved = part.traces.of(part._ask_again(saved.trace, context))
        write_trace(saved, target.expanduser(), replace)
        return saved

    def _ask_again(self, trace: Trace, context: TaskContext) -> Answer:
        """Answer the question of a trace from this workspace, by the same route, with quotes."""
        route = trace.route.name if trace.route.forced else "auto"
        return self.ask(trace.question, context, route, scope=trace.scope)

    @staticmethod
    def verify_pack(source: Path, keys: Collection[str] = ()) -> list[Check]:
        """Whether an evidence pack is as it was written, and by a known key. Raises BadInput where there is no file."""
        return check_pack(source, keys)

    def compare_pack(self, source: Path) -> list[Check]:
        """Whether documents and passages still are as a pack shows them. Raises BadInput where it cannot be read."""
        return compare_pack(source, self._store, self.folder)

    def verify(self, context: TaskContext, repair: bool = False) -> list[Check]:
        """Whether everything fits together; with `repair`, what can be made again is mended.

        Without it nothing is changed, and others may read and write. Raises Cancelled, and WorkspaceError
        where repairing is not possible: read-only, or another process writes.
        """
        if not repair:
            return check_workspace(self._store.database, self.path / DERIVED, context)
        self._opened.check_trusted()
        checks = mend_workspace(self._store.database, self.path / DERIVED, context, self._catch_up)
        self.retrieval.forget_asker()
        return checks

    # ------------------------------------------------------------ asking

    def load_models(self, context: TaskContext) -> None:
        """Import and read the models and the graph, so that the first question is quick."""
        self._models.load(context)
        if self.counts().passages:
            self.retrieval.asker()
            self._models.comprehension(self.config.models).warm()

    def search(self, text: str, limit: int = 20, kinds: Collection[str] = KINDS) -> list[SearchResult]:
        """Entities, documents, communities, facts and passages that match; [] for an empty text.

        Also communities and entities that are near in meaning, once `retrieval.prepare_meaning` was called.
        """
        found = search(self._store, text, limit, kinds)
        return self.retrieval.add_near_in_meaning(found, text, limit, kinds)

    @property
    def encoder(self) -> EncoderRecord:
        """What its texts are compared by."""
        return self._store.embeddings.encoder

    @property
    def encoder_words(self) -> str:
        """The same for people."""
        return encoder_words(self.encoder)

    @property
    def models_loaded(self) -> bool:
        return self._models.loaded

    def ask(
        self,
        question: str,
        context: TaskContext,
        route: str = "auto",
        k: int = 5,
        settings: Sequence[str] = (),
        scope: Scope = EVERYTHING,
        **how: Any,
    ) -> Answer:
        """`settings` of asking hold for this question, which is kept to `scope`; `how`: generator, on_text,
        on_ranked and prior_passages of `Asker.ask`.

        Raises what that raises, BadInput for a setting, WorkspaceError when empty, Untrusted.
        """
        generator = str(how.get("generator", ""))
        if generator.partition(":")[0] in LANGUAGE_MODELS:
            self._opened.check_trusted()
            if self._store.private.is_any and not self.language_models.host.here:
                with self.public_part(context) as part:
                    return part.ask(question, context, route, k, settings, scope, **how)
            check_model(
                generator, self.config.models, context
            )  # before the work of searching, which takes a while
        current = self.retrieval.current()
        asker = current.value
        if settings:
            asker = asker.with_config(with_settings(self.config, settings, ASKED_BY))
        answer = attach_support(self._store, asker.ask(question, context, route, k, scope=scope, **how))
        return answer if current.is_current else before_the_change(answer)

    @staticmethod
    def side_by_side(a: Answer, b: Answer) -> SideBySide:
        """Two answers to one question compared, also of two workspaces."""
        return diff_answers(a, b)

    def retrieve(
        self,
        question: str,
        context: TaskContext,
        route: str = "auto",
        k: int = 10,
        scope: Scope = EVERYTHING,
    ) -> tuple[str, Retrieval]:
        """Only the ranking, without an answer: the route taken and its hits, all of `scope`.

        Raises BadInput where nothing is in it.
        """
        return self.retrieval.asker().restrict_to(scope).retrieve(question, route, k, context)
