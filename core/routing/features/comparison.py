"""Family: things held against each other."""

from __future__ import annotations

from core.extraction.question import ParsedQuestion, QuestionType
from core.extraction.question_words import COMPARISONS
from core.routing.features.signal import Signal, named_tokens


def measure(question: ParsedQuestion) -> list[Signal]:
    """Signals: comparison_words, superlatives, choice, paired_yes_no."""
    inside = named_tokens(question)
    outside = [t for i, t in enumerate(question.tokens) if i not in inside]
    words = [t.text.lower() for t in outside if t.text.lower() in COMPARISONS or t.tag in ("JJR", "RBR")]
    superlatives = [t.text.lower() for t in outside if t.tag in ("JJS", "RBS")]
    paired = question.type is QuestionType.YES_NO and len(question.names) >= 2
    return [
        Signal(
            "comparison_words",
            float(min(len(words), 2)),
            f'compares: "{words[0]}"' if words else "no comparison",
        ),
        Signal(
            "superlatives",
            float(min(len(superlatives), 1)),
            f'superlative: "{superlatives[0]}"' if superlatives else "no superlative",
        ),
        Signal(
            "choice", float(bool(question.choices)), "a choice: A or B" if question.choices else "no choice"
        ),
        Signal(
            "paired_yes_no",
            float(paired),
            "yes or no about two things" if paired else "not about a pair",
        ),
    ]
