"""Whether a question is about all documents at once, by rules that each can be read.

Plain retrieval finds passages that are near a question; "What are the main themes?" is near none of
them and is answered from the reports of communities. Corpus-wide is a question that gathers
(themes, rankings, summaries, what is shared, how things changed, lists) over all documents, and
names nothing in particular. What the rules miss a small model over the question's vector adds, where no
anchor of theirs speaks against it. Idea: triple-layer GraphRAG 4.5.1; rules and model are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from core.extraction.question import ParsedQuestion, QuestionType
from core.routing.corpuswide_cue import Cue, Kind
from core.routing.corpuswide_cues import cues_of
from core.routing.corpuswide_model import shipped
from core.routing.corpuswide_reading import Reading, Scope, anchor_of, narrowing, one_thing, read, scope_of

BROAD = "broad"
SPECIFIC = "specific"


@dataclass(frozen=True, slots=True)
class CorpusWide:
    """`reason` is for people. `cues` are the question's own words that decided, in lower case, in order.

    `breadth` is "broad" where the whole is asked for (reports of the top level tell it) and "specific"
    where one kind of thing or one subject is (a finer level).
    """

    recognised: bool
    reason: str
    cues: tuple[str, ...]
    breadth: str


class Stand(IntEnum):
    """What the rules leave to the model: nothing where they take the question, or an anchor speaks against it."""

    TAKEN = 1
    AGAINST = 2
    OPEN = 3  # nothing narrows it, or all documents are spoken of
    NARROWED = 4  # a noun in the singular may narrow it


@dataclass(frozen=True, slots=True)
class Judged:
    """What the rules say. `wide` is what the question is if a model is sure of it, but for the reason."""

    found: CorpusWide
    stand: Stand
    wide: CorpusWide


def corpus_wide(
    question: str, parsed: ParsedQuestion, vector: NDArray[np.floating] | None = None
) -> CorpusWide:
    """Judge `question`, of which `parsed` is the parse. English; never raises on odd text.

    `vector` is the question's unit vector, (d,): with it the shipped model adds what the rules miss.
    """
    judged = by_rules(parsed)
    model = shipped() if vector is not None and judged.stand in (Stand.OPEN, Stand.NARROWED) else None
    if model is None or vector is None or vector.shape != model.weights.shape:
        return judged.found
    sure = model.probability(vector)
    if sure <= (model.open if judged.stand == Stand.OPEN else model.narrowed):
        return judged.found
    # rounded down: 0.999 is not certain
    return replace(
        judged.wide, reason=f"worded like questions about all documents ({int(sure * 100) / 100:.2f})"
    )


def by_rules(parsed: ParsedQuestion) -> Judged:
    """The rules alone."""
    reading = read(parsed)
    if not any(word[:1].isalpha() for word in reading.words):
        return _against("asks nothing")
    if parsed.type in (QuestionType.WHEN, QuestionType.HOW_MANY):
        return _against("asks for one date" if parsed.type is QuestionType.WHEN else "asks for a number")
    if reading.words[:3] in _HOW_TO or reading.words[:2] == ("how", "to"):
        return _against("asks how something is done")
    scope = scope_of(reading)
    cues = cues_of(reading, scope)
    anchor = anchor_of(reading, scope)
    if anchor:
        return _against(anchor, scope, cues)
    held = [c for c in cues if _holds(c, reading, scope)]
    if held:
        found = CorpusWide(True, _reason(held, scope), _said(scope, held), _breadth(reading, held, scope))
        return Judged(found, Stand.TAKEN, found)
    no = _no("asks for something in particular" if cues else "asks for no view of the whole", scope, cues)
    stand = Stand.OPEN if scope is not None or not narrowing(reading) else Stand.NARROWED
    breadth = SPECIFIC if _others(reading, cues, scope) else BROAD
    return Judged(no, stand, CorpusWide(True, "", no.cues, breadth))


def _against(reason: str, scope: Scope | None = None, cues: tuple[Cue, ...] = ()) -> Judged:
    no = _no(reason, scope, cues)
    return Judged(no, Stand.AGAINST, no)


def _holds(cue: Cue, reading: Reading, scope: Scope | None) -> bool:
    """Whether the cue suffices: alone where it is about nothing narrower, else beside words for all documents."""
    if scope is None:
        bound = one_thing(reading, range(0)) if cue.kind is Kind.CHANGE else narrowing(reading)
        return cue.alone and not bound
    if cue.bounded:
        return False
    return cue.free or scope.strong or not one_thing(reading, range(scope.first, scope.last))


def _no(reason: str, scope: Scope | None = None, cues: tuple[Cue, ...] = ()) -> CorpusWide:
    return CorpusWide(False, reason, _said(scope, list(cues)), SPECIFIC)


def _said(scope: Scope | None, cues: list[Cue]) -> tuple[str, ...]:
    said = [(cue.at, cue.words) for cue in cues] + ([(scope.first, scope.words)] if scope else [])
    return tuple(dict.fromkeys(words for _, words in sorted(said)))


def _reason(cues: list[Cue], scope: Scope | None) -> str:
    cue = min(cues, key=lambda c: (c.kind.value, c.at))
    of = f'over all documents ("{scope.words}")' if scope else "over all documents"
    return f"{_TOLD[cue.kind].format(cue.words)} {of}, and names nothing in particular"


_HOW_TO = frozenset((("how", "do", "i"), ("how", "can", "i"), ("how", "do", "you"), ("how", "should", "i")))
_TOLD = {
    Kind.SUMMARY: 'asks for a summary ("{}")',
    Kind.THEMES: 'asks for what matters most ("{}")',
    Kind.SHARED: 'asks what is shared, and what differs ("{}")',
    Kind.CHANGE: 'asks how things changed ("{}")',
    Kind.RELATED: 'asks how many things hang together ("{}")',
    Kind.FREQUENT: 'asks what comes up most ("{}")',
    Kind.LISTED: 'asks for all there is ("{}")',
    Kind.TOLD: 'asks what is told ("{}")',
}


def _breadth(reading: Reading, cues: list[Cue], scope: Scope | None) -> str:
    """Broad: a summary or themes, and no noun besides."""
    return BROAD if any(c.broad for c in cues) and not _others(reading, cues, scope) else SPECIFIC


def _others(reading: Reading, cues: Sequence[Cue], scope: Scope | None) -> bool:
    """Whether a noun stands outside the words for all documents and the cues."""
    inside = range(scope.first, scope.last) if scope else range(0)
    said = {i for cue in cues for i in range(cue.at, cue.at + len(cue.words.split()))}
    return any(
        (reading.plural(i) or reading.singular(i)) and i not in inside and i not in said
        for i in range(len(reading.words))
    )
