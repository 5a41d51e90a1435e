"""Documents, passages and what was found in them: each in its place in the text, under the id of its content."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from core.store.checks.again import extract_again, read_again, unsettle
from core.store.checks.rule import AGAIN, REPAIR, Found, Ground, Rule, finding
from core.store.facts import identify_fact
from core.text.translation import markn, tr, trn
from core.types.identity import stable_id

_FARTHEST = 1e6  # points; no page is 350 m wide
# Documents that the next run reads anew need not fit meanwhile.
_SETTLED = "NOT EXISTS (SELECT 1 FROM files f WHERE f.key = d.file_key AND f.reader = '')"
# Neither need the passages that it goes through anew.
_EXTRACTED = "NOT EXISTS (SELECT 1 FROM stages s WHERE s.passage_key = p.key AND s.stage = 'extract'"
_EXTRACTED += " AND s.state = 'pending')"


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
    """Texts stand in their document at their place, ids are hashes of both, ordinals count from 0."""
    bad: list[int] = []
    count = 0
    for document, from_file, title, text, passages in _by_document(ground):
        count += len(passages)
        for at, (key, id, ordinal, start, end, own_title, content) in enumerate(passages):
            fits = ordinal == at and 0 <= start <= end
            if from_file:
                # A long title is cut for its passages.
                fits = fits and text[start:end] == content and _flat(title).startswith(_flat(own_title))
                fits = fits and id == stable_id("passage", document, str(start), content)
            if not fits:
                bad.append(key)
    return finding(
        bad,
        trn("{count} passage", "{count} passages", count),
        markn(
            "{count} passage differs from the text of its document, or from its id",
            "{count} passages differ from the text of their document, or from their id",
        ),
    )


def _flat(title: str) -> str:
    return " ".join(title.split())


def _by_document(
    ground: Ground,
) -> Iterator[tuple[str, bool, str, str, list[tuple[int, str, int, int, int, str, str]]]]:
    """Id, whether it comes from a file, title, text and passages of each document that is settled."""
    documents = ground.rows(
        "SELECT d.key, d.id, d.file_key IS NOT NULL, d.title, coalesce(t.text, '') FROM documents d"
        f" LEFT JOIN document_texts t ON t.document_key = d.key WHERE {_SETTLED}"
    )
    for key, id, from_file, title, text in documents:
        passages = ground.rows(
            'SELECT key, id, ordinal, start, "end", title, text FROM passages WHERE document_key = ? ORDER BY ordinal',
            key,
        )
        yield id, bool(from_file), title, text, passages


def _read_passages_again(ground: Ground, passages: Sequence[int]) -> None:
    """Without a file to read there is nothing to go by: then it stays as it is."""
    documents = {
        key
        for passage in passages
        for key in ground.keys("SELECT document_key FROM passages WHERE key = ?", passage)
    }
    read_again(ground, documents)


def _places(ground: Ground) -> Found:
    """Pages, named regions and blocks lie in their document, sentences in their passage."""
    bad = set()
    for table in ("pages", "regions", "blocks", "tables"):
        bad |= set(
            ground.keys(
                f"SELECT x.document_key FROM {table} x JOIN document_texts t ON t.document_key = x.document_key"
                f" JOIN documents d ON d.key = x.document_key WHERE {_SETTLED} AND"
                ' NOT (0 <= x.start AND x.start <= x."end" AND x."end" <= length(t.text))'
                " AND instr(t.text, char(0)) = 0"  # SQLite counts no further than a NUL
            )
        )
    bad |= set(
        ground.keys(
            "SELECT p.document_key FROM sentences x JOIN passages p ON p.key = x.passage_key"
            f" JOIN documents d ON d.key = p.document_key WHERE {_SETTLED} AND"
            ' NOT (0 <= x.start AND x.start < x."end" AND x."end" <= length(p.text))'
            " AND instr(p.text, char(0)) = 0"
        )
    )
    bad |= set(_boxes(ground))
    return finding(
        sorted(bad),
        tr("pages, regions, blocks, boxes, sentences"),
        markn(
            "{count} document has parts outside of its text",
            "{count} documents have parts outside of their text",
        ),
    )


def _boxes(ground: Ground) -> list[int]:
    """Documents whose boxes are no runs of their text, in order, with a page and four measures each."""
    bad = []
    for key, spans, corners, length in ground.connection.execute(
        "SELECT x.document_key, x.spans, x.corners, length(t.text) FROM boxes x"
        " JOIN documents d ON d.key = x.document_key JOIN document_texts t ON t.document_key = d.key"
        f" WHERE {_SETTLED} AND instr(t.text, char(0)) = 0"
    ):
        if len(spans) % 12 or len(corners) != len(spans) // 12 * 16:
            bad.append(key)
            continue
        starts, ends, pages = np.frombuffer(spans, "<i4").reshape(-1, 3).T
        measures = np.frombuffer(corners, "<f4")
        in_order = np.all(starts[1:] >= starts[:-1]) and np.all((starts >= 0) & (starts <= ends))
        inside = np.all(ends <= length) and np.all(pages >= 1)
        if not (in_order and inside and np.all(np.abs(measures) < _FARTHEST)):  # so that NaN is bad, too
            bad.append(key)
    return bad


def _mentions(ground: Ground) -> Found:
    bad = _extracted_outside(ground, "mentions")
    return finding(
        bad,
        trn("{count} mention", "{count} mentions", ground.count("SELECT count(*) FROM mentions")),
        markn("{count} passage has mentions outside", "{count} passages have mentions outside"),
    )


def _triples(ground: Ground) -> Found:
    bad = set(_extracted_outside(ground, "triples"))
    bad |= set(
        ground.keys(
            "SELECT p.key FROM triples x JOIN passages p ON p.key = x.passage_key"
            f" WHERE {_EXTRACTED} AND NOT (0 <= x.confidence AND x.confidence <= 1)"
        )
    )
    total = ground.count("SELECT count(*) FROM triples")
    return finding(
        sorted(bad),
        trn("{count} triple", "{count} triples", total),
        markn(
            "{count} passage has triples outside of it, or of no confidence",
            "{count} passages have triples outside of them, or of no confidence",
        ),
    )


def _extracted_outside(ground: Ground, table: str) -> list[int]:
    return ground.keys(
        f"SELECT DISTINCT p.key FROM {table} x JOIN passages p ON p.key = x.passage_key WHERE {_EXTRACTED} AND"
        ' NOT (0 <= x.start AND x.start <= x."end" AND x."end" <= length(p.text)) AND instr(p.text, char(0)) = 0'
    )


def _entity_ids(ground: Ground) -> Found:
    rows = ground.rows("SELECT key, id, normal FROM entities")
    bad = [key for key, id, normal in rows if id != stable_id("entity", normal)]
    return finding(
        bad,
        trn("{count} entity", "{count} entities", len(rows)),
        markn(
            "{count} entity has an id that is not of its name",
            "{count} entities have an id that is not of their name",
        ),
    )


def _fact_ids(ground: Ground) -> Found:
    bad = [row[0] for row in _facts(ground) if row[1] != row[2]]
    total = ground.count("SELECT count(*) FROM candidate_facts")
    return finding(
        bad,
        trn("{count} fact", "{count} facts", total),
        markn(
            "{count} fact has an id that is not of its ends",
            "{count} facts have an id that is not of their ends",
        ),
    )


def _facts(ground: Ground) -> Iterator[tuple[int, str, str]]:
    """Key, id as it is, id as it should be."""
    for key, id, *parts in ground.connection.execute(
        "SELECT f.key, f.id, s.id, f.predicate, o.id, f.assertion, f.source FROM candidate_facts f"
        " JOIN entities s ON s.key = f.subject_key JOIN entities o ON o.key = f.object_key"
    ):
        yield key, id, identify_fact(*parts)


def _rename_entities(ground: Ground, keys: Sequence[int]) -> None:
    wanted = set(keys)
    rows = [row for row in ground.rows("SELECT key, normal FROM entities") if row[0] in wanted]
    ground.connection.executemany(
        "UPDATE entities SET id = ? WHERE key = ?",
        [(stable_id("entity", normal), key) for key, normal in rows],
    )
    _rename_facts(ground, [])
    unsettle(ground)


def _rename_facts(ground: Ground, _: Sequence[int]) -> None:
    wrong = [(right, key) for key, id, right in list(_facts(ground)) if id != right]
    ground.connection.executemany(
        "UPDATE candidate_facts SET id = '~' || key WHERE key = ?", [(key,) for _, key in wrong]
    )
    ground.connection.executemany("UPDATE candidate_facts SET id = ? WHERE key = ?", wrong)
    unsettle(ground)


RULES = (
    Rule(tr("documents"), _documents, AGAIN, _read_or_drop),
    Rule(tr("passages"), _passages, AGAIN, _read_passages_again),
    Rule(tr("places in texts"), _places, AGAIN, read_again),
    Rule(tr("mentions"), _mentions, AGAIN, extract_again),
    Rule(tr("triples"), _triples, AGAIN, extract_again),
    Rule(tr("ids of entities"), _entity_ids, REPAIR, _rename_entities),
    Rule(tr("ids of facts"), _fact_ids, REPAIR, _rename_facts),
)
