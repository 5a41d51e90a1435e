"""Dates, amounts, stems and what a sentence is about."""

from __future__ import annotations

import pytest

from core.answering.amounts import find_amounts
from core.answering.dates import earlier, find_dates
from core.answering.reading import read
from core.answering.words import stem, words
from tests.core.answering.case import candidate, vector


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("on 4 March 1890 in", [("4 March 1890", 1890, 3, 4)]),
        ("on March 4, 1890, in", [("March 4, 1890", 1890, 3, 4)]),
        ("2021-03-13 and 2021-04-01", [("2021-03-13", 2021, 3, 13), ("2021-04-01", 2021, 4, 1)]),
        ("in October 1950.", [("October 1950", 1950, 10, 0)]),
        ("the 4th of May 1901", [("4th of May 1901", 1901, 5, 4)]),
        ("Sept. 3, 1999", [("Sept. 3, 1999", 1999, 9, 3)]),
        ("from 1901 to 1980", [("1901", 1901, 0, 0), ("1980", 1980, 0, 0)]),
        ("on 13 March", [("13 March", 0, 3, 13)]),
        ("paid 1,950 and $1950 for 19500 in no year", []),
    ],
)
def test_dates(text: str, found: list[tuple[str, int, int, int]]) -> None:
    assert [(text[d.start : d.end], d.year, d.month, d.day) for d in find_dates(text)] == found


@pytest.mark.parametrize(
    ("left", "right", "answer"),
    [
        ("1890", "1901", True),
        ("3 June 1980", "2 June 1980", False),
        ("June 1980", "July 1980", True),
        ("1980", "June 1980", None),
        ("1980", "1980", None),
        ("13 March", "1980", None),
    ],
)
def test_which_date_is_earlier(left: str, right: str, answer: bool | None) -> None:
    assert earlier(find_dates(left)[0], find_dates(right)[0]) is answer


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("paid $12,500 at last", [("MONEY", "$12,500")]),
        ("paid EUR 4,900,000.", [("MONEY", "EUR 4,900,000")]),
        ("cost 3.5 million euros", [("MONEY", "3.5 million euros")]),
        ("a share of 12 %", [("PERCENT", "12 %")]),
        ("left at 02:40", [("TIME", "02:40")]),
        ("left at 7 a.m. sharp", [("TIME", "7 a.m.")]),
        ("lost 26 containers", [("CARDINAL", "26")]),
        ("lost seven crates", [("CARDINAL", "seven")]),
    ],
)
def test_amounts(text: str, found: list[tuple[str, str]]) -> None:
    assert [(label, text[a:b]) for label, a, b in find_amounts(text, words(text))] == found


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("directed", "director"),
        ("paid", "payment"),
        ("composer", "composed"),
        ("wrote", "writer"),
        ("cities", "city"),
    ],
)
def test_forms_of_a_word_share_a_stem(left: str, right: str) -> None:
    assert stem(left) == stem(right)


def test_different_words_keep_different_stems() -> None:
    assert len({stem(w) for w in ("ship", "shop", "sea", "seal", "port", "part")}) == 6


def test_what_a_sentence_is_about() -> None:
    text = "Einar Voss was a sailor. He sold his boat. Rain fell for days. Nobody knew why."
    other = candidate("Weather", "Rain fell on Bergen. Marta Holm saw Einar Voss there.", 2)
    reading = read([candidate("Einar Voss", text), other], vector("Einar Voss"))
    about = reading.about("einar voss")
    assert about[0] == 1.0  # named, under its own title
    assert about[1] > about[2] > 0.0  # a pronoun under the title, then anything under the title
    assert about[4] == 0.0  # another document, before the name
    assert about[5] == 0.9
    assert set(reading.about("einar vossen")) == {0.0}


def test_life_dates_have_roles() -> None:
    line = read([candidate("V", "Einar Voss (4 March 1890 – 17 August 1957) sailed.")], vector("x")).lines[0]
    assert {s.text: s.role for s in line.spans if s.label == "DATE"} == {
        "4 March 1890": "birth",
        "17 August 1957": "death",
    }
