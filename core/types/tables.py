"""Tables of a document: columns with names, rows as records, each cell with its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class DocumentTable:
    """`cells`, (n, 4) int32 in reading order: row from 0 (the header left out), column, start, end in the document."""

    name: str  # of the sheet, or the caption; "" for none
    start: int
    end: int
    columns: tuple[str, ...]  # names in order; "" for a column without one
    cells: NDArray[np.int32]
