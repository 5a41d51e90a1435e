"""The log as a file, to be joined with that of another workspace of the same documents. Nothing in it is trusted."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from core.errors import BadInput
from core.review.deciding import VERBS, apply
from core.store.review_log import LEAVE, REDO, UNDO, fact_of, names_of
from core.store.store import Store

_FORM = "clew review log 1"
_LARGEST = 1 << 28  # bytes
_SHORT, _LONG = 200, 20_000  # characters of a value, and of a text
_OUTCOMES = {"fact": set(VERBS), "names": {"same", "different", LEAVE}}


@dataclass(frozen=True, slots=True)
class _Item:
    subject: str
    outcome: str
    saw: list[str]
    detail: dict[str, str]

    def proper(self) -> bool:
        """Whether the subject is of a kind that is known, and the outcome one of it."""
        try:
            kind = "fact" if fact_of(self.subject) else "names" if names_of(self.subject) else ""
        except ValueError:
            return False
        texts = (self.subject, *self.detail, *self.detail.values())
        short = all(len(id) <= _SHORT and " " not in id for id in self.saw)
        return self.outcome in _OUTCOMES.get(kind, ()) and short and max(map(len, texts)) <= _LONG


@dataclass(frozen=True, slots=True)
class _Act:
    id: str
    made: str
    person: str
    verb: str
    why: str
    about: str
    items: list[_Item]

    def proper(self) -> bool:
        values = (self.id, self.made, self.person, self.verb, self.about)
        told = len(self.id) > 0 and max(map(len, values)) <= _SHORT and len(self.why) <= _LONG
        turns = self.verb in (UNDO, REDO)
        return told and turns == bool(self.about) and all(item.proper() for item in self.items)

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.id, self.made, self.person, self.verb, self.why, self.about)


@dataclass(frozen=True, slots=True)
class _Log:
    form: str
    acts: list[_Act]


def write_log(store: Store, target: Path) -> int:
    """How many acts were written. Raises BadInput where the file is there, or cannot be written."""
    acts = [_Act(**act, items=[_Item(**item) for item in items]) for act, items in store.review_log.export()]
    try:
        with open(target, "x", encoding="utf-8") as file:
            json.dump(asdict(_Log(_FORM, acts)), file, ensure_ascii=False, indent=1)
    except OSError as error:
        raise BadInput(
            f"The log cannot be written to {target} ({error.strerror}).", "Choose another file."
        ) from error
    return len(acts)


def read_log(store: Store, source: Path) -> tuple[int, int]:
    """(subjects on which something new was said, those of them that are disputed now). Raises BadInput."""
    acts = _parsed(source)
    with store.database.transaction():
        subjects = store.review_log.join(
            (
                act.columns,
                [
                    (i.subject, i.outcome, " ".join(i.saw), json.dumps(i.detail, ensure_ascii=False))
                    for i in act.items
                ],
            )
            for act in acts
        )
        apply(store, subjects)
    return len(subjects), sum(store.review_log.outcome(subject) is None for subject in subjects)


def _parsed(source: Path) -> list[_Act]:
    from pydantic import TypeAdapter, ValidationError  # takes a tenth of a second

    try:
        if source.stat().st_size > _LARGEST:
            raise BadInput(f"{source} is too large for a log.", "Choose a file that Clew wrote.")
        log = TypeAdapter(_Log).validate_json(source.read_bytes(), strict=True)
    except OSError as error:
        raise BadInput(f"{source} cannot be read ({error.strerror}).", "Choose another file.") from error
    except ValidationError as error:
        raise BadInput(f"{source} is no log of decisions.", "Choose a file that Clew wrote.") from error
    if log.form != _FORM or not all(act.proper() for act in log.acts):
        raise BadInput(f"{source} holds decisions that this Clew does not know.", "Update Clew.")
    return log.acts
