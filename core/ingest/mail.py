"""Reads e-mail: header lines people care about, then the body; attachments and mailboxes apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import Protocol

from core.errors import DocumentError
from core.extraction.speakers import named_addresses
from core.ingest.cleaning import clean, one_line
from core.ingest.dating import iso_date
from core.ingest.encodings import Decoded
from core.ingest.markup import read_html
from core.ingest.quotations import find_quotations
from core.ingest.reading import Reading
from core.ingest.wordings import shifted
from core.text.dates import ENGLISH_MONTHS
from core.text.translation import tr
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
    body = shifted(body, len(text) - len(body.text))
    blocks += body.blocks
    return Reading(
        text,
        title=about.subject,
        date=about.date,
        author=_person(about.sender),
        regions=body.regions,
        blocks=tuple(named_addresses(blocks)),
        tables=body.tables,
        metadata=about.metadata(),
        notices=body.notices,
    )


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


def html_body(decoded: Decoded | None) -> Reading:
    """What a message in HTML holds."""
    if decoded is None:
        return Reading("")
    reading = read_html(decoded.text)
    blocks = (*reading.blocks, *find_quotations(reading.text))
    return replace(reading, blocks=blocks, notices=(*decoded.notices, *reading.notices))
