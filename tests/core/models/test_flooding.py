"""A reply without end, of any call to a model's server, costs some megabytes and is one clear line."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.config import ModelConfig
from core.errors import ModelFault
from core.models.ollama.model import OllamaModel
from core.models.ollama.stream import models, show, version
from core.progress import TaskContext
from core.types import Message, Role
from tests.data_makers.floods import Flood
from tests.ollama_server import ScriptedServer

CALLS: dict[str, Callable[[ModelConfig, TaskContext], object]] = {
    "/api/version": version,
    "/api/tags": models,
    "/api/show": show,
    "/api/chat": lambda config, context: OllamaModel(config).generate(
        [Message(Role.USER, "Who sank her?")], context
    ),
}
WORDS = {
    Flood.LINE: "a reply without end",
    Flood.LINES: "a reply without end",
    Flood.ERROR: "status 500",
    Flood.HEADERS: "not as Ollama does",
    Flood.GZIP: "a compressed reply",
    Flood.BRACKETS: "not as Ollama does",
    Flood.NUMBER: "not as Ollama does",
}


@pytest.mark.parametrize(
    ("path", "flood"),
    [
        *(("/api/chat", flood) for flood in Flood),
        *((path, Flood.LINES) for path in CALLS if path != "/api/chat"),
    ],
)
def test_a_flood_is_not_read(ollama: ScriptedServer, path: str, flood: Flood) -> None:
    ollama.floods[path] = flood
    # Long enough that no time limit saves it.
    config = ModelConfig(host=ollama.url, model=ollama.model, retries=0, max_output=64)
    with pytest.raises(ModelFault, match=WORDS[flood]) as failed:
        CALLS[path](config, TaskContext())
    assert len(failed.value.message) < 500
    ollama.refuse()
    # What the bounds let through, and what lies in the buffers of the connection.
    assert ollama.floods.taken < 24_000_000
