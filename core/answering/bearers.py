"""Who is meant by a line that does not name them: "He was ...", or the post under a signature."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.answering.lines import Line, Span

_PERSON = re.compile(r"(?:he|she)\b", re.IGNORECASE)
_FULL_NAME = re.compile(r"(?:[^\W\d_][\w.'’-]*\s+){1,3}[^\W\d_][\w'’-]+")
_LONGEST = 8  # words of a line below a signature
_OPENING = 3  # words before the subject of a sentence: "The master, Captain Holm, ..."


def with_bearers(lines: Sequence[Line]) -> list[Line]:
    """The lines, those that speak of a person by pronoun or by post alone given that person as a span."""
    made: list[Line] = []
    for i, line in enumerate(lines):
        before = made[i - 1] if i and made[i - 1].candidate == line.candidate else None
        if before is None:
            made.append(line)
        elif _PERSON.match(line.text):
            made.append(_given(line, _subject(before), len(line.words[0].stem)))
        elif _below(line) and (signed := _signature(before)):
            after = lines[i + 1] if i + 1 < len(lines) and lines[i + 1].candidate == line.candidate else None
            below = after.text if after is not None and _below(after) else ""
            around = f"{before.text} {line.text} {below}"
            made.append(replace(_given(line, signed, 0), around=around))
        else:
            made.append(line)
    return made


def _given(line: Line, who: Span | None, length: int) -> Line:
    if who is None:
        return line
    start = line.sentence.start
    span = Span(who.text, who.key, "PERSON", start, start + length)
    return replace(line, spans=(span, *line.spans))


def _subject(line: Line) -> Span | None:
    """The person that the sentence begins with, and no second one that "he" could be."""
    people = [s for s in line.spans if s.label == "PERSON"]
    if not people or line.fields:
        return None
    ahead = sum(1 for word in line.words if word.start < people[0].start)
    return people[0] if ahead < _OPENING else None


def _signature(line: Line) -> Span | None:
    text = line.text.strip()
    if not _FULL_NAME.fullmatch(text) or not all(word[0].isupper() for word in text.split()):
        return None
    return next(
        (s for s in line.spans if s.text == text and s.label in ("PERSON", "OTHER")),
        None,
    )


def _below(line: Line) -> bool:
    """Whether the line may be a post or a firm under a name."""
    text = line.text.strip()
    return (
        0 < len(line.words) <= _LONGEST
        and text[:1].isupper()
        and text[-1:].isalnum()
        and not line.fields
        and not any(c.isdigit() for c in text)
    )
