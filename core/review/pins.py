"""Pinned questions: what a run makes of them, how two runs differ, and files of them, in which nothing is trusted."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from core.errors import BadInput
from core.files.safe_files import new_file, read_file
from core.store.store import Store
from core.text.answer_score import contains, f1
from core.text.escape_controls import checked
from core.text.translation import tr
from core.types import (
    AffectedPin,
    Answer,
    JudgedPlace,
    Pin,
    PinChange,
    PinComparison,
    PinPassage,
    PinResult,
    PinRun,
)
from core.types.pins import RECALL_AT

PinAnswer = tuple[PinResult, tuple[str, ...]]  # and the passages that it rests on
ASKED = 10  # passages: deeper ranks are not told
SAME = 0.5  # least F1 of two texts that are one answer, as for gold answers


def result_of(store: Store, pin: Pin, answer: Answer) -> PinResult:
    """Ranks are those among the passages of the answer's trace."""
    ranks = {hit.passage_id: hit.rank for hit in answer.trace.hits}
    places = [store.pins.located(place)[1] for place in pin.places]
    route = answer.trace.route
    return PinResult(
        pin.id,
        pin.question,
        route.name,
        route.complexity.score,
        tuple(min((ranks[id] for id in ids if id in ranks), default=None) for ids in places),
        answer.text,
        "refusal" if answer.abstained else "guess" if answer.guess else "answer",
        answer.confidence,
        _correct(pin, answer),
        _rests_on(answer),
    )


def passages_of(store: Store, pin: Pin) -> list[PinPassage]:
    """Expected places in their order, then the other passages that the last answer rests on."""
    rests_on, listed, found = store.pins.evidence(pin.id), set[str](), list[PinPassage]()
    for place in pin.places:
        now, ids = store.pins.located(place)
        listed |= ids
        first = min((store.passages.get(id) for id in ids), key=lambda stored: stored.key, default=None)
        where = (first.passage.id, first.passage.title, first.passage.page) if first else ("", "", None)
        found.append(PinPassage(now, *where, True, not ids.isdisjoint(rests_on) if rests_on else None))
    for id in rests_on:
        if id not in listed:
            passage = store.passages.get(id).passage
            found.append(PinPassage(place_of(store, id), id, passage.title, passage.page, False, True))
    return found


def place_of(store: Store, passage_id: str, start: int = 0, end: int = 0) -> JudgedPlace:
    """Characters of a document's text in one of its passages, the whole passage without them, to be expected.

    Raises BadInput where the passage is gone.
    """
    passage = store.passages.get(passage_id).passage
    if end <= start:
        start, end = passage.start, passage.end
    document = store.documents.get(passage.document_id)
    quote = store.documents.text(document.id)[start:end]
    return JudgedPlace(document.path, document.sha256, start, end, quote)


def evidence_of(answer: Answer) -> tuple[str, ...]:
    """Ids of the passages that an answer rests on: the first five in order, then others that it cites."""
    first = (hit.passage_id for hit in answer.trace.hits if hit.rank <= RECALL_AT)
    return tuple(dict.fromkeys((*first, *(cited.passage_id for cited in answer.citations))))


def _correct(pin: Pin, answer: Answer) -> float | None:
    """A guess counts half: where it is right, and where the documents do not tell."""
    if not pin.right_answer:
        if pin.places:
            return None
        return 1.0 if answer.abstained else 0.5 if answer.guess else 0.0
    text = "" if answer.abstained else answer.text
    right = f1(text, pin.right_answer) >= SAME or contains(text, pin.right_answer) > 0
    return (0.5 if answer.guess else 1.0) if right else 0.0


def _rests_on(answer: Answer) -> str:
    found = set(answer.rests_on) - {""}
    return "both" if len(found) > 1 else "".join(found)


def compare(before: PinRun | None, now: PinRun) -> PinComparison:
    """Question by question of the later run."""
    known = {result.pin_id: result for result in before.results} if before else {}
    changes = tuple(_change(known.get(result.pin_id), result) for result in now.results)
    return PinComparison(before, now, changes, differing(before.settings, now.settings) if before else ())


def _change(before: PinResult | None, now: PinResult) -> PinChange:
    if before is None:
        return PinChange(None, now)
    signs = {
        "answer": _sign(before.correct, now.correct),
        "recall": _sign(before.recall, now.recall),
        "rank": _sign(_nearness(before), _nearness(now)),
    }
    gains, losses = (tuple(name for name, sign in signs.items() if sign == wanted) for wanted in (1, -1))
    return PinChange(before, now, gains, losses)


def affected(before: Mapping[str, PinAnswer], now: Mapping[str, PinAnswer]) -> tuple[AffectedPin, ...]:
    """Of pins asked before and after a change, those with another answer, route or passages."""
    found = []
    for id, (is_now, passages_now) in now.items():
        was, passages = before[id]
        differs = {
            "answer": (was.answer, was.kind, was.rests_on) != (is_now.answer, is_now.kind, is_now.rests_on),
            "route": was.route != is_now.route,
            "passages": (was.ranks, passages) != (is_now.ranks, passages_now),
        }
        if parts := tuple(part for part, other in differs.items() if other):
            found.append(AffectedPin(_change(was, is_now), parts, passages, passages_now))
    return tuple(found)


def _sign(before: float | None, now: float | None) -> int:
    """1 for more, -1 for less; 0 where one of both is not known."""
    return 0 if before is None or now is None else (now > before) - (now < before)


def _nearness(result: PinResult) -> float | None:
    """Of the best expected place, 0 where none was found; None where none is expected."""
    if not result.ranks:
        return None
    return 1 / result.best_rank if result.best_rank else 0.0


def differing(before: Sequence[str], now: Sequence[str]) -> tuple[tuple[str, str, str], ...]:
    """(name, value before, value now) of settings, NAME=VALUE each, that are not the same."""
    one, other = _by_name(before), _by_name(now)
    return tuple(
        (name, one.get(name, ""), other.get(name, ""))
        for name in sorted(one.keys() | other.keys())
        if one.get(name) != other.get(name)
    )


def _by_name(settings: Sequence[str]) -> dict[str, str]:
    return {name: value for name, _, value in (line.partition("=") for line in settings)}


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
    """Write the pins but those that rest on a private document; return how many.

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
    with new_file(target, replace) as temp_path, open(temp_path, "w", encoding="utf-8") as file:
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
    for number, text in enumerate(read_file(source, _LARGEST).splitlines(), 1):
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
