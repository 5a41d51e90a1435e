"""Outlines that documents have, and the documents without them."""

from __future__ import annotations

from pathlib import Path

from core.progress import TaskContext
from core.research.benches.outlines import read_outlined, without_outline

MANUAL = """# Scanning slides

1. Choosing a lamp ..... 3

## Choosing a lamp

The lamp must be warm before a slide is scanned.

### A detail

Wait a minute.
"""
CHAPTER = """CHAPTER II

The Rubbish Cart

There went the rubbish cart, and nobody looked after it.
"""


def test_headings_titles_and_folders_are_entries_and_leave_the_text(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    (folder / "old_manuals").mkdir(parents=True)
    (folder / "old_manuals" / "a.md").write_text(MANUAL, encoding="utf-8")
    (folder / "b.txt").write_text(CHAPTER, encoding="utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    found = read_outlined(folder, TaskContext())
    assert {"old manuals", "Scanning slides", "The Rubbish Cart"} <= set(found.entries)
    assert not {"CHAPTER II", "A detail"} & set(found.entries)
    text = "\n".join(found.texts)
    assert "The lamp must be warm" in text and "There went the rubbish cart" in text
    assert not any(
        gone in text for gone in ("Scanning slides", "Choosing a lamp", "A detail", "Rubbish Cart")
    )
    corpus = without_outline(folder, found, tmp_path / "plain")
    assert corpus.folder is not None and not any(
        entry.split()[0].casefold() in path.name
        for entry in found.entries
        for path in corpus.folder.iterdir()
    )
    assert without_outline(folder, found, tmp_path / "plain").fingerprint == corpus.fingerprint


def test_a_folder_without_documents_has_none(tmp_path: Path) -> None:
    found = read_outlined(tmp_path, TaskContext())
    assert found.entries == () and found.texts == ()
