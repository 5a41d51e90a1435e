"""News of the indexing process and of the watched folder, on its way to the status line and the bars."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from PySide6.QtCore import QObject

from app.library.watching import Batch, Mode, Watching
from app.look import theme
from app.look.translation import tr, trn
from app.session import operations
from app.session.commands import Commands
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
    """Return, in words, what a stopped run left to do."""
    passages = counts.pending - counts.unfinished
    if not passages:
        return tr("What changed is still to be worked into the graph.")
    return trn("{count} passage is still to be read.", "{count} passages are still to be read.", passages)


NAMES = 12  # changes that a tooltip names
LOOKS = {  # words, icon, colour
    Mode.OFF: (tr("Not watched"), "eye-slash", "muted"),
    Mode.WATCHING: (tr("Watching"), "eye", "ok"),
    Mode.SETTLING: (tr("Changes found, waiting until writing ends"), "hourglass", "accent"),
    Mode.WAITING: (tr("Waiting for another process"), "hourglass", "warn"),
    Mode.INDEXING: (tr("Indexing what changed"), "arrows-clockwise", "accent"),
    Mode.PAUSED: (tr("Watching is paused"), "pause", "warn"),
    Mode.EMPTY: (tr("Folder is empty"), "warning", "warn"),
    Mode.MISSING: (tr("Folder is not there"), "warning", "warn"),
}
TIPS = {
    Mode.OFF: tr("Changes in the folder are not indexed by themselves.\nPress to watch it ({watch})."),
    Mode.WATCHING: tr(
        "Changes in the folder are indexed by themselves.\nPress to pause; {watch} switches it off."
    ),
    Mode.SETTLING: tr("Nothing is read before the folder has come to rest and no file is open for writing."),
    Mode.WAITING: tr(
        "Another process writes to this workspace. What changed is indexed when it has finished."
    ),
    Mode.INDEXING: tr("Press to pause."),
    Mode.PAUSED: tr("What changes meanwhile is indexed when you go on.\nPress to go on."),
    Mode.EMPTY: tr(
        "Nothing is removed from the workspace for that: a disk that is not connected looks the same.\n"
        "If the folder is meant to be empty, read it again ({again})."
    ),
    Mode.MISSING: tr("Nothing is removed from the workspace for that. Watching goes on when it is back."),
}


class WatchStatus(QObject):
    """Shows `watching` in the status line, and passes presses on."""

    def __init__(self, watching: Watching, status: StatusLine, commands: Commands) -> None:
        super().__init__(status)
        self._watching, self._status = watching, status
        self._keys = {"watch": commands.keys("indexing.watch"), "again": commands.keys("indexing.again")}
        self._read = ""  # when the last batch was read, and what it was
        self._batch: Batch | None = None
        status.watch_pressed.connect(watching.press)
        watching.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        watching = self._watching
        batch, self._batch = self._batch, watching.batch
        if batch is not None and watching.batch is None and not watching.paused:
            self._read = tr(
                "Last read at {time}: {what}.", time=f"{datetime.now():%H:%M}", what=changes(batch)
            )
        if watching.shut:
            self._read = ""
            self._status.set_watch("", "", theme.icon("eye"))
            return
        mode = watching.mode
        words, icon, role = LOOKS[mode]
        if mode is Mode.INDEXING and watching.batch is not None and not watching.batch.first:
            words = tr("Indexing {what}", what=changes(watching.batch))
        self._status.set_watch(words, self._tip(mode), theme.icon(icon, role))

    def _tip(self, mode: Mode) -> str:
        watching = self._watching
        news = watching.news.words if watching.news is not None and mode is not Mode.OFF else ""
        lines = [news, TIPS[mode].format(**self._keys), self._read]
        if watching.batch is not None:
            names = watching.batch.names()
            lines += names[:NAMES]
            if len(names) > NAMES:
                lines.append(tr("and {count} more", count=len(names) - NAMES))
        return "\n".join(line for line in lines if line)


def changes(batch: Batch) -> str:
    """Return how many changes there are, in words."""
    return tr("what changed") if batch.first else trn("{count} change", "{count} changes", batch.count)
