"""Short movements that obey the wish for less motion."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, QObject, QVariantAnimation

from app.look import theme as look


class Glide(QObject):
    """Runs one movement at a time: `step(share)` is called with 0..1 eased; the last call has 1."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._animation = QVariantAnimation(self)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._animation.valueChanged.connect(self._stepped)
        self._step: Callable[[float], None] | None = None

    @property
    def running(self) -> bool:
        return self._animation.state() == QVariantAnimation.State.Running

    def run(self, step: Callable[[float], None], milliseconds: int) -> None:
        """Start, in place of a movement that is under way; at once with 0 ms or without motion."""
        self._animation.stop()
        if milliseconds <= 0 or not look.motion():
            self._step = None
            step(1.0)
            return
        self._step = step
        self._animation.setDuration(milliseconds)
        self._animation.start()

    def finish(self) -> None:
        """Jump to the end."""
        if self.running and self._step is not None:
            step = self._step
            self._animation.stop()
            step(1.0)

    def _stepped(self, share: float) -> None:
        if self._step is not None and self.running:
            self._step(float(share))
