"""A query over all rows, or over those of some keys: one text for both, so that they cannot differ."""

from __future__ import annotations

import json
from collections.abc import Iterable


def in_clause(column: str, keys: Iterable[int] | None, number: int = 1) -> tuple[str, tuple[str, ...]]:
    """What follows a WHERE clause, and its value, the statement's `number`-th: `column` is one of the keys, however
    many. Nothing for None."""
    if keys is None:
        return "", ()
    return f" AND {column} IN (SELECT value FROM json_each(?{number:d}))", (
        json.dumps([int(key) for key in keys]),
    )
