"""Finds what a model said in the passage it was asked about; what is not there does not count."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from core.extraction.inverted_names import Inverted, inverted_names, natural_order
from core.extraction.mentions import title_names
from core.extraction.names import clean, normalise
from core.extraction.prompts import LABELS, EntityReply, TripleReply
from core.text.escape_controls import escape_controls
from core.text.stems import carries, content_stems, numbers
from core.text.translation import mark
from core.types import ExtractedMention, Extraction, Passage, Triple

_WORD = re.compile(r"\w+")
_FOLDED = str.maketrans(
    {"’": "'", "‘": "'", "`": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‐": "-", "‑": "-"}
)
_SMALL_GAPS = frozenset({"", "-", "'", ",", '"', "&"})
# After these, and after initials, a full stop may be missing in a name: "Capt Otto Kask".
_ABBREVIATIONS = frozenset("mr mrs ms dr prof capt col gen lt sgt rev hon st ste mt ft jr sr no vs".split())
_LONGEST_PREDICATE = 120  # characters; longer ones are sentences
_LONGEST_DESCRIPTION = 300
# Confidence of a triple whose ends stand in the passage: a model told it, the text bears it out so far.
WORDED = 0.8  # both ends in one sentence, and a word of the predicate
TOGETHER = 0.65  # both ends in one sentence
APART = 0.5  # in different sentences, or one of them in the title
# Why something of a reply does not count.
NOT_FOUND = mark("names that the passage does not hold")
NO_PREDICATE = mark("triples without a usable predicate")
END_NOT_FOUND = mark("triples with an end that the passage does not hold")
IN_TITLE = mark("triples that only the title holds")
WITH_ITSELF = mark("triples of one name with itself")
NOT_CARRIED = mark("descriptions that the passage does not carry")
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Aligned:
    """What of a model's reply is in the passage; `dropped` is the rest, in words and why."""

    extraction: Extraction
    dropped: tuple[tuple[str, str], ...] = ()

    @property
    def rejected(self) -> Counter[str]:
        """How much was dropped, by reason."""
        return Counter(reason for _, reason in self.dropped)


class PassageWords:
    """The words of a text with their places; comparison ignores case, accents and the kind of quotes and dashes."""

    def __init__(self, text: str, inverted: Sequence[Inverted] = ()) -> None:
        """`inverted`: names that stand surname first in the text; they are found, and called, in their usual order."""
        self.text = text
        self._inverted = {(one.start, one.end): one.natural for one in inverted}
        self._spans = [found.span() for found in _WORD.finditer(text)]
        self._words = [_folded(text[start:end]) for start, end in self._spans]
        self._by_word: dict[str, list[int]] = {}
        for i, word in enumerate(self._words):
            self._by_word.setdefault(word, []).append(i)

    def places(self, name: str) -> list[Span]:
        """Return where the name stands, whole words only, in order; without its article, but "A. Berg" has none."""
        name, bare = " ".join(name.split()), clean(name)
        natural = natural_order(name) or name
        if inverted := [span for span, own in self._inverted.items() if normalise(own) == normalise(natural)]:
            return sorted([*inverted, *self._places(natural)])
        found = self._places(name)
        articles = [span for span in found if clean(self.text[slice(*span)]) == bare]
        return found if found and not (articles and name != bare) else self._places(bare)

    def called(self, place: Span) -> str:
        """Return what is called by the words at a place of `places`."""
        return self._inverted.get(place, self.text[slice(*place)])

    def _places(self, name: str) -> list[Span]:
        spans = [found.span() for found in _WORD.finditer(name)]
        words = [_folded(name[start:end]) for start, end in spans]
        if not words:
            return []
        gaps = [_gap(name[a[1] : b[0]]) for a, b in pairwise(spans)]
        return [
            (self._spans[i][0], self._end(i + len(words) - 1, name))
            for i in self._by_word.get(words[0], ())
            if self._words[i : i + len(words)] == words and self._close(i, gaps)
        ]

    def _close(self, first: int, gaps: Sequence[str]) -> bool:
        """Return whether what stands between the words is what stands between those of the name, or small."""
        for i, wanted in enumerate(gaps, start=first):
            before, after = self._spans[i][1], self._spans[i + 1][0]
            between = _gap(self.text[before:after])
            word = self._words[i]
            short = between == "." and (len(word) == 1 or word in _ABBREVIATIONS)
            if between != wanted and not short and not (between in _SMALL_GAPS and wanted in _SMALL_GAPS):
                return False
        return True

    def _end(self, last: int, name: str) -> int:
        """Return the end of the last word, and of the full stop or bracket that belongs to the name."""
        end = self._spans[last][1]
        tail = name[-1]
        return end + 1 if not tail.isalnum() and self.text[end : end + 1] == tail else end


def align(passage: Passage, entities: Sequence[EntityReply], triples: Sequence[TripleReply]) -> Aligned:
    """Return the mentions and triples of what the model said, as far as it stands in the passage or its title.

    The evidence of a triple is the sentence, or the run of sentences, that holds the nearest occurrences of
    its ends. A triple of which an end is nowhere, or both ends only in the title, is rejected and counted.
    """
    inverted = _inverted(passage.text, entities)
    words, title = PassageWords(passage.text, inverted), PassageWords(passage.title)
    dropped: list[tuple[str, str]] = []
    mentions: dict[ExtractedMention, None] = {}
    for entity in entities:
        places = words.places(entity.name)
        if not places and not title.places(entity.name):
            dropped.append((entity.name, NOT_FOUND))
        for start, end in places:
            label = LABELS.get(entity.kind, "OTHER")
            mentions[ExtractedMention(words.called((start, end)), label, start, end)] = None
            mentions[ExtractedMention(passage.text[start:end], label, start, end)] = None
    mentions.update(dict.fromkeys(_title_mentions(passage, words)))
    found: dict[tuple[str, str, str], Triple] = {}
    for reply in triples:
        triple, reason = _aligned(passage, reply, words, title)
        if triple is None:
            dropped.append((f"{reply.subject} / {reply.predicate} / {reply.object}", reason))
        else:
            description = " ".join(reply.description.split())
            if description and not _carried(passage, triple, description):
                dropped.append((description, NOT_CARRIED))
                description = ""
            key = (normalise(triple.subject), triple.predicate.casefold(), normalise(triple.object))
            found.setdefault(key, replace(triple, description=description))
    return Aligned(Extraction(tuple(mentions), tuple(found.values())), tuple(dropped))


def _inverted(text: str, entities: Sequence[EntityReply]) -> tuple[Inverted, ...]:
    """Return the names written surname first; that they are a person's the model says, in either order."""
    people = {
        normalise(natural_order(entity.name) or entity.name)
        for entity in entities
        if LABELS.get(entity.kind) == "PERSON"
    }
    return inverted_names(
        text, lambda names: [1 if normalise(one.natural) in people else -1 for one in names]
    )


def _aligned(
    passage: Passage, reply: TripleReply, words: PassageWords, title: PassageWords
) -> tuple[Triple | None, str]:
    predicate = " ".join(reply.predicate.split()).strip(".,;: ")
    if not predicate or len(predicate) > _LONGEST_PREDICATE:
        return None, NO_PREDICATE
    ends = [words.places(name) for name in (reply.subject, reply.object)]
    titled = [
        [] if places else title.places(name)
        for places, name in zip(ends, (reply.subject, reply.object), strict=True)
    ]
    if not all(here or there for here, there in zip(ends, titled, strict=True)):
        return None, END_NOT_FOUND
    if not any(ends):
        return None, IN_TITLE
    names = [
        words.called(here[0]) if here else title.called(there[0])
        for here, there in zip(ends, titled, strict=True)
    ]
    if normalise(names[0]) == normalise(names[1]):
        return None, WITH_ITSELF
    start, end, together = _evidence(passage, ends[0], ends[1])
    confidence = APART
    if together and all(ends):
        confidence = WORDED if _says(passage.text[start:end], predicate) else TOGETHER
    return Triple(names[0], predicate, names[1], passage.id, start, end, confidence), ""


def _carried(passage: Passage, triple: Triple, description: str) -> bool:
    """Return whether it tells of both ends, and nothing that neither the passage nor its title says."""
    if len(description) > _LONGEST_DESCRIPTION or escape_controls(description) != description:
        return False
    ends = f"{triple.subject} {triple.object}"
    if not (content_stems(ends) <= content_stems(description) and numbers(ends) <= numbers(description)):
        return False
    return carries(f"{passage.title}\n{passage.text}", description)


def _evidence(passage: Passage, one: Sequence[Span], other: Sequence[Span]) -> tuple[int, int, bool]:
    """Return the offsets of the sentences that hold the nearest pair of places, and whether that is one sentence."""
    sentences = [(s.start, s.end) for s in passage.sentences] or [(0, len(passage.text))]

    def at(place: Span) -> int:
        return max((i for i, (start, _) in enumerate(sentences) if start <= place[0]), default=0)

    if not (one and other):
        start, end = sentences[at((*one, *other)[0])]
        return start, end, False
    pairs = [(abs(at(a) - at(b)), abs(a[0] - b[0]), a, b) for a in one for b in other]
    _, _, a, b = min(pairs)
    first, last = sorted((at(a), at(b)))
    return sentences[first][0], max(sentences[last][1], a[1], b[1]), first == last


def _says(sentence: str, predicate: str) -> bool:
    """Return whether a longer word of the predicate stands in the sentence, by its first letters."""
    words = {_folded(word)[:4] for word in _WORD.findall(sentence)}
    return any(_folded(word)[:4] in words for word in _WORD.findall(predicate) if len(word) > 3)


def _title_mentions(passage: Passage, words: PassageWords) -> list[ExtractedMention]:
    """Return the title as the rules mention it: without a place where the text does not hold it."""
    return [
        ExtractedMention(name, "WORK", 0, 0) for name in title_names(passage.title) if not words.places(name)
    ]


def _folded(word: str) -> str:
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(sign for sign in plain if not unicodedata.combining(sign))


def _gap(text: str) -> str:
    return "".join(text.translate(_FOLDED).split())
