"""Numbers with their nouns, said the same everywhere in the window."""

from __future__ import annotations


def counted(count: int, one: str, many: str = "") -> str:
    """`1 document`, `2,040 entities`. `many`: a plural that is not made with s or ies."""
    return f"{count:,} {one if count == 1 else many or plural(one)}"


def plural(one: str) -> str:
    """`entities` of `entity`, `passages` of `passage`."""
    return f"{one[:-1]}ies" if one.endswith("y") else f"{one}s"
