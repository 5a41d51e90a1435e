"""What all documents set forth is asked for as a whole, or of somebody in particular."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.extraction.question import ParsedQuestion
from core.routing.corpuswide import BROAD, corpus_wide

Parse = Callable[[str], ParsedQuestion]


@pytest.mark.parametrize(
    ("question", "cue"),
    [
        ("How do the methods differ?", "methods differ"),
        ("Where do the proposed frameworks diverge from one another?", "frameworks diverge"),
        ("Compare the approaches", "compare the approaches"),
        ("Please compare and contrast the models and systems", "compare and contrast the models and systems"),
        ("What do all the techniques have in common?", "techniques have in common"),
        ("What distinguishes the architectures?", "distinguishes the architectures"),
        ("How similar are the strategies?", "similar are the strategies"),
        ("What are the key differences between the algorithms?", "differences between the algorithms"),
        ("Which methods are proposed?", "methods are proposed"),
        ("What experiments do they describe?", "experiments do they describe"),
    ],
)
def test_works_as_a_whole(question: str, cue: str, parse: Parse) -> None:
    for asked in (question, question.lower(), question.rstrip("?") + " ?"):
        found = corpus_wide(asked, parse(asked))  # by the rules alone
        assert found.recognised and cue in found.cues, found
        assert found.breadth == BROAD  # each theme is heard
        assert found.reason.endswith("names nothing in particular")


@pytest.mark.parametrize(
    "question",
    [
        "How do the methods of Varga and Olsen differ?",
        "How do the two methods differ?",
        "How do the methods of the dentist differ?",
        "How do Varga's methods differ?",
        "Compare the methods of the first chapter",
        "Compare the approach with the older one",
        "What do the methods for dating wood have in common?",
        "What distinguishes the model of the bridge?",
        "Which methods are proposed in chapter 3?",
        "Which methods did Olsen propose?",
        "Which method is proposed?",
        "How do the rooms differ?",
    ],
)
def test_works_of_somebody(question: str, parse: Parse) -> None:
    assert not corpus_wide(question, parse(question)).recognised
