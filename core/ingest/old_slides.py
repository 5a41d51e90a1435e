"""Reads what PowerPoint wrote before 2007, slide by slide: kreuzberg 4.10 puts the master's prompts into the text.

[MS-PPT] 2.1 for the directory of what was saved last, 2.4 for slides, 2.9 for text; [MS-ODRAW] 2.2 for shapes.
"""

from __future__ import annotations

import io
import struct
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import olefile

from core.ingest.flow import Flow, comment_lead
from core.ingest.kreuzberg_reader import read_document
from core.ingest.media import LOCKED, PPT
from core.ingest.package import NESTED, Stated
from core.ingest.reading import Reading
from core.ingest.slides import Number, SlideLine, add_lines
from core.ingest.tables import spread
from core.types import NoticeKind, Page

# By the code of a scheme, named as in ECMA-376, 20.1.10.61.
SCHEMES = (
    "alphaLcPeriod alphaUcPeriod arabicParenR arabicPeriod romanLcParenBoth romanLcParenR romanLcPeriod "
    "romanUcPeriod alphaLcParenBoth alphaLcParenR alphaUcParenBoth alphaUcParenR arabicParenBoth arabicPlain "
    "romanUcParenBoth romanUcParenR ea1ChsPlain ea1ChsPeriod circleNumDbPlain circleNumWdBlackPlain "
    "circleNumWdWhitePlain ea1ChtPlain ea1ChtPeriod arabic1Minus arabic2Minus hebrew2Minus ea1JpnKorPlain "
    "ea1JpnKorPeriod arabicDbPlain arabicDbPeriod thaiAlphaPeriod thaiAlphaParenR thaiAlphaParenBoth "
    "thaiNumPeriod thaiNumParenR thaiNumParenBoth hindiAlphaPeriod hindiNumPeriod ea1JpnChsDbPeriod "
    "hindiNumParenR hindiAlpha1Period"
).split()
# Bits of a mask, and the bytes that each says are there, in their order; a group of bits shares its bytes.
OF_PARAGRAPHS = (
    (0x80, 2), (0x10, 2), (0x40, 2), (0x20, 4), (0x800, 2), (0x1000, 2), (0x2000, 2), (0x4000, 2), (0x100, 2),
    (0x400, 2), (0x8000, 2),
)  # fmt: skip
AFTER_TABS = ((0x10000, 2), (0xE0000, 2), (0x200000, 2))
OF_LETTERS = (
    (0x10000, 2), (0x200000, 2), (0x400000, 2), (0x800000, 2), (0x20000, 2), (0x40000, 4), (0x80000, 2),
)  # fmt: skip
OF_LANGUAGES = ((0x1, 2), (0x2, 2), (0x4, 2), (0x20, 4), (0x40, 2))
BULLETED, TAB_STOPS, SMART_TAGS = 0xF, 0x100000, 0x200
PICTURED, SCHEME, NUMBERED = 0x800000, 0x1000000, 0x2000000
MORE_OF_LETTERS = 0x100000
STYLED = 0xFFFF  # bits of letters that share two bytes; four of these are the place of their numbering


def numberings(atom: bytes) -> list[Number | None]:
    """Return what a StyleTextProp9Atom says of numbers: runs of the text name one by its place."""
    found: list[Number | None] = []
    at = 0
    try:
        while at < len(atom):
            (mask,) = struct.unpack_from("<I", atom, at)
            at += 4 + 2 * bool(mask & PICTURED)
            numbered, scheme, start = 0, 3, 1
            if mask & NUMBERED:
                (numbered,) = struct.unpack_from("<H", atom, at)
                at += 2
            if mask & SCHEME:
                scheme, start = struct.unpack_from("<HH", atom, at)
                at += 4
            named = SCHEMES[scheme] if scheme < len(SCHEMES) else SCHEMES[3]
            found.append(Number(named, start or 1) if numbered else None)
            (mask,) = struct.unpack_from("<I", atom, at)
            at += 4 + 4 * bool(mask & MORE_OF_LETTERS)
            (mask,) = struct.unpack_from("<I", atom, at)
            at += 4 + _size(mask, OF_LANGUAGES)
            if mask & SMART_TAGS:
                at += 4 + 4 * int(struct.unpack_from("<I", atom, at)[0])
    except struct.error:
        pass  # what was whole so far holds
    return found


def numbered_lines(text: str, runs: bytes, numbers: Sequence[Number | None]) -> Iterator[SlideLine]:
    """The paragraphs of a text, by its StyleTextPropAtom; where that is damaged none has a number."""
    try:
        paragraphs, at = _paragraph_runs(runs, len(text) + 1)
        letters = _letter_runs(runs, at, len(text) + 1)
    except struct.error:
        paragraphs, letters = [(0, 0, False)], [(0, 0)]
    begins = [begin for begin, _, _ in paragraphs], [begin for begin, _ in letters]
    start = 0
    for line in text.split("\r"):
        _, level, bulleted = paragraphs[bisect_right(begins[0], start) - 1]
        _, place = letters[bisect_right(begins[1], start) - 1]
        number = numbers[place] if bulleted and place < len(numbers) else None
        if words := line.replace("\x0b", "\n").strip():
            yield SlideLine(words, level, number)
        start += len(line) + 1


def _paragraph_runs(runs: bytes, length: int) -> tuple[list[tuple[int, int, bool]], int]:
    """(Start, level, whether it may have a bullet) of each run of paragraphs, and where those of letters begin."""
    found = []
    at = start = 0
    while start < length:
        count, level, mask = struct.unpack_from("<IHI", runs, at)
        at += 10
        bulleted = True
        if mask & BULLETED:
            bulleted = not mask & 1 or bool(struct.unpack_from("<H", runs, at)[0] & 1)
            at += 2
        at += _size(mask, OF_PARAGRAPHS)
        if mask & TAB_STOPS:
            at += 2 + 4 * int(struct.unpack_from("<H", runs, at)[0])
        at += _size(mask, AFTER_TABS)
        found.append((start, level, bulleted))
        start += max(count, 1)
    return found, at


def _letter_runs(runs: bytes, at: int, length: int) -> list[tuple[int, int]]:
    """(Start, place of the numbering) of each run of letters."""
    found = []
    start = 0
    while start < length:
        count, mask = struct.unpack_from("<II", runs, at)
        at += 8
        style = 0
        if mask & STYLED:
            (style,) = struct.unpack_from("<H", runs, at)
            at += 2
        at += _size(mask, OF_LETTERS)
        found.append((start, style >> 10 & 0xF))
        start += max(count, 1)
    return found


def _size(mask: int, fields: Sequence[tuple[int, int]]) -> int:
    return sum(size for bits, size in fields if mask & bits)


# ------------------------------------------------------------ slides


DAMAGED = (OSError, ValueError, IndexError, KeyError, TypeError, struct.error, OverflowError)
ENCRYPTED = 0xF3D1C4DF
USER_EDIT, DIRECTORY = 4085, 6002
SLIDE_LIST, SLIDE_PLACE, SLIDE_ATOM = 4080, 1011, 1007
TEXT_KIND, TEXT_WIDE, TEXT_NARROW, TEXT_RUNS, TEXT_REFERENCE, STRING = 3999, 4000, 4008, 4001, 3998, 4026
NUMBERS, OUTLINE_NUMBERS, NUMBERED_TEXT = 4012, 4014, 4015
BOX, SHAPES, SHAPE, ANCHOR, TERTIARY = 0xF00D, 0xF003, 0xF004, 0xF00F, 0xF122
COMMENT, TAG_DATA, OLE_OBJECT = 12000, 5003, 3009
FIELD = "*"  # what stands for the number of the slide or the day
TABLE = 0x039F  # the property of a group that says it is a table
TITLES = {0: 2, 6: 1}  # kinds of text: of a slide, of the whole; their levels
DEEPEST = 60  # records within each other
HEADER = struct.Struct("<HHI")


MARGINS, VISIBLE_MARGINS, PLACEHOLDER = 4057, 4058, 3011
MASTERS, ALL_NOTES, OF_NOTES = 1, 2, 4  # lists of slides; margins of the notes
VISIBILITY_FLAGS = {0: 0x04, 1: 0x10, 2: 0x20}  # a fixed date, a header, a footer: the flag that has it shown
SPOKEN = 2  # the kind of the text of notes


class Record(NamedTuple):
    """A record: its version and instance, type, and where its content lies."""

    version: int
    instance: int
    kind: int
    start: int
    end: int


class Text(NamedTuple):
    """A text of a shape or of the outline: its letters, the runs of their styles, how paragraphs may be numbered."""

    kind: int = 4
    letters: Record | None = None
    runs: Record | None = None
    numbers: Sequence[Number | None] = ()


Texts = list[Text]


def read_old_slides(data: bytes) -> Reading:
    """Each slide is a page: title, text, tables, then comments and the speaker's notes.

    What is older than PowerPoint 97 or in parts damaged is read by kreuzberg. Raises DocumentError.
    """
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as file:
            stream = file.openstream("PowerPoint Document").read()
            current = file.openstream("Current User").read()
            about = file.get_metadata()
        if struct.unpack_from("<I", current, 12)[0] == ENCRYPTED:
            raise LOCKED
        walk = _Walk(stream, struct.unpack_from("<I", current, 16)[0])
        pages = walk.slides()
    except RecursionError as error:
        raise NESTED from error
    except DAMAGED:
        return read_document(data, PPT)
    date = about.create_time or about.last_saved_time
    stated = Stated(_decoded(about.title), date.isoformat() if date else "", _decoded(about.author))
    return replace(walk.flow.reading(stated), pages=tuple(pages))


def _decoded(text: bytes | str | None) -> str:
    return text.decode("cp1252", "replace") if isinstance(text, bytes) else text or ""


class _Walk:
    def __init__(self, data: bytes, edit: int) -> None:
        """`edit`: where the last edit is described."""
        self.flow = Flow()
        self._data = data
        self._places: dict[int, int] = {}  # of what was saved, by number; the last wins
        self._document = 0
        passed = set[int]()
        while edit and edit not in passed:
            passed.add(edit)
            record = self._record(edit)
            if record.kind != USER_EDIT:
                raise ValueError("no edit")
            before, directory, document = struct.unpack_from("<III", data, record.start + 8)
            self._document = self._document or document
            self._directory(self._record(directory))
            edit = before
        self._comments = 0

    def slides(self) -> list[Page]:
        document = self._record(self._places[self._document])
        places: dict[int, dict[int, int]] = {
            MASTERS: {},
            ALL_NOTES: {},
        }  # identity -> number of what was saved
        listed: list[tuple[int, Texts]] = []  # (number, the slide's texts in the outline)
        numbers = self._outline_numbers(document)
        for one in self._children(document):
            if one.kind == SLIDE_LIST:
                for place, identity, texts in self._listed(one, numbers):
                    if one.instance in places:
                        places[one.instance][identity] = place
                    else:
                        listed.append((place, texts))
        pages = []
        margins = dict.fromkeys(self._margins(document))
        masters = dict[int, None]()
        for number, (place, texts) in enumerate(listed, 1):
            before = self.flow.parts
            slide = self._record(self._places[place])
            self._slide(slide, texts)
            margins |= dict.fromkeys(self._margins(slide))
            about = next((one for one in self._children(slide) if one.kind == SLIDE_ATOM), None)
            master, noted = (
                (0, 0) if about is None else struct.unpack_from("<II", self._data, about.start + 12)
            )
            masters[places[MASTERS].get(master, -1)] = None
            if (noted := places[ALL_NOTES].get(noted, -1)) in self._places:
                spoken = (
                    self._text(text.letters)
                    for text in self._texts(self._record(self._places[noted]))
                    if text.kind == SPOKEN
                )
                self.flow.note(f"Slide {number} notes", "Notes: ", "\n".join(spoken))
            pages.append(self.flow.page(number, before))
        for master in masters.keys() & self._places.keys():
            for shape in self._within(self._record(self._places[master]), SHAPE):
                if next(self._within(shape, PLACEHOLDER), None) is None:  # drawn on each slide
                    margins |= dict.fromkeys(self._text(text.letters) for text in self._texts(shape))
        self.flow.note("Footer", "", "\n".join(margins))
        return pages

    def _margins(self, record: Record) -> Iterator[str]:
        """What a document or a slide shows at the edges of slides: a fixed date, a header, a footer."""
        for one in self._children(record):
            if one.kind == MARGINS and one.instance != OF_NOTES:
                parts = list(self._children(one))
                flags = next((self._number(part, 2) for part in parts if part.kind == VISIBLE_MARGINS), 0)
                for part in parts:
                    if part.kind == STRING and flags & VISIBILITY_FLAGS.get(part.instance, 0):
                        yield self._text(part)

    def _number(self, record: Record, at: int) -> int:
        return int(struct.unpack_from("<H", self._data, record.start + at)[0])

    def _directory(self, record: Record) -> None:
        at = record.start
        while at + 4 <= record.end:
            (entry,) = struct.unpack_from("<I", self._data, at)
            first, count = entry & 0xFFFFF, entry >> 20
            offsets = struct.unpack_from(f"<{count}I", self._data, at + 4)
            for number, offset in enumerate(offsets, first):
                self._places.setdefault(number, offset)
            at += 4 + 4 * count

    def _outline_numbers(self, document: Record) -> dict[tuple[int, int], deque[Sequence[Number | None]]]:
        """How texts of the outline are numbered, by the slide's identity and the kind of text."""
        found: dict[tuple[int, int], deque[Sequence[Number | None]]] = {}
        for container in self._within(document, OUTLINE_NUMBERS):
            key = 0, 0
            for one in self._children(container):
                if one.kind == NUMBERED_TEXT:
                    key = struct.unpack_from("<II", self._data, one.start)
                elif one.kind == NUMBERS:
                    found.setdefault(key, deque()).append(numberings(self._bytes(one)))
        return found

    def _listed(
        self, record: Record, numbers: Mapping[tuple[int, int], deque[Sequence[Number | None]]]
    ) -> Iterator[tuple[int, int, Texts]]:
        """(number, identity, texts of the outline) of each slide of a list."""
        open_slide: tuple[int, int, Texts] | None = None
        for one in self._children(record):
            if one.kind == SLIDE_PLACE:
                if open_slide is not None:
                    yield open_slide
                place, _, _, identity = struct.unpack_from("<IIII", self._data, one.start)
                open_slide = place, identity, []
            elif open_slide is not None:
                _, identity, texts = open_slide
                if one.kind == TEXT_KIND:
                    (kind,) = struct.unpack_from("<I", self._data, one.start)
                    waiting = numbers.get((identity, kind))
                    texts.append(Text(kind, numbers=waiting.popleft() if waiting else ()))
                elif texts:
                    texts[-1] = _with(texts[-1], one)
        if open_slide is not None:
            yield open_slide

    def _slide(self, slide: Record, outline: Texts) -> None:
        self._shapes(slide, outline, 0)
        for comment in self._within(slide, COMMENT):
            strings = {one.instance: self._text(one) for one in self._children(comment) if one.kind == STRING}
            self._comments += 1
            self.flow.note(f"Comment {self._comments}", comment_lead(strings.get(0, "")), strings.get(1, ""))

    def _shapes(self, record: Record, outline: Texts, depth: int) -> None:
        if depth > DEEPEST:
            raise RecursionError
        for one in self._children(record):
            if one.kind == SHAPES and (rows := self._table(one)):
                self.flow.table(rows)
            elif one.kind == SHAPE:
                for text in self._texts(one, outline):
                    if text.kind in TITLES:
                        self.flow.title(self._text(text.letters), TITLES[text.kind])
                    else:
                        self._paragraphs(text)
                if next(self._within(one, OLE_OBJECT), None):
                    self.flow.notice(NoticeKind.OTHER, detail="OLE")
            elif one.version == 0xF:
                self._shapes(one, outline, depth + 1)

    def _paragraphs(self, text: Text) -> None:
        if text.letters is None or text.runs is None or not any(text.numbers):
            self.flow.paragraph(self._text(text.letters))
            return
        add_lines(
            self.flow,
            numbered_lines(self._letters(text.letters), self._bytes(text.runs), text.numbers),
        )

    def _texts(self, record: Record, outline: Texts | None = None) -> Iterator[Text]:
        """The texts of the boxes of a shape or a page; some lie in the outline of the slides."""
        for box in self._within(record, BOX):
            text = Text()
            for one in self._children(box):
                if one.kind == TEXT_KIND:
                    (kind,) = struct.unpack_from("<I", self._data, one.start)
                    text = Text(kind)
                elif one.kind == TEXT_REFERENCE and outline is not None:
                    (place,) = struct.unpack_from("<I", self._data, one.start)
                    if place < len(outline):
                        yield outline[place]
                else:
                    text = _with(text, one)
            if text.letters is not None:
                numbers = next(self._within(record, NUMBERS), None) if record.kind == SHAPE else None
                yield text if numbers is None else text._replace(numbers=numberings(self._bytes(numbers)))

    def _table(self, group: Record) -> list[list[str]]:
        """The cells of a group of shapes that is a table, by their places; else nothing."""
        shapes = [one for one in self._children(group) if one.kind == SHAPE]
        if not shapes or not self._is_table(shapes[0]):
            return []
        cells: dict[tuple[int, int], tuple[str, int, int]] = {}  # (top, left) -> text, right, bottom
        for shape in shapes[1:]:
            anchor = next((one for one in self._children(shape) if one.kind == ANCHOR), None)
            if anchor is not None and next(self._within(shape, BOX), None) is not None:
                left, top, right, bottom = struct.unpack_from("<iiii", self._data, anchor.start)
                words = "\n".join(self._text(text.letters) for text in self._texts(shape))
                cells[top, left] = words, right, bottom
        rows, columns = sorted({top for top, _ in cells}), sorted({left for _, left in cells})
        return spread(
            [
                (text, sum(left <= one < right for one in columns), sum(top <= one < bottom for one in rows))
                for left in columns
                if (top, left) in cells
                for text, right, bottom in [cells[top, left]]
            ]
            for top in rows
        )

    def _is_table(self, shape: Record) -> bool:
        for one in self._children(shape):
            if one.kind == TERTIARY:
                for at in range(one.start, min(one.start + 6 * one.instance, one.end - 5), 6):
                    (property_,) = struct.unpack_from("<H", self._data, at)
                    if property_ & 0x3FFF == TABLE:
                        return True
        return False

    def _within(self, record: Record, kind: int) -> Iterator[Record]:
        """The records of a kind, however deep below."""
        waiting = [record]
        while waiting:
            one = waiting.pop()
            if one.kind == kind and one is not record:
                yield one
            elif one.version == 0xF or one.kind == TAG_DATA:
                waiting += reversed(list(self._children(one)))

    def _children(self, record: Record) -> Iterator[Record]:
        at = record.start
        while at + HEADER.size <= record.end:
            one = self._record(at)
            yield one._replace(end=min(one.end, record.end))
            at = one.end

    def _record(self, at: int) -> Record:
        flags, kind, size = HEADER.unpack_from(self._data, at)
        start = at + HEADER.size
        return Record(flags & 0xF, flags >> 4, kind, start, min(start + size, len(self._data)))

    def _bytes(self, record: Record) -> bytes:
        return self._data[record.start : record.end]

    def _letters(self, record: Record) -> str:
        raw = self._bytes(record)
        return raw.decode("latin-1") if record.kind == TEXT_NARROW else raw.decode("utf-16-le", "replace")

    def _text(self, record: Record | None) -> str:
        text = "" if record is None else self._letters(record)
        return "" if text.strip() == FIELD else text.replace("\r", "\n").replace("\x0b", "\n")


def _with(text: Text, record: Record) -> Text:
    """A text with its letters or their runs, where the record holds these."""
    if record.kind in {TEXT_WIDE, TEXT_NARROW}:
        return text._replace(letters=record)
    return text._replace(runs=record) if record.kind == TEXT_RUNS else text
