"""Names that are one entity: heads, the merges they rest on, the blocks that find them, homonyms."""

from __future__ import annotations

from collections.abc import Sequence

from core.store.checks.again import touch_entities, unsettle
from core.store.checks.rule import AGAIN, Found, Ground, Rule, finding
from core.text.translation import markn, tr, trn

_BARE = "substr(e.normal, 1, instr(e.normal || char(31), char(31)) - 1)"
_SENSE = "substr(e.normal, instr(e.normal || char(31), char(31)) + 1)"


def _heads(ground: Ground) -> Found:
    """A head has no head itself; merges tie a name to its head, unless the unfinished run has yet to say so."""
    followers = dict(ground.rows("SELECT key, head_key FROM entities WHERE head_key IS NOT NULL"))
    if not ground.settled:
        return Found(
            (),
            trn(
                "{count} name under another, in step when the unfinished run ends",
                "{count} names under another, in step when the unfinished run ends",
                len(followers),
            ),
        )
    roots = _components(ground)
    bad = {
        key
        for key, head in followers.items()
        if key == head or head in followers or roots.get(key, key) != roots.get(head, head)
    }
    bad |= set(
        ground.keys(
            "SELECT a.key FROM decisions d JOIN entities a ON a.normal = d.one JOIN entities b ON b.normal = d.other"
            " WHERE d.verdict = 'different' AND coalesce(a.head_key, a.key) = coalesce(b.head_key, b.key)"
        )
    )
    return finding(
        sorted(bad),
        trn("{count} name under another", "{count} names under another", len(followers)),
        markn(
            "{count} name stands under one it does not belong to",
            "{count} names stand under one they do not belong to",
        ),
    )


def _components(ground: Ground) -> dict[int, int]:
    """The least key that merges tie a name to, of every name that has merges."""
    root: dict[int, int] = {}

    def find(key: int) -> int:
        while root.setdefault(key, key) != key:
            root[key] = root[root[key]]
            key = root[key]
        return key

    for one, other in ground.rows("SELECT one_key, other_key FROM merges"):
        left, right = find(one), find(other)
        root[max(left, right)] = min(left, right)
    return {key: find(key) for key in list(root)}


def _stand_alone(ground: Ground, names: Sequence[int]) -> None:
    ground.change("INSERT OR IGNORE INTO touched_entities SELECT head_key FROM entities WHERE key = ?", names)
    ground.change("UPDATE entities SET head_key = NULL WHERE key = ?", names)
    touch_entities(ground, names)
    unsettle(ground)


def _merges(ground: Ground) -> Found:
    bad = ground.keys(
        "SELECT one_key FROM merges WHERE NOT (one_key < other_key AND score > 0 AND rule <> '' AND reason <> '')"
    )
    return finding(
        bad,
        trn("{count} merge", "{count} merges", ground.count("SELECT count(*) FROM merges")),
        markn("{count} merge says no reason", "{count} merges say no reason"),
    )


def _merge_again(ground: Ground, names: Sequence[int]) -> None:
    touch_entities(ground, names)  # deleting touches the partners
    ground.change("DELETE FROM merges WHERE one_key = ?", names)
    unsettle(ground)


def _blocks(ground: Ground) -> Found:
    """Every name that can have synonyms can be found by its blocks, and no other is."""
    marks = ", ".join("?" * len(ground.unnamed))
    bad = ground.keys(
        f"SELECT key FROM entities WHERE (label IN ({marks})) = (key IN (SELECT entity_key FROM name_blocks))"
        " AND key NOT IN (SELECT entity_key FROM touched_entities)",
        *sorted(ground.unnamed),
    )
    total = ground.count("SELECT count(DISTINCT entity_key) FROM name_blocks")
    return finding(
        bad,
        trn("{count} name", "{count} names", total),
        markn("{count} name is not found by its blocks", "{count} names are not found by their blocks"),
    )


def _block_again(ground: Ground, names: Sequence[int]) -> None:
    touch_entities(ground, names)
    unsettle(ground)


def _senses(ground: Ground) -> Found:
    """Homonyms: every mention points to the bearer of its name whom somebody, or else its document, means."""
    signs = ground.count("SELECT count(*) FROM signs WHERE sense <> ''")
    signs += ground.count("SELECT count(*) FROM passage_senses")
    if not ground.settled:
        return Found(
            (),
            trn(
                "{count} name in a sense, in step when the unfinished run ends",
                "{count} names in a sense, in step when the unfinished run ends",
                signs,
            ),
        )
    bad = ground.keys(
        "SELECT DISTINCT p.document_key FROM mentions m JOIN passages p ON p.key = m.passage_key"
        f" JOIN entities e ON e.key = m.entity_key LEFT JOIN signs s ON s.document_key = p.document_key"
        f" AND s.normal = {_BARE} LEFT JOIN passage_senses x ON x.passage_key = p.key AND x.normal = {_BARE}"
        f" AND NOT m.stated WHERE {_SENSE} <> coalesce(x.sense, s.sense, '')"
    )
    return finding(
        bad,
        trn("{count} name in a sense", "{count} names in a sense", signs),
        markn(
            "{count} document means another bearer of a name",
            "{count} documents mean another bearer of a name",
        ),
    )


def _read_signs_again(ground: Ground, documents: Sequence[int]) -> None:
    ground.change("INSERT OR IGNORE INTO touched_documents VALUES (?)", documents)
    unsettle(ground)


RULES = (
    Rule(tr("names under their entity"), _heads, AGAIN, _stand_alone),
    Rule(tr("merges of names"), _merges, AGAIN, _merge_again),
    Rule(tr("blocks of names"), _blocks, AGAIN, _block_again),
    Rule(tr("senses of names"), _senses, AGAIN, _read_signs_again),
)
