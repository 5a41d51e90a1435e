"""Finds where a workbook's sheets begin: kreuzberg tells the cells from the first filled one on, not its place."""

from __future__ import annotations

import io
from collections.abc import Mapping

from python_calamine import CalamineError, CalamineWorkbook

from core.ingest.reading import is_panic


def origins(data: bytes, shapes: Mapping[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """Row and column, from 0, at which each sheet's cells begin.

    `shapes` has the rows and columns of each sheet as they were read; a sheet whose used range has
    another shape is left out, for its cells would be named wrongly.
    """
    found: dict[str, tuple[int, int]] = {}
    try:
        with CalamineWorkbook.from_filelike(io.BytesIO(data)) as book:
            for name in book.sheet_names:
                if name not in shapes:
                    continue
                sheet = book.get_sheet_by_name(name)
                if sheet.start is not None and (sheet.height, sheet.width) == shapes[name]:
                    found[name] = sheet.start
    except (CalamineError, OSError, ValueError):
        return {}
    except BaseException as error:
        if not is_panic(error):
            raise
        return {}
    return found
