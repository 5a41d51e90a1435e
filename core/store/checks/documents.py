"""The file, its references, and documents with their passages and what was read from them, each in its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from core.store.checks.rule import (
    AGAIN,
    REPAIR,
    RESTORE,
    Found,
    Ground,
    Rule,
    encode_again,
    extract_again,
    finding,
    read_again,
    touch_entities,
    unsettle,
)
from core.store.facts import identify_fact
from core.store.passages import STAGES
from core.text.translation import markn, tr, trn
from core.types.kinds import stable_id

# SQLite does not look at the constraints of what is opened for reading only.
_KNOWN = "('pending', 'done', 'failed')"
_FARTHEST = 1e6  # points; no page is 350 m wide
# Documents that the next run reads anew, and passages that it goes through anew, need not fit meanwhile.
_SETTLED = "NOT EXISTS (SELECT 1 FROM files f WHERE f.key = d.file_key AND f.reader = '')"
_EXTRACTED = "NOT EXISTS (SELECT 1 FROM stages s WHERE s.passage_key = p.key"
_EXTRACTED += " AND s.stage = 'extract' AND s.state = 'pending')"
_STAGELESS = (
    "SELECT p.key FROM passages p LEFT JOIN stages s ON s.passage_key = p.key GROUP BY p.key"
    f" HAVING count(s.stage) <> {len(STAGES)} OR sum(s.state IN {_KNOWN}) <> {len(STAGES)}"
    f" OR sum(s.stage IN ({', '.join(repr(stage) for stage in STAGES)})) <> {len(STAGES)}"
)
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
    """Drop rows whose owner is gone; passages that lose an entity or fact so are extracted again."""
    for table, parent, number in sorted(set(rows)):
        keys = [row for row in ground.rows(f"PRAGMA foreign_key_list({table})") if row[0] == number]
        (_, _, _, column, target, _, on_delete, _) = keys[0]
        lost = f"NOT EXISTS (SELECT 1 FROM {parent} parent WHERE parent.{target} = {table}.{column})"
        lost = f"{column} IS NOT NULL AND {lost}"
        if on_delete == "SET NULL" or table == "communities":
            ground.connection.execute(f"UPDATE {table} SET {column} = NULL WHERE {lost}")
            continue
        if table in ("mentions", "triples"):
            extract_again(ground, ground.keys(f"SELECT DISTINCT passage_key FROM {table} WHERE {lost}"))
        if table == "candidate_facts":
            gone = f"fact_key IN (SELECT key FROM candidate_facts WHERE {lost})"
            extract_again(ground, ground.keys(f"SELECT DISTINCT passage_key FROM triples WHERE {gone}"))
            ground.connection.execute(f"DELETE FROM triples WHERE {gone}")
        if table == "community_members":
            touch_entities(ground, ground.keys(f"SELECT entity_key FROM community_members WHERE {lost}"))
        if table == "review_items":  # what somebody decided stays, though nobody knows who
            ground.connection.execute(
                "INSERT INTO review_acts SELECT DISTINCT act_key, 'lost-' || act_key, '1970-01-01T00:00:00+00:00', '',"
                f" 'lost', '', '' FROM review_items WHERE {lost}"
            )
            continue
        ground.connection.execute(f"DELETE FROM {table} WHERE {lost}")
    unsettle(ground)


def _states(ground: Ground) -> Found:
    """Documents whose state their passages contradict, or whose passages lack a stage."""
    pending = "EXISTS (SELECT 1 FROM passages p JOIN stages s ON s.passage_key = p.key"
    pending += " WHERE p.document_key = d.key AND s.state = 'pending')"
    bad = ground.keys(
        f"SELECT d.key FROM documents d WHERE (d.state = 'done' AND {pending}) OR d.state NOT IN {_KNOWN}"
        " OR (d.state = 'failed' AND (d.reason = '' OR EXISTS"
        " (SELECT 1 FROM passages p WHERE p.document_key = d.key)))"
        + (f" OR (d.state = 'pending' AND NOT {pending})" if ground.settled else "")
        + f" UNION SELECT document_key FROM passages WHERE key IN ({_STAGELESS})"
    )
    return finding(
        bad,
        trn("{count} document", "{count} documents", ground.count("SELECT count(*) FROM documents")),
        markn(
            "{count} document is in a state that its passages contradict",
            "{count} documents are in a state that their passages contradict",
        ),
    )


def _renew_states(ground: Ground, documents: Sequence[int]) -> None:
    """Done comes by itself where nothing is pending; a failed one is read again."""
    passages = ground.keys(_STAGELESS)
    ground.change("DELETE FROM stages WHERE passage_key = ?", passages)
    encode_again(ground, passages)
    extract_again(ground, passages)
    failed = set(ground.keys("SELECT key FROM documents WHERE state = 'failed'"))
    read_again(ground, failed.intersection(documents))
    ground.change("UPDATE documents SET state = 'pending' WHERE key = ?", documents)


def _settings(ground: Ground) -> Found:
    numbers = ground.rows("SELECT name, value FROM settings WHERE name IN ('revision', 'facts_changed')")
    bad = [name for name, value in numbers if not str(value).isdecimal()]
    return finding(
        bad,
        tr("revision {revision}", revision=dict(numbers).get("revision", "0")),
        markn("{count} number among the settings is none", "{count} numbers among the settings are none"),
    )


def _reset_settings(ground: Ground, names: Sequence[str]) -> None:
    """A revision that no derived file was stamped with."""
    ground.change("UPDATE settings SET value = strftime('%s', 'now') WHERE name = ?", names)
    unsettle(ground)


def _documents(ground: Ground) -> Found:
    """Ids are hashes of paths, paths begin with their file's, only what was read has a text."""
    bad = []
    rows = ground.rows(
        "SELECT d.key, d.id, d.path, d.sha256, d.state, f.path, f.sha256,"
        " EXISTS (SELECT 1 FROM document_texts t WHERE t.document_key = d.key),"
        " EXISTS (SELECT 1 FROM excluded e WHERE e.path = d.path)"
        f" FROM documents d LEFT JOIN files f ON f.key = d.file_key WHERE {_SETTLED}"
    )
    for key, id, path, sha256, state, file, content, has_text, excluded in rows:
        fits = bool(has_text) == (state != "failed") and not excluded
        if file is not None:
            inside = path == file or path.startswith(f"{file}/")
            fits = fits and inside and id == stable_id("document", path) and sha256 == content
        if not fits:
            bad.append(key)
    return finding(
        bad,
        trn("{count} document", "{count} documents", len(rows)),
        markn(
            "{count} document does not fit its id, file or text",
            "{count} documents do not fit their id, file or text",
        ),
    )


def _read_or_drop(ground: Ground, documents: Sequence[int]) -> None:
    """A file is read again; an id that is wrong would stand in the way of the right one."""
    read_again(ground, documents)
    for key, id, path in ground.rows("SELECT key, id, path FROM documents WHERE file_key IS NOT NULL"):
        if key in set(documents) and id != stable_id("document", path):
            ground.connection.execute("DELETE FROM documents WHERE key = ?", (key,))


def _passages(ground: Ground) -> Found:
    """Documents whose passages are not its text at their place, under hashes of both, with ordinals from 0."""
    bad = []
    count = 0
    for key, document, from_file, title, text in ground.rows(
        "SELECT d.key, d.id, d.file_key IS NOT NULL, d.title, coalesce(t.text, '') FROM documents d"
        f" LEFT JOIN document_texts t ON t.document_key = d.key WHERE {_SETTLED}"
    ):
        passages = ground.rows(
            'SELECT id, ordinal, start, "end", title, text FROM passages WHERE document_key = ? ORDER BY ordinal',
            key,
        )
        count += len(passages)
        for at, (id, ordinal, start, end, own_title, content) in enumerate(passages):
            fits = ordinal == at and 0 <= start <= end
            if from_file:  # a long title is cut for its passages
                fits = fits and text[start:end] == content and _flat(title).startswith(_flat(own_title))
                fits = fits and id == stable_id("passage", document, str(start), content)
            if not fits:
                bad.append(key)
                break
    return finding(
        bad,
        trn("{count} passage", "{count} passages", count),
        markn(
            "passages of {count} document differ from its text, or from their ids",
            "passages of {count} documents differ from their texts, or from their ids",
        ),
    )


def _flat(title: str) -> str:
    return " ".join(title.split())


def _places(ground: Ground) -> Found:
    """Documents with parts outside of their text, or whose passages have sentences, mentions or triples outside."""
    inside = (
        '(0 <= x.start AND x.start <= x."end" AND x."end" <= length(t.text)) AND instr(t.text, char(0)) = 0'
    )
    bad = set(_boxes(ground))  # SQLite counts no further than a NUL
    for table in ("pages", "regions", "blocks", "tables"):
        bad |= set(
            ground.keys(
                f"SELECT x.document_key FROM {table} x JOIN document_texts t ON t.document_key = x.document_key"
                f" JOIN documents d ON d.key = x.document_key WHERE {_SETTLED} AND NOT {inside}"
            )
        )
    for table, fits in (
        ("sentences", ""),
        ("mentions", ""),
        ("triples", " OR NOT x.confidence BETWEEN 0 AND 1"),
    ):
        own = inside.replace("t.text", "p.text")
        bad |= set(
            ground.keys(
                f"SELECT p.document_key FROM {table} x JOIN passages p ON p.key = x.passage_key"
                f" JOIN documents d ON d.key = p.document_key WHERE {_SETTLED} AND {_EXTRACTED} AND (NOT {own}{fits})"
            )
        )
    return finding(
        sorted(bad),
        tr("pages, regions, blocks, boxes, sentences, mentions, triples"),
        markn(
            "{count} document has parts outside of its text",
            "{count} documents have parts outside of their text",
        ),
    )


def _boxes(ground: Ground) -> Iterator[int]:
    """Documents whose boxes are no runs of their text, in order, with a page and four measures each."""
    for key, spans, corners, length in ground.connection.execute(
        "SELECT x.document_key, x.spans, x.corners, length(t.text) FROM boxes x"
        " JOIN documents d ON d.key = x.document_key JOIN document_texts t ON t.document_key = d.key"
        f" WHERE {_SETTLED} AND instr(t.text, char(0)) = 0"
    ):
        if len(spans) % 12 or len(corners) != len(spans) // 12 * 16:
            yield key
            continue
        starts, ends, pages = np.frombuffer(spans, "<i4").reshape(-1, 3).T
        measures = np.frombuffer(corners, "<f4")
        in_order = np.all(starts[1:] >= starts[:-1]) and np.all((starts >= 0) & (starts <= ends))
        inside = np.all(ends <= length) and np.all(pages >= 1)
        if not (in_order and inside and np.all(np.abs(measures) < _FARTHEST)):  # so that NaN is bad, too
            yield key


def _read_and_extract_again(ground: Ground, documents: Sequence[int]) -> None:
    read_again(ground, documents)
    for key in documents:
        extract_again(ground, ground.keys("SELECT key FROM passages WHERE document_key = ?", key))


def _ids(ground: Ground) -> Found:
    bad = [*_wrong_entities(ground), *_wrong_facts(ground)]
    return finding(
        bad,
        tr("of entities and facts"),
        markn("{count} id is not of its names", "{count} ids are not of their names"),
    )


def _wrong_entities(ground: Ground) -> list[tuple[str, int]]:
    """(id as it should be, key)."""
    rows = ground.rows("SELECT key, id, normal FROM entities")
    return [(right, key) for key, id, normal in rows if id != (right := stable_id("entity", normal))]


def _wrong_facts(ground: Ground) -> list[tuple[str, int]]:
    rows = ground.connection.execute(
        "SELECT f.key, f.id, s.id, f.predicate, o.id, f.assertion, f.source FROM candidate_facts f"
        " JOIN entities s ON s.key = f.subject_key JOIN entities o ON o.key = f.object_key"
    )
    return [(right, key) for key, id, *parts in rows if id != (right := identify_fact(*parts))]


def _rename(ground: Ground, _: Sequence[object]) -> None:
    for table, find in (("entities", _wrong_entities), ("candidate_facts", _wrong_facts)):
        wrong = find(ground)
        ground.change(f"UPDATE {table} SET id = '~' || key WHERE key = ?", [key for _, key in wrong])
        ground.connection.executemany(f"UPDATE {table} SET id = ? WHERE key = ?", wrong)
    unsettle(ground)


def _unsupported(ground: Ground) -> Found:
    """What lost its support in a run that is not finished goes at that run's end."""
    bad = ground.settled and ground.rows(
        "SELECT 'touched_facts', key FROM candidate_facts WHERE key NOT IN (SELECT fact_key FROM triples)"
        " UNION ALL SELECT 'touched_entities', key FROM entities WHERE key NOT IN (SELECT entity_key FROM mentions)"
        " AND key NOT IN (SELECT subject_key FROM candidate_facts UNION SELECT object_key FROM candidate_facts)"
    )
    return finding(
        bad or (),
        trn("{count} entity", "{count} entities", ground.count("SELECT count(*) FROM entities")),
        markn("{count} fact or entity is in no passage", "{count} facts or entities are in no passage"),
    )


def _touch(ground: Ground, rows: Sequence[tuple[str, int]]) -> None:
    """The next run sweeps them."""
    for table, key in rows:
        ground.connection.execute(f"INSERT OR IGNORE INTO {table} VALUES (?)", (key,))


RULES = (
    Rule(tr("database pages"), _pages, RESTORE, _rebuild_indexes),
    Rule(tr("references between rows"), _dangling, AGAIN, _drop_dangling),
    Rule(tr("settings"), _settings, AGAIN, _reset_settings),
    Rule(tr("documents"), _documents, AGAIN, _read_or_drop),
    Rule(tr("states of documents"), _states, AGAIN, _renew_states),
    Rule(tr("passages"), _passages, AGAIN, read_again),
    Rule(tr("places in texts"), _places, AGAIN, _read_and_extract_again),
    Rule(tr("ids"), _ids, REPAIR, _rename),
    Rule(tr("facts and entities are in passages"), _unsupported, AGAIN, _touch),
)
