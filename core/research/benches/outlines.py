"""Outlines that documents have of their own, and the same documents without them.

What a folder is about is said by the people who made it: names of folders, titles, headings, tables of contents. Taken
out of the text they are what an overview of the rest can be held against.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from core.errors import DocumentError
from core.ingest.loaders import DocumentLoader
from core.progress import TaskContext
from core.research.datasets import DOCUMENTS, Dataset
from core.types import BlockKind, LoadedDocument
from core.types.identity import stable_id

_LONGEST = 120  # characters of an entry
_OPENING = 6  # first lines of a text, among which a title may stand alone
_WORD = re.compile(r"[^\W\d_]{3,}")
_NUMBERED = re.compile(r"(?:chapter|part|section|book|article)?\s*(?:[ivxlc]+|\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Outlined:
    """`entries` are distinct; `texts` those of the documents, with no line that is an entry or a heading; `headings`
    which of these texts (by number, from 0) stood below each heading, by its words."""

    entries: tuple[str, ...]
    texts: tuple[str, ...]
    headings: Mapping[str, frozenset[int]]


def read_outlined(folder: Path, context: TaskContext) -> Outlined:
    """Every document of a folder, by path; what cannot be read is left out."""
    loader = DocumentLoader()
    documents: list[LoadedDocument] = []
    names: list[str] = []
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    for number, path in enumerate(files):
        context.report("reading", number, len(files), path.name)
        names += path.relative_to(folder).parent.parts
        try:
            documents += [part.document for part in loader.parts(path) if part.document is not None]
        except DocumentError:
            continue
    return outlined(documents, names)


def outlined(documents: Sequence[LoadedDocument], folders: Iterable[str]) -> Outlined:
    """`folders` are names of folders, as often as they come."""
    entries = [PurePath(name).stem.replace("_", " ").replace("-", " ") for name in folders]
    hidden: set[str] = set()
    for document in documents:
        headings = [b for b in document.blocks if b.kind is BlockKind.HEADING and b.end - b.start <= _LONGEST]
        top = min((block.level for block in headings), default=0)  # those below are details
        top_headings = [document.text[b.start : b.end] for b in headings if b.level == top]
        entries += [document.title, *top_headings, *_opening(document.text)]
        hidden.update(map(_key, _headings(document)))
    entries = [" ".join(entry.split()) for entry in entries]
    hidden.update(map(_key, entries))
    distinct = {_key(entry): entry for entry in reversed(entries) if _says(entry)}
    pairs = [(_without(document.text, hidden), document) for document in documents]
    left = [(text, document) for text, document in pairs if text.strip()]
    below: dict[str, set[int]] = {}
    for number, (_, document) in enumerate(left):
        for heading in _headings(document):
            if _says(heading):
                below.setdefault(_key(heading), set()).add(number)
    owners = {heading: frozenset(numbers) for heading, numbers in below.items()}
    return Outlined(tuple(reversed(distinct.values())), tuple(text for text, _ in left), owners)


def _headings(document: LoadedDocument) -> list[str]:
    return [
        document.text[b.start : b.end]
        for b in document.blocks
        if b.kind is BlockKind.HEADING and b.end - b.start <= _LONGEST
    ]


def _opening(text: str) -> list[str]:
    """Short lines that stand alone before the first paragraph, as the title of a chapter does."""
    found = []
    for block in re.split(r"\n\s*\n", text.strip(), maxsplit=_OPENING)[:_OPENING]:
        line = block.strip()
        if "\n" in line or len(line) > _LONGEST or line[-1:] in ".,;:" or line.count(" ") > 12:
            break
        found.append(line)
    return found


def _key(line: str) -> str:
    """The words of a line: without numbers, dots that lead to a page, and marks."""
    return " ".join(_WORD.findall(line.casefold()))


def _says(entry: str) -> bool:
    return bool(_key(entry)) and not _NUMBERED.fullmatch(entry.strip(" .:"))


def _without(text: str, hidden: set[str]) -> str:
    """Without the lines that say what is hidden and nothing else, as headings and tables of contents do.

    "title: What is hidden" says nothing else.
    """
    lines = (
        line
        for line in text.splitlines()
        if hidden.isdisjoint({_key(line), _key(line.partition(":")[2])} - {""})
    )
    return "\n".join(lines)


def without_outline(folder: Path, outlined: Outlined, place: Path) -> Dataset:
    """The documents without their outline as plain texts with names that say nothing, written below `place`."""
    fingerprint = stable_id(*outlined.texts)
    docs = place / f"{folder.parent.name if folder.name == DOCUMENTS else folder.name}-plain-{fingerprint}"
    docs.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(outlined.texts, 1):
        (docs / f"{number:04d}.txt").write_text(text, encoding="utf-8")
    size = sum(len(text.encode()) for text in outlined.texts)
    return Dataset(docs.name, (), (), fingerprint, size, docs)
