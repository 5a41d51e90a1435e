"""Which questions may be ones of yes or no: by their verb, and by question words of other languages."""

from __future__ import annotations

import pytest

from core.answering.listing import asks_for_verdict
from core.models.spacy_model import parsed


@pytest.mark.parametrize(
    "question",
    [
        "Is Anna Berg the owner?",
        "Ist Gerda Pohl die Mieterin?",
        "Est-ce que Odile est la locataire ?",
        "这是真的吗？",
    ],
)
def test_yes_or_no_may_be_asked_for(question: str) -> None:
    assert asks_for_verdict(parsed(question))


@pytest.mark.parametrize(
    "question",
    [
        "receipt 88-21?",
        "Wer ist der Vermieter?",
        "Mit wem sprach Gerda Pohl?",
        "Где стоит лодка?",
        "谁是房东？",
        "大家はどこですか？",
    ],
)
def test_yes_or_no_is_no_answer(question: str) -> None:
    assert not asks_for_verdict(parsed(question))
