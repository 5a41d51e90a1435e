"""Files of the program and of the person; `RESOURCES` is the folder of what ships with Clew."""

from __future__ import annotations

from pathlib import Path

RESOURCES = Path(__file__).resolve().parents[2] / "resources"
