"""The banner of a workspace that came from elsewhere: what it names, and a button that says it is one's own."""

from __future__ import annotations

from PySide6.QtWidgets import QGridLayout

from app.look import theme
from app.look.translation import tr
from app.session import operations
from app.session.session import Session
from app.widgets.buttons import push_button
from app.widgets.elided_label import ElidedLabel
from app.widgets.labels import PlainLabel
from app.widgets.layout import TOP, grid
from app.widgets.notices import Banner

UNTIL_THEN = tr(
    "You can read, search and ask. Nothing is indexed, watched or written, and no language model is asked, "
    "before you say that it is yours."
)


class TrustBanner(Banner):
    """Stays as long as the open workspace is not trusted."""

    def __init__(self, session: Session) -> None:
        tip = tr("Say that this workspace is yours: it is then indexed from this folder, and written")
        self.trust = push_button(tr("Trust it"), self._on_trust, tip=tip)
        super().__init__("shield-warning", self.trust, TOP)
        self._session = session
        self.words, meaning = PlainLabel(wrap=True), PlainLabel(UNTIL_THEN, "muted", wrap=True)
        self.folder, self.extractor, self.host = ElidedLabel(), ElidedLabel(), ElidedLabel()
        self.settings_name, self.settings = PlainLabel(tr("Settings"), "muted"), ElidedLabel()
        self.column.setSpacing(theme.GRID)
        self.column.addWidget(self.words)
        self.column.addLayout(self._named())
        self.column.addWidget(meaning)
        session.blocked_changed.connect(self._show)
        session.language.changed.connect(self._show)
        session.workspace_closed.connect(self.hide)

    def _named(self) -> QGridLayout:
        """Return what the workspace names, a line each."""
        names = ((tr("Folder"), tr("Extractor"), tr("Models at")), (self.folder, self.extractor, self.host))
        lines = [(PlainLabel(name, "muted"), value) for name, value in zip(*names, strict=True)]
        return grid((*lines, (self.settings_name, self.settings)), down=0, wide=1)

    def _show(self) -> None:
        workspace, host = self._session.workspace, self._session.language.host
        origin = workspace.origin if workspace is not None else None
        if origin is None or origin.trusted:
            self.hide()
            return
        self.words.setText(origin.words)
        self.folder.setText(origin.folder or tr("none yet"))
        self.extractor.setText(tr("the rules") if origin.extractor == "rules" else origin.extractor)
        self.host.setText(host.words if host is not None else "")
        self.settings.setText(", ".join(origin.settings))
        for part in (self.settings_name, self.settings):
            part.setVisible(bool(origin.settings))
        named = ", ".join(label.text() for label in (self.folder, self.extractor, self.host, self.settings))
        summary = f"{self.words.text()} {UNTIL_THEN}"
        self.setAccessibleName(tr("{told} It names: {named}", told=summary, named=named))
        self.show()

    def _on_trust(self) -> None:
        if self._session.workspace is not None:
            operations.trust(self._session, self._session.workspace.path)
