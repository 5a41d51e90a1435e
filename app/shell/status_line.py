"""The status line: how far indexing is, how fast, how long still; what failed; pause and cancel."""

from __future__ import annotations

import time
from collections import deque
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QWidget

from app.look import theme
from app.look.counting import long_time
from app.look.translation import tr, trn
from app.session.commands import Commands
from app.session.indexing import IndexingState
from app.widgets.buttons import explain, push_button, tool_button
from app.widgets.labels import PlainLabel
from app.widgets.layout import row
from core.progress import Progress
from core.types import Growth, Status

if TYPE_CHECKING:
    from app.widgets.elided_label import ElidedLabel

WINDOW = 20.0  # seconds over which the speed is taken
# Stages of indexing in order: what is said of them, and their usual share of the whole time.
STAGES = {
    "scan": (tr("Looking through the folder"), 0.01),
    "read": (tr("Reading documents"), 0.08),
    "trial": (tr("Trying the model"), 0.01),
    "index": (tr("Passages indexed"), 0.75),
    "names": (tr("Comparing names"), 0.10),
    "synonyms": (tr("Joining synonyms"), 0.01),
    "communities": (tr("Finding communities"), 0.02),
    "layout": (tr("Laying out the graph"), 0.01),
    "reports": (tr("Telling of communities"), 0.01),
}


def span(seconds: float) -> str:
    """Return a time left in words, under a minute in steps of 5 s."""
    time = long_time(seconds if seconds > 57 else max(5, int(seconds / 5 + 0.5) * 5))
    return tr("{time} left", time=time)


class Speed:
    """Units a second over the last WINDOW seconds; pauses do not count."""

    def __init__(self) -> None:
        self._points: deque[tuple[float, int]] = deque()

    def clear(self) -> None:
        self._points.clear()

    def add(self, done: int, now: float | None = None) -> None:
        now = time.monotonic() if now is None else now
        if self._points and done < self._points[-1][1]:
            self._points.clear()
        self._points.append((now, done))
        while len(self._points) > 2 and now - self._points[0][0] > WINDOW:
            self._points.popleft()

    @property
    def rate(self) -> float:
        """Return units a second; 0 where not known yet."""
        if len(self._points) < 2:
            return 0.0
        (start, first), (end, last) = self._points[0], self._points[-1]
        return (last - first) / (end - start) if end > start else 0.0


class StatusLine(QWidget):
    """What its buttons do, the commands say; `watch_pressed` is for who watches the folder."""

    watch_pressed = Signal()

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self._commands = commands
        self._pace = Speed()  # of the present stage
        self._state = IndexingState.IDLE
        self._progress: Progress | None = None
        self._counts: Status | Growth | None = None
        self.words, self.bar = PlainLabel(), QProgressBar(textVisible=False)
        self.bar.setFixedWidth(120)
        self.pause, self.cancel = tool_button("pause", role="text"), tool_button("stop", role="text")
        commands.press(self.pause, "indexing.pause")
        commands.press(self.cancel, "indexing.stop", tr("Stop indexing; what was read is kept"))
        self.cancel.setAccessibleName(tr("Stop indexing; what was read is kept"))
        self.watch = push_button("", self.watch_pressed, kind="quiet")
        self.failed = push_button(kind="quiet")
        self.failed.setIcon(theme.icon("warning", "warn"))
        tip = tr("Show what could not be read, with the reasons, in the library")
        commands.press(self.failed, "indexing.failed", tip)
        self.approved = push_button(tr("Approved facts only"), kind="quiet", icon="shield-check")
        tip = tr("Only approved facts count. Press to let others count again")
        commands.press(self.approved, "answer.approved", tip)
        self.totals = PlainLabel(tip=tr("Counts of the open workspace, as the store has them"))
        self._place = QWidget()  # of what is being read
        parts = (
            self.words,
            self.bar,
            self.pause,
            self.cancel,
            (self._place, 1),
            self.approved,
            self.watch,
            self.failed,
            self.totals,
        )
        self._row = row(*parts, margins=(12, 0), on=self)
        theme.follow(self, lambda: self.setFixedHeight(theme.px(32)))
        self.setMinimumWidth(1)  # a narrow window leaves the totals out, see `_fit`
        self.clear()

    @cached_property
    def reading(self) -> ElidedLabel:
        from app.widgets.elided_label import ElidedLabel  # superqt takes longer than the first window may

        label = ElidedLabel(kind="muted", end=True)
        label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row(label, on=self._place)
        return label

    def set_watch(self, words: str, tip: str, icon: QIcon) -> None:
        """Show what the watched folder does; "" hides it."""
        self.watch.setText(words)
        self.watch.setIcon(icon)
        explain(self.watch, tip, named=False)
        self.watch.setAccessibleName(words)
        self.watch.setVisible(bool(words))
        self._fit()

    def clear(self) -> None:
        """Show that no workspace is open."""
        self._counts, self._progress = None, None
        self.failed.hide()
        self.approved.hide()
        self.totals.setText("")
        self.set_state(IndexingState.IDLE)

    def set_state(self, state: IndexingState) -> None:
        """Show the state of the indexing process."""
        if self._state is IndexingState.IDLE or state is not IndexingState.RUNNING:
            self._pace.clear()
        if self._state is IndexingState.IDLE:
            self._progress = None
        self._state = state
        active = state is not IndexingState.IDLE
        paused = state is IndexingState.PAUSED
        for part in (self.bar, self.pause, self.cancel):
            part.setVisible(active)
        self.pause.setEnabled(state is not IndexingState.STOPPING)
        self.cancel.setEnabled(state is not IndexingState.STOPPING)
        self.pause.setIcon(theme.icon("play" if paused else "pause"))
        words = tr("Go on indexing") if paused else tr("Pause indexing")
        self._commands.describe(self.pause, "indexing.pause", words)
        self.pause.setAccessibleName(words)
        if not active and "reading" in vars(self):
            self.reading.setText("")
        self._write()

    def set_progress(self, progress: Progress) -> None:
        """Show one progress of the indexing process."""
        if self._progress is None or self._progress.stage != progress.stage:
            self._pace.clear()
        self._pace.add(progress.done)
        self._progress = progress
        if progress.detail:
            self.reading.setText(progress.detail)
        self._write()

    def set_growth(self, growth: Growth) -> None:
        """Show the totals so far, and the passage being read."""
        self._counts = growth
        if growth.reading:
            self.reading.setText(growth.reading)
        self._write()

    def set_counts(self, counts: Status) -> None:
        """Show the totals of the store."""
        self._counts = counts
        self._write()

    def set_approved(self, only: bool) -> None:
        """Show whether only approved facts count."""
        self.approved.setVisible(only)
        self._fit()

    def set_failed(self, documents: int, passages: int = 0) -> None:
        """Show how many documents could not be read, and how many passages of others failed."""
        if documents and passages:
            one = trn("{count} document", "{count} documents", documents)
            other = trn("{count} passage", "{count} passages", passages)
            self.failed.setText(tr("{documents} and {passages} failed", documents=one, passages=other))
        elif documents:
            self.failed.setText(trn("{count} document failed", "{count} documents failed", documents))
        else:
            self.failed.setText(trn("{count} passage failed", "{count} passages failed", passages))
        self.failed.setVisible(bool(documents or passages))
        self._fit()

    @property
    def share(self) -> float | None:
        """Return how far indexing is, 0 to 1, by the usual share of its stages; None where unknown."""
        progress = self._progress
        if self._state is IndexingState.IDLE or progress is None or progress.stage not in STAGES:
            return None
        names = list(STAGES)
        before = sum(STAGES[name][1] for name in names[: names.index(progress.stage)])
        done = progress.done / progress.total if progress.total else 0.0
        return before + STAGES[progress.stage][1] * min(1.0, done)

    def _write(self) -> None:
        counts = self._counts
        if counts is not None:
            totals = (
                trn("{count} document", "{count} documents", counts.documents),
                trn("{count} passage", "{count} passages", counts.passages),
                trn("{count} entity", "{count} entities", counts.entities),
                trn("{count} fact", "{count} facts", counts.facts),
            )
            self.totals.setText("   ".join(totals))
        share = self.share
        moving = share is None and self._state is not IndexingState.PAUSED
        self.bar.setRange(0, 0 if moving else 1000)
        self.bar.setValue(int(1000 * (share or 0.0)))
        sentence = self._sentence()
        nodes = self._progress.by_node if share is not None and self._progress is not None else ""
        self.words.setText(tr("{words} ({nodes})", words=sentence, nodes=nodes) if nodes else sentence)
        self._fit()

    def _fit(self) -> None:
        """Hide the totals where the current state needs their room."""
        parts = (
            self.words,
            self.bar,
            self.pause,
            self.cancel,
            self.approved,
            self.watch,
            self.failed,
            self.totals,
        )
        widths = [part.sizeHint().width() for part in parts if part is self.totals or not part.isHidden()]
        margins = self._row.contentsMargins()
        needed = sum(widths) + self._row.spacing() * (len(widths) + 1) + margins.left() + margins.right()
        self.totals.setVisible(needed <= self.width())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._fit()

    def _sentence(self) -> str:
        counts, progress = self._counts, self._progress
        if self._state is IndexingState.IDLE:
            return tr("Ready") if counts is not None else ""
        if self._state is IndexingState.PAUSED:
            return tr("Indexing is paused")
        if self._state is IndexingState.STOPPING:
            return tr("Stopping after this batch...")
        if progress is None:
            return tr("Starting to read...")
        if progress.stage == "index":
            return self._speed_of_passages(progress)
        words = STAGES.get(progress.stage, (progress.stage.capitalize(), 0.0))[0]
        if progress.total <= 1:
            return tr("{stage}...", stage=words)
        status = tr("{stage}: {done} of {total}", stage=words, done=progress.done, total=progress.total)
        return self._with_time(status, progress)

    def _speed_of_passages(self, progress: Progress) -> str:
        """Return "N passages indexed, X a second, M min left"."""
        if not progress.done:
            return trn(
                "Loading the models; {count} passage to index", "Loading the models; {count} passages to index",
                progress.total,
            )  # fmt: skip
        rate = self._pace.rate
        if rate <= 0:
            return trn(
                "{done} of {count} passage indexed", "{done} of {count} passages indexed",
                progress.total, done=progress.done,
            )  # fmt: skip
        words = trn(
            "{done} of {count} passage indexed, {speed} a second",
            "{done} of {count} passages indexed, {speed} a second",
            progress.total, done=progress.done, speed=f"{rate:.0f}" if rate >= 10 else f"{rate:.1f}",
        )  # fmt: skip
        return self._with_time(words, progress)

    def _with_time(self, words: str, progress: Progress) -> str:
        """Return the words with the time left, where it is known."""
        if progress.total <= progress.done or self._pace.rate <= 0:
            return words
        left = span((progress.total - progress.done) / self._pace.rate)
        return tr("{words}, {left}", words=words, left=left)
