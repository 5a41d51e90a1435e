"""Family: clauses inside the question."""

from __future__ import annotations

from core.extraction.question import ParsedQuestion, QuestionType
from core.routing.features.signal import Signal, counted, named_tokens

_RELATIVE_WORDS = frozenset(["that", "who", "whom", "whose", "which", "where", "whom's"])
_SUBORDINATE = frozenset(["advcl", "ccomp", "csubj"])


def measure(question: ParsedQuestion) -> list[Signal]:
    """Signals: relative_clauses, subordinate_clauses, passive, negation, statement."""
    inside = named_tokens(question)
    tokens = question.tokens
    relative = _relative_clauses(question, inside)
    subordinate = sum(t.dep in _SUBORDINATE for i, t in enumerate(tokens) if i not in inside)
    passive = any(t.dep in ("nsubjpass", "auxpass") for t in tokens)
    negation = any(t.dep == "neg" for i, t in enumerate(tokens) if i not in inside)
    return [
        Signal(
            "relative_clauses",
            float(min(relative, 3)),
            counted(relative, "relative clause", "relative clauses") if relative != 1 else "relative clause",
        ),
        Signal(
            "subordinate_clauses",
            float(min(subordinate, 2)),
            "subordinate clause" if subordinate else "no subordinate clause",
        ),
        Signal("passive", float(passive), "passive" if passive else "active"),
        Signal("negation", float(negation), "negation" if negation else "no negation"),
        _statement(question),
    ]


def _relative_clauses(question: ParsedQuestion, inside: frozenset[int]) -> int:
    """Clauses that describe a noun, by the parse or by their opening word."""
    tokens = question.tokens
    count = 0
    for i, t in enumerate(tokens):
        if i in inside or i == question.question_token:
            continue
        opened = (
            t.text.lower() in _RELATIVE_WORDS
            and t.tag in ("WDT", "WP", "WRB", "WP$", "IN")
            and i > 0
            and tokens[i - 1].pos in ("NOUN", "PROPN", "ADP", "PUNCT")
        )
        participle = t.dep == "acl" and t.pos == "VERB"
        count += opened or participle
    return count


def _statement(question: ParsedQuestion) -> Signal:
    """The question word comes late: something is told before it is asked."""
    late = question.type is not QuestionType.YES_NO and question.question_token > 4
    return Signal("told_first", float(late), "facts told before the question" if late else "asks at once")
