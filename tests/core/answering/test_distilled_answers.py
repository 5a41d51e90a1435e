"""A language model that reads distilled passages: the prompt, where its citations lead, the checks, the trace; on a
scripted server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.answering.integration.pieces import Distilled, Pieces, chosen
from core.answering.models import Models
from core.config import Config, ModelConfig, with_settings
from core.errors import ModelUnavailable
from core.progress import TaskContext
from core.types import Answer, Verdict
from core.types.stages import Integration, Packing
from core.workspace import Workspace
from tests.conftest import written
from tests.ollama_server import ScriptedServer

QUESTION = "Who chartered the Grey Petrel?"
CLAIM = "Brandvold Lines chartered the Grey Petrel"
TELLING = "The Grey Petrel was chartered by Brandvold Lines on 4 May 2021."
FILLING = (
    "The weather in {town} was fair on that day and nobody had anything to complain of.",
    "The market of {town} sells apples, plums and pears from the orchards around it.",
    "Children of {town} learn to swim in the lake before they learn to read.",
    "The town hall of {town} was painted yellow after the war and white again later.",
)
TOWNS = "Alnwick Bakewell Chard Diss Ely Frome Goole Hexham Ilkley Jarrow Kelso Louth".split()


TEXTS = {f"{town}.txt": " ".join(FILLING).format(town=town) for town in TOWNS} | {
    "Petrel.txt": " ".join((FILLING[0], FILLING[1], TELLING, FILLING[2])).format(town="Bergen")
}  # one sentence of one of them answers


def config_of(server: ScriptedServer, *settings: str) -> Config:
    own = ModelConfig(host=server.url, model=server.model, retries=0, retry_wait=0.01)
    return with_settings(replace(Config(), models=own), ["answer.distilled=true", *settings])


@pytest.fixture
def workspace(indexed_path: Path, models: Models, ollama: ScriptedServer) -> Iterator[Workspace]:
    with Workspace.open(indexed_path, config=config_of(ollama), models=models) as opened:
        yield opened


def ask(workspace: Workspace, server: ScriptedServer) -> Answer:
    return workspace.ask(QUESTION, TaskContext(), "dense", generator=f"ollama:{server.model}")


def number_of(prompt: str, text: str) -> int:
    found = re.search(rf"^\[(\d+)\] {re.escape(text)}$", prompt, re.MULTILINE)
    assert found is not None, prompt
    return int(found.group(1))


def citing(body: dict[str, object]) -> str:
    """What a model says that cites the sentence that tells."""
    messages = body["messages"]
    assert isinstance(messages, list)
    return f"{CLAIM} [{number_of(messages[-1]['content'], TELLING)}]."


def integration(answer: Answer) -> Integration:
    (stage,) = (s for s in answer.trace.stages if s.name == "integrate")
    assert isinstance(stage.data, Integration)
    assert f"{stage.data.after:,} of {stage.data.before:,} tokens" in stage.detail
    return stage.data


def test_a_citation_leads_to_the_sentence_that_was_read(workspace: Workspace, ollama: ScriptedServer) -> None:
    ollama.answer = citing
    answer = ask(workspace, ollama)
    assert answer.text == f"{CLAIM}."
    (citation,) = answer.citations
    document = workspace.documents.text(citation.document_id)
    assert document[citation.start : citation.end] == citation.quote == TELLING
    assert [claim.verdict for claim in answer.claims] == [Verdict.SUPPORTED]
    assert not answer.abstained and answer.dropped == 0


def test_more_passages_are_looked_at_for_fewer_tokens(workspace: Workspace, ollama: ScriptedServer) -> None:
    ollama.answer = citing
    answer = ask(workspace, ollama)
    data = integration(answer)
    read = [piece for piece in data.pieces if piece.number]
    assert [piece.number for piece in read] == list(range(1, data.taken + 1))
    assert len({piece.passage_id for piece in data.pieces}) >= 10
    _, found = workspace.retrieve(QUESTION, TaskContext(), "dense", 5)
    first = {hit.passage_id for hit in found.hits}
    first_five = sum(piece.tokens for piece in data.pieces if piece.passage_id in first)
    assert data.after == sum(piece.tokens for piece in read) <= 0.4 * first_five
    assert data.before == sum(piece.tokens for piece in data.pieces)
    for piece in data.pieces:
        if piece.section == "fact":
            continue
        text = workspace.passages.get(piece.passage_id).text
        assert " ".join(text[piece.start : piece.end].split()) == piece.words
        assert bool(piece.rejected) == (piece.number == 0)


def test_the_prompt_has_sections_places_and_one_pair_of_marks(
    workspace: Workspace, ollama: ScriptedServer
) -> None:
    ollama.answer = citing
    answer = ask(workspace, ollama)
    (prompt,) = (chat["messages"][-1]["content"] for chat in ollama.chats)
    (mark,) = set(re.findall(r"</?sentences (\w+)>", prompt))
    inside = prompt.split(f"<sentences {mark}>")[1].split(f"</sentences {mark}>")[0]
    heads = [
        "Facts that were read",
        "Of the topics around",
        "Of what the question names",
        "Of the passages that were found",
    ]
    there = [inside.index(head) for head in heads if head in inside]
    assert there and there == sorted(there)
    assert "Title: Petrel" in inside and prompt.endswith(f"Question: {QUESTION}")
    lines = re.findall(r"^\[(\d+)\] (.*)$", inside, re.MULTILINE)
    assert [(int(number), words) for number, words in lines] == [
        (piece.number, piece.words) for piece in integration(answer).pieces if piece.number
    ]
    (packing,) = (s.data for s in answer.trace.stages if s.name == "answer" and isinstance(s.data, Packing))
    packed = {row.passage_id for row in packing.passages if not row.rejected}
    assert packed == {piece.passage_id for piece in integration(answer).pieces if piece.number}


def test_what_no_passage_carries_is_refused_all_the_same(
    workspace: Workspace, ollama: ScriptedServer
) -> None:
    ollama.answer = lambda body: "Queen Victoria of Narnia chartered it in 1850 [1][99]."
    answer = ask(workspace, ollama)
    assert "Victoria" not in answer.text
    assert answer.instead_of == f"ollama:{ollama.model}"
    integrated = [s.data for s in answer.trace.stages if isinstance(s.data, Integration)]
    assert len(integrated) == 2, "asked again, by a text"
    assert integrated[1].after > integrated[0].after, "of twice as many passages' tokens"


class TakesAll:
    """Whatever the budget."""

    def integrate(self, question: str, pieces: Pieces, budget: int) -> Distilled:
        return chosen(pieces, range(len(pieces)))


def test_a_passage_that_a_fact_or_a_community_led_to_is_cited_and_displayed(
    models: Models, ollama: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "integrator", lambda *_: TakesAll())
    goods = "copper tin zinc wool timber coal salt rice sugar tea coffee cocoa cotton jute hemp cork".split()
    texts = {
        f"{good}.txt": f"The Grey Petrel carried {good} to {TOWNS[number % len(TOWNS)]} in {1990 + number}."
        for number, good in enumerate(goods)
    }
    config = config_of(ollama)
    with Workspace.open(tmp_path / "workspace", create=True, config=config, models=models) as workspace:
        workspace.index(written(tmp_path / "folder", texts), TaskContext(), digest=False)
        question, writer = "What did the Grey Petrel carry?", f"ollama:{ollama.model}"
        ollama.answer = lambda body: "NOT TOLD."
        _, found = workspace.retrieve(question, TaskContext(), "graph", 10)
        known = {hit.passage_id for hit in found.hits}
        first = workspace.ask(question, TaskContext(), "graph", generator=writer)
        data = next(s.data for s in first.trace.stages if isinstance(s.data, Integration))
        beyond = [piece for piece in data.pieces if piece.number and piece.passage_id not in known]
        beyond = [piece for piece in beyond if piece.section != "fact"]  # in words of the graph
        assert {piece.section for piece in beyond} <= {"entity", "community"} and beyond
        words = beyond[0].words
        ollama.answer = lambda body: f"{words.rstrip('.')} [{beyond[0].number}]."
        answer = workspace.ask(question, TaskContext(), "graph", generator=writer)
    assert [citation.quote for citation in answer.citations] == [words]
    (evidence,) = (each for each in answer.evidence if each.hit.passage_id == beyond[0].passage_id)
    assert evidence.hit.rank > 10 and evidence.why is not None


def test_quotes_need_no_integrator(indexed_path: Path, models: Models, ollama: ScriptedServer) -> None:
    """Where the file of the one that was trained is gone, a model says so, and answers without one stay."""
    config = config_of(ollama, "answer.integrator=/nowhere/trained.safetensors")
    with Workspace.open(indexed_path, config=config, models=models) as opened:
        assert opened.ask(QUESTION, TaskContext(), "dense").sentences
        with pytest.raises(ModelUnavailable, match="cannot be read"):
            ask(opened, ollama)


def test_a_fact_is_read_as_such_and_cited_by_its_sentence(
    workspace: Workspace, ollama: ScriptedServer
) -> None:
    ollama.answer = lambda body: f"{CLAIM} [1]."
    answer = ask(workspace, ollama)
    (prompt,) = (chat["messages"][-1]["content"] for chat in ollama.chats)
    assert (
        "Facts that were read from the documents:\nTitle: Petrel\n[1] Grey Petrel chartered by Brandvold"
        in prompt
    )
    assert [citation.quote for citation in answer.citations] == [TELLING]
    first = integration(answer).pieces[0]
    assert (first.section, first.number) == ("fact", 1)
