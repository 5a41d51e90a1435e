"""A sign that a question gathers over many documents, and what several looks at the question share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from core.routing.corpuswide_reading import Reading
from core.routing.corpuswide_words import GENERIC, KNOWN, MENTION_PARTICLES, MENTIONS, RANKS

WH = frozenset(("what", "which", "who", "what's"))
AUXILIARIES = frozenset("is are was were do does did has have had can could".split())
BE = frozenset("is are was were".split())


class Kind(IntEnum):
    """What is asked for; the first that is there gives the reason its words."""

    SUMMARY = 1
    THEMES = 2
    SHARED = 3
    CHANGE = 4
    RELATED = 5
    FREQUENT = 6
    LISTED = 7
    TOLD = 8


@dataclass(frozen=True, slots=True)
class Cue:
    """`alone`: needs no words for the documents. `free`: beside such words a singular noun does not bound it.

    `bounded`: says itself that it is about one thing ("the main causes of the fire"). `broad`: of the whole.
    """

    kind: Kind
    words: str
    at: int
    alone: bool = False
    free: bool = True
    bounded: bool = False
    broad: bool = False


def mentioned(reading: Reading) -> str:
    """The word by which things are told in documents, "" when there is none."""
    verbs = (
        w
        for i, w in enumerate(reading.words)
        if w in MENTIONS and (reading.verb(i) or reading.tags[i] == "JJ")
    )
    return next(verbs, "") or particle(reading)


def particle(reading: Reading) -> str:
    pairs = (" ".join(reading.words[i : i + 2]) for i in range(len(reading.words) - 1))
    return next((pair for pair in pairs if pair in MENTION_PARTICLES), "")


def focus_plural(reading: Reading, word: int) -> bool:
    """Whether the question word is followed by a noun phrase in the plural."""
    for j in range(word + 1, min(word + 6, len(reading.words))):
        if reading.plural(j):
            return True
        if reading.at(j) in ("'s", "'"):  # "which author's works": one author
            return False
        if reading.at(j) in AUXILIARIES or reading.at(j) in KNOWN - GENERIC and reading.at(j) not in RANKS:
            return False
    return False
