"""Every retriever of the catalogue over a small, real corpus; names of a question."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from core.answering.models import Models
from core.errors import BadInput, WorkspaceError
from core.extraction.names import normalise
from core.progress import Cancelled, TaskContext
from core.retrieval.corpus import Corpus, sentence_entities
from core.retrieval.routes import ROUTES
from core.retrieval.seeds import names_in_question
from core.text.sentences import sentences
from core.types import Passage
from core.types.kinds import stable_id
from core.workspace import Workspace

TEXTS = {
    "The Salt Road": "The Salt Road is a 1971 film directed by Marta Ilves. It was shot in Tallinn.",
    "Marta Ilves": "Marta Ilves was an Estonian director. She was born in Haapsalu on 4 May 1930.",
    "Haapsalu": "Haapsalu is a seaside town in Estonia. It is known for its mud baths.",
    "Grain prices": "Grain prices rose by four percent in March. Traders expect a calm summer.",
    "Otto Kask": "Otto Kask was a composer. He wrote the music of The Salt Road.",
}
QUESTION = "Where was the director of The Salt Road born?"


def passage(title: str, text: str) -> Passage:
    key = stable_id("passage", title)
    return Passage(
        key, stable_id("document", key), 0, title, text, 0, len(text), None, tuple(sentences(text))
    )


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Iterator[Workspace]:
    opened = Workspace.open(tmp_path_factory.mktemp("retrieval") / "w", create=True, models=models)
    opened.index_passages([passage(*item) for item in TEXTS.items()], TaskContext())
    yield opened
    opened.close()


@pytest.mark.parametrize("route", sorted(ROUTES))
def test_ranks_are_sorted_and_k_is_respected(workspace: Workspace, route: str) -> None:
    for k in (1, 50):
        _, found = workspace.retrieve(QUESTION, TaskContext(), route, k)
        assert 1 <= len(found.hits) <= min(k, len(TEXTS))
        assert [hit.rank for hit in found.hits] == list(range(1, len(found.hits) + 1))
        scores = [hit.score for hit in found.hits]
        assert scores == sorted(scores, reverse=True)
        assert len({hit.passage_id for hit in found.hits}) == len(found.hits)
        assert found.stages
    with pytest.raises(Cancelled):
        workspace.retrieve(QUESTION, TaskContext(cancelled=lambda: True), route, 3)


def test_an_empty_workspace_names_the_remedy(tmp_path: Path) -> None:
    with Workspace.open(tmp_path, create=True) as empty:
        for route in ROUTES:
            with pytest.raises(WorkspaceError, match="clew index"):
                empty.retrieve(QUESTION, TaskContext(), route, 3)


def test_the_walk_reaches_the_second_hop(workspace: Workspace) -> None:
    """The director's own passage does not name the film; the graph leads there."""
    _, found = workspace.retrieve(QUESTION, TaskContext(), "lab:walk", 3)
    titles = [workspace.passages.get(hit.passage_id).title for hit in found.hits]
    assert {"The Salt Road", "Marta Ilves"} < set(titles)
    assert "Grain prices" not in titles
    names = {workspace.graph.entity(seed.entity_id).name: seed.reason for seed in found.seeds}
    assert names["Salt Road"] == "named in the question"
    assert sum(seed.weight for seed in found.seeds) <= 1.0 + 1e-9
    assert all(0 < mass <= 1 for mass in found.heat.values())
    hottest = workspace.graph.entity(max(found.heat, key=lambda entity: found.heat[entity])).name
    assert hottest == "Salt Road"


def test_unknown_routes_are_refused_in_words(workspace: Workspace) -> None:
    with pytest.raises(BadInput, match="dense"):
        workspace.ask(QUESTION, TaskContext(), route="psychic")


def named(*entities: tuple[str, str, int], passages: int = 100) -> Corpus:
    """A corpus of nothing but names: name, label, number of the passages that hold it."""
    names, labels, counts = zip(*entities, strict=True)
    rows: dict[str, tuple[int, ...]] = {}
    for at, name in enumerate(names):
        rows[normalise(name)] = (*rows.get(normalise(name), ()), at)
    graph = SimpleNamespace(passage_keys=np.arange(passages))
    held = SimpleNamespace(
        entity_rows=rows, entity_labels=labels, entity_passages=np.array(counts), graph=graph
    )
    return cast(Corpus, held)


def test_names_in_a_question_longest_first() -> None:
    corpus = named(
        ("Salt Road", "FAC", 1),
        ("The Salt Road Company", "ORG", 1),
        ("road", "NOUN", 1),
        ("1971", "DATE", 1),
        ("Who", "OTHER", 1),
        ("salt road", "WORK", 1),
    )
    assert names_in_question("Who runs The Salt Road Company?", corpus) == {1: "The Salt Road Company"}
    assert names_in_question("Which road is the Salt Road?", corpus).keys() == {0, 5}
    assert names_in_question("what happened in 1971?", corpus).keys() == {3}
    assert names_in_question("", corpus) == {}


def test_without_capitals_rare_proper_names_are_named() -> None:
    corpus = named(
        ("Otto Kask", "PERSON", 2),
        ("Parnu", "GPE", 3),
        ("Chief Engineer", "OTHER", 1),
        ("Estonia", "GPE", 40),
    )
    asked = "did otto kask, the chief engineer, leave parnu in estonia"
    assert names_in_question(asked, corpus) == {0: "otto kask", 1: "parnu"}
    assert names_in_question(asked.replace("estonia", "Estonia"), corpus).keys() == {0, 1, 3}
    assert names_in_question("Parnu or Tartu?", corpus).keys() == {1}, "also the first of the question"


def test_sentence_entities_keep_to_their_passage() -> None:
    sentence_rows = np.array([[0, 0], [0, 50], [1, 10], [2, 0]])
    mentions = np.array([[0, 5, 3], [0, 6, 55], [0, 6, 60], [1, 7, 2], [1, 5, 30], [2, 8, 900]])
    starts, named = sentence_entities(mentions, sentence_rows, sentence_rows[:, 0])
    lists = [named[a:b].tolist() for a, b in pairwise(starts)]
    assert lists == [[5], [6], [5, 7], [8]]
