"""Names that only the evidence can tell: a title of a passage that stands in the question."""

from __future__ import annotations

from core.answering.reading import Reading
from core.answering.words import fold
from core.extraction.names import without_disambiguation
from core.extraction.question import ParsedQuestion, with_names


def with_titles(question: ParsedQuestion, reading: Reading) -> ParsedQuestion:
    """The question with titles of the passages read as names where they overlap a capitalised name.

    'How Funny Can Sex Be?' and 'Feyzabad, Khatam' are one name each once a passage bears them.
    """
    tokens = [(fold(t.text).split(), i) for i, t in enumerate(question.tokens)]
    spelled = [(word, i) for parts, i in tokens for word in parts]
    spans: list[tuple[int, int]] = []
    for words in sorted({_words(c.passage.title) for c in reading.candidates}, key=len, reverse=True):
        if len(words) < 2:
            continue
        for at in range(len(spelled) - len(words) + 1):
            if tuple(word for word, _ in spelled[at : at + len(words)]) != words:
                continue
            first, last = spelled[at][1], spelled[at + len(words) - 1][1] + 1
            free = not any(a < last and b > first for a, b in spans)
            if free and _improves(question, first, last):
                spans.append((first, last))
            break
    return with_names(question, spans) if spans else question


def _words(title: str) -> tuple[str, ...]:
    return tuple(fold(without_disambiguation(title)).split())


def _improves(question: ParsedQuestion, first: int, last: int) -> bool:
    """Whether the span holds a known name, or a piece of one, and more than it."""
    touched = [n for n in question.names if n.first < last and n.last > first]
    inside = all(first <= n.first and n.last <= last for n in touched)
    return bool(touched) and inside and any((n.first, n.last) != (first, last) for n in touched)
