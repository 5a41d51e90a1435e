"""Pinned questions as JSON lines, for other workspaces of the same documents. Nothing in them is trusted."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from core.errors import BadInput
from core.files.safe_files import given_file, whole_file
from core.store.store import Store
from core.text.question_text import checked
from core.text.translation import tr
from core.types import JudgedPlace, Pin

_LARGEST = 1 << 24  # bytes
_MOST = 10_000  # questions
_LONGEST = 20_000  # characters of an answer or quote
_MOST_QUOTES = 100  # of a question
_EXAMPLE = '{"question": "...", "answer": "...", "quotes": ["..."]}'


@dataclass(frozen=True, slots=True)
class _Quote:
    """`document` "": wherever it stands."""

    quote: str
    document: str = ""


@dataclass(frozen=True, slots=True)
class _Line:
    question: str
    answer: str = ""
    quotes: list[str | _Quote] = field(default_factory=list)
    route: str = "auto"


def write_pins(store: Store, target: Path, replace: bool = False) -> int:
    """How many were written; those that rest on a private document are left out.

    Raises BadInput for a file that is there and not to be replaced, WorkspaceError where it cannot be written.
    """
    lines = [
        _Line(pin.question, pin.right_answer, quotes, pin.route)
        for pin in store.pins.all()
        if not store.private.is_any or _is_public(store, pin)
        # The words of a document that was taken out are not kept. Of a pin that rested on them alone nothing is left:
        # without them it would say that the documents do not tell.
        if (quotes := list[str | _Quote](_Quote(p.quote, p.document) for p in pin.places if p.quote))
        or pin.right_answer
        or not pin.places
    ]
    with whole_file(target, replace) as temp_path, open(temp_path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(asdict(line), ensure_ascii=False) + "\n" for line in lines)
    return len(lines)


def _is_public(store: Store, pin: Pin) -> bool:
    places = [store.pins.located(place)[1] for place in pin.places]
    return all(places) and store.private.are_public(set().union(store.pins.evidence_ids(pin.id), *places))


def read_pins(store: Store, source: Path, routes: frozenset[str]) -> tuple[int, int]:
    """Pin the questions of a file: (how many, how many of their quotes stand in no document). All of them or none.

    Raises BadInput, which names the line.
    """
    lines, lost = _parsed(source, routes), 0
    with store.database.transaction():
        for line in lines:
            places = []
            for quote in line.quotes:
                full_quote = quote if isinstance(quote, _Quote) else _Quote(quote)
                place, ids = store.pins.located(JudgedPlace(full_quote.document, "", 0, 0, full_quote.quote))
                lost += not ids
                places.append(place)
            store.pins.put(line.question, line.answer, places, line.route)
    return len(lines), lost


def _parsed(source: Path, routes: frozenset[str]) -> list[_Line]:
    from pydantic import TypeAdapter, ValidationError  # takes a tenth of a second

    adapter, found = TypeAdapter(_Line), []
    for number, text in enumerate(given_file(source, _LARGEST).splitlines(), 1):
        if not text.strip():
            continue
        try:
            line = adapter.validate_json(text, strict=True, extra="forbid")
        except ValidationError as error:
            raise BadInput(
                tr("Line {number} of {file} is no pinned question.", number=number, file=source),
                tr("Each line is an object such as {example}.", example=_EXAMPLE),
            ) from error
        if fault := _fault(line, routes):
            place = {"number": number, "file": source, "fault": fault}
            raise BadInput(tr("Line {number} of {file}: {fault}", **place), tr("Mend the line."))
        found.append(_Line(checked(line.question), line.answer.strip(), line.quotes, line.route))
    if not found:
        raise BadInput(
            tr("{file} holds no question.", file=source),
            tr("Each line is an object such as {example}.", example=_EXAMPLE),
        )
    if len(found) > _MOST:
        raise BadInput(
            tr("{file} holds more than {most} questions.", file=source, most=_MOST),
            tr("Divide it into several files."),
        )
    return found


def _fault(line: _Line, routes: frozenset[str]) -> str:
    """What is wrong with it, in words; "" for nothing."""
    quotes = [quote if isinstance(quote, str) else quote.quote for quote in line.quotes]
    if len(quotes) > _MOST_QUOTES or not all(quote.strip() for quote in quotes):
        return tr("A quote is empty, or there are more than {most}.", most=_MOST_QUOTES)
    if max(map(len, (line.answer, *quotes))) > _LONGEST:
        return tr("A text has more than {most} characters.", most=_LONGEST)
    return "" if line.route in routes else tr("There is no route {route}.", route=repr(line.route))
