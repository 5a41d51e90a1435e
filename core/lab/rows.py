"""A lab run as a file of JSON lines: a header that identifies the run, then a row for each composition and
question.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.errors import BadInput
from core.files.safe_files import JSON_BYTES, WRONG_SHAPE, parse_json, read_file
from core.text.translation import mark, tr

FORMAT = "clew-lab-1"
_GIVE = mark("Give a file of clew lab run.")


@dataclass(frozen=True, slots=True)
class LabRow:
    """The result of one question with one composition.

    `seconds` are by module and of "all", also for cached results. `measures`, where they apply: those of
    `metrics.measures` for gold documents and gold quotes ("quote recall@5"); `reach` (whether an entity of the
    answer lies on a path); `precision` (share of the paths on which one lies); `exact`, `f1` and `right` of the
    reader's answer. `tokens` were read by the reader. `scored_tokens` were read and written by language models and
    the reader for scoring, also for cached results: as the model's server counts them, else estimated. `peak`:
    resident bytes of the process above those before, the largest of the modules; None if questions ran in parallel,
    or the system does not report it.
    """

    composition: str
    question: str  # its id
    text: str  # its words
    kind: str
    seconds: dict[str, float]
    shared: int  # modules whose results were cached
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
    hops: int = 0  # documents or quotes that the answer needs, 0 if unknown
    fault: str = ""  # why there is no ranking: a model failed, or a cap was reached
    note: str = ""  # a remark on the composition, the same in all its rows
    ended: str = ""  # the stage at which the evidence sufficed, "" for compositions without stages


def read_run(path: Path) -> list[LabRow]:
    """Read the rows of a run, the last one of each composition and question. Raises BadInput."""
    return list({(row.composition, row.question): row for _, row in _read(path)[1]}.values())


def begun(out: Path, stamp: dict[str, object]) -> list[tuple[str, LabRow]]:
    """Return the rows of this run in the file, which is created if there is none. Raises BadInput."""
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
    # Truncate a line that was cut off by a stop, so that the next row starts a new one.
    content = out.read_bytes()
    if not content.endswith(b"\n"):
        with out.open("r+b") as file:
            os.ftruncate(file.fileno(), content.rfind(b"\n") + 1)
    return rows


def read_row(line: str | bytes) -> tuple[str, LabRow]:
    """Parse a line into the digest of its composition and the row. Raises WRONG_SHAPE for anything else."""
    record = parse_json(line)
    if not isinstance(record, dict):
        raise TypeError(tr("a row is no object"))
    digest = str(record.pop("digest"))
    return digest, LabRow(**{**record, "passages": tuple(record["passages"])})


def as_line(digest: str, row: LabRow) -> str:
    """Return the row as a line; `digest` identifies the composition as it was when the row was made."""
    return json.dumps({"digest": digest, **asdict(row)}, ensure_ascii=True) + "\n"


def _read(path: Path) -> tuple[dict[str, Any], list[tuple[str, LabRow]]]:
    lines = read_file(path, JSON_BYTES).split(b"\n")
    try:
        head = parse_json(lines[0])
        if not isinstance(head, dict) or head.get("format") != FORMAT:
            raise ValueError(tr("its first line is of something else"))
        return head, [read_row(line) for line in lines[1:-1]]
    except WRONG_SHAPE as error:
        words = tr("{file} is no run of the lab: {why}.", file=path, why=error)
        raise BadInput(words, tr(_GIVE)) from error
