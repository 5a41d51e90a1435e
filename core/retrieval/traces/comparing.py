"""What two traces differ in, of one question by two ways or of two questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from core.types import (
    PassageChange,
    SavedTrace,
    SeedChange,
    Stage,
    StageChange,
    Trace,
    TraceComparison,
    WeightChange,
)
from core.types.stages import Joined, Ranked, SecondStageOrder


def compare(before: SavedTrace, after: SavedTrace) -> TraceComparison:
    """Stages stand beside each other by name and order, all else by what it is."""
    one, other = before.trace, after.trace
    return TraceComparison(
        before, after, _stages(one.stages, other.stages), _seeds(one, other), _passages(one, other),
        _weights(one, other),
    )  # fmt: skip


def _stages(before: Sequence[Stage], after: Sequence[Stage]) -> tuple[StageChange, ...]:
    names = [stage.name for stage in before], [stage.name for stage in after]
    found: list[StageChange] = []
    for _, a, b, c, d in SequenceMatcher(None, *names, autojunk=False).get_opcodes():
        same = names[0][a:b] == names[1][c:d]
        if same:
            pairs = zip(before[a:b], after[c:d], strict=True)
            found += (StageChange(old.name, old, new, old.detail != new.detail) for old, new in pairs)
        else:
            found += (StageChange(stage.name, stage, None, True) for stage in before[a:b])
            found += (StageChange(stage.name, None, stage, True) for stage in after[c:d])
    return tuple(found)


def _seeds(before: Trace, after: Trace) -> tuple[SeedChange, ...]:
    old, new = ({seed.entity_id: seed for seed in trace.seeds} for trace in (before, after))
    changes = [
        SeedChange(
            id,
            seed.name,
            old[id].weight if id in old else None,
            new[id].weight if id in new else None,
        )
        for id, seed in (old | new).items()
    ]
    return tuple(sorted(changes, key=lambda change: -max(change.before or 0.0, change.after or 0.0)))


def _passages(before: Trace, after: Trace) -> tuple[PassageChange, ...]:
    old, new = _ranks(before, after), _ranks(after, before)
    labels = before.passages | after.passages
    order = sorted(new, key=new.__getitem__) + sorted(old.keys() - new.keys(), key=old.__getitem__)
    return tuple(PassageChange(id, labels.get(id), old.get(id), new.get(id)) for id in order)


def _ranks(trace: Trace, other: Trace) -> Mapping[str, int]:
    """Ranks of the last list that both traces kept whole, else of the passages that are shown."""
    last, others = _last_list(trace), _last_list(other)
    return last if last and others else {hit.passage_id: hit.rank for hit in trace.hits}


def _last_list(trace: Trace) -> dict[str, int]:
    """By passage, of the stage that put them in order last."""
    for stage in reversed(trace.stages):
        if isinstance(stage.data, Joined):
            return {passage.passage_id: passage.rank for passage in stage.data.passages}
        if isinstance(stage.data, SecondStageOrder):
            return {passage.passage_id: passage.after for passage in stage.data.passages}
        if isinstance(stage.data, Ranked):
            return {hit.passage_id: hit.rank for hit in stage.data.hits}
    return {}


def _weights(before: Trace, after: Trace) -> tuple[WeightChange, ...]:
    old, new = (trace.route.complexity.weights for trace in (before, after))
    return tuple(WeightChange(name, old.get(name), new.get(name)) for name in dict.fromkeys((*old, *new)))
