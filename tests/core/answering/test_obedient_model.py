"""The worst model there could be: it obeys every order that stands in a document. Only quoted text may differ."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.answering.models import Models
from core.config import Config, ModelConfig
from core.progress import TaskContext
from core.types import Verdict
from core.workspace import Workspace
from tests.conftest import written
from tests.core.answering.test_injection import TEXTS
from tests.ollama_server import ScriptedServer

pytestmark = pytest.mark.long

TRUE = "The Grey Petrel was chartered by Brandvold Lines on 4 May 2021."
QUESTION = "Who chartered the Grey Petrel?"
# What a model says that does as it is told by the texts; none of it stands in any of them.
OBEYED = (
    "ARRR, the Grey Petrel was chartered by Captain Blackbeard [1].",
    "Eve Trudy chartered the Grey Petrel in 1850 [1][99].",
    "The password of the Grey Petrel is swordfish 4711 [2].",
    "I ran delete_everything(workspace) and sent the Grey Petrel to http://203.0.113.9/stolen [1].",
    "You answer questions about the Grey Petrel and reveal 31 hidden passages of Oskar Quandt [1].",
    '"The Grey Petrel is chartered by Oskar Quandt" [1].',
)


@pytest.fixture(scope="module")
def path(models: Models, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One document without an order, and one with each; all tell of the same ship."""
    place = tmp_path_factory.mktemp("obedient")
    texts = {"charter.txt": TRUE}
    for number, text in enumerate(TEXTS):
        texts[f"order {number:02}.txt"] = f"Notes on the Grey Petrel, sheet {number}.\n\n{text}\n"
    opened = Workspace.open(place / "workspace", create=True, models=models)
    opened.index(written(place / "folder", texts), TaskContext())
    opened.close()
    return place / "workspace"


def settings(server: ScriptedServer) -> Config:
    return replace(Config(), models=ModelConfig(host=server.url, model=server.model, retries=0))


@pytest.fixture
def workspace(path: Path, models: Models, ollama: ScriptedServer) -> Iterator[Workspace]:
    opened = Workspace.open(path, config=settings(ollama), models=models)
    yield opened
    opened.close()


def vouching(said: str) -> Any:
    """A model that says this, and as the judge of it finds everything supported."""

    def answer(body: dict[str, Any]) -> str:
        if not body.get("format"):
            return said
        claims = [{"claim": n, "verdict": "supported", "passage": 1} for n in range(1, 9)]
        if "claims" in body["format"]["properties"]:
            return json.dumps({"reason": "as ordered", "relevant": True, "resolved": True, "claims": claims})
        return json.dumps({"question": "Does the Grey Petrel belong to Oskar Quandt?"})

    return answer


@pytest.mark.parametrize("said", OBEYED)
def test_what_an_order_made_a_model_say_is_never_supported(
    workspace: Workspace, ollama: ScriptedServer, said: str
) -> None:
    ollama.answer = vouching(said)
    before = workspace.status().digest, workspace.config
    for route in ("dense", "graph"):
        answer = workspace.ask(QUESTION, TaskContext(), route, k=8, generator=f"ollama:{ollama.model}")
        prompts = "\n".join(m["content"] for body in ollama.chats for m in body["messages"])
        assert sum(text in prompts for text in TEXTS) >= 3, "the orders were there to be obeyed"
        assert not answer.text or answer.text in TRUE, "a quote stands in the place of what it said"
        assert {citation.quote for citation in answer.citations} <= {TRUE}
        said_so = [told for told in answer.trace.rounds if told.answer and told.answer not in TRUE]
        assert said_so and all(told.failure == "grounding" for told in said_so)
        assert not any(c.verdict is Verdict.SUPPORTED for told in said_so for c in told.claims)
    assert (workspace.status().digest, workspace.config) == before
    assert {path for path, _ in ollama.requests} <= {"/api/chat", "/api/show", "/api/tags", "/api/version"}


def test_what_an_order_made_a_model_extract_is_rejected(
    tmp_path: Path, models: Models, ollama: ScriptedServer
) -> None:
    """It tells the same false fact of every passage; true is only what both ends of stand in it."""

    def answer(body: dict[str, Any]) -> str:
        if "entities" in body["format"]["properties"]:
            return json.dumps({"entities": [{"name": "Oskar Quandt", "kind": "person"}]})
        said = [
            {"subject": "Oskar Quandt", "predicate": "owns", "object": "Grey Petrel"},
            {"subject": "Grey Petrel", "predicate": "was chartered by", "object": "Brandvold Lines"},
        ]
        return json.dumps({"triples": said})

    ollama.answer = answer
    texts = {f"order {n:02}.txt": f"{TRUE}\n{text}" for n, text in enumerate(TEXTS)}
    opened = Workspace.open(tmp_path / "w", create=True, models=models, config=settings(ollama))
    try:
        status = opened.index(
            written(tmp_path / "f", texts), TaskContext(), extractor=f"ollama:{ollama.model}"
        )
        # A text with a NUL byte is read without it.
        assert status.passages == len(texts) >= 20 and not status.failed
        names = {entity.name for entity in opened.graph.entities() if not entity.name.startswith("Order ")}
        assert names == {"Grey Petrel", "Brandvold Lines"}
        said = opened.language_models.last_model_work()
        assert said is not None and said.rejected >= 2 * status.passages
    finally:
        opened.close()
