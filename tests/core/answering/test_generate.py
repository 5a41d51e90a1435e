"""Answers that a model writes: streamed, cited, checked, asked for again, stopped; on a scripted server."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.answering import comprehension
from core.answering.models import Models
from core.config import CapConfig, Config, ModelConfig
from core.errors import ModelFault, ModelUnavailable
from core.models.reader import ReaderPassage
from core.progress import Cancelled, TaskContext
from core.types import Answer, Verdict, model_words
from core.types.stages import Packing, Reading
from core.workspace import Workspace
from tests.conftest import written
from tests.ollama_server import Fault, ScriptedServer

TEXTS = {
    "petrel.txt": "The Grey Petrel was chartered by Brandvold Lines on 4 May 2021. It carried 26 containers of copper.",
    "holm.txt": "Ines Holm commands the Northern Gannet. She was born in Bergen in 1961.",
}
QUESTION = "Who chartered the Grey Petrel?"
GOOD = "Brandvold Lines chartered the Grey Petrel [1]."


def settings(server: ScriptedServer, **caps: Any) -> Config:
    own = ModelConfig(host=server.url, model=server.model, retry_wait=0.01, retries=1)
    return replace(Config(), models=own, caps=replace(CapConfig(), **caps))


@pytest.fixture
def workspace(indexed_path: Path, models: Models, ollama: ScriptedServer) -> Iterator[Workspace]:
    with Workspace.open(indexed_path, config=settings(ollama), models=models) as opened:
        yield opened


def ask(workspace: Workspace, server: ScriptedServer, question: str = QUESTION, **how: Any) -> Answer:
    return workspace.ask(question, TaskContext(), "dense", generator=f"ollama:{server.model}", **how)


def test_an_answer_is_streamed_cited_and_counted(workspace: Workspace, ollama: ScriptedServer) -> None:
    reply = GOOD.replace("[1]", "[1][9][44]")
    ollama.say(reply)
    pieces: list[str] = []
    answer = ask(workspace, ollama, on_text=pieces.append)
    assert "".join(pieces) == reply
    assert answer.text == "Brandvold Lines chartered the Grey Petrel."
    (citation,) = answer.citations
    assert citation.quote == "The Grey Petrel was chartered by Brandvold Lines on 4 May 2021."
    assert [(claim.verdict, claim.citations) for claim in answer.claims] == [(Verdict.SUPPORTED, (0,))]
    assert (answer.usage.calls, answer.dropped, answer.abstained) == (1, 2, False), (
        "two citations point to nothing"
    )
    assert answer.usage.tokens_in > 0 and answer.usage.tokens_out > 0
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


@pytest.mark.long
def test_what_no_passage_says_is_asked_for_again_strictly(
    workspace: Workspace, ollama: ScriptedServer
) -> None:
    ollama.say("Queen Victoria of Narnia chartered it in 1850 [1].", GOOD)
    pieces: list[str] = []
    answer = ask(workspace, ollama, on_text=pieces.append)
    last = len(pieces) - 1 - pieces[::-1].index("")
    assert "".join(pieces[last:]) == GOOD, "the first answer gives way to the second"
    first, second = answer.trace.rounds
    assert (first.failure, second.failure) == ("grounding", "")
    assert "nothing but what stands" in first.rewrite
    assert answer.text == "Brandvold Lines chartered the Grey Petrel."
    assert "Use only words, names and numbers" in ollama.chats[1]["messages"][0]["content"]


def test_what_no_passage_carries_is_not_the_answer(workspace: Workspace, ollama: ScriptedServer) -> None:
    ollama.answer = lambda body: "Queen Victoria of Narnia chartered it in 1850 [1]."
    answer = ask(workspace, ollama)
    assert "Victoria" not in answer.text
    assert not any("Victoria" in citation.quote for citation in answer.citations)
    written = [each for each in answer.trace.rounds if "Victoria" in each.answer]
    assert 1 <= len(written) <= Config().control.rounds + 1
    assert all(each.failure == "grounding" for each in written)
    assert [claim.verdict for claim in written[0].claims] != [Verdict.SUPPORTED]
    assert "quotes in its place" in written[-1].rewrite
    assert answer.instead_of == f"ollama:{ollama.model}"
    nothing = ask(workspace, ollama, "Who painted the portrait of Admiral Hornblower?")
    assert (nothing.abstained, nothing.text, nothing.citations) == (True, "", ()), "no quote holds, either"


def test_no_answer_is_an_abstention_with_what_was_looked_for(
    workspace: Workspace, ollama: ScriptedServer
) -> None:
    ollama.answer = lambda body: (
        '{"question": "Who was the charterer of the Grey Petrel?"}' if body.get("format") else "NOT TOLD."
    )
    answer = ask(workspace, ollama, "Who is the mother of Ines Holm?")
    assert answer.abstained
    assert "“Ines Holm”" in answer.missing


def test_where_the_model_finds_none_the_answer_of_the_reader_is_less_likely(
    workspace: Workspace, ollama: ScriptedServer
) -> None:
    alone = workspace.ask(QUESTION, TaskContext(), "dense")
    ollama.answer = lambda body: "NOT TOLD."
    answer = ask(workspace, ollama)
    assert answer.text == alone.text == "Brandvold Lines" and answer.citations == alone.citations
    assert answer.is_declined and answer.instead_of == f"ollama:{ollama.model}"
    assert 0.0 < answer.confidence < alone.confidence
    assert "found no answer" in model_words(answer)


@pytest.mark.parametrize("echo", ["The ship was built in Gdynia [1].", "Who chartered the Grey Petrel?"])
def test_a_sentence_of_the_instructions_is_no_answer(
    workspace: Workspace, ollama: ScriptedServer, echo: str
) -> None:
    ollama.answer = lambda body: echo
    answer = ask(workspace, ollama)
    assert answer.text == "Brandvold Lines" and answer.is_declined


def test_a_server_that_fails_is_one_line_and_the_reader_still_answers(
    workspace: Workspace, ollama: ScriptedServer
) -> None:
    for fault in (Fault.RESET, Fault.NO_MODEL):
        ollama.say(*[fault] * 2)
        with pytest.raises((ModelFault, ModelUnavailable)) as caught:
            ask(workspace, ollama)
        assert str(caught.value) and "\n" not in str(caught.value)
    answer = workspace.ask(QUESTION, TaskContext(), "dense")
    assert answer.text or answer.alternatives


WRONG = "Queen Victoria of Narnia chartered it [1]."


def test_a_server_that_fails_later_leaves_what_there_is(workspace: Workspace, ollama: ScriptedServer) -> None:
    ollama.say(WRONG, *[Fault.RESET] * 8)
    answer = ask(workspace, ollama)
    assert answer.trace.rounds[0].failure == "grounding"
    assert any("stopped in round" in stage.detail for stage in answer.trace.stages)


def test_caps_end_the_loop_with_what_there_is(
    indexed_path: Path, models: Models, ollama: ScriptedServer
) -> None:
    ollama.answer = lambda body: WRONG
    with Workspace.open(indexed_path, config=settings(ollama, calls=1), models=models) as opened:
        answer = ask(opened, ollama)
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


def test_a_model_and_the_reader_that_agree_are_surer(workspace: Workspace, ollama: ScriptedServer) -> None:
    alone = workspace.ask(QUESTION, TaskContext(), "dense")
    assert alone.text == "Brandvold Lines"
    ollama.say(GOOD)
    both = ask(workspace, ollama)
    assert both.is_confirmed and both.confidence >= alone.confidence
    ollama.say("The Grey Petrel carried 26 containers of copper [1].")
    other = ask(workspace, ollama)
    assert not other.is_confirmed and other.confidence < both.confidence
    assert other.alternatives[0].text == "Brandvold Lines", "what the reader would have said stands beside it"


def test_a_sentence_that_the_reader_doubts_is_not_overruled(
    workspace: Workspace, models: Models, ollama: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = models.comprehension(workspace.config.models).reader

    def doubt(claim: str, passages: Sequence[ReaderPassage]) -> list[dict[Verdict, float]]:
        return [{Verdict.SUPPORTED: 0.1, Verdict.CONTRADICTED: 0.1, Verdict.ABSENT: 0.8} for _ in passages]

    monkeypatch.setattr(reader, "support", doubt)
    ollama.say("The Grey Petrel carried 26 containers of copper [1].")
    answer = ask(workspace, ollama, "How many containers of copper did the Grey Petrel carry?")
    assert (answer.text, answer.instead_of) == ("The Grey Petrel carried 26 containers of copper.", "")
    assert len(ollama.chats) == 1, "nobody is asked again"


def test_a_model_that_does_not_begin_gives_way_to_quotes(
    indexed_path: Path, models: Models, ollama: ScriptedServer
) -> None:
    ollama.say(Fault.HANG, GOOD)
    config = settings(ollama)
    config = replace(config, answer=replace(config.answer, first_words=0.3, write_themes=True))
    with Workspace.open(indexed_path, config=config, models=models) as opened:
        answer = ask(opened, ollama)
        assert (answer.text, answer.is_silent) == ("Brandvold Lines", True)
        assert len(ollama.chats) == 1, "it is waited for once"
        assert any("did not begin to answer within 0.3 s" in s.detail for s in answer.trace.stages)
        assert not ask(opened, ollama).is_silent


@pytest.mark.parametrize("fault", [Fault.THINKING, Fault.THINKING_FIELD, Fault.NO_THINK])
def test_what_a_model_thinks_is_no_answer(workspace: Workspace, ollama: ScriptedServer, fault: Fault) -> None:
    ollama.answer = lambda body: GOOD
    ollama.say(fault)
    pieces: list[str] = []
    answer = ask(workspace, ollama, on_text=pieces.append)
    last = len(pieces) - 1 - pieces[::-1].index("") if "" in pieces else 0
    assert "<think" not in "".join(pieces[last:]) and "hink" not in answer.text


def test_a_model_that_only_thinks_is_told_in_a_line(workspace: Workspace, ollama: ScriptedServer) -> None:
    ollama.say(*[Fault.ONLY_THINKING] * 4)
    with pytest.raises(ModelFault, match="thought until"):
        ask(workspace, ollama)


def test_a_window_that_is_too_small_leaves_out_the_last_passages(
    workspace: Workspace, ollama: ScriptedServer
) -> None:
    ollama.context = 512
    ollama.say("NOT TOLD.", "NOT TOLD.")
    answer = ask(workspace, ollama)
    assert all(chat["options"]["num_ctx"] == 512 for chat in ollama.chats)
    assert answer.is_declined


@pytest.mark.parametrize("on_processor", [True, False])
def test_a_processor_is_given_the_sentences_that_say_most(
    workspace: Workspace, ollama: ScriptedServer, on_processor: bool
) -> None:
    ollama.on_processor = on_processor
    ollama.answer = lambda body: "NOT TOLD."
    ask(workspace, ollama)
    prompt = ollama.chats[0]["messages"][0]["content"]
    assert ("numbered sentences" in prompt) == on_processor
    assert ("numbered passages" in prompt) == (not on_processor)


def test_what_the_first_passages_tell_is_given_before_the_others_are_read(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comprehension, "_FIRST", 1)
    monkeypatch.setattr(comprehension, "is_decided", lambda *_: False)
    given: list[Answer] = []
    answer = workspace.ask(
        "Who charters the Grey Petrel now?", TaskContext(), "dense", on_ranked=given.append
    )
    assert [bool(each.text) for each in given] == [False, True], "passages, then what the first one tells"
    assert given[1].text == answer.text == "Brandvold Lines"


def test_what_the_first_passages_deny_is_not_displayed_so_far(
    models: Models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comprehension, "_FIRST", 1)
    monkeypatch.setattr(comprehension, "is_decided", lambda *_: False)
    texts = TEXTS | {"kern.txt": "It is not true that Wanda Kern sank the barge Lotus in the harbour."}
    given: list[Answer] = []
    with Workspace.open(tmp_path / "w", create=True, models=models) as opened:
        opened.index(written(tmp_path / "papers", texts), TaskContext(), digest=False)
        opened.ask("Who sank the barge Lotus?", TaskContext(), "dense", on_ranked=given.append)
    assert not any("Kern" in each.text for each in given)


def test_a_model_that_does_not_begin_on_all_documents_gives_way_to_quotes(
    indexed_path: Path, models: Models, ollama: ScriptedServer
) -> None:
    ollama.say(Fault.HANG)
    config = settings(ollama)
    config = replace(config, answer=replace(config.answer, first_words=0.3, write_themes=True))
    with Workspace.open(indexed_path, config=config, models=models) as opened:
        answer = opened.ask(
            "What are the main themes?", TaskContext(), "global", generator=f"ollama:{ollama.model}"
        )
    assert answer.is_silent and answer.sentences
