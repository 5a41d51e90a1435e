"""What the indexing process tells, on its way to the status line, the top bar and the message bar."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from app.look.translation import tr, trn
from app.session import operations
from app.session.indexing import IndexingState
from app.session.session import Session
from app.shell.status_line import StatusLine
from app.shell.top_bar import TopBar
from core.errors import CoreError
from core.progress import Progress
from core.types import Status

WORDS = {
    IndexingState.IDLE: "",
    IndexingState.RUNNING: tr("indexing"),
    IndexingState.PAUSED: tr("paused"),
    IndexingState.STOPPING: tr("stopping"),
}


class IndexingNews(QObject):
    """Listens to the session's indexing."""

    def __init__(self, session: Session, status: StatusLine, top: TopBar) -> None:
        super().__init__(session)
        self._session, self._status, self._top = session, status, top
        indexing = session.indexing
        session.indexing_changed.connect(self._on_state)
        session.growth.connect(status.set_growth)
        indexing.progress.connect(self._on_progress)
        indexing.finished.connect(self._on_finished)
        indexing.failed.connect(lambda words, remedy: session.notify_error(CoreError(words, remedy)))
        indexing.cancelled.connect(self._on_cancelled)
        indexing.crashed.connect(self._on_crashed)

    def _on_state(self, state: IndexingState) -> None:
        self._status.set_state(state)
        self._show_share()

    def _on_progress(self, progress: Progress) -> None:
        if progress.stage == "estimate":  # words that should stay, before a model reads
            self._session.notify(progress.detail)
            return
        self._status.set_progress(progress)
        self._show_share()

    def _show_share(self) -> None:
        self._top.set_share(self._status.share, WORDS[self._session.indexing.state])

    def _on_finished(self, status: Status) -> None:
        words = trn(
            "Indexed {count} document: {passages}, {entities}.",
            "Indexed {count} documents: {passages}, {entities}.",
            status.documents,
            passages=trn("{count} passage", "{count} passages", status.passages),
            entities=trn("{count} entity", "{count} entities", status.entities),
        )
        if status.failed:
            failed = tr("{count} could not be read; the library says why.", count=status.failed)
            words = f"{words} {failed}"
        if not self._session.indexing.quiet:
            self._session.notify(words, "warning" if status.failed else "success")

    def _on_cancelled(self, _: str) -> None:
        self._offer_to_go_on(
            CoreError(tr("Indexing was stopped."), tr("What was read so far is kept.")), "info"
        )

    def _on_crashed(self, words: str) -> None:
        error = CoreError(words, tr("What was read so far is kept, and it goes on from there."))
        self._offer_to_go_on(error, "error")

    def _offer_to_go_on(self, error: CoreError, level: operations.Level) -> None:
        again = partial(operations.index_again, self._session)
        operations.offer(self._session, error, tr("Go on"), again, level)


def pending_words(counts: Status) -> str:
    """What a run that was stopped left to be done."""
    passages = counts.pending - counts.unfinished
    if not passages:
        return tr("What changed is still to be worked into the graph.")
    return trn("{count} passage is still to be read.", "{count} passages are still to be read.", passages)
