"""The sentences of the candidates, read for one question: words, typed spans, what they are about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from core.answering.amounts import find_amounts
from core.answering.candidate import Candidate
from core.answering.dates import find_dates
from core.answering.lines import Line, Span
from core.answering.words import Word, fold, words
from core.extraction.names import normalise, without_disambiguation
from core.types import ExtractedMention, Sentence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HEADING_WORDS = 8
_CACHED = 4_000  # sentences kept read: what is asked next mostly meets the same passages
_VALUES = frozenset(("DATE", "TIME", "CARDINAL", "QUANTITY", "ORDINAL", "PERCENT", "MONEY"))
_VOTING = frozenset(("PERSON", "ORG", "GPE", "LOC", "FAC", "PRODUCT"))
_LIFE = re.compile(r"\(([^()]*\d{3,4}[^()]*)\)")
_RANGE = re.compile(r"\s[-–—]\s|[–—]|(?<=\d{4})-(?=\d{4})")
_PRONOUN = re.compile(
    r"(?:he|she|it|they|his|her|its|their|the (?:film|song|company|band|album|ship|village))\b", re.IGNORECASE
)


class Reading:
    """All candidates' sentences in rank order; a sentence that two passages share is read once.

    `titles`: each candidate's title as a name key. `headings`: whether a line tells nothing itself.
    """

    def __init__(self, candidates: tuple[Candidate, ...], lines: tuple[Line, ...]) -> None:
        self.candidates = candidates
        self.lines = lines
        self.titles = tuple(normalise(c.passage.title) for c in candidates)
        plain = tuple(normalise(without_disambiguation(c.passage.title)) for c in candidates)
        self._title_keys = tuple(zip(self.titles, plain, strict=True))
        self._spelled_titles = tuple(fold(title) for title in self.titles)
        self._folded = tuple(fold(line.text) for line in lines)
        self.headings = tuple(
            _is_heading(line, fold(candidates[line.candidate].passage.title)) for line in lines
        )
        self._pronoun = tuple(bool(_PRONOUN.match(line.text)) for line in lines)
        self._about: dict[str, tuple[float, ...]] = {}

    def about(self, key: str) -> tuple[float, ...]:
        """How surely each line speaks of the name: 1 names it under its title, 0 is not about it."""
        known = self._about.get(key)
        if known is None:
            needle = fold(key)
            known = tuple(self._about_line(i, key, needle) for i in range(len(self.lines)))
            self._about[key] = known
        return known

    def _about_line(self, i: int, key: str, needle: str) -> float:
        if len(needle) < 3:
            return 0.0
        line = self.lines[i]
        titled = key in self._title_keys[line.candidate]
        if needle in self._folded[i]:
            return 1.0 if titled else 0.9
        if titled:
            return 0.9 if self._pronoun[i] or line.sentence.start == 0 else 0.75
        near = i > 0 and self.lines[i - 1].candidate == line.candidate
        if near and needle in self._folded[i - 1]:
            return 0.7 if self._pronoun[i] else 0.45
        return 0.6 if needle in self._spelled_titles[line.candidate] else 0.0


def _is_heading(line: Line, title: str) -> bool:
    """Whether the line only names what follows: the title again, or a few words without a full stop."""
    if fold(line.text) == title:
        return True
    text = line.text.rstrip()
    return len(line.words) <= _HEADING_WORDS and text[-1:].isalnum() and ":" not in text and ";" not in text


def read(candidates: Sequence[Candidate], question_vector: NDArray[np.float32]) -> Reading:
    """Read every sentence once. `question_vector` has shape (d,)."""
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
            lines.append(_line(index, text, sentence, candidate.mentions, cosine))
    return Reading(tuple(candidates), tuple(_agreed(lines)))


def _agreed(lines: list[Line]) -> list[Line]:
    """Each name under the label that most of the lines give it: the small model wavers."""
    votes: dict[str, Counter[str]] = {}
    for line in lines:
        for span in line.spans:
            if span.label in _VOTING:
                votes.setdefault(span.key, Counter())[span.label] += 1
    leading = {key: count.most_common(1)[0] for key, count in votes.items() if count.total() > 1}
    return [replace(line, spans=tuple(_relabelled(s, votes, leading) for s in line.spans)) for line in lines]


def _relabelled(span: Span, votes: dict[str, Counter[str]], leading: dict[str, tuple[str, int]]) -> Span:
    if span.key not in leading or span.label not in (*_VOTING, "OTHER"):
        return span
    label, count = leading[span.key]
    return span if count <= votes[span.key][span.label] else replace(span, label=label)


def _line(
    candidate: int, text: str, sentence: Sentence, mentions: tuple[ExtractedMention, ...], cosine: float
) -> Line:
    inside = tuple(m for m in mentions if sentence.start <= m.start < m.end <= sentence.end)
    read_words, stems, spans = _facts(text, sentence, inside)
    return Line(candidate, sentence, text, read_words, spans, stems, cosine)


@lru_cache(maxsize=_CACHED)
def _facts(
    text: str, sentence: Sentence, mentions: tuple[ExtractedMention, ...]
) -> tuple[tuple[Word, ...], frozenset[str], tuple[Span, ...]]:
    """What a sentence holds whatever is asked: its words, their stems, its typed spans."""
    read_words = words(text, sentence.start)
    spans = _spans(text, sentence, read_words, mentions)
    return read_words, frozenset(w.stem for w in read_words), spans


def _spans(
    text: str, sentence: Sentence, read_words: tuple[Word, ...], mentions: tuple[ExtractedMention, ...]
) -> tuple[Span, ...]:
    """Typed spans of one sentence: dates and amounts as patterns read them, names as extracted."""
    found: list[Span] = []
    for date in find_dates(text):
        found.append(_span(text, date.start, date.end, "DATE", sentence))
    taken = [(s.start, s.end) for s in found]
    for label, first, last in find_amounts(text, read_words):
        start, end = first + sentence.start, last + sentence.start
        if not any(start < b and end > a for a, b in taken):
            found.append(_span(text, first, last, label, sentence))
            taken.append((start, end))
    for mention in mentions:
        if any(mention.start < b and mention.end > a for a, b in taken):
            continue
        if mention.label in _VALUES and mention.label not in ("QUANTITY", "TIME", "DATE"):
            continue
        found.append(Span(mention.text, normalise(mention.text), mention.label, mention.start, mention.end))
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
