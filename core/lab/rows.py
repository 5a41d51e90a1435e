"""A run of the lab as a file of JSON lines: what it was made of, then a row for each composition and question."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.errors import BadInput
from core.files.safe_files import JSON_BYTES, WRONG_SHAPE, given_file, parse_json
from core.text.translation import mark, tr

FORMAT = "clew-lab-1"
_GIVE = mark("Give a file of clew lab run.")


@dataclass(frozen=True, slots=True)
class LabRow:
    """One question by one composition.

    `seconds` of each module and of "all", also where a result was at hand; `measures` those of `metrics.measures`, of
    gold documents and of gold quotes ("quote recall@5"), and `reach` (whether an entity of the answer lies on a path),
    `precision` (share of the paths on which one lies), `exact`, `f1` and `right` of the reader's answer; those that
    apply. `tokens` were read by the reader. `scored_tokens` language models and the reader read and wrote before, to
    score, also where the result was at hand: as the model's server counts, else estimated. `peak`: resident bytes of
    the process above what it held before, of the modules at the most; None where questions ran at once, or the system
    does not tell.
    """

    composition: str
    question: str  # its id
    text: str  # its words
    kind: str
    seconds: dict[str, float]
    shared: int  # modules whose results were at hand
    entities: int
    facts: int
    paths: int
    passages: tuple[str, ...]
    answer: str
    probability: float
    tokens: int
    measures: dict[str, float]
    scored_tokens: int = 0
    peak: int | None = None
    hops: int = 0  # documents or quotes that tell the answer together, 0 where that is not known
    fault: str = ""  # why there is no ranking, of which a model failed or its caps were reached
    note: str = ""  # what is to be told of the composition, the same in all its rows
    ended: str = ""  # the stage at which the evidence was enough, "" where a composition knows no stages


def read_run(path: Path) -> list[LabRow]:
    """The rows of a run, of each composition and question the last. Raises BadInput."""
    return list({(row.composition, row.question): row for _, row in _read(path)[1]}.values())


def begun(out: Path, stamp: dict[str, object]) -> list[tuple[str, LabRow]]:
    """What the file holds of this run; a new one is begun where there is none. Raises BadInput."""
    if not out.exists():
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(stamp) + "\n", encoding="utf-8")
        return []
    head, rows = _read(out)
    if head != stamp:
        raise BadInput(
            tr("{file} is a run of other questions, or of the workspace as it was.", file=out),
            tr("Begin another run, or remove the file."),
        )
    # A line that a stop tore is taken off, so that the next begins one.
    content = out.read_bytes()
    if not content.endswith(b"\n"):
        with out.open("r+b") as file:
            os.ftruncate(file.fileno(), content.rfind(b"\n") + 1)
    return rows


def read_row(line: str | bytes) -> tuple[str, LabRow]:
    """A line with the digest of its composition. Raises WRONG_SHAPE for what is none."""
    record = parse_json(line)
    if not isinstance(record, dict):
        raise TypeError(tr("a row is no object"))
    digest = str(record.pop("digest"))
    return digest, LabRow(**{**record, "passages": tuple(record["passages"])})


def as_line(digest: str, row: LabRow) -> str:
    """`digest` tells what the composition was when the row was made."""
    return json.dumps({"digest": digest, **asdict(row)}, ensure_ascii=True) + "\n"


def _read(path: Path) -> tuple[dict[str, Any], list[tuple[str, LabRow]]]:
    lines = given_file(path, JSON_BYTES).split(b"\n")
    try:
        head = parse_json(lines[0])
        if not isinstance(head, dict) or head.get("format") != FORMAT:
            raise ValueError(tr("its first line is of something else"))
        return head, [read_row(line) for line in lines[1:-1]]
    except WRONG_SHAPE as error:
        words = tr("{file} is no run of the lab: {why}.", file=path, why=error)
        raise BadInput(words, tr(_GIVE)) from error
