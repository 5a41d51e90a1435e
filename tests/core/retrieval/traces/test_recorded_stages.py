"""What the stages of an answer record, on the sample: what goes in is what came out before, and nothing is endless."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import pytest

from core.progress import TaskContext
from core.retrieval.routes import ROUTES
from core.retrieval.traces import from_json, to_json
from core.types import Answer, StageData, Trace
from core.types.stages import (
    MOST,
    Checked,
    Explanations,
    Joined,
    Packing,
    QuestionRead,
    Ranked,
    Reading,
    SecondStageOrder,
    SeedCandidates,
)  # fmt: skip
from core.workspace import Workspace

QUESTION = "Where was Tobias Renwick arrested, and when did Xanthippe Gorlois learn of it?"
Kind = TypeVar("Kind", bound=StageData)


@pytest.fixture(scope="module")
def answer(sample_workspace: Workspace) -> Answer:
    return sample_workspace.ask(QUESTION, TaskContext(), "fusion")


def recorded(trace: Trace, kind: type[Kind]) -> Iterator[Kind]:
    return (stage.data for stage in trace.stages if isinstance(stage.data, kind))


def first(answer: Answer, kind: type[Kind]) -> Kind:
    return next(recorded(answer.trace, kind))


def test_seeds_and_what_rejected_the_others(answer: Answer) -> None:
    seeds = list(recorded(answer.trace, SeedCandidates))[-1]
    taken = [each for each in seeds.candidates if not each.rejected]
    assert {seed.entity_id for seed in answer.trace.seeds} <= {each.entity_id for each in taken}
    assert sum(each.weight for each in taken) <= 1 + 1e-9
    why = {each.words: each.rejected for each in seeds.candidates if each.rejected and each.words}
    assert why["Xanthippe Gorlois"] == "no entity of this name"
    assert all(each.weight == 0 for each in seeds.candidates if each.rejected)
    assert [near.cosine for near in seeds.sentences] == sorted(
        (s.cosine for s in seeds.sentences), reverse=True
    )
    assert sum(not near.rejected for near in seeds.sentences) == 3


def test_lists_before_and_after(answer: Answer) -> None:
    lists = {each.name: each.hits for each in recorded(answer.trace, Ranked)}
    assert set(lists) == {"lexical", "dense", "graph"}
    order, joined = first(answer, SecondStageOrder), first(answer, Joined)
    walked = {hit.passage_id: hit.rank for hit in lists["graph"]}
    assert all(walked[row.passage_id] == row.before for row in order.passages)
    assert all(len(row.values) == len(order.signals) > 20 for row in order.passages)
    chosen = {row.passage_id: row.after for row in order.passages}
    for row in joined.passages:
        assert row.passage_id not in chosen or row.ranks["graph"] == chosen[row.passage_id]
        assert bool(row.rejected) == (row.rank > joined.taken)
    packed = first(answer, Packing)
    assert [row.passage_id for row in joined.passages[: joined.taken]] == [
        p.passage_id for p in packed.passages
    ]


def test_what_the_reader_saw_and_the_checks_stated(answer: Answer) -> None:
    reading, packed = first(answer, Reading), first(answer, Packing)
    assert [row.passage_id for row in reading.passages] == [row.passage_id for row in packed.passages]
    shares = [each.probability for each in reading.answers]
    best = reading.answers[0]
    assert best.probability == max(shares)
    assert {row.passage_id for row in reading.passages if not row.rejected} == set(best.passage_ids)
    assert sum(not row.rejected for row in reading.passages) == reading.taken
    checks = first(answer, Checked)
    assert checks.validations == answer.trace.rounds[0].validations
    assert checks.taken == sum(check.passed for check in checks.validations)
    why = first(answer, Explanations)
    assert why.taken == sum(row.strength > 0 for row in why.passages)


@pytest.mark.long
@pytest.mark.parametrize("route", sorted(ROUTES))
def test_every_route_is_recorded_bounded_and_stored(sample_workspace: Workspace, route: str) -> None:
    saved = sample_workspace.traces.of(
        sample_workspace.ask("Who owns the Grey Petrel?", TaskContext(), route)
    )
    assert from_json(to_json(saved)) == saved
    kinds = {type(stage.data) for stage in saved.trace.stages}
    assert {QuestionRead, Packing, Reading, Checked, Explanations} <= kinds
    for stage in saved.trace.stages:
        for name in ("hits", "passages", "candidates", "sentences", "answers"):
            rows = getattr(stage.data, name, ())
            assert len(rows) <= MOST
            for row in rows:
                if passage := getattr(row, "passage_id", ""):
                    assert saved.trace.passages[passage].title
    if route not in ("dense", "lexical", "lab:hybrid"):
        assert kinds & {SecondStageOrder}
