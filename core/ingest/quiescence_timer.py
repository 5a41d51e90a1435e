"""Whether a folder has come to rest: two looks compared, and files that somebody still writes to."""

from __future__ import annotations

import errno
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from core.config import WatchConfig
from core.errors import DocumentError
from core.ingest.scan import FoundFile
from core.ingest.source_files import is_download, open_source
from core.types import Changes

Look = Mapping[str, FoundFile]  # the files of a folder by relative path


def mark(file: FoundFile) -> tuple[int, int, str]:
    """Equal as long as nobody wrote to the file. Times are only compared, never ordered: clocks differ."""
    return file.size, file.modified_ns, file.signature


def same(one: Look, other: Look) -> bool:
    """Whether two looks found the same files, all of the same sizes and times."""
    return one.keys() == other.keys() and all(mark(one[name]) == mark(other[name]) for name in one)


def differences(before: Look, after: Look) -> Changes:
    """What happened between two looks. A file that went and one that came with its size and time are one."""
    gone, new = before.keys() - after.keys(), after.keys() - before.keys()
    places: dict[tuple[int, int], list[str]] = {}
    for name in sorted(gone, reverse=True):
        if before[name].size:
            places.setdefault((before[name].size, before[name].modified_ns), []).append(name)
    renamed = []
    for name in sorted(new):
        if old := places.get((after[name].size, after[name].modified_ns)):
            renamed.append((old.pop(), name))
    return Changes(
        added=tuple(sorted(new - {now for _, now in renamed})),
        changed=tuple(sorted(n for n in before.keys() & after.keys() if mark(before[n]) != mark(after[n]))),
        removed=tuple(sorted(gone - {was for was, _ in renamed})),
        renamed=tuple(renamed),
    )


class QuiescenceTimer:
    """Decides when a batch of changes may be told. It is given the time and the looks; it has neither.

    A batch may be told when nothing happened for `quiet` seconds, two looks `stable` seconds apart
    found the same, and nobody writes; or `longest` seconds after its first change.
    """

    def __init__(self, config: WatchConfig) -> None:
        self._config = config
        self._begun: float | None = None
        self._touched = 0.0
        self._last_look: Look | None = None
        self._last_look_at = 0.0

    @property
    def active(self) -> bool:
        """Whether there is a batch."""
        return self._begun is not None

    @property
    def looked(self) -> bool:
        """Whether a look was taken for this batch."""
        return self._last_look is not None

    def touch(self, now: float, at_once: bool = False) -> None:
        """Something happened; `at_once`: it is long over, the first look need not wait."""
        if self._begun is None:
            self._begun = now
        self._touched = now - self._config.quiet if at_once else now

    def due(self, now: float, pause: float = 0.0) -> bool:
        """Whether to look now; `pause` is the least time between two looks where looking is slow."""
        if self._begun is None:
            return False
        waited = self._last_look is None or now - self._last_look_at >= max(self._config.stable, pause)
        return waited and (now - self._touched >= self._config.quiet or self._overdue(now))

    def rests(self, now: float, look: Look, writing: Callable[[], bool]) -> bool:
        """Take a look into account: whether the batch may be told with it. `writing` is asked last."""
        unchanged = self._last_look is not None and same(self._last_look, look)
        self._last_look, self._last_look_at = look, now
        return self._overdue(now) or (unchanged and not writing())

    def clear(self) -> None:
        """The batch is over."""
        self._begun, self._last_look = None, None

    def _overdue(self, now: float) -> bool:
        return self._begun is not None and now - self._begun >= self._config.longest


def anybody_writes(paths: list[Path], inside: Path | None = None) -> bool:
    """Whether one of the files is open for writing, or stands for a download that is on its way."""
    return any(being_written(path, inside) or _waits_for_download(path) for path in paths)


def being_written(path: Path, inside: Path | None = None) -> bool:
    """Whether a program on this machine holds the file open for writing; False where Linux cannot tell.

    Asks for a read lease (fcntl(2), F_SETLEASE), which is refused while anybody may write, and
    gives it back at once. It is refused for other reasons, too, on disks of other machines.
    """
    if sys.platform != "linux":
        return False
    import fcntl

    try:
        file = open_source(path, inside)
    except (OSError, DocumentError):
        return False  # gone, or not ours to read: the next look or the reader will tell
    with file:
        try:
            # Who opens it in this moment makes the kernel send a signal; this one is ignored, SIGIO would kill.
            fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGURG)
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        except OSError as error:
            return error.errno == errno.EAGAIN
    return False


def _waits_for_download(path: Path) -> bool:
    """Browsers put an empty file where the download will be, beside the one that they write."""
    try:
        return path.stat().st_size == 0 and any(is_download(entry.name) for entry in path.parent.iterdir())
    except OSError:
        return False
