"""Records as what JSON knows."""

from __future__ import annotations

import dataclasses


def to_jsonable(value: object) -> object:
    """Records, tuples and numpy numbers as objects, lists and numbers."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_jsonable(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): to_jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_jsonable(item) for item in value]
    item = getattr(value, "item", None)
    return item() if callable(item) else value


def fields_of(record: object, *names: str) -> dict[str, object]:
    """These of its fields."""
    return {name: getattr(record, name) for name in names}
