"""What the rules looked at and did not take, for who wants to see it; who extracts collects nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.extraction.phrases import Endpoint
from core.text.translation import mark

ORDINAL = mark("an ordinal number joins nothing")
SMALL_NUMBER = mark("a number alone, with fewer than three digits")
IN_WORDS = mark("a time or an amount without a digit")
NO_WORD = mark("nothing but articles, prepositions or signs")
TOO_LONG = mark("too long for a name")
PART_OF_NAME = mark("part of another name")
TOO_SHORT = mark("a single letter, or nothing that can be compared")
TITLE = mark("a title, a role or a unit alone")
ROLE = mark("a role, as the article before it says")
FUNCTION = mark("a pronoun, an interjection or another function word")
VALUE_SUBJECT = mark("its subject is a time, an amount or a number")
COMMON_SUBJECT = mark("its subject is no name")
ITSELF = mark("both ends are one name, or an end is empty")
NO_YEAR = mark("a date without a year")
UNSURE = mark("too unsure: below the confidence of a fact")
NO_PROSE = mark("no sentence that states something: a heading, a question or a fragment")


@dataclass(frozen=True, slots=True)
class RejectedTriple:
    """A triple that was built and not kept. `span` of its sentence in the window, None where it has none."""

    subject: Endpoint
    predicate: str
    object: Endpoint
    confidence: float
    span: tuple[int, int] | None
    reason: str


@dataclass(slots=True)
class Rejections:
    """Of one parsed window; offsets in its source. `anchors`: tokens from which any triple was built."""

    names: list[tuple[int, int, str]] = field(default_factory=list)
    triples: list[RejectedTriple] = field(default_factory=list)
    anchors: set[int] = field(default_factory=set)
