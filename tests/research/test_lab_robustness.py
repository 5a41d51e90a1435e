"""The stated share is lost, repeatably, and never in the store."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from core.cli import group
from core.errors import BadInput
from core.graph.build import Edges
from core.progress import Cancelled, TaskContext
from core.research.datasets import EvalQuestion
from core.research.lab_run import BOTH, EDGES, NODES, damaged, measure_robustness
from core.retrieval.compositions import shipped_compositions
from core.retrieval.snapshot import EntityColumns, Extracted
from core.store.facts import FactColumns
from core.workspace import Workspace

NAMES = ("no-12", "graph")
CHOSEN = {name: shipped_compositions()[name] for name in NAMES}


def extracted_graph(n: int = 50, extra: int = 0, seed: int = 0) -> Extracted:
    """Entities in a ring of facts and as many others as `extra`, each named by one passage of its own."""
    keys = np.arange(1, n + 1)
    following = np.roll(keys, -1)
    chance = np.random.default_rng(seed)
    others = chance.integers(1, n + 1, (extra, 2))
    ones = np.ones(n, dtype=np.int64)
    subjects, objects = np.append(keys, others[:, 0]), np.append(following, others[:, 1])
    return Extracted(
        entities=EntityColumns.of(
            [[(key, f"e{key}", f"name {key}", f"Name {key}", "PERSON") for key in keys.tolist()]]
        ),
        aliases=tuple((f"alias {key}", int(key)) for key in keys),
        occurrences=np.stack([keys, keys, ones], axis=1),
        places=np.stack([keys, keys, ones], axis=1),
        facts=FactColumns(np.arange(n + extra) * 10, subjects, objects, chance.random(n + extra)),
        synonyms=Edges(np.stack([keys, following], axis=1), np.ones(n)),
    )


Fact = tuple[int, int, int, float]


def facts(extracted: Extracted) -> list[Fact]:
    stored = extracted.facts
    columns = (stored.keys, stored.subjects, stored.objects, stored.strengths)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def without(original: Extracted, remaining: set[int]) -> list[Fact]:
    return [fact for fact in facts(original) if fact[1] in remaining and fact[2] in remaining]


@given(
    n=st.integers(1, 60),
    extra=st.integers(0, 100),
    share=st.floats(0, 1),
    seed=st.integers(0, 1_000),
    of=st.sampled_from([NODES, EDGES, BOTH]),
)
def test_what_is_left_is_a_part_with_the_share_gone(
    n: int, extra: int, share: float, seed: int, of: str
) -> None:
    original = extracted_graph(n, extra, seed)
    left = damaged(original, share, seed, of)
    remaining = {row.key for row in left.entities}
    lost = {NODES: (share, 0.0), EDGES: (0.0, share), BOTH: (share, share)}[of]
    assert len(remaining) == n - round(lost[0] * n)
    assert list(left.entities) == [row for row in original.entities if row.key in remaining]
    # All that hangs on what is left stays, and nothing else.
    assert left.aliases == tuple(alias for alias in original.aliases if alias[1] in remaining)
    for rows, original_rows, column in (
        (left.occurrences, original.occurrences, 0),
        (left.places, original.places, 1),
    ):
        assert rows.tolist() == [row for row in original_rows.tolist() if row[column] in remaining]
    assert left.synonyms.ends.tolist() == [
        ends for ends in original.synonyms.ends.tolist() if set(ends) <= remaining
    ]
    assert len(left.synonyms.weights) == len(left.synonyms.ends)
    # Facts: a part of those between what is left, in their order; of nodes alone, all of these.
    possible = without(original, remaining)
    assert not Counter(facts(left)) - Counter(possible)
    assert len(possible) - round(lost[1] * (n + extra)) <= len(facts(left)) <= len(possible)
    if of == NODES:
        assert facts(left) == possible
    if of == EDGES:
        assert len(facts(left)) == n + extra - round(share * (n + extra))
    again = damaged(original, share, seed, of)
    assert facts(again) == facts(left) and list(again.entities) == list(left.entities)


def test_of_both_facts_are_lost_besides() -> None:
    original = extracted_graph(400)
    left = damaged(original, 0.2, 1)
    possible = len(without(original, {row.key for row in left.entities}))
    assert 0.7 * possible < len(facts(left)) < 0.9 * possible


def test_another_seed_loses_something_else() -> None:
    one, other = damaged(extracted_graph(), 0.4, 1), damaged(extracted_graph(), 0.4, 2)
    assert list(one.entities) != list(other.entities)


@pytest.fixture(scope="module")
def questions(sample_workspace: Workspace) -> list[EvalQuestion]:
    found = []
    for at, text in enumerate(("Who owned the company that chartered the Grey Petrel?", "Who met Tobias?")):
        hits = sample_workspace.retrieve(text, TaskContext(), "graph", 1)[1].hits
        document = sample_workspace.passages.get(hits[0].passage_id).document_id
        path = sample_workspace.documents.get(document).path
        found.append(EvalQuestion(f"q{at}", text, (), frozenset((path,)), "kind"))
    return found


def test_the_store_stays_as_it_is(sample_workspace: Workspace, questions: list[EvalQuestion]) -> None:
    before, revision = sample_workspace.counts(), sample_workspace.revision
    undamaged = sample_workspace.retrieve(questions[0].question, TaskContext(), "graph", 5)[1]
    found = measure_robustness(sample_workspace, questions, CHOSEN, (0.5, 1.0), TaskContext(), seeds=2)
    assert [(each.composition, each.lost) for each in found] == [
        (name, lost) for name in NAMES for lost in (0.5, 1.0)
    ]
    assert all(each.figure == "recall@5" and len(each.damaged) == 2 for each in found)
    graph = found[2]
    assert graph.baseline == 1.0, "its first passage is the gold"
    assert graph.share == graph.value == sum(graph.damaged) / 2
    assert (sample_workspace.counts(), sample_workspace.revision) == (before, revision)
    assert (
        sample_workspace.retrieve(questions[0].question, TaskContext(), "graph", 5)[1].hits == undamaged.hits
    )
    again = measure_robustness(sample_workspace, questions, CHOSEN, (0.5, 1.0), TaskContext(), seeds=2)
    assert again == found


def test_without_a_graph_the_passages_are_still_ranked(sample_workspace: Workspace) -> None:
    asker = sample_workspace.retrieval.asker_over(lambda extracted: damaged(extracted, 1.0, 1))
    for route in ("graph", "lab:walk", "lab:no-12"):
        _, found = asker.retrieve("Who owned the Grey Petrel?", route, 5, TaskContext())
        assert found.hits and found.seeds == () and found.heat == {}


def test_shares_and_cancelling(sample_workspace: Workspace, questions: list[EvalQuestion]) -> None:
    for shares in ((), (0.0,), (1.5,), (float("nan"),)):
        with pytest.raises(BadInput):
            measure_robustness(sample_workspace, questions, CHOSEN, shares, TaskContext())
    with pytest.raises(Cancelled):
        measure_robustness(sample_workspace, questions, CHOSEN, (0.1,), TaskContext(cancelled=lambda: True))


def test_the_command(sample_workspace: Workspace, questions: list[EvalQuestion], tmp_path: Path) -> None:
    asked = tmp_path / "asked.jsonl"
    lines = (
        {"id": q.id, "question": q.question, "gold": sorted(q.supporting), "answers": ["Holm"]}
        for q in questions
    )
    asked.write_text("".join(json.dumps(line) + "\n" for line in lines))
    place = [str(sample_workspace.path), "--questions", str(asked)]
    wanted = ["lab", "robustness", *place, "--instances", "no-12,graph", "--lost", "0.2,0.4"]
    result = CliRunner().invoke(group, [*wanted, "--json"], catch_exceptions=False)
    rows = json.loads(result.stdout)["kept"]
    assert [(each["composition"], each["lost"]) for each in rows] == [
        ("no-12", 0.2),
        ("no-12", 0.4),
        ("graph", 0.2),
        ("graph", 0.4),
    ]
    output = CliRunner().invoke(group, [*wanted, "--answers"], catch_exceptions=False).stdout
    assert "recall@5, both lost, 2" in output and "right, both lost, 2" in output and "40%" in output
    refused = CliRunner().invoke(group, [*wanted, "--lost", "much"])
    assert isinstance(refused.exception, BadInput)
