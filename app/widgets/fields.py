"""Fields to type in, boxes, switches and dialogs to choose by, bars of how far or how likely something is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QFileDialog,
    QFrame,
    QLineEdit,
    QProgressBar,
    QSizePolicy,
    QWidget,
)

from app.look import theme
from app.look.painting import rounded, smooth
from app.widgets.buttons import tool_button
from app.widgets.layout import flow, row


def line_edit(placeholder: str, name: str = "", clear: bool = False) -> QLineEdit:
    """Return a line edit; its accessible name is the placeholder, unless another is passed."""
    field = QLineEdit(placeholderText=placeholder, clearButtonEnabled=clear)
    field.setAccessibleName(name or placeholder)
    return field


def progress_bar(name: str = "") -> QProgressBar:
    """Without figures; it moves to and fro until it is told how far things are."""
    bar = QProgressBar(minimum=0, maximum=0, textVisible=False)
    bar.setAccessibleName(name)
    return bar


def choose_file(
    parent: QWidget | None, title: str, kinds: str, act: Callable[[Path], object], ending: str = ""
) -> QFileDialog:
    """Ask for a file, then `act`; with an `ending` it is one to be written, whose name gets it where it has none."""
    dialog = QFileDialog(parent, title, str(Path.home()), kinds)
    if ending:
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(ending)
    dialog.fileSelected.connect(lambda chosen: act(Path(chosen)))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
    return dialog


class ChoiceBox(QComboBox):
    """As narrow as `letters` of its words, if it must be."""

    def __init__(self, name: str, letters: int = 8, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(letters)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        super().paintEvent(event)
        side = theme.px(12)
        box = QRect(self.width() - side - theme.WITHIN, (self.height() - side) // 2, side, side)
        theme.icon("caret-down", "muted").paint(QPainter(self), box)


class ProbabilityBar(QProgressBar):
    """From 0 at the left to 100 per cent at the right."""

    WIDE, HIGH = 96, 6

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setRange(0, 100)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_probability(self, probability: float) -> None:
        self.setValue(round(min(max(probability, 0.0), 1.0) * 100))

    def sizeHint(self) -> QSize:
        return QSize(self.WIDE, self.HIGH)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        colors, painter = theme.current(), smooth(self)
        bar_rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        rounded(painter, self.rect(), "strong_border", "surface", self.HIGH / 2)
        if self.value() > 0:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colors.color("accent"))
            bar_rect.setWidth(max(bar_rect.width() * self.value() / 100, self.HIGH))
            painter.drawRoundedRect(bar_rect, self.HIGH / 2, self.HIGH / 2)


class Segments(QFrame):
    """`buttons` by the keys of `words`; who presses one calls `turn` with its key.

    `focus`: what gives them the keyboard.
    """

    def __init__(
        self,
        words: Mapping[str, str],
        turn: Callable[[str], object],
        focus: Qt.FocusPolicy = Qt.FocusPolicy.StrongFocus,
    ) -> None:
        super().__init__()
        self.setProperty("kind", "segments")
        self.buttons = {key: tool_button(text=text, checkable=True) for key, text in words.items()}
        group = QButtonGroup(self)
        for key, button in self.buttons.items():
            button.setProperty("kind", "segment")
            button.setFocusPolicy(focus)
            button.clicked.connect(partial(self._press, turn, key))
            group.addButton(button)
        self._lay_out()

    def _lay_out(self) -> None:
        row(*self.buttons.values(), spacing=0, margins=1, on=self)

    @staticmethod
    def _press(turn: Callable[[str], object], key: str, *_: object) -> None:
        turn(key)


class WrappingSegments(Segments):
    """The same in several lines where there is little room."""

    def _lay_out(self) -> None:
        wrapped = flow(self, *self.buttons.values())
        wrapped.setHorizontalSpacing(0)
        wrapped.setVerticalSpacing(0)
        wrapped.setContentsMargins(1, 1, 1, 1)
        policy = self.sizePolicy()
        policy.setHorizontalPolicy(policy.Policy.Maximum)
        self.setSizePolicy(policy)

    def sizeHint(self) -> QSize:
        # In one line where there is room; a flow itself asks for its widest button.
        hints = [button.sizeHint() for button in self.buttons.values()]
        return QSize(sum(hint.width() for hint in hints) + 8, max(hint.height() for hint in hints) + 2)
