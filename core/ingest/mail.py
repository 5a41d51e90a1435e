"""Reads e-mail: header lines people care about, then the body; attachments and mailboxes apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Protocol

from core.errors import DocumentError
from core.extraction.speakers import named_addresses
from core.ingest import media
from core.ingest.cleaning import clean, one_line
from core.ingest.encodings import Decoded, decode
from core.ingest.markup import declared_charset, read_html
from core.ingest.quotations import find_quotations, read_quotations
from core.ingest.reading import Reading
from core.ingest.titles import iso_date
from core.text.dates import ENGLISH_MONTHS
from core.translation import tr
from core.types import Block, BlockKind

HEADERS = ("From", "To", "Cc", "Date", "Subject")
NEXT_MESSAGE = re.compile(rb"^From \S+.*\d{4}\s*$", re.MULTILINE)  # the line between the messages of an mbox
MESSAGE_ID = re.compile(r"<[^<>\s]{1,300}>")
ANSWERS = re.compile(r"^(?:\s*(?:re|aw|fwd?|wg|sv|antw|tr|rv)\s*(?:\[\d+\])?\s*:)+\s*", re.IGNORECASE)
SIGNATURES = frozenset(
    {"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"}
)
SUFFIXES = {
    "text/plain": ".txt",
    "text/html": ".html",
    "text/csv": ".csv",
    "text/calendar": ".ics",
    "application/pdf": ".pdf",
}
STUMBLES = (
    ValueError,
    IndexError,
    AttributeError,
    TypeError,
    LookupError,
)  # of the parser over broken headers


def too_deep() -> DocumentError:
    return DocumentError(
        tr("The message is nested too deeply."), tr("Save its text from a mail program and index again.")
    )


@dataclass(frozen=True, slots=True)
class Envelope:
    """What a message says of itself."""

    sender: str
    recipients: str
    cc: str
    date: str
    subject: str
    message_id: str
    in_reply_to: str
    thread: str  # first message id of the conversation, else its subject

    def metadata(self) -> tuple[tuple[str, str], ...]:
        named = (
            ("sender", self.sender),
            ("recipients", self.recipients),
            ("cc", self.cc),
            ("message_id", self.message_id),
            ("in_reply_to", self.in_reply_to),
            ("thread", self.thread),
        )
        return tuple((name, value) for name, value in named if value)

    def for_attachments(self) -> tuple[tuple[str, str], ...]:
        """What holds for the attachments, too."""
        named = (
            ("sender", self.sender),
            ("sent", iso_date(self.date) or ""),
            ("attached_to", self.message_id),
            ("thread", self.thread),
        )
        return tuple((name, value) for name, value in named if value)


class Letter(Protocol):
    """A message of whatever format; what it holds is read when it is asked for."""

    media_type: str

    def header(self, name: str, encoding: str = "") -> str:
        """The decoded header line on one line; "" where there is none."""
        ...

    def body(self, encoding: str = "") -> Reading:
        """Its words, cleaned; whose they are where they are not the sender's. `encoding`, where a person chose it."""
        ...

    def names(self) -> list[str]:
        """Names of its attachments."""
        ...

    def attachments(self) -> Iterator[Attached]:
        """All parts that are not the body, pictures within it and signatures left out."""
        ...


@dataclass(frozen=True, slots=True)
class Attached:
    """An attachment under its name: the bytes of a file, or a message."""

    name: str
    content: bytes | Letter


class ParsedMail:
    """A Letter as it is sent: EML, and each message of MBOX."""

    media_type = media.MAIL

    def __init__(self, message: EmailMessage) -> None:
        self._message = message

    def header(self, name: str, encoding: str = "") -> str:
        return _header(self._message, name, encoding)

    def body(self, encoding: str = "") -> Reading:
        reading = _body(self._message, encoding)
        guess = _raw_headers(self._message, encoding)
        notices = guess.notices if guess and not reading.notices else ()
        return replace(reading, notices=(*notices, *reading.notices))

    def names(self) -> list[str]:
        return [attached.name for attached in self.attachments()]

    def attachments(self) -> Iterator[Attached]:
        return _attachments(self._message)


def parsed(data: bytes) -> ParsedMail:
    """One message. Raises DocumentError when its parts are nested beyond sense."""
    try:
        message = BytesParser(policy=policy.default).parsebytes(data.lstrip(b"\r\n"))
    except RecursionError as error:
        raise too_deep() from error
    assert isinstance(message, EmailMessage)
    return ParsedMail(message)


def is_mailbox(data: bytes) -> bool:
    """Whether the file holds messages one after the other."""
    return data.startswith(b"From ")


def mailbox(data: bytes) -> Iterator[bytes]:
    """The messages of an mbox file, in order."""
    begin: int | None = None
    for line in NEXT_MESSAGE.finditer(data):
        if begin is not None and data[begin : line.start()].strip():
            yield data[begin : line.start()]
        begin = line.end()
    if (rest := data[begin or 0 :]).strip():
        yield rest


def envelope(letter: Letter, encoding: str = "") -> Envelope:
    subject = letter.header("Subject", encoding)
    ids = {
        name: MESSAGE_ID.findall(letter.header(name)) for name in ("Message-ID", "In-Reply-To", "References")
    }
    chain = ids["References"] or ids["In-Reply-To"] or ids["Message-ID"]
    return Envelope(
        sender=letter.header("From", encoding),
        recipients=letter.header("To", encoding),
        cc=letter.header("Cc", encoding),
        date=letter.header("Date"),
        subject=subject,
        message_id="".join(ids["Message-ID"][:1]),
        in_reply_to="".join(ids["In-Reply-To"][:1]),
        thread=chain[0] if chain else ANSWERS.sub("", subject).casefold(),
    )


def read_letter(letter: Letter, encoding: str = "") -> Reading:
    """Header lines and body of one message; its attachments are named only."""
    about = envelope(letter, encoding)
    values = (about.sender, about.recipients, about.cc, about.date, about.subject)
    lines = [
        f"{name}: {_readable_date(value) if name == 'Date' else value}"
        for name, value in zip(HEADERS, values, strict=True)
        if value
    ]
    names = [one_line(name) for name in letter.names()]
    if names:
        lines.append(f"Attachments: {', '.join(names)}")
    head = clean("\n".join(lines))
    body = letter.body(encoding)
    text = f"{head}\n\n{body.text}".strip()
    recipients = ", ".join(filter(None, (about.recipients, about.cc)))
    blocks = [Block(BlockKind.TURN, 0, len(text), 0, about.sender, recipients, iso_date(about.date) or "")]
    blocks.append(Block(BlockKind.NOTE, 0, len(head)))
    shift = len(text) - len(body.text)
    blocks += [replace(block, start=block.start + shift, end=block.end + shift) for block in body.blocks]
    return Reading(
        text,
        title=about.subject,
        date=about.date,
        author=_person(about.sender),
        blocks=tuple(named_addresses(blocks)),
        metadata=about.metadata(),
        notices=body.notices,
    )


def _attachments(message: EmailMessage) -> Iterator[Attached]:
    body = _body_part(message)
    waiting = [message]
    number = 0
    while waiting:
        part = waiting.pop()
        kind = part.get_content_type()
        if part is body or kind in SIGNATURES:
            continue
        if kind == "message/rfc822":
            number += 1
            yield from _attached_message(part, number)
        elif part.is_multipart():
            if kind != "multipart/alternative" or body is None:
                waiting += reversed([piece for piece in part.iter_parts() if isinstance(piece, EmailMessage)])
        else:
            number += 1
            yield from _attached_file(part, number)


def _attached_message(part: EmailMessage, number: int) -> Iterator[Attached]:
    inner = part.get_payload()
    if isinstance(inner, list) and inner and isinstance(inner[0], EmailMessage):
        name = _file_name(part) or _header(inner[0], "Subject")[:80].replace("/", "-") or f"message {number}"
        yield Attached(name if name.lower().endswith(".eml") else f"{name}.eml", ParsedMail(inner[0]))


def _attached_file(part: EmailMessage, number: int) -> Iterator[Attached]:
    kind, name = part.get_content_type(), _file_name(part)
    disposition = _header(part, "Content-Disposition").partition(";")[0].strip().lower()
    shown = disposition != "attachment" and (part["Content-ID"] is not None or not name)
    if shown and kind.startswith(("image/", "text/")):
        return  # a picture within the body, or another form or piece of it
    try:
        content = part.get_payload(decode=True)
    except STUMBLES:
        return
    if isinstance(content, bytes) and content.strip():
        yield Attached(name or f"attachment {number}{SUFFIXES.get(kind, '')}", content)


def _header(message: EmailMessage, name: str, encoding: str = "") -> str:
    """The decoded header; malformed ones as they stand."""
    try:
        return one_line(str(_value(message, name, encoding)))
    except STUMBLES:
        # The standard parser stumbles over some broken addresses; the raw words are still worth reading.
        raw = [value for key, value in message.raw_items() if key.lower() == name.lower()]
        return one_line(str(raw[0])) if raw else ""


def _value(message: EmailMessage, name: str, encoding: str = "") -> object:
    """The header as the standard parser reads it, once its bytes beyond ASCII are in letters."""
    raw = next((str(raw) for key, raw in message.raw_items() if key.lower() == name.lower()), "")
    if raw.isascii() or (decoded := _raw_headers(message, encoding)) is None:
        return message.get(name, "")
    return message.policy.header_fetch_parse(name, _bytes(raw).decode(decoded.encoding, "replace"))


def _raw_headers(message: EmailMessage, encoding: str = "") -> Decoded | None:
    """All headers that hold bytes beyond ASCII, which the standard does not allow; None where there are none."""
    raw = [str(value) for _, value in message.raw_items() if not str(value).isascii()]
    if not raw:
        return None
    return _decoded(_bytes("\n".join(raw)), message.get_content_charset() or "", encoding)


@lru_cache(maxsize=64)  # each of them is asked for
def _decoded(data: bytes, declared: str, encoding: str) -> Decoded | None:
    return decode(data, declared, encoding)


def _bytes(raw: str) -> bytes:
    return raw.encode("utf-8", "surrogateescape")


def _file_name(part: EmailMessage) -> str:
    try:
        name = part.get_filename() or ""
        if "\ufffd" in name:
            value = _value(part, "Content-Disposition") or _value(part, "Content-Type")
            name = str(getattr(value, "params", {}).get("filename", name))
        return name
    except STUMBLES:
        return ""


def _readable_date(stated: str) -> str:
    """ "Tue, 04 May 2021 10:00:00 +0200" -> "4 May 2021, 10:00"."""
    try:
        moment = parsedate_to_datetime(stated)
    except (ValueError, TypeError, IndexError):
        return stated
    return f"{moment.day} {ENGLISH_MONTHS[moment.month - 1]} {moment:%Y, %H:%M}"


def _person(sender: str) -> str:
    """The name of "Name <address>", else the address."""
    name = sender.partition("<")[0].strip(" \"'")
    return name or sender.strip("<> ")


def _body_part(message: EmailMessage) -> EmailMessage | None:
    try:
        part = message.get_body(preferencelist=("plain", "html"))
    except (AttributeError, KeyError):  # a multipart message without parts
        return None
    return part if isinstance(part, EmailMessage) else None


def _body(message: EmailMessage, encoding: str) -> Reading:
    part = _body_part(message)
    if part is None:
        return Reading("")
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return Reading("")
    declared = part.get_content_charset() or ""
    html = part.get_content_type() == "text/html"
    decoded = decode(payload, declared or (declared_charset(payload) if html else ""), encoding)
    if html or decoded is None:
        return html_body(decoded)
    return replace(read_quotations(decoded.text), notices=decoded.notices)


def html_body(decoded: Decoded | None) -> Reading:
    """What a message in HTML holds."""
    if decoded is None:
        return Reading("")
    reading = read_html(decoded.text)
    blocks = (*reading.blocks, *find_quotations(reading.text))
    return replace(reading, blocks=blocks, notices=(*decoded.notices, *reading.notices))
