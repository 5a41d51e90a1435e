"""The benches over generated data: small real runs, and the properties of the data."""

from __future__ import annotations

import numpy as np
import pytest

from core.progress import Cancelled, TaskContext
from core.research.benches import communities as bench_communities
from core.research.benches import ppr as bench_ppr
from core.research.benches import vectors as bench_vectors
from core.research.benches.harness import Arguments
from core.research.benches.vectors import generate_vectors
from core.research.synthetic.workspace import generate_graph, planted_graph, sample_seeds


@pytest.mark.long
def test_ppr_tells_its_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_ppr, "QUERIES", 3)
    figures = bench_ppr.run(Arguments(sizes=(1_000, 2_000, 4_000)))
    assert figures["top 100 as exact, mean"].value >= 0.99
    assert figures["times faster than igraph"].value > 0
    assert figures["largest / smallest"].value > 0
    assert {"push, 1,000 nodes", "push, 2,000 nodes", "push, 4,000 nodes"} <= set(figures)
    # Small graphs are pushed nearly to the end: what is left is little.
    assert figures["L1 error, 1,000 nodes"].value < 0.01


def test_overlap_notices_wrong_nodes() -> None:
    graph = generate_graph(2_000, 10_000)
    asked = sample_seeds(graph, 1)
    wrong = [np.arange(100)]
    assert bench_ppr._overlaps(graph, asked, wrong, TaskContext())[0] < 0.5


def test_vectors_report_their_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_vectors, "QUERIES", 50)
    figures = bench_vectors.run(Arguments(sizes=(2_000,)))
    assert figures["recall@10"].value >= 0.99
    assert figures["vectors"].value == 2_000
    assert figures["build"].value > 0


def test_benches_can_be_stopped() -> None:
    stopped = TaskContext(cancelled=lambda: True)
    with pytest.raises(Cancelled):
        bench_ppr.run(Arguments(sizes=(1_000,), context=stopped))
    with pytest.raises(Cancelled):
        bench_vectors.run(Arguments(sizes=(500,), context=stopped))


def test_graphs_are_repeatable_symmetric_and_skewed() -> None:
    graph = generate_graph(20_000, 100_000)
    again = generate_graph(20_000, 100_000)
    assert (graph != again).nnz == 0
    assert (graph != graph.T).nnz == 0
    assert graph.diagonal().sum() == 0
    assert set(graph.data.tolist()) == {1.0}
    degrees = np.diff(graph.indptr)
    assert 8.5 < degrees.mean() < 10.0  # 5 edges a node, few of them twice
    assert degrees.max() > 50 * np.median(degrees)


def test_seeds_have_similar_degrees() -> None:
    graph = generate_graph(5_000, 25_000)
    degrees = np.diff(graph.indptr)
    for seeds in sample_seeds(graph, 4):
        assert len(set(seeds.tolist())) == 5
        assert ((degrees[seeds] >= 5) & (degrees[seeds] <= 20)).all()


def test_vectors_resemble_those_of_sentences() -> None:
    vectors = generate_vectors(10_000)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(10_000), abs=1e-5)
    assert (generate_vectors(10_000) == vectors).all()
    near = -np.sort(-(vectors[:100] @ vectors.T), axis=1)
    assert near[:, 10].mean() == pytest.approx(0.476, abs=0.05)
    assert near[:, 100].mean() == pytest.approx(0.314, abs=0.05)


@pytest.mark.long
def test_communities_report_their_figures() -> None:
    figures = bench_communities.run(Arguments(sizes=(300, 900)))
    assert {"hierarchy, 300 entities", "times faster, 900 entities", "update, growth with the graph"} <= set(
        figures
    )
    assert figures["edges, 900 entities"].value == 4_500
    assert figures["reports, 900 entities"].value >= figures["communities, level 1"].value > 10
    assert 0.2 < figures["modularity, level 1"].value < 1
    assert figures["modularity after 1 %, level 1"].baseline is not None


def test_planted_graphs_repeat_and_hold_communities() -> None:
    ends = planted_graph(5_000, 25_000)
    assert (planted_graph(5_000, 25_000) == ends).all()
    assert ends.shape == (25_000, 2)
    assert (ends[:, 0] < ends[:, 1]).all()
    assert len(np.unique(ends, axis=0)) == len(ends)
    plain = planted_graph(5_000, 25_000, mixed=False)
    assert (plain[:, 0] // 25 == plain[:, 1] // 25).mean() > 0.4


def test_a_hundredth_of_the_edges_changes() -> None:
    ends = planted_graph(2_000, 10_000)
    after, touched = bench_communities.changed(2_000, ends)
    before, now = set(map(tuple, ends.tolist())), set(map(tuple, after.tolist()))
    assert len(now) == len(after) == len(before)
    assert len(before - now) == len(now - before) == 50
    assert {end for edge in before ^ now for end in edge} == set(touched)
