"""Rows, columns and grids of widgets, and panels that scroll, each said in one expression."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLayout,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.look import theme
from app.look.translation import tr
from app.widgets.buttons import push_button

if TYPE_CHECKING:
    from superqt import QFlowLayout

TOP, LEFT, RIGHT = Qt.AlignmentFlag.AlignTop, Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
CENTRE = Qt.AlignmentFlag.AlignHCenter
Margins = int | tuple[int, int] | tuple[int, int, int, int]  # all; sides and ends; left, top, right, bottom
# A number is so many pixels of room; a widget may come with its share of the room and its place in it.
Part = QWidget | QLayout | int | tuple[QWidget | QLayout, int | Qt.AlignmentFlag] | None
Box = TypeVar("Box", bound=QBoxLayout)
Any = TypeVar("Any", bound=QWidget)


class Stretch(int):
    """Room that grows by this share."""


STRETCH = Stretch(1)


def row(
    *parts: Part, spacing: int = theme.WITHIN, margins: Margins = 0, on: QWidget | None = None
) -> QHBoxLayout:
    """Side by side; `on`: as the layout of this widget."""
    return _filled(QHBoxLayout(on), parts, spacing, margins)  # type: ignore[arg-type]


def column(
    *parts: Part, spacing: int = theme.WITHIN, margins: Margins = 0, on: QWidget | None = None
) -> QVBoxLayout:
    """One below the other."""
    return _filled(QVBoxLayout(on), parts, spacing, margins)  # type: ignore[arg-type]


def grid(lines: Iterable[Sequence[QWidget]] = (), *, across: int = theme.GROUPS, down: int = theme.GRID,
         wide: int = -1, place: Qt.AlignmentFlag | None = None, on: QWidget | None = None) -> QGridLayout:  # fmt: skip
    """Lines of cells; `across`, `down`: the room between them; the column `wide` takes what is left."""
    layout = QGridLayout(on)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setHorizontalSpacing(across)
    layout.setVerticalSpacing(down)
    if wide >= 0:
        layout.setColumnStretch(wide, 1)
    for at, cells in enumerate(lines):
        for number, cell in enumerate(cells):
            layout.addWidget(cell, at, number, place or Qt.AlignmentFlag(0))
    return layout


def flow(on: QWidget, *parts: QWidget) -> QFlowLayout:
    """Side by side, wrapping like words, as the layout of a widget."""
    from superqt import QFlowLayout  # not needed before the first paint

    layout = QFlowLayout(on)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setHorizontalSpacing(theme.GRID)
    layout.setVerticalSpacing(theme.GRID)
    policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
    policy.setHeightForWidth(True)
    on.setSizePolicy(policy)
    for part in parts:
        layout.addWidget(part)
    return layout


class PanelScroll(QScrollArea):
    """Scrolls sideways only where large letters need it; the content's right margin makes room for the bar."""

    def __init__(self, *parts: Part, spacing: int = theme.WITHIN, left: int = theme.GROUPS) -> None:
        super().__init__(widgetResizable=True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.content = QWidget()
        margins = (left, theme.WITHIN, theme.GROUPS, theme.GROUPS)
        self.column = column(*parts, spacing=spacing, margins=margins, on=self.content)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(self.content)
        self.verticalScrollBar().rangeChanged.connect(lambda _, end: self._make_room(end > 0))

    def _make_room(self, bar: bool) -> None:
        margins = self.column.contentsMargins()
        taken = self.verticalScrollBar().sizeHint().width() if bar else 0
        right = max(theme.GROUPS - taken, 0)
        if margins.right() != right:
            margins.setRight(right)
            self.column.setContentsMargins(margins)


def line() -> QFrame:
    """Return a hairline between two areas."""
    frame = QFrame()
    frame.setProperty("kind", "line")
    frame.setFixedHeight(1)
    return frame


def fill_dialog(dialog: QDialog, *parts: Part, spacing: int) -> None:
    """What a small window says, and a button that closes it."""
    close = push_button(tr("Close"), dialog.close)
    margins = (theme.AROUND, theme.AROUND, theme.AROUND, theme.GROUPS)
    column(*parts, (close, RIGHT), spacing=spacing, margins=margins, on=dialog)


def drop(layout: QLayout, widgets: list[Any]) -> None:
    """Take widgets off the screen and out of the list; they die with the next turn of the event loop."""
    for widget in widgets:
        layout.removeWidget(widget)
        widget.hide()
        widget.deleteLater()
    widgets.clear()


def clear(layout: QLayout) -> None:
    """Take all that stands in it off the screen, as `drop` does."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()


def _filled(box: Box, parts: Sequence[Part], spacing: int, margins: Margins) -> Box:
    sides = (margins,) if isinstance(margins, int) else margins
    left, top, right, bottom = (sides * 4)[:4]
    box.setContentsMargins(left, top, right, bottom)
    box.setSpacing(spacing)
    for part in parts:
        if isinstance(part, Stretch):
            box.addStretch(part)
        elif isinstance(part, int):
            box.addSpacing(part)
        elif part is not None:
            inside, how = part if isinstance(part, tuple) else (part, 0)
            if isinstance(inside, QLayout):
                box.addLayout(inside, how)
            elif isinstance(how, Qt.AlignmentFlag):  # which is a number, too
                box.addWidget(inside, 0, how)
            else:
                box.addWidget(inside, how)
    return box
