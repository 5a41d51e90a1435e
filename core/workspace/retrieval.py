"""What answers and ranks: the asker over what is indexed now, opened again in the background after every change."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from core.answering.models import Models, encoder_choice
from core.config import Config
from core.errors import ModelFault, ModelUnavailable
from core.index.vector import IndexFolder
from core.progress import TaskContext
from core.retrieval.quick_search import append_near, near_in_meaning
from core.retrieval.scope import restrict_to_scope
from core.store.settings import MINILM
from core.store.workspace_files import DERIVED
from core.text.translation import mark, tr
from core.types import EVERYTHING, Answer, Scope, ScopeCoverage, SearchResult, Stage
from core.workspace.handle import WorkspaceHandle
from core.workspace.ranking_session import WorkspaceRankingSession

T = TypeVar("T")

PATIENCE = 10.0  # seconds that a question waits for the last change; then it is asked of what was before


@dataclass(frozen=True, slots=True)
class RevisionValue(Generic[T]):
    """A value built from a revision; `is_current` if that was the revision of the workspace when it was asked for."""

    value: T
    revision: int
    is_current: bool


def before_the_change(answer: Answer) -> Answer:
    """The answer, with a stage that says of what it was asked."""
    words = tr("the last change is still being read; asked of what was there before it")
    stages = (Stage(mark("revision"), 0.0, words), *answer.trace.stages)
    return replace(answer, trace=replace(answer.trace, stages=stages))


class Renewal(Generic[T]):
    """Holds one thing made of a revision, and makes the next on a thread of its own. Safe from every thread.

    Who was given one keeps it, whatever comes after; the lock is held for no longer than a look takes.
    """

    def __init__(self, make: Callable[[], T], patience: float = PATIENCE) -> None:
        self._make, self._patience = make, patience
        self._lock = threading.Lock()
        self._latest: RevisionValue[T] | None = None
        self._next: tuple[int, Future[T]] | None = None

    @property
    def latest(self) -> RevisionValue[T] | None:
        """What was made last, of whatever revision."""
        return self._latest

    def forget(self) -> None:
        """Have it made anew when it is asked for next; what is being made meanwhile is of no use."""
        with self._lock:
            self._latest = self._next = None

    def get(self, revision: int, however_long: bool = False) -> RevisionValue[T]:
        """Of this revision; where that takes long and an earlier one is there, the earlier one, unless it is waited
        for `however_long` it takes. Raises what making raises."""
        with self._lock:
            cached = self._latest
            if cached is not None and cached.revision == revision:
                return cached
            if self._next is None or self._next[0] != revision:
                self._next = revision, self._begun(revision)
            found = self._next[1]
        try:
            value = found.result(None if cached is None or however_long else self._patience)
        except TimeoutError:
            assert cached is not None
            return RevisionValue(cached.value, cached.revision, is_current=False)
        return RevisionValue(value, revision, is_current=True)

    def _begun(self, revision: int) -> Future[T]:
        future: Future[T] = Future()

        def work() -> None:
            try:
                value = self._make()
            except BaseException as error:  # noqa: BLE001  who waits raises it
                with self._lock:
                    if self._next == (revision, future):
                        self._next = None  # the next question tries again
                future.set_exception(error)
                return
            with self._lock:
                if self._next == (revision, future):
                    self._latest, self._next = RevisionValue(value, revision, is_current=True), None
            future.set_result(value)

        threading.Thread(target=work, name="opening a revision", daemon=True).start()
        return future


# ------------------------------------------------------------ API


if TYPE_CHECKING:
    from core.answering.ask import Asker, Change

_SHORTEST, _LETTERS = 3, 200  # of what is looked for by its meaning
_RANKING_SESSIONS = 4  # questions whose rankings are at hand


class RetrievalApi:
    """`workspace.retrieval`: for measurements, and for who looks behind an answer. Safe from every thread."""

    def __init__(self, opened: WorkspaceHandle, models: Models, config: Callable[[], Config]) -> None:
        """`config` tells the settings that hold now."""
        self._opened = opened
        self._store = opened.store
        self._models = models
        self._config = config
        self._askers: Renewal[Asker] = Renewal(partial(self.asker_over, None))
        self._ranking_sessions: dict[tuple[Asker, str, str], WorkspaceRankingSession] = {}
        self._decisions: dict[int, tuple[object, ...]] = {}  # by revision, when it was first asked for

    def asker(self) -> Asker:
        """What answers, over what is indexed now; its lists and scores can be measured. Raises NothingIndexed."""
        return self.current().value

    def current(self) -> RevisionValue[Asker]:
        """Return the same with its revision: where new documents take long to read, that of before them.

        A question waits for whatever was decided, removed or rewritten, however long reading that takes.
        """
        revision, latest = self._store.settings.revision(), self._askers.latest
        now = self._store.review_log.newest(), self._store.candidates.policy()
        before = None if latest is None else self._decisions.get(latest.revision)
        self._decisions = {revision: self._decisions.get(revision, now)}
        if latest is None or latest.revision == revision:
            return self._askers.get(revision)
        if before is not None:
            self._decisions[latest.revision] = before
        waits = before != now or not self._only_adds(latest.value)
        return self._askers.get(revision, however_long=waits)

    def _only_adds(self, asker: Asker) -> bool:
        """Whether every passage of the asker is still as it was: what was removed or rewritten must not answer."""
        snapshot = asker.snapshot
        changed = (
            self._store.changes.since(snapshot.state.point)
            if snapshot.state and snapshot.state.point
            else None
        )
        if changed is None:
            return False
        touched = np.union1d(changed.passages, changed.vectors)
        return not np.isin(touched, snapshot.corpus.graph.passage_keys).any()

    def asker_over(self, change: Change | None) -> Asker:
        """An asker over a changed copy of what was extracted, in memory. Raises NothingIndexed, Untrusted."""
        from core.answering.ask import asker_over  # slow to import, and needed for asking only

        config = self._config()
        if encoder_choice(self._store, config.models) != MINILM.choice:
            self._opened.check_trusted()  # the workspace would say which folder is read, which host is asked
        cached = self._askers.latest
        earlier = None if cached is None else cached.value
        return asker_over(self._store, self._models, config, self._index_folder, change, earlier)

    def restrict_to(self, scope: Scope) -> ScopeCoverage:
        """How many passages are in scope, of how many, and what each part of it adds. Quick: no model is needed.

        Raises BadInput for what is no date.
        """
        found = self._store.candidates.passages()
        keys = np.array(self._store.passages.keys(), dtype=np.int64)
        return restrict_to_scope(
            self._store, scope, keys if found is None else np.intersect1d(keys, found)
        ).found

    def keep_snapshot(self) -> None:
        """Have what the next question needs lie beside the database, also for other processes; by who may write."""
        from core.retrieval.load_snapshot import save_base  # slow to import, and needed for asking only

        if self._store.census.state()[1]["passages"]:
            save_base(self._store, self._config().retrieval, self._index_folder)

    def open_ranking_session(
        self, question: str, context: TaskContext, route: str = "auto", scope: Scope = EVERYTHING
    ) -> WorkspaceRankingSession:
        """A question whose ranking is to be seen under other settings; what was laid open last is at hand.

        Raises BadInput for a route without dials or a scope without a passage, NothingIndexed, Cancelled.
        """
        context.check()
        asker = self.asker().restrict_to(scope)
        key = (asker, question, asker.rankings.resolve(route))
        cache = self._ranking_sessions
        if (found := cache.get(key)) is None:
            found = WorkspaceRankingSession(
                asker.rankings.open_ranking_session(question, key[2], context), self._store, self._config
            )
            recent = [item for item in cache.items() if item[0][0] is key[0]][-_RANKING_SESSIONS + 1 :]
            self._ranking_sessions = dict([*recent, (key, found)])
        return found

    def heat(self, question: str, context: TaskContext, scope: Scope = EVERYTHING) -> dict[str, float]:
        """Where a walk over the graph leads for a question, by entity id: for the picture of an answer that came
        without one. Raises BadInput for a scope without a passage, NothingIndexed, Cancelled."""
        return self.asker().restrict_to(scope).rankings.heat(question, context)

    def forget_asker(self) -> None:
        """Have the next question read everything again: the settings or the index files are others now."""
        self._askers.forget()
        self._ranking_sessions = {}

    def forget_questions(self) -> None:
        """Drop remembered questions, so that a measurement encodes and reads each anew."""
        self._models.forget_questions()

    def prepare_meaning(self, context: TaskContext) -> None:
        """Open the vectors of communities and entities, so that `Workspace.search` finds by meaning, too.

        Takes up to a minute the first time, hardly any later. Raises Cancelled before it begins.
        """
        if self._store.census.status(digest=False).passages:
            context.check()
            # Together: another thread may replace the asker, and its file would be taken for that of the new one.
            current = self.current()
            current.value.nearest.open(
                self._store.embeddings.encoder.model, current.revision, self._index_folder
            )

    def add_near_in_meaning(
        self, found: list[SearchResult], text: str, limit: int, kinds: Collection[str]
    ) -> list[SearchResult]:
        """`found`, with communities and entities near in meaning to `text`, once `prepare_meaning` was called."""
        cached = self._askers.latest
        if (
            cached is None
            or not cached.value.nearest.ready
            or cached.revision != self._store.settings.revision()
        ):
            return found
        words = " ".join(text.split())[:_LETTERS]
        if len(words) < _SHORTEST:
            return found
        try:
            vector = cached.value.vectors.embed_question(words)
        except (ModelUnavailable, ModelFault):  # whose encoder's host is gone finds words all the same
            return found
        return append_near(found, near_in_meaning(self._store, cached.value.nearest, vector, kinds), limit)

    @property
    def _index_folder(self) -> IndexFolder:
        return IndexFolder(self._opened.path / DERIVED, self._store.database.read_only)
