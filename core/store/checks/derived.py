"""Rules of what indexing builds from the passages: vectors, full text, names, communities, the map, reports."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np

from core.store.checks.rule import (
    AGAIN,
    REPAIR,
    Found,
    Ground,
    Rule,
    encode_again,
    finding,
    touch_entities,
    unsettle,
)
from core.store.reports import content_of
from core.text.translation import markn, tr, trn

Owner = tuple[str, int]  # kind, key
_VECTORS = 4096  # blobs looked at together
_TOLERANCE = 1e-3  # of a norm; what float32 and the encoder's own rounding leave is 1e-6
# As the trigger passages_added has it.
_PASSAGES = "SELECT key, searchable(title || char(10) || headings), searchable(text) FROM passages"
_WORDS = 20_000  # occurrences compared at a time


def _vectors(ground: Ground) -> Found:
    """Owners with more vectors, or fewer, than they should have, or with others than of the model and unit length."""
    found, bad = _counts(ground)
    waiting = set(ground.keys("SELECT entity_key FROM touched_entities"))
    encoded = ground.keys("SELECT passage_key FROM stages WHERE stage = 'embed' AND state = 'done'")
    sentences = dict(ground.rows("SELECT passage_key, count(*) FROM sentences GROUP BY passage_key"))
    for key in encoded:
        if found.get(("passage", key)) != 1 or found.get(("sentence", key), 0) != sentences.get(key, 0):
            bad.add(("passage", key))
    entities = dict(ground.rows("SELECT key, label FROM entities"))
    for key, label in entities.items():
        if found.get(("entity", key), 0) != int(label not in ground.unnamed) and key not in waiting:
            bad.add(("entity", key))
    owners = {"entity": entities.keys(), "passage": set(ground.keys("SELECT key FROM passages"))}
    owners["sentence"] = owners["passage"]
    bad |= {owner for owner in found if owner[1] not in owners.get(owner[0], ())}
    return finding(
        sorted(bad),
        trn(
            "{count} vector of {model}, of {dimension} dimensions",
            "{count} vectors of {model}, of {dimension} dimensions",
            sum(found.values()),
            model=ground.model,
            dimension=ground.dimension,
        ),
        markn(
            "{count} passage or name has not the vectors that it should have",
            "{count} passages or names have not the vectors that they should have",
        ),
    )


def _counts(ground: Ground) -> tuple[dict[Owner, int], set[Owner]]:
    """How many vectors each owner has, and owners of such that are none. Noise in the file shows here."""
    size = 4 * ground.dimension
    found: dict[Owner, int] = {}
    bad: set[Owner] = set()
    cursor = ground.connection.execute("SELECT kind, owner_key, model, vectors FROM embeddings")
    while rows := cursor.fetchmany(_VECTORS):
        bad |= {row[:2] for row in rows if row[2] != ground.model or len(row[3]) % size}
        sound = [row for row in rows if row[2] == ground.model and len(row[3]) % size == 0]
        matrix = np.frombuffer(b"".join(row[3] for row in sound), np.float32).reshape(-1, ground.dimension)
        with np.errstate(all="ignore"):
            norms = np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64)
        off = ~(np.abs(norms - 1.0) < 2 * _TOLERANCE)  # so that NaN is off, too
        counts = [len(row[3]) // size for row in sound]
        found |= {row[:2]: count for row, count in zip(sound, counts, strict=True)}
        bad |= {sound[at][:2] for at in np.unique(np.repeat(np.arange(len(sound)), counts)[off])}
    return found, bad


def _encode_again(ground: Ground, owners: Sequence[Owner]) -> None:
    """Drop what they have; who is there gets new ones."""
    ground.connection.executemany("DELETE FROM embeddings WHERE kind = ? AND owner_key = ?", owners)
    passages = set(ground.keys("SELECT key FROM passages"))
    encode_again(ground, sorted(passages & {key for kind, key in owners if kind != "entity"}))
    touch_entities(ground, [key for kind, key in owners if kind == "entity"])


def _words(ground: Ground) -> Found:
    """Each occurrence of each word, against an index that is made anew in memory.

    FTS5's own check must write. Both list their words in the same order, so no more than a part of
    each is held at a time.
    """
    connection = ground.connection
    declared = ground.rows("SELECT sql FROM sqlite_master WHERE name = 'passages_text'")[0][0]
    tokenizer = declared[declared.rindex("tokenize") :].rstrip(" )\n")
    connection.execute(f"CREATE VIRTUAL TABLE temp.anew USING fts5 (title, text, content = '', {tokenizer})")
    try:
        connection.execute("CREATE VIRTUAL TABLE temp.held USING fts5vocab (main, passages_text, instance)")
        connection.execute("CREATE VIRTUAL TABLE temp.meant USING fts5vocab (temp, anew, instance)")
        connection.execute(f"INSERT INTO temp.anew (rowid, title, text) {_PASSAGES}")
        return _compared(ground)
    finally:
        for table in ("held", "meant", "anew"):
            connection.execute(f"DROP TABLE IF EXISTS temp.{table}")


def _compared(ground: Ground) -> Found:
    actual = ground.connection.execute("SELECT term, doc, col, offset FROM temp.held")
    meant = ground.connection.execute("SELECT term, doc, col, offset FROM temp.meant")
    total = 0
    while True:
        left, right = actual.fetchmany(_WORDS), meant.fetchmany(_WORDS)
        if left != right:
            pairs = zip_longest(left, right)
            first = next(mine or other for mine, other in pairs if mine != other)
            bad = sorted(set(left) ^ set(right))
            return Found(
                bad,
                tr(
                    "the full-text index differs from the passages, first at the word {word}",
                    word=repr(first[0]),
                ),
            )
        if not left:
            return Found((), trn("{count} word", "{count} words", total))
        total += len(left)


def _rebuild(ground: Ground, _: Sequence[object]) -> None:
    ground.connection.execute("INSERT INTO passages_text (passages_text) VALUES ('delete-all')")
    ground.connection.execute(f"INSERT INTO passages_text (rowid, title, text) {_PASSAGES}")


INDEX_RULES = (
    Rule(tr("vectors"), _vectors, AGAIN, _encode_again),
    Rule(tr("words of the full-text index"), _words, REPAIR, _rebuild),
)

# ------------------------------------------------------------ names, communities and reports


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
    # A mention points to the bearer of its name whom somebody, or else its document, means; a term has no bearers.
    "SELECT e.key FROM mentions m JOIN passages p ON p.key = m.passage_key JOIN entities e ON e.key = m.entity_key"
    f" LEFT JOIN signs s ON s.document_key = p.document_key AND s.normal = {_BARE}"
    f" LEFT JOIN passage_senses x ON x.passage_key = p.key AND x.normal = {_BARE} AND NOT m.stated"
    f" WHERE m.label <> 'CONCEPT' AND {_SENSE} <> coalesce(x.sense, s.sense, '')",
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
_NODE = "(e.key IN (SELECT key FROM nodes))"
_TIED = "SELECT e.one AS key FROM ends e WHERE e.one <> e.other UNION SELECT e.other FROM ends e WHERE e.one <> e.other"
# Communities that are empty; entities that are not in one of the finest level, or not at their place on the map.
_PLACED = (
    "SELECT key FROM communities WHERE CASE level WHEN 1 THEN key NOT IN (SELECT community_key FROM community_members)"
    " ELSE key NOT IN (SELECT parent_key FROM communities WHERE parent_key IS NOT NULL) END",
    "SELECT e.key FROM entities e LEFT JOIN community_members m ON m.entity_key = e.key"
    " LEFT JOIN communities c ON c.key = m.community_key"
    f" WHERE (m.entity_key IS NULL) = {_NODE} OR c.level <> 1",
    "WITH every AS (SELECT coalesce(s.head_key, s.key) AS one, coalesce(o.head_key, o.key) AS other FROM facts f"
    " JOIN entities s ON s.key = f.subject_key JOIN entities o ON o.key = f.object_key"
    " UNION SELECT one_key, other_key FROM ties), ends AS (SELECT one, other FROM every"
    " JOIN nodes a ON a.key = one JOIN nodes b ON b.key = other)"
    " SELECT e.key FROM entities e LEFT JOIN layout l ON l.entity_key = e.key"
    f" WHERE (l.entity_key IS NULL) = {_NODE} OR NOT (abs(l.x) < 1e12 AND abs(l.y) < 1e12)"
    f" OR (l.community >= 0) <> (e.key IN ({_TIED}))",
    "SELECT one_key FROM ties WHERE one_key >= other_key OR passages < 1 OR strength NOT BETWEEN 0 AND 1"
    " OR one_key NOT IN (SELECT key FROM nodes) OR other_key NOT IN (SELECT key FROM nodes)",
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
            "{count} community, tie or place is not as it follows from facts and names",
            "{count} communities, ties or places are not as they follow from facts and names",
        ),
    )


def _group_again(ground: Ground, _: Sequence[int]) -> None:
    for table in (
        "community_members",
        "communities",
        "community_reports",
        "communities_to_tell",
        "layout",
        "ties",
    ):
        ground.connection.execute(f"DELETE FROM {table}")
    touch_entities(ground, ground.keys("SELECT key FROM entities"))  # which are nodes is judged again
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
