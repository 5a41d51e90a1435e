"""What a model says counts only where the passage holds it."""

from __future__ import annotations

from itertools import pairwise

import pytest

from core.extraction.aligning import APART, NOT_CARRIED, WORDED, PassageWords, align
from core.extraction.prompts import EntityReply, TripleReply
from core.types import Passage, Sentence

TEXT = "Capt. Otto Kask commands the Northern Star. She sails for “Ilves Shipping” of Setúbal. Her agent is A. Berg."
BORDERS = (0, TEXT.index("She"), TEXT.index("Her"), len(TEXT))
PASSAGE = Passage(
    "p", "d", 0, "Crew list", TEXT, 0, len(TEXT), None,
    tuple(Sentence(a, b) for a, b in pairwise(BORDERS)),
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Otto Kask", "Otto Kask"),
        ("Setubal", "Setúbal"),
        ("North", None),
        ("Star She", None),  # a sentence ends between them
        ("", None),
    ],
)
def test_a_name_is_found_between_the_ends_of_words(name: str, found: str | None) -> None:
    places = PassageWords(TEXT).places(name)
    assert [TEXT[start:end] for start, end in places] == ([found] if found else [])


def test_triples_carry_the_sentences_that_hold_their_ends() -> None:
    replies = [
        TripleReply("otto kask", "commands", "Northern Star"),
        TripleReply("Northern Star", "sails for", "Ilves Shipping"),
        TripleReply("Crew list", "names", "Otto Kask"),
    ]
    triples = align(PASSAGE, (), replies).extraction.triples
    assert [(t.subject, t.object) for t in triples] == [
        ("Otto Kask", "Northern Star"), ("Northern Star", "Ilves Shipping"), ("Crew list", "Otto Kask"),
    ]  # fmt: skip
    spans = [TEXT[t.start : t.end].strip() for t in triples]
    assert spans[0] == "Capt. Otto Kask commands the Northern Star."
    assert spans[1].startswith("Capt. Otto") and spans[1].endswith("of Setúbal.")
    assert spans[2] == spans[0]
    assert [t.confidence for t in triples] == [WORDED, APART, APART]


def test_what_the_passage_does_not_hold_is_rejected_and_counted() -> None:
    replies = [
        TripleReply("Ada Lind", "was born in", "Oslo"),
        TripleReply("Otto Kask", "", "Northern Star"),
        TripleReply("Otto Kask", "is", "OTTO KASK"),
        TripleReply("Crew list", "is a", "crew"),
        TripleReply("Otto Kask", "Commands", "Northern Star"),
        TripleReply("Otto Kask", "commands", "the Northern Star"),
    ]
    found = align(PASSAGE, [EntityReply("Ada Lind", "person"), EntityReply("Otto Kask", "person")], replies)
    assert len(found.extraction.triples) == 1
    assert dict(found.rejected) == {
        "names that the passage does not hold": 1,
        "triples with an end that the passage does not hold": 1,
        "triples without a usable predicate": 1,
        "triples of one name with itself": 1,
        "triples that only the title holds": 1,
    }
    mentions = {(m.text, m.label, m.start) for m in found.extraction.mentions}
    assert mentions == {("Otto Kask", "PERSON", 6), ("Crew list", "WORK", 0)}


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("Capt. Otto  Kask commands the\nNorthern Star.", True),
        ("Otto Kask of the crew list commands the Northern Star.", True),  # the title says so
        ("Otto Kask commands it.", False),  # not both ends
        ("Otto Kask commands the Northern Star since 1997.", False),
        ("Otto Kask does not command the Northern Star.", False),
        ("Otto Kask commands the Northern Star and smuggles weapons beyond every border.", False),
        ("Otto Kask commands the Northern Star." + " Indeed." * 60, False),
        ("Otto Kask commands the Northern\u202e Star.", False),
    ],
)
def test_a_description_counts_where_the_passage_carries_it(text: str, stays: bool) -> None:
    found = align(PASSAGE, (), [TripleReply("Otto Kask", "commands", "Northern Star", text)])
    (triple,) = found.extraction.triples  # the triple stands by itself
    assert triple.description == (" ".join(text.split()) if stays else "")
    assert found.rejected[NOT_CARRIED] == (not stays)
