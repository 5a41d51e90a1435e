"""Watching real folders: batches are whole, never in the middle of a write, and nothing ends the watch."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path, PurePosixPath

import pytest

from core.config import WatchConfig
from core.ingest import watch
from core.ingest.watch import anybody_writes, follow, kind_of_disk, matters
from core.progress import Cancelled, TaskContext
from core.types import Changes, WatchNews, WatchState
from tests.waiting import PATIENCE, wait_until

QUICK = WatchConfig(quiet=0.15, stable=0.05, longest=30, poll=0.1)


class Watcher:
    """`follow` on a thread of its own, and what it told."""

    def __init__(self, folder: Path, config: WatchConfig = QUICK) -> None:
        self.news: list[WatchNews] = []
        self.ended: list[BaseException] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(folder, config))
        self._thread.start()

    def _run(self, folder: Path, config: WatchConfig) -> None:
        try:
            follow(folder, config, self.news.append, TaskContext(None, self._stop.is_set))
        except BaseException as error:  # noqa: BLE001 - looked at by `stop`
            self.ended.append(error)

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(PATIENCE)
        assert [type(error) for error in self.ended] == [Cancelled]

    @property
    def batches(self) -> list[Changes]:
        return [news.changes for news in self.news if news.state is WatchState.CHANGED]

    @property
    def state(self) -> WatchState | None:
        return self.news[-1].state if self.news else None

    def until(self, reached: Callable[[], bool]) -> None:
        def look() -> bool:
            assert not self.ended, (self.news, self.ended)
            return reached()

        wait_until(look)

    def until_batches(self, count: int) -> Changes:
        """Wait for the batch of this number and for rest; returns it."""
        self.until(lambda: len(self.batches) >= count and self.state is WatchState.WATCHING)
        assert len(self.batches) == count
        return self.batches[-1]


Start = Callable[..., Watcher]


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    monkeypatch.setattr(watch, "TICK", 0.02)
    watchers: list[Watcher] = []

    def begin(folder: Path, config: WatchConfig = QUICK) -> Watcher:
        watchers.append(Watcher(folder, config))
        return watchers[-1]

    yield begin
    for watcher in watchers:
        watcher.stop()


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_text("one", encoding="utf-8")
    (folder / "sub/b.txt").write_text("two", encoding="utf-8")
    return folder


def test_added_changed_removed_and_renamed_come_as_one_batch(papers: Path, start: Start) -> None:
    watcher = start(papers)
    assert watcher.until_batches(1) == Changes()  # the workspace may be behind
    assert [news.state for news in watcher.news] == [WatchState.CHANGED, WatchState.WATCHING]
    (papers / "new").mkdir()
    (papers / "new/c.txt").write_text("three", encoding="utf-8")
    (papers / "a.txt").rename(papers / "new/z.txt")
    (papers / "sub/b.txt").write_text("two and more", encoding="utf-8")
    batch = watcher.until_batches(2)
    assert batch == Changes(added=("new/c.txt",), changed=("sub/b.txt",), renamed=(("a.txt", "new/z.txt"),))
    assert WatchState.SETTLING in {news.state for news in watcher.news}
    shutil.rmtree(papers / "new")
    assert watcher.until_batches(3) == Changes(removed=("new/c.txt", "new/z.txt"))


def test_an_open_file_is_waited_for_until_it_is_closed(
    papers: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[bool] = []

    def note(paths: list[Path], inside: Path | None = None) -> bool:
        looks.append(anybody_writes(paths, inside))
        return looks[-1]

    monkeypatch.setattr(watch, "anybody_writes", note)
    with open(papers / "early.txt", "w", encoding="utf-8") as early:
        early.write("a line\n")
        early.flush()
        watcher = start(papers)
        watcher.until(lambda: watcher.state is WatchState.SETTLING and looks.count(True) > 1)
        assert watcher.batches == []
    watcher.until_batches(1)
    with open(papers / "slow.txt", "w", encoding="utf-8") as slow:
        for _ in range(3):
            slow.write("a line\n")
            slow.flush()
            before = looks.count(True)
            watcher.until(lambda before=before: looks.count(True) > before)
        assert len(watcher.batches) == 1 and watcher.state is WatchState.SETTLING
    assert watcher.until_batches(2).added == ("slow.txt",)


def test_what_is_no_document_wakes_nobody(
    papers: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []  # names of all that the system reported

    def note(path: str, root: Path) -> bool:
        events.append(Path(path).name)
        return matters(path, root)

    monkeypatch.setattr(watch, "matters", note)
    (papers / "space").mkdir()
    (papers / "space/clew.db").touch()
    watcher = start(papers)
    watcher.until_batches(1)
    earlier = len(watcher.news)
    others = (".git", "~$a.docx", "a.pdf.part", "b.tmp", "space/clew.db-wal", "space/derived.bin")
    for name in others:
        (papers / name).write_text("x", encoding="utf-8")
    watcher.until(lambda: {Path(name).name for name in others} <= {*events})
    assert len(watcher.news) == earlier
    (papers / "c.txt").write_text("three", encoding="utf-8")
    assert watcher.until_batches(2) == Changes(added=("c.txt",))
    assert [news.state for news in watcher.news[earlier:]] == ["settling", "changed", "watching"]


def test_a_folder_that_goes_comes_back_or_is_replaced_is_followed(
    papers: Path, start: Start, tmp_path: Path
) -> None:
    watcher = start(papers)
    watcher.until_batches(1)
    away = papers.with_name("away")
    papers.rename(away)
    watcher.until(lambda: watcher.state is WatchState.MISSING)
    assert str(papers) in watcher.news[-1].words
    (away / "c.txt").write_text("three", encoding="utf-8")
    away.rename(papers)
    assert watcher.until_batches(2) == Changes(added=("c.txt",))
    (papers / "d.txt").write_text("four", encoding="utf-8")
    assert watcher.until_batches(3) == Changes(added=("d.txt",))
    other = tmp_path / "other"
    other.mkdir()
    (other / "x.txt").write_text("ten", encoding="utf-8")
    papers.rename(tmp_path / "old")
    other.rename(papers)
    assert watcher.until_batches(4).added == ("x.txt",)
    (papers / "y.txt").write_text("more", encoding="utf-8")
    assert watcher.until_batches(5) == Changes(added=("y.txt",))


def test_a_missing_or_emptied_folder_is_waited_for_and_is_no_change(tmp_path: Path, start: Start) -> None:
    later = tmp_path / "later"
    watcher = start(later)
    watcher.until(lambda: watcher.state is WatchState.MISSING)
    later.mkdir()
    watcher.until(lambda: watcher.state is WatchState.EMPTY)
    (later / "a.txt").write_text("one", encoding="utf-8")
    assert watcher.until_batches(1) == Changes()
    (later / "a.txt").rename(tmp_path / "a.txt")
    watcher.until(lambda: watcher.state is WatchState.EMPTY)
    (tmp_path / "a.txt").rename(later / "a.txt")
    # A batch, though the same file is there: it may have been read while it was empty.
    again = watcher.until_batches(2)
    assert not (again.added or again.removed or again.renamed)


def test_a_flood_of_files_is_one_batch(papers: Path, start: Start) -> None:
    watcher = start(papers)
    watcher.until_batches(1)
    for number in range(1_000):
        if number % 100 == 0:
            (papers / f"in{number}").mkdir()
        (papers / f"in{number // 100 * 100}/{number}.txt").write_bytes(b"x")
    assert len(watcher.until_batches(2).added) == 1_000


def test_what_a_link_leads_out_to_is_not_watched(papers: Path, start: Start) -> None:
    (papers.parent / "out").mkdir()
    (papers / "link").symlink_to(papers.parent / "out")
    watcher = start(papers)
    watcher.until_batches(1)
    assert "leads to a folder outside" in watcher.news[-1].words
    (papers.parent / "out" / "secret.txt").write_text("three", encoding="utf-8")
    (papers / "c.txt").write_text("three", encoding="utf-8")
    assert watcher.until_batches(2) == Changes(added=("c.txt",))
    assert [news.state for news in watcher.news].count(WatchState.CHANGED) == 2


@pytest.mark.parametrize("why", ["a network disk", "lost events"])
def test_changes_without_an_event_are_found_by_polling(
    why: str, papers: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    if why == "lost events":
        monkeypatch.setattr(watch, "SWEEP", 0.3)
        monkeypatch.setattr(watch, "matters", lambda path, root: False)
    else:
        monkeypatch.setattr(watch, "network_disk", lambda _: "nfs4")
    watcher = start(papers)
    watcher.until_batches(1)
    assert ("nfs4" in watcher.news[-1].words) == (why == "a network disk")
    (papers / "c.txt").write_text("three", encoding="utf-8")
    assert watcher.until_batches(2) == Changes(added=("c.txt",))


LIMITED = """
import sys, time
sys.path[:0] = [sys.argv[1]]
from pathlib import Path
from core.config import WatchConfig
from core.ingest.watch import follow
from core.progress import Cancelled, TaskContext
folder, news, end = Path(sys.argv[2]), [], time.monotonic() + 15
def tell(item):
    news.append(item)
    if len(batches()) == 1: (folder / "c.txt").write_text("three")
def batches():
    return [item for item in news if item.state == "changed"]
try:
    follow(folder, WatchConfig(quiet=0.2, stable=0.1, poll=0.2), tell,
           TaskContext(None, lambda: len(batches()) > 1 or time.monotonic() > end))
except Cancelled:
    print(batches()[1].changes.added, batches()[1].words)
"""


@pytest.mark.parametrize("limit", ["max_inotify_watches", "max_inotify_instances"])
def test_too_many_watched_folders_are_polled(papers: Path, limit: str) -> None:
    (papers / "deep/er").mkdir(parents=True)
    few = 0 if limit == "max_inotify_instances" else 1
    shell = f'echo {few} > /proc/sys/user/{limit} || exit 77; exec "$@"'
    program = ["unshare", "-Ur", "sh", "-c", shell, "sh", sys.executable, "-c", LIMITED]
    if shutil.which("unshare") is None:
        pytest.skip("needs unshare to set a limit for one process")
    root = str(Path(__file__).resolve().parents[3])
    done = subprocess.run([*program, root, str(papers)], capture_output=True, text=True, timeout=60)
    if done.returncode in (1, 77) and "Traceback" not in done.stderr:
        pytest.skip(f"no limit can be set here: {done.stderr.strip()}")
    assert done.stdout.startswith("('c.txt',) The system watches no more folders"), done.stderr


def test_changes_inside_a_workspace_do_not_matter_and_those_in_a_shut_folder_may(
    tmp_path: Path, open_folder: Path, ordinary_user: Callable[[], AbstractContextManager[None]]
) -> None:
    (tmp_path / "in/space").mkdir(parents=True)
    (tmp_path / "in/space/clew.db").touch()
    assert not matters(str(tmp_path / "in/space/deep/graph.bin"), tmp_path)
    assert matters(str(tmp_path / "in/a.txt"), tmp_path) and matters("/elsewhere/behind/a/link", tmp_path)
    (open_folder / "shut").mkdir(mode=0)
    with ordinary_user():
        assert matters(str(open_folder / "shut/deep/a.txt"), open_folder)


def test_a_shut_folder_inside_does_not_end_the_watch(
    open_folder: Path, ordinary_user: Callable[[], AbstractContextManager[None]], start: Start
) -> None:
    (open_folder / "a.txt").write_text("one", encoding="utf-8")
    (open_folder / "shut").mkdir(mode=0)
    open_folder.chmod(0o777)
    with ordinary_user():
        watcher = start(open_folder)
        watcher.until_batches(1)
        assert watcher.news[-1].words == ""  # not by polling
        (open_folder / "b.txt").write_text("two", encoding="utf-8")
        assert watcher.until_batches(2) == Changes(added=("b.txt",))


def test_the_disk_of_a_folder_is_found_by_its_longest_mount_point() -> None:
    table = (
        "22 1 8:1 / / rw shared:1 - ext4 /dev/sda rw\n"
        "30 22 0:40 / /home/ada/net\\040share rw - nfs4 host:/x rw\n"
        "31 22 0:41 / /mnt rw - cifs //host/y rw\n32 31 8:2 / /mnt rw - xfs /dev/sdb rw\nbroken line\n"
    )
    assert kind_of_disk(PurePosixPath("/home/ada/net share/papers"), table) == "nfs4"
    assert kind_of_disk(PurePosixPath("/home/ada/net"), table) == "ext4"
    assert kind_of_disk(PurePosixPath("/mnt/a"), table) == "xfs"  # the later one hides the first
    assert kind_of_disk(PurePosixPath("/a"), "") == ""
