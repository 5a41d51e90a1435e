"""Opens what Office files are made of: zip archives of XML parts that relate to each other. ECMA-376, part 2."""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, NamedTuple, TypeVar
from xml.etree import ElementTree

from core.errors import DocumentError
from core.text.translation import tr

LARGEST = 64 * 2**20  # bytes of one part that is read as a whole; more is no document
ROUNDS = (
    20  # times over which all parts together may be read, for parts may name each other any number of times
)
DAMAGED_ZIP = (
    zipfile.BadZipFile,
    zlib.error,
    KeyError,
    ValueError,
    ElementTree.ParseError,
    EOFError,
    NotImplementedError,
)
NESTED = DocumentError(tr("It is nested too deeply."), tr("Open it in its own program and save it again."))
MAIN = "/officeDocument"
Element = ElementTree.Element
_Default = TypeVar("_Default")


class Stated(NamedTuple):
    """Title, date and author as a file has them."""

    title: str
    date: str
    author: str


def local(element: Element) -> str:
    """The name without its namespace: strict and transitional files differ in nothing else."""
    return element.tag.rpartition("}")[2]


def attribute(element: Element, name: str) -> str:
    """An attribute by its local name; "" where there is none."""
    return next((value for key, value in element.items() if key.rpartition("}")[2] == name), "")


def child_value(element: Element, name: str) -> str:
    """The attribute `val` of a child; "" where there is none."""
    found = element.find(f"./{{*}}{name}")
    return "" if found is None else attribute(found, "val")


def parse_int(text: str, default: _Default) -> int | _Default:
    """A number of up to nine digits; `default` where the text is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else default


class Package:
    """The parts of one file. No entity is resolved beyond expat's own bounds, and nothing outside is opened."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._names = frozenset(archive.namelist())
        self._left = (
            ROUNDS * sum(part.file_size for part in archive.infolist()) + LARGEST // 4
        )  # bytes to be read

    def has(self, part: str) -> bool:
        return part in self._names

    def xml(self, part: str) -> Element:
        """A part as a tree. Raises DocumentError when it is too large."""
        return ElementTree.fromstring(self.read(part))

    def read(self, part: str) -> bytes:
        """A part as it is. Raises DocumentError when it is too large."""
        size = self._archive.getinfo(part).file_size
        if size > LARGEST:
            raise DocumentError(
                tr("A part of the file, {part}, is too large.", part=part),
                tr("Save it again without media, or split it."),
            )
        self._take(size, part)
        return self._archive.read(part)

    def open(self, part: str) -> IO[bytes]:
        """A part as a stream, for those that may be large."""
        self._take(self._archive.getinfo(part).file_size, part)
        return self._archive.open(part)

    def _take(self, size: int, part: str) -> None:
        self._left -= size
        if self._left < 0:
            raise DocumentError(
                tr("The file names one of its parts, {part}, again and again.", part=part),
                tr("Open it in its own program and save it again."),
            )

    def relations(self, part: str, kind: str = "") -> dict[str, str]:
        """Relation id -> part, of those whose type ends with `kind`; "" has the relations of the package."""
        folder, name = posixpath.split(part)
        source = posixpath.join(folder, "_rels", f"{name}.rels")
        if not self.has(source):
            return {}
        return {
            item.get("Id", ""): posixpath.normpath(posixpath.join(folder, item.get("Target", ""))).lstrip("/")
            for item in self.xml(source)
            if item.get("Type", "").endswith(kind) and item.get("TargetMode") != "External"
        }

    def related(self, part: str, kind: str) -> list[Element]:
        """The parts of one kind that `part` names and that are there."""
        found = dict.fromkeys(self.relations(part, kind).values())
        return [self.xml(name) for name in found if self.has(name)]

    def stated(self) -> Stated:
        """What the file says of itself."""
        found = {
            local(item): item.text or "" for root in self.related("", "/core-properties") for item in root
        }
        dates = (found.get("created"), found.get("modified"))
        return Stated(found.get("title", ""), next(filter(None, dates), ""), found.get("creator", ""))


@contextmanager
def opened(data: bytes, what: str) -> Iterator[Package]:
    """The package of `what` ("document", "workbook"). Raises DocumentError for whatever is wrong with it."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield Package(archive)
    except DAMAGED_ZIP as error:
        raise DocumentError(
            tr("The {what} is damaged or incomplete.", what=what),
            tr("Open it in its own program; if that works, save it again, else get a new copy."),
        ) from error
    except RecursionError as error:
        raise NESTED from error
