"""Whether texts may be sent to a host that is not this machine: asked once, in the models panel."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from app.look import theme
from app.look.translation import tr
from app.widgets.buttons import push_button
from app.widgets.labels import Icon, PlainLabel
from app.widgets.layout import TOP, column, row
from core.types import ModelHost


class HostQuestion(QFrame):
    """Not seen where models answer on this machine. Signal: decided(bool), whether it is allowed."""

    decided = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("hostQuestion")
        self.setProperty("kind", "card")
        self._icon, self._host = Icon("shield-warning", "warn", 20), ModelHost("", here=True, allowed=True)
        self.words, self.meaning = PlainLabel(wrap=True), PlainLabel(kind="muted", wrap=True)
        self.button = push_button("", lambda: self.decided.emit(not self._host.allowed))
        words = column(self.words, self.meaning, spacing=theme.GRID)
        row(
            (self._icon, TOP),
            (words, 1),
            (self.button, TOP),
            spacing=theme.WITHIN + theme.GRID,
            margins=12,
            on=self,
        )
        self.hide()

    def show_host(self, host: ModelHost | None) -> None:
        """Where models are asked for now."""
        self.setVisible(host is not None and not host.here)
        if host is None or host.here:
            return
        self._host = host
        self.words.setText(tr("{place} is not this machine.", place=host.place))
        self.meaning.setText(
            tr("Texts of your documents may be sent to it: where a model writes, reads or is tried.")
            if host.allowed
            else tr(
                "Texts of your documents would be sent to {address}. "
                "Clew opens no connection to it before you allow it.",
                address=host.address,
            )
        )
        self.button.setText(tr("Allow it no more") if host.allowed else tr("Allow this host"))
        self._icon.show_icon("globe-simple" if host.allowed else "shield-warning", "warn")
