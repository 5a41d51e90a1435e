"""Why each passage was found: chains that the facts state, names, shared words, ranks; nothing invented."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from core.answering.models import Models
from core.config import Config
from core.progress import TaskContext
from core.text.sentences import sentences
from core.types import Answer, Passage, Why
from core.types.kinds import stable_id
from core.workspace import Workspace

HOSTILE = "<img src=x onerror=alert(1)>"
TEXTS = {
    "The Salt Road": "The Salt Road is a 1971 film directed by Marta Ilves. "
    "Critics liked The Salt Road. It was shot in Tallinn.",
    "Marta Ilves": "Marta Ilves was an Estonian director. She was born in Haapsalu on 4 May 1930.",
    "Haapsalu": "Haapsalu is a seaside town in Estonia. It is known for its mud baths.",
    "Grain prices": "Prices of grain rose by four percent. Traders expect a calm summer.",
    HOSTILE: f"{HOSTILE} was sold by the director in spring.",
}
QUESTION = "Where was the director of The Salt Road born?"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Iterator[Workspace]:
    config = Config()
    config = replace(config, control=replace(config.control, rounds=0))  # the question itself, no step of it
    place = tmp_path_factory.mktemp("why") / "w"
    opened = Workspace.open(place, create=True, config=config, models=models)
    passages = []
    for title, text in TEXTS.items():
        key = stable_id("passage", title)
        spans = tuple(sentences(text))
        passages.append(Passage(key, stable_id("document", key), 0, title, text, 0, len(text), None, spans))
    opened.index_passages(passages, TaskContext())
    yield opened
    opened.close()


def whys(answer: Answer) -> dict[str, Why]:
    found = {row.passage.title: row.why for row in answer.evidence}
    assert all(why is not None and why.words for why in found.values())
    return {title: why for title, why in found.items() if why is not None}


def test_a_chain_leads_from_the_question_over_facts_that_exist(workspace: Workspace) -> None:
    why = whys(workspace.ask(QUESTION, TaskContext(), "lab:walk", 5))
    assert why["The Salt Road"].words == "names The Salt Road"
    assert why["The Salt Road"].path == ()
    reported = why["Marta Ilves"]
    assert reported.path and workspace.graph.entity(reported.entity_ids[0]).name == "The Salt Road"
    assert len(reported.entity_ids) == len(reported.path) + 1 <= 4
    assert 0 < reported.strength < min(step.strength for step in reported.path) <= 1
    for step, ends in zip(
        reported.path, zip(reported.entity_ids, reported.entity_ids[1:], strict=False), strict=True
    ):
        assert {step.subject_id, step.object_id} == set(ends)
        facts = [(f.subject_id, f.predicate, f.object_id) for f in workspace.graph.facts_of(step.subject_id)]
        assert (step.subject_id, step.predicate, step.object_id) in facts
        place = workspace.passages.get(step.passage_id).text[step.start : step.end]
        assert step.subject in place or step.object in place, "a pronoun may stand for one of them"
    assert all(step.subject in reported.words and step.object in reported.words for step in reported.path)


def test_no_chain_is_invented(workspace: Workspace) -> None:
    why = whys(workspace.ask(QUESTION, TaskContext(), "lab:walk", 5))["Grain prices"]
    assert (why.path, why.entity_ids, why.strength) == ((), (), 0.0)
    assert "cosine" in why.words and why.cosine is not None and -1 <= why.cosine <= 1


def test_dense_tells_what_is_shared(workspace: Workspace) -> None:
    why = whys(workspace.ask(QUESTION, TaskContext(), "dense", 5))
    assert set(why["Marta Ilves"].concepts) & {"born", "director"}
    assert why["Marta Ilves"].words.startswith("shares ")
    assert "The Salt Road" in " ".join(why["The Salt Road"].concepts)
    assert not any(each.path or each.ranks for each in why.values())


def test_fusion_and_hybrid_report_both_ranks(workspace: Workspace) -> None:
    for route, parts in (("fusion", {"lexical", "dense", "graph"}), ("lab:hybrid", {"dense", "path"})):
        answer = workspace.ask(QUESTION, TaskContext(), route, 5)
        for why in whys(answer).values():
            assert why.ranks and set(why.ranks) <= parts and min(why.ranks.values()) >= 1
            assert all(f"{part} {rank}" in why.words for part, rank in why.ranks.items())
        assert any(why.path for why in whys(answer).values())


@pytest.mark.long
def test_hostile_names_stay_as_they_are(workspace: Workspace) -> None:
    """Markup is text like any other, on one line, here and in the records."""
    answer = workspace.ask(f"Who sold {HOSTILE} in spring?", TaskContext(), "lab:walk", 5)
    assert all("\n" not in why.words and "&lt;" not in why.words for why in whys(answer).values())
    assert HOSTILE in whys(answer)
