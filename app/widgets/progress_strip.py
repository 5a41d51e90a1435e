"""How long work goes on: counters, a thin bar, rate and time left, pause and cancel."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QHBoxLayout,
    QProgressBar,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app import theme as look
from app.models.plain_text import tooltip
from app.widgets.elided_label import ElidedLabel
from app.widgets.plain_label import PlainLabel


class ProgressStrip(QWidget):
    """Two lines: counters and buttons above, the bar with rate and time left below."""

    pause_requested = Signal()
    resume_requested = Signal()
    cancel_requested = Signal()

    def __init__(
        self,
        counters: tuple[str, ...] = ("documents", "passages", "entities", "facts"),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._paused = False
        self._numbers = {name: _number() for name in counters}
        self._detail = ElidedLabel()
        self._detail.setProperty("kind", "small")
        self._pace = PlainLabel(kind="small")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._pause = _button(self._toggle)
        self._cancel = _button(self.cancel_requested.emit)
        self._cancel.setToolTip("Stop. What was read so far is kept.")
        self._cancel.setAccessibleName("Stop")
        self._lay_out()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        look.notifier().changed.connect(self._restyle)
        self._restyle()

    def _lay_out(self) -> None:
        counters = QHBoxLayout()
        counters.setSpacing(look.GROUPS)
        for name, number in self._numbers.items():
            pair = QHBoxLayout()
            pair.setSpacing(look.GRID)
            unit = PlainLabel(name, "muted")
            pair.addWidget(number)
            pair.addWidget(unit)
            counters.addLayout(pair)
        counters.addStretch(1)
        counters.addWidget(self._pause)
        counters.addWidget(self._cancel)
        below = QHBoxLayout()
        below.setSpacing(look.GROUPS)
        below.addWidget(self._detail, 1)
        below.addWidget(self._pace)
        column = QVBoxLayout(self)
        column.setContentsMargins(look.GROUPS, look.WITHIN, look.GROUPS, look.WITHIN)
        column.setSpacing(look.GRID)
        column.addLayout(counters)
        column.addWidget(self._bar)
        column.addLayout(below)

    def set_counts(self, counts: Mapping[str, int]) -> None:
        """Counters by name; names that the strip does not have are left out."""
        for name, value in counts.items():
            if name in self._numbers:
                self._numbers[name].setText(f"{value:,}")
        words = ", ".join(f"{number.text()} {name}" for name, number in self._numbers.items())
        self.setAccessibleName(words)

    def set_progress(
        self, done: int, total: int, rate: float = 0.0, unit: str = "passages", detail: str = ""
    ) -> None:
        """`done` of `total` (0: not known), `rate` in units a second (0: not known yet), what is at work."""
        self._bar.setRange(0, total)
        self._bar.setValue(done)
        parts = []
        if total:
            parts.append(f"{100 * done // total} %")
        if rate > 0 and not self._paused:
            parts.append(f"{rate:,.0f} {unit} a second" if rate >= 10 else f"{rate:,.1f} {unit} a second")
            if total > done:
                parts.append(f"{time_left((total - done) / rate)} left")
        self._pace.setText("  ·  ".join(["paused", *parts] if self._paused else parts))
        self._pace.setToolTip(tooltip(f"{done:,} of {total:,} {unit}; the rate of the last seconds"))
        self._detail.setText(detail)

    def set_paused(self, paused: bool) -> None:
        """Show that work rests, or goes on."""
        self._paused = paused
        self._restyle()

    @property
    def paused(self) -> bool:
        return self._paused

    def pace(self) -> str:
        """The line with rate and time left, as shown."""
        return self._pace.text()

    def _toggle(self) -> None:
        self.set_paused(not self._paused)
        (self.pause_requested if self._paused else self.resume_requested).emit()

    def _restyle(self, *_: object) -> None:
        words = "Go on" if self._paused else "Pause. Nothing that was read is lost."
        self._pause.setIcon(look.icon("play" if self._paused else "pause"))
        self._pause.setToolTip(tooltip(words))
        self._pause.setAccessibleName("Go on" if self._paused else "Pause")
        self._cancel.setIcon(look.icon("stop"))


def time_left(seconds: float) -> str:
    """A duration in words that do not flicker: 8 s, 40 s, 3 min, 1 h 20 min."""
    if seconds < 10:
        return f"{max(1, round(seconds))} s"
    if seconds < 55:
        return f"{5 * round(seconds / 5)} s"
    minutes = max(1, round(seconds / 60))
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60} h"


def _number() -> PlainLabel:
    label = PlainLabel("0")
    label.setFont(look.font(look.BODY, QFont.Weight.DemiBold))
    return label


def _button(action: object) -> QToolButton:
    button = QToolButton()
    button.clicked.connect(lambda: action())  # type: ignore[operator]
    return button
