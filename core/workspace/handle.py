"""Opens the database of a workspace: for writing only where it is the person's own and nobody else's window has it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import WorkspaceError
from core.store.changes import record_changes
from core.store.settings import MINILM
from core.store.store import Store
from core.store.workspace_files import FileLock, WriterLock, claimed_window
from core.text.translation import tr
from core.types import Changed, Origin
from core.workspace.trust import begin_making, end_making, origin_of, trust, untrusted


@dataclass(frozen=True, slots=True)
class WorkspaceHandle:
    """What an open workspace stands on."""

    path: Path
    store: Store
    origin: Origin | None  # None for one that was made just now
    window: FileLock | None  # of the only window that may write
    in_use_by: str  # which other window has it: completes "the workspace is ..."
    listeners: list[Callable[[Changed], None]] = field(
        default_factory=list
    )  # to what is written through this object

    @property
    def trusted(self) -> bool:
        return self.origin is None or self.origin.trusted

    def check_trusted(self) -> None:
        """Before anything is written or anybody contacted. Raises Untrusted."""
        if self.origin is not None and not self.origin.trusted:
            raise untrusted(self.origin)

    @contextlib.contextmanager
    def writing(self, doing: str) -> Iterator[None]:
        """Around everything that writes: one writer at a time. Raises WorkspaceError while there is another."""
        self.check_trusted()
        with contextlib.ExitStack() as around:
            if not self.store.database.read_only:  # what is refused anyhow is refused in its own words
                around.enter_context(WriterLock(self.path, doing))
                if self.listeners:
                    around.enter_context(record_changes(self.store.database, self.notify))
            yield

    def notify(self, changed: Changed) -> None:
        for listener in self.listeners:
            listener(changed)

    def close(self) -> None:
        """Safe to call twice."""
        self.store.close()
        if self.window is not None:
            self.window.release()


def open_store(path: Path, *, create: bool, read_only: bool, exclusive: bool, own: bool) -> WorkspaceHandle:
    """See `Workspace.open`. Nothing of a workspace is changed before it is known to be trusted."""
    if create and not read_only:
        _make(path)
    origin = origin_of(path)
    if own and origin is not None and not origin.trusted:
        trust(path)
        origin = origin_of(path)
    if origin is not None and not origin.trusted:
        if origin.older:
            raise untrusted(origin)  # it would have to be changed to be read
        read_only = True
    elif origin is None and create and not read_only:
        begin_making(path)
    window, user = claimed_window(path) if exclusive and not read_only else (None, "")
    try:
        store = Store(path, MINILM.model, MINILM.dimension, create=create, read_only=read_only or bool(user))
        if not store.database.read_only:
            end_making(path, store.settings)
    except BaseException:
        if window is not None:
            window.release()
        raise
    return WorkspaceHandle(path, store, origin, window, user)


def open_public_part(path: Path) -> WorkspaceHandle:
    """Open, for reading only, what `core.workspace.public_part` has just built in `path`."""
    return WorkspaceHandle(path, Store(path, MINILM.model, MINILM.dimension, read_only=True), None, None, "")


def _make(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkspaceError(
            tr("The workspace {path} cannot be made ({strerror}).", path=path, strerror=error.strerror),
            tr("Choose a place where you may write."),
        ) from error
