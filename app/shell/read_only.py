"""The banner of a workspace that another process uses: by whom, and what that means."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt

from app.look.translation import tr
from app.session import operations
from app.session.session import Session
from app.widgets.buttons import push_button
from app.widgets.labels import PlainLabel
from app.widgets.notices import Banner

READING_ONLY = tr(
    "You can read, search and ask. Indexing, removing, retrying, watching and deciding on names are off."
)
WAITING = tr(
    "Indexing, removing, retrying and deciding on names wait until it ends. What it adds is shown as it comes."
)


class ReadOnlyBanner(Banner):
    """Stays as long as the workspace cannot be changed from here. Its button tries to open it anew."""

    def __init__(self, session: Session) -> None:
        reopen = partial(operations.open_again, session)
        self.again = push_button(
            tr("Try again"), reopen, tip=tr("Open the workspace anew: it may be free by now")
        )
        super().__init__("lock", self.again, Qt.AlignmentFlag.AlignVCenter)
        self._session = session
        self.words, self.meaning = PlainLabel(wrap=True), PlainLabel(kind="muted", wrap=True)
        self.column.addWidget(self.words)
        self.column.addWidget(self.meaning)
        session.blocked_changed.connect(self._show)
        session.workspace_closed.connect(self.hide)

    def _show(self) -> None:
        shut, writer = self._session.shut, self._session.written_by
        if not self._session.trusted:
            self.hide()  # the banner of trust says it
            return
        words = shut or (tr("The workspace is {written}.", written=writer) if writer else "")
        self.words.setText(words)
        self.meaning.setText(READING_ONLY if shut else WAITING)
        self.again.setVisible(bool(shut))
        self.setAccessibleName(f"{words} {self.meaning.text()}")
        self.setVisible(bool(words))
