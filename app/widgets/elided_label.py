"""A one-line label that shortens what does not fit and tells the whole in its tooltip."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QStyle, QStyleOption, QWidget

from app.look.plain_text import tooltip
from app.widgets.plain_label import PlainLabel


class ElidedLabel(PlainLabel):
    """Plain text, shortened in the middle by default, so that both ends of a path stay readable."""

    def __init__(
        self,
        text: str = "",
        kind: str = "",
        parent: QWidget | None = None,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle,
    ) -> None:
        self._mode = mode
        super().__init__(text, kind, parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def setText(self, text: str) -> None:
        """Set the whole text; line breaks become spaces."""
        super().setText(" ".join(text.split("\n")))
        self.setAccessibleName(self.text())
        self._tell()

    def shown_text(self) -> str:
        """What is visible at the present width."""
        return self.fontMetrics().elidedText(self.text(), self._mode, self.contentsRect().width())

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance("M…M"), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell()

    def _tell(self) -> None:
        self.setToolTip(tooltip(self.text()) if self.shown_text() != self.text() else "")

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, option = QPainter(self), QStyleOption()
        option.initFrom(self)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
        alignment = self.alignment() | Qt.TextFlag.TextSingleLine
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.contentsRect(), int(alignment), self.shown_text())
        painter.end()
