"""Answers that a model writes: streamed, cited, checked, asked for again, stopped; on a scripted server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.answering.models import Models
from core.config import CapConfig, Config, ModelConfig
from core.errors import BadInput, ModelFault, ModelUnavailable
from core.progress import Cancelled, TaskContext
from core.types import Answer, Verdict
from core.types.stages import Packing, Reading
from core.workspace import Workspace
from tests.ollama_server import Fault, ScriptedServer

TEXTS = {
    "petrel": "The Grey Petrel was chartered by Brandvold Lines on 4 May 2021. It carried 26 containers of copper.",
    "holm": "Ines Holm commands the Northern Gannet. She was born in Bergen in 1961.",
}
QUESTION = "Who chartered the Grey Petrel?"
GOOD = "Brandvold Lines chartered the Grey Petrel [1]."


@pytest.fixture(scope="module")
def path(models: Models, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("generate")
    (place / "folder").mkdir()
    for name, text in TEXTS.items():
        (place / "folder" / f"{name}.txt").write_text(text, encoding="utf-8")
    opened = Workspace.open(place / "workspace", create=True, models=models)
    opened.index(place / "folder", TaskContext())
    opened.close()
    return place / "workspace"


def settings(server: ScriptedServer, **caps: Any) -> Config:
    told = ModelConfig(
        host=server.url,
        model=server.model,
        first_token_seconds=2.0,
        token_seconds=2.0,
        retry_wait=0.01,
        retries=1,
    )
    return replace(Config(), models=told, caps=replace(CapConfig(), **caps))


@pytest.fixture
def workspace(path: Path, models: Models, ollama: ScriptedServer) -> Iterator[Workspace]:
    opened = Workspace.open(path, config=settings(ollama), models=models)
    yield opened
    opened.close()


def ask(workspace: Workspace, server: ScriptedServer, question: str = QUESTION, **how: Any) -> Answer:
    return workspace.ask(question, TaskContext(), "dense", generator=f"ollama:{server.model}", **how)


def test_an_answer_is_streamed_cited_and_counted(workspace: Workspace, ollama: ScriptedServer) -> None:
    ollama.say(GOOD)
    heard: list[str] = []
    answer = ask(workspace, ollama, on_text=heard.append)
    assert "".join(heard) == GOOD
    assert answer.text == "Brandvold Lines chartered the Grey Petrel."
    (citation,) = answer.citations
    assert citation.quote == "The Grey Petrel was chartered by Brandvold Lines on 4 May 2021."
    assert [(claim.verdict, claim.citations) for claim in answer.claims] == [(Verdict.SUPPORTED, (0,))]
    assert (answer.usage.calls, answer.dropped, answer.abstained) == (1, 0, False)
    assert answer.usage.tokens_in > 0 and answer.usage.tokens_out > 0
    by = [check.by for check in answer.trace.rounds[0].validations]
    assert by == ["vectors", "reader", "reader and kind"], (
        "what a model writes the reader holds against the passages"
    )
    (answering,) = ollama.chats
    (message,) = answering["messages"]
    assert all(text in message["content"] for text in TEXTS.values())
    assert message["content"].endswith(QUESTION), "the question stands last, in one message with all else"
    *_, reader, model = (s for s in answer.trace.stages if isinstance(s.data, Reading | Packing))
    assert (reader.name, model.name) == ("reader", "answer")
    assert isinstance(model.data, Packing) and model.data.to == f"ollama:{ollama.model}"
    assert [row.rejected for row in model.data.passages] == ["", ""]
    assert (model.data.tokens_in, model.data.tokens_out) == (answer.usage.tokens_in, answer.usage.tokens_out)
    assert 0.5 < answer.confidence < 1.0, "how surely the passage carries it, never certain"


def test_a_citation_that_points_to_nothing_is_taken_out_and_counted(
    workspace: Workspace, ollama: ScriptedServer
) -> None:
    ollama.say("Brandvold Lines chartered the Grey Petrel [1][9][44].")
    answer = ask(workspace, ollama)
    assert answer.dropped == 2
    assert len(answer.citations) == 1
    assert "[9]" not in answer.text
    assert any("2 citations pointed to nothing" in stage.detail for stage in answer.trace.stages)


@pytest.mark.long
def test_what_no_passage_says_is_asked_for_again_strictly(
    workspace: Workspace, ollama: ScriptedServer
) -> None:
    ollama.say("Queen Victoria of Narnia chartered it in 1850 [1].", GOOD)
    heard: list[str] = []
    answer = ask(workspace, ollama, on_text=heard.append)
    last = len(heard) - 1 - heard[::-1].index("")
    assert "".join(heard[last:]) == GOOD, "the first answer gives way to the second"
    first, second = answer.trace.rounds
    assert (first.failure, second.failure) == ("grounding", "")
    assert "nothing but what stands" in first.rewrite
    assert answer.text == "Brandvold Lines chartered the Grey Petrel."
    assert "Use only words, names and numbers" in ollama.chats[1]["messages"][0]["content"]


def test_what_no_passage_carries_is_not_shown_as_the_answer(
    workspace: Workspace, ollama: ScriptedServer
) -> None:
    ollama.answer = lambda body: "Queen Victoria of Narnia chartered it in 1850 [1]."
    answer = ask(workspace, ollama)
    assert "Victoria" not in answer.text
    assert not any("Victoria" in citation.quote for citation in answer.citations)
    written = [told for told in answer.trace.rounds if "Victoria" in told.answer]
    assert 1 <= len(written) <= Config().control.rounds + 1
    assert all(told.failure == "grounding" for told in written)
    assert [claim.verdict for claim in written[0].claims] != [Verdict.SUPPORTED]
    assert "quotes in its place" in written[-1].rewrite
    assert answer.instead_of == f"ollama:{ollama.model}"


@pytest.mark.long
def test_nothing_is_told_where_neither_the_model_nor_a_quote_holds(
    workspace: Workspace, ollama: ScriptedServer
) -> None:
    ollama.answer = lambda body: "Queen Victoria of Narnia painted it in 1850 [1]."
    answer = ask(workspace, ollama, "Who painted the portrait of Admiral Hornblower?")
    assert answer.abstained
    assert (answer.text, answer.citations) == ("", ())


def test_not_told_is_an_abstention_with_what_was_looked_for(
    workspace: Workspace, ollama: ScriptedServer
) -> None:
    ollama.answer = lambda body: (
        '{"question": "Who was the charterer of the Grey Petrel?"}' if body.get("format") else "NOT TOLD."
    )
    answer = ask(workspace, ollama)
    assert answer.abstained
    assert "“Grey Petrel”" in answer.missing


def test_what_the_reader_reads_otherwise_stands_beside(workspace: Workspace, ollama: ScriptedServer) -> None:
    ollama.say("The Grey Petrel carried 26 containers of copper [1].")
    answer = ask(workspace, ollama)
    assert answer.text.startswith("The Grey Petrel carried")
    assert "Brandvold Lines" in [other.text for other in answer.alternatives]


@pytest.mark.long
@pytest.mark.parametrize(
    "fault", [Fault.HANG, Fault.RESET, Fault.ERROR, Fault.NO_MODEL, Fault.EMPTY, Fault.NO_OLLAMA]
)
def test_a_server_that_fails_is_told_in_one_line(
    workspace: Workspace, ollama: ScriptedServer, fault: Fault
) -> None:
    ollama.say(*[fault] * 6)
    with pytest.raises((ModelFault, ModelUnavailable)) as told:
        ask(workspace, ollama)
    assert str(told.value) and "\n" not in str(told.value)
    answer = workspace.ask(QUESTION, TaskContext(), "dense")
    assert answer.text or answer.alternatives, "the reader still answers"


WRONG = "Queen Victoria of Narnia chartered it [1]."


def test_a_server_that_fails_later_leaves_what_there_is(workspace: Workspace, ollama: ScriptedServer) -> None:
    ollama.say(WRONG, *[Fault.RESET] * 8)
    answer = ask(workspace, ollama)
    assert answer.trace.rounds[0].failure == "grounding"
    assert any("stopped in round" in stage.detail for stage in answer.trace.stages)


def test_caps_end_the_loop_with_what_there_is(path: Path, models: Models, ollama: ScriptedServer) -> None:
    ollama.answer = lambda body: WRONG
    opened = Workspace.open(path, config=settings(ollama, calls=1), models=models)
    answer = ask(opened, ollama)
    opened.close()
    assert len(ollama.chats) == 1
    assert any("stopped in round" in stage.detail for stage in answer.trace.stages)


def test_writing_can_be_stopped_at_once(workspace: Workspace, ollama: ScriptedServer) -> None:
    ollama.say(Fault.ENDLESS)
    stop = threading.Event()
    context = TaskContext(cancelled=stop.is_set)
    with pytest.raises(Cancelled):
        workspace.ask(
            QUESTION, context, "dense", generator=f"ollama:{ollama.model}", on_text=lambda _: stop.set()
        )


def test_what_does_not_fit_the_window_is_said(path: Path, models: Models, ollama: ScriptedServer) -> None:
    ollama.say(GOOD)
    config = settings(ollama)
    config = replace(config, models=replace(config.models, window=700, max_output=64))
    opened = Workspace.open(path, config=config, models=models)
    try:
        answer = ask(opened, ollama)
    finally:
        opened.close()
    told = next(stage.detail for stage in answer.trace.stages if stage.name == "answer")
    packing = next(stage.data for stage in answer.trace.stages if stage.name == "answer")
    assert isinstance(packing, Packing)
    out = [row.rejected for row in packing.passages if row.rejected]
    assert out == ["did not fit into the window"] * len(packing.left_out)
    assert "did not fit into the window" in told or len(ollama.chats[0]["messages"][0]["content"]) < 2_000


def test_unknown_generators_are_refused(workspace: Workspace) -> None:
    with pytest.raises(BadInput):
        workspace.ask(QUESTION, TaskContext(), generator="oracle")
