"""Sentences: the cases that rules get wrong, and the promises for any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.sentences import LONGEST, sentences
from tests.growth import FINE, assert_linear


def cut(text: str) -> list[str]:
    return [text[sentence.start : sentence.end] for sentence in sentences(text)]


@pytest.mark.parametrize(
    "expected",
    [
        ["Mr. J. R. Smith met Dr. Lund.", "They left."],
        ["See No. 5 and Fig. 3 on p. 12.", "No.", "He did not."],
        ["He paid $3.50 to Acme Inc. for it.", "It cost 1.2 million."],
        ["She joined Acme Inc.", "The firm grew."],
        ["The U.S. Senate met.", "It met in the U.S.", "The vote failed."],
        ["He came in Jan. 2020 and left on 5 Nov. 2021.", "Nobody saw him."],
        ["Some tools, e.g. Clew, i.e. this one, work.", "Others vs. Clew do not."],
        ["At 10 a.m. the ship left.", "At 5 p.m.", "The ship sank."],
        ["St. Petersburg is big.", "Smith et al. (2020) show it."],
        ['"Really?" she asked.', '"Yes."', "He left… then came back.", "Done!"],
        ["He was born in 1998.", "12 men came."],
        ["Plan B.", "He chose it."],
        ["So held in Orr v. Pell, 12 F. Supp. 345 (D. Mass. 1998).", "The appeal failed."],
        ["See 88 Harv. L. Rev. 123 (1975).", "It was cited."],
        ["It follows Pub. L. No. 104-191, 110 Stat. 1936.", "Nobody read it."],
        ["Under Fed. R. Civ. P. 12(b)(6) it falls.", "Civ. A. No. 98-123 was filed.", "It failed."],
        ["The rule is in 63 Fed. Reg. 12,345 and 40 C.F.R. 60.", "It is old."],
        ["It is 5 Bankr. 33 (Bankr. S.D.N.Y. 2001) or 12 Cal. 4th 55, 57.", "Then it ended."],
        ["J. Biol. Chem. 274, 1999 tells it.", "Phys. Rev. Lett. 12 (2001) does not.", "So what?"],
        ["He sued in Oreg., where he lived.", "The Oreg. Supreme Court agreed.", "He paid."],
        [
            "He met J. Bond.",
            "Mary left for Rome.",
            "12 men came.",
            "He moved to Rome.",
            "Vol. 3 came out later.",
        ],
        ["Er kaufte 12 Boote.", "5 davon sanken.", "Es blieben 7 Euro.", "3 (drei) Boote fuhren."],
        ["他来了。", "她走了！"],
    ],
)
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


@pytest.mark.long
@pytest.mark.parametrize(
    "unit", ["lorem ipsum ", "x", ". ", ".", " ", "\n", "(Ab. 1 ", "Ab. Cd. 12 ", "Ab.,"]
)
def test_a_megabyte_on_one_line_takes_no_longer(unit: str) -> None:
    text = unit * (1_000_000 // len(unit) // (4 if len(unit) < 3 else 1))
    assert all(sentence.end - sentence.start <= LONGEST for sentence in sentences(text))
    assert_linear(sentences, text, FINE)
