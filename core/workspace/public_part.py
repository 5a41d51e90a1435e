"""The public part of a workspace: a workspace of its own that never contained the private documents.

Whatever leaves this machine is written from it, so that no code that exports, packs or asks has to check what it may
use. It is derived: built when it is first needed, and again after documents, marks or decisions changed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core import __version__
from core.answering.models import Models
from core.config import Config
from core.errors import WorkspaceError
from core.files.faults import explained
from core.progress import TaskContext
from core.review.deciding import VERBS, apply
from core.store.backup import SETTINGS, cut, known
from core.store.review_log import fact_of, names_of
from core.store.settings import MINILM
from core.store.store import Store
from core.store.workspace_files import DERIVED, FileLock
from core.text.translation import mark, tr
from core.workspace.stages import refresh_derived

PUBLIC = "public"  # the folder among the derived files
_STAMP = "cut.json"
_RULES = 2  # another number for whatever changes in what is copied
_LOCK = "public.lock"
_PATIENCE = 600.0  # seconds that another process may take to build one


def build_public_part(path: Path, models: Models, config: Config, context: TaskContext) -> Path:
    """Return the folder of the public part of the workspace in `path`, built if it is not current.

    The caller has checked that the workspace is trusted. Raises WorkspaceError where nothing can be written, Cancelled.
    """
    with contextlib.closing(Store(path, MINILM.model, MINILM.dimension, read_only=True)) as store:
        if not store.private.is_compared:  # an indexing run was stopped, or is still going on
            with contextlib.closing(Store(path, MINILM.model, MINILM.dimension)) as writing:
                writing.private.compare()
        place = path / DERIVED / PUBLIC
        with explained(path), _lock(path):
            place.mkdir(parents=True, exist_ok=True)
            return store.database.retry_read(lambda: _build(store, place, models, config, context))


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    (path / DERIVED).mkdir(exist_ok=True)
    lock = FileLock(path / DERIVED / _LOCK, mark("read without private documents"))
    if not lock.acquire(_PATIENCE):
        raise WorkspaceError(
            tr("Another process is building the workspace without private documents."),
            tr("Try again when it has finished."),
        )
    try:
        yield
    finally:
        lock.release()


def _build(store: Store, place: Path, models: Models, config: Config, context: TaskContext) -> Path:
    with store.database.at_one_moment():
        documents = store.private.public_keys()
        folder = place / _stamp(store, documents)
        if (folder / _STAMP).exists():
            return folder
        # What was public before may be private now: it goes before anything is built; who reads it gets an error.
        shutil.rmtree(place)
        folder.mkdir(parents=True)
        try:
            with contextlib.closing(Store(folder, MINILM.model, MINILM.dimension, create=True)) as target:
                cut(store.database, target.database, documents)
                _carry_decisions(store, target)
        except BaseException:
            shutil.rmtree(folder)
            raise
    try:
        with contextlib.closing(Store(folder, MINILM.model, MINILM.dimension)) as target:
            refresh_derived(target, models, config, context)
    except BaseException:
        shutil.rmtree(folder)
        raise
    (folder / _STAMP).write_text("{}", encoding="utf-8")
    return folder


def _stamp(store: Store, documents: list[int]) -> str:
    """Return a digest of all that the public part is built from."""
    settings = [store.settings.get(name) for name in ("folder", *SETTINGS)]
    parts = (_RULES, __version__, store.settings.revision(), store.census.state(), documents, settings)
    serialized = json.dumps(parts, default=str, sort_keys=True)
    return hashlib.sha256(serialized.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _carry_decisions(source: Store, target: Store) -> None:
    """Apply people's decisions to the facts and names of `target`, without reasons or anything else that they wrote."""
    facts, names = known(target.database)
    acts, carried_ids = [], set()
    for act, items in source.review_log.export():
        own = [item for item in items if _is_known(item, facts, names)]
        if not own and act["about"] not in carried_ids:
            continue
        carried_ids.add(act["id"])
        columns = (act["id"], act["made"], act["person"], act["verb"], "", act["about"])
        acts.append((columns, [(i["subject"], i["outcome"], " ".join(i["saw"]), "{}") for i in own]))
    with target.database.transaction():
        apply(target, target.review_log.join(acts))


def _is_known(item: dict[str, Any], facts: frozenset[str], names: frozenset[str]) -> bool:
    if fact := fact_of(item["subject"]):
        return fact in facts and item["outcome"] in VERBS
    pair = names_of(item["subject"])
    return pair is not None and names.issuperset(pair)
