"""Reads EPUB: the pages of its spine in order, each as HTML. EPUB 3.3, sections 4 and 5."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote

from core.ingest.encodings import decode
from core.ingest.flow import Flow
from core.ingest.markup import declared_charset, html_parts
from core.ingest.package import Element, Package, Stated, opened
from core.ingest.reading import Reading

CONTAINER = "META-INF/container.xml"


def read_epub(data: bytes) -> Reading:
    """The text of a book. Raises DocumentError when it is damaged."""
    flow = Flow()
    with opened(data, "book") as package:
        root = package.xml(CONTAINER).find(".//{*}rootfile")
        main = "" if root is None else root.get("full-path", "")
        book = package.xml(main)
        for page in _spine(package, posixpath.dirname(main), book):
            for part in html_parts(_text(package.read(page))):
                flow.add(part)
    return flow.reading(_stated(book))


def _text(page: bytes) -> str:
    decoded = decode(page, declared_charset(page))
    return decoded.text if decoded else ""


def _spine(package: Package, folder: str, book: Element) -> list[str]:
    """The parts that are read, in order."""
    items = {item.get("id"): item.get("href", "") for item in book.iterfind("./{*}manifest/{*}item")}
    found = (items.get(item.get("idref"), "") for item in book.iterfind("./{*}spine/{*}itemref"))
    parts = (posixpath.normpath(posixpath.join(folder, unquote(href))) for href in found)
    return [part for part in dict.fromkeys(parts) if package.has(part)]


def _stated(book: Element) -> Stated:
    title, date, author = (
        (book.findtext(f"./{{*}}metadata/{{*}}{name}") or "").strip() for name in ("title", "date", "creator")
    )
    return Stated(title, date, author)
