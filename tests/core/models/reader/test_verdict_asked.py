"""Which questions may be ones of yes or no: by their verb, and by question words of other languages."""

from __future__ import annotations

import pytest

from core.answering.listing import asks_for_verdict
from core.models.spacy_model import parsed


@pytest.mark.parametrize(
    "question",
    [
        "Is Anna Berg the owner?",
        "Did he sign",
        "Was payment made?",
        "Was anything stolen?",
        "Was Gina here?",
        "And did Anna sign?",
        "Ist Gerda Pohl die Mieterin?",
        "Est-ce que Odile est la locataire ?",
        "¿Es Rosario la inquilina?",
        "这是真的吗？",
    ],
)
def test_yes_or_no_may_be_asked_for(question: str) -> None:
    assert asks_for_verdict(parsed(question))


@pytest.mark.parametrize(
    "question",
    [
        "receipt 88-21?",
        "Beleg 88-21?",
        "Wer ist der Vermieter?",
        "Mit wem sprach Gerda Pohl?",
        "Was kostet das Haus?",
        "Où habite Odile ?",
        "Que vend Odile ?",
        "Qu'a vendu Odile ?",
        "¿Quién pagó?",
        "Di chi è la barca?",
        "Где стоит лодка?",
        "谁是房东？",
        "大家はどこですか？",
        "집주인은 누구입니까?",
        "أين القارب؟",
    ],
)
def test_yes_or_no_is_no_answer(question: str) -> None:
    assert not asks_for_verdict(parsed(question))
