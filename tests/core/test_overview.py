"""Answers about all documents: what is told of which community, in which order, and word for word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from core.models import Models
from core.overview.choosing import MOST, choose_points
from core.overview.chronology import dated_points
from core.progress import TaskContext
from core.types import Answer, Citation, CommunityReport, DatedFact, Statement
from core.workspace import Workspace


@pytest.fixture(scope="module")
def workspace(sample_path: Path, models: Models) -> Iterator[Workspace]:
    opened = Workspace.open(sample_path, models=models, read_only=True)
    yield opened
    opened.close()


def asked(workspace: Workspace, question: str) -> Answer:
    answer = workspace.ask(question, TaskContext())
    assert answer.trace.route.name == "global", question
    return answer


def test_a_broad_question_hears_each_top_community_once(workspace: Workspace) -> None:
    answer = asked(workspace, "What are the main themes?")
    tops = {community.id for community in workspace.communities() if community.parent_id is None}
    told = [citation.community for citation in answer.citations]
    assert len(told) == len(set(told)) == min(len(tops), MOST)
    assert set(told) == {community.id for community in answer.communities} <= tops
    for sentence, citation in zip(answer.sentences, answer.citations, strict=True):
        text = workspace.document_text(citation.document_id)
        assert text[citation.start : citation.end] == citation.quote == sentence
    scores = [evidence.hit.score for evidence in answer.evidence]
    assert scores == sorted(scores, reverse=True)
    assert 0 < scores[-1] <= scores[0] < 1


def test_a_time_line_is_told_by_date(workspace: Workspace) -> None:
    answer = asked(workspace, "Give me a timeline of events")
    years = [min(re.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", sentence)) for sentence in answer.sentences]
    assert len(years) > 8
    assert sum(a > b for a, b in pairwise(years)) <= 1  # one sentence may hold two years
    assert answer.text.startswith(f"From {min(years)}")
    assert len({citation.community for citation in answer.citations}) == 1  # told by date, not by community
    assert answer.communities


@pytest.mark.parametrize(
    ("question", "begin", "label"),
    [
        ("Who are the people in these documents?", "The people named most: ", "PERSON"),
        ("Which companies play a role?", "The organisations named most: ", "ORG"),
    ],
)
def test_a_kind_of_thing_is_named(workspace: Workspace, question: str, begin: str, label: str) -> None:
    answer = asked(workspace, question)
    assert answer.text.startswith(begin)
    labels = {entity.name: entity.label for entity in workspace.entities()}
    names = answer.text.removeprefix(begin).removesuffix(".").split(", ")
    assert len(names) >= 5
    assert all(labels[name] == label for name in names)
    assert len(answer.sentences) == len(set(answer.sentences)) == len(names)
    for name, sentence, place in zip(names, answer.sentences, answer.citations, strict=True):
        assert name.split()[0] in sentence
        assert workspace.document_text(place.document_id)[place.start : place.end] == sentence
    assert {labels[entity.name] for entity in workspace.entities() if entity.id in answer.trace.heat} == {
        label
    }
    assert all(each.why and each.why.words.startswith("tells of ") for each in answer.evidence)


def test_the_same_question_has_the_same_answer(workspace: Workspace) -> None:
    one, two = (asked(workspace, "Summarise these documents") for _ in range(2))
    assert (one.text, one.sentences, one.communities) == (two.text, two.sentences, two.communities)


# ------------------------------------------------------------ without a workspace


def citation(passage: str, start: int, quote: str) -> Citation:
    return Citation(passage, "d", "d.txt", "D", None, start, start + len(quote), quote)


def report(key: int, said: tuple[Citation, ...], dated: tuple[tuple[str, Citation], ...]) -> CommunityReport:
    return CommunityReport(
        community_id=key,
        level=3,
        title=f"Community {key}",
        statements=tuple(Statement(place.quote, (place,)) for place in said),
        entities=(),
        facts=(),
        timeline=tuple(DatedFact(date, place.quote, place) for date, place in dated),
        documents=(),
        written_by="rules",
    )


def vectors(passages: object) -> np.ndarray:
    return np.ones((len(list(passages)), 2), np.float32) / np.sqrt(2).astype(np.float32)  # type: ignore[call-overload]


QUESTION = np.array([1.0, 0.0], np.float32)


def test_dates_are_told_once_in_order_and_where_the_sentence_says_them() -> None:
    early, late = citation("p1", 0, "Founded in 1974."), citation("p1", 50, "Sold on 2 May 1999.")
    silent, same = citation("p2", 200, "From: somebody"), citation("p3", 50, "Sold on 2 May 1999.")
    mute = citation("p4", 90, "A. (2018).")
    large = report(1, (late,), (("1974", early), ("1999-05-02", late), ("2018", mute)))
    small = report(2, (), (("1980", silent), ("1999-05-02", same)))
    found = dated_points([small, large], {1: 30, 2: 10})
    assert [point.statement.text for point in found.points] == [early.quote, late.quote]
    assert [r.community_id for r in found.reports] == [1]  # the other one has nothing that was not said
    assert found.in_order
    assert dated_points([report(3, (early,), ())], {}).points == ()


def test_what_was_said_is_not_said_again() -> None:
    place, other = citation("p1", 0, "The ship sank."), citation("p1", 40, "Nobody was hurt.")
    found = choose_points(
        [report(1, (place,), ()), report(2, (place, other), ())], {1: 9, 2: 8}, QUESTION, vectors, True
    )
    texts = [point.statement.text for point in found.points]
    assert texts.count("The ship sank.") == 1
    assert choose_points([], {}, QUESTION, vectors, True).points == ()
