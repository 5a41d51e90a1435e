"""Family: things reached through other things ('the director of the film that...')."""

from __future__ import annotations

from core.extraction.question import ParsedQuestion, is_attribute
from core.extraction.question_words import WORKS, labels_of
from core.routing.features.signal import Signal, counted, named_tokens

_OPENS_DESCRIPTION = frozenset(["of", "that", "who", "whom", "whose", "which", "where", "behind", "to"])
_POSSESSIVES = frozenset(["'s", "’s", "'S", "'", "’"])

_KIN = ("father", "mother", "son", "daughter", "parent", "child", "brother", "sister")
_TWO_STEPS = frozenset(["uncle", "aunt", "nephew", "niece", "cousin", "law"])


def measure(question: ParsedQuestion) -> list[Signal]:
    """Signals: bridging_nouns, two_step_kin, of_chain, nested_possessives."""
    bridges = bridging_nouns(question)
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


def bridging_nouns(question: ParsedQuestion) -> tuple[int, ...]:
    """Indices of nouns that are described, not named, and not themselves what is asked for."""
    inside = named_tokens(question)
    tokens = question.tokens
    found = []
    for i, t in enumerate(tokens):
        if t.pos != "NOUN" or i in inside or i == question.focus_token or is_attribute(t.lemma):
            continue
        if labels_of(t.lemma) == WORKS and (i == question.question_token + 1 or i + 1 in inside):
            continue  # "Which film ...", "the film They Came to Cordura": introduced or named, not described
        following = tokens[i + 1] if i + 1 < len(tokens) else None
        described = following is not None and (
            following.text.lower() in _OPENS_DESCRIPTION - {"to"}
            or (following.pos == "ADP" and i + 2 < len(tokens) and tokens[i + 2].tag in ("WDT", "WP"))
        )
        possessed = i > 0 and _owned(question, i)
        clause = any(c.head == i and c.dep in ("relcl", "acl") for c in tokens)
        if described or possessed or clause:
            found.append(i)
    return tuple(found)


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


def _owned(question: ParsedQuestion, i: int) -> bool:
    """Whether a possessive stands before the noun, adjectives between them allowed."""
    j = i - 1
    while j > 0 and question.tokens[j].pos in ("ADJ", "NOUN"):
        j -= 1
    return question.tokens[j].text in _POSSESSIVES and question.tokens[j].pos == "PART"


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
        t.pos == "PART" and t.text in _POSSESSIVES and i not in inside for i, t in enumerate(question.tokens)
    )
