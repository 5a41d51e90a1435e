"""What is lost is what is said, the same each time, and never in the store."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core.cli import main
from core.errors import BadInput
from core.evaluation.bench_robustness import damaged, run
from core.graph.build import Edges
from core.progress import Cancelled, TaskContext
from core.retrieval.snapshot import EntityColumns, Extracted
from core.store.facts import FactColumns
from core.workspace import Workspace


def made(n: int = 50) -> Extracted:
    """Entities in a ring of facts, each named by one passage of its own and one of its neighbour's."""
    keys = np.arange(1, n + 1)
    following = np.roll(keys, -1)
    ones = np.ones(n, dtype=np.int64)
    return Extracted(
        entities=EntityColumns.of(
            [[(key, f"e{key}", f"name {key}", f"Name {key}", "PERSON") for key in keys.tolist()]]
        ),
        aliases=tuple((f"alias {key}", int(key)) for key in keys),
        occurrences=np.stack([keys, keys, ones], axis=1),
        places=np.stack([keys, keys, ones], axis=1),
        facts=FactColumns(keys * 10, keys, following, np.ones(n)),
        synonyms=Edges(np.stack([keys, following], axis=1), np.ones(n)),
    )


@pytest.mark.parametrize("share", [0.1, 0.2, 0.4])
def test_a_share_of_entities_goes_with_all_that_hangs_on_them(share: float) -> None:
    whole = made()
    left = damaged(whole, share, 3)
    kept = {row.key for row in left.entities}
    assert len(kept) == round(len(whole.entities) * (1 - share))
    assert {head for _, head in left.aliases} == kept
    assert set(left.occurrences[:, 0].tolist()) == set(left.places[:, 1].tolist()) == kept
    assert set(left.facts.subjects.tolist()) | set(left.facts.objects.tolist()) <= kept
    assert set(left.synonyms.ends.ravel().tolist()) <= kept
    assert len(left.facts.keys) <= round(len(whole.facts.keys) * (1 - share))
    assert len(left.facts.keys) == len(left.facts.strengths)


def test_facts_are_lost_besides() -> None:
    whole = made(400)
    left = damaged(whole, 0.2, 1)
    kept = {row.key for row in left.entities}
    possible = sum(
        s in kept and o in kept
        for s, o in zip(whole.facts.subjects.tolist(), whole.facts.objects.tolist(), strict=True)
    )
    assert 0.7 * possible < len(left.facts.keys) < 0.9 * possible


def test_the_same_seed_loses_the_same() -> None:
    one, two, other = damaged(made(), 0.4, 1), damaged(made(), 0.4, 1), damaged(made(), 0.4, 2)
    assert list(one.entities) == list(two.entities) and one.facts.keys.tolist() == two.facts.keys.tolist()
    assert list(one.entities) != list(other.entities)
    assert list(damaged(made(), 0.0, 1).entities) == list(made().entities)


def test_the_store_stays_as_it_is(sample_workspace: Workspace) -> None:
    before, revision = sample_workspace.counts(), sample_workspace.revision
    question = "Who owned the company that chartered the Grey Petrel?"
    whole = sample_workspace.retrieve(question, TaskContext(), "graph", 5)[1]
    asker = sample_workspace.retrieval.asker_over(lambda extracted: damaged(extracted, 1.0, 1))
    for route in ("graph", "agentic"):
        _, found = asker.retrieve(question, route, 5, TaskContext())
        assert found.hits and found.seeds == () and found.heat == {}
    assert (sample_workspace.counts(), sample_workspace.revision) == (before, revision)
    assert sample_workspace.retrieve(question, TaskContext(), "graph", 5)[1].hits == whole.hits


@pytest.mark.long
def test_the_bench_tells_its_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    passages = (
        ("p1", "Northern Star", "Otto Kask commands the Northern Star."),
        ("p2", "Otto Kask", "Otto Kask was born in Parnu."),
        ("p3", "Grain", "Grain prices rose."),
    )
    names = ("id", "title", "text")
    (tmp_path / "corpus.jsonl").write_text(
        "\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in passages)
    )
    question = {
        "id": "q",
        "question": "Where was the commander of the Northern Star born?",
        "supporting": ["p1"],
    }
    (tmp_path / "questions.jsonl").write_text(json.dumps(question))
    assert main(["bench", "robustness", str(tmp_path), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)["figures"]
    assert figures["recall@5, agentic, whole graph"]["value"] == 1.0
    for share in ("10%", "20%", "40%"):
        for route in ("graph", "agentic"):
            assert 0.0 <= figures[f"recall@5, {route}, {share} lost"]["value"] <= 1.0
    assert figures["kept, agentic, 20% lost"]["goal"] == ">= 0.92"
    with pytest.raises(Cancelled):
        run(tmp_path, TaskContext(cancelled=lambda: True))
    with pytest.raises(BadInput):
        run(None, TaskContext())
