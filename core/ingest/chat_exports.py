"""Reads what chat programs export as JSON: Slack, Telegram, Teams, Skype, Discord, Signal. Each message is a turn.

Which program wrote a list of records is known by the fields that only its messages have. Nothing is trusted: values of
other types than are documented count as absent.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from core.ingest.cleaning import clean, one_line
from core.ingest.markup import read_html
from core.ingest.reading import Reading
from core.types import Block, BlockKind

DEEPEST = 6  # levels at which messages are looked for
SAMPLE = 20  # records by which a list is known
ME = "Me"  # who made an export that does not name them
# Files of a Slack export that name its people and channels, beside the files of messages or above them.
DIRECTORIES = ("users.json", "channels.json", "groups.json")
PARENT = "../"
Record = Mapping[str, object]
SiblingReader = Callable[
    [str], bytes
]  # a file by its path from the folder of the one that is read; b"" for none

_LINK = re.compile(r"<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>")
_WORDS = re.compile(r"[^\W_]+(?:[ '’-][^\W_]+)*")  # of a link, no part of an address
_CALLED = re.compile(r"<@!?(\d+)>")  # a person in Discord
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)")
_MENTION = "\ufffc"  # stands for a person in Signal


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message; without a speaker something that the program tells."""

    speaker: str
    text: str
    time: str = ""
    addressee: str = ""


@dataclass(frozen=True, slots=True)
class _Export:
    """What the messages of one list refer to."""

    names: Mapping[str, str]  # of people and channels, by their ids
    speakers: Mapping[str, str]  # of messages, by their ids


@dataclass(frozen=True, slots=True)
class _Program:
    """`fields`: those of which each group has one in every message. `id`: the field by which others answer it."""

    fields: tuple[frozenset[str], ...]
    read: Callable[[Record, _Export], ChatMessage | None]
    id: str = "id"


def read_chat_export(text: str, read_sibling: SiblingReader) -> Reading | None:
    """The chats of a JSON file or of JSON lines; None where no program of those above wrote it."""
    data = parsed_json(text)
    names = dict(_names(data, DEEPEST))
    chats = []
    for title, records in _chats(data, "", DEEPEST):
        program = _program(records)
        assert program is not None
        if program is SLACK:
            names |= slack_names(read_sibling)
        export = _Export(names, {})
        speakers = {_text(r, program.id): m.speaker for r in records if (m := program.read(r, export))}
        export = _Export(names, speakers)
        messages = [message for record in records if (message := program.read(record, export))]
        if messages and messages[0].time > messages[-1].time:
            messages.reverse()
        chats.append((title, messages))
    return read_messages(chats) if any(messages for _, messages in chats) else None


def read_messages(chats: Iterable[tuple[str, Sequence[ChatMessage]]]) -> Reading:
    """A paragraph "[time] speaker: text" a message; where there are several chats, each under its name."""
    chats = [(one_line(title), messages) for title, messages in chats if messages]
    parts: list[str] = []
    blocks: list[Block] = []
    at = 0
    for title, messages in chats:
        if title and len(chats) > 1:
            blocks.append(Block(BlockKind.HEADING, at, at + len(title), 1))
            parts.append(title)
            at += len(title) + 2
        for message in messages:
            speaker, words = one_line(message.speaker), clean(message.text)
            line = f"{speaker}: {words}" if speaker else words
            line = f"[{message.time}] {line}" if message.time else line
            kind = BlockKind.TURN if speaker else BlockKind.EVENT
            to = one_line(message.addressee)
            blocks.append(
                Block(kind, at, at + len(line), 0, speaker, "" if to == speaker else to, message.time)
            )
            parts.append(line)
            at += len(line) + 2
    title = chats[0][0] if len(chats) == 1 else ""
    return Reading("\n\n".join(parts), title=title, blocks=tuple(blocks))


def parsed_json(text: str) -> object:
    """What a JSON file or JSON lines hold; None where they are damaged or nested beyond sense."""
    if text.lstrip("\ufeff \t\r\n")[:1] not in ("[", "{"):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        try:
            return [json.loads(line) for line in text.split("\n") if line.strip()]
        except (ValueError, RecursionError):
            return None


def written_time(value: object) -> str:
    """Seconds or milliseconds since 1970, or ISO 8601, as "2024-05-06T10:00:05"; "" for anything else."""
    if isinstance(value, str) and (found := _MOMENT.match(value)):
        return f"{found[1]}T{found[2]}"
    try:
        seconds = float(value) if isinstance(value, int | float | str) else math.nan
        seconds = seconds / 1000 if seconds > 1e11 else seconds
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").removesuffix("+00:00")
    except (ValueError, OverflowError, OSError):
        return ""


def slack_names(read_sibling: SiblingReader) -> Mapping[str, str]:
    """Names of people and channels by their ids, as the files of the export beside the one that is read have them."""
    return _directory(tuple(read_sibling(name) or read_sibling(PARENT + name) for name in DIRECTORIES))


@lru_cache(maxsize=4)  # one for all the days of an export
def _directory(files: tuple[bytes, ...]) -> Mapping[str, str]:
    return dict(pair for file in files for pair in _names(parsed_json(file.decode("utf-8", "replace")), 1))


def _names(data: object, depth: int) -> Iterator[tuple[str, str]]:
    """(id, name) of the people, channels and conversations that records describe rather than quote."""
    if isinstance(data, list):
        for item in data if depth else ():
            yield from _names(item, depth - 1)
    elif isinstance(data, dict):
        profile = _record(data, "profile")
        name = (
            _first(data, "real_name", "profileFullName", "displayName", "display_name")
            or _first(profile, "real_name", "display_name")
            or _first(data, "profileName", "name")
        )
        for key in ("id", "serviceId", "uuid", "e164", "number") if name else ():
            if id_ := _text(data, key):
                yield id_, name
        for item in data.values() if depth else ():
            if isinstance(item, list | dict):
                yield from _names(item, depth - 1)


def _chats(data: object, title: str, depth: int) -> Iterator[tuple[str, list[Record]]]:
    """Lists of messages, each with the name of what holds it."""
    if isinstance(data, list):
        records: list[Record] = [item for item in data if isinstance(item, dict)]
        if _program(records):
            yield title, records
        else:
            for item in records if depth else ():
                yield from _chats(item, title, depth - 1)
    elif isinstance(data, dict):
        own = _first(data, "name", "displayName", "title", "topic") or _text(_record(data, "channel"), "name")
        for item in data.values() if depth else ():
            if isinstance(item, list | dict):
                yield from _chats(item, own or title, depth - 1)


def _program(records: Sequence[Record]) -> _Program | None:
    """Which one wrote more than half of the first records."""
    sample = records[:SAMPLE]
    for program in PROGRAMS:
        if 2 * sum(all(group & record.keys() for group in program.fields) for record in sample) > len(sample):
            return program
    return None


def _slack(record: Record, export: _Export) -> ChatMessage | None:
    id_ = _first(record, "user", "bot_id")
    profile, bot = _record(record, "user_profile"), _record(record, "bot_profile")
    speaker = (
        export.names.get(id_, "")
        or _first(profile, "real_name", "display_name", "name")
        or _first(record, "username")
        or _text(bot, "name")
        or id_
    )
    attached = [
        ": ".join(filter(None, (_first(each, "title"), _first(each, "text")))) or _first(each, "fallback")
        for each in _records(record, "attachments")
    ]
    written = _text(record, "text") or _slack_blocks(record.get("blocks"), DEEPEST)
    parts = [_slack_text(part, export.names) for part in (written, *attached) if part]
    parts += [f"[{name}]" for each in _records(record, "files") if (name := _first(each, "name", "title"))]
    if not parts or _text(record, "type") not in ("message", ""):
        return None
    text, time = "\n".join(parts), written_time(record.get("ts"))
    if re.search(r"_(?:join|leave|topic|purpose|name|archive|unarchive)$", _text(record, "subtype")):
        return ChatMessage("", text, time)
    thread, own = _text(record, "thread_ts"), _text(record, "ts")
    called = _LINK.match(_text(record, "text"))
    to = export.names.get(called[2], "") if called and called[1] == "@" else ""
    if not to and thread and thread != own:
        parent = _text(record, "parent_user_id")
        to = export.speakers.get(thread) or export.names.get(parent, parent)
    return ChatMessage(speaker, text, time, to)


def _slack_blocks(value: object, depth: int) -> str:
    """The words of a message that is kept in blocks alone, as its text would have them."""
    if isinstance(value, list):
        return "".join(_slack_blocks(item, depth) for item in value)
    if not isinstance(value, dict) or not depth:
        return ""
    if name := _first(value, "user_id", "channel_id"):
        return f"<{'@' if 'user_id' in value else '#'}{name}>"
    own = value.get("text")
    words = own if isinstance(own, str) else _text(value, "url") or _slack_blocks(own, depth - 1)
    words += _slack_blocks(value.get("elements") or value.get("fields"), depth - 1)
    return f"{words}\n" if _text(value, "type").startswith(("section", "header", "rich_text_")) else words


def _slack_text(text: str, names: Mapping[str, str]) -> str:
    """ "<@U01>" -> "@Mary Jones", "<#C01|crane>" -> "#crane", "<http://x|here>" -> "here (http://x)"."""

    def link_text(found: re.Match[str]) -> str:
        mark, what, label = found[1], found[2], found[3] or ""
        if mark in ("@", "#") and mark:
            return mark + (names.get(what) or label.lstrip(mark) or what)
        if mark == "!":
            return label or "@" + what.partition("^")[0]
        address = what.removeprefix("mailto:")
        shortened = label in address and not _WORDS.fullmatch(label)
        return f"{label} ({address})" if label and not shortened else address

    return html.unescape(_LINK.sub(link_text, text))


def _telegram(record: Record, export: _Export) -> ChatMessage | None:
    time, text = written_time(record.get("date")), _flat(record.get("text"))
    if record.get("type") == "service":
        people = [person for person in _strings(record.get("members")) if person]
        words = " ".join(filter(None, (_text(record, "action").replace("_", " "), _text(record, "title"))))
        event = ": ".join(filter(None, (_first(record, "actor", "from"), words)))
        return ChatMessage("", f"{event} {', '.join(people)}".strip(), time) if event else None
    media = _first(record, "file_name", "media_type", "mime_type") or ("photo" if record.get("photo") else "")
    poll = _record(record, "poll")
    asked = [_text(poll, "question"), *(f"- {_text(each, 'text')}" for each in _records(poll, "answers"))]
    parts = [part for part in (text, *asked, f"[{media}]" if media else "") if part]
    to = export.speakers.get(_text(record, "reply_to_message_id"), "")
    speaker = _first(record, "from", "from_id") or ME
    return ChatMessage(speaker, "\n".join(parts), time, to) if parts else None


def _teams(record: Record, export: _Export) -> ChatMessage | None:
    sender = _record(record, "from")
    people = (_record(sender, kind) for kind in ("user", "application", "device"))
    speaker = next((name for person in people if (name := _first(person, "displayName", "id"))), "")
    time, body = written_time(record.get("createdDateTime")), _text(_record(record, "body"), "content")
    files = [f"[{name}]" for each in _records(record, "attachments") if (name := _text(each, "name"))]
    text = "\n".join(filter(None, (read_html(body).text if "<" in body or "&" in body else body, *files)))
    event = _text(record, "messageType") not in ("", "message")
    if event and not text:
        kind = _text(_record(record, "eventDetail"), "@odata.type").rpartition(".")[2]
        text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind).lower()
    to = export.speakers.get(_text(record, "replyToId"), "")
    return ChatMessage("" if event else speaker, text, time, to) if text else None


def _skype(record: Record, export: _Export) -> ChatMessage | None:
    id_, content = _text(record, "from"), _text(record, "content")
    speaker = (
        _first(record, "displayName", "imdisplayname") or export.names.get(id_) or id_.rpartition(":")[2]
    )
    text = read_html(content).text if "<" in content or "&" in content else content
    event = _text(record, "messagetype").startswith(("ThreadActivity", "Event"))
    return (
        ChatMessage("" if event else speaker, text, written_time(record.get("originalarrivaltime")))
        if text
        else None
    )


def _discord(record: Record, export: _Export) -> ChatMessage | None:
    speaker = _first(_record(record, "author"), "nickname", "name")
    if not speaker:
        return None
    people = {_text(each, "id"): _first(each, "nickname", "name") for each in _records(record, "mentions")}
    parts = [_CALLED.sub(lambda found: f"@{people.get(found[1]) or found[1]}", _text(record, "content"))]
    parts += [
        words
        for each in _records(record, "embeds")
        for key in ("title", "description")
        if (words := _text(each, key))
    ]
    parts += [f"[{name}]" for each in _records(record, "attachments") if (name := _text(each, "fileName"))]
    text = "\n".join(filter(None, parts))
    to = export.speakers.get(_text(_record(record, "reference"), "messageId"), "")
    time = written_time(record.get("timestamp"))
    if _text(record, "type") not in ("", "Default", "Reply", "0", "19"):
        return ChatMessage("", f"{speaker}: {text}" if text else "", time) if text else None
    return ChatMessage(speaker, text, time, to) if text else None


def _signal(record: Record, export: _Export) -> ChatMessage | None:
    """As `signal-cli` prints what it receives."""
    envelope = _record(record, "envelope") or record
    message, sent = _record(envelope, "dataMessage"), _record(_record(envelope, "syncMessage"), "sentMessage")
    message = message or sent
    text = _text(message, "message")
    for mention in _records(message, "mentions"):
        text = text.replace(_MENTION, f"@{_first(mention, 'name', 'number')}", 1)
    files = [f"[{name}]" for each in _records(message, "attachments") if (name := _text(each, "filename"))]
    text = "\n".join(filter(None, (text, *files)))
    speaker = ME if sent else _first(envelope, "sourceName", "sourceNumber", "source")
    quote = _record(message, "quote")
    to = _first(quote, "authorName", "authorNumber", "author")
    time = written_time(message.get("timestamp") or envelope.get("timestamp"))
    return ChatMessage(speaker, text, time, export.names.get(to, to)) if text else None


def _signal_stored(record: Record, export: _Export) -> ChatMessage | None:
    """As Signal's desktop program stores it."""
    text = _text(record, "body")
    if not text:
        return None
    id_ = _first(record, "sourceServiceId", "sourceUuid", "source")
    sender = export.names.get(id_) or id_ or export.names.get(_text(record, "conversationId"), "")
    return ChatMessage(
        ME if record.get("type") == "outgoing" else sender, text, written_time(record.get("sent_at"))
    )


def _signal_exported(record: Record, export: _Export) -> ChatMessage | None:
    """As `signal-export` writes it."""
    files = [f"[{name}]" for each in _records(record, "attachments") if (name := _text(each, "name"))]
    text = "\n".join(filter(None, (_text(record, "body").strip(), *files)))
    return (
        ChatMessage(_text(record, "sender") or ME, text, written_time(record.get("date"))) if text else None
    )


def _fields(*groups: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(group.split()) for group in groups)


SLACK = _Program(_fields("type", "user bot_id username", "text ts"), _slack, "ts")
PROGRAMS = (
    SLACK,
    _Program(_fields("id", "type", "date", "from actor from_id", "text"), _telegram),
    _Program(_fields("createdDateTime", "body"), _teams),
    _Program(_fields("originalarrivaltime", "content"), _skype),
    _Program(_fields("author", "timestamp", "content", "id"), _discord),
    _Program(_fields("envelope"), _signal),
    _Program(_fields("sent_at", "conversationId", "body"), _signal_stored),
    _Program(_fields("sender", "body", "date", "reactions attachments quote sticker"), _signal_exported),
)


def _record(record: Record, key: str) -> Record:
    value = record.get(key)
    return value if isinstance(value, dict) else {}


def _records(record: Record, key: str) -> Iterator[Record]:
    value = record.get(key)
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else iter(())


def _text(record: Record, key: str) -> str:
    """A text or number as text."""
    value = record.get(key)
    return value if isinstance(value, str) else str(value) if isinstance(value, int | float) else ""


def _first(record: Record, *keys: str) -> str:
    return next((words for key in keys if (words := one_line(_text(record, key)))), "")


def _strings(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _flat(value: object) -> str:
    """A text, or runs of it, some with a format."""
    if isinstance(value, list):
        runs = (item for item in value if isinstance(item, str | dict))
        return "".join(run if isinstance(run, str) else _text(run, "text") for run in runs)
    return value if isinstance(value, str) else ""
