"""Reads PPTX slide by slide: kreuzberg 4.10 hangs notes on the wrong slide and loses page borders."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator
from xml.etree import ElementTree

from core.errors import DocumentError
from core.ingest.cleaning import clean, one_line
from core.ingest.reading import Reading
from core.ingest.tables import table_text
from core.types import Page, Region

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
DC = "{http://purl.org/dc/elements/1.1/}"
TERMS = "{http://purl.org/dc/terms/}"
TITLES = frozenset({"title", "ctrTitle"})
LAYOUT = frozenset({"sldNum", "dt", "ftr", "hdr", "sldImg"})  # placeholders that hold no content
NOTES = "Notes: "
LARGEST = 64 * 2**20  # bytes of one part of the file; more is no presentation


def read_slides(data: bytes) -> Reading:
    """Each slide is a page: title, text, tables, then the speaker's notes.

    Raises DocumentError, zipfile.BadZipFile, KeyError or ElementTree.ParseError when it is damaged.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        presentation = "ppt/presentation.xml"
        targets = _relations(archive, presentation)
        listed = _xml(archive, presentation).iter(f"{P}sldId")
        parts = [targets[relation] for item in listed if (relation := item.get(f"{R}id", "")) in targets]
        slides = [_slide(archive, part) for part in parts]
        core = _xml(archive, "docProps/core.xml") if "docProps/core.xml" in archive.namelist() else None
    text, pages = _placed([body for _, body in slides])
    return Reading(
        text=text,
        pages=pages,
        regions=tuple(_notes(text, pages)),
        title=_property(core, f"{DC}title"),
        heading=next((title for title, _ in slides if title), ""),
        date=_property(core, f"{TERMS}created") or _property(core, f"{TERMS}modified"),
        author=_property(core, f"{DC}creator"),
    )


def _placed(bodies: list[str]) -> tuple[str, tuple[Page, ...]]:
    text = ""
    pages: list[Page] = []
    for number, body in enumerate(bodies, 1):
        gap = "\n\n" if text and body else ""
        start = len(text) + len(gap)
        text += gap + body
        pages.append(Page(number, start, start + len(body)))
    return text, tuple(pages)


def _notes(text: str, pages: tuple[Page, ...]) -> Iterator[Region]:
    """The speaker's notes of each slide that has them."""
    for page in pages:
        start = text.rfind("\n\n" + NOTES, page.start, page.end)
        if start >= 0:
            yield Region(start + 2, page.end, f"Slide {page.number} notes")


def _xml(archive: zipfile.ZipFile, part: str) -> ElementTree.Element:
    if archive.getinfo(part).file_size > LARGEST:
        raise DocumentError(
            f"A part of the presentation, {part}, is too large.", "Save it again without media."
        )
    return ElementTree.fromstring(archive.read(part))


def _relations(archive: zipfile.ZipFile, part: str, kind: str = "") -> dict[str, str]:
    """Relation id -> part name, of those whose type ends with `kind`."""
    folder, name = posixpath.split(part)
    source = f"{folder}/_rels/{name}.rels"
    if source not in archive.namelist():
        return {}
    return {
        item.get("Id", ""): posixpath.normpath(posixpath.join(folder, item.get("Target", ""))).lstrip("/")
        for item in _xml(archive, source)
        if item.get("Type", "").endswith(kind) and item.get("TargetMode") != "External"
    }


def _slide(archive: zipfile.ZipFile, part: str) -> tuple[str, str]:
    """Title and whole text of a slide."""
    title, blocks = "", []
    for kind, text in _blocks(_xml(archive, part)):
        if kind in TITLES and not title:
            title = one_line(text)
        blocks.append(text)
    for notes in _relations(archive, part, "/notesSlide").values():
        said = [text for kind, text in _blocks(_xml(archive, notes)) if kind == "body"]
        if any(said):
            blocks.append(NOTES + "\n".join(said))
    return title, clean("\n\n".join(block for block in blocks if block.strip()))


def _blocks(root: ElementTree.Element) -> Iterator[tuple[str, str]]:
    """(placeholder type, text) of every shape and table in order."""
    for element in root.iter():
        if element.tag == f"{P}sp":
            placeholder = element.find(f".//{P}ph")
            kind = "" if placeholder is None else placeholder.get("type", "body")
            if kind not in LAYOUT:
                yield kind, "\n".join(_paragraphs(element))
        elif element.tag == f"{A}tbl":
            rows = [
                [" ".join(_paragraphs(cell)) for cell in row.findall(f"{A}tc")]
                for row in element.findall(f"{A}tr")
            ]
            yield "table", table_text(rows)


def _paragraphs(shape: ElementTree.Element) -> Iterator[str]:
    for paragraph in shape.iter(f"{A}p"):
        pieces = [
            "\n" if run.tag == f"{A}br" else run.text or ""
            for run in paragraph.iter()
            if run.tag in {f"{A}t", f"{A}br"}
        ]
        line = "".join(pieces).strip()
        if line:
            yield re.sub(r"[ \t]+", " ", line)


def _property(core: ElementTree.Element | None, name: str) -> str:
    return "" if core is None else core.findtext(name, "") or ""
