"""What a model writes, from the thread that hears it to the window's."""

from __future__ import annotations

import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

LOOK_MS = 40  # a model may write thousands of pieces a second: the window looks at its own pace


class _Draft:
    """The text so far. Written by one thread, read by another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._parts: list[str] = []

    def hear(self, piece: str) -> None:
        """The next piece; "": it begins anew."""
        with self._lock:
            if piece:
                self._parts.append(piece)
            else:
                self._parts.clear()

    def text(self) -> str:
        with self._lock:
            self._parts = ["".join(self._parts)]
            return self._parts[0]


class Streaming(QObject):
    """Tells an answer while it is written. Signal: written(the whole text so far), on this object's thread.

    What an earlier call still says after a new one began lands nowhere.
    """

    written = Signal(str)

    def __init__(self, wanted: Callable[[], bool], parent: QObject | None = None) -> None:
        """`wanted`: whether somebody still waits for the answer; asked at every look."""
        super().__init__(parent)
        self.writer = ""  # the model that writes, or wrote last
        self._wanted = wanted
        self._draft, self._seen = _Draft(), ""
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self._look)

    def begin(self, writer: str) -> Callable[[str], None]:
        """Start anew; give what is returned the pieces, from any thread."""
        self.writer, self._draft, self._seen = writer, _Draft(), ""
        self._timer.start()
        return self._draft.hear

    @property
    def running(self) -> bool:
        """Whether a model is at it."""
        return self._timer.isActive()

    def end(self) -> None:
        """Look no more."""
        self._timer.stop()

    def _look(self) -> None:
        if not self._wanted():
            self.end()
            return
        text = self._draft.text()
        if text != self._seen:
            self._seen = text
            self.written.emit(text)
