"""What the rules find before it is handed on: names with their tokens."""

from __future__ import annotations

from dataclasses import dataclass

from core.types import ExtractedMention

# Labels of times, amounts and counts: never what a passage is about.
VALUES = frozenset({"DATE", "TIME", "ORDINAL", "CARDINAL", "QUANTITY", "PERCENT", "MONEY"})


@dataclass(frozen=True, slots=True)
class Name:
    """A mention: source offsets `start`, `end`; parsed tokens `first` to `last`, both inclusive.

    A name that was read in an aside has no tokens: first == last == -1.
    """

    text: str
    label: str
    start: int
    end: int
    first: int = -1
    last: int = -1

    def mention(self, offset: int) -> ExtractedMention:
        return ExtractedMention(self.text, self.label, self.start + offset, self.end + offset)
