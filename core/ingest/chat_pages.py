"""Reads chats that were exported as web pages, by Telegram and by DiscordChatExporter: each message is a turn.

Known by the class names of these programs, which name what a run of text is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser

from core.ingest.chat_exports import ChatMessage, read_messages
from core.ingest.cleaning import clean, one_line
from core.ingest.markup import VOID
from core.ingest.reading import Reading

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
