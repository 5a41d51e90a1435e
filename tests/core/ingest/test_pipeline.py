"""Names are encoded along with passages, wherever a run is stopped; the graph that is shown while it grows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.answering.models import Models
from core.ingest.pipeline import GraphGrowth
from core.models.minilm import MiniLMEncoder
from core.progress import Cancelled, Progress, TaskContext
from core.store.embeddings import Embeddings
from core.types import Passage, Sentence
from core.workspace import Workspace

FIRMS = ("Fenwick Foundry", "Oslo Timber", "Bergen Lines", "Quillon Mills", "Renner Steel", "Harrow Glass")
PEOPLE = ("Marta Quillon", "Tobias Renner", "Ada Lind", "Jonas Harrow", "Ingrid Vale")


def passages(count: int) -> list[Passage]:
    new = []
    for at in range(count):
        firm, person = FIRMS[at % len(FIRMS)], PEOPLE[at // 2 % len(PEOPLE)]
        text = f"{person} sold {firm} to {PEOPLE[(at + 3) % len(PEOPLE)]} of Harbour {at // 3} Group in 19{at + 10}."
        sentences = (Sentence(0, len(text)),)
        new.append(
            Passage(f"passage{at}", f"document{at}", 0, f"Note {at}", text, 0, len(text), None, sentences)
        )
    return new


def vectors_of(workspace: Workspace) -> dict[str, bytes]:
    rows = workspace._store.database.connection().execute(  # noqa: SLF001
        "SELECT e.name, v.vectors FROM embeddings v JOIN entities e ON e.key = v.owner_key WHERE v.kind = 'entity'"
    )
    return {str(name): bytes(blob) for name, blob in rows}


class _Stopping:
    """Asks to stop once the index stage tells that so many passages are done."""

    def __init__(self, after: int) -> None:
        self._after, self._stop = after, False

    def context(self) -> TaskContext:
        return TaskContext(self._tell, lambda: self._stop, interval=0.0)

    def _tell(self, progress: Progress) -> None:
        self._stop = self._stop or (progress.stage == "index" and progress.done >= self._after)


@pytest.mark.long
def test_names_have_the_vectors_that_they_have_by_themselves(
    tmp_path: Path, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    late: list[str] = []
    missing = Embeddings.missing_entities

    def noted(self: Embeddings, without: frozenset[str]) -> list[tuple[int, str]]:
        found = missing(self, without)
        late.extend(name for _, name in found)
        return found

    monkeypatch.setattr(Embeddings, "missing_entities", noted)
    with Workspace.open(tmp_path / "whole", create=True, models=models) as workspace:
        workspace.index_passages(passages(40), TaskContext())
        found, status = vectors_of(workspace), workspace.status()
    assert len(found) > 15
    assert 0 < len(late) < len(found) / 2
    from core.models.minilm_torch import best_precision

    encoder = models.encoder(best_precision())
    assert isinstance(encoder, MiniLMEncoder)
    for name, blob in found.items():
        assert np.array_equal(np.frombuffer(blob, np.float32), encoder.embed([name], TaskContext())[0]), name
    with Workspace.open(tmp_path / "stopped", create=True, models=models) as workspace:
        for after in (8, 16, 1):
            with pytest.raises(Cancelled):
                workspace.index_passages(passages(40), _Stopping(after).context())
        workspace.index_passages(passages(40), TaskContext())
        assert vectors_of(workspace) == found
        again = workspace.status()
        assert (again.digest, again.derived_digest) == (status.digest, status.derived_digest)


def nodes(first: int, last: int) -> list[tuple[str, str, str]]:
    return [(str(i), f"name {i}", "PERSON") for i in range(first, last)]


def test_what_is_new_is_reported_once() -> None:
    graph = GraphGrowth()
    graph.add(nodes(0, 3), [("0", "1"), ("0", "1"), ("1", "2")])
    growth = graph.take({})
    assert growth.edges == (("0", "1"), ("1", "2")) and growth.facts == 2
    graph.add(nodes(1, 4), [("1", "2"), ("2", "3")])
    growth = graph.take({})
    assert [node[0] for node in growth.nodes] == ["3"]
    assert growth.edges == (("2", "3"),)
    ids, ends, weights = graph.arrays()
    assert ids == ["0", "1", "2", "3"] and ends.shape == (3, 2)
    assert weights.tolist() == [2.0, 2.0, 1.0]
