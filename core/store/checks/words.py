"""The full-text index: every word of every passage, and of nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from core.store.checks.rule import REPAIR, Found, Ground, Rule, finding
from core.text.translation import markn, tr, trn

# As migration 15 has it.
_PASSAGES = "SELECT key, searchable(title || char(10) || headings), searchable(text) FROM passages"
_ROWS = 20_000  # occurrences compared at a time


def _rows(ground: Ground) -> Found:
    """One entry for each passage."""
    bad = ground.keys(
        "SELECT id FROM passages_text_docsize WHERE id NOT IN (SELECT key FROM passages)"
        " UNION ALL SELECT key FROM passages WHERE key NOT IN (SELECT id FROM passages_text_docsize)"
    )
    total = ground.count("SELECT count(*) FROM passages_text_docsize")
    return finding(
        bad,
        trn("{count} entry", "{count} entries", total),
        markn(
            "{count} entry of the full-text index has no passage, or the reverse",
            "{count} entries of the full-text index have no passage, or the reverse",
        ),
    )


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
        left, right = actual.fetchmany(_ROWS), meant.fetchmany(_ROWS)
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


RULES = (
    Rule(tr("entries of the full-text index"), _rows, REPAIR, _rebuild),
    Rule(tr("words of the full-text index"), _words, REPAIR, _rebuild),
)
