"""Changes of entities in words: what each would do, and what it did."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.answers.wording import place_words, placed
from app.look.translation import tr, trn
from core.progress import TaskContext
from core.types import (
    Entity,
    FactChange,
    FactSummary,
    NameChange,
    NamePreview,
    Passage,
    kind_words,
)
from core.types.kinds import LABELS, NOUN

if TYPE_CHECKING:
    from core.workspace import Workspace


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
    """Return what is being done, while it is not known yet how."""
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
    """Return what is missing before it can be seen what a change would change."""
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


AROUND = 240  # characters on each side of a mention at most
_STOP = re.compile(r"(?<=[.!?])\s+|\n")
_ON_ONE_LINE = str.maketrans("\n\r\t", "   ")


@dataclass(frozen=True, slots=True)
class Difference:
    """What something is before and after, "" where it is not; and what else is to be said of it."""

    before: str
    after: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class ChangeEffects:
    """What a change would change, in words."""

    change: NameChange
    entities: tuple[Difference, ...]
    facts: tuple[Difference, ...]
    communities: tuple[str, ...]  # their titles
    documents: tuple[str, ...]  # likewise
    untitled: int = 0  # communities without a title

    @property
    def nothing(self) -> bool:
        return not self.entities and not self.facts


@dataclass(frozen=True, slots=True)
class MentionRow:
    """A passage that mentions an entity: where it stands, the sentence, and where the names stand in that."""

    passage_id: str
    place: str
    sentence: str
    marks: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """A change that somebody begins on these entities; `mentions` of the one that is to be split."""

    change: NameChange
    entities: tuple[Entity, ...]
    names: tuple[str, ...]  # of what `change` names: an entity's, or one of its names
    mentions: tuple[MentionRow, ...] = ()


def compute_effects(workspace: Workspace, change: NameChange) -> ChangeEffects:
    """Return what a change would do. Raise as `NamesApi.preview`."""
    preview = workspace.names.preview(change)
    titles: dict[int, str] = {}
    for entity in (*preview.entities_before, *preview.entities_after):
        if (home := workspace.graph.community_of(entity.id)) is not None:
            titles[home[0]] = home[1]
    documents = [
        document.title or document.path for document in workspace.documents.some(preview.document_ids)
    ]
    named = tuple(" ".join(title.split()) for title in titles.values() if title)
    return ChangeEffects(
        change,
        _entities(preview),
        tuple(map(_fact, preview.facts)),
        named,
        tuple(documents),
        len(preview.communities) - len(named),
    )


def _entities(preview: NamePreview) -> tuple[Difference, ...]:
    """Return who stays in another shape, who goes, who comes."""
    after = {entity.id: entity for entity in preview.entities_after}
    rows = []
    for entity in preview.entities_before:
        now = after.pop(entity.id, None)
        rows.append(Difference(entity_words(entity), entity_words(now) if now else ""))
    return (*rows, *(Difference("", entity_words(entity)) for entity in after.values()))


def _fact(change: FactChange) -> Difference:
    before, after = (fact_words(fact) if fact else "" for fact in (change.before, change.after))
    return Difference(before, after, tr("as another fact says") if change.joins else "")


def begin_draft(workspace: Workspace, change: NameChange, context: TaskContext) -> Draft:
    """Raises BadInput for an entity that is gone."""
    entities = [workspace.graph.entity(id) for id in change.entity_ids]
    names = [entity.name for entity in entities]
    if change.kind == "part":  # names of one entity
        own = {id: name for merge in workspace.names.merges_of(entities[0].id)
               for id, name in ((merge.one_id, merge.one), (merge.other_id, merge.other))}  # fmt: skip
        names = [own.get(id, entity.name) for id, entity in zip(change.entity_ids, entities, strict=True)]
    mentions = _mentions(workspace, entities[0], context) if change.kind == "split" else []
    return Draft(change, tuple(entities), tuple(names), tuple(mentions))


def _mentions(workspace: Workspace, entity: Entity, context: TaskContext) -> list[MentionRow]:
    passages = [workspace.passages.get(id) for id in workspace.names.passages_of(entity.id)]
    spans: dict[str, list[tuple[int, int]]] = {}  # in the text of the document, by its id
    for document_id in dict.fromkeys(passage.document_id for passage in passages):
        context.check()
        found = workspace.documents.mentions(document_id)
        spans[document_id] = [(one.start, one.end) for one in found if one.entity_id == entity.id]
    return [_mention_row(passage, spans[passage.document_id]) for passage in passages]


def _mention_row(passage: Passage, spans: Sequence[tuple[int, int]]) -> MentionRow:
    """Return the sentence of the first mention."""
    text, places = passage.text, ((start - passage.start, end - passage.start) for start, end in spans)
    marks = [(start, end) for start, end in places if start >= 0 and end <= len(text)]
    start, end = marks[0] if marks else (0, 0)
    first = max(
        (m.end() for m in _STOP.finditer(text, max(start - AROUND, 0), start)), default=max(start - AROUND, 0)
    )
    last = next((m.start() for m in _STOP.finditer(text, end, end + AROUND)), min(end + AROUND, len(text)))
    excerpt = text[first:last].translate(_ON_ONE_LINE)
    inside = tuple((a - first, b - first) for a, b in marks if first <= a and b <= last)
    return MentionRow(passage.id, placed(passage.title, place_words(passage.page)), excerpt, inside)
