"""Read one file of any kind, EPUB included, into plain text, or say in words why it cannot be read."""

from __future__ import annotations

import csv
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePath
from urllib.parse import unquote

from core.config import ReadingConfig
from core.errors import DocumentError
from core.ingest import media
from core.ingest.calendar_events import is_calendar, read_calendar
from core.ingest.chat_exports import PARENT, SiblingReader, read_chat_export
from core.ingest.chat_files import chat_of_json, chat_of_table, read_chat_page
from core.ingest.cleaning import clean, plain
from core.ingest.conversation import apart, turns
from core.ingest.dating import author_of, dated_by_name, document_date, readable_name, title_of
from core.ingest.encodings import decode
from core.ingest.flow import Flow
from core.ingest.markdown import is_markdown, read_markdown
from core.ingest.markup import add_html, declared_charset, read_html
from core.ingest.ocr import Recogniser, installed
from core.ingest.old_slides import read_old_slides
from core.ingest.old_word import read_old_word
from core.ingest.old_workbooks import read_xls
from core.ingest.opendocument import read_sheets, read_text
from core.ingest.package import Element, Package, Stated, opened
from core.ingest.pdf import read_pdf
from core.ingest.plain_text import read_plain
from core.ingest.reading import NO_TEXT, Reading, in_order, is_panic, reader_version
from core.ingest.reading_replies import describe_error, raw_of
from core.ingest.restructured import is_restructured, read_restructured
from core.ingest.rich_text import read_rtf
from core.ingest.sheets import read_csv
from core.ingest.slides import read_slides
from core.ingest.source_files import read_source
from core.ingest.sources import Metadata, Source, Walk
from core.ingest.word import read_word
from core.ingest.workbooks import read_xlsx
from core.text.escape_controls import readable
from core.text.translation import tr, trn
from core.types import Block, BlockKind, LoadedDocument, LoadedPart

CONTAINER = "META-INF/container.xml"


def read_epub(data: bytes) -> Reading:
    """The text of a book. Raises DocumentError when it is damaged."""
    flow = Flow()
    with opened(data, "book") as package:
        root = package.xml(CONTAINER).find(".//{*}rootfile")
        main = "" if root is None else root.get("full-path", "")
        book = package.xml(main)
        for page in _spine(package, posixpath.dirname(main), book):
            add_html(flow, _text(package.read(page)))
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


# ------------------------------------------------------------ loaders


MOST_ALIKE = 100  # parts of one file that are listed each for the same reason
DAMAGED = tr("Open it in its own program; if that works, save it again, else get a new copy.")
TOO_MUCH = DocumentError(
    tr("The file holds more text than is read of one file."), tr("Unpack it into the folder.")
)
NO_WORDS = DocumentError(
    tr("The file holds no words, only letters and signs without spaces."),
    tr("If it is packed data, unpack it."),
)
CODE = re.compile(r"[!-~]{1000,}")
CODE_FROM = 20_000  # characters
UNTOLD = frozenset({"", ".txt", ".text"})  # endings that do not say how a text is written
READERS: Mapping[str, Callable[[bytes], Reading]] = {
    media.DOCX: read_word,
    media.ODT: read_text,
    media.ODP: read_text,
    media.PPTX: read_slides,
    media.XLSX: read_xlsx,
    media.ODS: read_sheets,
    media.XLS: read_xls,
    media.RTF: read_rtf,
    media.EPUB: read_epub,
    media.DOC: read_old_word,
    media.PPT: read_old_slides,
}


class DocumentLoader:
    """Reads every kind of file that Clew knows, in this process and without a time limit.

    For files that nobody vouches for use `ReadingProcess`. No network, no cache. `beat` is called now
    and then within a long part.
    """

    def __init__(self, config: ReadingConfig | None = None, beat: Callable[[], None] | None = None) -> None:
        self._config = config or ReadingConfig()
        self._recogniser = Recogniser(self._config, beat) if installed() else None
        self.version = reader_version(self._config)

    def parts(
        self, path: Path, inside: Path | None = None, encodings: Mapping[str, str] | None = None
    ) -> tuple[LoadedPart, ...]:
        """The file's documents. Raises DocumentError when nothing of it can be read."""
        found = tuple(self.stream(path, inside, encodings=encodings))
        if not found:
            raise NO_TEXT
        if len(found) == 1 and found[0].document is None:
            raise DocumentError(found[0].reason, found[0].remedy, found[0].raw)
        return found

    def load(self, path: Path) -> LoadedDocument:
        """The file's own document. Raises DocumentError with a reason and a remedy."""
        part = self.parts(path)[0]
        if part.document is None:
            raise DocumentError(part.reason, part.remedy, part.raw)
        return part.document

    def stream(
        self,
        path: Path,
        inside: Path | None = None,
        done: frozenset[str] = frozenset(),
        began: Callable[[str], None] | None = None,
        encodings: Mapping[str, str] | None = None,
    ) -> Iterator[LoadedPart]:
        """The parts one after the other, those in `done` left out; see `Walk` for its keys and `began`, and `Loader`
        for `encodings`.

        Raises DocumentError when the file as a whole cannot be read.
        """
        data = read_source(path, inside, self._config.max_file_mb)
        name = readable(path.name)
        walk = Walk(self._read, self._config.max_file_mb, done, began)
        room = self._config.max_file_mb * 1_000_000  # characters of all parts together
        refused: Counter[tuple[str, str]] = Counter()
        for source in walk.sources(name, data, partial(self._read_relative, path, inside)):
            part = (
                _part(source, (encodings or {}).get(source.name, ""))
                if room > 0
                else LoadedPart(source.name, None, TOO_MUCH.message, TOO_MUCH.remedy)
            )
            if part.document is not None:
                room -= len(part.document.text)
            else:
                refused[part.reason, part.remedy] += 1
                if refused[part.reason, part.remedy] > MOST_ALIKE:
                    continue
            yield part
        yield from _more(refused)

    def _read(
        self, name: str, kind: str, data: bytes, read_sibling: SiblingReader, encoding: str
    ) -> tuple[str, Reading]:
        if kind == media.PDF:
            return kind, read_pdf(data, self._recogniser)
        return _read(name, kind, data, read_sibling, encoding)

    def _read_relative(self, path: Path, inside: Path | None, name: str) -> bytes:
        """A file by its path from the folder of `path`, which does not lead out of `inside`; b"" for none."""
        folder = path.parent
        while name.startswith(PARENT):
            if folder == inside:
                return b""
            folder, name = folder.parent, name.removeprefix(PARENT)
        try:
            return read_source(folder / name, inside, self._config.max_file_mb)
        except DocumentError:
            return b""


def _part(source: Source, encoding: str) -> LoadedPart:
    """One part, read or with its reason."""
    try:
        return LoadedPart(source.name, _document(source, encoding))
    except DocumentError as error:
        return LoadedPart(source.name, None, error.message, error.remedy, raw_of(error))
    except BaseException as error:
        if not is_panic(error):
            raise
        return LoadedPart(
            source.name, None, tr("The file is damaged or incomplete."), DAMAGED, describe_error(error)
        )


def _document(source: Source, encoding: str) -> LoadedDocument:
    """`text[page.start:page.end]` is a page's text. Raises DocumentError."""
    kind, reading = source.read(encoding)
    if not plain(reading.text):
        raise NO_TEXT
    if _is_code(reading.text):
        raise NO_WORDS
    date, differing = document_date(reading, PurePath(source.file).stem)
    return LoadedDocument(
        text=reading.text,
        title=title_of(reading.title, reading.heading, source.file, reading.text),
        media_type=kind,
        date=date,
        author=author_of(reading.author),
        pages=reading.pages,
        regions=reading.regions,
        boxes=reading.boxes,
        blocks=in_order((*reading.blocks, *_turns(reading, source.file))),
        tables=reading.tables,
        metadata=_merged(reading.metadata, source.metadata),
        notices=(*reading.notices, *differing),
    )


def _turns(reading: Reading, file: str) -> tuple[Block, ...]:
    """The turns of a conversation, where its reader told of none and the text is not made of tables."""
    rows = sum(table.end - table.start for table in reading.tables)
    if 2 * rows > len(reading.text) or any(block.kind is BlockKind.TURN for block in reading.blocks):
        return ()
    day = dated_by_name(PurePath(file).stem)
    headings = [block.start for block in in_order(reading.blocks) if block.kind is BlockKind.HEADING]
    return turns(reading.text, day if len(day) == 10 else "", headings)


def _is_code(text: str) -> bool:
    """Whether most of a long text is characters without spaces, as packed data is that was written in letters."""
    return len(text) > CODE_FROM and 2 * sum(len(run) for run in CODE.findall(text)) > len(text)


def _more(refused: Counter[tuple[str, str]]) -> Iterator[LoadedPart]:
    """One part for all that were refused for a reason beyond the first ones."""
    for number, ((reason, remedy), times) in enumerate(refused.items(), 1):
        if times > MOST_ALIKE:
            words = trn(
                "{count} more part: {reason}",
                "{count} more parts: {reason}",
                times - MOST_ALIKE,
                reason=reason,
            )
            yield LoadedPart(f"more unread parts {number}", None, words, remedy)  # not shown


def _merged(own: Metadata, outer: Metadata) -> Metadata:
    """What the document says of itself, then what it lies in adds to that."""
    describe_error = {name for name, _ in own}
    return own + tuple((name, value) for name, value in outer if name not in describe_error)


def _read(
    name: str, kind: str, data: bytes, read_sibling: SiblingReader, encoding: str
) -> tuple[str, Reading]:
    """The media type and what was read."""
    if kind in READERS:
        return kind, READERS[kind](data)
    decoded = decode(data, declared_charset(data) if kind == media.HTML else "", encoding)
    if decoded is None:
        raise DocumentError(
            tr("This is not text, and Clew does not know its kind."),
            tr("Save it as PDF, DOCX or plain text and index again."),
        )
    kind, reading = _read_text(name, kind, decoded.text, read_sibling)
    return kind, replace(reading, notices=(*decoded.notices, *reading.notices))


def _read_text(name: str, kind: str, text: str, read_sibling: SiblingReader) -> tuple[str, Reading]:
    if kind == media.HTML or (
        not kind and text.lstrip()[:15].lower().startswith(("<!doctype html", "<html"))
    ):
        return media.HTML, read_chat_page(text) or read_html(text)
    if kind == media.CSV:
        try:
            if chat := chat_of_table(text):
                return kind, Reading(chat)
            return kind, read_csv(text, readable_name(name))
        except csv.Error as error:
            raise DocumentError(tr("The table is damaged."), DAMAGED) from error
    if kind == media.MARKDOWN:
        return kind, read_markdown(text)
    if is_calendar(text) and (events := read_calendar(text)).text:
        return media.PLAIN, events
    if text.lstrip()[:1] in {"[", "{"} and (export := read_chat_export(text, read_sibling)):
        return media.PLAIN, export
    describe_error = PurePath(name).suffix.lower() not in UNTOLD
    if kind == media.RST or (not describe_error and is_restructured(text)):
        return media.RST, read_restructured(text)
    cleaned = clean(chat_of_json(text) or text)
    if not describe_error and is_markdown(cleaned):
        return media.MARKDOWN, read_markdown(cleaned)
    return media.PLAIN, read_plain(apart(cleaned))
