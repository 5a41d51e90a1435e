"""The provider against a real model: llama.cpp behind Ollama's protocol."""

from __future__ import annotations

import json
import urllib.request
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from core.answering.models import Models
from core.config import Config, ModelConfig, with_settings
from core.models.ollama.model import OllamaModel
from core.models.ollama.stream import models, show, version
from core.models.prompt import estimate
from core.progress import TaskContext
from core.types import Finish, Message, Role, Verdict
from core.workspace import Workspace
from tests.real_peer import Peer

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("socket_enabled")]
TEXT = "Otto Kask commands the Northern Star. Marta Ilves founded Ilves Shipping in Tallinn in 1998."
SCRIPTS = (
    "Das Schiff „Grauer Sturmvogel“ verlor am 14.03.2021 achtunddreißig Container.",
    "Судно потеряло тридцать восемь контейнеров у берегов Тенерифе.",
    "这艘船在特内里费岛附近丢失了三十八个集装箱。",
    "IBAN DE89 3704 0044 0532 0130 00; 1,234,567.89 EUR; ref. #A-77/b <x@y.example>",
    "a" * 300 + " " * 40 + "\n\n\n\t\t- - - ...... ======",
)


@dataclass(frozen=True, slots=True)
class Named:
    """No list: a tiny model may never end one."""

    person: str
    place: str


@pytest.fixture
def config(real_ollama: Peer) -> ModelConfig:
    return ModelConfig(host=real_ollama.url, model=real_ollama.model, max_output=60)


def test_the_server_is_listed_and_described(config: ModelConfig) -> None:
    assert version(config, TaskContext())
    assert config.model in {model.name for model in models(config, TaskContext())}
    assert "completion" in show(config, TaskContext()).capabilities


def test_a_reply_follows_its_schema(config: ModelConfig) -> None:
    ask = [Message(Role.USER, f"Name one person and one place in this text as JSON.\n{TEXT}")]
    found = OllamaModel(replace(config, max_output=100)).structured(ask, Named, TaskContext())
    assert isinstance(found.value, Named) and found.generation.finish is Finish.STOP


def test_estimates_of_tokens_are_not_too_low(real_ollama: Peer) -> None:
    sample = Path(__file__).resolve().parents[3] / "README.md"
    texts = [TEXT, *SCRIPTS, *sample.read_text(encoding="utf-8").split("\n\n")[:20]]
    for text in texts:
        body = json.dumps({"content": text}).encode()
        call = urllib.request.Request(
            f"{real_ollama.llama}/tokenize", body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(call, timeout=30) as reply:
            counted = len(json.load(reply)["tokens"])
        assert estimate(text) >= counted, text
    assert estimate(TEXT) < 2 * len(TEXT.split()) + 20  # and not absurdly high


def test_a_passage_is_extracted_and_asked_about(real_ollama: Peer, tmp_path: Path, models: Models) -> None:
    """So small a model says what it likes: nothing that the passage does not carry gets in or is cited."""
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "a.txt").write_text(TEXT + "\n", encoding="utf-8")
    name = f"ollama:{real_ollama.model}"
    own = ModelConfig(host=real_ollama.url, model=real_ollama.model, max_output=24, parallel=1)
    config = with_settings(replace(Config(), models=own), ["control.rounds=0"])
    with Workspace.open(tmp_path / "w", create=True, models=models, config=config) as workspace:
        status = workspace.index(tmp_path / "papers", TaskContext(), extractor=name)
        assert (status.passages, status.pending) == (1, 0)
        failures = workspace.documents.failures()
        assert bool(failures) != bool(status.triples), "each triple stands in the passage, or it is put aside"
        for failure in failures:
            assert failure.reason and TEXT in failure.raw
        facts = [
            fact for entity in workspace.graph.entities() for fact in workspace.graph.facts_of(entity.id)
        ]
        for triple in (triple for fact in facts for triple in fact.triples):
            assert triple.subject in TEXT + "a" and triple.object in TEXT + "a"
        pieces: list[str] = []
        question = "Who commands the Northern Star?"
        answer = workspace.ask(question, TaskContext(), "lab:walk", generator=name, on_text=pieces.append)
    assert (
        len(pieces) > 1
        and "".join(pieces).strip()
        and answer.usage.calls >= 1
        and answer.usage.tokens_out > 0
    )
    assert answer.abstained == (not answer.text)
    assert all(citation.quote in TEXT for citation in answer.citations)
    carried = [claim for claim in answer.claims if claim.verdict is Verdict.SUPPORTED]
    assert answer.abstained or carried
    assert all(claim.citations and max(claim.citations) < len(answer.citations) for claim in carried)
