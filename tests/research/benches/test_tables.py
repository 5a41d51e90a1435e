"""The expected answers of the tables bench, counted by hand."""

from __future__ import annotations

import random
from pathlib import Path

from core.research.benches.tables import generated, register_of

ROWS = [("Ant", "Oslo", 2.5, "1,250"), ("Bee", "Oslo", 4.0, "900"), ("Cod", "Riga", 1.0, "1,000")]


def test_expected_sums_are_those_of_the_raw_cells(tmp_path: Path) -> None:
    rows = [(f"{name} {at}", town, weight, price) for at in range(4) for name, town, weight, price in ROWS]
    path = tmp_path / "boats.csv"
    lines = ["name,town,weight,price", *(f'{n},{t},{w},"{p}"' for n, t, w, p in rows)]
    path.write_text("\n".join(lines), encoding="utf-8")
    register = register_of(path)
    assert register is not None
    assert register.measures == (2,), "a number that needs reading is no column to expect sums of"
    sums = {
        each.value: each.expected for each in generated([register], random.Random(3)) if each.kind == "sums"
    }
    by_hand = {town: sum(w for _, t, w, _ in rows if t == town) for town in ("Oslo", "Riga")}
    assert sums and all(by_hand[town] == total for town, total in sums.items() if town in by_hand)
    assert set(sums) & set(by_hand)
