"""The sets of denied, supposed, planned and reported sentences that the default suite leaves out."""

from __future__ import annotations

import pytest

from tests.core.answering.test_assertions import wrong


@pytest.mark.parametrize("asserted", [True, False])
@pytest.mark.parametrize(
    "name",
    ["assertions.jsonl", *(f"assertions-{which}.jsonl" for which in ("fourth", "fifth", "sixth", "seventh"))],
)
@pytest.mark.parametrize(("asked", "wanted"), [("who", "want_who"), ("polar", "want_polar")])
def test_nearly_all_sentences_of_each_kind_are_answered(
    name: str, asked: str, wanted: str, asserted: bool
) -> None:
    sentences, count = wrong(name, asked, wanted, asserted)
    assert len(sentences) <= 0.05 * count and count, sentences
