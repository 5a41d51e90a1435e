"""What two traces differ in."""

from __future__ import annotations

from core.retrieval.traces import compare
from core.types import Complexity, Hit, Route, SavedTrace, Seed, Stage, Trace
from core.types.stages import Joined, JoinedPassage, Ranked


def joined(*ids: str) -> Stage:
    rows = tuple(JoinedPassage(id, {}, 1 / rank, rank) for rank, id in enumerate(ids, 1))
    return Stage("join", 0.1, "joined", Joined({}, rows, 2, len(rows)))


def trace(
    *stages: Stage, seeds: tuple[Seed, ...] = (), weights: dict[str, float] | None = None
) -> SavedTrace:
    route = Route("fusion", Complexity(0.5, 0.3, 0.6, (), weights or {}))
    hits = (Hit("a", 0.5, 1), Hit("b", 0.4, 2))
    return SavedTrace(Trace("Who?", route, stages, seeds, {}, hits, 1.0))


def test_stages_stand_beside_each_other_by_name_and_order() -> None:
    before = trace(Stage("route", 0.1, "dense"), Stage("dense", 0.2), Stage("answer", 0.3))
    after = trace(
        Stage("route", 0.2, "graph"), Stage("seeds", 0.1), Stage("graph", 0.1), Stage("answer", 0.9)
    )
    found = [
        (s.name, s.before is not None, s.after is not None, s.changed) for s in compare(before, after).stages
    ]
    assert found == [
        ("route", True, True, True),
        ("dense", True, False, True),
        ("seeds", False, True, True),
        ("graph", False, True, True),
        ("answer", True, True, False),
    ]


def test_ranks_are_those_of_the_last_whole_list_where_both_kept_one() -> None:
    found = compare(trace(joined("c", "a", "b")), trace(joined("a", "d", "c")))
    ranks = [(row.passage_id, row.before, row.after) for row in found.passages]
    assert ranks == [("a", 2, 1), ("d", None, 2), ("c", 1, 3), ("b", 3, None)]
    alone = Stage("dense", 0.1, "", Ranked("dense", (Hit("d", 0.9, 1), Hit("c", 0.8, 2)), 2, 9))
    found = compare(trace(joined("c", "d")), trace(alone))
    assert [(row.passage_id, row.before, row.after) for row in found.passages] == [("d", 2, 1), ("c", 1, 2)]
    old = compare(trace(Stage("join", 0.1)), trace(joined("b", "a")))
    assert [(row.passage_id, row.before, row.after) for row in old.passages] == [("a", 1, 1), ("b", 2, 2)]


def test_seeds_and_weights_that_came_and_went() -> None:
    before = trace(seeds=(Seed("x", "X", 0.2, ""), Seed("y", "Y", 0.8, "")), weights={"graph": 1.0})
    after = trace(
        seeds=(Seed("y", "Y", 0.6, ""), Seed("z", "Z", 0.4, "")), weights={"dense": 0.5, "graph": 0.5}
    )
    found = compare(before, after)
    assert [(s.name, s.before, s.after) for s in found.seeds] == [
        ("Y", 0.8, 0.6),
        ("Z", None, 0.4),
        ("X", 0.2, None),
    ]
    assert [(w.name, w.before, w.after) for w in found.weights] == [("graph", 1.0, 0.5), ("dense", None, 0.5)]
