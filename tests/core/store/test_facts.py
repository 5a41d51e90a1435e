"""The sentence that describes a fact: the same whatever order its evidence comes in, and none that says nothing."""

from __future__ import annotations

from itertools import permutations

import pytest

from core.store.facts import Evidence, describe_fact

LONG = "Otto Kask, who was born in Tartu, commands the Northern Star since the spring of 2019."
SHORT = "Otto Kask commands the Northern Star."
ROW = "Northern Star; Master: Otto Kask; Since: 2019"


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ([(LONG, 0.9), (SHORT, 0.9)], SHORT),
        ([(LONG, 0.9), (SHORT, 0.6)], LONG),  # the surest first
        ([(ROW, 1.0), (SHORT, 0.6)], SHORT),  # a whole sentence before a row
        ([(ROW, 1.0)], ROW),
        ([(f"  {SHORT[:10]}\n{SHORT[10:]} ", 0.5)], f"{SHORT[:9]} {SHORT[10:]}"),
        ([("", 0.5)], ""),
        ([], ""),
    ],
)
def test_the_best_sentence_describes_it(evidence: list[tuple[str, float]], expected: str) -> None:
    for order in permutations(evidence):
        assert describe_fact(Evidence(words, sure) for words, sure in order) == expected


def test_what_a_model_stated_comes_first() -> None:
    stated = "Otto Kask is master of the Northern Star."
    found = [Evidence(SHORT, 1.0), Evidence(ROW, 0.5, stated), Evidence(LONG, 0.4, f"{stated} It is so.")]
    assert all(describe_fact(order) == stated for order in permutations(found))


def test_it_is_never_a_page() -> None:
    assert len(describe_fact([Evidence("Otto Kask sails on and on. " * 500, 1.0)])) == 400
