"""What extraction is given: passages as plain text, and each text of a run once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from core.extraction.names import normalise
from core.ingest.cleaning import UNPLAIN
from core.ingest.dating import readable_name
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
    triples = []
    for triple in extraction.triples:
        start, end = read.stored(triple.start, triple.end)
        triples.append(replace(triple, start=start, end=end))
    mentions, phrases = (
        tuple(
            replace(one, start=place[0], end=place[1])
            for one in found
            for place in [read.stored(one.start, one.end)]
        )
        for found in (extraction.mentions, extraction.phrases)
    )
    return replace(extraction, mentions=mentions, triples=tuple(triples), phrases=phrases)


# ------------------------------------------------------------ passages with the same text


_MOST = 20_000  # passages whose results are kept for their copies, about 5 KB each; of others copies are read again

Fault = tuple[str, str]  # reason and raw output
Faults = dict[int, Fault]  # by passage key


@dataclass(frozen=True, slots=True)
class Done:
    """What was found in a passage, and why it could not be encoded, if it could not."""

    extraction: Extraction
    fault: Fault | None


class Duplicates:
    """Knows which texts come again among the pending passages, and keeps what was made of their first."""

    def __init__(self, repeated: Iterable[str]) -> None:
        """`repeated`: texts that more than one pending passage has."""
        # By hash, which is little; who shares it and is no copy is told apart later.
        self._repeated = {hash(text) for text in repeated}
        self._first: dict[tuple[Passage, str], int] = {}
        self._awaited: set[int] = set()
        self._done: dict[int, Done] = {}

    def copies(self, batch: Iterable[StoredPassage]) -> dict[int, int]:
        """The key of the first of its like for each passage of `batch`, by key, that is not the first itself."""
        found: dict[int, int] = {}
        for stored in batch:
            if hash(stored.passage.text) in self._repeated:
                read = _as_read(stored.passage), extraction_input(stored).title
                if read in self._first:
                    found[stored.key] = self._first[read]
                elif len(self._first) < _MOST:
                    self._first[read] = stored.key
                    self._awaited.add(stored.key)
        return found

    def keep(
        self,
        batch: Sequence[StoredPassage],
        extractions: Sequence[Extraction],
        faults: Faults,
    ) -> None:
        """Keep what was made of the passages of `batch` that have copies."""
        for stored, extraction in zip(batch, extractions, strict=True):
            if stored.key in self._awaited:
                self._awaited.remove(stored.key)
                self._done[stored.key] = Done(extraction, faults.get(stored.key))

    def filled(
        self,
        batch: Sequence[StoredPassage],
        copies: Mapping[int, int],
        found: Iterable[Extraction],
        faults: Faults,
    ) -> tuple[list[Extraction], Faults]:
        """One extraction for each passage of `batch`, of which `found` are those that are no copies; and all faults."""
        own = iter(found)
        extractions: list[Extraction] = []
        every = dict(faults)
        for stored in batch:
            if stored.key not in copies:
                extractions.append(next(own))
                continue
            first = self._done[copies[stored.key]]
            extractions.append(_for_copy(first.extraction, stored.passage))
            if first.fault is not None:
                every[stored.key] = first.fault
        return extractions, every


def _for_copy(extraction: Extraction, copy: Passage) -> Extraction:
    """The same, with the copy as the passage that it rests on."""
    triples = tuple(replace(triple, passage_id=copy.id) for triple in extraction.triples)
    return replace(extraction, triples=triples)


def _as_read(passage: Passage) -> Passage:
    """The passage without its place: what encoder and extractor make of it depends on nothing else."""
    opening = min(passage.ordinal, 1)  # a document's first passage is read as one
    return replace(passage, id="", document_id="", ordinal=opening, start=0, end=0, page=None)
