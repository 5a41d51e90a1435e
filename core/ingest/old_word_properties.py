"""Reads the properties, styles and lists of legacy Word files. [MS-DOC] 2.6, 2.9.131, 2.9.150, 2.9.258."""

from __future__ import annotations

import struct
from dataclasses import replace

from core.ingest.numbering import BULLET, Level

SIZES = (1, 1, 2, 4, 2, 2, 0, 3)  # bytes of a property by its kind; 0: it says so itself
NUMBERS = {
    0: "decimal", 1: "upperRoman", 2: "lowerRoman", 3: "upperLetter", 4: "lowerLetter", 5: "ordinal",
    6: "cardinalText", 7: "ordinalText", 0x16: "decimalZero", 0x17: BULLET, 0xFF: "none",
}  # fmt: skip
TITLE = 62  # the number of the built-in style; those of headings are 1 to 9


def property_values(raw: bytes) -> dict[int, int]:
    """The properties of a group that are numbers. [MS-DOC] 2.2.5.1."""
    found: dict[int, int] = {}
    at = 0
    while at + 2 <= len(raw):
        (name,) = struct.unpack_from("<H", raw, at)
        at += 2
        size = SIZES[name >> 13]
        if not size:
            if name == 0xD608:  # of tables, with a longer length
                size = 1 + struct.unpack_from("<H", raw, at)[0] if at + 2 <= len(raw) else len(raw)
            else:
                size = 1 + raw[at] if at < len(raw) else 1
        elif size <= 4:
            found[name] = int.from_bytes(raw[at : at + size], "little")
        at += size
    return found


def length_prefixed_texts(raw: bytes) -> list[str]:
    """Texts one after the other, each with its length before it."""
    found = []
    at = 0
    while at + 2 <= len(raw):
        size = 2 * struct.unpack_from("<H", raw, at)[0]
        found.append(raw[at + 2 : at + 2 + size].decode("utf-16-le", "replace"))
        at += 2 + size
    return found


def read_styles(raw: bytes) -> tuple[dict[int, int], dict[int, dict[int, int]]]:
    """The built-in numbers of styles, and their properties of paragraphs, those that they are based on included."""
    if len(raw) < 6:
        return {}, {}
    size, count, base = struct.unpack_from("<HHH", raw)
    at = 2 + size
    numbers: dict[int, int] = {}
    parents: dict[int, int] = {}
    own: dict[int, dict[int, int]] = {}
    for style in range(count):
        if at + 2 > len(raw):
            break
        (length,) = struct.unpack_from("<H", raw, at)
        content = raw[at + 2 : at + 2 + length]
        at += 2 + length + length % 2
        if len(content) < base + 2:
            continue
        first, second = struct.unpack_from("<HH", content)
        numbers[style], parents[style] = first & 0xFFF, second >> 4
        if second & 0xF == 1:  # of paragraphs
            place = base + 2 + 2 * struct.unpack_from("<H", content, base)[0] + 2
            place += place % 2
            if place + 2 <= len(content):
                (length,) = struct.unpack_from("<H", content, place)
                own[style] = property_values(content[place + 4 : place + 2 + length])
    merged: dict[int, dict[int, int]] = {}
    for style in own:
        chain = []
        at = style
        while at in own and at not in chain:
            chain.append(at)
            at = parents[at]
        merged[style] = {name: value for one in reversed(chain) for name, value in own[one].items()}
        built_in = next(
            (numbers[one] for one in chain if 1 <= numbers[one] <= 9 or numbers[one] == TITLE), None
        )
        numbers[style] = numbers[style] if built_in is None else built_in
    return numbers, merged


Starts = dict[tuple[int, int], int]  # (number that paragraphs name, level) -> its own first number
Lists = dict[int, tuple[int, dict[int, Level]]]  # number that paragraphs name -> (list, its levels)


def read_lists(
    table: bytes, lists: tuple[int, int], overrides: tuple[int, int]
) -> tuple[Lists, dict[tuple[int, int], int]]:
    if not (lists[1] and overrides[1]):
        return {}, {}
    (count,) = struct.unpack_from("<H", table, lists[0])
    at = lists[0] + lists[1]
    levels: dict[int, dict[int, Level]] = {}
    for number in range(count):
        place = lists[0] + 2 + 28 * number
        (identity,) = struct.unpack_from("<i", table, place)
        of_list: dict[int, Level] = {}
        for level in range(1 if table[place + 26] & 1 else 9):
            of_list[level], at = _read_level(table, at)
        levels[identity] = of_list
    (count,) = struct.unpack_from("<I", table, overrides[0])
    found: Lists = {}
    starts: Starts = {}
    at = overrides[0] + 4 + 16 * count
    for number in range(1, min(count, len(table) // 16) + 1):
        place = overrides[0] + 4 + 16 * (number - 1)
        (identity,) = struct.unpack_from("<i", table, place)
        of_list = dict(levels.get(identity, {}))
        at += 4
        for _ in range(table[place + 12]):
            start, flags = struct.unpack_from("<iI", table, at)
            at += 8
            level = flags & 0xF
            if flags & 0x20:
                of_list[level], at = _read_level(table, at)
            elif flags & 0x10 and level in of_list:
                of_list[level] = replace(of_list[level], start=start)
            if flags & 0x10:
                starts[number, level] = start
        found[number] = identity, of_list
    return found, starts


def _read_level(table: bytes, at: int) -> tuple[Level, int]:
    """A level of a list, and where the next one lies."""
    start, number, flags = struct.unpack_from("<iBB", table, at)
    letters, paragraph, limit = table[at + 24], table[at + 25], table[at + 26]
    at += 28 + letters + paragraph
    (count,) = struct.unpack_from("<H", table, at)
    text = table[at + 2 : at + 2 + 2 * count].decode("utf-16-le", "replace")
    pattern = "".join(f"%{ord(sign) + 1}" if sign < "\x09" else sign for sign in text)
    restart = limit if flags & 0x08 else -1
    return Level(
        NUMBERS.get(number, "decimal"), pattern, start, restart, bool(flags & 0x04)
    ), at + 2 + 2 * count
