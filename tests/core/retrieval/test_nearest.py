"""Communities and entities by meaning: their vectors are those of eq. 1, kept in a file, and searched."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.answering.models import Models
from core.index import vector
from core.progress import TaskContext
from core.retrieval.hierarchy import nearest
from core.retrieval.hierarchy.nearest import community_vectors, entity_vectors
from core.retrieval.view import SnapshotView
from core.workspace import DERIVED, Workspace
from tests.conftest import copied
from tests.data_makers.levels import put_in_two_levels

QUESTION = "insurance of the cargo"


@pytest.fixture(scope="module")
def layered(
    sample_path: Path, sample_folder: Path, models: Models, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    path = copied(sample_path, tmp_path_factory.mktemp("layered") / "workspace")
    return put_in_two_levels(path, sample_folder, models)


@pytest.fixture
def workspace(layered: Path, models: Models, tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.open(copied(layered, tmp_path / "workspace"), models=models) as opened:
        yield opened


@pytest.fixture(scope="module")
def view(layered: Path, models: Models) -> Iterator[SnapshotView]:
    with Workspace.open(layered, models=models) as opened:
        yield opened.retrieval.asker().view


def test_a_vector_is_the_mean_of_what_is_inside(view: SnapshotView) -> None:
    corpus, tree = view.corpus, view.tree()
    keys, vectors = community_vectors(tree)
    assert keys.tolist() == sorted({int(key) for level in tree.levels for key in level.keys})
    finest, above = tree.levels[0], tree.levels[1]
    for row in range(len(above.keys)):
        mean = finest.vectors[above.below(row)].sum(axis=0)
        found = vectors[np.searchsorted(keys, above.keys[row])]
        assert found @ mean == pytest.approx(float(np.linalg.norm(mean)), abs=1e-4)
    rows, joined = entity_vectors(corpus, tree)
    for at in range(0, len(rows), 97):
        own = corpus.sentence_vectors[tree.entity_sentences(int(rows[at]))].sum(axis=0)
        home = next(r for r in range(len(finest.keys)) if rows[at] in finest.below(r))
        expected = (own / np.linalg.norm(own) + finest.vectors[home]) / 2
        assert np.allclose(joined[at], expected, atol=1e-4)


def test_what_is_near_is_found_best_first(workspace: Workspace, models: Models) -> None:
    workspace.retrieval.prepare_meaning(TaskContext())
    asker, question = workspace.retrieval.asker(), models.embed_question(QUESTION)
    keys, vectors = community_vectors(asker.view.tree())
    found = asker.nearest.communities(question, 5)
    best = np.argsort(-(vectors @ question), kind="stable")[:5]
    assert [key for key, _ in found] == keys[best].tolist()
    entities = asker.nearest.entities(question, 5)
    scores = [score for _, score in entities]
    assert scores == sorted(scores, reverse=True)
    labels = dict(zip(asker.view.corpus.entity_ids, asker.view.corpus.entity_labels, strict=True))
    assert not {"DATE", "MONEY", "CARDINAL"} & {labels[id] for id, _ in entities}


def test_large_ones_are_kept_in_files_of_their_own(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector, "EXACT_UP_TO", 10)
    workspace.retrieval.prepare_meaning(TaskContext())
    derived = workspace.path / DERIVED
    assert {"communities.hnsw", "entities.hnsw"} <= {file.name for file in derived.iterdir()}
    assert all(check.ok for check in workspace.verify(TaskContext()))
    before = workspace.search(QUESTION)
    for file in derived.glob("*.hnsw*"):
        file.unlink()  # whatever is derived can go
    assert workspace.search(QUESTION) == before


def test_the_most_mentioned_where_there_are_too_many(
    view: SnapshotView, monkeypatch: pytest.MonkeyPatch
) -> None:
    every, _ = entity_vectors(view.corpus, view.tree())
    monkeypatch.setattr(nearest, "MOST_ENTITIES", 10)
    kept, vectors = entity_vectors(view.corpus, view.tree())
    counts = view.corpus.entity_passages
    assert len(kept) == len(vectors) == 10
    assert min(counts[kept]) >= max(np.delete(counts[every], np.searchsorted(every, kept)))


def test_the_box_finds_by_meaning_what_does_not_hold_the_letters(workspace: Workspace) -> None:
    typed = "insurer of the goods"
    assert not [r for r in workspace.search(typed) if "near in meaning" in r.detail]  # not opened yet
    plain = workspace.search(typed, 11)
    workspace.retrieval.prepare_meaning(TaskContext())
    found = workspace.search(typed, 11)
    near = [result for result in found if "near in meaning" in result.detail]
    assert found[: len(found) - len(near)] == plain[: len(found) - len(near)]
    assert near and {result.kind for result in near} <= {"community", "entity"}
    assert any("insur" in result.title.lower() for result in near)
    assert len({(result.kind, result.id) for result in found}) == len(found) <= 11
    assert all("near in meaning" not in result.detail for result in workspace.search("in", 11))
    assert all("near in meaning" not in result.detail for result in workspace.search("x" * 9_000, 11))


def test_nothing_is_near_in_a_workspace_without_communities(tmp_path: Path, models: Models) -> None:
    opened = Workspace.open(tmp_path / "empty", create=True, models=models)
    opened.retrieval.prepare_meaning(TaskContext())
    assert opened.search("insurance") == []
    opened.close()
