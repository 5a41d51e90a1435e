"""Records as what JSON knows."""

from __future__ import annotations

import dataclasses


def plain(value: object) -> object:
    """Records, tuples and numpy numbers as objects, lists and numbers."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    item = getattr(value, "item", None)
    return item() if callable(item) else value


def fields_of(record: object, *names: str) -> dict[str, object]:
    """These of its fields."""
    return {name: getattr(record, name) for name in names}
