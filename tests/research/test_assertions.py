"""The sets of denied, supposed, planned and reported sentences that the default suite leaves out."""

from __future__ import annotations

import pytest

from tests.core.answering.test_assertions import wrong


@pytest.mark.parametrize(
    "name",
    [
        "assertions.jsonl",
        *(
            f"assertions-{which}.jsonl"
            for which in ("held-out", "third", "fourth", "fifth", "sixth", "seventh")
        ),
    ],
)
def test_nearly_all_sentences_of_each_kind_are_answered(name: str) -> None:
    assert wrong(name) == {}
