"""What is removed is gone: no row, no vector, no word, not even bytes in a corner of the file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from core.answering.models import Models
from core.progress import TaskContext
from core.store.schema import add_functions
from core.workspace import Workspace


def sound(opened: Workspace) -> bool:
    return all(check.ok for check in opened.verify(TaskContext()))


def test_nothing_of_a_removed_document_stays_in_the_file(sample_copy: Path, models: Models) -> None:
    """No row, no vector, no word; not even its bytes in an unused corner."""
    opened = Workspace.open(sample_copy, models=models)
    (gone,) = opened.documents.find(["2021-11-09 Arrest at the airport.html"])
    words = without_answers(sample_copy, opened.documents.text(gone.id), gone.path)
    opened.documents.remove([gone.id], TaskContext())
    assert sound(opened)
    opened.close()
    assert [word for word in words if stored(sample_copy, word)] == []


def test_words_that_a_deletion_left_behind_go_with_a_repair(sample_copy: Path, models: Models) -> None:
    """The full-text index only marks words of deleted passages as gone."""
    opened = Workspace.open(sample_copy, models=models)
    (gone,) = opened.documents.find(["2021-11-09 Arrest at the airport.html"])
    words = without_answers(sample_copy, opened.documents.text(gone.id), gone.path)
    connection = sqlite3.connect(sample_copy / "clew.db")
    add_functions(connection)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = OFF")
    connection.execute("DELETE FROM documents WHERE id = ?", (gone.id,))
    connection.commit()
    connection.close()
    opened.index_passages([], TaskContext())  # what follows from the deletion
    assert sound(opened)
    opened.verify(TaskContext(), repair=True)
    opened.close()
    assert [word for word in words if stored(sample_copy, word)] == []


def without_answers(workspace: Path, text: str, path: str) -> list[str]:
    """Words of a document that no other holds; as they are, and as the full-text index cuts them."""
    connection = sqlite3.connect(workspace / "clew.db")
    rows = connection.execute("SELECT text FROM document_texts WHERE text <> ?", (text,)).fetchall()
    connection.close()
    others = " ".join([path, *(row[0] for row in rows)]).lower()  # its path is remembered as taken out
    words = {word for word in text.split() if len(word) > 6 and word.isalpha() and word.lower() not in others}
    words.add("sablanca")  # full text writes letters small, and of a word what differs from the one before
    assert {"forgery", "Casablanca"} <= words
    assert all(stored(workspace, word) for word in words)
    return sorted(words)


def stored(workspace: Path, word: str) -> bool:
    return any(word.encode() in path.read_bytes() for path in workspace.iterdir() if path.is_file())
