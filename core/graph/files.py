"""Synonymy edges on disk: derived, stamped with the revision, deleted at will."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import numpy as np

from core.graph.build import Edges

NAME = "synonyms.npz"


def save_edges(folder: Path, edges: Edges, revision: int) -> None:
    """Write the edges atomically."""
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"{NAME}.part"
    with open(part, "wb") as file:
        np.savez(file, ends=edges.ends, weights=edges.weights, revision=np.array(revision))
    os.replace(part, folder / NAME)


def load_edges(folder: Path, revision: int) -> Edges | None:
    """The edges of this revision, or None when the file is missing, stale or damaged."""
    try:
        with np.load(folder / NAME, allow_pickle=False) as data:
            if int(data["revision"]) != revision:
                return None
            return Edges(data["ends"], data["weights"])
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        return None
