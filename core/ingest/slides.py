"""Reads PPTX slide by slide: kreuzberg 4.10 hangs notes on the wrong slide and loses page borders."""

from __future__ import annotations

from collections.abc import Iterator

from core.ingest.cleaning import clean, one_line
from core.ingest.package import MAIN, Element, Package, opened
from core.ingest.reading import Reading
from core.ingest.tables import table_text
from core.types import Page, Region

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
ALTERNATES = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
TITLES = frozenset({"title", "ctrTitle"})
LAYOUT = frozenset({"sldNum", "dt", "ftr", "hdr", "sldImg"})  # placeholders that hold no content
NOTES = "Notes: "


def read_slides(data: bytes) -> Reading:
    """Each slide is a page: title, text, tables, then the speaker's notes.

    Raises DocumentError when it is damaged.
    """
    with opened(data, "presentation") as package:
        main = next(iter(package.relations("", MAIN).values()), "ppt/presentation.xml")
        targets = package.relations(main)
        listed = package.xml(main).iter(f"{P}sldId")
        parts = [targets[relation] for item in listed if (relation := item.get(f"{R}id", "")) in targets]
        slides = [_slide(package, part) for part in parts]
        stated = package.stated()
    text, pages = _placed([body for _, body in slides])
    return Reading(
        text=text,
        pages=pages,
        regions=tuple(_notes(text, pages)),
        title=stated.title,
        heading=next((title for title, _ in slides if title), ""),
        date=stated.date,
        author=stated.author,
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


def _slide(package: Package, part: str) -> tuple[str, str]:
    """Title and whole text of a slide."""
    title, blocks = "", []
    for kind, text in _blocks(package.xml(part)):
        if kind in TITLES and not title:
            title = one_line(text)
        blocks.append(text)
    for notes in package.related(part, "/notesSlide"):
        said = [text for kind, text in _blocks(notes) if kind == "body"]
        if any(said):
            blocks.append(NOTES + "\n".join(said))
    return title, clean("\n\n".join(block for block in blocks if block.strip()))


def _blocks(root: Element) -> Iterator[tuple[str, str]]:
    """(placeholder type, text) of every shape and table in order."""
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
            yield "table", table_text(rows)


def _paragraphs(shape: Element) -> Iterator[str]:
    for paragraph in shape.iter(f"{A}p"):
        pieces = [
            "\n" if run.tag == f"{A}br" else run.text or ""
            for run in paragraph.iter()
            if run.tag in {f"{A}t", f"{A}br"}
        ]
        if line := "".join(pieces).strip():
            yield line
