"""Kills processes that write or use a snapshot, repeatedly, and compares the next question's snapshot with a new
one.
"""

from __future__ import annotations

import dataclasses
import random
import signal
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from core.errors import CoreError
from core.index.vector_table import Quantised
from core.progress import TaskContext
from core.research.benches.harness import Arguments, Figure, Figures, start_clew
from core.research.benches.kill import export
from core.retrieval.snapshot import read_extracted, read_snapshot
from core.retrieval.snapshot_file import FILE, forget_snapshot
from core.store.settings import MINILM
from core.store.store import Store
from core.store.workspace_files import DERIVED
from core.workspace import Workspace

KILLS = 200
SEED = 12
LATEST = 12.0  # latest second at which a process is killed
_ADDED_TEXT = "\n\nGwendolyn Ashworth met Barnaby Thistle in Riga in {year}.\n"
_QUESTION = "Who met Barnaby Thistle?"
OFF = 0.02  # tolerance of numbers in 8 bits


def run(arguments: Arguments) -> Figures:
    """Kill while the base is written, while a changed file is indexed, and while a question is asked meanwhile.

    Raises CoreError where the workspace is unsound afterwards.
    """
    kills = arguments.sizes[0] if arguments.sizes else KILLS
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        files = export(arguments.dataset, place / "folder")
        return _killed(files, place / "folder", place / "workspace", kills, arguments.context)


def _killed(files: list[Path], folder: Path, workspace: Path, kills: int, context: TaskContext) -> Figures:
    """Run the kills on a workspace of `folder`, which contains the `files`."""
    moments, texts = random.Random(SEED), {path: path.read_text("utf-8") for path in files}
    wrong: list[str] = []
    alive = 0
    index = ("index", str(folder), "--workspace", str(workspace), "--json")
    _index(index)
    for kill in range(kills):
        context.report("kills", kill, kills, "snapshots")
        changed = files[moments.randrange(len(files))]
        changed.write_text(texts[changed] + _ADDED_TEXT.format(year=1800 + kill), "utf-8")
        if kill % 3 == 0:
            forget_snapshot(workspace / DERIVED)
        started = [start_clew(*index)]
        if kill % 3 == 2:
            started.append(start_clew("ask", workspace, _QUESTION, "--json"))
        time.sleep(moments.uniform(0.3, LATEST))
        for process in started:
            alive += process.poll() is None
            process.send_signal(signal.SIGKILL)
            process.wait()
        wrong += differing(workspace)
    _index(index)
    wrong += differing(workspace)
    with Workspace.open(workspace, read_only=True) as opened:
        if bad := [check.name for check in opened.verify(context) if not check.ok]:
            raise CoreError("The workspace is unsound.", ", ".join(bad))
        left = len(files) - len(opened.documents.all())
    return {
        "snapshots: kills": Figure(kills, ""),
        "snapshots: kills that hit a process at work": Figure(alive, ""),
        "snapshots: asked over another than one made whole": Figure(len(wrong), "", None, "none"),
        "snapshots: documents lost": Figure(left, "", None, "none"),
        "snapshots: the base": Figure((workspace / DERIVED / FILE).stat().st_size / 1e6, "MB"),
    }


def differing(workspace: Path) -> list[str]:
    """Return the differences between the snapshot of the next process and a newly built one."""
    with Workspace.open(workspace, read_only=True) as opened:
        if not opened.counts().passages:
            return []
        found = opened.retrieval.asker().snapshot
    assert found.recipe is not None
    store = Store(workspace, MINILM.model, MINILM.dimension, read_only=True)
    expected = read_snapshot(store, found.recipe, read_extracted(store, found.recipe.synonymy))
    store.close()
    return differences(dataclasses.replace(found, recipe=None, state=None), expected)


def _index(command: Sequence[str]) -> None:
    if start_clew(*command).wait():
        raise CoreError("A run failed.", f"Run it by hand: clew {' '.join(command)}")


def differences(one: Any, other: Any, of: str = "") -> list[str]:
    """Return the names of the fields that differ: weights by more than rounding, all else exactly."""
    if dataclasses.is_dataclass(one) and not isinstance(one, type | Quantised):
        names = [each.name for each in dataclasses.fields(one)]
        return [
            d for name in names for d in differences(getattr(one, name), getattr(other, name), f"{of}.{name}")
        ]
    if sparse.issparse(one):
        parts = ("indptr", "indices", "data", "shape")
        return [
            d for name in parts for d in differences(getattr(one, name), getattr(other, name), f"{of}.{name}")
        ]
    if isinstance(one, np.ndarray):
        if one.dtype != other.dtype or one.shape != other.shape:
            return [f"{of}: {one.dtype}{one.shape} {other.dtype}{other.shape}"]
        near = np.allclose(one, other, rtol=1e-5, atol=0) if one.dtype.kind == "f" else (one == other).all()
        return [] if near else [f"{of}: {one} {other}"]
    if hasattr(one, "nearest"):
        return _vectors_differ(one, other, of)
    if hasattr(one, "items"):
        return [] if dict(one) == dict(other) else [f"{of}: {dict(one)} {dict(other)}"]
    if hasattr(one, "__len__") and not isinstance(one, str):
        return [] if list(one) == list(other) else [f"{of}: {list(one)} {list(other)}"]
    return [] if one == other else [f"{of}: {one} {other}"]


def _vectors_differ(one: Any, other: Any, of: str) -> list[str]:
    if type(one) is not type(other) or len(one) != len(other):
        return [f"{of}: {type(one)} {len(one)} {type(other)} {len(other)}"]
    every = np.arange(len(one))
    if isinstance(one, Quantised) and of.endswith("summaries.vectors"):
        # Two sentences are equally near to their mean: their order is arbitrary.
        near = one[every] @ other[every].T
        return (
            [] if min(near.max(axis=0).min(), near.max(axis=1).min()) > 1 - OFF else [f"{of}: other vectors"]
        )
    exact = not isinstance(one, Quantised)
    if not np.allclose(one[every], other[every], atol=0 if exact else OFF):
        return [f"{of}: other vectors"]
    for row in every[:: max(1, len(every) // 5)].tolist():
        found, wanted = one.nearest(other[every][row], 3), other.nearest(other[every][row], 3)
        if exact and found.rows.tolist() != wanted.rows.tolist():
            return [f"{of}: other nearest rows"]
        if not np.allclose(found.cosines, wanted.cosines, atol=1e-6 if exact else OFF):
            return [f"{of}: other nearest"]
    return []
