"""Sentences: the cases that rules get wrong, and the promises for any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.sentences import LONGEST, sentences
from tests.growth import FINE, assert_linear


def cut(text: str) -> list[str]:
    return [text[sentence.start : sentence.end] for sentence in sentences(text)]


@pytest.mark.parametrize("expected", [
    ["Mr. J. R. Smith met Dr. Lund.", "They left."],
    ["He paid $3.50 to Acme Inc. for it.", "It cost 1.2 million."],
    ["She joined Acme Inc.", "The firm grew."],
    ["He came in Jan. 2020 and left on 5 Nov. 2021.", "Nobody saw him."],
    ["Some tools, e.g. Clew, i.e. this one, work.", "Others vs. Clew do not."],
    ["At 10 a.m. the ship left.", "At 5 p.m.", "The ship sank."],
    ['"Really?" she asked.', '"Yes."', "He left… then came back.", "Done!"],
    ["He was born in 1998.", "12 men came."],
    ["Plan B.", "He chose it."],
    ["Under Fed. R. Civ. P. 12(b)(6) it falls.", "Civ. A. No. 98-123 was filed.", "It failed."],
    ["He met J. Bond.", "Mary left for Rome.", "12 men came.", "He moved to Rome.", "Vol. 3 came out later."],
    ["Er kaufte 12 Boote.", "5 davon sanken.", "Es blieben 7 Euro.", "3 (drei) Boote fuhren."],
    ["他来了。", "她走了！"],
])  # fmt: skip
def test_cuts_where_a_person_would(expected: list[str]) -> None:
    joined = "".join(expected) if expected[0] == "他来了。" else " ".join(expected)
    assert cut(joined) == expected


def test_a_suffix_that_the_text_writes_without_a_stop_ends_its_sentence() -> None:
    assert cut("Vest Ltd sold the ship to Gull Ltd. Kyrenia Bank paid.") == [
        "Vest Ltd sold the ship to Gull Ltd.",
        "Kyrenia Bank paid.",
    ]
    assert cut("He works for Gull Ltd. Kyrenia now.") == ["He works for Gull Ltd. Kyrenia now."]


def test_lines_that_stand_for_themselves() -> None:
    lines = [
        "From: Ida Holm <ida@gull.example>, head of the audit office in Vestmar",
        "To: Bo",
        "A heading",
        "- a point that goes on for quite a while without any full stop at its end",
        "- another",
        "Clause 3. The route",
        "3. Third",
        "Date: 2021-03-04; Payer: Vest Inc.",
        "Date: 2021-03-05; Payer: Gull.",
    ]
    assert cut("\n".join(lines)) == lines


def test_lines_broken_at_the_margin_go_on() -> None:
    text = (
        "This line was broken by the right margin of a page and\nthen goes on here. The next sentence is broken at\n"
        "Vestmar too.\n\nA new paragraph"
    )
    assert cut(text) == [
        "This line was broken by the right margin of a page and\nthen goes on here.",
        "The next sentence is broken at\nVestmar too.",
        "A new paragraph",
    ]


texts = st.one_of(
    st.text(max_size=300),
    st.text(alphabet="ab. \n\t!?\"'U.S|:-1)", max_size=300),
    st.lists(
        st.sampled_from(["Mr.", "Vest", "Ltd.", "1.", "-", "a", "\n", "\n\n", "e.g.", "…", "x" * 1200])
    ).map(" ".join),
)


@given(texts)
def test_cover_all_that_is_visible_in_order_without_overlap(text: str) -> None:
    last = 0
    for sentence in sentences(text):
        assert last <= sentence.start < sentence.end <= sentence.start + LONGEST
        assert not text[last : sentence.start].strip()
        assert text[sentence.start : sentence.end] == text[sentence.start : sentence.end].strip()
        last = sentence.end
    assert not text[last:].strip()


@pytest.mark.parametrize("unit", [". ", "(Ab. 1 ", "Ab.,"])
def test_one_long_line_takes_no_longer(unit: str) -> None:
    text = unit * (250_000 // len(unit))
    assert all(sentence.end - sentence.start <= LONGEST for sentence in sentences(text))
    assert_linear(sentences, text, FINE)
