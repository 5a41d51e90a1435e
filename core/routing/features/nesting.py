"""Family: things reached through other things ('the director of the film that...')."""

from __future__ import annotations

from core.extraction.question import ParsedQuestion, is_attribute
from core.extraction.question_steps import POSSESSIVES
from core.routing.features.signal import Signal, counted, named_tokens

_KIN = ("father", "mother", "son", "daughter", "parent", "child", "brother", "sister")
_TWO_STEPS = frozenset(["uncle", "aunt", "nephew", "niece", "cousin", "law"])


def measure(question: ParsedQuestion) -> list[Signal]:
    """Signals: bridging_nouns, two_step_kin, of_chain, nested_possessives."""
    bridges = question.steps
    words = " and ".join(question.tokens[i].text for i in bridges[:2])
    chain = _of_chain(question)
    possessives = _possessives(question)
    return [
        Signal(
            "bridging_nouns",
            float(min(len(bridges), 3)),
            f"unnamed step: {words}" if bridges else "no unnamed step",
        ),
        _two_step_kin(question, inside=named_tokens(question)),
        Signal("of_chain", float(min(max(chain - 1, 0), 3)), counted(chain, "'of'", "'of' in a row")),
        Signal(
            "nested_possessives",
            float(max(possessives - 1, 0)),
            "nested possessives" if possessives > 1 else "no nested possessive",
        ),
    ]


def _two_step_kin(question: ParsedQuestion, inside: frozenset[int]) -> Signal:
    """Relatives reached through another relative: a grandfather is a parent's father."""
    kin = next(
        (t.text for i, t in enumerate(question.tokens) if i not in inside and _is_two_step(t.lemma)),
        "",
    )
    return Signal(
        "two_step_kin",
        float(bool(kin)),
        f"relative of a relative: {kin}" if kin else "no kinship in two steps",
    )


def _is_two_step(lemma: str) -> bool:
    return (
        lemma.startswith(("grand", "step"))
        and lemma.endswith(_KIN)
        or lemma in _TWO_STEPS
        or lemma.endswith("in-law")
    )


def _of_chain(question: ParsedQuestion) -> int:
    """How many 'of' stand outside names, 'date of birth' not counted."""
    inside = named_tokens(question)
    return sum(
        t.text.lower() == "of"
        and i not in inside
        and not (i + 1 < len(question.tokens) and is_attribute(question.tokens[i + 1].lemma))
        for i, t in enumerate(question.tokens)
    )


def _possessives(question: ParsedQuestion) -> int:
    inside = named_tokens(question)
    return sum(
        t.pos == "PART" and t.text in POSSESSIVES and i not in inside for i, t in enumerate(question.tokens)
    )
