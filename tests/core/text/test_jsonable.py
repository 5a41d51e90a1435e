"""Records become JSON under the keys that scripts and files know, whatever their fields are called."""

from __future__ import annotations

import pytest

from core.text.jsonable import to_jsonable
from core.types import DerivedEdge, Pin, PinRun, Written


@pytest.mark.parametrize(
    ("record", "keys"),
    [
        (Pin("1", "Who?", "", (), "auto", "2026-01-01"), {"made"}),
        (PinRun(1, "2026-01-01", 1, ()), {"made"}),
        (DerivedEdge("before", "before", "a", "A", "b", "B", ()), {"of", "of_id"}),
        (Written(), {"kept", "model"}),
    ],
    ids=["a pin", "a run", "an edge", "reports"],
)
def test_renamed_fields_keep_their_keys(record: object, keys: set[str]) -> None:
    found = to_jsonable(record)
    assert isinstance(found, dict) and keys <= found.keys()
