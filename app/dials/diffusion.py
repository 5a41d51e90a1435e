"""How the heat spreads: a slider over the steps of the walk, and a button that plays them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QSlider, QWidget

from app.look import theme
from app.look.translation import tr
from app.widgets.buttons import explain, tool_button
from app.widgets.labels import PlainLabel
from app.widgets.layout import row

_PACE = 450  # ms a step

Heat = Mapping[str, float]


class Diffusion(QWidget):
    """Signal: seen(heat after a step, its number), or (None, -1) at the end of the walk."""

    seen = Signal(object, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._steps: list[Heat] = []
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setObjectName("diffusionSteps")
        self.slider.valueChanged.connect(self._on_moved)
        self.play = tool_button("play", act=self._toggle, side=26)
        self.play.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.words = PlainLabel(kind="small")
        self._timer = QTimer(self, interval=_PACE)
        self._timer.timeout.connect(self._next)
        row(self.play, (self.slider, 1), self.words, on=self)
        self.set_steps(())

    def set_steps(self, steps: Sequence[Heat]) -> None:
        """Of another walk; the slider goes to its end."""
        self._stop()
        self._steps = list(steps)
        self.slider.blockSignals(True)
        self.slider.setRange(0, max(0, len(steps) - 1))
        self.slider.setValue(self.slider.maximum())
        self.slider.blockSignals(False)
        for part in (self.slider, self.play):
            part.setEnabled(len(steps) > 1)
        self._tell()

    @property
    def at_end(self) -> bool:
        return self.slider.value() >= self.slider.maximum()

    def _on_moved(self, place: int) -> None:
        self._tell()
        if self.at_end:
            self._stop()
            self.seen.emit(None, -1)
        elif place < len(self._steps):
            self.seen.emit(self._steps[place], place)

    def _tell(self) -> None:
        place, most = self.slider.value(), self.slider.maximum()
        words = tr("step {step} of {count}", step=place, count=most)
        self.words.setText(words)
        self.slider.setAccessibleName(tr("Steps of the walk: {step}", step=words))

    def _toggle(self) -> None:
        if self._timer.isActive():
            self._stop()
            return
        self.slider.setValue(0 if self.at_end else self.slider.value())
        self._timer.start()
        self._dress()

    def _next(self) -> None:
        self.slider.setValue(self.slider.value() + 1)

    def _stop(self) -> None:
        self._timer.stop()
        self._dress()

    def _dress(self) -> None:
        playing = self._timer.isActive()
        self.play.setIcon(theme.icon("pause" if playing else "play", "text"))
        explain(self.play, tr("Stop") if playing else tr("Play how the heat spreads, step by step"))
