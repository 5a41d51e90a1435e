"""A passage that says what another one says is read once, and has all that it would have been given by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from core.answering.models import Models
from core.extraction.extractors import rules_extractor
from core.progress import TaskContext
from core.protocols import Extractor
from core.store.passages import Passages
from core.types import Extraction, Passage, Sentence
from core.workspace import Workspace

TEXTS = (
    "Marta Quillon founded Fenwick Foundry in Oslo in 1901.",
    "Fenwick Foundry was sold to Tobias Renner.",
    "Marta Quillon founded Fenwick Foundry in Oslo in 1901.",
    "",
    "Marta Quillon founded Fenwick Foundry in Oslo in 1901.",
)
BROKEN = "Tobias Renner lives in Bergen."


def passage(number: int, text: str, title: str = "Fenwick") -> Passage:
    document = f"document{number}"
    sentences = (Sentence(0, len(text)),) if text else ()
    return Passage(f"passage{number}", document, 0, title, text, 0, len(text), None, sentences)


class Counting:
    """The rules, with the passages that they were given; fails at `BROKEN`."""

    def __init__(self, inner: Extractor) -> None:
        self._inner = inner
        self.name, self.version = inner.name, inner.version
        self.read: list[str] = []

    def extract(self, passages: Sequence[Passage], context: TaskContext) -> Iterator[Extraction]:
        self.read += [one.id for one in passages]
        for one, found in zip(passages, self._inner.extract(passages, context), strict=True):
            yield Extraction((), (), "broken", "raw") if one.text == BROKEN else found


def indexed(folder: Path, models: Models, passages: list[Passage]) -> tuple[list[str], dict[str, object]]:
    extractor = Counting(rules_extractor())
    with Workspace.open(folder, create=True, models=models) as workspace:
        workspace.index_passages(passages, TaskContext(), extractor)
        status = workspace.status()
        rows = workspace._store.database.connection()  # noqa: SLF001
        triples = rows.execute(
            "SELECT p.id, t.subject, t.predicate FROM triples t JOIN passages p ON p.key = t.passage_key"
            " ORDER BY 1, 2, 3"
        )
        return extractor.read, {
            "digest": status.digest,
            "derived": status.derived_digest,
            "failed": status.failed,
            "triples": [tuple(row) for row in triples],
        }


def test_copies_are_read_once_and_have_everything(
    tmp_path: Path, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    passages = [passage(at, text) for at, text in enumerate(TEXTS)]
    passages += [passage(7, TEXTS[0], title="Another title"), passage(8, BROKEN), passage(9, BROKEN)]
    read, found = indexed(tmp_path / "one", models, passages)
    monkeypatch.setattr(Passages, "repeated_texts", lambda _: iter(()))
    every, expected = indexed(tmp_path / "each", models, passages)
    assert sorted(every) == sorted(one.id for one in passages)
    assert sorted(read) == ["passage0", "passage1", "passage3", "passage7", "passage8"]
    assert found == expected
    assert found["failed"] == 2
    assert len(found["triples"]) > 3  # type: ignore[arg-type]
