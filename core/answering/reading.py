"""The sentences of the candidates, read for one question: words, typed spans, what they are about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.answering.candidate import Candidate
from core.answering.dates import find_dates
from core.answering.nations import country_of
from core.answering.words import Word, words
from core.extraction.names import normalise, without_disambiguation
from core.types import ExtractedMention, Sentence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_VALUES = frozenset(("DATE", "TIME", "CARDINAL", "QUANTITY", "ORDINAL", "PERCENT", "MONEY"))
_AMOUNT = re.compile(
    r"(?P<MONEY>(?:[$€£¥]|(?:USD|EUR|GBP|CHF)\s)\s?\d[\d,.]*\d?(?:\s(?:thousand|million|billion|trillion))?"
    r"|\d[\d,.]*\s(?:(?:thousand|million|billion)\s)?(?:dollars?|euros?|pounds|francs|crowns|EUR|USD|GBP|CHF)\b)"
    r"|(?P<PERCENT>\d[\d,.]*\s?(?:%|per\s?cent\b|percent\b))"
    r"|(?P<TIME>\b\d{1,2}[:.]\d{2}(?:\s?[ap]\.?m\.?)?(?!\d)|\b\d{1,2}\s?[ap]\.?m\.?\b)"
    r"|(?P<CARDINAL>(?<![\w.,-])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\w)|(?<![\w.,/-])\d+(?:\.\d+)?(?![\w/-])"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen"
    r"|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|dozen"
    r"|once|twice)\b)",
    re.IGNORECASE,
)
_LIFE = re.compile(r"\(([^()]*\d{3,4}[^()]*)\)")
_RANGE = re.compile(r"\s[-–—]\s|[–—]|(?<=\d{4})-(?=\d{4})")
_PRONOUN = re.compile(
    r"(?:he|she|it|they|his|her|its|their|the (?:film|song|company|band|album|ship|village))\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Span:
    """Something in a sentence that could be an answer; offsets in the passage's text."""

    text: str
    key: str
    label: str
    start: int
    end: int
    role: str = ""  # birth or death: its place inside "(1901 - 1980)"


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence of a candidate, ready to be asked."""

    candidate: int
    sentence: Sentence
    text: str
    words: tuple[Word, ...]
    spans: tuple[Span, ...]
    stems: frozenset[str]
    cosine: float


@dataclass(frozen=True, slots=True)
class Reading:
    """All candidates' sentences in rank order; a sentence that two passages share is read once.

    `folded`: each line's text as a name key would spell it; `titles`: each candidate's title key.
    """

    candidates: tuple[Candidate, ...]
    lines: tuple[Line, ...]
    folded: tuple[str, ...]
    titles: tuple[str, ...]
    opens_with_pronoun: tuple[bool, ...]


def read(candidates: Sequence[Candidate], question_vector: NDArray[np.float32]) -> Reading:
    """Read every sentence once. `question_vector` has shape (384,)."""
    lines: list[Line] = []
    seen: set[tuple[str, int]] = set()
    for index, candidate in enumerate(candidates):
        passage = candidate.passage
        sentences = passage.sentences or (Sentence(0, len(passage.text)),)
        cosines = candidate.vectors @ question_vector if len(candidate.vectors) else ()
        for i, sentence in enumerate(sentences):
            place = (passage.document_id, passage.start + sentence.start)
            if place in seen or sentence.end <= sentence.start:
                continue
            seen.add(place)
            text = passage.text[sentence.start : sentence.end]
            cosine = float(cosines[i]) if i < len(cosines) else 0.0
            spans = _spans(text, sentence, candidate.mentions)
            read_words = words(text, sentence.start)
            stems = frozenset(word.stem for word in read_words)
            lines.append(Line(index, sentence, text, read_words, spans, stems, cosine))
    return Reading(
        tuple(candidates),
        tuple(lines),
        tuple(" " + " ".join(_fold(line.text)) + " " for line in lines),
        tuple(normalise(c.passage.title) for c in candidates),
        tuple(bool(_PRONOUN.match(line.text)) for line in lines),
    )


_FOLD = re.compile(r"[^\W_]+")


def _fold(text: str) -> list[str]:
    return _FOLD.findall(text.casefold())


def about(reading: Reading, line: int, key: str) -> float:
    """How surely the line speaks of the name: 1 names it, less when only its passage does, else 0."""
    current = reading.lines[line]
    needle = " ".join(_fold(key))
    if not needle:
        return 0.0
    spelled = f" {needle} "
    title = reading.titles[current.candidate]
    titled = key == title or key == normalise(without_disambiguation(title))
    if spelled in reading.folded[line]:
        return 1.0 if titled else 0.9
    if titled:
        return 0.9 if reading.opens_with_pronoun[line] or current.sentence.start == 0 else 0.75
    near = line > 0 and reading.lines[line - 1].candidate == current.candidate
    if near and spelled in reading.folded[line - 1]:
        return 0.7 if reading.opens_with_pronoun[line] else 0.45
    if spelled in f" {' '.join(_fold(title))} ":
        return 0.6
    return 0.0


def _spans(text: str, sentence: Sentence, mentions: tuple[ExtractedMention, ...]) -> tuple[Span, ...]:
    """Typed spans of one sentence: dates and amounts as patterns read them, names as extracted."""
    found: list[Span] = []
    for date in find_dates(text):
        found.append(_span(text, date.start, date.end, "DATE", sentence))
    taken = [(s.start, s.end) for s in found]
    for match in _AMOUNT.finditer(text):
        start, end = match.start() + sentence.start, match.end() + sentence.start
        if not any(start < b and end > a for a, b in taken):
            found.append(_span(text, match.start(), match.end(), str(match.lastgroup), sentence))
            taken.append((start, end))
    for mention in mentions:
        inside = sentence.start <= mention.start < mention.end <= sentence.end
        if not inside or any(mention.start < b and mention.end > a for a, b in taken):
            continue
        if mention.label in _VALUES and mention.label not in ("QUANTITY", "TIME", "DATE"):
            continue
        key = normalise(mention.text)
        label = mention.label
        if country_of(key) and label not in ("NORP", "LANGUAGE"):
            label = "GPE"
        found.append(Span(mention.text, key, label, mention.start, mention.end))
    return tuple(sorted(_with_roles(text, sentence, found), key=lambda s: s.start))


def _span(text: str, start: int, end: int, label: str, sentence: Sentence) -> Span:
    surface = text[start:end].strip()
    return Span(surface, normalise(surface), label, start + sentence.start, end + sentence.start)


def _with_roles(text: str, sentence: Sentence, spans: list[Span]) -> list[Span]:
    """Marks what stands in "(12 May 1901 - 3 June 1980)" or "(born 12 May 1901)"."""
    zones: list[tuple[int, int, str]] = []
    for match in _LIFE.finditer(text):
        start, end = match.start(1) + sentence.start, match.end(1) + sentence.start
        inside = match.group(1)
        dash = _RANGE.search(inside)
        if re.match(r"\s*(?:b\.|born)", inside, re.IGNORECASE) and not dash:
            zones.append((start, end, "birth"))
        elif re.match(r"\s*(?:d\.|died)", inside, re.IGNORECASE):
            zones.append((start, end, "death"))
        elif dash and dash.start() > 2:
            zones.append((start, start + dash.start(), "birth"))
            zones.append((start + dash.end(), end, "death"))
        elif find_dates(inside) and any(d.day or d.month for d in find_dates(inside)):
            zones.append((start, end, "birth"))
    if not zones:
        return spans
    return [
        next(
            (
                Span(s.text, s.key, s.label, s.start, s.end, role)
                for start, end, role in zones
                if start <= s.start and s.end <= end
            ),
            s,
        )
        for s in spans
    ]
