"""How changes of entities are said to people."""

from __future__ import annotations

from app.look.translation import tr, trn
from core.types import Entity, FactSummary, NameChange, kind_words
from core.types.kinds import LABELS, NOUN


def entity_words(entity: Entity) -> str:
    kind, count = kind_words(entity.label), entity.passages
    return trn(
        "{name} ({kind}, in {count} passage)", "{name} ({kind}, in {count} passages)",
        count, name=entity.name, kind=kind,
    )  # fmt: skip


def fact_words(fact: FactSummary) -> str:
    return tr(
        "{subject} – {predicate} – {object}",
        subject=fact.subject, predicate=fact.predicate, object=fact.object,
    )  # fmt: skip


def kinds() -> list[tuple[str, str]]:
    """(words, label) of each kind that an entity can be, as they are listed."""
    pairs = sorted((kind_words(label), label) for label in LABELS - {NOUN})
    words = [one for one, _ in pairs]
    entries = [
        (tr("{kind} ({label})", kind=one, label=label) if words.count(one) > 1 else one, label)
        for one, label in pairs
    ]
    return [*entries, (kind_words(NOUN), NOUN)]


def title_words(change: NameChange, names: list[str]) -> str:
    """What is being done, while it is not known yet how."""
    name, *others = names
    if change.kind == "rename":
        return tr("Rename “{name}”", name=name)
    if change.kind == "retype":
        return tr("What kind of thing is “{name}”?", name=name)
    if change.kind == "alias":
        return tr("Another name of “{name}”", name=name)
    if change.kind == "split":
        return tr("Who else is meant by “{name}”, and where?", name=name)
    if change.kind == "part":
        return tr("Keep “{name}” and “{other}” apart", name=name, other=others[0])
    if others:
        return tr("“{name}” and “{other}” are one entity", name=name, other=others[0])
    return tr("Merge “{name}” with another entity", name=name)


def hint_words(change: NameChange) -> str:
    """What is missing before it can be seen what a change would change."""
    if change.kind == "merge":
        return tr(
            "Find the other entity by a part of its name. In the graph, drag one onto the other with Shift."
        )
    if change.kind == "split":
        return tr("Choose the passages in which somebody else is meant, and say in words who: the judge.")
    if change.kind == "retype":
        return tr("Choose another kind.")
    return tr("Type a name.")


def nothing_words(change: NameChange) -> str:
    """Of a change that changes nothing that is shown."""
    if change.kind == "alias":
        return tr("Nothing that is shown changes: the search and questions find it by this name, too.")
    return tr("Nothing that is shown would change.")


def done_words(change: NameChange, names: list[str]) -> str:
    name, *others = names
    if change.kind == "rename":
        return tr("“{name}” is called “{value}” now.", name=name, value=change.value)
    if change.kind == "retype":
        return tr("“{name}” is of this kind now: {kind}.", name=name, kind=kind_words(change.value))
    if change.kind == "alias":
        return tr("“{name}” goes by “{value}”, too.", name=name, value=change.value)
    if change.kind == "split":
        count = len(change.passage_ids)
        return trn(
            "“{name}” means “{value}” in {count} passage now.", "“{name}” means “{value}” in {count} passages now.",
            count, name=name, value=change.value,
        )  # fmt: skip
    if change.kind == "part":
        return tr("“{name}” and “{other}” are two entities.", name=name, other=others[0])
    return tr("“{name}” and “{other}” are one entity.", name=name, other=others[0])
