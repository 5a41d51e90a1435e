"""What the window knows of language models: the server, its models, who writes the answers."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QObject, Signal

from app.look.translation import tr
from core.errors import CoreError
from core.types import ModelHost, ModelInfo, ModelServer

QUOTES = "extractive"  # no model: sentences of the documents, word for word
_PREFIX = "ollama:"


class ServerState(StrEnum):
    """What is known of the server."""

    UNKNOWN = "nobody asked yet"  # not shown
    LOOKING = "asked, no answer yet"  # not shown
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
        """The models that can write text; those of a server that tells no capabilities all count."""
        found = self.server.models if self.server is not None else ()
        return tuple(model for model in found if writes(model))

    def set_writer(self, writer: str) -> None:
        """Choose who writes answers: QUOTES or `writer_of` a model."""
        if writer and writer != self.writer:
            self.writer = writer
            self.writer_changed.emit(writer)

    def set_host(self, host: ModelHost | None) -> None:
        """Another host: nothing is known of what it has."""
        self.host = host
        self.forget()

    @property
    def elsewhere(self) -> str:
        """Where models are, in words; "" on this machine."""
        return self.host.elsewhere if self.host is not None else ""

    def beside_host(self, model: str) -> str:
        """A model by name, with its host where that is not this machine."""
        return self.host.beside(model) if self.host is not None else model

    def set_looking(self) -> None:
        self._set(ServerState.LOOKING, self.server, None)

    def set_server(self, server: ModelServer) -> None:
        self._set(ServerState.THERE, server, None)

    def set_gone(self, error: CoreError) -> None:
        self._set(ServerState.GONE, None, error)

    def forget(self) -> None:
        """Another workspace may have another server."""
        self._set(ServerState.UNKNOWN, None, None)

    def _set(self, state: ServerState, server: ModelServer | None, error: CoreError | None) -> None:
        self.state, self.server, self.error = state, server, error
        self.changed.emit()


def writes(model: ModelInfo) -> bool:
    """Whether a model writes text; one that only embeds does not."""
    return not model.capabilities or "completion" in model.capabilities


def writer_of(model: str) -> str:
    """A model by name as the one that writes answers."""
    return f"{_PREFIX}{model}"


def model_of(writer: str) -> str:
    """The name of the model that writes; "" for quotes."""
    return writer.removeprefix(_PREFIX) if writer.startswith(_PREFIX) else ""


def writer_words(writer: str) -> str:
    """Who writes, in words."""
    return model_of(writer) or tr("Quotes, no model")
