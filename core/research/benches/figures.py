"""What a benchmark tells."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """`baseline` is what the value is compared with in the same run, `goal` in words."""

    value: float
    unit: str
    baseline: float | None = None
    goal: str = ""
