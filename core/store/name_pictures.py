"""Names, entities and facts around some names, as they stand at one moment."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.store.database import Database
from core.store.facts import SHOWN
from core.types import Entity, ShownFact

# Entities of the names ?1, and all names of these.
_AROUND = (
    "WITH heads (key) AS (SELECT DISTINCT coalesce(e.head_key, e.key) FROM json_each(?1) j"
    " CROSS JOIN entities e ON e.key = j.value), names (key) AS (SELECT key FROM heads UNION ALL"
    " SELECT e.key FROM heads h CROSS JOIN entities e ON e.head_key = h.key)"
)
_ENTITY = (
    " SELECT h.id, h.name, h.label, (SELECT count(DISTINCT m.passage_key) FROM mentions m WHERE m.entity_key = h.key"
    " OR m.entity_key IN (SELECT key FROM entities WHERE head_key = h.key)), coalesce(l.community, -1)"
    " FROM heads JOIN entities h ON h.key = heads.key LEFT JOIN layout l ON l.entity_key = h.key ORDER BY h.name, h.id"
)
_NAME = (
    " SELECT n.key, h.id, h.name, h.label, (SELECT count(*) FROM mentions m WHERE m.entity_key = n.key)"
    " FROM names JOIN entities n ON n.key = names.key JOIN entities h ON h.key = coalesce(n.head_key, n.key)"
)
_FACT = (
    ", own (key) AS (SELECT f.key FROM names n CROSS JOIN facts f ON f.subject_key = n.key"
    " UNION SELECT f.key FROM names n CROSS JOIN facts f ON f.object_key = n.key)"
    " SELECT f.id, s.id, s.name, f.predicate, o.id, o.name FROM own JOIN facts f ON f.key = own.key"
    " JOIN entities sn ON sn.key = f.subject_key JOIN entities s ON s.key = coalesce(sn.head_key, sn.key)"
    " JOIN entities o_ ON o_.key = f.object_key JOIN entities o ON o.key = coalesce(o_.head_key, o_.key)"
    f" WHERE 1{SHOWN}"
)


@dataclass(frozen=True, slots=True)
class NamePicture:
    entities: dict[str, Entity]  # by id
    names: dict[
        int, tuple[str, str, str, int]
    ]  # id, name and label of its entity, and its mentions, by row key
    facts: dict[str, ShownFact]  # by id


def name_picture(database: Database, keys: Iterable[int]) -> NamePicture:
    """Of the entities that these names belong to, of those that are there."""
    connection = database.connection()
    wanted = (json.dumps(sorted(keys)),)
    return NamePicture(
        {row[0]: Entity(*row) for row in connection.execute(_AROUND + _ENTITY, wanted)},
        {row[0]: tuple(row[1:]) for row in connection.execute(_AROUND + _NAME, wanted)},
        {row[0]: ShownFact(*row) for row in connection.execute(_AROUND + _FACT, wanted)},
    )


def documents_with(
    database: Database, keys: Iterable[int], passage_ids: Sequence[str] = ()
) -> tuple[str, ...]:
    """Ids of documents in which these names stand; of the passages alone where there are any. By path."""
    names = "p.key IN (SELECT m.passage_key FROM mentions m WHERE m.entity_key IN (SELECT value FROM json_each(?)))"
    chosen = "p.id IN (SELECT value FROM json_each(?))"
    rows = database.connection().execute(
        "SELECT DISTINCT d.id FROM documents d JOIN passages p ON p.document_key = d.key"
        f" WHERE {chosen if passage_ids else names} ORDER BY d.path",
        (json.dumps(list(passage_ids or keys)),),
    )
    return tuple(str(row[0]) for row in rows)
