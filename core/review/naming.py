"""Decides on what entities are called and are, and on who is meant: acts of the log, as decisions on facts are."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

from core.errors import BadInput
from core.extraction.names import normalise
from core.graph.synonymy import UNLINKED
from core.store.review_log import (
    LABEL,
    NAME,
    ReviewItem,
    mention_of,
    mention_subject,
    names_subject,
    override_of,
)
from core.store.store import Store
from core.text.escape_controls import escape_controls
from core.text.translation import tr
from core.types import NAME_CHANGES, NameChange
from core.types.kinds import LABELS, SENSE, with_sense

_LONGEST = 200  # characters of a name


def items_of(store: Store, change: NameChange) -> list[ReviewItem]:
    """What is decided on by a change, one item a subject. Raises BadInput for what cannot be done."""
    several = change.kind in ("merge", "part")
    if change.kind not in NAME_CHANGES:
        raise BadInput(
            tr("There is no change {kind!r}.", kind=change.kind),
            tr("Choose one of: {choices}.", choices=", ".join(NAME_CHANGES)),
        )
    ids = list(dict.fromkeys(change.entity_ids))
    if len(ids) < 2 if several else len(ids) != 1:
        raise BadInput(
            tr("This takes two entities or more.") if several else tr("This takes one entity."),
            tr("Choose again."),
        )
    normals = [store.entities.normal(id) for id in ids]
    if several:
        return _pairs(normals, "same" if change.kind == "merge" else "different")
    # What is said of an entity is said of the name that it goes by.
    entity = store.entities.get(ids[0])
    own = store.entities.normal(entity.id)
    if change.kind == "retype":
        return _retyped(store, own, entity.id, change.value)
    value = _name(change.value)
    if change.kind == "split":
        return _split(store, entity.id, value, change.passage_ids)
    alias, known = normalise(value), store.resolution.key_of(normalise(value))
    if change.kind == "alias":
        if alias == own:
            raise BadInput(
                tr("{name} goes by this name already.", name=entity.name), tr("Choose another one.")
            )
        return [_pair(own, alias, "same")]
    own = _named_before(store, entity.id, own)
    renamed = [ReviewItem(f"{NAME}{own}", value, {"words": f"{entity.name} → {value}"})]
    # Who searches for the new name finds the entity; another one that has the name already stays another one.
    return renamed if known is not None or alias == own else [*renamed, _pair(own, alias, "same")]


def _named_before(store: Store, entity_id: str, own: str) -> str:
    """The name of the entity that somebody said it is called by: only there can two logs that differ be settled."""
    known = store.review_log.known(f"{NAME}{name}" for name in store.name_changes.names_of(entity_id))
    return own if not known or f"{NAME}{own}" in known else min(known).removeprefix(NAME)


def _pairs(normals: Sequence[str], outcome: str) -> list[ReviewItem]:
    """Merged are all with the first one; parted is each from each."""
    pairs = combinations(normals, 2) if outcome == "different" else ((normals[0], n) for n in normals[1:])
    return [_pair(one, other, outcome) for one, other in pairs]


def _pair(one: str, other: str, outcome: str) -> ReviewItem:
    words = f"{one} / {other}".replace(SENSE, " ")
    return ReviewItem(names_subject(one, other), outcome, {"words": words})


def _retyped(store: Store, own: str, entity_id: str, label: str) -> list[ReviewItem]:
    """All names of the entity are of this kind then, and stay one: rules for people join what they do not elsewhere."""
    if label not in LABELS:
        kinds = ", ".join(sorted(LABELS))
        raise BadInput(
            tr("There is no kind {kind!r}.", kind=escape_controls(label)[:40]),
            tr("Choose one of: {choices}.", choices=kinds),
        )
    names = store.name_changes.names_of(entity_id)
    items = [ReviewItem(f"{LABEL}{n}", label, {"words": f"{n.replace(SENSE, ' ')} → {label}"}) for n in names]
    return items if label in UNLINKED else [*items, *(_pair(own, n, "same") for n in names if n != own)]


def _split(store: Store, entity_id: str, sense: str, passage_ids: Sequence[str]) -> list[ReviewItem]:
    if sense.startswith("="):
        raise BadInput(tr("Who is meant cannot begin with =."), tr("Say it in words: the judge."))
    chosen = set(passage_ids)
    found = store.name_changes.names_in(entity_id, passage_ids)
    all_passages = set(store.name_changes.passages_of(entity_id))
    if not chosen or not chosen <= all_passages:
        raise BadInput(
            tr("This entity does not stand in these passages."), tr("Choose passages that mention it.")
        )
    if chosen == all_passages:
        raise BadInput(
            tr("These are all its passages: nothing would be left."), tr("Choose fewer, or rename it.")
        )
    suffix = f" → {sense}"
    items = [ReviewItem(mention_subject(*one), sense, {"words": f"{one[0]}{suffix}"}) for one in found]
    names = [with_sense(name, sense) for name in dict.fromkeys(name for name, _ in found)]
    return [*items, *(_pair(names[0], name, "same") for name in names[1:])]


def _name(text: str) -> str:
    """What a person typed, as a name. Raises BadInput."""
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if not normalise(name):
        raise BadInput(tr("A name holds letters or digits."), tr("Type one."))
    if len(name) > _LONGEST:
        raise BadInput(
            tr("This name is {count} characters long.", count=len(name)),
            tr("At most {most} can be kept.", most=_LONGEST),
        )
    if escape_controls(name) != name or escape_controls(text, keep="\t\n") != text:
        raise BadInput(tr("This name holds characters that cannot be seen."), tr("Type it anew."))
    return name


def proper(subject: str, outcome: str) -> bool:
    """Whether this decision, which another workspace made, is one on an entity or a mention."""
    if subject.startswith(LABEL):
        return outcome in LABELS and len(subject) > len(LABEL)
    try:
        known = override_of(subject) or mention_of(subject)
        return bool(known) and not outcome.startswith("=") and _name(outcome) == outcome
    except (ValueError, BadInput):
        return False


def apply_to_names(store: Store, subjects: Iterable[str]) -> None:
    """Have names be called, be and mean what holds of them; other subjects are left alone."""
    split: dict[str, dict[str, str]] = defaultdict(dict)
    for subject in subjects:
        if override := override_of(subject):
            store.name_changes.override(*override, store.review_log.outcome(subject) or "")
        elif mention := mention_of(subject):
            split[mention[0]][mention[1]] = store.review_log.outcome(subject) or ""
    for normal, senses in split.items():
        store.name_changes.split(normal, senses)
