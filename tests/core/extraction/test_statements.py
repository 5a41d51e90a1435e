"""What is a sentence, and what only looks like a line of text."""

from __future__ import annotations

import pytest

from core.text.statements import is_statement
from tests.growth import assert_linear


@pytest.mark.parametrize(
    "text",
    [
        "Otto Kask commands the Northern Star.",
        "“We shall pay every dividend to the foundation,” he wrote.",
        "- The master did not sign the log.",
        "It stops early on easy days, and asks for help as a last resort [27], [28].",
        "The report says so (see the annex).",
    ],
)
def test_sentences(text: str) -> None:
    assert is_statement(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Figure 2: Comparison of the gauges. The left one is older.",
        "Fig. 4. The bay was mapped twice.",
        "| Name | was | born in |",
        "The proposed method for estimated tides.",
        "- [24] A. Asai, Z. Wu, and H. Holm, “Gauges,” 2023.",
        "of the harbour, where he was seen again.",
        "$x_1 = \\frac{1}{2} (a + b), y_2 = 3$ is.",
        "Date: 4 May 1930; Person: Otto Kask; Purpose: He dined with the owner of the ship.",
    ],
)
def test_what_is_no_sentence(text: str) -> None:
    assert not is_statement(text)


@pytest.mark.parametrize("sign", ["a ", "[1] ", "((", "a_"])
def test_it_is_linear(sign: str) -> None:
    assert_linear(is_statement, sign * 40_000)
