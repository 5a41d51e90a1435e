"""What a question needs, read off its plan: names, relations in order, the kind of answer."""

from __future__ import annotations

from core.answering.models import Models
from core.answering.plan import needs_of
from core.retrieval.agentic.facts import stems_of
from core.retrieval.agentic.needs import Needs


def read(models: Models, question: str) -> Needs:
    return needs_of(models.parse(question))


def test_a_chain_has_its_steps_in_order(models: Models) -> None:
    found = read(models, "Where was the director of The Salt Road born?")
    assert [name.key for name in found.starts] == ["salt road"]
    assert [relation.word for relation in found.relations] == ["director", "bear"]
    assert found.steps[0].clues & stems_of("The Salt Road was directed by Marta Ilves.")
    assert "GPE" in found.labels and not found.each


def test_a_comparison_asks_the_same_of_each(models: Models) -> None:
    found = read(models, "Who is older, Otto Kask or Marta Ilves?")
    assert found.each
    assert {name.key for name in found.starts} == {"otto kask", "marta ilves"}
    assert [relation.word for relation in found.asked] == ["bear"], "no fact tells who is older"
    assert found.labels == ("DATE",)


def test_odd_questions_need_little(models: Models) -> None:
    for question in ("?", "", "Otto Kask", "or or or or", "\u202e\u202c\x00", "a" * 2_000):
        assert len(read(models, question).relations) <= 3
