"""Family: what the question names."""

from __future__ import annotations

from core.extraction.question import ParsedQuestion
from core.routing.features.signal import Signal, counted

_MOST = 3  # a list of ten names is not ten times as complex


def measure(question: ParsedQuestion) -> list[Signal]:
    """Signals: named_entities, unnamed, quoted_titles, coordinated_names."""
    things = [n for n in question.names if n.label != "NORP"]
    quoted = sum(n.quoted for n in question.names)
    return [
        Signal(
            "named_entities",
            float(min(len(things) - 1, _MOST)) if things else 0.0,
            counted(len(things), "named entity", "named entities"),
        ),
        Signal("unnamed", float(not things), "nothing named" if not things else "something named"),
        Signal("quoted_titles", float(min(quoted, 2)), counted(quoted, "quoted title", "quoted titles")),
        _coordination(question),
    ]


def _coordination(question: ParsedQuestion) -> Signal:
    """Names side by side: 'A and B', 'A or B'."""
    pairs = 0
    for left, right in zip(question.names, question.names[1:], strict=False):
        between = {t.text.lower() for t in question.tokens[left.last : right.first]}
        near = right.first - left.last <= 5
        pairs += bool(near and between & {"and", "or"})
    return Signal(
        "coordinated_names",
        float(min(pairs, 2)),
        "names side by side" if pairs else "names not coordinated",
    )
