"""Passages that say what another one of the run says: they are given its vectors and what was found in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.ingest.plain_passages import extraction_input
from core.store.passages import StoredPassage
from core.types import Extraction, Passage

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
