"""Read chats that are pages of HTML, or records of JSON lines and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser

from core.ingest.chat_exports import ChatMessage, parsed_json, read_messages, written_time
from core.ingest.cleaning import clean, one_line
from core.ingest.conversation import turns
from core.ingest.markup import VOID
from core.ingest.moments import Calendar
from core.ingest.reading import Reading
from core.ingest.tables import csv_rows

_DAY_FIRST = re.compile(r"(\d{2})\.(\d{2})\.(\d{4}) (\d{2}:\d{2}(?::\d{2})?)")  # as Telegram writes titles


@dataclass(frozen=True, slots=True)
class _Page:
    """Class names of one program: what a page, a message, its speaker, time and words, and an event are marked by."""

    page: str
    message: str
    speaker: str
    time: str
    words: frozenset[str]
    event: str
    title: str
    quoted: frozenset[str] = frozenset()  # what belongs to another message


_PAGES = (
    _Page(
        'class="page_wrap',
        "message",
        "from_name",
        "date",
        frozenset({"text", "media_wrap", "title"}),
        "service",
        "page_header",
        frozenset({"reply_to", "userpic_wrap"}),
    ),
    _Page(
        "chatlog__message",
        "chatlog__message-container",
        "chatlog__author",
        "chatlog__timestamp",
        frozenset({"chatlog__content", "chatlog__attachment"}),
        "chatlog__system-notification-content",
        "preamble__entries-container",
        frozenset({"chatlog__reply", "chatlog__message-aside"}),
    ),
)


def read_chat_page(text: str) -> Reading | None:
    """The chat of a page; None where no program of those above wrote it."""
    for page in _PAGES:
        if page.page in text and page.speaker in text:
            reader = _Reader(page)
            reader.feed(text)
            reader.close()
            if messages := reader.messages():
                return read_messages([(one_line("".join(reader.title)), messages)])
    return None


class _Reader(HTMLParser):
    """Collects the text of messages by the innermost element that says what it is."""

    def __init__(self, page: _Page) -> None:
        super().__init__(convert_charrefs=True)
        self._page = page
        self._open: list[tuple[str, str]] = []  # (tag, what its text is) of open elements
        self._found: list[dict[str, list[str]]] = []
        self.title: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "br":
            self._write("\n")
        if tag in VOID:
            return
        attributes = {name: value or "" for name, value in attrs}
        classes, page = frozenset(attributes.get("class", "").split()), self._page
        role = self._open[-1][1] if self._open else ""
        if page.message in classes:
            self._found.append({"event": []} if page.event in classes else {})
            role = "event" if page.event in classes else ""
        elif role not in {"quoted", "title"}:
            if classes & page.quoted:
                role = "quoted"
            elif page.title in classes:
                role = "title"
            elif page.speaker in classes:
                role = "speaker" if "speaker" not in self._now() else "words"
            elif page.time in classes:
                role = "time"
                self._now().setdefault("moment", [attributes.get("title", "")])
            elif page.event in classes:
                role = "event"
            elif classes & page.words:
                role = "words"
        if tag in {"div", "p", "blockquote", "pre", "li"} and role in {"words", "event", "title"}:
            self._write("\n", role)
        self._open.append((tag, role))

    def handle_endtag(self, tag: str) -> None:
        for at in range(len(self._open) - 1, max(-1, len(self._open) - 50), -1):
            if self._open[at][0] == tag:
                del self._open[at:]
                return

    def handle_data(self, data: str) -> None:
        self._write(data)

    def _write(self, data: str, role: str = "") -> None:
        role = role or (self._open[-1][1] if self._open else "")
        if role == "title":
            self.title.append(data)
        elif role not in {"", "quoted"}:
            self._now().setdefault(role, []).append(data)

    def _now(self) -> dict[str, list[str]]:
        return self._found[-1] if self._found else {}

    def messages(self) -> list[ChatMessage]:
        """In order; a message without a speaker is of the one before."""
        found = []
        speaker = ""
        for parts in self._found:
            texts = {role: _in_lines("".join(pieces)) for role, pieces in parts.items()}
            if texts.get("event"):
                found.append(ChatMessage("", texts["event"], ""))
                continue
            speaker = one_line(texts.get("speaker", "")) or speaker
            moment = texts.get("moment", "") or one_line(texts.get("time", ""))
            if day := _DAY_FIRST.match(moment):
                moment = f"{day[3]}-{day[2]}-{day[1]}T{day[4]}"
            if texts.get("words") and speaker:
                found.append(ChatMessage(speaker, texts["words"], one_line(moment)))
        return found


def _in_lines(text: str) -> str:
    return clean("\n".join(line.strip() for line in text.split("\n")))


# ------------------------------------------------------------ chats as records


LEAST = 2  # messages
LONGEST_HEADER = 10_000  # characters
DEEPEST = 6  # levels at which the list of messages is looked for
# What chat programs call the fields of a message.
SPEAKERS = (
    "speaker sender_name from_name real_name display_name username user_name nickname nick author sender creator from "
    "user name who actor role absender von auteur autor mittente verfasser"
).split()
MESSAGES = "text content message body msg value utterance nachricht inhalt contenu texto testo".split()
TIMES = (
    "timestamp datetime date_time created_at created_date sent_at date time ts timestamp_ms created sent datum zeit "
    "heure fecha data"
).split()
Record = Mapping[str, object]


def chat_of_json(text: str) -> str:
    """The lines of the chat that a JSON file or JSON lines hold; "" for none."""
    return next(filter(None, map(chat_of_records, _lists(parsed_json(text), DEEPEST))), "")


def chat_of_table(text: str) -> str:
    """The same of a table whose first line names its columns."""
    header = {_key(name) for row in csv_rows(text[:LONGEST_HEADER].partition("\n")[0]) for name in row}
    if header.isdisjoint(SPEAKERS) or header.isdisjoint(MESSAGES):
        return ""
    names, *rows = csv_rows(text)
    return chat_of_records([dict(zip(names, row, strict=False)) for row in rows])


def _key(name: str) -> str:
    return name.strip().casefold().replace(" ", "_")


def chat_of_records(records: Sequence[Record]) -> str:
    """A line a message, "[time] speaker: text"; "" unless these are turns of a conversation."""
    lines = []
    for record in records:
        fields = {_key(name): value for name, value in record.items()}
        speaker, message = _first(fields, SPEAKERS), _first(fields, MESSAGES)
        if speaker and message:
            stamp = _stamp(next((fields[name] for name in TIMES if fields.get(name)), ""))
            lines.append(f"[{stamp}] {speaker}: {message}" if stamp else f"{speaker}: {message}")
    if len(lines) < max(LEAST, 0.5 * len(records)):
        return ""
    text = "\n\n".join(lines)
    return text if turns(text) else ""


def _lists(data: object, depth: int) -> Iterator[list[Record]]:
    """The lists of objects within, outer ones first."""
    if isinstance(data, list) and len(data) >= LEAST and all(isinstance(item, dict) for item in data):
        yield data
    if depth and isinstance(data, dict | list):
        for item in data.values() if isinstance(data, dict) else data[:LEAST]:
            yield from _lists(item, depth - 1)


def _first(fields: Record, names: Sequence[str]) -> str:
    return next((words for name in names if (words := _words(fields.get(name)))), "")


def _words(value: object) -> str:
    """Text as it is; of an object the name or the text in it, of a list its parts together."""
    if isinstance(value, str):
        return one_line(_decoded(value))
    if isinstance(value, list):
        return " ".join(filter(None, map(_words, value)))
    if isinstance(value, dict):
        inner = {name: item for name, item in value.items() if isinstance(item, str | list)}
        return next((w for name in (*SPEAKERS, *MESSAGES, "parts") if (w := _words(inner.get(name)))), "")
    return ""


def _decoded(text: str) -> str:
    """Text whose bytes in UTF-8 were written as characters, as Facebook and Instagram do."""
    try:
        return text if text.isascii() else text.encode("latin-1").decode()
    except UnicodeError:
        return text


def _stamp(value: object) -> str:
    """In ISO 8601 where it is sure, else as written."""
    return written_time(value) or (Calendar().moment(one_line(value)) if isinstance(value, str) else "")
