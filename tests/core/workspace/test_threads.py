"""Threads: asked on, stored, renamed, reopened, exported; what is removed or private is in none of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.answering.models import Models
from core.cli import main
from core.config import Config, ModelConfig
from core.errors import BadInput
from core.progress import TaskContext
from core.types.threads import FollowKind, ThreadAnswer
from core.workspace import Workspace
from tests.conftest import written
from tests.ollama_server import ScriptedServer

TEXTS = {
    "minutes.txt": "Minutes of the rowing club. Ines Duarte was elected treasurer. Ines Duarte was appointed by the "
    "general meeting on 14 March 2019.",
    "supply.txt": "Supply agreement. A defect in a product must be reported within eight days. A defect in a service "
    "must be reported within fourteen days.",
}
FIRST, SECOND = "Who was elected treasurer?", "And when was she appointed?"
COMPLETED = "When was Ines Duarte appointed?"
OTHER = "Within what period must a defect in a product be reported?"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Path:
    place = tmp_path_factory.mktemp("threads")
    with Workspace.open(place / "w", create=True, models=models) as opened:
        opened.index(written(place / "papers", TEXTS), TaskContext())
    return place / "w"


@pytest.fixture
def opened(template: Path, tmp_path: Path, models: Models) -> Workspace:
    with Workspace.open(template, models=models) as source:
        source.backup(tmp_path / "w", TaskContext())
    return Workspace.open(tmp_path / "w", models=models, own=True)


def asked(opened: Workspace, *questions: str) -> list[ThreadAnswer]:
    found: list[ThreadAnswer] = []
    for question in questions:
        before, thread = (found[-1].turns, found[-1].thread) if found else ((), 0)
        found.append(opened.threads.ask(question, TaskContext(), before, thread))
    return found


def test_a_thread_is_asked_on_stored_and_left_at_another_subject(opened: Workspace) -> None:
    first, second, third = asked(opened, FIRST, SECOND, OTHER)
    assert first.answer.text == "Ines Duarte" and first.completion.kind is FollowKind.FIRST
    assert second.answer.trace.question == COMPLETED and "14 March 2019" in second.answer.text
    assert third.completion.kind is FollowKind.NEW_SUBJECT and third.thread != second.thread
    assert [turn.question for turn in third.turns] == [OTHER]
    assert opened.threads.turns(first.thread)[1].question == COMPLETED
    assert [(each.id, each.turns) for each in opened.threads.all()] == [(third.thread, 1), (second.thread, 2)]
    # Each turn has its answer with its trace.
    assert opened.threads.answer(second.thread, 2) == second.answer


def test_asked_as_typed_it_takes_the_place_of_the_completed_turn(opened: Workspace) -> None:
    first, second = asked(opened, FIRST, SECOND)
    typed = opened.threads.ask(SECOND, TaskContext(), first.turns, first.thread, as_typed=True)
    assert typed.answer.trace.question == SECOND
    assert [turn.question for turn in opened.threads.turns(second.thread)] == [FIRST, SECOND]


def test_the_passages_of_the_last_answer_are_read_again(opened: Workspace) -> None:
    """At the end, where the question itself does not find them."""
    rests = opened.threads.ask(FIRST, TaskContext()).turns[0].passages
    asker = opened.retrieval.asker()
    _, found = asker.retrieve(OTHER, "dense", 1, TaskContext())
    more = asker.rankings.with_passages(found, [*rests, "of no document"])
    assert more.hits[0] == found.hits[0] and {hit.passage_id for hit in more.hits} == {
        *rests,
        more.hits[0].passage_id,
    }
    assert [hit.rank for hit in more.hits] == [1, 2]


def test_it_is_renamed_and_exported(opened: Workspace, tmp_path: Path) -> None:
    thread = asked(opened, FIRST, SECOND)[-1].thread
    assert opened.threads.rename(thread, "The *treasurer*").name == "The *treasurer*"
    opened.threads.export(thread, tmp_path / "thread.md")
    words = (tmp_path / "thread.md").read_text("utf-8")
    assert words.startswith("# The \\*treasurer\\*\n") and f"Read as: {COMPLETED}" in words
    with pytest.raises(BadInput, match="no thread"):
        opened.threads.rename(thread + 1, "Again")


def test_a_removed_document_is_in_no_thread(opened: Workspace) -> None:
    gone = asked(opened, FIRST, SECOND)[-1].thread
    other = asked(opened, OTHER)[-1].thread
    (document,) = opened.documents.find(["minutes.txt"])
    opened.documents.remove([document.id], TaskContext())
    assert [each.id for each in opened.threads.all()] == [other] and opened.threads.turns(gone) == ()
    assert opened.threads.turns(other)[0].answer and opened.threads.answer(other, 1) is None
    opened.close()
    data = (opened.path / "clew.db").read_bytes()
    assert b"Duarte" not in data


def test_what_is_private_completes_no_question_and_is_in_no_export(opened: Workspace) -> None:
    before = asked(opened, FIRST)
    opened.private.mark(["minutes.txt"])
    found = opened.threads.ask(SECOND, TaskContext(), before[-1].turns, before[-1].thread)
    assert found.answer.trace.question == "When was the treasurer appointed?"  # in the person's own words
    assert "Duarte" not in opened.threads.as_markdown(before[-1].thread)
    assert "eight days" in opened.threads.as_markdown(asked(opened, OTHER)[-1].thread)


def test_where_nothing_can_be_written_it_is_answered_all_the_same(opened: Workspace, models: Models) -> None:
    opened.close()
    with Workspace.open(opened.path, read_only=True, models=models) as reading:
        found = asked(reading, FIRST, SECOND)[-1]
        assert found.thread == 0 and found.answer.trace.question == COMPLETED
        assert reading.threads.all() == []


def test_a_model_that_writes_completes_what_rules_cannot(
    opened: Workspace, models: Models, ollama: ScriptedServer
) -> None:
    before = asked(opened, FIRST)[-1]
    opened.close()
    config = Config(models=ModelConfig(host=ollama.url, model=ollama.model))
    ollama.say(COMPLETED)
    with Workspace.open(opened.path, config=config, models=models) as again:
        generator = f"ollama:{ollama.model}"
        unclear = "And close?"
        found = again.threads.ask(unclear, TaskContext(), before.turns, before.thread, generator=generator)
    assert found.completion.question == COMPLETED and found.completion.model == generator
    assert found.answer.trace.question == COMPLETED


def test_the_command_goes_on_with_the_last_thread(
    opened: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    opened.close()
    place = str(opened.path)

    def out(*words: str) -> str:
        assert main([*words]) == 0
        return capsys.readouterr().out

    out("ask", place, FIRST)
    assert out("ask", place, "--follow", SECOND).startswith(f"Asked: {COMPLETED}\n")
    assert out("ask", place, "--follow", OTHER).startswith("A new subject: this begins a new thread.\n")
    found = json.loads(out("ask", place, "--follow", "--thread", "1", "By whom?", "--json"))
    assert found["completed"]["question"] == "By whom was Ines Duarte appointed?" and found["thread"] == 1
    assert [each["turns"] for each in json.loads(out("trace", "threads", place, "--json"))["threads"]] == [
        3,
        1,
    ]
    assert out("trace", "threads", place, "1", "--name", "Treasurer").startswith("Treasurer\n")
    assert json.loads(out("ask", place, SECOND, "--json"))["completed"] is None
