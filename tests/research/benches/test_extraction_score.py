"""The extraction score against hand-computed values."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from core.errors import BadInput
from core.progress import TaskContext
from core.research.benches.extraction import occurs, read_gold, same_key, same_name, score_extraction
from core.text.dates import date_key, dates_in
from core.types import Extraction, Passage, Triple

CORPUS = [
    {"id": "a", "title": "Get Low (song)", "text": "Get Low is a song by Dillon Francis."},
    {
        "id": "b",
        "title": "Dillon Francis",
        "text": "Dillon Francis (born October 5, 1987) is an American DJ.",
    },
    {"id": "c", "title": "Oslo", "text": "Oslo is a city."},
]
QUESTIONS = [
    {
        "id": "1",
        "supporting": ["a", "b"],
        "triples": [
            ["Get Low", "performer", "Dillon Francis"],
            ["Dillon Francis", "date of birth", "5 October 1987"],
        ],
    },
    {"id": "2", "supporting": ["a"], "triples": [["Get Low", "performer", "Dillon Francis"]]},
    {"id": "3", "supporting": ["b"], "triples": [["Dillon Francis", "country", "United States"]]},
    {"id": "4", "supporting": ["b"], "triples": [["Dillon Francis", "spouse", "Nobody"]]},
    {"id": "5", "supporting": ["c"]},
]


class Scripted:
    """Returns the given triples."""

    name, version = "scripted", "1"

    def __init__(self, triples: dict[str, list[tuple[str, str, str]]]) -> None:
        self._triples = triples
        self.passage_ids: list[str] = []

    def extract(self, passages: Sequence[Passage], context: TaskContext) -> Iterator[Extraction]:
        for passage in passages:
            self.passage_ids.append(passage.id)
            triples = (
                Triple(s, p, o, passage.id, 0, 1, 1.0) for s, p, o in self._triples.get(passage.id, [])
            )
            yield Extraction((), tuple(triples))


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    for name, rows in (("corpus", CORPUS), ("questions", QUESTIONS)):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return tmp_path


def test_shares_are_those_counted_by_hand(dataset: Path) -> None:
    extractor = Scripted({
        "a": [("Dillon Francis's debut", "song of", "Get Low")],  # within, and the other way round
        "b": [("Dillon Francis", "born on", "October 5, 1987"), ("Dillon Francis", "is", "American")],
    })  # fmt: skip
    score = score_extraction(dataset, extractor, TaskContext())
    assert score.gold == 4
    assert score.joined == 3 / 4
    assert score.exact == 0
    assert score.possible == 3 / 4  # "Nobody" stands nowhere
    assert score.triples_per_passage == 3 / 2
    assert extractor.passage_ids == ["a", "b"]


def test_equal_names_are_exact(dataset: Path) -> None:
    score = score_extraction(dataset, Scripted({"a": [("Get Low", "by", "Dillon Francis")]}), TaskContext())
    assert (score.joined, score.exact) == (1 / 4, 1 / 4)
    assert score.possible == 3 / 4  # the other two could have been


def test_a_triple_of_another_passage_does_not_count(dataset: Path) -> None:
    elsewhere = Scripted({"b": [("Get Low", "by", "Dillon Francis")]})
    assert score_extraction(dataset, elsewhere, TaskContext()).joined == 0


def test_gold_triples_are_tied_to_the_smallest_question(dataset: Path) -> None:
    gold = {triple.predicate: triple.passages for triple in read_gold(dataset)}
    assert gold["performer"] == ("a",)
    assert gold["date of birth"] == ("a", "b")


def test_names_match_in_their_spellings() -> None:
    assert same_name("5 October 1987", "October 5th, 1987")
    assert same_name("American film director", "United States")
    assert same_name("George Marshall (director)", "George Marshall")
    assert not same_name("Ann", "Anna Berg")
    assert not same_name("", "Anna")
    assert same_key("The Beatles", "beatles")
    assert not same_key("Anna", "Anna Berg")
    assert occurs("1987-10-05", "born on 5 October 1987 in Oslo")
    assert not occurs("5 October 1988", "born on 5 October 1987 in Oslo")


def test_dates_are_read_in_all_spellings() -> None:
    assert {date_key(t) for t in ("5 Oct. 1987", "October 5, 1987", "1987-10-05")} == {"1987-10-05"}
    assert date_key("October 1987") == "1987-10"
    assert date_key("1987") == date_key("the 5 October 1987 issue") == ""
    assert dates_in("from 1 May 1900 to June 2, 1901") == {"1900-05-01", "1901-06-02"}


def test_a_set_without_gold_triples_is_refused_in_words(dataset: Path) -> None:
    (dataset / "questions.jsonl").write_text(json.dumps(QUESTIONS[4]), encoding="utf-8")
    with pytest.raises(BadInput, match="no gold triples"):
        score_extraction(dataset, Scripted({}), TaskContext())
    with pytest.raises(BadInput, match="cannot be read"):
        read_gold(dataset / "missing")
