"""Answers that several passages give together: their spans compete or agree, and one is the likeliest.

Clark and Gardner 2018: spans of several passages are comparable where each is measured against "not here".
What is known of each candidate is a row of numbers, out of which a calibration makes the probability that it is right.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.answering import statement
from core.answering.listing import siblings
from core.answering.span_edges import complete
from core.models.reader import PassageRead, SpanRead
from core.models.reader_examples import Kind
from core.text.sentences import ROUGH_SENTENCE

_WORD = re.compile(r"[^\W_]+")
_ARTICLES = frozenset(("a", "an", "the"))
_FAR = 12.0  # logits: a margin beyond says no more
_SETTLED = 3.0  # logits over "not here" from which on no passage that ranks lower is looked at: odds of twenty to one
_NEAR = 3.0  # logits below a candidate's own margin at which another passage still agrees with it
_PLAIN = 3  # members of what is plainly a list
_LISTED = 0.5  # probability from which on a list is asked for
_DECIDING = 3  # passages that are asked for yes or no
_YES_NO = 0.5  # probability from which on a question is one of yes or no
SIGNALS = (
    "margin",
    "probability",
    "inside",
    "relevance",
    "told",
    "whole",
    "rank",
    "score",
    "agreement",
    "lead",
    "length",
    "covered",
    "covered here",
    "covered in the sentence",
    "of the question",
    "decides",
    *statement.SIGNALS,
)
CONSIDERED = 8  # proposals of a question, the greatest margin first
SentenceSignals = Callable[[int, int, int], tuple[float, ...]]  # row, start, end -> statement.SIGNALS


@dataclass(frozen=True, slots=True)
class Ranked:
    """A passage that was found: its text, and how highly retrieval ranked it. `share` of the best passage's score."""

    text: str
    rank: int
    share: float


@dataclass(frozen=True, slots=True)
class Place:
    passage: int  # row
    start: int  # in its text
    end: int


@dataclass(frozen=True, slots=True)
class Proposal:
    """An answer that the passages might give; `places` say it, the likeliest first. `signals`: those of SIGNALS.

    `holds`: not only at another time than the question asks for.
    """

    text: str
    kind: Kind
    places: tuple[Place, ...]
    signals: NDArray[np.float64]
    holds: bool = True


@dataclass(frozen=True, slots=True)
class _Known:
    """Of a question: its words, what was read of it, how much of it each passage holds, what each of its words
    weighs (rare among the passages more), how surely it is one of yes or no and by which passage, and how surely
    one for a list."""

    asked: frozenset[str]
    passages: Sequence[Ranked]
    reads: Sequence[PassageRead]
    coverage: Sequence[float]
    weights: Mapping[str, float]
    decided: tuple[float, int]
    listed: float
    several: bool


_Found = tuple[float, int, int]  # margin, passage, span


def proposals(
    question: str,
    passages: Sequence[Ranked],
    reads: Sequence[PassageRead],
    says_yes: Callable[[Sequence[int]], list[float | None]] | None = lambda rows: [],
    several: bool = False,
    sentence_signals: SentenceSignals = lambda row, start, end: statement.UNKNOWN,
) -> list[Proposal]:
    """All that may answer, the greatest margin first. A span that only repeats the question is none.

    `says_yes`: how probably passages (rows) answer with yes, asked where yes or no is, None for one that cannot tell;
    None where the question cannot be one of yes or no.
    `sentence_signals`: of the sentence around words of a passage.
    `several`: the question names what it wants in the plural, so that a list may answer where one stands.
    """
    reads = [_complete(read, passage.text) for passage, read in zip(passages, reads, strict=True)]
    asked = frozenset(words(question))
    groups: dict[tuple[str, ...], list[_Found]] = {}
    for row, (passage, read) in enumerate(zip(passages, reads, strict=True)):
        for number, span in enumerate(read.spans):
            text = passage.text[span.start : span.end]
            key = words(text)
            if key and not repeats(question, text) and not text.rstrip().endswith("?"):
                groups.setdefault(key, []).append((span.margin, row, number))
    overlaps = [asked.intersection(words(passage.text)) for passage in passages]
    weights = {word: 1 / (1 + sum(word in each for each in overlaps)) for word in asked}
    coverage = [_weight(each, weights) for each in overlaps] or [0.0]
    decided = _asked_for(reads, Kind.YES, Kind.NO)
    listed, _ = _asked_for(reads, Kind.SEVERAL)
    known = _Known(asked, passages, reads, coverage, weights, decided, listed, several)
    margins = sorted((max(found)[0] for found in groups.values()), reverse=True)
    if says_yes is not None and known.decided[0] > _YES_NO and not _offers(question):
        candidates = _yes_or_no(known, says_yes)
    else:
        candidates = [_proposal(key, found, margins, known) for key, found in groups.items()]
    ordered = sorted(candidates, key=lambda proposal: -float(proposal.signals[0]))
    return [_with_sentence(proposal, sentence_signals) for proposal in ordered[:CONSIDERED]]


def _with_sentence(proposal: Proposal, sentence_signals: SentenceSignals) -> Proposal:
    """Return the proposal with how literally the sentence of its likeliest place states what is asked."""
    place = proposal.places[0]
    is_read = proposal.kind not in (Kind.YES, Kind.NO)
    found = sentence_signals(place.passage, place.start, place.end) if is_read else statement.UNKNOWN
    return replace(proposal, signals=np.append(proposal.signals, found))


def _complete(read: PassageRead, text: str) -> PassageRead:
    """Return the reading with spans that have whole edges; those of which nothing is left are out."""
    edges = ((span, complete(text, span.start, span.end)) for span in read.spans)
    spans = (replace(span, start=edge[0], end=edge[1]) for span, edge in edges if edge is not None)
    return replace(read, spans=tuple(spans))


def is_decided(reads: Sequence[PassageRead], several: bool = False) -> bool:
    """Whether passages that rank below these need not be read: one of these clearly tells, and neither a list
    nor yes or no is asked for, which others may add to."""
    if (
        several
        or _asked_for(reads, Kind.SEVERAL)[0] > _LISTED
        or _asked_for(reads, Kind.YES, Kind.NO)[0] > _YES_NO
    ):
        return False
    return any(read.spans and read.spans[0].margin > _SETTLED for read in reads)


def _proposal(key: tuple[str, ...], found: list[_Found], margins: list[float], known: _Known) -> Proposal:
    margin, row, number = max(found)
    passage, read = known.passages[row], known.reads[row]
    span = read.spans[number]
    others = [other for other in margins if other != margin] or [-_FAR]
    agreeing = len({at for other, at, _ in found if other > margin - _NEAR}) - 1
    signals = (
        _clamp(margin),
        span.probability,
        span.inside,
        _logit(read.relevance),
        _logit(1 - read.kind(Kind.NONE)),
        read.kind(Kind.SENTENCES),
        math.log(passage.rank),
        passage.share,
        math.log1p(agreeing),
        _clamp(margin - others[0]),
        math.log(len(key)),
        max(known.coverage),
        known.coverage[row],
        _share(known, _around(passage.text, span.start)),
        len(known.asked.intersection(key)) / len(key),
        known.decided[0],
    )
    order = sorted((each for each in found if each[0] > margin - _NEAR), key=lambda each: -each[0])
    spans = [(at, known.reads[at].spans[n]) for _, at, n in order]
    places = tuple(Place(at, each.start, each.end) for at, each in spans)
    kind = Kind.SENTENCES if read.kind(Kind.SENTENCES) > read.kind(Kind.SPAN) else Kind.SPAN
    text = passage.text[span.start : span.end]
    members = _members(row, span, margin, known) if number == 0 else {}
    if len(members) > 1:
        kind, places = Kind.SEVERAL, tuple(members.values())
        *before, last = (known.passages[at.passage].text[at.start : at.end] for at in places)
        text = f"{', '.join(before)} and {last}"
    return Proposal(text, kind, places, np.array(signals))


def _members(row: int, best: SpanRead, margin: float, known: _Known) -> dict[tuple[str, ...], Place]:
    """The list in which the likeliest words of a passage stand, else what belongs to an answer there; the same of
    passages that tell as surely."""
    is_list = known.listed > _LISTED
    if not is_list:
        plain = siblings(known.passages[row].text, best.start, best.end, known.reads[row].runs)
        if not known.several or len(plain) < _PLAIN:
            return {}
    others = [
        at
        for at, read in enumerate(known.reads)
        if is_list and at != row and read.spans and read.spans[0].margin > max(0.0, margin - _NEAR)
    ]
    found: dict[tuple[str, ...], Place] = {}
    for at in (row, *others):
        text, span = known.passages[at].text, best if at == row else known.reads[at].spans[0]
        runs = known.reads[at].runs
        for start, end in siblings(text, span.start, span.end, runs) or runs:
            key = words(text[start:end])
            if key and not known.asked.issuperset(key):
                found.setdefault(key, Place(at, start, end))
    return found


def repeats(question: str, text: str) -> bool:
    """Whether the text says nothing but words of the question, which offers no choice."""
    return not _offers(question) and set(words(text)) <= set(words(question))


def _offers(question: str) -> bool:
    """Whether the question names what is to be chosen from."""
    return " or " in f" {question.casefold()} "


def words(text: str) -> tuple[str, ...]:
    """In lower case, without marks and articles."""
    return tuple(word for word in _WORD.findall(text.casefold()) if word not in _ARTICLES)


def _asked_for(reads: Sequence[PassageRead], *kinds: Kind) -> tuple[float, int]:
    """How surely such an answer is asked for, whether or not a passage tells it; and the passage that says most."""
    if not reads:
        return 0.0, 0
    answerable = [read.relevance * (1 - read.kind(Kind.NONE)) for read in reads]
    scores = [read.relevance * sum(read.kind(kind) for kind in kinds) for read in reads]
    return sum(scores) / max(1e-9, sum(answerable)), max(range(len(reads)), key=lambda at: scores[at])


def _yes_or_no(known: _Known, says_yes: Callable[[Sequence[int]], list[float | None]]) -> list[Proposal]:
    """Yes and no, with the span that decides, of the passage that decides most; else what the head says."""
    sure, row = known.decided
    weights = [each.relevance * (each.kind(Kind.YES) + each.kind(Kind.NO)) for each in known.reads]
    rows = sorted(range(len(weights)), key=lambda at: -weights[at])[:_DECIDING]
    verdicts = [
        (abs(p - 0.5) * known.reads[at].relevance, at, p)
        for at, p in zip(rows, says_yes(rows), strict=False)
        if p is not None
    ]
    _, row, yes = max(verdicts, default=(0.0, row, None))
    read, passage = known.reads[row], known.passages[row]
    span = read.spans[0] if read.spans else SpanRead(0, 0, -_FAR, 0.0, 0.0)
    options = []
    if yes is None:
        yes = read.kind(Kind.YES) / max(1e-9, read.kind(Kind.YES) + read.kind(Kind.NO))
    for kind, share in ((Kind.YES, yes), (Kind.NO, 1 - yes)):
        signals = (
            _clamp(span.margin) + _logit(share),
            share,
            span.inside,
            _logit(read.relevance),
            _logit(1 - read.kind(Kind.NONE)),
            0.0,
            math.log(passage.rank),
            passage.share,
            0.0,
            _logit(share),
            0.0,
            max(known.coverage),
            known.coverage[row],
            _share(known, _around(passage.text, span.start)),
            0.0,
            sure,
        )
        options.append(Proposal(kind.value, kind, (Place(row, span.start, span.end),), np.array(signals)))
    return options


def _share(known: _Known, text: str) -> float:
    """Of the question's words that a text holds."""
    return _weight(known.asked.intersection(words(text)), known.weights)


def _weight(words: Iterable[str], weights: Mapping[str, float]) -> float:
    return sum(weights[word] for word in words) / (sum(weights.values()) or 1.0)


def _around(text: str, place: int) -> str:
    """The sentence in which the place lies, by its marks."""
    return next((found[0] for found in ROUGH_SENTENCE.finditer(text) if found.end() > place), "")


def _clamp(value: float) -> float:
    return max(-_FAR, min(_FAR, value))


def _logit(share: float) -> float:
    share = min(1 - 1e-4, max(1e-4, share))
    return math.log(share / (1 - share))
