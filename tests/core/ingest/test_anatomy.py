"""A passage taken apart: what comes out is what the workspace holds, and all else is told with its reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from core.answering.models import Models
from core.errors import BadInput
from core.extraction.prompts import VERSION
from core.progress import TaskContext
from core.store.replies import StoredReply
from core.types import Anatomy, Passage, Sentence, Usage
from core.workspace import Workspace

Look = Callable[..., Anatomy]


def passage_ids(workspace: Workspace) -> list[str]:
    return [one.id for each in workspace.documents.all() for one in workspace.passages.of_document(each.id)]


@pytest.fixture
def look(tmp_path: Path, models: Models) -> Look:
    """The anatomy of a text, the only passage of its workspace."""

    def anatomy(text: str, language: str = "") -> Anatomy:
        workspace = Workspace.open(tmp_path / "workspace", create=True, models=models)
        with workspace:
            sentence = Sentence(0, len(text))
            passage = Passage(
                "p1", "d1", 0, "Notes", text, 0, len(text), None, (sentence,), language=language
            )
            workspace.index_passages([passage], TaskContext())
            (id,) = passage_ids(workspace)
            return workspace.passages.anatomy(id)

    return anatomy


def reasons(found: Anatomy) -> dict[str, str]:
    return {one.words: one.reason for one in found.rejected}


@pytest.mark.long
def test_each_passage_of_the_sample_gives_what_the_workspace_holds(sample_workspace: Workspace) -> None:
    for id in passage_ids(sample_workspace):
        found = sample_workspace.passages.anatomy(id)
        assert found.matches_store, found.passage.title
        text = found.passage.text
        for one in (*found.mentions, *found.triples, *found.rejected, *found.references, *found.sentences):
            assert 0 <= one.start <= one.end <= len(text)
        for sentence in found.sentences:
            for token in sentence.tokens:
                assert " ".join(text[token.start : token.end].split()) == token.text
                assert 0 <= token.head < len(sentence.tokens)


def test_a_sentence_is_parsed(look: Look) -> None:
    found = look("Anna Kask bought the Grey Petrel in 2019.")
    (sentence,) = found.sentences
    by_text = {token.text: token for token in sentence.tokens}
    assert by_text["bought"].lemma == "buy"
    assert by_text["bought"].dep == "ROOT"
    assert sentence.tokens[by_text["Kask"].head].text == "bought"
    assert by_text["Kask"].pos == "PROPN"
    assert ("Anna Kask", "PERSON") in {(mention.text, mention.label) for mention in found.mentions}
    assert ("Anna Kask", "bought", "Grey Petrel") in {
        (t.subject, t.predicate, t.object) for t in found.triples
    }
    assert found.grammar == "en"


def test_what_is_not_put_as_so_is_marked(look: Look) -> None:
    (triple,) = look("Otto Lind must have met Anna Kask.").triples
    assert (triple.put_predicate, triple.assertion) == ("met (possible)", "possible")


@pytest.mark.parametrize(("text", "words", "reason"), [
    ("They moved to Tartu in 2019.", "They", "a pronoun that stands for no name here"),
    ("They moved to Tartu in 2019.", "They / moved to / Tartu", "subject is a pronoun"),
    ("Anna Kask left Tartu on 19 December.", "Anna Kask / left on / 19 December", "a date without a year"),
    ("Mr King and the Director met Anna Kask.", "Director", "a title"),
])  # fmt: skip
def test_what_is_rejected_says_why(look: Look, text: str, words: str, reason: str) -> None:
    assert reason in reasons(look(text))[words]


def test_names_of_a_language_without_grammar_are_capitalised(look: Look) -> None:
    found = look("Die Firma Anna Kask Werke kaufte das Schiff in Tartu.", "de")
    assert (found.grammar, found.triples, found.matches_store) == ("", (), True)
    assert "Tartu" in {mention.text for mention in found.mentions} or found.mentions
    assert all(not sentence.tokens for sentence in found.sentences)


def test_a_passage_that_is_gone_is_refused(sample_workspace: Workspace) -> None:
    with pytest.raises(BadInput):
        sample_workspace.passages.anatomy("gone")


def test_a_reply_of_a_model_comes_with_what_was_dropped(sample_copy: Path, models: Models) -> None:
    with Workspace.open(sample_copy, models=models) as workspace:
        id = passage_ids(workspace)[0]
        name = workspace.passages.get(id).text.split()[0]
        entities = json.dumps(
            {"entities": [{"name": name, "kind": "person"}, {"name": "Zzyzx Qa", "kind": "place"}]}
        )
        triples = json.dumps({"triples": [{"subject": name, "predicate": "saw", "object": "Zzyzx Qa"}]})
        for step, reply in (("entities", entities), ("triples", triples)):
            workspace._store.replies.put(
                id, step, "ollama:m", VERSION, StoredReply(reply, Usage(1, 1, 1, 1.0), 1)
            )
        workspace._store.settings.set("extractor", f"ollama:m prompts-{VERSION}")
        found = workspace.passages.anatomy(id)
    assert [(reply.step, reply.text) for reply in found.replies] == [
        ("entities", entities),
        ("triples", triples),
    ]
    assert [[one.words for one in reply.dropped] for reply in found.replies] == [
        ["Zzyzx Qa"], [f"{name} / saw / Zzyzx Qa"],
    ]  # fmt: skip
    assert not found.matches_store
    assert all(not sentence.tokens for sentence in found.sentences)


def test_an_unreadable_reply_of_a_model_comes_as_it_is(sample_copy: Path, models: Models) -> None:
    with Workspace.open(sample_copy, models=models) as workspace:
        id = passage_ids(workspace)[0]
        reply = StoredReply("{broken", Usage(1, 1, 1, 1.0))
        workspace._store.replies.put(id, "entities", "ollama:m", VERSION, reply)
        workspace._store.settings.set("extractor", "mixed:m 1")
        found = workspace.passages.anatomy(id)
    assert [(reply.text, reply.dropped) for reply in found.replies] == [("{broken", ())]
    assert found.sentences[0].tokens, "the rules read it all the same"
