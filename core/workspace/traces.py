"""Traces of answers: named for people, kept as files, compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from core.retrieval.traces import VERSION, compare, read_trace, to_json
from core.store.store import Store
from core.types import Answer, PassageLabel, SavedTrace, Trace, TraceComparison
from core.types.stages import NearSentence, SeedCandidates


class TracesApi:
    """`workspace.traces`. Changes nothing of the workspace; safe from every thread."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def of(self, answer: Answer) -> SavedTrace:
        """An answer's trace as it is kept, its passages named."""
        created_at = datetime.now(UTC).isoformat(timespec="seconds")
        how = answer.confidence, answer.abstained, answer.guess
        return SavedTrace(self.named(answer.trace), answer.text, *how, created_at, VERSION)

    def named(self, trace: Trace) -> Trace:
        """The trace with titles and places of all passages in it that are still here; those it knows stay."""
        ids = dict.fromkeys(_passages_in(trace))
        missing = [id for id in ids if id not in trace.passages]
        if not missing:
            return trace
        wanted: dict[str, list[int]] = {}
        for sentence in _sentences_in(trace):
            wanted.setdefault(sentence.passage_id, []).append(sentence.number)
        labels = dict(trace.passages)
        for stored in self._store.passages.by_ids(missing):
            passage, numbers = stored.passage, wanted.get(stored.passage.id, ())
            sentences = {
                number: " ".join(passage.text[spot.start : spot.end].split())
                for number in numbers
                for spot in passage.sentences[number : number + 1]
            }
            labels[passage.id] = PassageLabel(
                passage.title, stored.path, passage.page, passage.ordinal + 1, sentences
            )
        return replace(trace, passages=labels)

    @staticmethod
    def as_json(saved: SavedTrace) -> str:
        return to_json(saved)

    @staticmethod
    def read(source: Path) -> SavedTrace:
        """Of this or an older Clew; of a newer one what is known. Raises BadInput for what is no trace."""
        return read_trace(source.expanduser())

    def opened(self, source: Path) -> SavedTrace:
        """As `read`, with names for the passages that the file does not name and that are here."""
        saved = self.read(source)
        return replace(saved, trace=self.named(saved.trace))

    @staticmethod
    def compare(before: SavedTrace, after: SavedTrace) -> TraceComparison:
        return compare(before, after)


def _sentences_in(trace: Trace) -> Iterator[NearSentence]:
    for stage in trace.stages:
        if isinstance(stage.data, SeedCandidates):
            yield from stage.data.sentences


def _passages_in(trace: Trace) -> Iterator[str]:
    """Ids of all passages that a trace speaks of."""
    yield from (hit.passage_id for hit in trace.hits)
    for stage in trace.stages:
        for rows in (
            getattr(stage.data, name, ())
            for name in ("hits", "passages", "sentences", "statements", "pieces")
        ):
            yield from (row.passage_id for row in rows)
        for answer in getattr(stage.data, "answers", ()):
            yield from answer.passage_ids
