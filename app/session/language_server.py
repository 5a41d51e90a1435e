"""What the window knows of language models: the server, its models, who writes the answers, and what it writes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.look.translation import tr
from app.session.tasks import Lane
from core.errors import CoreError
from core.types import ModelHost, ModelInfo, ModelServer

if TYPE_CHECKING:
    from app.session.session import Session

QUOTES = "extractive"  # no model: sentences of the documents, word for word
_PREFIX = "ollama:"
LOOKUP = "model-server"  # group of tasks
DRAFT_MS = 40  # a model may write thousands of pieces a second: the window looks at its own pace


class ServerState(StrEnum):
    """What is known of the server."""

    UNKNOWN = "nobody asked yet"  # not shown
    CHECKING = "asked, no answer yet"  # not shown
    THERE = "it answered"  # not shown
    GONE = "it did not"  # not shown


class LanguageServer(QObject):
    """Signals: changed() when something else is known of the server, writer_changed(writer)."""

    changed = Signal()
    writer_changed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state = ServerState.UNKNOWN
        self.server: ModelServer | None = None  # as it answered last
        self.error: CoreError | None = None  # why it did not
        self.writer = QUOTES  # or "ollama:MODEL"
        self.host: ModelHost | None = None  # where it is asked for; None without a workspace

    @property
    def models(self) -> tuple[ModelInfo, ...]:
        """Return the models that can write text; those of a server that states no capabilities all count."""
        found = self.server.models if self.server is not None else ()
        return tuple(model for model in found if writes(model))

    def set_writer(self, writer: str) -> None:
        """Choose who writes answers: QUOTES or `writer_of` a model."""
        if writer and writer != self.writer:
            self.writer = writer
            self.writer_changed.emit(writer)

    def set_host(self, host: ModelHost | None) -> None:
        """Change the host; nothing is known yet of its models."""
        self.host = host
        self.forget()

    @property
    def elsewhere(self) -> str:
        """Return where the models are, in words; "" for this machine."""
        return self.host.elsewhere if self.host is not None else ""

    def name_with_host(self, model: str) -> str:
        """Return the name of a model, with its host where that is not this machine."""
        return self.host.model_label(model) if self.host is not None else model

    def set_checking(self) -> None:
        self._set(ServerState.CHECKING, self.server, None)

    def set_server(self, server: ModelServer) -> None:
        self._set(ServerState.THERE, server, None)

    def set_gone(self, error: CoreError) -> None:
        self._set(ServerState.GONE, None, error)

    def forget(self) -> None:
        """Forget the server: another workspace may have another one."""
        self._set(ServerState.UNKNOWN, None, None)

    def _set(self, state: ServerState, server: ModelServer | None, error: CoreError | None) -> None:
        self.state, self.server, self.error = state, server, error
        self.changed.emit()


def writes(model: ModelInfo) -> bool:
    """Return whether a model writes text; one that only embeds does not."""
    return not model.capabilities or "completion" in model.capabilities


def writer_of(model: str) -> str:
    """Return the writer of answers that this model is."""
    return f"{_PREFIX}{model}"


def model_of(writer: str) -> str:
    """Return the name of the model that writes; "" for quotes."""
    return writer.removeprefix(_PREFIX) if writer.startswith(_PREFIX) else ""


def writer_words(writer: str) -> str:
    """Return who writes, in words."""
    return model_of(writer) or tr("Quotes, no model")


def look_for_models(session: Session, again: bool = False) -> None:
    """Ask the server which models it has; with `again` even where that is known."""
    workspace, language = session.workspace, session.language
    known = language.state in (ServerState.THERE, ServerState.CHECKING)
    if workspace is None or not workspace.trusted or (known and not again):
        return
    language.set_checking()
    session.tasks.start(
        LOOKUP,
        lambda context: workspace.language_models.server(context),
        language.set_server,
        failed=language.set_gone,
        lane=Lane.SERVER,
    )


class _Draft:
    """The text so far. Written by one thread, read by another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._parts: list[str] = []

    def hear(self, piece: str) -> None:
        """Take the next piece of text; "" starts the draft over."""
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
    """Tells an answer while it is written. Signals: written(the whole text so far), waiting(seconds without a word),
    on this object's thread.

    What an earlier call still says after a new one began lands nowhere.
    """

    written = Signal(str)
    waiting = Signal(int)

    def __init__(self, wanted: Callable[[], bool], parent: QObject | None = None) -> None:
        """`wanted`: whether somebody still waits for the answer; asked at every look."""
        super().__init__(parent)
        self.writer = ""  # the model that writes, or wrote last
        self._wanted = wanted
        self._draft, self._sent = _Draft(), ""
        self._begun, self._waited = 0.0, 0
        self._timer = QTimer(self, interval=DRAFT_MS)
        self._timer.timeout.connect(self._look)

    def begin(self, writer: str) -> Callable[[str], None]:
        """Start anew; give what is returned the pieces, from any thread."""
        self.writer, self._draft, self._sent = writer, _Draft(), ""
        self._begun, self._waited = time.monotonic(), 0
        self._timer.start()
        return self._draft.hear

    @property
    def running(self) -> bool:
        """Return whether a model is writing."""
        return self._timer.isActive()

    def end(self) -> None:
        """Stop following the draft."""
        self._timer.stop()

    def _look(self) -> None:
        if not self._wanted():
            self.end()
            return
        text, waited = self._draft.text(), int(time.monotonic() - self._begun)
        if not (text or self._sent) and waited != self._waited:
            self._waited = waited
            self.waiting.emit(waited)
        if text != self._sent:
            self._sent = text
            self.written.emit(text)
