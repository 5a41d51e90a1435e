"""Views of the graph that people keep by name: a setting of the workspace, so that they go with it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from core.files.safe_files import parse_json
from core.store.settings import Settings
from core.types import GraphFilter, GraphShape, KeptView
from core.types.edges import EDGE_KINDS
from core.types.graph_shape import NAMED, NUMBERED

_SETTING = "graph.views"


class KeptViews:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def all(self) -> list[KeptView]:
        """As they were kept; what this version cannot read is left out."""
        try:
            rows = parse_json(self._settings.get(_SETTING, "[]"))
        except ValueError:
            return []
        found = [_read(row) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
        return [view for view in found if view is not None]

    def set(self, views: Iterable[KeptView]) -> None:
        rows = [asdict(view) for view in views]
        for row in rows:
            row["shape"]["hidden"] = sorted(row["shape"]["hidden"])
        self._settings.set(_SETTING, json.dumps(rows, ensure_ascii=False))


def _read(row: dict[str, Any]) -> KeptView | None:
    """One view of a file that may come from anywhere; None where it is none."""
    try:
        shape, wanted = row["shape"], row["shape"]["filter"]
        passes = GraphFilter(
            _strings(wanted["labels"]), _whole(wanted["communities"]), int(wanted["degree"]),
            str(wanted["since"]), str(wanted["until"]), float(wanted["probability"]),
            _strings(wanted["documents"]), _strings(wanted["states"]),
            tuple(kind for kind in _strings(wanted.get("edges", ())) if kind in EDGE_KINDS),
        )  # fmt: skip
        pinned = tuple((str(id), float(x), float(y)) for id, x, y in shape["pinned"])
        colour, size = str(shape["colour"]), str(shape["size"])
        if colour not in NAMED + NUMBERED or size not in NUMBERED:
            return None
        camera = tuple(map(float, row["camera"])) if row["camera"] is not None else None
        if camera is not None and len(camera) != 3:
            return None
        folds = bool(row["folds"]) if row["folds"] is not None else None
        graph_shape = GraphShape(passes, frozenset(_strings(shape["hidden"])), pinned, colour, size)
        return KeptView(str(row["name"]), graph_shape, folds, _whole(row["opened"]), camera)
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def _strings(values: Iterable[object]) -> tuple[str, ...]:
    return tuple(map(str, values))


def _whole(values: Iterable[Any]) -> tuple[int, ...]:
    return tuple(map(int, values))
