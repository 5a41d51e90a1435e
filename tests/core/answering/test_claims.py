"""What a model wrote, read into sentences with their citations, and held against the passages."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from core.answering.claims import judged, sentences_of
from core.models.reader import ReaderPassage
from core.types import Verdict
from tests.core.answering.case import COMPREHENSION, candidate

SUPPORT = COMPREHENSION.reader.support

PETREL = candidate(
    "Grey Petrel",
    "The Grey Petrel was chartered by Brandvold Lines on 4 May 2021. It carried 26 containers of copper. "
    "Ines Holm did not sign the charter.",
)
HOLM = candidate("Ines Holm", "Ines Holm (born 1961) commands the Northern Gannet. She lives in Bergen.", 2)


@pytest.mark.parametrize(
    ("reply", "texts", "cited", "dropped"),
    [
        ("It sank [1][2]. It was raised [2].", ["It sank.", "It was raised."], [(0, 1), (1,)], 0),
        ("It sank. [1] It was raised. [2]", ["It sank.", "It was raised."], [(0,), (1,)], 0),
        ("It sank [1, 2; 1].", ["It sank."], [(0, 1)], 0),
        ("It sank [7]. And [0].", ["It sank.", "And."], [(), ()], 2),
        ("- It sank [1]\n- It was raised [2]", ["It sank", "It was raised"], [(0,), (1,)], 0),
        ("It cost 1.5 million [1]. No more.", ["It cost 1.5 million.", "No more."], [(0,), ()], 0),
        ("Themes:\n1. It sank [1].\n2) It rose [2].", ["It sank.", "It rose."], [(0,), (1,)], 0),
        ("It sank [", ["It sank ["], [()], 0),
        # What models write around an answer that were asked for one sentence.
        ("**Answer:** It **sank** [2].", ["It sank."], [(1,)], 0),
        ("Sure! Based on the passages, it sank (passage 2).", ["it sank."], [(1,)], 0),
        ("<answer>It sank [1].</answer>", ["It sank."], [(0,)], 0),
        ("Give <address> to __init__ [1].", ["Give <address> to __init__."], [(0,)], 0),
        ('{"answer": "It sank [1]."}', ["It sank."], [(0,)], 0),
        ("According to the Act, it sank [1].", ["According to the Act, it sank."], [(0,)], 0),
    ],
)
def test_a_reply_is_read(reply: str, texts: list[str], cited: list[tuple[int, ...]], dropped: int) -> None:
    found = sentences_of(reply, 2)
    assert (list(found.texts), list(found.cited), found.dropped) == (texts, cited, dropped)


@pytest.mark.long
def test_numbers_and_quotes_must_stand_in_the_passage() -> None:
    """These are exact: whatever the reader thinks, another number is not supported."""
    for claim in (
        "The ship carried 27 containers of copper.",
        "The Grey Petrel was chartered on 5 May 2021.",
        'The charter says "chartered by a friend of mine".',
    ):
        claims, _, _ = judged(sentences_of(f"{claim} [1]", 1), [PETREL], "", SUPPORT)
        assert claims[0].verdict is not Verdict.SUPPORTED


def test_citations_point_to_the_sentence_that_carries_the_claim() -> None:
    reply = sentences_of("The ship carried 26 containers of copper [1]. Ines Holm lives in Bergen [2].", 2)
    claims, citations, _ = judged(reply, [PETREL, HOLM], "", SUPPORT)
    assert [claim.verdict for claim in claims] == [Verdict.SUPPORTED, Verdict.SUPPORTED]
    assert [citations[claim.citations[0]].quote for claim in claims] == [
        "It carried 26 containers of copper.",
        "She lives in Bergen.",
    ]


def test_a_wrong_citation_is_put_right_and_a_missing_one_found() -> None:
    reply = sentences_of("Ines Holm lives in Bergen [1]. The ship carried 26 containers of copper.", 2)
    claims, citations, _ = judged(reply, [PETREL, HOLM], "", SUPPORT)
    assert citations[claims[0].citations[0]].document_id == HOLM.passage.document_id
    assert "another passage" in claims[0].words
    assert citations[claims[1].citations[0]].document_id == PETREL.passage.document_id


RULES = candidate(
    "Rules",
    "The committee shall consist of not more than 8 members elected for a year. The chair is elected by them.",
    3,
)


def _doubtful(claim: str, passages: Sequence[ReaderPassage]) -> list[dict[Verdict, float]]:
    """A support head that finds nothing."""
    return [{Verdict.SUPPORTED: 0.1, Verdict.CONTRADICTED: 0.2, Verdict.ABSENT: 0.7} for _ in passages]


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("The committee consists of at most 8 members", Verdict.SUPPORTED),
        ("8", Verdict.SUPPORTED),  # behind its question
        ("The committee consists of at most 9 members", Verdict.ABSENT),
        ("The board of Brandvold Lines has 8 members", Verdict.ABSENT),
        ("Every ship carries 8 lifeboats and a nurse", Verdict.ABSENT),
    ],
)
def test_a_sentence_in_the_words_of_a_passage_stands_though_the_reader_doubts_it(
    claim: str, verdict: Verdict
) -> None:
    question = "How many members may the committee have?"
    claims, citations, sure = judged(sentences_of(f"{claim} [1].", 1), [RULES], question, _doubtful)
    assert [each.verdict for each in claims] == [verdict]
    if verdict is Verdict.SUPPORTED:
        assert citations[0].quote.startswith("The committee shall consist")
        assert 0.22 < sure < 0.6, "a possible answer, never one that is sure"


def test_what_the_passage_read_denies_is_carried_by_no_other() -> None:
    for text in ("Ines Holm signed the charter [1].", "The Grey Petrel was chartered by Ines Holm [1]."):
        claims, _, sure = judged(sentences_of(text, 2), [PETREL, HOLM], "Who signed the charter?", SUPPORT)
        assert claims[0].verdict is not Verdict.SUPPORTED and sure == 0
