"""Reads what Word wrote from 97 to 2003: kreuzberg 4.10 leaves the codes of fields in the text and tables in tabs.

[MS-DOC] 2.5 for the parts of a file, 2.4 and 2.8 for where text and properties lie, 2.9.131 and 2.9.150 for lists.
"""

from __future__ import annotations

import io
import re
import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import olefile

from core.ingest.encodings import symbol_letter
from core.ingest.flow import Flow, comment_lead, labelled
from core.ingest.kreuzberg_reader import read_document
from core.ingest.media import DOC, LOCKED
from core.ingest.numbering import ListCounter
from core.ingest.old_word_properties import (
    TITLE,
    length_prefixed_texts,
    property_values,
    read_lists,
    read_styles,
)
from core.ingest.package import Stated
from core.ingest.reading import Reading
from core.ingest.running_lines import PAGE_NUMBER
from core.types import NoticeKind

MOST_FIELDS = 100  # within each other; Word allows 20
DAMAGED = (OSError, ValueError, IndexError, KeyError, TypeError, struct.error, OverflowError)
OLDEST = 193  # the version of Word 97
# Places in the list of the parts of the table stream.
STYLES, NOTE_PLACES, NOTE_TEXTS, COMMENT_PLACES, COMMENT_TEXTS = 1, 2, 3, 4, 5
RUNS, PARAGRAPHS, PIECES, AUTHORS, END_PLACES, END_TEXTS, LISTS, OVERRIDES = 12, 13, 33, 36, 46, 47, 73, 74
PARTS = 0x9A  # where that list begins
PAGE = 512  # bytes of a page of properties
# Properties of paragraphs and runs. [MS-DOC] 2.6.
IN_TABLE, ROW_END, LEVEL, LIST, OUTLINE, STYLE = 0x2416, 0x2417, 0x260A, 0x460B, 0x2640, 0x4600
NESTED_CELL, HIDDEN, DELETED, SYMBOL = 0x244B, 0x083C, 0x0800, 0x6A09
FIELD, RESULT, END_OF_FIELD = "\x13", "\x14", "\x15"
FIELD_SIGNS = frozenset({FIELD, RESULT, END_OF_FIELD})
CONTROL = re.compile("[\x00-\x08\x0b-\x1f]")
SIGNS = {"\x0b": "\n", "\x1e": "\u2011", "\x1f": "\xad", "\x0e": "\n"}
PARAGRAPH = re.compile(r"[^\r\x07\x0c]*[\r\x07\x0c]|[^\r\x07\x0c]+")
BODY_LEVEL = 9


def read_old_word(data: bytes) -> Reading:
    """Paragraphs, points and tables in order, notes after theirs; headers and footers last.

    What is older than Word 97 or in parts damaged is read by kreuzberg. Raises DocumentError.
    """
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as file:
            main = file.openstream("WordDocument").read()
            (flags,) = struct.unpack_from("<H", main, 0x0A)
            table = file.openstream("1Table" if flags & 0x0200 else "0Table").read()
            about = file.get_metadata()
        if struct.unpack_from("<H", main, 2)[0] < OLDEST:
            raise ValueError("older than Word 97")
        if flags & 0x0100:
            raise LOCKED
        walk = _Walk(main, table)
        walk.read()
    except DAMAGED:
        return read_document(data, DOC)
    date = about.create_time or about.last_saved_time
    page = f"cp{about.codepage}" if about.codepage and about.codepage > 0 else "cp1252"
    stated = Stated(
        _decoded(about.title, page), date.isoformat() if date else "", _decoded(about.author, page)
    )
    return walk.flow.reading(stated)


def _decoded(text: bytes | str | None, page: str) -> str:
    if not isinstance(text, bytes):
        return text or ""
    try:
        return text.decode("utf-8" if page == "cp65001" else page, "replace")
    except LookupError:
        return text.decode("cp1252", "replace")


class _Piece(NamedTuple):
    """Characters that stand together in the file."""

    first: int  # of the whole text
    last: int
    place: int  # in bytes
    width: int  # bytes of a character


@dataclass(slots=True)
class _Properties:
    """What a paragraph says of itself or has from its style."""

    values: dict[int, int] = field(default_factory=dict)
    style: int = 0


class _Walk:
    def __init__(self, main: bytes, table: bytes) -> None:
        self.flow = Flow()
        self._main, self._table = main, table
        self._pieces = self._read_pieces()
        self._text = "".join(map(self._decode, self._pieces))
        self._starts = [piece.first for piece in self._pieces]
        self._paragraphs = self._runs(PARAGRAPHS)
        self._letters = self._runs(RUNS)
        self._style_numbers, self._styles = read_styles(self._part(STYLES))
        try:
            self._lists, self._own_starts = read_lists(table, *(self._place(n) for n in (LISTS, OVERRIDES)))
        except (struct.error, IndexError):  # the text is there all the same
            self._lists, self._own_starts = {}, {}
        self._counters: dict[int, ListCounter] = {}
        self._begun: set[tuple[int, int]] = set()
        self._fields: list[list[str] | None] = []  # the codes of open fields; None: the result is being read
        self._notes = self._comments = 0
        self._hanging: list[tuple[str, str, str]] = []

    def read(self) -> None:
        body, notes, margins, _, comments, ends = struct.unpack_from("<6i", self._main, 0x4C)
        if min(body, notes, margins, comments, ends) < 0 or body > len(self._text):
            raise ValueError("lengths of the text")
        at = body
        note_marks = {}
        for name, length, places, texts in (
            ("Footnote", notes, NOTE_PLACES, NOTE_TEXTS),
            ("", margins, 0, 0),
            ("Comment", comments, COMMENT_PLACES, COMMENT_TEXTS),
            ("Endnote", ends, END_PLACES, END_TEXTS),
        ):
            if name:
                note_marks.update(self._marks(name, at, places, texts))
            else:
                edges = at, at + length
            at += length
        self._blocks(0, body, note_marks)
        lines = dict.fromkeys(line.strip() for line in self._lines(*edges))
        self.flow.note(
            "Header",
            "",
            "\n".join(line for line in lines if line and not PAGE_NUMBER.fullmatch(line.lower())),
        )

    # ------------------------------------------------------------ blocks

    def _blocks(self, first: int, last: int, marks: dict[int, tuple[str, str, str]]) -> None:
        rows: list[list[str]] = []
        cells: list[str] = []
        lines: list[str] = []
        for start, end in self._spans(first, last):
            properties = self._properties(end - 1)
            text = self._visible_text(start, end, marks)
            mark = self._text[end - 1 : end]
            label = self._label(properties)
            in_table = bool(properties.values.get(IN_TABLE))
            if in_table or mark == "\x07":
                if properties.values.get(ROW_END):
                    rows.append(cells)
                    cells, lines = [], []
                    continue
                lines.append(labelled(label or "", text))
                if mark == "\x07":
                    cells.append("\n".join(lines))
                    lines = []
                continue
            if text.strip() and (rows or cells):
                self.flow.table([*rows, cells] if cells else rows)
                rows, cells = [], []
                self._hang()
            self._block(text, properties, label)
            if not (rows or cells):
                self._hang()
        self.flow.table([*rows, cells] if cells else rows)
        self._hang()

    def _block(self, text: str, properties: _Properties, label: str | None) -> None:
        number = self._style_numbers.get(properties.style, 0)
        outline = properties.values.get(OUTLINE, BODY_LEVEL)
        if 1 <= number <= 9 or number == TITLE or outline < BODY_LEVEL:
            self.flow.title(
                text, number if 1 <= number <= 9 else 1 if number == TITLE else outline + 1, label or ""
            )
        elif label is not None:
            self.flow.point(text, label)
        else:
            self.flow.paragraph(text)

    def _hang(self) -> None:
        hanging, self._hanging = self._hanging, []
        for name, lead, text in hanging:
            self.flow.note(name, lead, text)

    def _spans(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        return (match.span() for match in PARAGRAPH.finditer(self._text, first, last))

    def _lines(self, first: int, last: int) -> Iterator[str]:
        for start, end in self._spans(first, last):
            yield self._visible_text(start, end, {})
        self._fields.clear()

    def _label(self, properties: _Properties) -> str | None:
        """The number of a paragraph in a list, "" for a bullet, None for one in no list."""
        number = properties.values.get(LIST, 0)
        levels = self._lists.get(number)
        if not levels or number in {0, 0xF801}:
            return None
        level = properties.values.get(LEVEL, 0)
        own = None if (number, level) in self._begun else self._own_starts.get((number, level))
        self._begun.add((number, level))
        counter = self._counters.setdefault(levels[0], ListCounter())
        return counter.label(levels[1], level, own)

    def _visible_text(self, start: int, end: int, marks: dict[int, tuple[str, str, str]]) -> str:
        """The text of a paragraph: results of fields without their codes, nothing hidden or deleted."""
        pieces: list[str] = []
        skipped: set[int] = set()
        for first, last, letters in self._spans_of_letters(start, end):
            gone = HIDDEN if letters.get(HIDDEN) else DELETED if letters.get(DELETED) else 0
            run = self._text[first:last]
            if not (gone or self._fields or CONTROL.search(run) or SYMBOL in letters):
                pieces.append(run)
                continue
            for at, sign in enumerate(run, first):
                if sign in FIELD_SIGNS:
                    self._field(sign)
                elif (
                    self._fields
                    and (code := next((one for one in self._fields if one is not None), None)) is not None
                ):
                    code.append(sign)
                elif gone:
                    skipped |= {gone} if sign.strip() else set()
                elif at in marks:
                    pieces.append(self._mark(*marks[at]))
                elif sign == "(" and SYMBOL in letters:
                    pieces.append(symbol_letter("symbol", letters[SYMBOL]))
                else:
                    pieces.append(SIGNS.get(sign, sign if sign >= " " or sign == "\t" else ""))
        for gone in skipped:
            self.flow.notice(NoticeKind.HIDDEN, detail="deletion" if gone == DELETED else "")
        for code in self._fields:  # none goes on in the next paragraph
            self._unread(code)
        self._fields.clear()
        return "".join(pieces)

    def _field(self, sign: str) -> None:
        """A field begins with its code, goes on with its result and ends."""
        if sign == FIELD:
            self._fields += [[]] * (len(self._fields) < MOST_FIELDS)
        elif self._fields:
            self._unread(self._fields[-1])
            if sign == RESULT:
                self._fields[-1] = None
            else:
                self._fields.pop()

    def _unread(self, code: list[str] | None) -> None:
        """Note what a field shows that is not text: an object, an equation, a field of a form."""
        name, _, rest = "".join(code or ()).strip().partition(" ")
        if name == "EMBED":
            self.flow.notice(NoticeKind.OTHER, detail=rest.strip().partition(" ")[0])
        elif name == "EQ":
            self.flow.notice(NoticeKind.OTHER, detail="equation")
        elif name in {"FORMCHECKBOX", "FORMDROPDOWN"}:
            self.flow.notice(NoticeKind.FORM)

    def _mark(self, name: str, lead: str, text: str) -> str:
        if name == "Comment":
            self._comments += 1
            self._hanging.append((f"Comment {self._comments}", lead, text))
            return ""
        self._notes += 1
        self._hanging.append((f"{name} {self._notes}", f"[{self._notes}] ", text))
        return f"[{self._notes}]"

    def _marks(self, name: str, at: int, places: int, texts: int) -> dict[int, tuple[str, str, str]]:
        """Place in the body -> (name, lead, text) of its notes, whose texts begin at `at`."""
        size = 30 if name == "Comment" else 2
        raw = self._part(places)
        count = max(0, (len(raw) - 4) // (4 + size))
        ends = self._part(texts)
        bounds = struct.unpack_from(f"<{len(ends) // 4}i", ends)
        authors = length_prefixed_texts(self._part(AUTHORS)) if name == "Comment" else []
        found = {}
        for number in range(min(count, len(bounds) - 1)):
            (place,) = struct.unpack_from("<i", raw, 4 * number)
            lead = ""
            if name == "Comment":
                (author,) = struct.unpack_from("<H", raw, 4 * (count + 1) + size * number + 20)
                lead = comment_lead(authors[author] if author < len(authors) else "")
            text = "\n".join(self._lines(at + bounds[number], at + bounds[number + 1]))
            found[place] = name, lead, text
        return found

    # ------------------------------------------------------------ where text and properties lie

    def _place(self, number: int) -> tuple[int, int]:
        """(first byte, length) of a part of the table stream."""
        at = PARTS + 8 * number
        return struct.unpack_from("<II", self._main, at) if at + 8 <= len(self._main) else (0, 0)

    def _part(self, number: int) -> bytes:
        place, length = self._place(number)
        return self._table[place : place + length]

    def _read_pieces(self) -> list[_Piece]:
        raw = self._part(PIECES)
        at = 0
        while at < len(raw) and raw[at] == 1:
            at += 3 + struct.unpack_from("<H", raw, at + 1)[0]
        if at >= len(raw) or raw[at] != 2:
            raise ValueError("no pieces")
        (length,) = struct.unpack_from("<I", raw, at + 1)
        raw = raw[at + 5 : at + 5 + length]
        count = (len(raw) - 4) // 12
        bounds = struct.unpack_from(f"<{count + 1}I", raw)
        pieces = []
        for number in range(count):
            (place,) = struct.unpack_from("<I", raw, 4 * (count + 1) + 8 * number + 2)
            narrow = bool(place & 0x40000000)
            place &= 0x3FFFFFFF
            pieces.append(
                _Piece(
                    bounds[number], bounds[number + 1], place // 2 if narrow else place, 1 if narrow else 2
                )
            )
        return pieces

    def _decode(self, piece: _Piece) -> str:
        """A piece as letters, one for each of its characters: halves of others count as two."""
        count = piece.last - piece.first
        raw = self._main[piece.place : piece.place + count * piece.width]
        if len(raw) < count * piece.width or count < 0:
            raise ValueError("a piece is missing")
        if piece.width == 1:
            return "".join(NARROW[byte] for byte in raw)
        return "".join(map(chr, struct.unpack(f"<{count}H", raw)))

    def _byte(self, at: int) -> int:
        """Where a character lies in the file."""
        piece = self._pieces[bisect_right(self._starts, at) - 1]
        return piece.place + (at - piece.first) * piece.width

    def _runs(self, number: int) -> tuple[list[int], list[tuple[int, bytes]]]:
        """Where runs of one formatting begin in the file, and (end, properties) of each."""
        raw = self._part(number)
        count = max(0, (len(raw) - 4) // 8)
        found: dict[int, tuple[int, bytes]] = {}
        for (page,) in struct.iter_unpack("<I", raw[4 * (count + 1) : 4 * (2 * count + 1)]):
            at = (page & 0x3FFFFF) * PAGE
            content = self._main[at : at + PAGE]
            if len(content) < PAGE:
                raise ValueError("a page is missing")
            runs = content[PAGE - 1]
            bounds = struct.unpack_from(f"<{runs + 1}I", content)
            size = 13 if number == PARAGRAPHS else 1
            for run in range(runs):
                offset = 2 * content[4 * (runs + 1) + size * run]
                found[bounds[run]] = bounds[run + 1], _grouped(content, offset, number == PARAGRAPHS)
        starts = sorted(found)
        return starts, [found[start] for start in starts]

    def _properties(self, at: int) -> _Properties:
        raw = _at(self._paragraphs, self._byte(at))
        style = struct.unpack_from("<H", raw)[0] if len(raw) >= 2 else 0
        values = dict(self._styles.get(style, {}))
        own = property_values(raw[2:])
        if own.get(LIST) and LEVEL not in own and own[LIST] != values.get(LIST):
            values.pop(LEVEL, None)
        return _Properties(values | own, style)

    def _spans_of_letters(self, start: int, end: int) -> Iterator[tuple[int, int, dict[int, int]]]:
        """(first, last, properties) of the runs of a paragraph."""
        at = start
        starts, runs = self._letters
        while at < end:
            piece = self._pieces[bisect_right(self._starts, at) - 1]
            byte = self._byte(at)
            index = bisect_right(starts, byte) - 1
            last = min(end, piece.last)
            letters: dict[int, int] = {}
            if index >= 0 and byte < runs[index][0]:
                last = min(last, at + max(1, (runs[index][0] - byte) // piece.width))
                letters = property_values(runs[index][1])
            elif index + 1 < len(starts):
                last = min(last, at + max(1, (starts[index + 1] - byte) // piece.width))
            yield at, last, letters
            at = last


NARROW = [bytes([byte]).decode("cp1252", "replace") if byte >= 0x80 else chr(byte) for byte in range(256)]


def _grouped(content: bytes, offset: int, of_paragraph: bool) -> bytes:
    """The properties at a place of a page; of a paragraph after the number of its style."""
    if not offset:
        return b""
    size = content[offset]
    if not of_paragraph:
        return content[offset + 1 : offset + 1 + size]
    if size:
        return content[offset + 1 : offset + 2 * size]
    return content[offset + 2 : offset + 2 + 2 * content[offset + 1]]


def _at(runs: tuple[list[int], list[tuple[int, bytes]]], byte: int) -> bytes:
    index = bisect_right(runs[0], byte) - 1
    return runs[1][index][1] if index >= 0 and byte < runs[1][index][0] else b""
