"""How far a construction is told: a place among its events that goes on by itself."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from app.look import theme
from app.look.translation import tr
from core.types import Construction, Event

TICK = 40  # ms between two steps
CALM = 1000  # ms, where less motion is wanted


@dataclass(frozen=True, slots=True)
class Speed:
    """`passages` a second, or all events in `seconds`."""

    words: str
    passages: float = 0.0
    seconds: float = 0.0


SPEEDS = (
    Speed(tr("1 passage a second"), passages=1),
    Speed(tr("4 passages a second"), passages=4),
    Speed(tr("20 passages a second"), passages=20),
    Speed(tr("All in 10 seconds"), seconds=10),
    Speed(tr("All in 1 minute"), seconds=60),
)


class Player(QObject):
    """`moved(int)`: so many events have come. `played(bool)`: it goes on by itself, or not any more."""

    moved = Signal(int)
    played = Signal(bool)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.speed = SPEEDS[1]
        self.upto = 0
        self._events: Construction | None = None
        self._clock = QElapsedTimer()
        self._since = 0.0  # where it was when the clock was started: an event, or a passage
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._tick)

    @property
    def playing(self) -> bool:
        return self._timer.isActive()

    def follow(self, events: Construction | None) -> None:
        """Tell this one, from its end: all is there."""
        self.pause()
        self._events = events
        self.upto = len(events) if events is not None else 0

    def go(self, upto: int) -> None:
        """To this place; going on from there where it was going on."""
        if self._events is None:
            return
        self.upto = min(max(upto, 0), len(self._events))
        self._begin()
        self.moved.emit(self.upto)

    def step(self, passages: int) -> None:
        """To the end of what a passage further on, or back, brought."""
        if self._events is not None:
            read = self._events.built(self.upto).passages
            self.go(self._behind(max(read + passages, 0)))

    def toggle(self) -> None:
        self.pause() if self.playing else self.play()

    def play(self) -> None:
        """From here, or from the start where all has come."""
        if self._events is None or not len(self._events):
            return
        if self.upto >= len(self._events):
            self.go(0)
        self._timer.start(TICK if theme.motion() else CALM)
        self._begin()
        self.played.emit(True)

    def pause(self) -> None:
        if self.playing:
            self._timer.stop()
            self.played.emit(False)

    def set_speed(self, speed: Speed) -> None:
        self.speed = speed
        self._begin()

    def _begin(self) -> None:
        self._clock.restart()
        if self._events is not None:
            by_passage = self.speed.passages and self._events.built(self.upto).passages
            self._since = float(by_passage if self.speed.passages else self.upto)

    def _tick(self) -> None:
        if self._events is None:
            return
        passed, count = self._clock.elapsed() / 1000, len(self._events)
        if self.speed.passages:
            upto = self._behind(int(self._since + passed * self.speed.passages))
        else:
            upto = int(self._since + passed * count / self.speed.seconds)
        if upto > self.upto:
            self.upto = min(upto, count)
            self.moved.emit(self.upto)
        if self.upto >= count:
            self.pause()

    def _behind(self, passages: int) -> int:
        """Behind all that so many passages brought; all, where there are no more."""
        if self._events is None:
            return 0
        read = self._events.places[Event.PASSAGE]
        return int(read[passages]) if passages < len(read) else len(self._events)
