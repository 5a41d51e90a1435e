"""What indexing makes anew from the passages: names and their nearness, communities, the map, reports."""

from __future__ import annotations

from collections.abc import Sequence

from core.store.checks.rule import AGAIN, Found, Ground, Rule, finding, touch_entities, unsettle
from core.store.reports import content_of
from core.text.translation import markn, tr, trn

_SOURCE = 16  # hexadecimal digits of a hash
_BARE = "substr(e.normal, 1, instr(e.normal || char(31), char(31)) - 1)"
_SENSE = "substr(e.normal, instr(e.normal || char(31), char(31)) + 1)"
# Names that are not as they follow from the passages: keys of entities, or 0.
_NAMES = (
    # A head has no head itself; a merge ties a name to it, and nobody told both apart.
    "SELECT e.key FROM entities e JOIN entities h ON h.key = e.head_key WHERE h.head_key IS NOT NULL OR h.key = e.key",
    "SELECT key FROM entities WHERE head_key IS NOT NULL AND key NOT IN (SELECT one_key FROM merges)"
    " AND key NOT IN (SELECT other_key FROM merges)",
    "SELECT a.key FROM decisions d JOIN entities a ON a.normal = d.one JOIN entities b ON b.normal = d.other"
    " WHERE d.verdict = 'different' AND coalesce(a.head_key, a.key) = coalesce(b.head_key, b.key)",
    "SELECT one_key FROM merges WHERE NOT (one_key < other_key AND score > 0 AND rule <> '' AND reason <> '')",
    # A mention points to the bearer of its name whom somebody, or else its document, means.
    "SELECT e.key FROM mentions m JOIN passages p ON p.key = m.passage_key JOIN entities e ON e.key = m.entity_key"
    f" LEFT JOIN signs s ON s.document_key = p.document_key AND s.normal = {_BARE}"
    f" LEFT JOIN passage_senses x ON x.passage_key = p.key AND x.normal = {_BARE} AND NOT m.stated"
    f" WHERE {_SENSE} <> coalesce(x.sense, s.sense, '')",
    # Who has synonyms lies in a cell of the grid.
    "SELECT entity_key FROM synonyms WHERE entity_key = other_key OR NOT cosine BETWEEN 0 AND 1.001"
    " OR entity_key NOT IN (SELECT entity_key FROM name_cells)",
    "SELECT entity_key FROM name_cells WHERE cell NOT IN (SELECT cell FROM name_grid)",
    "SELECT 0 WHERE (SELECT count(*) FROM name_grid) <> (SELECT coalesce(max(cell) + 1, 0) FROM name_grid)",
)
# Communities that do not nest. Levels that rise by one leave no room for a circle.
_NESTED = (
    "SELECT c.key FROM communities c LEFT JOIN communities p ON p.key = c.parent_key WHERE c.level < 1 OR c.number < 0"
    " OR (c.parent_key IS NULL) <> (c.level = (SELECT max(level) FROM communities)) OR p.level <> c.level + 1"
    " OR (c.parent_key IS NOT NULL AND p.key IS NULL)"
    " UNION SELECT min(key) FROM communities GROUP BY level, number HAVING count(*) > 1"
)
_TIED = "SELECT one AS key FROM ends WHERE one <> other UNION SELECT other FROM ends WHERE one <> other"
# Communities that are empty; entities that are not in one of the finest level, or not at their place on the map.
_PLACED = (
    "SELECT key FROM communities WHERE CASE level WHEN 1 THEN key NOT IN (SELECT community_key FROM community_members)"
    " ELSE key NOT IN (SELECT parent_key FROM communities WHERE parent_key IS NOT NULL) END",
    "SELECT e.key FROM entities e LEFT JOIN community_members m ON m.entity_key = e.key"
    " LEFT JOIN communities c ON c.key = m.community_key"
    " WHERE (m.entity_key IS NULL) <> (e.head_key IS NOT NULL) OR c.level <> 1",
    "WITH ends AS (SELECT coalesce(s.head_key, s.key) AS one, coalesce(o.head_key, o.key) AS other FROM facts f"
    " JOIN entities s ON s.key = f.subject_key JOIN entities o ON o.key = f.object_key)"
    " SELECT e.key FROM entities e LEFT JOIN layout l ON l.entity_key = e.key"
    " WHERE (l.entity_key IS NULL) <> (e.head_key IS NOT NULL) OR NOT (abs(l.x) < 1e12 AND abs(l.y) < 1e12)"
    f" OR (l.community >= 0) <> (e.key IN ({_TIED}))",
    # The colour of a place is the number of the top community.
    "WITH RECURSIVE tree (key, top) AS (SELECT key, number FROM communities WHERE parent_key IS NULL"
    " UNION SELECT c.key, t.top FROM tree t CROSS JOIN communities c ON c.parent_key = t.key)"
    " SELECT l.entity_key FROM layout l JOIN community_members m ON m.entity_key = l.entity_key"
    " JOIN tree t ON t.key = m.community_key WHERE l.community >= 0 AND l.community <> t.top",
)


def _names(ground: Ground) -> Found:
    marks = ", ".join("?" * len(ground.unnamed))
    bad: set[int] = set()
    if ground.settled:
        bad.update(*(ground.keys(sql) for sql in _NAMES))
        bad |= set(
            ground.keys(
                f"SELECT key FROM entities WHERE (label IN ({marks})) = (key IN (SELECT entity_key FROM name_blocks))",
                *sorted(ground.unnamed),
            )
        )
        size = 4 * ground.dimension
        bad |= set(ground.keys("SELECT 0 FROM name_grid WHERE length(centre) <> ?", size))
    return finding(
        sorted(bad),
        trn("{count} name", "{count} names", ground.count("SELECT count(*) FROM entities")),
        markn(
            "{count} name is not as it follows from the documents",
            "{count} names are not as they follow from the documents",
        ),
    )


def _resolve_again(ground: Ground, _: Sequence[int]) -> None:
    for table in ("merges", "synonyms", "name_cells", "name_grid", "name_blocks"):
        ground.connection.execute(f"DELETE FROM {table}")
    ground.connection.execute("UPDATE entities SET head_key = NULL")
    ground.connection.execute("INSERT OR IGNORE INTO touched_documents SELECT key FROM documents")
    touch_entities(ground, ground.keys("SELECT key FROM entities"))


def _map(ground: Ground) -> Found:
    """What an unfinished run takes out is no fault."""
    bad = set(ground.keys(_NESTED))
    if ground.settled:
        bad.update(*(ground.keys(sql) for sql in _PLACED))
    levels = ground.rows("SELECT count(*) FROM communities GROUP BY level ORDER BY level DESC")
    return finding(
        sorted(bad),
        trn(
            "{levels} community",
            "{levels} communities",
            sum(row[0] for row in levels),
            levels=" / ".join(f"{row[0]:,}" for row in levels) or "0",
        ),
        markn(
            "{count} community or place is not as it follows from the facts",
            "{count} communities or places are not as they follow from the facts",
        ),
    )


def _group_again(ground: Ground, _: Sequence[int]) -> None:
    for table in ("community_members", "communities", "community_reports", "communities_to_tell", "layout"):
        ground.connection.execute(f"DELETE FROM {table}")
    unsettle(ground)


def _reports(ground: Ground) -> Found:
    """Every community has a report from a known source, but for those whose report is still to be written."""
    rows = ground.rows("SELECT community_key, source, written_by, report FROM community_reports")
    bad = {
        key
        for key, source, written_by, report in rows
        if not (len(source) == _SOURCE and source.isalnum() and written_by and _is_report(report))
    }
    if ground.settled:
        bad |= set(
            ground.keys(
                "SELECT key FROM communities WHERE key NOT IN (SELECT community_key FROM community_reports"
                " UNION SELECT community_key FROM communities_to_tell)"
            )
        )
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


def _write_again(ground: Ground, communities: Sequence[int]) -> None:
    ground.change("DELETE FROM community_reports WHERE community_key = ?", communities)
    ground.change(
        "INSERT OR IGNORE INTO communities_to_tell SELECT key, 1, 0 FROM communities WHERE key = ?",
        communities,
    )
    unsettle(ground)


RULES = (
    Rule(tr("names"), _names, AGAIN, _resolve_again),
    Rule(tr("communities and places"), _map, AGAIN, _group_again),
    Rule(tr("reports of communities"), _reports, AGAIN, _write_again),
)
