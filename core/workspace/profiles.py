"""What a profile sees of a workspace: a workspace of its own that never held what is private to others.

Whatever asks, searches, draws or exports gets that one in place of the whole, so that nothing needs to be asked whether
it may be shown, and a word that stands in private documents alone stands in no file that is read. It is derived: made
when it is first asked for, and anew whenever documents, marks or decisions changed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from core import __version__
from core.answering.models import Models
from core.config import Config, kept
from core.errors import BadInput, WorkspaceError
from core.files.faults import explained
from core.models.hosts import own_config
from core.progress import TaskContext
from core.review.deciding import VERBS, apply
from core.store.cutting import SETTINGS, cut, known
from core.store.encoder import MINILM
from core.store.lock import FileLock
from core.store.review_log import fact_of, names_of
from core.store.settings import CHOSEN
from core.store.store import Store
from core.store.workspace_files import DERIVED
from core.text.translation import mark, tr
from core.types.private import Profile
from core.workspace.refresh_derived import refresh_derived
from core.workspace.trust import origin_of, untrusted

PROFILES = "profiles"  # the folder among the derived files
_NAME = re.compile(r"[^\W_][\w-]{0,39}")
_STAMP = "cut.json"
_RULES = 1  # another number for whatever changes in what is copied
_LOCK = "profiles.lock"
_PATIENCE = 600.0  # seconds that another process may take to make one


def check_name(name: str) -> str:
    """Of a profile or a mark. Raises BadInput for what could not be the name of a folder."""
    if not _NAME.fullmatch(name):
        raise BadInput(
            tr("{name} is no name for it.", name=repr(name)),
            tr("Use at most 40 letters, digits and hyphens."),
        )
    return name


def profile_of(store: Store, name: str) -> Profile:
    """Raises BadInput where there is none of that name."""
    for profile in store.private.profiles():
        if profile.name == name:
            return profile
    raise BadInput(
        tr("There is no profile {name} in the workspace.", name=name),
        tr("To make one: clew private profile WORKSPACE {name}", name=name),
    )


def cut_for(path: Path, name: str, models: Models, config: Config | None, context: TaskContext) -> Path:
    """The folder of what the profile sees now of the workspace in `path`, made where it is not there yet.

    Raises BadInput where there is no such profile, Untrusted, WorkspaceError where nothing can be written, Cancelled.
    """
    origin = origin_of(path)
    if origin is not None and not origin.trusted:
        raise untrusted(origin)
    with contextlib.closing(Store(path, MINILM.model, MINILM.dimension, read_only=True)) as store:
        profile = profile_of(store, name)
        if not store.private.is_compared:  # by an indexing that was stopped, or is at it
            with contextlib.closing(Store(path, MINILM.model, MINILM.dimension)) as writing:
                writing.private.compare()
        config = config or own_config(config=kept(store.settings.get(CHOSEN).splitlines()))
        place = path / DERIVED / PROFILES / check_name(name)
        with explained(path), _alone(path):
            place.mkdir(parents=True, exist_ok=True)
            return store.database.retry_read(lambda: _current(store, place, profile, models, config, context))


def forget(path: Path, name: str) -> None:
    """Delete what the profile was given to see of the workspace in `path`. Raises WorkspaceError."""
    with explained(path), _alone(path):
        shutil.rmtree(path / DERIVED / PROFILES / check_name(name), ignore_errors=True)


def profile_at(path: Path) -> str:
    """Of which profile the folder is that `cut_for` gave, of a workspace that is the person's own; "" for any other."""
    place = path.absolute()
    if len(place.parts) < 5 or place.parts[-4:-2] != (DERIVED, PROFILES) or not (place / _STAMP).exists():
        return ""
    origin = origin_of(whole_of(place))
    return place.parent.name if origin is not None and origin.trusted else ""


def whole_of(place: Path) -> Path:
    """The workspace that the folder, which `cut_for` gave, was made of."""
    return place.absolute().parents[3]


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    (path / DERIVED).mkdir(exist_ok=True)
    lock = FileLock(path / DERIVED / _LOCK, mark("read by a profile"))
    if not lock.acquire(_PATIENCE):
        raise WorkspaceError(
            tr("Another process is making what profiles see."), tr("Try again when it is through.")
        )
    try:
        yield
    finally:
        lock.release()


def _current(
    store: Store, place: Path, profile: Profile, models: Models, config: Config, context: TaskContext
) -> Path:
    with store.database.at_one_moment():
        documents = store.private.visible(profile.sees)
        wanted = _stamp(store, documents)
        folder = place / wanted
        if (folder / _STAMP).exists():
            return folder
        # What was seen before may be private now: it goes before anything is made, and whoever reads it is told.
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
    (folder / _STAMP).write_text(json.dumps({"profile": profile.name}), encoding="utf-8")
    return folder


def _stamp(store: Store, documents: Sequence[int]) -> str:
    """Another one whenever the cut would be another."""
    settings = [store.settings.get(name) for name in ("folder", *SETTINGS)]
    parts = (_RULES, __version__, store.settings.revision(), store.census.state(), documents, settings)
    serialized = json.dumps(parts, default=str, sort_keys=True)
    return hashlib.sha256(serialized.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _carry_decisions(source: Store, target: Store) -> None:
    """Have what people decided hold in `target` as far as it is of facts and names that stand there; no reason is
    told, nor anything else that they wrote."""
    facts, names = known(target.database)
    acts, carried_ids = [], set()
    for act, items in source.review_log.export():
        own = [item for item in items if _known(item, facts, names)]
        if not own and act["about"] not in carried_ids:
            continue
        carried_ids.add(act["id"])
        columns = (act["id"], act["made"], act["person"], act["verb"], "", act["about"])
        acts.append((columns, [(i["subject"], i["outcome"], " ".join(i["saw"]), "{}") for i in own]))
    with target.database.transaction():
        apply(target, target.review_log.join(acts))


def _known(item: dict[str, Any], facts: frozenset[str], names: frozenset[str]) -> bool:
    if fact := fact_of(item["subject"]):
        return fact in facts and item["outcome"] in VERBS
    pair = names_of(item["subject"])
    return pair is not None and names.issuperset(pair)
