"""Follow a folder and report what changed in it once it is quiet. Knows no window."""

from __future__ import annotations

import contextlib
import errno
import re
import signal
import stat
import sys
import time
from collections.abc import Callable, Generator, Mapping
from pathlib import Path, PurePosixPath

from core.config import WatchConfig
from core.errors import BadInput, DocumentError
from core.ingest.scan import WORKSPACE_FILE, FoundFile, leads_out, scan
from core.ingest.source_files import is_download, left_out, open_source
from core.progress import TaskContext
from core.text.translation import tr
from core.types import Changes, WatchNews, WatchState

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


# ------------------------------------------------------------ watching


TICK = 0.25  # seconds between two turns of the loop; a wish to stop is heard within it
GROUP_MS = 500  # events are taken together for at most this long
SWEEP = 300.0  # seconds between two looks for what the system did not tell of
RECENT_NS = 600 * 10**9  # files younger than this may still be written when watching begins
SLOW = 10  # a look is not taken again before this many times its own length
ATTEMPTS = 4  # to begin; a folder inside may vanish just then
_MOUNTS = Path("/proc/self/mountinfo")  # Linux: proc_pid_mountinfo(5)
_NETWORK_DISKS = frozenset(
    "9p afs ceph cifs davfs drvfs fuse.davfs fuse.glusterfs fuse.gvfsd-fuse fuse.rclone fuse.sshfs"
    " fuse.vmhgfs-fuse glusterfs lustre nfs nfs4 smb3 smbfs vboxsf virtiofs".split()
)
_NONE = Changes()

OnNews = Callable[[WatchNews], None]


def follow(
    folder: Path, config: WatchConfig, notify: OnNews, context: TaskContext, follow_links: bool = False
) -> None:
    """Follow `folder` until the context is cancelled, then raise Cancelled.

    `notify` is called from this thread. The first batch (CHANGED without names) comes when the folder
    has come to rest for the first time: the workspace may be behind it. A folder that is missing is
    waited for. One that lost every document is EMPTY, not CHANGED: a disk that is not connected
    looks just so, and nothing may be forgotten for that.
    """
    follower = _Follower(folder, config, notify, context, follow_links)
    while True:
        follower.wait_until_there()
        follower.follow_until_gone()


class _Follower:
    def __init__(
        self, folder: Path, config: WatchConfig, notify: OnNews, context: TaskContext, follow_links: bool
    ) -> None:
        self._folder, self._config, self._notify, self._context = folder, config, notify, context
        self._follow_links = follow_links
        self._rest = QuiescenceTimer(config)
        self._reported_look: Look | None = None  # the look with which the last batch was told
        self._last: Look = {}
        self._behind = True  # the workspace may not know all of it, whatever differs
        self._how = ""  # how it is followed, where that is worth a word
        self._sweep_every, self._sweep_at, self._cost = SWEEP, 0.0, 0.0
        self._last_news: WatchNews | None = None

    def wait_until_there(self) -> None:
        """Return once the folder is there."""
        while _identity(self._folder) is None:
            self._behind = True
            self._say(WatchState.MISSING, tr("The folder {folder} is not there.", folder=self._folder))
            self._context.check()
            time.sleep(TICK)

    def follow_until_gone(self) -> None:
        """Return when the folder is gone, or another one has taken its place."""
        identity, root = _identity(self._folder), self._folder.resolve()
        self._behind = True
        self._rest.clear()
        self._rest.touch(time.monotonic(), at_once=self._reported_look is None)
        with contextlib.closing(self._signs(root)) as signs:
            for happened in signs:
                self._context.check()
                if _identity(self._folder) != identity:
                    return
                self._turn(happened)

    # ------------------------------------------------------------ signs of change

    def _signs(self, root: Path) -> Generator[bool, None, None]:
        """Whether something happened, at every tick. Begins before the first look, so that nothing is lost."""
        self._how, self._sweep_every = "", SWEEP
        kind = network_disk(root)
        if kind:
            self._poll(tr("It lies on a network disk ({kind}), whose changes are not told", kind=kind))
        elif self._leads_out():
            self._poll(tr("A link in it leads to a folder outside, where the system would look, too"))
        else:
            yield from self._system_signs(root)
        while True:
            yield False
            time.sleep(TICK)

    def _system_signs(self, root: Path) -> Generator[bool, None, None]:
        """What the system tells of; ends where it cannot."""
        from watchfiles import watch

        leave_out_shut = False
        for _ in range(ATTEMPTS):
            try:
                for events in watch(
                    root,
                    watch_filter=None,
                    debounce=GROUP_MS,
                    rust_timeout=int(TICK * 1000),
                    yield_on_timeout=True,
                    raise_interrupt=False,
                    force_polling=False,
                    ignore_permission_denied=leave_out_shut,
                ):
                    yield any(matters(path, root) for _, path in events)
                return
            except PermissionError:
                leave_out_shut = True  # only then: it hides all other faults, the limit of watches too
            except FileNotFoundError:
                time.sleep(TICK)
            except (OSError, RuntimeError):  # watchfiles: the limit of watches, of watchers, of the system
                break
        self._poll(tr("The system watches no more folders (see fs.inotify in `man 7 inotify`)"))

    def _leads_out(self) -> bool:
        with contextlib.suppress(BadInput):  # gone again; the look will tell
            return not self._follow_links and leads_out(self._folder, self._context)
        return False

    def _poll(self, why: str) -> None:
        self._how = tr("{why}: it is looked through every {poll} s.", why=why, poll=f"{self._config.poll:g}")
        self._sweep_every = self._config.poll

    # ------------------------------------------------------------ looks

    def _turn(self, happened: bool) -> None:
        now = time.monotonic()
        if happened:
            self._rest.touch(now)
            self._say(WatchState.SETTLING, self._how)
        elif not self._rest.active and now >= self._sweep_at:
            self._sweep(now)
        if self._rest.due(now, SLOW * self._cost):
            self._consider()

    def _sweep(self, now: float) -> None:
        """Look for what was not told: events lost in a flood, folders beyond the limit, network disks."""
        look = self._look()
        if look is not None and not same(self._last, look):
            self._rest.touch(now)
            self._say(WatchState.SETTLING, self._how)

    def _consider(self) -> None:
        look, again = self._look(), self._rest.looked
        if look is None:
            return
        if not self._rest.rests(time.monotonic(), look, lambda: self._written(look)):
            if again:  # also before the first batch: somebody is at work here
                self._say(WatchState.SETTLING, self._how)
            return
        self._rest.clear()
        self._last = look
        if not look:
            self._behind = True
            self._say(WatchState.EMPTY, tr("There is no document in {folder}.", folder=self._folder))
            return
        changes = differences(self._reported_look or {}, look)
        if self._behind or changes != _NONE:
            first = self._reported_look is None
            self._reported_look, self._behind = look, False
            self._say(WatchState.CHANGED, self._how, _NONE if first else changes)
        self._say(WatchState.WATCHING, self._how)

    def _look(self) -> Look | None:
        """The files as they are now; None, told in words, when the folder cannot be read."""
        begin = time.monotonic()
        try:
            files = scan(self._folder, self._context, self._follow_links)
        except BadInput as error:
            self._behind = True
            self._rest.clear()
            self._last = {}
            self._sweep_at = time.monotonic() + self._config.poll
            self._say(WatchState.MISSING, error.message)
            return None
        end = time.monotonic()
        self._cost = end - begin
        self._sweep_at = end + max(self._sweep_every, SLOW * SLOW * self._cost)
        return {file.relative: file for file in files}

    def _written(self, look: Look) -> bool:
        if self._reported_look is None:
            young = time.time_ns() - RECENT_NS
            names = [name for name, file in look.items() if file.modified_ns > young]
        else:
            changes = differences(self._reported_look, look)
            names = [*changes.added, *changes.changed, *(now for _, now in changes.renamed)]
        inside = None if self._follow_links else self._folder.resolve()
        return anybody_writes([look[name].path for name in names if not look[name].reason], inside)

    def _say(self, state: WatchState, words: str, changes: Changes = _NONE) -> None:
        news = WatchNews(state, changes, words)
        if news != self._last_news or state is WatchState.CHANGED:
            self._last_news = news
            self._notify(news)


def matters(path: str, root: Path) -> bool:
    """Whether a change at `path` can be one of a document: nothing hidden, half written, of a workspace."""
    try:
        parts = Path(path).relative_to(root).parts
    except ValueError:
        return True  # behind a link; the look will tell
    if any(left_out(part) for part in parts):
        return False
    above = root
    for part in parts[:-1]:
        above = above / part
        if _is_workspace(above):
            return False
    return True


def _is_workspace(folder: Path) -> bool:
    try:
        return (folder / WORKSPACE_FILE).exists()
    except OSError:
        return False  # shut: its documents are told as such


def _identity(folder: Path) -> tuple[int, int] | None:
    """Which folder it is; None when it is not there or is none."""
    try:
        status = folder.stat()
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISDIR(status.st_mode) else None


def network_disk(folder: Path) -> str:
    """The kind of network disk that `folder` lies on (`nfs4`), or "" for a local or unknown one."""
    try:
        table = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""
    kind = kind_of_disk(PurePosixPath(folder), table)
    return kind if kind in _NETWORK_DISKS else ""


def kind_of_disk(folder: PurePosixPath, table: str) -> str:
    """The file system that holds `folder`, by the longest mount point above it in a mountinfo table."""
    best, kind = -1, ""
    for line in table.splitlines():
        left, separator, right = line.partition(" - ")
        fields = left.split(" ")
        if not separator or len(fields) < 5:
            continue
        point = PurePosixPath(re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), fields[4]))
        # Not shorter: what is mounted later on the same place hides what was there.
        if folder.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), right.split(" ")[0]
    return kind
