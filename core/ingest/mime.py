"""Reads a message as it is sent: which of its MIME parts are the body, and which are attached. RFC 2045 to 2049."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from email import policy
from email.message import Message
from email.parser import BytesParser
from functools import cached_property, lru_cache
from typing import Any

from core.ingest import media
from core.ingest.calendar_events import read_calendar
from core.ingest.cleaning import clean, one_line
from core.ingest.encodings import Decoded, decode
from core.ingest.mail import HEADERS, SIGNATURES, SUFFIXES, Attached, html_body, too_deep
from core.ingest.markup import declared_charset
from core.ingest.quotations import read_quotations
from core.ingest.reading import Reading
from core.ingest.wordings import joined, read_wordings
from core.types import Notice, NoticeKind

DEEPEST = 100  # parts within each other
LONGEST_PARAMETERS = (
    10_000  # characters of a Content-Type; the standard parser takes time by the square of them
)
NOTICES = frozenset(
    {"message/delivery-status", "message/disposition-notification", "message/global-delivery-status"}
)
MESSAGES = frozenset({"message/rfc822", "message/global"})
# Outlook's own wrapping of a text and its files; what only a key opens.
PACKED = frozenset({"application/ms-tnef", "application/vnd.ms-tnef", "application/pkcs7-mime"})
HEADERS_ONLY = "text/rfc822-headers"
WORDS = frozenset({"text/plain", "text/html", "text/enriched", "text/richtext"})
CALENDAR = "text/calendar"
ADDRESSES = frozenset({"from", "to", "cc", "bcc", "sender", "reply-to"})
# What is read for an encoding that a message names: the one that mail programs take for it, which holds more signs.
# Encoding Standard, 4.2.
WIDER = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874", "tis-620": "cp874",
    "gb2312": "gb18030", "gbk": "gb18030", "euc_kr": "cp949", "shift_jis": "cp932",
}  # fmt: skip
_BOUNDARY = re.compile(rb"^--([^\s-][^\r\n]{0,68}?)[ \t]*\r?\n(?=content-)", re.MULTILINE | re.IGNORECASE)
_ENCODED = re.compile(r"=\?([^?\s]{1,60})\?([bqBQ])\?([^?\s]*)\?=")
_RUN = re.compile(rf"(?:{_ENCODED.pattern})+")
_BETWEEN = re.compile(r"(?<=\?=)\s+(?==\?[^?\s]{1,60}\?[bqBQ]\?)")
_SPECIAL = re.compile(r'[,;:<>"@()]')
_TAG = re.compile(r"<(?:/?[\w-]{1,60})>")
STUMBLES = (
    ValueError,
    IndexError,
    AttributeError,
    TypeError,
    LookupError,
)  # of the parser over broken headers


class Part(Message):
    """A part that finds its header lines by name: the parser asks the outer one for its kind at each inner part."""

    def get(self, name: str, failobj: Any = None) -> Any:
        if len(self) != getattr(self, "_count", -1):
            self._count, self._values = len(self), dict[str, str]()
            for key, value in self.raw_items():
                self._values.setdefault(key.lower(), value)
        key = name.lower()
        value = self._values.get(key, "")
        if key.startswith("content-"):
            value = value[:LONGEST_PARAMETERS]
        if not value.isascii():  # which the standard does not allow
            return decoded(_bytes(value), "").text
        return self.policy.header_fetch_parse(name, value) if key in self._values else failobj

    def raw(self, name: str) -> str:
        """The first header line of that name as it stands; "" where there is none."""
        self.get(name)
        return str(self._values.get(name.lower(), ""))


@dataclass(frozen=True, slots=True)
class Wordings:
    """The parts of each wording of one text."""

    bodies: tuple[tuple[Piece, ...], ...]


Piece = Part | Wordings


class MimeMessage:
    """A Letter as it is sent: EML, and each message of MBOX."""

    media_type = media.MAIL

    def __init__(self, message: Part) -> None:
        self._message = message

    def header(self, name: str, encoding: str = "") -> str:
        return _header(self._message, name, self._charset, encoding)

    def body(self, encoding: str = "") -> Reading:
        """Every part that programs show, in order; of several wordings see `read_wordings`."""
        packed = [
            Notice(NoticeKind.OTHER, detail=_file_name(part) or part.get_content_type())
            for part in self._sorted.attached
            if part.get_content_type() in PACKED
        ]
        found = joined(
            [*(_read(piece, encoding) for piece in self._sorted.body), Reading("", notices=tuple(packed))]
        )
        guess = _raw_headers(self._message, self._charset, encoding)
        known = any(notice.kind is NoticeKind.ENCODING for notice in found.notices)
        return found if guess is None or known else replace(found, notices=(*guess.notices, *found.notices))

    def names(self) -> list[str]:
        return [attached.name for attached in self.attachments()]

    def attachments(self) -> Iterator[Attached]:
        for number, part in enumerate(self._sorted.attached, 1):
            yield from (_attached_message if part.get_content_type() in MESSAGES else _attached_file)(
                part, number
            )

    @cached_property
    def _sorted(self) -> _Sorted:
        return _Sorted(self._message)

    @cached_property
    def _charset(self) -> str:
        """The first that a part names: header lines of eight bits are likely written in it."""
        return next(filter(None, map(_charset, _texts(self._sorted.body))), "")


def parsed(data: bytes) -> MimeMessage:
    """One message. Raises DocumentError when its parts are nested beyond sense."""
    try:
        # Not the policy "default", which takes time by the square of the recipients.
        message = BytesParser(Part, policy=policy.compat32).parsebytes(data.lstrip(b"\r\n"))
    except RecursionError as error:
        raise too_deep() from error
    assert isinstance(message, Part)
    return MimeMessage(message)


class _Sorted:
    """The parts of a message by what they are for. Raises DocumentError where they are nested beyond sense."""

    def __init__(self, message: Part) -> None:
        self.attached: list[Part] = []
        self._begun = False  # whether a text was found
        self.body = self._pieces(message, 0)

    def _pieces(self, part: Part, depth: int, wording: bool = False) -> list[Piece]:
        """What of a part is body; the rest is put to `attached`."""
        kind = part.get_content_type()
        if depth > DEEPEST:
            raise too_deep()
        if kind in SIGNATURES:
            return []
        if kind in NOTICES or kind == HEADERS_ONLY:
            return [part]
        if kind in MESSAGES:
            self.attached.append(part)
            return []
        inner = _inner(part)
        if not inner:
            return self._leaf(part, "text/plain" if kind.startswith("multipart/") else kind, wording)
        if kind == "multipart/alternative":
            bodies = [self._pieces(each, depth + 1, wording=True) for each in inner]
            events = [piece for body in bodies for piece in body if _is_event(piece)]
            texts = [tuple(piece for piece in body if not _is_event(piece)) for body in bodies]
            return [Wordings(tuple(filter(None, texts))), *events]
        if kind == "multipart/related":
            start = _parameter(part, "start")
            root = next((each for each in inner if start and _header(each, "Content-ID") == start), inner[0])
            pieces = self._pieces(root, depth + 1, wording)
            for each in inner:
                pieces += [] if each is root else self._pieces(each, depth + 1)
            return pieces
        return [piece for each in inner for piece in self._pieces(each, depth + 1, wording)]

    def _leaf(self, part: Part, kind: str, wording: bool) -> list[Piece]:
        named, within = bool(_file_name(part)), part["Content-ID"] is not None
        attached = _header(part, "Content-Disposition").partition(";")[0].strip().lower() == "attachment"
        if kind == CALENDAR and (wording or not (named or attached)):
            return [part]
        if kind in WORDS and not attached and (wording or not self._begun or not (named or within)):
            self._begun = True
            return [part]
        # A picture within the body, or a style or script of it.
        if attached or not (within or not named) or not kind.startswith(("image/", "text/")):
            self.attached.append(part)
        return []


def _is_event(piece: Piece) -> bool:
    return isinstance(piece, Part) and piece.get_content_type() == CALENDAR


def _texts(pieces: list[Piece] | tuple[Piece, ...]) -> Iterator[Part]:
    for piece in pieces:
        if isinstance(piece, Part):
            yield piece
        else:
            for body in piece.bodies:
                yield from _texts(body)


def _inner(part: Part) -> list[Part]:
    """The parts of a part; found by their looks where it names no boundary, or one that does not come."""
    payload = part.get_payload()
    if isinstance(payload, str) and part.get_content_maintype() == "multipart":
        if (found := _BOUNDARY.search(data := _payload(part))) is None:
            return []
        head = b'Content-Type: %s; boundary="%s"\n\n' % (part.get_content_type().encode(), found[1])
        payload = BytesParser(Part, policy=policy.compat32).parsebytes(head + data).get_payload()
    return [each for each in payload if isinstance(each, Part)] if isinstance(payload, list) else []


def _attached_message(part: Part, number: int) -> Iterator[Attached]:
    inner = part.get_payload()
    if isinstance(inner, list) and inner and isinstance(inner[0], Part):
        letter = MimeMessage(inner[0])
        name = _file_name(part) or letter.header("Subject")[:80].replace("/", "-") or f"message {number}"
        yield Attached(name if name.lower().endswith(".eml") else f"{name}.eml", letter)


def _attached_file(part: Part, number: int) -> Iterator[Attached]:
    content = _payload(part)
    if content.strip():
        yield Attached(
            _file_name(part) or f"attachment {number}{SUFFIXES.get(part.get_content_type(), '')}", content
        )


def _read(piece: Piece, encoding: str) -> Reading:
    if isinstance(piece, Wordings):
        return read_wordings([joined(_read(each, encoding) for each in body) for body in piece.bodies])
    kind = piece.get_content_type()
    if kind in NOTICES:
        blocks = piece.get_payload()
        messages = [each for each in blocks if isinstance(each, Part)] if isinstance(blocks, list) else []
        return Reading(clean("\n\n".join("\n".join(_lines_of(each)) for each in messages)))
    payload = _payload(piece)
    if kind == HEADERS_ONLY:
        return Reading("\n".join(_lines_of(parsed(payload)._message, HEADERS)))
    charset = _charset(piece)
    if kind == "text/html":
        return html_body(decoded(payload, charset or declared_charset(payload), encoding))
    found = decoded(payload, charset, encoding)
    text = found.text
    if kind == CALENDAR:
        return replace(read_calendar(text), notices=found.notices)
    if kind in {"text/enriched", "text/richtext"}:
        text = _TAG.sub("", text)
    if _parameter(piece, "format").lower() == "flowed":
        text = unflowed(text, _parameter(piece, "delsp").lower() == "yes")
    return replace(read_quotations(text), notices=found.notices)


def _lines_of(message: Part, names: tuple[str, ...] = ()) -> Iterator[str]:
    for name in names or dict.fromkeys(message.keys()):
        if value := _header(message, name):
            yield f"{name}: {value}"


def unflowed(text: str, joins_words: bool = False) -> str:
    """The paragraphs of "format=flowed": a line that ends with a blank goes on. RFC 3676."""
    paragraphs: list[tuple[str, list[str]]] = []  # marks of quotation, pieces
    goes_on = False
    for line in re.sub(r"\r\n?", "\n", text).split("\n"):
        words = line.lstrip(">")
        marks, words = line[: len(line) - len(words)], words.removeprefix(" ")
        ends = words == "-- "  # a signature begins
        if goes_on and paragraphs[-1][0] == marks and not ends:
            paragraphs[-1][1].append(words)
        else:
            paragraphs.append((marks, [words]))
        goes_on = words.endswith(" ") and not ends
        if goes_on and joins_words:
            paragraphs[-1][1][-1] = words[:-1]
    return "\n".join(f"{marks} {''.join(pieces)}".lstrip(" ") for marks, pieces in paragraphs)


def _payload(part: Part) -> bytes:
    try:
        payload = part.get_payload(decode=True)
    except STUMBLES:
        return b""
    return payload if isinstance(payload, bytes) else b""


def decoded(data: bytes, declared: str, chosen: str = "") -> Decoded:
    """The text of a part whose encoding is named, rightly or wrongly."""
    try:
        name = codecs.lookup(declared).name if declared else ""
        declared = WIDER.get(name, name)
    except (LookupError, ValueError):
        declared = ""
    if declared.startswith("cp125") and not data.isascii() and not chosen:
        try:
            return Decoded(data.decode("utf-8"), "utf-8")  # as no text of one byte a letter can be
        except UnicodeDecodeError:
            pass
    return decode(data, declared, chosen) or Decoded("", "")


def _charset(part: Part) -> str:
    try:
        return part.get_content_charset() or ""
    except STUMBLES:
        return ""


def _parameter(part: Part, name: str) -> str:
    try:
        value = part.get_param(name)
    except STUMBLES:
        return ""
    return value if isinstance(value, str) else ""


def _header(message: Part, name: str, charset: str = "", encoding: str = "") -> str:
    """The first header line of that name, decoded, on one line."""
    raw = message.raw(name)
    if not raw.isascii() and (found := _raw_headers(message, charset, encoding)):
        raw = _bytes(raw).decode(found.encoding or "utf-8", "replace")
    return one_line(_decoded_words(raw, name.lower() in ADDRESSES))


def _raw_headers(message: Part, charset: str, encoding: str) -> Decoded | None:
    """All headers that hold bytes beyond ASCII, judged together; None where there are none."""
    raw = [str(value) for _, value in message.raw_items() if not str(value).isascii()]
    return _together(_bytes("\n".join(raw)), charset, encoding) if raw else None


@lru_cache(maxsize=64)  # each of them is asked for
def _together(data: bytes, charset: str, encoding: str) -> Decoded:
    return decoded(data, charset, encoding)


def _bytes(raw: str) -> bytes:
    return raw.encode("utf-8", "surrogateescape")


def _decoded_words(raw: str, addresses: bool = False) -> str:
    """With encoded words (RFC 2047) in letters. Names with a comma are quoted."""

    def words(run: re.Match[str]) -> str:
        """A letter may be cut between two words."""
        pieces: list[tuple[str, bytearray]] = []
        try:
            for charset, form, content in _ENCODED.findall(run[0]):
                data = content.encode("utf-8")
                data = codecs.decode(data + b"==", "base64") if form in "bB" else _unquoted(data)
                charset = charset.partition("*")[0].lower()
                if not pieces or pieces[-1][0] != charset:
                    pieces.append((charset, bytearray()))
                pieces[-1][1].extend(data)
        except ValueError:
            return run[0]
        text = "".join(decoded(bytes(data), charset).text for charset, data in pieces)
        quoted = raw[run.start() - 1 : run.start()] == '"'
        return (
            '"' + text.replace('"', "'") + '"' if addresses and not quoted and _SPECIAL.search(text) else text
        )

    raw = _BETWEEN.sub("", raw)
    return _RUN.sub(words, raw)


def _unquoted(data: bytes) -> bytes:
    return re.sub(rb"=([0-9A-Fa-f]{2})", lambda hexed: bytes([int(hexed[1], 16)]), data.replace(b"_", b" "))


def _file_name(part: Part) -> str:
    try:
        return _decoded_words(part.get_filename() or "")
    except STUMBLES:
        return ""
