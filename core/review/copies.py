"""The log as a file, to be joined with that of another workspace of the same documents. Nothing in it is trusted."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from core.errors import BadInput
from core.files.safe_files import new_file, read_file
from core.review.deciding import VERBS, apply
from core.review.naming import proper
from core.store.review_log import LEAVE, NOTED, PROPOSED, REDO, UNDO, kind_of
from core.store.statements import statement_of
from core.store.store import Store
from core.text.translation import tr
from core.types.review import ANSWER

_FORM = "clew review log 1"
_LARGEST = 1 << 28  # bytes
# Characters of a value, of an id (those of decisions that are older than the log are made of both names), of a text.
_SHORT, _ID, _LONG = 200, 4_000, 20_000
_AHEAD = timedelta(days=1)  # that another machine's clock may be
_OUTCOMES = {"fact": {*VERBS, PROPOSED}, "names": {"same", "different", LEAVE}, "note": {NOTED}}


@dataclass(frozen=True, slots=True)
class _Item:
    subject: str
    outcome: str
    saw: list[str]
    detail: dict[str, str | int]

    def proper(self) -> bool:
        """Whether the subject is of a kind that is known, and the outcome one of it."""
        try:
            statement_of(self.detail)
            known = proper(self.subject, self.outcome) or self.outcome in _OUTCOMES.get(
                kind_of(self.subject), ()
            )
        except ValueError:
            return False
        texts = (self.subject, *self.detail, *(str(value) for value in self.detail.values()))
        short = all(map(_is_id, self.saw))
        # Nothing counts for being proposed.
        known = known and (self.outcome != PROPOSED or self.detail.get("proposer") == ANSWER)
        return known and short and max(map(len, texts)) <= _LONG


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
        values = (self.made, self.person, self.verb)
        is_valid = _is_id(self.id) and max(map(len, values)) <= _SHORT and len(self.why) <= _LONG
        turns = self.verb in (UNDO, REDO)
        about = _is_id(self.about) and not self.items if turns else not self.about
        return is_valid and about and _is_time(self.made) and all(item.proper() for item in self.items)

    @property
    def columns(self) -> tuple[str, ...]:
        """The time as this Clew writes it: such texts are in the order of their times."""
        timestamp = datetime.fromisoformat(self.made).astimezone(UTC).isoformat(timespec="microseconds")
        return (self.id, timestamp, self.person, self.verb, self.why, self.about)


def _is_id(text: str) -> bool:
    return len(text) <= _ID and text.split() == [text]


def _is_time(text: str) -> bool:
    """With its zone, and not to come: nothing could be undone that is undone in the future."""
    try:
        # Times without a zone, which would pass here as local ones, have no offset.
        moment = datetime.fromisoformat(text)
        return moment.utcoffset() is not None and moment.astimezone(UTC) <= datetime.now(UTC) + _AHEAD
    except (ValueError, TypeError, OverflowError):
        return False


@dataclass(frozen=True, slots=True)
class _Log:
    form: str
    acts: list[_Act]


def write_log(store: Store, target: Path) -> int:
    """How many acts were written. Raises BadInput where the file is there, WorkspaceError for one that cannot be."""
    acts = [_Act(**act, items=[_Item(**item) for item in items]) for act, items in store.review_log.export()]
    with new_file(target) as temp_path, open(temp_path, "w", encoding="utf-8") as file:
        json.dump(asdict(_Log(_FORM, acts)), file, ensure_ascii=False, indent=1)
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
        log = TypeAdapter(_Log).validate_json(read_file(source, _LARGEST), strict=True)
    except ValidationError as error:
        raise BadInput(
            tr("{file} is no log of decisions.", file=source), tr("Choose a file that Clew wrote.")
        ) from error
    if log.form != _FORM or not all(act.proper() for act in log.acts):
        raise BadInput(
            tr("{file} holds decisions that this Clew does not know.", file=source), tr("Update Clew.")
        )
    return log.acts
