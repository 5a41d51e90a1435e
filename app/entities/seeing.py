"""What a change of entities would change, read off the window's thread."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.answers.wording import place_words, placed
from app.entities.wording import entity_words, fact_words
from app.look.translation import tr
from core.progress import TaskContext
from core.types import Entity, FactChange, NameChange, NamePreview, Passage

if TYPE_CHECKING:
    from core.workspace import Workspace

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


def see(workspace: Workspace, change: NameChange) -> ChangeEffects:
    """Raises as `NamesApi.preview`."""
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
    """Who stays in another shape, who goes, who comes."""
    after = {entity.id: entity for entity in preview.entities_after}
    rows = []
    for entity in preview.entities_before:
        now = after.pop(entity.id, None)
        rows.append(Difference(entity_words(entity), entity_words(now) if now else ""))
    return (*rows, *(Difference("", entity_words(entity)) for entity in after.values()))


def _fact(change: FactChange) -> Difference:
    before, after = (fact_words(fact) if fact else "" for fact in (change.before, change.after))
    return Difference(before, after, tr("as another fact says") if change.joins else "")


def begin(workspace: Workspace, change: NameChange, context: TaskContext) -> Draft:
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
    """The sentence of the first mention."""
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
