"""Reads events of calendars (iCalendar, RFC 5545): what, when, where, who. Invitations in mail and ICS files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from core.ingest.cleaning import clean, one_line
from core.ingest.reading import Reading
from core.text.dates import ENGLISH_MONTHS

_FOLD = re.compile(r"\n[ \t]")
_LINE = re.compile(
    r'(?P<name>[\w-]{1,60})(?P<parameters>(?:;[\w-]{1,60}=(?:"[^"\n]*"|[^";:\n]++)*+)*+):(?P<value>.*)'
)
_PARAMETER = re.compile(r';([\w-]{1,60})=(?:"([^"\n]*)"|([^";:\n]*))')
_ESCAPE = re.compile(r"\\(.)")
_TIME = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})\d{0,2}(Z?))?")
_ENTRIES = frozenset({"VEVENT", "VTODO", "VJOURNAL"})
_METHODS = {"CANCEL": "cancelled", "REPLY": "reply", "COUNTER": "counter-proposal"}
_STATES = {"ACCEPTED": "accepted", "DECLINED": "declined", "TENTATIVE": "tentative", "DELEGATED": "delegated"}


@dataclass(frozen=True, slots=True)
class _Property:
    name: str
    parameters: dict[str, str]
    value: str

    @property
    def text(self) -> str:
        return _ESCAPE.sub(lambda found: "\n" if found[1] in "nN" else found[1], self.value)


def is_calendar(text: str) -> bool:
    return text.lstrip("\ufeff \t\r\n")[:15].upper() == "BEGIN:VCALENDAR"


def read_calendar(text: str) -> Reading:
    """A paragraph an entry, a line for each thing that it says; empty where there is no entry."""
    lines = [_property(line) for line in _FOLD.sub("", re.sub(r"\r\n?", "\n", text)).split("\n")]
    method = next(
        (_METHODS.get(line.value.strip().upper(), "") for line in lines if line.name == "METHOD"), ""
    )
    entries = [entry for found in _entries(lines) if (entry := "\n".join(_described(found, method)))]
    title = next(
        (one_line(line.text) for found in _entries(lines) for line in found if line.name == "SUMMARY"), ""
    )
    return Reading(clean("\n\n".join(entries)), title=title)


def _property(line: str) -> _Property:
    found = _LINE.fullmatch(line)
    if found is None:
        return _Property("", {}, "")
    parameters = {
        name.upper(): quoted or bare for name, quoted, bare in _PARAMETER.findall(found["parameters"])
    }
    return _Property(found["name"].upper(), parameters, found["value"])


def _entries(lines: list[_Property]) -> Iterator[list[_Property]]:
    """The properties of each entry, without those of alarms within it."""
    entry: list[_Property] | None = None
    inner = ""
    for line in lines:
        kind = line.value.strip().upper()
        if line.name == "BEGIN":
            if kind in _ENTRIES:
                entry, inner = [], ""
            else:
                inner = inner or kind
        elif line.name == "END":
            if kind in _ENTRIES and entry is not None:
                yield entry
                entry = None
            elif kind == inner:
                inner = ""
        elif entry is not None and not inner:
            entry.append(line)


def _described(entry: list[_Property], method: str) -> Iterator[str]:
    first = {line.name: line for line in reversed(entry)}

    def line_of(label: str, name: str) -> Iterator[str]:
        if name in first and (text := one_line(first[name].text)):
            yield f"{label}: {text}"

    yield from line_of("Event", "SUMMARY")
    if when := _when(first):
        yield f"When: {when}"
    if "DUE" in first:
        yield f"Due: {_moment(first['DUE'])}"
    if "RRULE" in first:
        yield f"Repeats: {_recurrence(first['RRULE'])}"
    yield from line_of("Where", "LOCATION")
    for label, name in (("Organiser", "ORGANIZER"), ("Attendees", "ATTENDEE")):
        if people := [_person(line) for line in entry if line.name == name]:
            yield f"{label}: {', '.join(people)}"
    state = "cancelled" if first.get("STATUS", _Property("", {}, "")).value.upper() == "CANCELLED" else method
    if state:
        yield f"Status: {state}"
    if "DESCRIPTION" in first and (text := clean(first["DESCRIPTION"].text)):
        yield f"\n{text}"


def _when(first: dict[str, _Property]) -> str:
    """From the first moment to the last; the day after the last one ends what takes whole days."""
    if "DTSTART" not in first:
        return ""
    begin, end = first["DTSTART"], first.get("DTEND")
    text = _moment(begin)
    if end is None or end.value == begin.value:
        return text
    days, last = _day(begin.value), _day(end.value)
    if days and last and "T" not in end.value:
        last -= timedelta(1)
        return text if last <= days else f"{text} to {_written(last)}"
    until = _moment(end)
    if days and days == last:
        until = until.partition(", ")[2]
    return f"{text.removesuffix(_zone(begin)) if _zone(begin) == _zone(end) else text} to {until}"


def _moment(line: _Property) -> str:
    """ "20250314T100000Z" -> "14 March 2025, 10:00 UTC"; as it stands where it is no moment."""
    found, day = _TIME.match(line.value.strip()), _day(line.value)
    if found is None or day is None:
        return one_line(line.text)
    clock = f", {found[4]}:{found[5]}" if found[4] else ""
    return f"{_written(day)}{clock}{_zone(line)}"


def _zone(line: _Property) -> str:
    if line.value.strip().upper().endswith("Z"):
        return " UTC"
    zone = one_line(line.parameters.get("TZID", "")).lstrip("/")
    return f" ({zone})" if zone else ""


def _day(value: str) -> date | None:
    if (found := _TIME.match(value.strip())) is None:
        return None
    try:
        return date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        return None


def _written(day: date) -> str:
    return f"{day.day} {ENGLISH_MONTHS[day.month - 1]} {day.year}"


def _recurrence(line: _Property) -> str:
    """ "FREQ=WEEKLY;UNTIL=20250630" -> "weekly, until 30 June 2025"."""
    rules = dict(rule.partition("=")[::2] for rule in line.value.upper().split(";"))
    parts = [rules.pop("FREQ", "").lower()]
    if until := _day(rules.pop("UNTIL", "")):
        parts.append(f"until {_written(until)}")
    parts += [f"{name.lower()} {value}" for name, value in rules.items() if name and value]
    return ", ".join(filter(None, parts))


def _person(line: _Property) -> str:
    """ "Name <address> (accepted)"."""
    name = one_line(line.parameters.get("CN", ""))
    address = re.sub(r"^mailto:", "", one_line(line.value), flags=re.IGNORECASE)
    named = name and name.casefold() != address.casefold()
    name = f'"{name}"' if "," in name else name
    person = f"{name} <{address}>" if named and address else name or address
    state = _STATES.get(line.parameters.get("PARTSTAT", "").upper(), "")
    return f"{person} ({state})" if state else person
