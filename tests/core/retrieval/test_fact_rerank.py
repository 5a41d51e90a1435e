"""Facts ranked by a model before the walk starts at their ends, through the real retriever. EA-GraphRAG eq. 4, 5."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.answering.models import Models
from core.config import CapConfig, Config, ModelConfig, RetrievalConfig
from core.errors import BadInput, CapReached, ModelUnavailable
from core.progress import Cancelled, TaskContext
from core.retrieval.fact_seeds import CrossEncoderFactReranker, rerank_prompt
from core.retrieval.seeds import CandidateFact
from core.types import Retrieval
from core.types.stages import NearFacts, SeedCandidates
from core.workspace import Workspace
from tests.conftest import written
from tests.core.answering.test_injection import TEXTS as HOSTILE
from tests.core.answering.test_injection import outside
from tests.ollama_server import Fault, ScriptedServer

TEXTS = {
    "salt.txt": "The Salt Road is a 1971 film. Marta Ilves directed The Salt Road. It was shot in Tallinn.",
    "ilves.txt": "Marta Ilves was an Estonian director. Marta Ilves was born in Haapsalu.",
    "kask.txt": "Otto Kask was a composer. Otto Kask wrote the music of The Salt Road.",
    "town.txt": "Haapsalu is a seaside town in Estonia. Estonia borders Latvia.",
}
QUESTION = "Where was the director of The Salt Road born?"


@pytest.fixture(scope="module")
def path(models: Models, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("facts")
    opened = Workspace.open(place / "workspace", create=True, models=models)
    opened.index(written(place / "folder", TEXTS), TaskContext())
    opened.close()
    return place / "workspace"


def settings(server: ScriptedServer, reranker: str = "", **caps: Any) -> Config:
    told = ModelConfig(
        host=server.url, first_token_seconds=2.0, token_seconds=0.3, retry_wait=0.01, retries=1
    )
    retrieval = RetrievalConfig(fact_reranker=reranker or f"ollama:{server.model}", second_stage=False)
    return replace(Config(), models=told, retrieval=retrieval, caps=replace(CapConfig(), **caps))


@pytest.fixture
def workspace(path: Path, models: Models, ollama: ScriptedServer) -> Iterator[Workspace]:
    opened = Workspace.open(path, config=settings(ollama), models=models)
    yield opened
    opened.close()


def found(workspace: Workspace) -> Retrieval:
    return workspace.retrieve(QUESTION, TaskContext(), "lab:walk", 4)[1]


def shown(server: ScriptedServer) -> list[str]:
    """The facts of the last prompt, in its order."""
    prompt = "\n".join(message["content"] for message in server.chats[-1]["messages"])
    return re.findall(r"\[\d+\]\n<fact \w+>\n(.*)\n", prompt)


def choosing(*words: str) -> Any:
    """A server's answer: the numbers of the facts that hold these words, in this order."""

    def answer(body: dict[str, Any]) -> str:
        prompt = "\n".join(message["content"] for message in body["messages"])
        listed = re.findall(r"\[(\d+)\]\n<fact \w+>\n(.*)\n", prompt)
        return json.dumps({"facts": [int(n) for word in words for n, fact in listed if word in fact]})

    return answer


def test_the_walk_starts_at_the_chosen_facts(workspace: Workspace, ollama: ScriptedServer) -> None:
    ollama.answer = choosing("Haapsalu")
    retrieval = found(workspace)
    assert len(shown(ollama)) >= 3
    assert any("directed" in fact for fact in shown(ollama))
    reasons = {seed.name: seed.reason for seed in retrieval.seeds}
    assert reasons["Haapsalu"].startswith("fact: ")
    assert "named in the question" in reasons.values()
    assert "Otto Kask" not in reasons
    stage = next(stage for stage in retrieval.stages if stage.name == "facts")
    assert re.fullmatch(rf"\d of \d+ facts chosen by ollama:{ollama.model}", stage.detail)
    near = stage.data
    assert isinstance(near, NearFacts) and [fact.words for fact in near.facts] == shown(ollama)
    ranked = [fact for fact in near.facts if fact.rank is not None]
    assert len(ranked) == near.taken and all("Haapsalu" in fact.words + fact.clause for fact in ranked)
    seeds = next(stage.data for stage in retrieval.stages if isinstance(stage.data, SeedCandidates))
    assert not seeds.sentences, "facts were chosen in their place"


def test_the_choice_changes_what_is_found(workspace: Workspace, ollama: ScriptedServer) -> None:
    masses = []
    for word in ("Haapsalu", "Otto Kask"):
        ollama.answer = choosing(word)
        masses.append({hit.passage_id: hit.score for hit in found(workspace).hits})
    texts = {id: workspace.passages.get(id).text for id in masses[0]}
    town = next(id for id, text in texts.items() if text.startswith("Haapsalu"))
    composer = next(id for id, text in texts.items() if text.startswith("Otto"))
    assert masses[0][town] > masses[1][town]
    assert masses[0][composer] < masses[1][composer]


def test_numbers_that_nobody_offered_are_left_out_and_none_leaves_the_other_seeds(
    workspace: Workspace, ollama: ScriptedServer
) -> None:
    ollama.say('{"facts": [99, 1, 1, 0, -3]}', '{"facts": []}')
    stage = next(stage for stage in found(workspace).stages if stage.name == "facts")
    assert stage.detail.startswith("1 of ")
    retrieval = found(workspace)
    assert {seed.reason for seed in retrieval.seeds} == {"named in the question"}
    assert len(retrieval.hits) == 4


@pytest.mark.parametrize("fault", [Fault.STALL, Fault.ERROR, Fault.BROKEN_JSON])
def test_a_fault_leaves_the_nearest_facts_and_is_told(
    workspace: Workspace, ollama: ScriptedServer, fault: Fault
) -> None:
    ollama.say(*[fault] * 4)
    retrieval = found(workspace)
    stage = next(stage for stage in retrieval.stages if stage.name == "facts")
    assert "nearest facts, not reranked: " in stage.detail
    assert any(seed.reason.startswith("fact: ") for seed in retrieval.seeds)
    assert len(retrieval.hits) == 4


@pytest.mark.long
def test_its_calls_count_for_the_question(path: Path, models: Models, ollama: ScriptedServer) -> None:
    """One budget for whoever asks a model for a question: here the reranker leaves nothing to the writer."""
    opened = Workspace.open(path, config=settings(ollama), models=models)
    ollama.answer = choosing("Haapsalu")
    answer = opened.ask(QUESTION, TaskContext(), "lab:walk")
    assert answer.usage.calls == len(ollama.chats) >= 1
    assert answer.usage.tokens_in > 0
    opened.close()
    before = len(ollama.chats)
    opened = Workspace.open(path, config=settings(ollama, calls=1), models=models)
    with pytest.raises(CapReached, match="cap of 1 calls"):
        opened.ask(QUESTION, TaskContext(), "lab:walk", generator=f"ollama:{ollama.model}")
    assert len(ollama.chats) == before + 1
    assert shown(ollama)
    opened.close()


def test_it_can_be_stopped(workspace: Workspace, ollama: ScriptedServer) -> None:
    ollama.say(Fault.HANG)
    with pytest.raises(Cancelled):
        workspace.retrieve(QUESTION, TaskContext(cancelled=lambda: bool(ollama.chats)), "lab:walk", 4)


@pytest.mark.parametrize("text", HOSTILE)
def test_facts_and_questions_are_data(text: str) -> None:
    plain = rerank_prompt("Who?", [CandidateFact(0, 1, 0.5, "A owns B", "A owns B.")])
    hostile = rerank_prompt(text, [CandidateFact(0, 1, 0.5, text, text)])
    assert [outside(message.text) for message in hostile] == [outside(message.text) for message in plain]


@pytest.mark.parametrize(
    ("name", "error"),
    [("magic:x", BadInput), ("cross-encoder:", BadInput), ("cross-encoder:/nowhere", ModelUnavailable)],
)
def test_unknown_rerankers_are_refused(
    path: Path, models: Models, ollama: ScriptedServer, name: str, error: type[Exception]
) -> None:
    with Workspace.open(path, config=settings(ollama, name), models=models) as opened, pytest.raises(error):
        found(opened)


def test_a_cross_encoder_ranks_all_best_first() -> None:
    facts = [CandidateFact(0, 1, 0.5, f"fact {n}", "") for n in range(4)]
    scores = np.array([0.1, 3.0, -2.0, 3.0])
    reranker = CrossEncoderFactReranker("cross-encoder:x", lambda pairs, context: scores)
    assert reranker.rank("Who?", facts, TaskContext()).order == (1, 3, 0, 2)
