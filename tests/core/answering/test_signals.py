"""What the three checks look at: each by itself, against values by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from core.answering.candidates import Candidate, place_of
from core.answering.models import Models
from core.answering.validators import (
    GROUNDING,
    RELEVANCE,
    RESOLUTION,
    Fit,
    aligned,
    find_absent_name,
    find_other_person,
    fit_of,
    reader_probability,
)
from core.models.reader import UNREAD, PassageRead, SpanRead
from core.types import (
    Answer,
    Citation,
    Complexity,
    ExtractedMention,
    Hit,
    Passage,
    Region,
    Route,
    Trace,
    check_words,
)

TEXTS = (
    "The Grey Petrel left Bergen on 4 May.",
    "The Grey Petrel is a ship of Oslo.",
    "A ship needs a crew.",
)


def candidate(at: int, text: str, *mentions: tuple[str, str]) -> Candidate:
    found = tuple(
        ExtractedMention(name, label, text.index(name), text.index(name) + len(name))
        for name, label in mentions
    )
    passage = Passage(f"p{at}", "d", at, "", text, 100 * at, 100 * at + len(text), None, ())
    return Candidate(Hit(f"p{at}", 1.0, at + 1), passage, "d.txt", np.zeros((0, 2), np.float32), found)


CHECKS = (RELEVANCE, GROUNDING, RESOLUTION)
CANDIDATES = tuple(candidate(at, text) for at, text in enumerate(TEXTS))


def answered(text: str, *rows: int, marked: tuple[int, int] | None = None) -> Answer:
    cited = tuple(
        Citation(
            f"p{at}", "d", "d.txt", "", None, 100 * at, 100 * at + len(TEXTS[at]), TEXTS[at], marked=marked
        )
        for at in rows
    )
    trace = Trace("", Route("dense", Complexity(0.1, 0.3, 0.6, ())), (), (), {}, (), 0.0)
    return Answer(text, tuple(c.quote for c in cited), cited, (), trace)


def test_rare_words_count_most_where_the_answer_is_quoted(models: Models) -> None:
    question = models.parse("When did the ship Grey Petrel leave Hull?")
    found = aligned(question, answered("4 May", 0), CANDIDATES)
    # Of three passages hold: ship 2, grey 2, petrel 2, leave 1, hull 0. The quote holds grey, petrel and leave.
    weights = {count: math.log(4 / (count + 0.5)) for count in (0, 1, 2)}
    total = 3 * weights[2] + weights[1] + weights[0]
    assert found.share == pytest.approx((2 * weights[2] + weights[1]) / total)
    assert found.lacking == ("ship", "Hull")


@pytest.mark.parametrize(
    ("question", "text", "fit"),
    [
        ("Who commands the ship?", "Ines Holm", Fit.FITS),
        ("Who commands the ship?", "a crew", Fit.OTHER),
        ("Who commands the ship?", "Someone Unknown", Fit.OPEN),
        ("When did it leave?", "4 May 1961", Fit.FITS),
        ("Was it signed in Bergen?", "Yes", Fit.FITS),
        ("What is needed?", "a crew", Fit.OPEN),
        ("Which bank lent the money?", "the Wexcombe Foundation", Fit.OTHER),
        ("Which bank lent the money?", "Moselle Credit Bank", Fit.OPEN),
        ("Which company lent the money?", "Moselle Credit Bank", Fit.OPEN),
        ("Which university did she attend?", "Imperial College", Fit.OPEN),
    ],
)
def test_the_kind_of_an_answer(models: Models, question: str, text: str, fit: Fit) -> None:
    passages = (candidate(0, "Ines Holm was born in 1961.", ("Ines Holm", "PERSON"), ("1961", "DATE")),)
    assert fit_of(models.parse(question), text, passages) is fit


def test_the_readers_probability_is_of_the_words_that_are_marked() -> None:
    spans = (SpanRead(0, 14, 5.0, 0.6, 0.9), SpanRead(20, 26, 1.0, 0.3, 0.5))
    reads = [PassageRead(UNREAD.kinds, 0.0, spans, ()), UNREAD, UNREAD]
    assert reader_probability(answered("Bergen", 0, marked=(20, 26)), CANDIDATES, reads) == 0.3
    assert reader_probability(answered("Petrel", 0), CANDIDATES, reads) == 0.6, "none marked: the likeliest"
    assert reader_probability(answered("Oslo", 1), CANDIDATES, reads) == 0.0, "a passage that was not read"
    weaker = PassageRead(UNREAD.kinds, 0.0, (SpanRead(0, 4, 0.0, 0.2, 0.5),), ())
    for rows in ((1, 0), (0, 1)):
        assert reader_probability(answered("Oslo", *rows), CANDIDATES, [reads[0], weaker, UNREAD]) == 0.6, (
            "of several quotes the surest, wherever it stands"
        )


def test_a_place_in_a_sheet_is_named_by_its_cells() -> None:
    cells = [Region(10, 20, "Payments!A12"), Region(22, 30, "Payments!B12"), Region(32, 40, "Payments!C12")]
    regions = [Region(0, 100, "Payments"), *cells]
    spans = ((10, 40), (23, 28), (15, 25))
    assert [place_of(regions, *span) for span in spans] == ["Payments!A12:C12", "Payments!B12", "Payments"]
    assert place_of([], 0, 5) == ""


def test_a_possible_answer_says_which_check_it_failed() -> None:
    failed = {name: replace(answered("4 May", 0), failed_check=name) for name in CHECKS}
    assert len({check_words(answer) for answer in failed.values()}) == len(CHECKS)
    assert all(check_words(answer) for answer in failed.values())
    assert check_words(answered("4 May", 0)) == ""
    assert check_words(replace(failed[CHECKS[0]], abstained=True)) == ""


@pytest.mark.parametrize(
    ("question", "quote", "mentions", "person"),
    [
        ("When was Ines Holm born?", "Bo Lie was born in 1961.", (("Bo Lie", "PERSON"),), "Bo Lie"),
        ("When was Ines Holm born?", "Bruck, born in 1961, was a painter.", (("Bruck", "ORG"),), "Bruck"),
        ("When was Ines Holm born?", "She was born in 1961.", (), ""),
        ("When was Ines Holm born?", "Bo Lie met Holm, who was born in 1961.", (("Bo Lie", "PERSON"),), ""),
        ("When was the Grey Petrel built?", "Bo Lie built her in 1961.", (("Bo Lie", "PERSON"),), ""),
    ],
)
def test_a_quote_about_somebody_else_is_not_grounded(
    models: Models, question: str, quote: str, mentions: tuple[tuple[str, str], ...], person: str
) -> None:
    passage = candidate(0, quote, *mentions)
    citation = Citation("p0", "d", "d.txt", "", None, 0, len(quote), quote)
    answer = replace(answered("1961"), sentences=(quote,), citations=(citation,))
    assert find_other_person(models.parse(question), answer, (passage,)) == person


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Who approved the invoice of the Sahel Fuel Company?", "Sahel Fuel Company"),
        ("Who approved the invoice of Port of Antwerp?", ""),
        ("Who approved the pilotage on 22 March?", ""),
    ],
)
def test_a_row_that_lacks_a_name_of_the_question_is_not_grounded(
    models: Models, question: str, name: str
) -> None:
    row = "Booked: 2021-04-19; Supplier: Port of Antwerp pilots; Description: Pilotage on 22 March; Approved by: Bo Lie"
    answer = replace(
        answered("Bo Lie"),
        sentences=(row,),
        citations=(Citation("p0", "d", "d.xlsx", "Ledger", None, 0, len(row), row),),
    )
    found = find_absent_name(models.parse(question), answer, (candidate(0, row),))
    assert name in found if name else not found
    sentence = "Bo Lie approved it in March."
    citation = replace(answer.citations[0], quote=sentence, end=len(sentence))
    assert not find_absent_name(
        models.parse(question), replace(answer, citations=(citation,)), (candidate(0, sentence),)
    )
