"""Judgements on answers and explanations, how well stated probabilities hold, and saved traces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from core.answering.reliability import reliability, wilson
from core.config import ModelConfig
from core.models.reader import reader_files
from core.retrieval.traces import VERSION, compare, read_trace, to_json
from core.store.store import Store
from core.types import (
    Answer,
    Evidence,
    ExplanationSums,
    JudgedAnswer,
    JudgedExplanation,
    PassageLabel,
    Reliability,
    SavedTrace,
    Trace,
    TraceComparison,
)
from core.types.stages import NearSentence, SeedCandidates
from core.workspace.handle import WorkspaceHandle


class AnswersApi:
    """`workspace.answers`. Safe from every thread."""

    def __init__(self, opened: WorkspaceHandle, models: Callable[[], ModelConfig]) -> None:
        self._models = models
        self._judged, self._explanations = opened.store.judged_answers, opened.store.judged_explanations
        self._check_trusted = opened.check_trusted

    def judge(self, answer: Answer, verdict: str, right_answer: str = "") -> None:
        """Keep that an answer is "right" or "wrong", with the right one if it is known; "" takes it back.

        Raises BadInput for another verdict, WorkspaceError where nothing can be written, Untrusted.
        """
        self._check_trusted()  # no lock: nothing follows from it, so it can be said while another indexes
        self._judged.judge(answer, verdict, right_answer)

    def judged(self, question: str = "") -> list[JudgedAnswer]:
        """What people said of answers to a question, or to all; the oldest first."""
        return self._judged.of(question) if question else self._judged.all()

    def judge_explanation(self, answer: Answer, evidence: Evidence, verdict: str, why: str = "") -> None:
        """Keep whether the chain or sentence of a passage supports the answer, "yes" or "no"; "" takes it back.

        `why` is a word of the person. Raises as `judge`.
        """
        self._check_trusted()
        self._explanations.judge(answer, evidence, verdict, why)

    def explanations(self, question: str = "") -> list[JudgedExplanation]:
        """What people said of explanations of answers to a question, or to all; the oldest first."""
        return self._explanations.of(question) if question else self._explanations.all()

    def explanation_sums(self) -> ExplanationSums:
        """How many of them support their answers."""
        found = self._explanations.all()
        chains = [one.supports for one in found if one.facts]
        count, supporting = len(found), sum(one.supports for one in found)
        return ExplanationSums(count, supporting, len(chains), sum(chains), *wilson(supporting, count))

    def reliability(self) -> Reliability:
        """How stated probabilities hold, by the report of the reader and by the answers judged here."""
        return reliability(self._judged.all(), reader_files(self._models().reader).report)


# ------------------------------------------------------------ traces


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
