"""Keeping an answer: its question as a pin, the answer with its evidence as a pack."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QWidget

from app.look.translation import tr
from app.session.privacy import saved_words
from app.session.session import Message, Session
from app.widgets.buttons import push_button
from app.widgets.fields import choose_file, progress_bar
from app.widgets.labels import PlainLabel
from app.widgets.layout import row
from core.progress import Progress, TaskContext
from core.types import Answer, Pin


def pin(session: Session, answer: Answer) -> None:
    """Expect what the answer cites and says. Ends in the session's `pinned`, and a line that leads to the pins."""
    workspace = session.workspace
    if workspace is None:
        return

    def work(_: TaskContext) -> Pin:
        return workspace.pins.pin(answer)

    def done(_: Pin) -> None:
        session.pinned.emit()
        show = partial(session.commands.run, "panel.pins")
        words = tr("The question is pinned.")
        if not answer.trace.scope.all:
            words = tr("The question is pinned. When the pins are run it is asked of all documents.")
        session.message_posted.emit(Message(words, "success", action=tr("Show the pins"), act=show))

    session.tasks.start("pin", work, done)


class Packing(QWidget):
    """A bar and a button, shown while a pack is written."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self.bar = progress_bar(tr("Packing the evidence"))
        self.stop_button = push_button(tr("Stop"), self.stop, tip=tr("Give the pack up; no file is written"))
        row(PlainLabel(tr("Packing the evidence"), "small"), (self.bar, 1), self.stop_button, on=self)
        session.workspace_closed.connect(self.hide)
        self.hide()

    def choose(self, answer: Answer) -> None:
        """Ask for a file, and keep the answer with its evidence in it."""
        save, kinds = partial(self.save, answer), tr("Evidence pack (*.zip)")
        choose_file(self.parentWidget(), tr("Save evidence pack"), kinds, save, "zip")

    def save(self, answer: Answer, target: Path) -> None:
        """Write the pack, whatever was there: the person has chosen it."""
        workspace, created_at = self._session.workspace, datetime.now(UTC).isoformat(timespec="seconds")
        if workspace is None:
            return

        def work(context: TaskContext) -> bool:
            return workspace.pack(answer, target, context, created_at, replace=True) is answer

        def done(same: bool) -> None:
            self._session.notify(saved_words(tr("Evidence packed in {path}.", path=target), same), "success")

        self.bar.setRange(0, 0)
        self.show()
        self._tasks.start("pack", work, done, progress=self._show, ended=self.hide)

    def stop(self) -> None:
        """Give it up: what was in the file before stays."""
        self._tasks.drop("pack")
        self.hide()
        self._session.notify(tr("The pack was given up; no file was written."))

    def _show(self, news: Progress) -> None:
        self.bar.setRange(0, news.total)
        self.bar.setValue(news.done)
