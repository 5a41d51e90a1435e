"""Homonyms: every mention points to the bearer of its name whom its document means."""

from __future__ import annotations

from collections.abc import Sequence

from core.store.checks.again import unsettle
from core.store.checks.rule import AGAIN, Found, Ground, Rule, finding

_BARE = "substr(e.normal, 1, instr(e.normal || char(31), char(31)) - 1)"
_SENSE = "substr(e.normal, instr(e.normal || char(31), char(31)) + 1)"


def _senses(ground: Ground) -> Found:
    signs = ground.count("SELECT count(*) FROM signs WHERE sense <> ''")
    if not ground.settled:
        return Found((), f"{signs:,} names in a sense, in step when the unfinished run ends")
    bad = ground.keys(
        "SELECT DISTINCT p.document_key FROM mentions m JOIN passages p ON p.key = m.passage_key"
        f" JOIN entities e ON e.key = m.entity_key LEFT JOIN signs s ON s.document_key = p.document_key"
        f" AND s.normal = {_BARE} WHERE {_SENSE} <> coalesce(s.sense, '')"
    )
    return finding(bad, f"{signs:,} names in a sense", "documents mean another bearer of a name")


def _read_signs_again(ground: Ground, documents: Sequence[int]) -> None:
    ground.change("INSERT OR IGNORE INTO touched_documents VALUES (?)", documents)
    unsettle(ground)


RULES = (Rule("senses of names", _senses, AGAIN, _read_signs_again),)
