"""What became of the open document since it was opened: changed, moved or gone; said above its text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QWidget

from app.look import theme
from app.look.translation import tr
from app.session import operations
from app.session.session import Session
from app.widgets.buttons import push_button
from app.widgets.labels import PlainLabel
from app.widgets.layout import row
from core.errors import BadInput
from core.progress import TaskContext
from core.types import Changed, Document, State

if TYPE_CHECKING:
    from core.workspace import Workspace

SOON_MS = 400


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a document, in words; `now` is the document to go to, if there is one."""

    words: str = ""
    action: str = ""
    now: str = ""


def fate_of(workspace: Workspace, opened: Document, context: TaskContext) -> Fate:
    """Compare the document as it was opened with the workspace as it is."""
    try:
        known = workspace.documents.get(opened.id)
    except BadInput:
        context.check()
        return _moved(workspace.documents.all(), opened)
    same_fate = (known.state is State.FAILED) == (opened.state is State.FAILED)
    if known.sha256 == opened.sha256 and same_fate:
        return failed(opened)
    words = tr("This document has changed since you opened it. Below is the text as it was.")
    return Fate(words, tr("Show the new text"), known.id)


def _moved(documents: list[Document], opened: Document) -> Fate:
    for document in documents:
        if opened.sha256 and (document.sha256, document.title) == (opened.sha256, opened.title):
            words = tr("This document is now {path}.", path=document.path)
            return Fate(words, tr("Open it there"), document.id)
    if opened.state is State.FAILED:
        return Fate(tr("This document is no longer in the workspace."))
    return Fate(tr("This document is no longer in the workspace. Below is the text as it was."))


def failed(opened: Document) -> Fate:
    """Why there is no text, where there is none."""
    if opened.state is not State.FAILED:
        return Fate()
    why = f"{opened.reason} {opened.remedy}"
    return Fate(tr("This document could not be read. {why}", why=why).strip())


class ReaderNews(QFrame):
    """A strip above the text; its button opens the document as it is, or where it is, now."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._opened: Document | None = None
        self._fate = Fate()
        self._icon, self.words = PlainLabel(), PlainLabel(wrap=True)
        self.button = push_button("", lambda: operations.select_document(session, self._fate.now))
        margins = (theme.GROUPS, theme.GRID, theme.WITHIN, theme.GRID)
        row(self._icon, (self.words, 1), self.button, margins=margins, on=self)
        self._soon = QTimer(self, interval=SOON_MS, singleShot=True)
        self._soon.timeout.connect(self._look)
        session.changes.published.connect(self._on_changed)
        theme.notifier().changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def follow(self, document: Document | None) -> None:
        """This document is open now."""
        if document != self._opened:
            self._tasks.drop("reader-news")
            self._opened = document
            self._show(Fate() if document is None else failed(document))

    def _on_changed(self, changed: Changed) -> None:
        opened = self._opened
        if opened is not None and (changed.everything or opened.id in changed.documents):
            self._soon.start()

    def _look(self) -> None:
        workspace, opened = self._session.workspace, self._opened
        if workspace is not None and opened is not None:
            self._tasks.start("reader-news", lambda context: fate_of(workspace, opened, context), self._show)

    def _show(self, fate: Fate) -> None:
        self._fate = fate
        self.words.setText(fate.words)
        self.button.setText(fate.action)
        self.button.setVisible(bool(fate.action))
        self.setAccessibleName(fate.words)
        self.setVisible(bool(fate.words))

    def _restyle(self, *_: object) -> None:
        self._icon.setPixmap(theme.icon("warning", "warn").pixmap(16, 16))
