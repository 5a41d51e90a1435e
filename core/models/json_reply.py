"""Reads a model's reply as a record: validated, and mended only where there is no doubt what was meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_Record = TypeVar("_Record")
_FENCE = re.compile(r"```[a-zA-Z]*\s*\n(.*?)\n?\s*```", re.DOTALL)
_CLOSING = re.compile(r"\s*[}\]]")
_BRACKETS = {"{": "}", "[": "]"}
_MOST_PROBLEMS = 5


@dataclass(frozen=True, slots=True)
class Read(Generic[_Record]):
    """A record with what was mended, or `problem` in words."""

    value: _Record | None
    repairs: tuple[str, ...] = ()
    problem: str = ""


def schema_of(record: type[Any]) -> dict[str, Any]:
    """Return JSON schema of a dataclass, as Ollama's `format` takes it."""
    return _adapter(record).json_schema()


def read_reply(text: str, record: type[_Record], complete: bool = True) -> Read[_Record]:
    """Return the reply as a record.

    `complete` is False where the model was cut off: then no value is taken for whole that may not be, and of
    a list the items that are whole are kept.
    """
    from pydantic import ValidationError

    problem = ""
    for candidate, repairs in _candidates(text.strip().lstrip("\ufeff"), complete):
        try:
            return Read(_adapter(record).validate_json(candidate), repairs)
        except ValidationError as error:
            if not any(part["type"] == "json_invalid" for part in error.errors(include_url=False)):
                return Read(None, repairs, _words(error))
            problem = problem or _words(error)
    return Read(None, (), problem or "it is empty")


def _adapter(record: type[_Record]) -> TypeAdapter[_Record]:
    # Inside: pydantic takes a tenth of a second, and the window does not need it.
    from pydantic import TypeAdapter

    return TypeAdapter(record)


def _words(error: Any) -> str:
    """Return a validation error in one line: where, and what is wrong."""
    parts = error.errors(include_url=False, include_input=False, include_context=False)
    problems = [
        f"{'.'.join(str(step) for step in part['loc'])}: {part['msg']}".removeprefix(": ")
        for part in parts[:_MOST_PROBLEMS]
    ]
    return "; ".join(problems)


def _candidates(text: str, complete: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the text as it is, then with one certain repair after the other."""
    if not text:
        return
    repairs: tuple[str, ...] = ()
    yield text, repairs
    fences = _FENCE.findall(text)
    if len(fences) == 1:
        text, repairs = fences[0].strip(), ("code fence",)
        yield text, repairs
    for mend, words in (
        (_without_surroundings, "words around the JSON"),
        (_without_trailing_commas, "trailing comma"),
        (_closed, "missing end") if complete else (_cut_to_last_item, "cut off, its whole items kept"),
    ):
        mended = mend(text)
        if mended != text:
            text, repairs = mended, (*repairs, words)
            yield text, repairs


def _without_surroundings(text: str) -> str:
    """Return the text from the first brace to the one that closes it, where nothing behind it looks like more JSON."""
    start = text.find("{")
    if start < 0:
        return text
    stack, end, _ = _scan(text[start:])
    if stack or end < 0:
        # Not closed: words before it can go all the same.
        return text[start:]
    rest = text[start + end :]
    return text if "{" in rest else text[start : start + end]


def _without_trailing_commas(text: str) -> str:
    """Remove commas before a closing bracket, outside strings."""
    trailing = {i for i, sign in _outside(text) if sign == "," and _CLOSING.match(text, i + 1)}
    return "".join(sign for i, sign in enumerate(text) if i not in trailing)


def _closed(text: str) -> str:
    """Return the text with the brackets that are missing at the end, where the last value is whole."""
    stack, end, inside = _scan(text)
    last = text.rstrip()[-1:]
    if not stack or inside or end >= 0 or last not in ("}", "]", '"'):
        # Of a number nobody knows whether it was at its end.
        return text
    return text.rstrip() + "".join(reversed(stack))


def _cut_to_last_item(text: str) -> str:
    """Return the text up to the last object of a list that is whole, with the brackets that are then missing."""
    stack: list[str] = []
    end, closing = 0, ""
    for i, sign in _outside(text):
        if sign in _BRACKETS:
            stack.append(_BRACKETS[sign])
        elif sign in "}]":
            if not stack or stack.pop() != sign or not stack:
                return text  # it is whole, or no JSON
            if sign == "}" and stack[-1] == "]":
                end, closing = i + 1, "".join(reversed(stack))
    return text[:end] + closing if end else text


def _scan(text: str) -> tuple[list[str], int, bool]:
    """Return brackets still to be closed, where the first value ends (-1: nowhere), whether a string is open."""
    stack: list[str] = []
    inside = False
    for i, sign in _outside(text):
        if sign == '"':
            inside = not inside
        elif sign in _BRACKETS:
            stack.append(_BRACKETS[sign])
        elif sign in "}]":
            if not stack or stack[-1] != sign:
                return stack, -1, inside
            stack.pop()
            if not stack:
                return stack, i + 1, inside
    return stack, -1, inside


def _outside(text: str) -> Iterator[tuple[int, str]]:
    """Yield the signs outside of strings with their places; of a string only the quotes at its ends."""
    inside = escaped = False
    for i, sign in enumerate(text):
        quote = sign == '"' and not escaped
        if quote or not inside:
            yield i, sign
        escaped = inside and sign == "\\" and not escaped
        inside = inside != quote
