"""A card that lies upon the graph, below the counts: a title, a button that closes, and rows to choose from."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QFrame, QScrollArea, QWidget

from app.graph.canvas.canvas import GraphCanvas
from app.look import theme
from app.look.painting import rounded, smooth
from app.look.translation import tr
from app.widgets.buttons import tool_button
from app.widgets.elided_label import ElidedLabel
from app.widgets.layout import Part, clear, column, row

_WIDE, _HIGH = 330, 300  # pixels at 100 %


class LaidCard(QFrame):
    """Up and Down go through its rows, Esc closes it."""

    closed = Signal()

    def __init__(self, canvas: GraphCanvas, name: str) -> None:
        super().__init__()
        self._canvas = canvas
        self.setAccessibleName(name)
        self.title, self.line = ElidedLabel(kind="section", end=True), ElidedLabel(kind="small", end=True)
        self._top = row(spacing=2)
        self._close = tool_button("x", tr("Close (Esc)"), self.close_card)
        self._close.setAccessibleName(tr("Close"))
        self._inside = QWidget()
        self.rows = column(spacing=0, on=self._inside)
        self._area = QScrollArea(widgetResizable=True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setWidget(self._inside)
        self._area.viewport().setAutoFillBackground(False)
        self._inside.setAutoFillBackground(False)
        head = column(self.title, self.line, spacing=0)
        self._parts = column(
            row((head, 1), self._top, self._close, spacing=4), spacing=4, margins=(10, 6, 6, 8), on=self
        )
        self._parts.addWidget(self._area, 1)
        canvas.lay(self)

    def add_above(self, part: Part) -> None:
        """A field between the title and the rows."""
        assert isinstance(part, QWidget)
        self._parts.insertWidget(1, part)

    def add_button(self, button: QWidget) -> None:
        """Beside the one that closes."""
        self._top.addWidget(button)

    def buttons(self) -> list[QAbstractButton]:
        """The rows, from above."""
        items = (self.rows.itemAt(at) for at in range(self.rows.count()))
        found = (item.widget() for item in items if item is not None)
        return [part for part in found if isinstance(part, QAbstractButton)]

    def fill(self, parts: list[QWidget]) -> None:
        """Show these rows in place of those before."""
        clear(self.rows)
        for part in parts:
            self.rows.addWidget(part)
        self._area.setVisible(bool(parts))
        self._area.verticalScrollBar().setValue(0)
        self.show()
        self.place()

    def place(self) -> None:
        self.raise_()
        self._canvas.arrange()

    def close_card(self) -> None:
        if not self.isHidden():
            focus = QApplication.focusWidget()
            inside = focus is not None and (focus is self or self.isAncestorOf(focus))
            self.hide()
            self._canvas.arrange()
            if inside:
                self._canvas.setFocus()
            self.closed.emit()

    def sizeHint(self) -> QSize:
        tall = self._inside.sizeHint().height() + 2 if not self._area.isHidden() else 0
        margins = self._parts.contentsMargins()
        parts = (self._parts.itemAt(at) for at in range(self._parts.count() - 1))
        heights = [part.sizeHint().height() for part in parts if part is not None and not part.isEmpty()]
        above = sum(heights) + self._parts.spacing() * len(heights)
        high = margins.top() + margins.bottom() + above + tall
        return QSize(theme.px(_WIDE), min(high, theme.px(_HIGH)))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
        if event.key() == Qt.Key.Key_Escape:
            self.close_card()
        elif step and (buttons := self.buttons()):
            focused = [at for at, button in enumerate(buttons) if button.hasFocus()]
            at = min(max(focused[0] + step, 0), len(buttons) - 1) if focused else 0
            buttons[at].setFocus(Qt.FocusReason.TabFocusReason)
            self._area.ensureWidgetVisible(buttons[at], 0, 0)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        rounded(smooth(self), self.rect(), "border", "surface")
