"""Passages as extraction reads them: without what nobody sees, with single spaces; what it finds is put back."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from pathlib import PurePath

from core.extraction.names import normalise
from core.ingest.cleaning import UNPLAIN
from core.ingest.titles import readable_name
from core.store.passages import StoredPassage
from core.types import Extraction, Passage, Sentence


def extraction_input(stored: StoredPassage) -> Passage:
    """The passage as names and facts are read off it: a title that is the file's name alone names nothing."""
    passage = stored.passage
    if not stored.in_file or passage.title != readable_name(PurePath(stored.path).name):
        return passage
    lines = [*passage.headings, passage.text.partition("\n")[0] if passage.ordinal == 0 else ""]
    own = {normalise(line) for line in lines}
    return passage if normalise(passage.title) in own else replace(passage, title="")


@dataclass(frozen=True, slots=True)
class PlainPassage:
    """`passage` is plain; `_steps` are (place in it, place in the stored one), one for each run that is the same."""

    passage: Passage
    _steps: tuple[tuple[int, int], ...]

    def stored(self, start: int, end: int) -> tuple[int, int]:
        """Where text[start:end] of the plain passage stands in the stored one; nothing stays nowhere."""
        return (self._stored(start), self._stored(end - 1) + 1) if end > start else (start, end)

    def _stored(self, at: int) -> int:
        plain, stored = self._steps[bisect_right(self._steps, at, key=lambda step: step[0]) - 1]
        return at - plain + stored


def plain_passage(passage: Passage) -> PlainPassage:
    """Most are plain already and stay as they are."""
    pieces: list[str] = []
    steps = [(0, 0)]
    at = length = 0
    for match in UNPLAIN.finditer(passage.text):
        start, end = match.span()
        piece = passage.text[at:start] + (" " if match[0][0].isspace() else "")
        pieces.append(piece)
        length += len(piece)
        at = end
        steps.append((length, end))
    if not pieces:
        return PlainPassage(passage, ((0, 0),))
    stored = [step[1] for step in steps]

    def plain(place: int) -> int:
        index = bisect_right(stored, place) - 1
        last = steps[index + 1][0] if index + 1 < len(steps) else length + len(passage.text) - at
        return min(steps[index][0] + place - steps[index][1], last)

    text = "".join([*pieces, passage.text[at:]])
    sentences = tuple(Sentence(plain(one.start), plain(one.end)) for one in passage.sentences)
    blocks = tuple(replace(b, start=plain(b.start), end=plain(b.end)) for b in passage.blocks)
    return PlainPassage(replace(passage, text=text, sentences=sentences, blocks=blocks), tuple(steps))


def put_back(extraction: Extraction, read: PlainPassage) -> Extraction:
    """What was found in a plain passage, at its places in the stored one."""
    mentions, triples = [], []
    for mention in extraction.mentions:
        start, end = read.stored(mention.start, mention.end)
        mentions.append(replace(mention, start=start, end=end))
    for triple in extraction.triples:
        start, end = read.stored(triple.start, triple.end)
        triples.append(replace(triple, start=start, end=end))
    return replace(extraction, mentions=tuple(mentions), triples=tuple(triples))
