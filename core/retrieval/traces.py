"""Traces as JSON, and what two of them differ in. A file may come from anybody: nothing in it is trusted.

Form 2 is the trace's own fields, with `format`, `version`, `made` and `answer` next to them. Form 1, which had no
number, is the fields alone, with stages that say no more than a sentence.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, get_args

from core.errors import BadInput
from core.files.safe_files import new_file, parse_json, read_file
from core.text.jsonable import fields_of, to_jsonable
from core.text.translation import tr
from core.types import (
    PassageChange,
    SavedTrace,
    SeedChange,
    Stage,
    StageChange,
    StageData,
    Trace,
    TraceComparison,
    WeightChange,
)
from core.types.stages import Joined, Ranked, SecondStageOrder

FORMAT, VERSION = "clew-trace", 2
_LARGEST = 16_000_000  # bytes
_DEEPEST = 20  # brackets inside each other
_MOST = 20_000  # parts of one list or object
_LONGEST = 20_000  # characters of a text
_STAGES, _ROUNDS, _JUDGED = 500, 50, 200  # stages and rounds; claims and checks of a round
_KINDS = {part.__dataclass_fields__["kind"].default for part in get_args(StageData)}
_OUTCOME = ("confidence", "abstained", "guess")


def compare(before: SavedTrace, after: SavedTrace) -> TraceComparison:
    """Stages stand beside each other by name and order, all else by what it is."""
    one, other = before.trace, after.trace
    return TraceComparison(
        before, after, _stages(one.stages, other.stages), _seeds(one, other), _passages(one, other),
        _weights(one, other),
    )  # fmt: skip


def _stages(before: Sequence[Stage], after: Sequence[Stage]) -> tuple[StageChange, ...]:
    names = [stage.name for stage in before], [stage.name for stage in after]
    found: list[StageChange] = []
    for _, a, b, c, d in SequenceMatcher(None, *names, autojunk=False).get_opcodes():
        same = names[0][a:b] == names[1][c:d]
        if same:
            pairs = zip(before[a:b], after[c:d], strict=True)
            found += (StageChange(old.name, old, new, old.detail != new.detail) for old, new in pairs)
        else:
            found += (StageChange(stage.name, stage, None, True) for stage in before[a:b])
            found += (StageChange(stage.name, None, stage, True) for stage in after[c:d])
    return tuple(found)


def _seeds(before: Trace, after: Trace) -> tuple[SeedChange, ...]:
    old, new = ({seed.entity_id: seed for seed in trace.seeds} for trace in (before, after))
    changes = [
        SeedChange(
            id,
            seed.name,
            old[id].weight if id in old else None,
            new[id].weight if id in new else None,
        )
        for id, seed in (old | new).items()
    ]
    return tuple(sorted(changes, key=lambda change: -max(change.before or 0.0, change.after or 0.0)))


def _passages(before: Trace, after: Trace) -> tuple[PassageChange, ...]:
    old, new = _ranks(before, after), _ranks(after, before)
    labels = before.passages | after.passages
    order = sorted(new, key=new.__getitem__) + sorted(old.keys() - new.keys(), key=old.__getitem__)
    return tuple(PassageChange(id, labels.get(id), old.get(id), new.get(id)) for id in order)


def _ranks(trace: Trace, other: Trace) -> Mapping[str, int]:
    """Ranks of the last list that both traces kept whole, else of the passages that are shown."""
    last, others = _last_list(trace), _last_list(other)
    return last if last and others else {hit.passage_id: hit.rank for hit in trace.hits}


def _last_list(trace: Trace) -> dict[str, int]:
    """By passage, of the stage that put them in order last."""
    for stage in reversed(trace.stages):
        if isinstance(stage.data, Joined):
            return {passage.passage_id: passage.rank for passage in stage.data.passages}
        if isinstance(stage.data, SecondStageOrder):
            return {passage.passage_id: passage.after for passage in stage.data.passages}
        if isinstance(stage.data, Ranked):
            return {hit.passage_id: hit.rank for hit in stage.data.hits}
    return {}


def _weights(before: Trace, after: Trace) -> tuple[WeightChange, ...]:
    old, new = (trace.route.complexity.weights for trace in (before, after))
    return tuple(WeightChange(name, old.get(name), new.get(name)) for name in dict.fromkeys((*old, *new)))


def to_json(saved: SavedTrace) -> str:
    """In this version's form, with the names of the records' fields."""
    fields = to_jsonable(saved.trace)
    assert isinstance(fields, dict)
    answer = {"text": saved.answer, **fields_of(saved, *_OUTCOME)}
    head = {"format": FORMAT, "version": VERSION, "made": saved.created, "answer": answer}
    return json.dumps(head | fields, ensure_ascii=False, indent=1)


def write_trace(saved: SavedTrace, target: Path, replace: bool = False) -> None:
    """Raises BadInput for a file that is there and not to be replaced, WorkspaceError where it cannot be written."""
    with new_file(target, replace) as temp_path:
        temp_path.write_text(to_json(saved) + "\n", encoding="utf-8")


def read_trace(source: Path) -> SavedTrace:
    """Raises BadInput for what is no trace."""
    try:
        text = read_file(source, _LARGEST).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _no_trace(tr("it is no text in UTF-8")) from error
    return from_json(text)


def from_json(text: str) -> SavedTrace:
    """A trace of this or an older form; of a newer one what is known, with what is not in `ignored`.

    Raises BadInput, which says what is wrong.
    """
    from pydantic import TypeAdapter, ValidationError  # takes a tenth of a second

    fields = _parsed(text)
    version = _version(fields)
    unknown = list(_unknown_kinds(fields))
    answer = fields.pop("answer", {})
    head = {"created": fields.pop("made", ""), **(answer if isinstance(answer, dict) else {})}
    head["answer"] = head.pop("text", "")
    try:
        trace: Trace = TypeAdapter(Trace).validate_python(fields)
        saved = TypeAdapter(SavedTrace).validate_python({"trace": trace, **head, "version": version})
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(
            "made" if part == "created" else str(part) for part in first["loc"] if part != "trace"
        )
        raise _no_trace(tr("{place}: {why}", place=place, why=first["msg"])) from error
    if (
        len(trace.stages) > _STAGES
        or len(trace.rounds) > _ROUNDS
        or any(len(attempt.claims) + len(attempt.validations) > _JUDGED for attempt in trace.rounds)
    ):
        raise _no_trace(tr("it has more than any answer has"))
    known = {**_object(to_jsonable(trace)), **dict.fromkeys(head)}
    beyond = [*unknown, *_beyond({**fields, **head}, known)]
    return replace(saved, version=version, ignored=tuple(dict.fromkeys(beyond)))


def _parsed(text: str) -> dict[str, Any]:
    try:
        fields = parse_json(text, _DEEPEST)
        _check(fields)
    except ValueError as error:
        raise _no_trace(str(error)) from error
    if not isinstance(fields, dict) or "question" not in fields or "stages" not in fields:
        raise _no_trace(tr("it holds no question with stages"))
    return fields


def _version(fields: dict[str, Any]) -> int:
    form, version = fields.pop("format", FORMAT), fields.pop("version", 1)
    if form != FORMAT or not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise _no_trace(tr("its form is unknown"))
    return version


def _check(value: object) -> None:
    """Raises ValueError for what is larger than any trace is."""
    if isinstance(value, str) and len(value) > _LONGEST:
        raise ValueError(tr("a text in it has more than {most} characters", most=_LONGEST))
    if isinstance(value, dict | list):
        if len(value) > _MOST:
            raise ValueError(tr("a list in it has more than {most} parts", most=_MOST))
        for part in value.values() if isinstance(value, dict) else value:
            _check(part)
        if isinstance(value, dict):
            _check([name for name in value if len(name) > _LONGEST])


def _unknown_kinds(fields: dict[str, Any]) -> Iterator[str]:
    """Takes out what a newer version knows of stages and this one does not."""
    stages = fields["stages"]
    for stage in stages if isinstance(stages, list) else ():
        data = stage.get("data") if isinstance(stage, dict) else None
        if isinstance(data, dict) and data.get("kind") not in _KINDS:
            stage["data"] = None
            yield tr("stages.data of the kind {kind}", kind=str(data.get("kind"))[:80])


def _beyond(raw: object, known: object, place: str = "") -> Iterator[str]:
    """Places of fields that are in `raw` and not in `known`."""
    if isinstance(raw, dict) and isinstance(known, dict):
        for name, value in raw.items():
            inner = f"{place}.{name}" if place else name
            if name in known:
                yield from _beyond(value, known[name], inner)
            else:
                yield inner[:200]
    elif isinstance(raw, list) and isinstance(known, list):
        for one, other in zip(raw, known, strict=False):
            yield from _beyond(one, other, place)


def _object(value: object) -> dict[str, object]:
    assert isinstance(value, dict)
    return value


def _no_trace(why: str) -> BadInput:
    return BadInput(
        tr("This is no trace that can be opened: {why}.", why=why),
        tr("Choose a file that Clew saved as a trace, or copied as JSON."),
    )
