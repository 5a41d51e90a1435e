"""What the rules find before it is handed on: names with their tokens."""

from __future__ import annotations

from dataclasses import dataclass

from core.types import ExtractedMention
from core.types.kinds import NOUN, VALUES

__all__ = ["VALUES", "Name"]


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
    weak: bool = False  # its capital says nothing: it begins a sentence, or all around it is in capitals

    def mention(self, offset: int) -> ExtractedMention:
        label = NOUN if self.weak else self.label
        return ExtractedMention(self.text, label, self.start + offset, self.end + offset)
