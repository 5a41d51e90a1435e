"""Short-answer scores against values worked out by hand."""

from __future__ import annotations

import pytest

from core.text.answer_score import contains, exact_match, f1, normalise_answer, score_answer


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("The  Cat, sat!", "cat sat"),
        ("An apple a day", "apple day"),
        ("theatre", "theatre"),  # an article inside a word stays
        ("U.S.", "us"),
        ("the", ""),
    ],
)
def test_normalisation_drops_case_articles_and_punctuation(text: str, normal: str) -> None:
    assert normalise_answer(text) == normal


def test_exact_match_ignores_articles_and_punctuation_only() -> None:
    assert exact_match("The Prairie King.", "prairie king") == 1.0
    assert exact_match("Prairie Queen", "Prairie King") == 0.0


def test_f1_by_hand() -> None:
    # 2 of 3 given tokens are right, 2 of 2 gold tokens found: 2 * (2/3) * 1 / (2/3 + 1) = 0.8
    assert f1("king Edward Seventh", "Edward King") == pytest.approx(0.8)
    # A repeated token counts as often as both sides have it: 1 of 2 and 1 of 1 -> 2/3
    assert f1("New New", "New") == pytest.approx(2 / 3)
    assert f1("", "something") == 0.0
    assert f1("the", "a") == 1.0


def test_yes_and_no_must_be_the_entire_answer() -> None:
    assert f1("no idea", "no") == 0.0
    assert f1("No.", "no") == 1.0


def test_contains_matches_consecutive_tokens() -> None:
    assert contains("He died on 10 April 1960 in Rome.", "10 April 1960") == 1.0
    assert contains("110 April 1960", "10 April 1960") == 0.0
    assert contains("April 10, 1960", "10 April 1960") == 0.0
    assert contains("anything", "the") == 0.0


def test_the_best_gold_answer_counts() -> None:
    score = score_answer("Stanley Hall", ["G. Stanley Hall", "Stanley Hall"])
    assert (score.exact, score.f1, score.contains) == (1.0, 1.0, 1.0)
    with pytest.raises(ValueError, match="at least one"):
        score_answer("x", [])
