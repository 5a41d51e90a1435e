"""Records as what JSON knows."""

from __future__ import annotations

import dataclasses


def to_jsonable(value: object) -> object:
    """Return records, tuples and numpy numbers as objects, lists and numbers.

    The key of a field is its name, or `key` in its metadata where files and scripts know it by another one.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            f.metadata.get("key", f.name): to_jsonable(getattr(value, f.name))
            for f in dataclasses.fields(value)
        }
    if isinstance(value, dict):
        return {str(key): to_jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_jsonable(item) for item in value]
    item = getattr(value, "item", None)
    return item() if callable(item) else value


def fields_of(record: object, *names: str) -> dict[str, object]:
    """These of its fields."""
    return {name: getattr(record, name) for name in names}
