"""Removing documents from the workspace: first what would go, then the deed; nothing modal."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.library.bars import DocumentBar
from app.look import theme
from app.look.translation import tr, trn
from app.session import operations
from app.session.session import Session
from app.widgets.buttons import push_button
from app.widgets.fields import progress_bar
from app.widgets.labels import PlainLabel
from core.errors import CoreError
from core.types import Document, Removal


class RemovalBar(DocumentBar):
    """Asks with a preview. Enter removes, Esc keeps."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.goes = PlainLabel(wrap=True)
        self.stays = PlainLabel(kind="muted", wrap=True)
        self.remove = push_button(tr("Remove"), self._remove, kind="primary")
        self.keep = push_button(tr("Keep"), self.close_bar)
        self.busy = progress_bar()
        self.lay_out((self.goes, self.stays, theme.GRID), (self.remove, self.keep), self.busy)

    def ask(self, documents: Sequence[Document]) -> None:
        """Look what would go with these documents, and show it."""
        self.documents = tuple(documents)
        if self.documents:
            operations.preview_removal(
                self._session,
                self._tasks,
                [d.id for d in self.documents],
                self._show,
                lambda _: self.close_bar(),
            )

    def _show(self, removal: Removal) -> None:
        count, names = len(self.documents), [d.title or d.path for d in self.documents]
        self.question.setText(
            trn(
                "Remove “{name}” from the workspace?",
                "Remove {count} documents from the workspace?",
                count,
                name=names[0] if names else "",
            )
        )
        self.goes.setText(going(removal))
        self.stays.setText(
            trn(
                "The file stays where it is. Later runs pass it by until you let it in again.",
                "The files stay where they are. Later runs pass them by until you let them in again.",
                count,
            )
        )
        self.busy.hide()
        self.show_blocked()
        self.show()
        self.remove.setFocus(Qt.FocusReason.OtherFocusReason)
        self.opened.emit()

    def _remove(self) -> None:
        self.remove.setEnabled(False)
        self.busy.show()
        operations.remove_documents(self._session, self.documents, self._on_ended)

    def _on_ended(self, error: CoreError | None) -> None:
        if error is None:
            self.close_bar()
        else:
            self.busy.hide()
            self.show_blocked()


def going(removal: Removal) -> str:
    """Return what goes, in one sentence."""
    if not removal.passages:
        return tr("Nothing else goes: no passage of it was read.")
    return tr(
        "With it go {passages}, {triples}, and what nothing else supports: {facts}, {entities}, {vectors}.",
        passages=trn("{count} passage", "{count} passages", removal.passages),
        triples=trn("{count} triple", "{count} triples", removal.triples),
        facts=trn("{count} fact", "{count} facts", removal.facts),
        entities=trn("{count} entity", "{count} entities", removal.entities),
        vectors=trn("{count} vector", "{count} vectors", removal.vectors),
    )
