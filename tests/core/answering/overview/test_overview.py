"""Answers about all documents: themes, names and dates, each with a sentence of a document word for word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from core.answering.models import Models
from core.answering.overview.named import dated_points, in_periods
from core.progress import TaskContext
from core.store.passages import StoredPassage
from core.types import Answer, Citation, CommunityReport, DatedFact
from core.types.stages import ChosenStatements
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


def test_a_broad_question_is_reported_by_themes_each_with_its_share(workspace: Workspace) -> None:
    answer = asked(workspace, "What are the main themes?")
    reported = [citation.community for citation in answer.citations]
    assert len(reported) == len(set(reported)) >= 3
    assert reported == [community.id for community in answer.communities]
    assert set(reported) <= {community.id for community in workspace.graph.communities()}
    for sentence, citation, theme in zip(answer.sentences, answer.citations, answer.communities, strict=True):
        text = workspace.documents.text(citation.document_id)
        assert text[citation.start : citation.end] == citation.quote == sentence
        assert theme.title in answer.text and not sentence.endswith("?")
        assert any(
            word.casefold()[:5] in sentence.casefold() for word in theme.title.replace(",", "").split()
        )
    chosen = next(stage.data for stage in answer.trace.stages if isinstance(stage.data, ChosenStatements))
    assert [row.words for row in chosen.statements][: len(answer.sentences)] == list(answer.sentences)
    shares = [int(share) for share in re.findall(r"\((\d+)%\)", answer.text)]
    assert len(shares) == len(answer.sentences)
    assert 0 < answer.confidence < 1 and abs(100 * answer.confidence - sum(shares)) <= len(shares)


def test_a_question_about_one_kind_of_thing_is_reported_by_what_is_near_to_it(
    workspace: Workspace, models: Models
) -> None:
    broad = asked(workspace, "What are the main themes?")
    overview = workspace.retrieval.asker().overview
    question = "What damages are described across all documents?"
    found = overview.look(models.parse(question), models.embed_question(question), False)
    assert found is not None and found.line.startswith("What is near to the question")
    assert (
        found.is_nearby and not broad.guess and asked(workspace, "What claims were made?").guess
    )  # it may ask for one thing
    scores = [point.score for point in found.points]
    assert scores == sorted(scores, reverse=True) and 0 < found.share < broad.confidence
    assert {point.citation.quote for point in found.points} != set(broad.sentences)


def test_a_time_line_is_reported_by_date(workspace: Workspace) -> None:
    answer = asked(workspace, "Give me a timeline of events")
    years = [min(re.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", sentence)) for sentence in answer.sentences]
    assert len(years) > 8 and years[0] == min(years)
    assert answer.text.startswith(f"From {min(years)}")
    assert {citation.community for citation in answer.citations} == {None}  # by date, not below titles
    assert answer.communities and 0 < answer.confidence < 1


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
    labels = {entity.name: entity.label for entity in workspace.graph.entities()}
    names = answer.text.removeprefix(begin).removesuffix(".").split(", ")
    assert len(names) >= 5
    assert all(labels[name] == label for name in names)
    assert len(answer.sentences) == len(set(answer.sentences)) == len(names)
    for name, sentence, place in zip(names, answer.sentences, answer.citations, strict=True):
        assert name.split()[0] in sentence
        assert workspace.documents.text(place.document_id)[place.start : place.end] == sentence
    heated = {labels[entity.name] for entity in workspace.graph.entities() if entity.id in answer.trace.heat}
    assert heated == {label}
    assert all(each.why and each.why.words.startswith("tells of ") for each in answer.evidence)
    assert 0 < answer.confidence < 1


# ------------------------------------------------------------ without a workspace


def citation(start: int, quote: str) -> Citation:
    return Citation("p", "d", "d.txt", "D", None, start, start + len(quote), quote)


def report(key: int, dated: tuple[tuple[str, Citation], ...]) -> CommunityReport:
    facts = tuple(DatedFact(date, place.quote, place) for date, place in dated)
    return CommunityReport(key, 3, f"Community {key}", (), (), (), facts, ())


def test_dates_are_reported_once_in_order_and_where_the_sentence_says_them() -> None:
    places = [(str(year), citation(year, f"Sold in {year}.")) for year in range(1990, 1995)]
    silent, mute = ("1980", citation(1, "From: somebody")), ("2018", citation(2, "A. (2018)."))
    found = dated_points([report(1, (*reversed(places), mute)), report(2, (places[0], silent))])
    assert [date for date, _ in found] == ["1990", "1991", "1992", "1993", "1994"]
    assert [point.citation.quote for _, point in found] == [place.quote for _, place in places]
    assert dated_points([report(3, tuple(places[:2]))]) == []  # two dates are no time line


def passage(title: str, document: str = "d") -> StoredPassage:
    created = SimpleNamespace(path="notes.txt", passage=SimpleNamespace(title=title, document_id=document))
    return cast(StoredPassage, created)


def test_documents_are_put_into_years_or_months_by_their_dates() -> None:
    def periods(*dates: str | None) -> list[tuple[str, list[int]]]:
        passages = [passage("Notes", str(at)) for at in range(len(dates))]
        found = in_periods(passages, {str(at): date for at, date in enumerate(dates)})
        return [(date, rows.tolist()) for date, rows in found]

    assert periods("2019-03-03", "2019-01-03", "2019-02-03T10:00") == [
        ("2019-01-03", [1]),
        ("2019-02-03", [2]),
        ("2019-03-03", [0]),
    ]
    years = [f"{year}-05-0{day}" for year in range(2000, 2005) for day in range(1, 6)]
    assert [date for date, _ in periods(*years)] == [f"{year}-05" for year in range(2000, 2005)]
    assert periods(None, None, None) == []
    months = [passage("Meeting 2019-01-03")]
    assert in_periods([], {}) == [] and np.size(in_periods(months[:1], {})) == 0
