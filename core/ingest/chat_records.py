"""Chats that are kept as records, in JSON or as a table: written out as lines that name time and speaker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.ingest.chat_exports import parsed_json, written_time
from core.ingest.cleaning import one_line
from core.ingest.conversation import turns
from core.ingest.moments import Calendar
from core.ingest.tables import csv_rows

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
