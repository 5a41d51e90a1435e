"""What follows from names and facts: synonyms, the grid that finds them, communities and places."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.store.checks.again import touch_entities, unsettle
from core.store.checks.rule import AGAIN, Found, Ground, Rule, finding
from core.text.translation import markn, tr, trn

_TOLERANCE = 1e-3  # of a cosine
_ROWS = 8192  # synonyms looked at together
_SETTLED = (
    "x.entity_key NOT IN (SELECT entity_key FROM touched_entities UNION SELECT entity_key FROM names_to_link)"
)


def _synonyms(ground: Ground) -> Found:
    """Each joins two names whose vectors are as near as it says."""
    bad: list[int] = []
    total = 0
    size = 4 * ground.dimension
    cursor = ground.connection.execute(
        # CROSS: a look for each edge, not for each vector.
        "SELECT x.entity_key, x.cosine, a.vectors, b.vectors FROM synonyms x"
        " CROSS JOIN embeddings a ON a.kind = 'entity' AND a.owner_key = x.entity_key AND a.model = ?1"
        " CROSS JOIN embeddings b ON b.kind = 'entity' AND b.owner_key = x.other_key AND b.model = ?1"
        f" WHERE {_SETTLED} AND length(a.vectors) = ?2 AND length(b.vectors) = ?2",
        (ground.model, size),
    )
    while rows := cursor.fetchmany(_ROWS):
        left, right = (
            np.frombuffer(b"".join(row[at] for row in rows), np.float32).reshape(len(rows), -1)
            for at in (2, 3)
        )
        with np.errstate(all="ignore"):
            cosines = np.einsum("ij,ij->i", left, right, dtype=np.float64)
            off = ~(np.abs(cosines - np.array([row[1] for row in rows])) < _TOLERANCE)
        bad += [rows[at][0] for at in np.flatnonzero(off)]
        total += len(rows)
    bad += ground.keys("SELECT entity_key FROM synonyms WHERE entity_key = other_key")
    return finding(
        sorted(set(bad)),
        trn("{count} edge", "{count} edges", total),
        markn(
            "{count} entity has synonyms that are not as near as they say",
            "{count} entities have synonyms that are not as near as they say",
        ),
    )


def _link_again(ground: Ground, entities: Sequence[int]) -> None:
    ground.change("DELETE FROM synonyms WHERE entity_key = ?", entities)
    touch_entities(ground, entities)
    unsettle(ground)


def _grid(ground: Ground) -> Found:
    """Every name that has synonyms lies in a cell that is there."""
    bad = ground.keys(
        "SELECT x.entity_key FROM name_cells x WHERE x.cell NOT IN (SELECT cell FROM name_grid)"
        " UNION SELECT x.entity_key FROM synonyms x WHERE"
        f" x.entity_key NOT IN (SELECT entity_key FROM name_cells) AND {_SETTLED}"
    )
    size = 4 * ground.dimension
    cells = ground.count("SELECT count(*) FROM name_grid")
    broken = ground.count("SELECT count(*) FROM name_grid WHERE length(centre) <> ?", size)
    if broken or cells != ground.count("SELECT coalesce(max(cell) + 1, 0) FROM name_grid"):
        bad = ground.keys("SELECT key FROM entities") or [0]
    return finding(
        bad,
        trn("{count} cell", "{count} cells", cells),
        markn("{count} name is not found through the grid", "{count} names are not found through the grid"),
    )


def _learn_again(ground: Ground, entities: Sequence[int]) -> None:
    """Without a grid the next run learns one from all names."""
    ground.connection.execute("DELETE FROM name_cells")
    ground.connection.execute("DELETE FROM name_grid")
    touch_entities(ground, ground.keys("SELECT key FROM entities"))
    unsettle(ground)


def _layout(ground: Ground) -> Found:
    """Every entity has a place on the map, and those tied to others a community; names of another have none."""
    total = ground.count("SELECT count(*) FROM layout")
    if not ground.settled:
        return Found(
            (),
            trn(
                "{count} place, in step when the unfinished run ends",
                "{count} places, in step when the unfinished run ends",
                total,
            ),
        )
    ends = "SELECT coalesce(s.head_key, s.key) AS one, coalesce(o.head_key, o.key) AS other FROM facts f"
    ends += " JOIN entities s ON s.key = f.subject_key JOIN entities o ON o.key = f.object_key"
    bad = ground.keys(
        f"WITH ends AS ({ends}), tied AS (SELECT one AS key FROM ends WHERE one <> other"
        " UNION SELECT other FROM ends WHERE one <> other)"
        " SELECT e.key FROM entities e LEFT JOIN layout l ON l.entity_key = e.key"
        " WHERE (l.entity_key IS NULL) <> (e.head_key IS NOT NULL) OR NOT (abs(l.x) < 1e12 AND abs(l.y) < 1e12)"
        " OR (l.community >= 0) <> (e.key IN (SELECT key FROM tied))"
    )
    return finding(
        bad,
        trn("{count} place", "{count} places", total),
        markn(
            "{count} entity has no place or the wrong community on the map",
            "{count} entities have no place or the wrong community on the map",
        ),
    )


def _place_again(ground: Ground, entities: Sequence[int]) -> None:
    ground.change("DELETE FROM layout WHERE entity_key = ?", entities)
    touch_entities(ground, entities)
    unsettle(ground)


RULES = (
    Rule(tr("synonyms"), _synonyms, AGAIN, _link_again),
    Rule(tr("grid of names"), _grid, AGAIN, _learn_again),
    Rule(tr("communities and places"), _layout, AGAIN, _place_again),
)
