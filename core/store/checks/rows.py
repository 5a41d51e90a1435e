"""The file itself, and rows that nothing holds any more."""

from __future__ import annotations

from collections.abc import Sequence

from core.store.checks.again import encode_again, extract_again, group_again, touch_entities, unsettle
from core.store.checks.rule import AGAIN, REPAIR, RESTORE, Found, Ground, Rule, finding
from core.store.passages import STAGES
from core.text.translation import markn, tr, trn

# SQLite does not look at the constraints of what is opened for reading only.
_KNOWN = "('pending', 'done', 'failed')"
Dangling = tuple[str, str, int]  # table, the table it points at, number of the foreign key


def _pages(ground: Ground) -> Found:
    faults = [str(row[0]) for row in ground.rows("PRAGMA integrity_check(20)")]
    if faults == ["ok"]:
        pages, size = ground.count("PRAGMA page_count"), ground.count("PRAGMA page_size")
        return Found(
            (), trn("{count} page of {size} bytes", "{count} pages of {size} bytes", pages, size=size)
        )
    return Found(faults, faults[0].splitlines()[-1])


def _rebuild_indexes(ground: Ground, faults: Sequence[str]) -> None:
    """Indexes are derived from their tables; a page that is lost is not."""
    ground.connection.execute("REINDEX")


def _dangling(ground: Ground) -> Found:
    rows = [(row[0], row[2], row[3]) for row in ground.rows("PRAGMA foreign_key_check")]
    return finding(
        rows,
        tr("every row points at one that is there"),
        markn("{count} row points at nothing, in {tables}", "{count} rows point at nothing, in {tables}"),
        tables=", ".join(sorted({row[0] for row in rows})),
    )


def _drop_dangling(ground: Ground, rows: Sequence[Dangling]) -> None:
    """Rows whose owner is gone go too; passages that lose an entity or fact so are extracted again."""
    for table, parent, number in sorted(set(rows)):
        keys = [row for row in ground.rows(f"PRAGMA foreign_key_list({table})") if row[0] == number]
        (_, _, _, column, target, _, on_delete, _) = keys[0]
        lost = f"NOT EXISTS (SELECT 1 FROM {parent} parent WHERE parent.{target} = {table}.{column})"
        lost = f"{column} IS NOT NULL AND {lost}"
        if on_delete == "SET NULL":
            ground.connection.execute(f"UPDATE {table} SET {column} = NULL WHERE {lost}")
            continue
        if table == "mentions" and parent == "entities":
            extract_again(ground, ground.keys(f"SELECT DISTINCT passage_key FROM mentions WHERE {lost}"))
        if table == "triples" and parent == "candidate_facts":
            extract_again(ground, ground.keys(f"SELECT DISTINCT passage_key FROM triples WHERE {lost}"))
        if table == "candidate_facts":
            gone = f"fact_key IN (SELECT key FROM candidate_facts WHERE {lost})"
            extract_again(ground, ground.keys(f"SELECT DISTINCT passage_key FROM triples WHERE {gone}"))
            ground.connection.execute(f"DELETE FROM triples WHERE {gone}")
        if table == "community_members":
            touch_entities(ground, ground.keys(f"SELECT entity_key FROM community_members WHERE {lost}"))
        if table == "communities":
            group_again(ground)
            continue
        if table == "review_items":  # what somebody decided stays, though nobody knows who
            ground.connection.execute(
                "INSERT INTO review_acts SELECT DISTINCT act_key, 'lost-' || act_key, '1970-01-01T00:00:00+00:00', '',"
                f" 'lost', '', '' FROM review_items WHERE {lost}"
            )
            continue
        ground.connection.execute(f"DELETE FROM {table} WHERE {lost}")
    unsettle(ground)


def _unsupported_facts(ground: Ground) -> Found:
    bad = ground.keys(
        "SELECT key FROM candidate_facts f WHERE NOT EXISTS (SELECT 1 FROM triples t WHERE t.fact_key = f.key)"
    )
    if bad and not ground.settled:
        return _swept_later(
            bad,
            markn(
                "{count} fact rests on no triple, and goes when the unfinished run ends",
                "{count} facts rest on no triple, and go when the unfinished run ends",
            ),
        )
    return finding(
        bad,
        trn("{count} fact", "{count} facts", ground.count("SELECT count(*) FROM candidate_facts")),
        markn("{count} fact rests on no triple", "{count} facts rest on no triple"),
    )


def _unsupported_entities(ground: Ground) -> Found:
    bad = ground.keys(
        "SELECT key FROM entities e WHERE NOT EXISTS (SELECT 1 FROM mentions m WHERE m.entity_key = e.key)"
        " AND NOT EXISTS (SELECT 1 FROM candidate_facts f WHERE f.subject_key = e.key OR f.object_key = e.key)"
    )
    if bad and not ground.settled:
        return _swept_later(
            bad,
            markn(
                "{count} entity has neither mention nor fact, and goes when the unfinished run ends",
                "{count} entities have neither mention nor fact, and go when the unfinished run ends",
            ),
        )
    return finding(
        bad,
        trn("{count} entity", "{count} entities", ground.count("SELECT count(*) FROM entities")),
        markn(
            "{count} entity has neither mention nor fact", "{count} entities have neither mention nor fact"
        ),
    )


def _swept_later(bad: list[int], words: tuple[str, str]) -> Found:
    """What lost its support in a run that is not finished goes at that run's end."""
    return Found((), trn(*words, len(bad)))


def _sweep_facts(ground: Ground, keys: Sequence[int]) -> None:
    ground.change("DELETE FROM candidate_facts WHERE key = ?", keys)


def _sweep_entities(ground: Ground, keys: Sequence[int]) -> None:
    ground.change("DELETE FROM entities WHERE key = ?", keys)


def _ownerless_vectors(ground: Ground) -> Found:
    rows = ground.rows(
        "SELECT kind, owner_key FROM embeddings WHERE CASE kind"
        " WHEN 'entity' THEN NOT EXISTS (SELECT 1 FROM entities e WHERE e.key = owner_key)"
        " WHEN 'passage' THEN NOT EXISTS (SELECT 1 FROM passages p WHERE p.key = owner_key)"
        " WHEN 'sentence' THEN NOT EXISTS (SELECT 1 FROM passages p WHERE p.key = owner_key)"
        " ELSE 1 END"
    )
    return finding(
        rows,
        tr("every vector has its owner"),
        markn("{count} vector belongs to nothing", "{count} vectors belong to nothing"),
    )


def _drop_vectors(ground: Ground, rows: Sequence[tuple[str, int]]) -> None:
    ground.connection.executemany("DELETE FROM embeddings WHERE kind = ? AND owner_key = ?", rows)


def _stages(ground: Ground) -> Found:
    marks = ", ".join("?" * len(STAGES))
    bad = ground.keys(
        "SELECT p.key FROM passages p LEFT JOIN stages s ON s.passage_key = p.key"
        f" GROUP BY p.key HAVING count(s.stage) <> {len(STAGES)} OR sum(s.stage IN ({marks})) <> {len(STAGES)}"
        f" OR sum(s.state IN {_KNOWN}) <> {len(STAGES)}",
        *STAGES,
    )
    total = ground.count("SELECT count(*) FROM passages")
    sound = trn(
        "{count} passage, {stages} stages each",
        "{count} passages, {stages} stages each",
        total,
        stages=len(STAGES),
    )
    return finding(
        bad,
        sound,
        markn(
            "{count} passage lacks a stage or has one of no name",
            "{count} passages lack a stage or have one of no name",
        ),
    )


def _renew_stages(ground: Ground, passages: Sequence[int]) -> None:
    ground.change("DELETE FROM stages WHERE passage_key = ?", passages)
    encode_again(ground, passages)
    extract_again(ground, passages)


def _states(ground: Ground) -> Found:
    pending = "EXISTS (SELECT 1 FROM passages p JOIN stages s ON s.passage_key = p.key"
    pending += " WHERE p.document_key = d.key AND s.state = 'pending')"
    bad = ground.keys(
        f"SELECT d.key FROM documents d WHERE (d.state = 'done' AND {pending})"
        f" OR d.state NOT IN {_KNOWN} OR (d.state = 'failed' AND (d.reason = ''"
        " OR EXISTS (SELECT 1 FROM passages p WHERE p.document_key = d.key)))"
        + (f" OR (d.state = 'pending' AND NOT {pending})" if ground.settled else "")
    )
    sound = trn("{count} document", "{count} documents", ground.count("SELECT count(*) FROM documents"))
    return finding(
        bad,
        sound,
        markn(
            "{count} document is in a state that its passages contradict",
            "{count} documents are in a state that their passages contradict",
        ),
    )


def _renew_states(ground: Ground, documents: Sequence[int]) -> None:
    """Done comes by itself where nothing is pending; a failed one is read again."""
    ground.change(
        "UPDATE files SET reader = '', signature = '' WHERE key ="
        " (SELECT file_key FROM documents WHERE key = ? AND state = 'failed')",
        documents,
    )
    ground.change("UPDATE documents SET state = 'pending' WHERE key = ?", documents)
    unsettle(ground)


def _settings(ground: Ground) -> Found:
    wanted = ("revision", "facts_changed")
    bad = [
        name
        for name, value in ground.rows("SELECT name, value FROM settings")
        if name in wanted and not str(value).isdecimal()
    ]
    return finding(
        bad,
        tr("revision {revision}", revision=_revision(ground)),
        markn("{count} number among the settings is none", "{count} numbers among the settings are none"),
    )


def _revision(ground: Ground) -> str:
    rows = ground.rows("SELECT value FROM settings WHERE name = 'revision'")
    return str(rows[0][0]) if rows else "0"


def _reset_settings(ground: Ground, names: Sequence[str]) -> None:
    """A revision that no derived file was stamped with."""
    ground.change("UPDATE settings SET value = strftime('%s', 'now') WHERE name = ?", names)
    touch_entities(ground, ground.keys("SELECT key FROM entities"))


RULES = (
    Rule(tr("database pages"), _pages, RESTORE, _rebuild_indexes),
    Rule(tr("references between rows"), _dangling, AGAIN, _drop_dangling),
    Rule(tr("facts have triples"), _unsupported_facts, REPAIR, _sweep_facts),
    Rule(tr("entities have mentions"), _unsupported_entities, REPAIR, _sweep_entities),
    Rule(tr("vectors have owners"), _ownerless_vectors, REPAIR, _drop_vectors),
    Rule(tr("stages of passages"), _stages, AGAIN, _renew_stages),
    Rule(tr("states of documents"), _states, AGAIN, _renew_states),
    Rule(tr("settings"), _settings, AGAIN, _reset_settings),
)
