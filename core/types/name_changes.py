"""What a person makes of entities and their names, and what follows from that."""

from __future__ import annotations

from dataclasses import dataclass

from core.types.knowledge import Entity

NAME_CHANGES = ("rename", "retype", "alias", "merge", "part", "split")


@dataclass(frozen=True, slots=True)
class NameChange:
    """One of NAME_CHANGES. `merge` and `part` take two or more entities, the others one.

    `value`: the new name, the new label, the further name, or in words who is meant by mentions that are split off.
    `passage_ids`: where these stand.
    """

    kind: str
    entity_ids: tuple[str, ...]
    value: str = ""
    passage_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FactSummary:
    """A fact between entities as it is told."""

    id: str
    subject_id: str
    subject: str
    predicate: str
    object_id: str
    object: str


@dataclass(frozen=True, slots=True)
class FactChange:
    """A fact before and after; None where it is not told. `joins`: it then says the same as another one."""

    before: FactSummary | None
    after: FactSummary | None
    joins: bool = False


@dataclass(frozen=True, slots=True)
class NamePreview:
    """What a change of names would change. `entities_before` and `entities_after`: those that differ."""

    entities_before: tuple[Entity, ...]
    entities_after: tuple[Entity, ...]
    facts: tuple[FactChange, ...]
    communities: tuple[int, ...]  # keys of those in which the entities stand
    document_ids: tuple[str, ...]  # in which the names stand
