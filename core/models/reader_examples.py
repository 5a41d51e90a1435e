"""Questions with their text and what answers them there: what the reader learns from and is measured on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from core.errors import BadInput
from core.files.safe_files import JSON_BYTES, WRONG_SHAPE, parse_json, read_file
from core.text.translation import tr


class Kind(StrEnum):
    """How a text answers a question. The order is that of the reader's outputs."""

    SPAN = "span"
    YES = "yes"
    NO = "no"
    SENTENCES = "sentences"  # whole ones, that stand together
    NONE = "none"
    SEVERAL = "several"  # spans that are the answer together


KINDS = tuple(Kind)
_FIELDS = "id, question, text, answers (each a text and its start) and kind"


@dataclass(frozen=True, slots=True)
class Example:
    """`spans` are (start, end) in `text`: each a right answer, together one where `kind` is SEVERAL.

    For YES and NO they are the words that decide, and may be none.
    """

    id: str
    question: str
    title: str
    text: str
    spans: tuple[tuple[int, int], ...]
    kind: Kind
    source: str

    @property
    def answers(self) -> tuple[str, ...]:
        return tuple(self.text[start:end] for start, end in self.spans)


def read_examples(path: Path) -> Iterator[Example]:
    """Read the examples of a file with one a line, or of one in the layout of SQuAD (Rajpurkar et al. 2016).

    Raises BadInput where the file cannot be read, or what it holds is no reading set.
    """
    data = read_file(path, JSON_BYTES)
    try:
        document = parse_json(data)
    except ValueError:
        document = None  # a file of JSON lines
    if isinstance(document, dict) and isinstance(document.get("data"), list):
        yield from _squad(path, document["data"])
        return
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            yield _example(path, number, line)


def _example(path: Path, number: int, line: bytes) -> Example:
    try:
        row: Any = parse_json(line)
        title, text = str(row.get("title") or ""), str(row["text"])
        spans = tuple((int(answer["start"]), answer["text"]) for answer in row["answers"])
        kind = Kind(row.get("kind", Kind.SPAN))
    except WRONG_SHAPE as fault:
        raise BadInput(
            tr(
                "Line {number} of {path} is no example: {fault}.", number=number, path=path, fault=repr(fault)
            ),
            tr("Each line holds {fields}.", fields=_FIELDS),
        ) from fault
    if row.get("together"):
        kind = Kind.SEVERAL
    return Example(
        str(row["id"]),
        str(row["question"]),
        title,
        text,
        _placed(path, text, spans),
        kind,
        _source(path, row),
    )


def _source(path: Path, row: dict[str, Any]) -> str:
    return str(row.get("source") or path.stem)


def _placed(path: Path, text: str, spans: tuple[tuple[int, Any], ...]) -> tuple[tuple[int, int], ...]:
    found = []
    for start, words in spans:
        if not isinstance(words, str) or start < 0 or text[start : start + len(words)] != words:
            raise BadInput(
                tr("{path}: “{words}” does not stand at {start}.", path=path, words=words, start=start),
                tr("Offsets count characters of the text."),
            )
        stripped = words.strip()
        start += words.index(stripped)
        if stripped:
            found.append((start, start + len(stripped)))
    return tuple(dict.fromkeys(found))


def _squad(path: Path, articles: list[Any]) -> Iterator[Example]:
    try:
        for article in articles:
            for paragraph in article["paragraphs"]:
                text = paragraph["context"]
                for asked in paragraph["qas"]:
                    spans = tuple((int(a["answer_start"]), a["text"]) for a in asked["answers"])
                    kind = Kind.NONE if asked.get("is_impossible") or not spans else Kind.SPAN
                    title = str(article.get("title") or "").replace("_", " ")
                    placed = _placed(path, text, spans)
                    yield Example(str(asked["id"]), asked["question"], title, text, placed, kind, path.stem)
    except (KeyError, TypeError) as fault:
        raise BadInput(
            tr("{path} is not in the layout of SQuAD: {fault}.", path=path, fault=repr(fault)),
            tr("Or give lines with {fields}.", fields=_FIELDS),
        ) from fault
