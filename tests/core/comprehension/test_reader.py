"""What the reader takes for words that answer."""

from __future__ import annotations

import pytest

from core.comprehension.reader import _Sentences

TEXT = "Meetings\nThe TSC meets in a call. Each year, the TSC elects a chair. Mr. Smith chairs it."


@pytest.mark.parametrize(
    ("words", "torn"),
    [
        ("the TSC", False),
        ("The TSC meets in a call. Each year, the TSC", True),
        ("in a call. Each year, the TSC elects a chair.", True),
        (
            "The TSC meets in a call. Each year, the TSC elects a chair",
            False,
        ),  # whole sentences, for a long answer
        ("Each year, the TSC elects a chair. Mr. Smith chairs it.", False),
        ("Meetings\nThe TSC", False),  # no stop lies between
        ("Mr. Smith", False),  # an abbreviation ends nothing
        ("call.", False),
        (TEXT, False),
    ],
)
def test_an_answer_does_not_run_over_a_full_stop_into_part_of_a_sentence(words: str, torn: bool) -> None:
    start = TEXT.index(words)
    assert _Sentences(TEXT).torn(start, start + len(words)) is torn


def test_a_text_without_sentences_is_not_torn() -> None:
    assert not _Sentences("").torn(0, 0)
    assert not _Sentences("  \n").torn(0, 3)
