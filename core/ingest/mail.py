"""Reads e-mail: header lines people care about, then the body."""

from __future__ import annotations

import re
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import parsedate_to_datetime

from core.ingest.cleaning import clean, one_line
from core.ingest.encodings import decode
from core.ingest.layout import unwrapped
from core.ingest.markup import declared_charset, read_html
from core.ingest.reading import Reading

HEADERS = ("From", "To", "Cc", "Date", "Subject")
QUOTE_MARKS = re.compile(r"^(?:> ?)+", re.MULTILINE)
NEXT_MESSAGE = re.compile(rb"^From \S+.*\d{4}\s*$", re.MULTILINE)  # the line between the messages of an mbox


def read_mail(data: bytes) -> Reading:
    """One message, or all messages of an mbox file; title, date and author are the first one's."""
    sources = (
        [part for part in NEXT_MESSAGE.split(data) if part.strip()] if data.startswith(b"From ") else [data]
    )
    messages = [_message(source.lstrip(b"\r\n")) for source in sources]
    text = "\n\n".join(message.text for message in messages)
    first = messages[0]
    return Reading(text, title=first.title, date=first.date, author=first.author)


def _message(data: bytes) -> Reading:
    parsed = BytesParser(policy=policy.default).parsebytes(data)
    assert isinstance(parsed, EmailMessage)
    headers = {name: _header(parsed, name) for name in HEADERS}
    stated = headers["Date"]
    lines = [
        f"{name}: {_readable_date(value) if name == 'Date' else value}"
        for name, value in headers.items()
        if value
    ]
    names = [one_line(name) for part in parsed.iter_attachments() if (name := _file_name(part))]
    if names:
        lines.append(f"Attachments: {', '.join(names)}")
    text = clean("\n".join(lines) + "\n\n" + _body(parsed))
    return Reading(text, title=headers["Subject"], date=stated, author=_person(headers["From"]))


def _header(message: EmailMessage, name: str) -> str:
    """The decoded header; malformed ones as they stand."""
    try:
        return one_line(str(message.get(name, "")))
    except (ValueError, IndexError, AttributeError, TypeError, LookupError):
        # The standard parser stumbles over some broken addresses; the raw words are still worth reading.
        raw = [value for key, value in message.raw_items() if key.lower() == name.lower()]
        return one_line(str(raw[0])) if raw else ""


def _file_name(part: EmailMessage) -> str:
    try:
        return part.get_filename() or ""
    except (ValueError, IndexError, AttributeError, TypeError, LookupError):
        return ""


def _readable_date(stated: str) -> str:
    """ "Tue, 04 May 2021 10:00:00 +0200" -> "4 May 2021, 10:00"."""
    try:
        moment = parsedate_to_datetime(stated)
    except (ValueError, TypeError, IndexError):
        return stated
    return f"{moment.day} {moment:%B %Y, %H:%M}"


def _person(sender: str) -> str:
    """The name of "Name <address>", else the address."""
    name = sender.partition("<")[0].strip(" \"'")
    return name or sender.strip("<> ")


def _body(message: EmailMessage) -> str:
    try:
        part = message.get_body(preferencelist=("plain", "html"))
    except (AttributeError, KeyError):  # a multipart message without parts
        part = None
    if part is None:
        return ""
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    declared = part.get_content_charset() or ""
    html = part.get_content_type() == "text/html"
    text = decode(payload, declared or (declared_charset(payload) if html else "")) or ""
    return read_html(text).text if html else unwrapped(clean(QUOTE_MARKS.sub("", text.replace("\r\n", "\n"))))
