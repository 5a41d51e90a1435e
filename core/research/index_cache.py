"""Workspaces of question sets, cached in the user's cache folder so that the next run starts quickly."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import platformdirs

from core.answering.models import Models
from core.config import ENCODING, Config, changed
from core.progress import TaskContext
from core.protocols import Extractor
from core.research.datasets import Dataset, EvalQuestion
from core.types.kinds import stable_id
from core.workspace import Workspace

_SHAPING = ("reading", "chunking", "graph")  # settings that affect the index
_LONGEST_NAME = 60  # of a data set, in the name of its workspace


def open_cached(
    dataset: Dataset,
    context: TaskContext,
    models: Models,
    extractor: Extractor | None = None,
    config: Config | None = None,
    fresh: bool = False,
) -> tuple[Workspace, float]:
    """Open the data set's workspace, indexed, and return the seconds that took; 0 where nothing had to be done.

    The workspace of a folder is identified by the folder's path, so only changed files are read again, and all of
    them after a reader changed. An `extractor` in place of the rules, or other settings, have a workspace of their
    own. `fresh` rebuilds it.
    """
    config = config or Config()
    path = _place(dataset, extractor, config)
    if fresh:
        shutil.rmtree(path, ignore_errors=True)
        _note(path).unlink(missing_ok=True)
    workspace = Workspace.open(path, create=True, config=config, models=models, own=True)
    try:
        empty, before = not workspace.counts().documents, workspace.revision
        models.load(context)  # not part of indexing
        begin = time.perf_counter()
        if dataset.folder is not None:
            workspace.index(dataset.folder, context, extractor="rules", digest=False)
        else:
            workspace.index_passages(dataset.passages, context, extractor)
        spent = time.perf_counter() - begin
        if empty:
            _note(path).write_text(str(spent), encoding="utf-8")
    except BaseException:
        workspace.close()
        raise
    return workspace, 0.0 if workspace.revision == before else spent


def full_index_seconds(workspace: Workspace) -> float:
    """Return the seconds of indexing everything in one go; 0 where they are not known."""
    with contextlib.suppress(OSError, ValueError):
        return float(_note(workspace.path).read_text(encoding="utf-8"))
    return 0.0


def each_question(
    dataset: Dataset, models: Models, context: TaskContext
) -> Iterator[tuple[Workspace, EvalQuestion]]:
    """Yield every question of the data set with its open, warm workspace, which is closed afterwards."""
    workspace, _ = open_cached(dataset, context, models)
    try:
        workspace.load_models(context)
        for number, question in enumerate(dataset.questions):
            context.report("questions", number + 1, len(dataset.questions), dataset.name)
            yield workspace, question
    finally:
        workspace.close()


def _place(dataset: Dataset, extractor: Extractor | None, config: Config) -> Path:
    if dataset.folder is not None:
        name = f"{dataset.folder.name[:_LONGEST_NAME]}-{stable_id(str(dataset.folder))}"
    else:
        name = f"{dataset.name[:_LONGEST_NAME]}-{dataset.fingerprint}"
    if extractor is not None:
        name += f"-{extractor.name}-{stable_id(extractor.version)}"
    encoder = [line for line in changed(config, ("models",)) if line.partition("=")[0] in ENCODING]
    if settings := changed(config, _SHAPING) + encoder:
        name += f"-{stable_id(*settings)}"
    return Path(platformdirs.user_cache_dir("clew")) / "eval" / name


def _note(path: Path) -> Path:
    return path.with_name(f"{path.name}.seconds")
