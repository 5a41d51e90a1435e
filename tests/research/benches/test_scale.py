"""The scale bench: its figures at a few hundred passages, and the laws that it fits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.errors import BadInput, CoreError
from core.index.array_file import open_arrays
from core.progress import Cancelled, TaskContext
from core.research.benches import scale as bench_scale
from core.research.benches.harness import PLACE_VARIABLE, Arguments
from core.research.benches.scale import law_of
from core.research.benches.scale_arrays import (
    EDGES,
    look_up_names,
    make_graph,
    make_names,
    make_vectors,
    search_vectors,
    vector_blocks,
    walk_graph,
)
from core.research.benches.separate_process import apart
from core.research.benches.vectors import nearest_exactly, noisy
from core.research.synthetic.library import generate_questions, make_library
from core.research.synthetic.workspace import edge_blocks
from core.workspace import Workspace

SIZE = 200


@pytest.mark.long
def test_it_tells_its_figures(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(PLACE_VARIABLE, str(tmp_path))
    monkeypatch.setattr(bench_scale, "STARTS", 1)
    monkeypatch.setattr(bench_scale, "QUESTIONS", 8)
    monkeypatch.setattr(bench_scale, "CHANGES", 1)
    figures = bench_scale.run(Arguments(sizes=(SIZE,)))
    values = {name.removesuffix(f", {SIZE} passages"): figure.value for name, figure in figures.items()}
    parts = sum(value for name, value in values.items() if name.startswith("snapshot: "))
    assert 0.9 * values["snapshot"] < parts <= values["snapshot"]
    assert "snapshot: other arrays" not in values  # every array has its part
    assert values["database"] > values["snapshot"] > 0.5
    assert 0.2 < values["snapshot / vectors as float32"] < 2  # all vectors are exact at this size
    assert 0 < values["next questions, median"] <= values["next questions, 95th percentile"]
    stages = sum(value for name, value in values.items() if name.startswith("stage "))
    assert stages > 0
    assert 0 < values["of it indexing, median"] < values["changed file until it is found, median"]
    assert (
        values["memory of a process that asks, peak"] > values["memory of a process that asks: its own"] > 50
    )
    assert (
        values["recall@10 of passages by vectors, made"]
        == values["recall@3 of sentences by vectors, made"]
        == 1
    )
    assert values["names alone: found"] == 1
    assert not list(tmp_path.glob("arrays-*"))
    assert (tmp_path / f"workspace-{SIZE}").is_dir()  # kept, to go on from


def test_generated_libraries_are_trusted_and_asked_by_name(tmp_path: Path) -> None:
    place = tmp_path / "workspace"
    make_library(place, SIZE)
    make_library(place, SIZE)  # there already
    with Workspace.open(place) as workspace:
        counts = workspace.counts()
        assert workspace.trusted
        assert counts.entities == 1.6 * SIZE
        assert counts.pending == counts.unfinished == 0
        assert counts.communities
        questions = generate_questions(SIZE, 16)
        assert len(set(questions)) == 16
        found = [any(name in question for question in questions) for name in _names(workspace)]
        assert sum(found) >= 14


def _names(workspace: Workspace) -> list[str]:
    return [entity.name for entity in workspace.graph.entities()]


def test_laws_are_distinguished() -> None:
    sizes = np.array([1e4, 1e5, 1e6, 1e7])
    rng = np.random.default_rng(1)
    shapes = {
        "constant": np.full(4, 20.0),
        "logarithm": 3 + 2 * np.log2(sizes),
        "root": 1 + 0.5 * np.sqrt(sizes),
        "linear": 7 + 0.01 * sizes,
    }
    for name, values in shapes.items():
        noise = 1 + 0.01 * rng.standard_normal(4)
        law = law_of(sizes.tolist(), (values * noise).tolist())
        assert law is not None
        assert law.name == name
        assert law.at(1e6) == pytest.approx(values[2], rel=0.1)
    steep = law_of(sizes.tolist(), (0.01 * sizes).tolist())
    assert steep is not None
    assert steep.exponent == pytest.approx(1.0)
    assert law_of([1e4, 1e5], [1.0, 2.0]) is None
    assert law_of(sizes.tolist(), [0.0, 1.0, 2.0, 3.0]) is None


def test_a_size_that_is_none_is_refused() -> None:
    with pytest.raises(BadInput):
        bench_scale.run(Arguments(sizes=(10,)))


# ------------------------------------------------------------ processes of their own


@pytest.mark.long
def test_memory_of_a_part_is_its_own() -> None:
    small, large = (apart(TaskContext(), _hold, size) for size in (0, 200_000_000))
    assert large.result == 200_000_000
    assert large.memory.own_peak - small.memory.own_peak == pytest.approx(200e6, rel=0.2)
    assert large.memory.own < large.memory.own_peak  # given back before the end
    with pytest.raises(CoreError, match="_fail"):
        apart(TaskContext(), _fail)
    with pytest.raises(Cancelled):
        apart(TaskContext(cancelled=lambda: True), _hold, 0)


def _hold(size: int) -> int:
    return int(np.ones(size, np.uint8).sum())


def _fail() -> None:
    raise SystemExit(1)


# ------------------------------------------------------------ arrays alone


def test_vectors_alone_are_searched(tmp_path: Path) -> None:
    file = tmp_path / "vectors"
    build = make_vectors(file, 3_000)
    assert build.size < 3_000 * 384 * 4
    assert search_vectors(file, 3_000).quality > 0.95
    blocks = list(vector_blocks(20_000))
    assert sum(map(len, blocks)) == 20_000
    assert (np.concatenate(list(vector_blocks(20_000))) == np.concatenate(blocks)).all()
    asked = noisy(blocks[0][:5])
    wanted = np.sort(np.argsort(-(asked @ np.concatenate(blocks).T), axis=1)[:, :10], axis=1)
    assert (np.sort(nearest_exactly(blocks, asked, 10), axis=1) == wanted).all()


def test_a_graph_alone_is_the_one_of_its_edges(tmp_path: Path) -> None:
    file, passages = tmp_path / "graph", 150
    build = make_graph(file, passages)
    nodes = int(passages * 2.6)
    ends = np.concatenate(list(edge_blocks(nodes, EDGES * passages)))
    wanted = np.zeros((nodes, nodes), np.int64)
    np.add.at(wanted, (ends[:, 0], ends[:, 1]), 1)
    wanted += wanted.T
    opened = open_arrays(file, {"made": 1})
    assert opened is not None
    starts, others = opened.arrays["indptr"], opened.arrays["indices"]
    found = np.zeros_like(wanted)
    np.add.at(found, (np.repeat(np.arange(nodes), np.diff(starts)), others), 1)
    assert (found == wanted).all()
    assert build.count == found.sum() > EDGES * passages
    assert min(walk_graph(file, passages).questions) > 0


def test_names_alone_are_found_across_parts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("core.research.benches.scale_arrays._NAMES", 70)
    monkeypatch.setattr("core.index.texts._MOVED", 100)
    file = tmp_path / "names"
    assert make_names(file, SIZE).count == 1.6 * SIZE
    assert look_up_names(file, SIZE).quality == 1.0
