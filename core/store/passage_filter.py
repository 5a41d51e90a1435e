"""Passages that a search is kept to, as SQL."""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray


class PassageFilter:
    """A condition on `rowid` with one value: the `keys` of these passages."""

    # The plus keeps FTS5 from looking each key up: it ranks its matches once, and these are taken from them.
    where = " AND +rowid IN (SELECT value FROM json_each(?))"

    def __init__(self, keys: NDArray[np.int64]) -> None:
        self.listed = json.dumps(keys.tolist())
