"""One dial: what it is called, a slider, its value; a double click takes it back to what is configured."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QSlider, QStyle, QStyleOptionSlider, QWidget

from app.dials.table import Dial
from app.look import theme
from app.look.plain_text import set_tip
from app.look.translation import tr
from app.widgets.elided_label import ElidedLabel
from app.widgets.labels import PlainLabel
from app.widgets.layout import row
from core.config import Config

_NAME, _VALUE = 112, 44  # pixels at 100 %


class DialRow(QWidget):
    """Signals: moved() with each step of the hand; let_go() when it rests."""

    moved = Signal()
    let_go = Signal()

    def __init__(self, dial: Dial, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.dial = dial
        self._configured = dial.least
        self._exact = dial.least  # may lie between the slider's places, or beyond its ends
        self.name = ElidedLabel(dial.words, end=True)
        set_tip(self.name, dial.tip)
        self.number = PlainLabel(kind="muted")
        self.number.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.slider = Slider(Qt.Orientation.Horizontal, self)
        self.slider.setMinimumWidth(48)
        self.slider.setRange(0, dial.steps)
        self.slider.setPageStep(max(1, dial.steps // 10))
        self.slider.setObjectName(dial.name)
        self.slider.valueChanged.connect(self._on_moved)
        self.slider.sliderReleased.connect(self.let_go)
        self.slider.taken_back.connect(self.take_back)
        row(self.name, (self.slider, 1), self.number, on=self)
        theme.follow(self, self._fit)

    def _fit(self) -> None:
        self.name.setFixedWidth(theme.px(_NAME))
        self.number.setFixedWidth(theme.px(_VALUE))

    @property
    def value(self) -> float:
        return self._exact

    @property
    def changed(self) -> bool:
        """Whether it stands elsewhere than configured."""
        return self._exact != self._configured

    def show_config(self, configured: Config) -> None:
        """Stand where it is configured; tells nobody."""
        self._configured = self._exact = self.dial.value(configured)
        self._place()

    def set_value(self, value: float) -> None:
        """Stand elsewhere; tells nobody."""
        self._exact = value
        self._place()

    def take_back(self) -> None:
        """To what is configured."""
        if self.changed:
            self._exact = self._configured
            self._place()
            self.moved.emit()
            self.let_go.emit()

    def _place(self) -> None:
        self.slider.blockSignals(True)
        self.slider.setValue(self.dial.place(self._exact))
        self.slider.blockSignals(False)
        self._tell()

    def _on_moved(self, place: int) -> None:
        self._exact = self.dial.at(place)
        if place == self.dial.place(self._configured):
            self._exact = self._configured
        self._tell()
        self.moved.emit()

    def _tell(self) -> None:
        dial, value = self.dial, self.dial.shown(self._exact)
        self.number.setText(value)
        theme.set_kind(self.number, "" if self.changed else "muted")
        theme.set_kind(self.name, "" if self.changed else "muted")
        self.slider.mark = dial.place(self._configured)
        self.slider.update()
        self.slider.setAccessibleName(tr("{dial}: {value}", dial=dial.words, value=value))
        configured = tr(
            "Configured: {value}. A double click goes back to it.", value=dial.shown(self._configured)
        )
        set_tip(self.slider, f"{dial.tip}\n{configured}")


class Slider(QSlider):
    """With a mark where it is configured. The wheel scrolls what it stands in, unless it has the keyboard."""

    taken_back = Signal()
    mark = 0

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.taken_back.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        handle = self.style().subControlRect(
            QStyle.ComplexControl.CC_Slider, option, QStyle.SubControl.SC_SliderHandle, self
        )
        way = self.width() - handle.width()
        x = QStyle.sliderPositionFromValue(0, max(1, self.maximum()), self.mark, way) + handle.width() / 2
        painter = QPainter(self)
        painter.fillRect(QRectF(x - 1, 1, 2, self.height() - 2), theme.current().color("strong_border"))
        painter.end()
        super().paintEvent(event)
