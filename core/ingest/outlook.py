"""Reads messages that Outlook saved (MSG): a compound file of properties, recipients and attachments.

[MS-OXMSG] for where they lie, [MS-OXPROPS] for what they are called, [MS-OXRTFCP] for packed RTF.
"""

from __future__ import annotations

import io
import struct
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import cached_property, partial

import olefile

from core.errors import DocumentError
from core.ingest import media
from core.ingest.cleaning import one_line
from core.ingest.encodings import Decoded, decode
from core.ingest.mail import SIGNATURES, SUFFIXES, Attached, html_body, too_deep
from core.ingest.markup import declared_charset
from core.ingest.mime import MimeMessage, parsed
from core.ingest.quotations import read_quotations
from core.ingest.reading import Reading
from core.ingest.rich_text import read_rtf
from core.ingest.wordings import read_wordings
from core.text.translation import tr

DAMAGED = (OSError, ValueError, IndexError, KeyError, TypeError, struct.error, OverflowError)
EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
HEADER_BYTES = {"__attach": 8, "__recip": 8, "__substg1": 24}  # before the properties of such a storage
TOP_BYTES = 32
EMBEDDED, INSIDE = 5, "__substg1.0_3701000D"  # how a message is attached, and the storage that is the message
TEXTS = {  # headers -> properties that say the same where the message was never sent
    "Subject": 0x0037,
    "Message-ID": 0x1035,
    "In-Reply-To": 0x1042,
    "References": 0x1039,
}
_PACKED, _PLAIN = b"LZFu", b"MELA"
_HEADER = struct.Struct("<II4sI")  # size of what follows, size unpacked, kind, checksum
_RING = 4096
_MOST_TEXT = 20_000_000  # bytes of text; more is no letter
# What the ring holds at the start: words that most RTF begins with.
_BEGIN = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor "
    rb"MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0" + b"\r\n" + rb"\par "
    rb"\pard\plain\f0\fs20\b\i\u\tab\tx"
)
Path = tuple[str, ...]


def outlook_message(data: bytes) -> OutlookMessage:
    """Raises DocumentError when it cannot be opened."""
    try:
        file = _File(data)
        if not file.has(()):
            raise ValueError("no properties of a message")
    except RecursionError as error:
        raise too_deep() from error
    except DAMAGED as error:
        raise DocumentError(
            tr("The message is damaged or incomplete."), tr("Save it again in Outlook, or as EML.")
        ) from error
    return OutlookMessage(file, ())


class OutlookMessage:
    """A Letter at a place of the compound file; read as it is asked for."""

    media_type = media.MSG

    def __init__(self, file: _File, place: Path) -> None:
        self._file = file
        self._place = place
        self._own = _Properties(file, place, TOP_BYTES if not place else HEADER_BYTES["__substg1"])

    def header(self, name: str, encoding: str = "") -> str:
        """As it was sent where that is known, else as Outlook has it."""
        if stated := self._sent.header(name):
            return stated
        if name in TEXTS:
            return one_line(self._own.text(TEXTS[name]))
        if name == "Date":
            return self._own.moment(0x0039) or self._own.moment(0x0E06) or self._own.moment(0x3007)
        if name == "From":
            address = self._own.text(0x5D01) or self._own.text(0x0C1F)
            return _person(self._own.text(0x0C1A) or self._own.text(0x0042), address)
        kind, tag = {"To": (1, 0x0E04), "Cc": (2, 0x0E03)}.get(name, (0, 0))
        people = ", ".join(person for sort, person in self._recipients if kind and sort == kind)
        return people or (one_line(self._own.text(tag)) if tag else "")

    def body(self, encoding: str = "") -> Reading:
        """Plain text, HTML or RTF, whichever says more: see `read_wordings`."""
        html = self._own.binary(0x1013)
        page = decode(html, declared_charset(html) or self._own.encoding, encoding) if html else None
        rtf = unpacked_rtf(self._own.binary(0x1009))
        wordings = [
            read_quotations(self._own.text(0x1000)),
            html_body(page or Decoded(self._own.text(0x1013), "")),
        ]
        return read_wordings([*wordings, read_rtf(rtf)] if rtf else wordings)

    def names(self) -> list[str]:
        return [name for name, _ in self._attached()]

    def attachments(self) -> Iterator[Attached]:
        for name, content in self._attached():
            found = content()
            if not isinstance(found, bytes) or found.strip():
                yield Attached(name, found)

    def _attached(self) -> Iterator[tuple[str, Callable[[], bytes | OutlookMessage]]]:
        """(name, how to read it); pictures within the body and signatures left out."""
        for number, step in enumerate(self._file.storages(self._place, "__attach"), 1):
            place = (*self._place, step)
            about = _Properties(self._file, place, HEADER_BYTES["__attach"], self._own.encoding)
            kind = about.text(0x370E).lower()
            name = one_line(about.text(0x3707) or about.text(0x3704))
            if about.number(0x3705) == EMBEDDED:
                inner = OutlookMessage(self._file, (*place, INSIDE))
                name = name or one_line(about.text(0x3001) or inner.header("Subject"))[:80].replace("/", "-")
                name = name or f"message {number}"
                name = name if name.lower().endswith(".msg") else f"{name}.msg"
                yield name, partial(OutlookMessage, self._file, (*place, INSIDE))
                continue
            within = about.number(0x7FFE) or about.text(0x3712)
            if kind in SIGNATURES or (within and kind.startswith("image/")):
                continue
            name = name or one_line(about.text(0x3001)) or f"attachment {number}{SUFFIXES.get(kind, '')}"
            yield name, partial(about.binary, 0x3701)

    @cached_property
    def _sent(self) -> MimeMessage:
        """Its header lines as they came over the network; none for a draft."""
        return parsed(self._own.text(0x007D).encode("utf-8", "replace"))

    @cached_property
    def _recipients(self) -> list[tuple[int, str]]:
        """(1 to, 2 cc, 3 bcc; person)."""
        found = []
        for step in self._file.storages(self._place, "__recip"):
            place = (*self._place, step)
            about = _Properties(self._file, place, HEADER_BYTES["__recip"], self._own.encoding)
            person = _person(about.text(0x3001), about.text(0x39FE) or about.text(0x3003))
            if person:
                found.append((about.number(0x0C15), person))
        return found


class _Properties:
    """The properties of one storage, by the number of [MS-OXPROPS]; "", b"" and 0 where there is none."""

    def __init__(self, file: _File, place: Path, header: int, encoding: str = "") -> None:
        self._file = file
        self._place = place
        self._header = header
        self._encoding = encoding

    def text(self, tag: int) -> str:
        if wide := self._stream(tag, 0x001F):
            return wide.decode("utf-16-le", "replace").replace("\0", "")
        narrow = self._stream(tag, 0x001E).rstrip(b"\0")
        decoded = decode(narrow, self.encoding) if narrow else None
        return decoded.text if decoded else ""

    def binary(self, tag: int) -> bytes:
        return self._stream(tag, 0x0102)

    def number(self, tag: int) -> int:
        """A 32 bit number or a truth value."""
        return int.from_bytes(self._fixed.get(tag, b"")[:4], "little")

    def moment(self, tag: int) -> str:
        """A point in time as header lines have it; "" for none, and for one that no calendar has."""
        try:
            ticks = int.from_bytes(self._fixed[tag], "little")  # of 100 ns
            return format_datetime(EPOCH + timedelta(microseconds=ticks // 10))
        except (KeyError, OverflowError):
            return ""

    @property
    def encoding(self) -> str:
        """How texts of one byte a letter are written: that of the message, else of the body."""
        if self._encoding:
            return self._encoding
        page = self.number(0x3FFD) or self.number(0x3FDE)
        return "utf-8" if page in {0, 65001} else f"cp{page}"

    @cached_property
    def _fixed(self) -> Mapping[int, bytes]:
        """Values of eight bytes, by tag."""
        table = self._file.stream((*self._place, "__properties_version1.0"))[self._header :]
        records = table[: len(table) // 16 * 16]
        return {tag: value for _, tag, _, value in struct.iter_unpack("<HHI8s", records)}

    def _stream(self, tag: int, kind: int) -> bytes:
        return self._file.stream((*self._place, f"__substg1.0_{tag:04X}{kind:04X}"))


class _File:
    """The compound file; names in it have no case."""

    def __init__(self, data: bytes) -> None:
        self._size = len(data)
        self._ole = olefile.OleFileIO(io.BytesIO(data))
        if self._ole.root.size > self._size:
            raise ValueError("more is said to be in it than it is long")
        self._paths: dict[Path, list[str]] = {}
        self._inner: defaultdict[Path, list[str]] = defaultdict(list)
        for path in self._ole.listdir(streams=True, storages=True):
            folded = tuple(step.lower() for step in path)
            if self._paths.setdefault(folded, path) is path:
                self._inner[folded[:-1]].append(path[-1])

    def has(self, place: Path) -> bool:
        """Whether a message, a recipient or an attachment lies there."""
        return (*(step.lower() for step in place), "__properties_version1.0") in self._paths

    def storages(self, place: Path, kind: str) -> list[str]:
        """Storages of this kind there, in the order of their numbers."""
        inner = self._inner.get(tuple(step.lower() for step in place), [])
        return sorted(step for step in inner if step.lower().startswith(f"{kind}_version1.0_#"))

    def stream(self, path: Path) -> bytes:
        """Its content; b"" where there is none, or it says that it is longer than the file."""
        own = self._paths.get(tuple(step.lower() for step in path))
        try:
            if own is None or self._ole.get_size(own) > self._size:
                return b""
            with self._ole.openstream(own) as stream:
                return bytes(stream.read())
        except DAMAGED:
            return b""  # the rest of the message is worth reading


def _person(name: str, address: str) -> str:
    """ "Name <address>"; addresses within one company (EX) are no use to anybody."""
    name, address = one_line(name).strip("'\""), one_line(address)
    if "@" not in address or address.casefold() == name.casefold():
        return name or (address if "@" in address else "")
    return f"{name} <{address}>" if name else address


def unpacked_rtf(data: bytes) -> bytes:
    """The RTF, as far as it is whole; b"" when it is none."""
    if len(data) < _HEADER.size:
        return b""
    _, size, kind, _ = _HEADER.unpack_from(data)
    if kind == _PLAIN:
        return data[_HEADER.size :][: min(size, _MOST_TEXT)]
    return _unpacked(data[_HEADER.size :], min(size, _MOST_TEXT)) if kind == _PACKED else b""


def _unpacked(data: bytes, size: int) -> bytes:
    """Bytes as they are, and references (12 bits of place, 4 of length) into the last 4096."""
    out = bytearray(_BEGIN)
    end = size + len(_BEGIN)
    at = 0
    while at < len(data) and len(out) < end:
        flags, at = data[at], at + 1
        for bit in range(8):
            if not flags >> bit & 1:
                out += data[at : at + 1]
                at += 1
                continue
            reference = int.from_bytes(data[at : at + 2], "big")
            place, length = reference >> 4, (reference & 15) + 2
            at += 2
            back = (len(out) - place) % _RING
            if at > len(data) or not back or back > len(out):  # at its own place: the end
                return bytes(out[len(_BEGIN) : end])
            for _ in range(length):
                out.append(out[-back])
    return bytes(out[len(_BEGIN) : end])
