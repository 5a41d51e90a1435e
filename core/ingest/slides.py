"""Reads PPTX slide by slide: kreuzberg 4.10 hangs notes on the wrong slide and loses page borders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.ingest.flow import Flow
from core.ingest.package import MAIN, Element, Package, opened
from core.ingest.reading import Reading
from core.types import Page

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
ALTERNATES = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
TITLES = {"ctrTitle": 1, "title": 2}  # of the whole, of a slide: their levels
LAYOUT = frozenset({"sldNum", "dt", "ftr", "hdr", "sldImg"})  # placeholders that hold no content
NOTES = "Notes: "


def read_slides(data: bytes) -> Reading:
    """Each slide is a page: title, text, tables, then the speaker's notes.

    Raises DocumentError when it is damaged.
    """
    flow = Flow()
    pages: list[Page] = []
    with opened(data, "presentation") as package:
        main = next(iter(package.relations("", MAIN).values()), "ppt/presentation.xml")
        targets = package.relations(main)
        listed = package.xml(main).iter(f"{P}sldId")
        parts = [targets[relation] for item in listed if (relation := item.get(f"{R}id", "")) in targets]
        for number, part in enumerate(parts, 1):
            before = flow.parts
            _slide(package, part, number, flow)
            pages.append(flow.page(number, before))
        stated = package.stated()
    return replace(flow.reading(stated), pages=tuple(pages))


def _slide(package: Package, part: str, number: int, flow: Flow) -> None:
    """Tell a slide."""
    for kind, content in _blocks(package.xml(part)):
        if not isinstance(content, str):
            flow.table(content)
        elif kind in TITLES:
            flow.title(content, TITLES[kind])
        else:
            flow.paragraph(content)
    for notes in package.related(part, "/notesSlide"):
        said = (text for kind, text in _blocks(notes) if kind == "body" and isinstance(text, str))
        flow.note(f"Slide {number} notes", NOTES, "\n".join(said))


def _blocks(root: Element) -> Iterator[tuple[str, str | list[list[str]]]]:
    """(placeholder type, text) of every shape, rows of every table, in order."""
    for alternates in list(root.iter(ALTERNATES)):
        del alternates[1:]  # the same for older programs
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
            yield "table", rows


def _paragraphs(shape: Element) -> Iterator[str]:
    for paragraph in shape.iter(f"{A}p"):
        pieces = [
            "\n" if run.tag == f"{A}br" else run.text or ""
            for run in paragraph.iter()
            if run.tag in {f"{A}t", f"{A}br"}
        ]
        if line := "".join(pieces).strip():
            yield line
