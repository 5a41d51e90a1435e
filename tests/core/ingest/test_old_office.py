"""Files of Word and PowerPoint before 2007, written by hand. [MS-DOC], [MS-PPT]."""

from __future__ import annotations

import struct

import pytest

from core.errors import DocumentError
from core.ingest.old_slides import read_old_slides
from core.ingest.old_word import read_old_word
from core.types import NoticeKind
from tests.data_makers.compound_files import compound


def doc(text: str, flags: int = 0x0200) -> bytes:
    """A document of one piece without properties."""
    main = bytearray(0x400)
    struct.pack_into("<HH", main, 0, 0xA5EC, 193)
    struct.pack_into("<H", main, 0x0A, flags)
    struct.pack_into("<i", main, 0x4C, len(text))
    pieces = struct.pack("<II", 0, len(text)) + struct.pack("<HIH", 0, len(main), 0)
    table = b"\x02" + struct.pack("<I", len(pieces)) + pieces
    struct.pack_into("<II", main, 0x9A + 8 * 33, 0, len(table))
    return compound({"WordDocument": bytes(main) + text.encode("utf-16-le"), "1Table": table + bytes(5000)})


@pytest.mark.parametrize(("text", "read", "found"), [
    ("Figure \x13 SEQ Figure \\* ARABIC \x143\x15: a boat\rNext\r", "Figure 3: a boat\n\nNext", []),
    ('A \x13 HYPERLINK "no" \x14\x13 PAGEREF no \x14link\x15\x15.\r', "A link.", []),
    ("Sheet \x13 EMBED Excel.Sheet.8 \\s \x14\x01\x15\r", "Sheet", [(NoticeKind.OTHER, "Excel.Sheet.8")]),
    ("Paid \x13 FORMCHECKBOX \x14\x15\r", "Paid", [(NoticeKind.FORM, "")]),
    ("A code that never ends \x13 TOC\rThe hire.\r", "A code that never ends\n\nThe hire.", []),
])  # fmt: skip
def test_word_97(text: str, read: str, found: list[tuple[NoticeKind, str]]) -> None:
    reading = read_old_word(doc(text))
    assert reading.text == read
    assert [(notice.kind, notice.detail) for notice in reading.notices] == found


def test_a_locked_document_is_refused() -> None:
    with pytest.raises(DocumentError, match="password"):
        read_old_word(doc("x\r", 0x0300))


def record(kind: int, content: bytes, instance: int = 0, version: int = 0xF) -> bytes:
    return struct.pack("<HHI", version | instance << 4, kind, len(content)) + content


def box(text: str, kind: int = 4, anchor: tuple[int, int, int, int] | None = None) -> bytes:
    """A shape with text."""
    words = record(3999, struct.pack("<I", kind), version=0) + record(
        4000, text.encode("utf-16-le"), version=0
    )
    place = record(0xF00F, struct.pack("<iiii", *anchor), version=0) if anchor else b""
    return record(0xF004, place + record(0xF00D, words))


def tagged(content: bytes) -> bytes:
    name = record(4026, "___PPT9".encode("utf-16-le"), version=0)
    return record(5000, record(5002, name + record(5003, content, version=0)))


def ppt(shapes: bytes, outline: bytes = b"", tags: bytes = b"") -> bytes:
    """A show of one slide, and a master whose prompts are no text of it. `tags`: what the whole adds to its outline."""
    master = record(1016, record(1036, box("Click to edit the title", 0)))
    slide = record(1006, record(1007, bytes(24), version=2) + record(1036, record(0xF002, shapes)))
    listed = record(4080, record(1011, struct.pack("<IIIII", 2, 0, 0, 256, 0), version=0) + outline)
    document = record(1000, listed + (record(2000, tagged(tags)) if tags else b""))
    stream = document + slide + master
    places = struct.pack("<IIII", 1 | 3 << 20, 0, len(document), len(document) + len(slide))
    edit = len(stream) + len(record(6002, places))
    stream += record(6002, places, version=0)
    stream += record(
        4085, struct.pack("<IIIIIII", 0, 0, 0, len(stream) - 8 - len(places), 1, 3, 0), version=0
    )
    current = struct.pack("<HHIIII", 0, 4086, 20, 20, 0xE391C05F, edit)
    return compound({"PowerPoint Document": stream, "Current User": current})


def test_powerpoint_97() -> None:
    cells = (("Deck", 0, 0, 1), ("Person", 1, 0, 1), ("Upper", 0, 1, 2), ("Ida", 1, 1, 1), ("Nils", 1, 2, 1))
    table = record(0xF004, record(0xF122, struct.pack("<HI", 0x039F, 1), instance=1, version=3))
    table += b"".join(
        box(text, anchor=(10 * left, 10 * top, 10 * left + 10, 10 * (top + down)))
        for text, left, top, down in cells
    )
    shapes = record(0xF003, box("The crew", 0) + record(0xF003, table) + box("Ada\rBo"))
    text = read_old_slides(ppt(shapes)).text
    assert text.startswith("The crew\n\n")
    assert text.endswith("\n\nAda\nBo")
    assert sum("Upper" in line for line in text.split("\n")) == 2
    assert "Click" not in text


def styles(lines: list[tuple[str, int, int | None, bool]]) -> tuple[bytes, bytes]:
    """(Text, runs of its styles) of lines with level, place of their numbering, and whether they have a bullet."""
    paragraphs = letters = b""
    for words, level, place, bullet in lines:
        # A paragraph with a sign, a margin and two tab stops; letters in a size and a colour.
        paragraphs += struct.pack(
            "<IHIHHHHII", len(words) + 1, level, 0x100181, int(bullet), 0x2022, 90, 2, 5, 9
        )
        letters += struct.pack("<IIHHI", len(words) + 1, 0x60400, (place or 0) << 10, 18, 7)
    text = "\r".join(words for words, *_ in lines).encode("utf-16-le")
    return record(4000, text, version=0), record(4001, paragraphs + letters, version=0)


def numbers(*schemes: tuple[int, int] | None) -> bytes:
    """What numbers the runs that name one by its place: (scheme, start), (0, 0) for what is usual, or nothing."""
    content = b""
    for scheme in schemes:
        if scheme is None:
            content += struct.pack("<I", 0)
        elif scheme == (0, 0):
            content += struct.pack("<IH", 0x2000000, 1)
        else:
            content += struct.pack("<IHHH", 0x3000000, 1, *scheme)
        content += struct.pack("<IIIH", 0x100000, 0, 0x2, 1033)  # letters of their own, and a language
    return record(4012, content, version=0)


RULES = ("Rules of the quay", 0, 0, True)
OARS, SAILS, ROPES = (
    ("Ship the oars", 0, 1, True),
    ("Reef the sails", 0, 1, True),
    ("Coil the ropes", 0, 1, True),
)


@pytest.mark.parametrize(("lines", "schemes", "text"), [
    ([RULES, OARS, SAILS], [None, (0, 0)], "Rules of the quay\n1. Ship the oars\n2. Reef the sails"),
    ([OARS, SAILS], [None, (7, 4)], "IV. Ship the oars\nV. Reef the sails"),
    ([OARS, ("Bow", 1, 2, True), ("Stern", 1, 2, True), SAILS], [None, (3, 1), (8, 1)],
     "1. Ship the oars\n(a) Bow\n(b) Stern\n2. Reef the sails"),
    ([OARS, ("Reef the sails", 0, 1, False)], [None, (3, 1)], "1. Ship the oars\n\nReef the sails"),
    ([OARS, SAILS], [(3, 1)], "Ship the oars\nReef the sails"),
])  # fmt: skip
@pytest.mark.parametrize("outlined", [False, True])
def test_numbers_of_old_slides(
    lines: list[tuple[str, int, int | None, bool]],
    schemes: list[tuple[int, int] | None],
    text: str,
    outlined: bool,
) -> None:
    words, runs = styles(lines)
    content = record(3999, struct.pack("<I", 1), version=0) + words + runs
    if outlined:  # the texts stand in the list of slides, what numbers them at the whole
        place = record(0xF00D, record(3998, struct.pack("<I", 0), version=0))
        header = record(4015, struct.pack("<II", 256, 1), version=0)
        data = ppt(record(0xF004, place), content, record(4014, header + numbers(*schemes)))
    else:
        data = ppt(record(0xF004, record(0xF011, tagged(numbers(*schemes))) + record(0xF00D, content)))
    assert read_old_slides(data).text == text
