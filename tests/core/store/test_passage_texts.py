"""What the second stage reads of its candidates."""

from __future__ import annotations

from pathlib import Path

from core.store.store import Store
from core.types import Document, Passage


def test_texts_come_in_the_order_asked_for_and_a_passage_that_is_gone_is_empty(tmp_path: Path) -> None:
    store = Store(tmp_path, "m", 4, create=True)
    passages = [Passage(f"p{n}", "d", n, "Log", f"entry {n}", 10 * n, 10 * n + 7) for n in range(3)]
    store.documents.put_read(Document("d", "a.txt", "", 1, "Log", "text/plain"), "x" * 30, (), passages)
    assert store.passages.texts(["p2", "gone", "p0", "p2"]) == [
        ("Log", "entry 2"),
        ("", ""),
        ("Log", "entry 0"),
        ("Log", "entry 2"),
    ]
    assert store.passages.texts([]) == []
    store.close()
