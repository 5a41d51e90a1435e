"""Compound files (OLE) written by hand: workbooks of Excel 97 and messages of Outlook. [MS-CFB], [MS-XLS]."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType

Tree = Mapping[str, "bytes | Tree"]
NONE, END, OF_FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
SECTOR, SMALL, CUTOFF = 512, 64, 4096


@dataclass
class Entry:
    name: str
    kind: int  # 1 a storage, 2 a stream, 5 the root
    data: bytes = b""
    left: int = NONE
    right: int = NONE
    child: int = NONE
    start: int = END
    size: int = field(init=False)

    def __post_init__(self) -> None:
        self.size = len(self.data)

    def packed(self) -> bytes:
        name = self.name.encode("utf-16-le") + b"\0\0"
        return struct.pack(
            "<64sHBBIII16sIQQIQ", name, len(name), self.kind, 1, self.left, self.right, self.child,
            bytes(16), 0, 0, 0, self.start, self.size,
        )  # fmt: skip


def compound(tree: Tree) -> bytes:
    """A compound file of storages (mappings) and streams (bytes)."""
    entries = [Entry("Root Entry", 5)]
    entries[0].child = _children(entries, tree)
    body, fat = bytearray(), list[int]()
    small, small_fat = bytearray(), list[int]()
    for entry in entries:
        if entry.size >= CUTOFF:
            entry.start = _put(body, fat, entry.data, SECTOR)
        elif entry.size:
            entry.start = _put(small, small_fat, entry.data, SMALL)
    entries[0].start, entries[0].size = _put(body, fat, bytes(small), SECTOR), len(small)
    table = _put(body, fat, _packed(small_fat), SECTOR)
    directory = _put(body, fat, b"".join(entry.packed() for entry in entries), SECTOR)
    count = -(-len(fat) // (SECTOR // 4 - 1))
    places = range(len(fat), len(fat) + count)
    body += _packed([*fat, *[OF_FAT] * count], pad=SECTOR // 4)
    head = struct.pack(
        "<8s16sHHHHH6sIIIIIIIII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", bytes(16), 0x3E, 3, 0xFFFE, 9, 6, bytes(6),
        0, count, directory, 0, CUTOFF, table, -(-len(small_fat) * 4 // SECTOR), END, 0,
    )  # fmt: skip
    return head + _packed([*places], pad=109) + bytes(body)


def _children(entries: list[Entry], tree: Tree) -> int:
    """Add what lies in a storage, as a balanced tree of siblings; number of its root."""
    names = sorted(tree, key=lambda name: (len(name), name.upper()))
    if not names:
        return NONE
    middle = len(names) // 2
    name = names[middle]
    content = tree[name]
    number = len(entries)
    entries.append(Entry(name, 2, content) if isinstance(content, bytes) else Entry(name, 1))
    if not isinstance(content, bytes):
        entries[number].child = _children(entries, content)
    entries[number].left = _children(entries, {other: tree[other] for other in names[:middle]})
    entries[number].right = _children(entries, {other: tree[other] for other in names[middle + 1 :]})
    return number


def _put(body: bytearray, table: list[int], data: bytes, sector: int) -> int:
    """Append `data` in whole sectors with their chain; the first one's number."""
    count = -(-len(data) // sector)
    if not count:
        return END
    first = len(table)
    table += [*range(first + 1, first + count), END]
    body += data.ljust(count * sector, b"\0")
    return first


def _packed(numbers: list[int], pad: int = 1) -> bytes:
    return struct.pack(f"<{len(numbers)}I", *numbers) + b"\xff" * (-len(numbers) % pad * 4)


# ---------------------------------------------------------------- Excel 97 to 2003


NO_CODES: Mapping[tuple[int, int], str] = MappingProxyType({})


def xls(
    sheets: Mapping[str, Mapping[tuple[int, int], str | float]],
    codes: Mapping[tuple[int, int], str] = NO_CODES,
    behind: bytes = b"",
) -> bytes:
    """A workbook; cells by (row, column) from 0, `codes` of their formats, `behind` the cells of each sheet."""
    numbers = {code: number for number, code in enumerate(dict.fromkeys(codes.values()), 1)}
    styles = {place: numbers[code] for place, code in codes.items()}
    bodies = [_sheet(cells, styles, behind) for cells in sheets.values()]
    heads = [record(0x85, struct.pack("<IH", 0, 0) + _text(name, "B")) for name in sheets]
    begin = record(0x809, struct.pack("<HHHHII", 0x600, 5, 0, 0, 0, 0)) + record(
        0x42, struct.pack("<H", 1200)
    )
    for code, number in numbers.items():
        begin += record(0x41E, struct.pack("<H", 163 + number) + _text(code, "H"))
    for number in (0, *(163 + number for number in numbers.values())) if numbers else ():
        begin += record(0xE0, struct.pack("<HH16x", 0, number))
    offset = len(begin) + sum(map(len, heads)) + 4
    for number, body in enumerate(bodies):
        heads[number] = heads[number][:4] + struct.pack("<I", offset) + heads[number][8:]
        offset += len(body)
    stream = begin + b"".join(heads) + record(0x0A) + b"".join(bodies)
    return compound({"Workbook": stream.ljust(CUTOFF, b"\0")})


def _sheet(
    cells: Mapping[tuple[int, int], str | float], styles: Mapping[tuple[int, int], int], behind: bytes
) -> bytes:
    rows, columns = [row for row, _ in cells], [column for _, column in cells]
    size = struct.pack("<IIHHH", min(rows), max(rows) + 1, min(columns), max(columns) + 1, 0)
    made = record(0x809, struct.pack("<HHHHII", 0x600, 0x10, 0, 0, 0, 0)) + record(0x200, size)
    for (row, column), value in sorted(cells.items()):
        place = struct.pack("<HHH", row, column, styles.get((row, column), 0))
        if isinstance(value, str):
            made += record(0x204, place + _text(value, "H"))
        else:
            made += record(0x203, place + struct.pack("<d", value))
    return made + behind + record(0x0A)


def _text(value: str, length: str) -> bytes:
    units = value.encode("utf-16-le")
    return struct.pack(f"<{length}B", len(units) // 2, 1) + units


def record(kind: int, data: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(data)) + data


# ---------------------------------------------------------------- Outlook, [MS-OXMSG]


def msg(
    texts: Mapping[int, str] | None = None,
    *,
    binaries: Mapping[int, bytes] | None = None,
    sent: datetime | None = None,
    recipients: Sequence[tuple[int, str, str]] = (),
    attached: Sequence[Tree] = (),
    narrow: int = 0,
) -> bytes:
    """A message. `recipients` are (kind, name, address); `narrow`: a code page to write its texts in."""
    return compound(message(texts, binaries, sent, recipients, attached, narrow, head=32))


def message(
    texts: Mapping[int, str] | None = None,
    binaries: Mapping[int, bytes] | None = None,
    sent: datetime | None = None,
    recipients: Sequence[tuple[int, str, str]] = (),
    attached: Sequence[Tree] = (),
    narrow: int = 0,
    head: int = 24,
) -> Tree:
    """The storage of a message; `head` is 24 for one that is attached."""
    fixed = {0x3FFD: narrow.to_bytes(8, "little")} if narrow else {}
    if sent is not None:
        ticks = int((sent - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds()) * 10_000_000
        fixed[0x0039] = ticks.to_bytes(8, "little")
    tree: dict[str, bytes | Tree] = _properties(texts or {}, binaries or {}, fixed, head, narrow)
    for number, (kind, name, address) in enumerate(recipients):
        held = _properties(
            {0x3001: name, 0x39FE: address}, {}, {0x0C15: kind.to_bytes(8, "little")}, 8, narrow
        )
        tree[f"__recip_version1.0_#{number:08X}"] = held
    for number, storage in enumerate(attached):
        tree[f"__attach_version1.0_#{number:08X}"] = storage
    return tree


def attachment(name: str, content: bytes | Tree, *, kind: str = "", within: str = "") -> Tree:
    """A file, or a message; `within` is the id by which the body shows it."""
    texts = {tag: text for tag, text in ((0x3707, name), (0x370E, kind), (0x3712, within)) if text}
    method = 1 if isinstance(content, bytes) else 5
    binaries = {0x3701: content} if isinstance(content, bytes) else {}
    tree = _properties(texts, binaries, {0x3705: method.to_bytes(8, "little")}, 8)
    if not isinstance(content, bytes):
        tree["__substg1.0_3701000D"] = content
    return tree


def _properties(
    texts: Mapping[int, str],
    binaries: Mapping[int, bytes],
    fixed: Mapping[int, bytes],
    head: int,
    narrow: int = 0,
) -> dict[str, bytes | Tree]:
    kind, encoding = (0x1E, f"cp{narrow}") if narrow else (0x1F, "utf-16-le")
    tree: dict[str, bytes | Tree] = {
        f"__substg1.0_{tag:04X}{kind:04X}": text.encode(encoding) for tag, text in texts.items()
    }
    tree |= {f"__substg1.0_{tag:04X}0102": content for tag, content in binaries.items()}
    table = b"".join(struct.pack("<HHI8s", 3, tag, 6, value) for tag, value in fixed.items())
    return {**tree, "__properties_version1.0": bytes(head) + table}
