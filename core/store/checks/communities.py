"""Communities: every entity in one, each in one above it, what is told of them, and their colours on the map."""

from __future__ import annotations

from collections.abc import Sequence

from core.store.checks.again import group_again, touch_entities, unsettle
from core.store.checks.rule import AGAIN, REPAIR, Found, Ground, Rule, finding
from core.store.reports import content_of
from core.text.translation import markn, tr, trn

_SOURCE = 16  # hexadecimal digits of a hash
# The number of the top community of every community that hangs under one.
_TOPS = (
    "WITH RECURSIVE tree (key, top) AS (SELECT key, number FROM communities WHERE parent_key IS NULL"
    " UNION SELECT c.key, t.top FROM tree t CROSS JOIN communities c ON c.parent_key = t.key)"
)


def _members(ground: Ground) -> Found:
    """Every entity is in one community, of the finest level; names of another entity are in none."""
    total = ground.count("SELECT count(*) FROM community_members")
    if not ground.settled:
        return Found(
            (),
            trn(
                "{count} entity in communities, in step when the unfinished run ends",
                "{count} entities in communities, in step when the unfinished run ends",
                total,
            ),
        )
    bad = ground.keys(
        "SELECT e.key FROM entities e LEFT JOIN community_members m ON m.entity_key = e.key"
        " LEFT JOIN communities c ON c.key = m.community_key"
        " WHERE (m.entity_key IS NULL) <> (e.head_key IS NOT NULL) OR c.level <> 1"
    )
    return finding(
        bad,
        trn("{count} entity", "{count} entities", total),
        markn(
            "{count} entity is in no community, or a name of another is in one",
            "{count} entities are in no community, or names of others are in one",
        ),
    )


def _place_in_community(ground: Ground, entities: Sequence[int]) -> None:
    ground.change("DELETE FROM community_members WHERE entity_key = ?", entities)
    touch_entities(ground, entities)
    unsettle(ground)


def _nested(ground: Ground) -> Found:
    """Each is held by one of the level above, up to the top; numbers are one's own on a level; none is empty.

    Levels that rise by one leave no room for a circle.
    """
    bad = set(
        ground.keys(
            "SELECT c.key FROM communities c LEFT JOIN communities p ON p.key = c.parent_key"
            " WHERE c.level < 1 OR c.number < 0"
            " OR (c.parent_key IS NULL) <> (c.level = (SELECT max(level) FROM communities))"
            " OR p.level <> c.level + 1"
            " UNION SELECT min(key) FROM communities GROUP BY level, number HAVING count(*) > 1"
        )
    )
    if ground.settled:  # an unfinished run takes out what it emptied
        bad |= set(
            ground.keys(
                "SELECT key FROM communities WHERE CASE level"
                " WHEN 1 THEN key NOT IN (SELECT community_key FROM community_members)"
                " ELSE key NOT IN (SELECT parent_key FROM communities WHERE parent_key IS NOT NULL) END"
            )
        )
    levels = ground.rows("SELECT count(*) FROM communities GROUP BY level ORDER BY level DESC")
    sound = trn(
        "{levels} community",
        "{levels} communities",
        sum(row[0] for row in levels),
        levels=" / ".join(f"{row[0]:,}" for row in levels) or "0",
    )
    return finding(
        sorted(bad),
        sound,
        markn(
            "{count} community is empty, or not held by one of the level above",
            "{count} communities are empty, or not held by one of the level above",
        ),
    )


def _group_again(ground: Ground, _: Sequence[int]) -> None:
    group_again(ground)


def _reports(ground: Ground) -> Found:
    """Every community has a report from a known source, but for those whose report is still to be written."""
    bad: set[int] = set()
    rows = ground.rows("SELECT community_key, source, written_by, report FROM community_reports")
    for key, source, written_by, report in rows:
        if not (len(source) == _SOURCE and source.isalnum() and written_by and _is_report(report)):
            bad.add(key)
    waiting = ground.keys("SELECT community_key FROM communities_to_tell")
    if ground.settled:
        known = {row[0] for row in rows}
        bad |= set(ground.keys("SELECT key FROM communities")) - known - set(waiting)
    return finding(
        sorted(bad),
        trn("{count} report", "{count} reports", len(rows)),
        markn(
            "{count} community has no report, or one from nowhere",
            "{count} communities have no report, or one from nowhere",
        ),
    )


def _is_report(report: str) -> bool:
    try:
        content_of(report)
    except ValueError:
        return False
    return True


def _redo_reports(ground: Ground, communities: Sequence[int]) -> None:
    ground.change("DELETE FROM community_reports WHERE community_key = ?", communities)
    ground.change(
        "INSERT OR IGNORE INTO communities_to_tell SELECT key, 1, 0 FROM communities WHERE key = ?",
        communities,
    )
    unsettle(ground)


def _colours(ground: Ground) -> Found:
    """Entities on the map have the number of their top community; see "communities and places" for the others."""
    total = ground.count("SELECT count(*) FROM layout WHERE community >= 0")
    if not ground.settled:
        return Found(
            (),
            trn(
                "{count} place in communities, in step when the unfinished run ends",
                "{count} places in communities, in step when the unfinished run ends",
                total,
            ),
        )
    bad = ground.keys(
        f"{_TOPS} SELECT l.entity_key FROM layout l JOIN community_members m ON m.entity_key = l.entity_key"
        " JOIN tree t ON t.key = m.community_key WHERE l.community >= 0 AND l.community <> t.top"
    )
    return finding(
        bad,
        trn("{count} place in communities", "{count} places in communities", total),
        markn(
            "{count} place has the number of another community",
            "{count} places have the number of another community",
        ),
    )


def _recolour(ground: Ground, entities: Sequence[int]) -> None:
    ground.change(
        f"{_TOPS} UPDATE layout SET community = (SELECT t.top FROM community_members m"
        " JOIN tree t ON t.key = m.community_key WHERE m.entity_key = layout.entity_key) WHERE entity_key = ?",
        entities,
    )


RULES = (
    Rule(tr("every entity is in one community"), _members, AGAIN, _place_in_community),
    Rule(tr("communities nest"), _nested, AGAIN, _group_again),
    Rule(tr("reports of communities"), _reports, AGAIN, _redo_reports),
    Rule(tr("colours of places"), _colours, REPAIR, _recolour),
)
