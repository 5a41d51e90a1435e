"""Reads with kreuzberg, without OCR, what of Word and PowerPoint is too old or too damaged for readers of our own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

import kreuzberg

from core.errors import DocumentError
from core.ingest.cleaning import clean, joined_lines
from core.ingest.flow import heading_of
from core.ingest.reading import Reading
from core.ingest.tables import table_text
from core.text.translation import tr

FURNITURE = frozenset({"header", "footer"})


def read_document(data: bytes, media_type: str) -> Reading:
    """Text documents out of their structure: headings, paragraphs, list items, tables as rows."""
    result = _extract(data, media_type, structure=True)
    blocks = list(_blocks(cast("Mapping[str, Any]", result.document or {}).get("nodes", [])))
    heading = next((text for kind, text in blocks if kind == "heading"), "")
    text = "".join(("\n" if kind == "list_item" else "\n\n") + content for kind, content in blocks if content)
    text = clean(text) or clean(result.content)
    return _reading(result.metadata, text, heading or heading_of(text))


def _extract(data: bytes, media_type: str, *, structure: bool = False) -> kreuzberg.ExtractionResult:
    config = kreuzberg.ExtractionConfig(
        use_cache=False,  # the workspace is the only place that keeps text
        enable_quality_processing=False,
        include_document_structure=structure,
    )
    try:
        return kreuzberg.extract_bytes_sync(data, media_type, config=config)
    except kreuzberg.KreuzbergError as error:
        if "out of memory" in str(error).lower():
            raise MemoryError(str(error)) from error
        raise _reason(str(error)) from error


def _reason(words: str) -> DocumentError:
    """kreuzberg's error in words for people."""
    lowered = words.lower()
    if "password" in lowered or "encrypt" in lowered:
        return DocumentError(
            tr("The file is protected by a password."),
            tr("Save a copy without the password and index again."),
        )
    if "unsupported" in lowered:
        return DocumentError(
            tr("Clew cannot read this kind of file."),
            tr("Save it as PDF, DOCX or plain text and index again."),
        )
    return DocumentError(
        tr("The file is damaged or incomplete."),
        tr("Open it in its own program; if that works, save it again, else get a new copy."),
    )


def _blocks(nodes: list[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """(kind, text) of the body in order; groups and lists only hold others."""
    for node in nodes:
        content = node["content"]
        kind = str(content["node_type"])
        if node.get("content_layer") in FURNITURE:
            continue
        if kind == "table":
            yield kind, table_text(_rows(content["grid"]))
        elif kind not in {"group", "list", "image"} and content.get("text"):
            text = str(content["text"])
            yield kind, f"- {joined_lines(text)}" if kind == "list_item" else text


def _rows(grid: Mapping[str, Any]) -> list[list[str]]:
    rows = [[""] * int(grid["cols"]) for _ in range(int(grid["rows"]))]
    for cell in grid["cells"]:
        rows[cell["row"]][cell["col"]] = str(cell["content"])
    return rows


def _reading(metadata: Mapping[str, Any], text: str, heading: str) -> Reading:
    authors = [str(author) for author in metadata.get("authors") or [] if author]
    return Reading(
        text=text,
        title=str(metadata.get("title") or ""),
        heading=heading,
        date=str(metadata.get("created_at") or metadata.get("modified_at") or metadata.get("date") or ""),
        author=", ".join(authors) or str(metadata.get("created_by") or ""),
    )
