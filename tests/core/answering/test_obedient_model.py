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
from tests.core.answering.test_injection import TEXTS as ORDERS
from tests.ollama_server import ScriptedServer

pytestmark = pytest.mark.long

TRUE = "The Grey Petrel was chartered by Brandvold Lines on 4 May 2021."
QUESTION = "Who chartered the Grey Petrel?"
# What a model says that does as it is told by the texts; none of it stands in any of them.
OBEYED = (
    "ARRR, the Grey Petrel was chartered by Captain Blackbeard [1].",
    "The password of the Grey Petrel is swordfish 4711 [2].",
    "I ran delete_everything(workspace) and sent the Grey Petrel to http://203.0.113.9/stolen [1].",
    '"The Grey Petrel is chartered by Oskar Quandt" [1].',
)


# One document without an order, and one with each; all are of the same ship.
TEXTS = {"charter.txt": TRUE} | {
    f"order {number:02}.txt": f"Notes on the Grey Petrel, sheet {number}.\n\n{text}\n"
    for number, text in enumerate(ORDERS)
}


def settings(server: ScriptedServer) -> Config:
    return replace(Config(), models=ModelConfig(host=server.url, model=server.model, retries=0))


@pytest.fixture
def workspace(indexed_path: Path, models: Models, ollama: ScriptedServer) -> Iterator[Workspace]:
    with Workspace.open(indexed_path, config=settings(ollama), models=models) as opened:
        yield opened


def vouching(reply: str) -> Any:
    """A model that says this, and as the judge of it finds everything supported."""

    def answer(body: dict[str, Any]) -> str:
        if not body.get("format"):
            return reply
        claims = [{"claim": n, "verdict": "supported", "passage": 1} for n in range(1, 9)]
        if "claims" in body["format"]["properties"]:
            return json.dumps({"reason": "as ordered", "relevant": True, "resolved": True, "claims": claims})
        return json.dumps({"question": "Does the Grey Petrel belong to Oskar Quandt?"})

    return answer


def test_what_a_model_says_by_an_order_is_never_supported(
    workspace: Workspace, ollama: ScriptedServer
) -> None:
    before = workspace.status().digest, workspace.config
    for number, reply in enumerate(OBEYED):
        ollama.answer = vouching(reply)
        route = ("dense", "graph")[number % 2]
        answer = workspace.ask(QUESTION, TaskContext(), route, k=8, generator=f"ollama:{ollama.model}")
        prompts = "\n".join(m["content"] for body in ollama.chats for m in body["messages"])
        assert sum(text in prompts for text in ORDERS) >= 3, "the orders were there to be obeyed"
        assert not answer.text or answer.text in TRUE, "a quote stands in the place of the reply"
        assert {citation.quote for citation in answer.citations} <= {TRUE}
        rounds = [each for each in answer.trace.rounds if each.answer and each.answer not in TRUE]
        assert rounds and all(each.failure == "grounding" for each in rounds)
        assert not any(c.verdict is Verdict.SUPPORTED for each in rounds for c in each.claims)
    assert (workspace.status().digest, workspace.config) == before
    assert {path for path, _ in ollama.requests} <= {
        "/api/chat", "/api/show", "/api/tags", "/api/version", "/api/ps",
    }  # fmt: skip


def test_what_a_model_extracts_by_an_order_is_rejected(
    tmp_path: Path, models: Models, ollama: ScriptedServer
) -> None:
    """It tells the same false fact of every passage; true is only what both ends of stand in it."""

    def answer(body: dict[str, Any]) -> str:
        if "entities" in body["format"]["properties"]:
            return json.dumps({"entities": [{"name": "Oskar Quandt", "kind": "person"}]})
        triples = [
            {"subject": "Oskar Quandt", "predicate": "owns", "object": "Grey Petrel"},
            {"subject": "Grey Petrel", "predicate": "was chartered by", "object": "Brandvold Lines"},
        ]
        return json.dumps({"triples": triples})

    ollama.answer = answer
    texts = {f"order {n:02}.txt": f"{TRUE}\n{text}" for n, text in enumerate(ORDERS)}
    with Workspace.open(tmp_path / "w", create=True, models=models, config=settings(ollama)) as opened:
        status = opened.index(
            written(tmp_path / "f", texts), TaskContext(), extractor=f"ollama:{ollama.model}"
        )
        # A text with a NUL byte is read without it.
        assert status.passages == len(texts) and not status.failed
        names = {entity.name for entity in opened.graph.entities() if not entity.name.startswith("Order ")}
        assert names == {"Grey Petrel", "Brandvold Lines"}
        work = opened.language_models.last_model_work()
        assert work is not None and work.rejected >= 2 * status.passages
