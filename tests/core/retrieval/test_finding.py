"""What the one box of the window finds, over a real workspace."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.answering.models import Models
from core.errors import BadInput
from core.progress import TaskContext
from core.retrieval.quick_search import KINDS
from core.types import SearchResult
from core.workspace import Workspace
from tests.conftest import written

TEXTS = {
    "ilves.txt": "Marta Ilves founded Ilves Shipping in Tallinn in 1998. Otto Kask commands the Northern Star. "
    "Ilves Shipping owns the Northern Star.",
    "kask.txt": "Otto Kask was born in Tartu. Otto Kask commands the Northern Star. Otto Kask met Marta Ilves.",
    "star.txt": "The Northern Star sails from Tallinn to Bergen. Marta Ilves met Tallinn Timber Company in Tallinn.",
    "Bergen.txt": "Sigrid Moe founded Moe Trading in Bergen. Sigrid Moe met Jon Dahl. Jon Dahl works for Moe Trading.",
}


@pytest.fixture(scope="module")
def workspace(models: Models, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    place: Path = tmp_path_factory.mktemp("finding")
    opened = Workspace.open(place / "workspace", create=True, models=models)
    opened.index(written(place / "papers", TEXTS), TaskContext(), digest=False)
    yield opened
    opened.close()


def of_kind(found: list[SearchResult], kind: str) -> list[SearchResult]:
    return [result for result in found if result.kind == kind]


def test_a_name_finds_all_that_is_known_of_it_in_the_order_of_the_kinds(workspace: Workspace) -> None:
    found = workspace.search("Otto Kask", 20)
    assert (found[0].kind, found[0].title) == ("entity", "Otto Kask")
    kinds = [result.kind for result in found[1:]]
    assert kinds == sorted(kinds, key=KINDS.index)
    assert {"fact", "passage"} <= set(kinds)


def test_what_is_called_exactly_so_comes_before_what_only_begins_so(workspace: Workspace) -> None:
    names = [result.title for result in of_kind(workspace.search("tallinn", 20), "entity")]
    assert names[0] == "Tallinn" and "Tallinn Timber Company" in names
    assert workspace.search("bergen")[0].kind == "entity"
    assert {"entity", "document"} <= {result.kind for result in workspace.search("bergen")[:2]}


def test_the_kind_of_a_name_is_stated_in_words(workspace: Workspace) -> None:
    found = of_kind(workspace.search("Otto Kask", 20), "entity")
    assert found[0].detail.startswith("person, in ")
    every = [
        result.detail
        for name in ("tallinn", "star")
        for result in of_kind(workspace.search(name, 20), "entity")
    ]
    assert every and not [
        stated for stated in every if stated.split(",")[0] in ("org", "gpe", "fac", "norp", "other")
    ]


def test_a_fact_is_found_by_words_of_both_its_ends(workspace: Workspace) -> None:
    facts = of_kind(workspace.search("kask northern", 20), "fact")
    assert facts and "Otto Kask" in facts[0].title and "Northern Star" in facts[0].title
    fact = workspace.graph.fact(facts[0].id)
    for triple in fact.triples:
        reported = workspace.passages.get(triple.passage_id).text[triple.start : triple.end]
        assert "Otto Kask" in reported and "Northern Star" in reported
    assert len(fact.triples) == 2  # two documents say it


def test_a_fact_that_holds_only_some_of_the_words_is_none(workspace: Workspace) -> None:
    assert of_kind(workspace.search("kask moe", 20), "fact") == []


def test_a_word_is_found_while_it_is_typed(workspace: Workspace) -> None:
    assert any("Sigrid Moe" in fact.title for fact in of_kind(workspace.search("Sigrid Mo", 20), "fact"))


def test_a_fact_that_is_gone_says_so(workspace: Workspace) -> None:
    with pytest.raises(BadInput, match="no longer"):
        workspace.graph.fact("no such fact")


def test_a_community_is_found_by_any_words_of_its_title(workspace: Workspace) -> None:
    for community in workspace.graph.communities():
        words = community.label.replace(",", "").split()
        typed = " ".join(reversed(words)).upper()
        found = of_kind(workspace.search(typed, 20, ("community",)), "community")
        assert (str(community.id), community.label) in [(row.id, row.title) for row in found]


def test_a_title_is_searched_letter_by_letter(workspace: Workspace) -> None:
    for typed in ("%", "_", '"', "\\", "title", "statements"):
        assert of_kind(workspace.search(typed, 20), "community") == [], typed


def test_only_the_kinds_that_are_wanted(workspace: Workspace) -> None:
    for kind in KINDS:
        assert {result.kind for result in workspace.search("Northern Star", 20, (kind,))} <= {kind}
    assert of_kind(workspace.search("Northern Star", 20, ("fact",)), "fact")


@pytest.mark.parametrize("limit", [0, 2, 40])
def test_no_more_lines_than_wanted_and_none_twice(workspace: Workspace, limit: int) -> None:
    found = workspace.search("Northern Star", limit)
    assert len(found) <= limit
    assert len({(row.kind, row.id) for row in found}) == len(found)
    assert not limit or found[0].title == "Northern Star"


def test_kinds_that_find_nothing_leave_their_lines_to_others(workspace: Workspace) -> None:
    complete = of_kind(workspace.search("sails", 40), "passage")
    assert len(of_kind(workspace.search("sails", 3), "passage")) == min(3, len(complete))
