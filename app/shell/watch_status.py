"""The watched folder in the status line: a word, an icon, and the whole story in the tooltip."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QObject

from app.library.watching import Batch, Mode, Watching
from app.look import theme
from app.look.translation import tr, trn
from app.session.commands import Commands
from app.shell.status_line import StatusLine

NAMES = 12  # changes that a tooltip names
LOOKS = {  # words, icon, colour
    Mode.OFF: (tr("Not watched"), "eye-slash", "muted"),
    Mode.WATCHING: (tr("Watching"), "eye", "ok"),
    Mode.SETTLING: (tr("Changes found, waiting until writing ends"), "hourglass", "accent"),
    Mode.WAITING: (tr("Waiting for another process"), "hourglass", "warn"),
    Mode.INDEXING: (tr("Indexing what changed"), "arrows-clockwise", "accent"),
    Mode.PAUSED: (tr("Watching is paused"), "pause", "warn"),
    Mode.EMPTY: (tr("Folder is empty"), "warning", "warn"),
    Mode.MISSING: (tr("Folder is not there"), "warning", "warn"),
}
TIPS = {
    Mode.OFF: tr("Changes in the folder are not indexed by themselves.\nPress to watch it ({watch})."),
    Mode.WATCHING: tr(
        "Changes in the folder are indexed by themselves.\nPress to pause; {watch} switches it off."
    ),
    Mode.SETTLING: tr("Nothing is read before the folder has come to rest and no file is open for writing."),
    Mode.WAITING: tr(
        "Another process writes to this workspace. What changed is indexed when it has finished."
    ),
    Mode.INDEXING: tr("Press to pause."),
    Mode.PAUSED: tr("What changes meanwhile is indexed when you go on.\nPress to go on."),
    Mode.EMPTY: tr(
        "Nothing is removed from the workspace for that: a disk that is not connected looks the same.\n"
        "If the folder is meant to be empty, read it again ({again})."
    ),
    Mode.MISSING: tr("Nothing is removed from the workspace for that. Watching goes on when it is back."),
}


class WatchStatus(QObject):
    """Shows `watching` in the status line, and passes presses on."""

    def __init__(self, watching: Watching, status: StatusLine, commands: Commands) -> None:
        super().__init__(status)
        self._watching, self._status = watching, status
        self._keys = {"watch": commands.keys("indexing.watch"), "again": commands.keys("indexing.again")}
        self._read = ""  # when the last batch was read, and what it was
        self._batch: Batch | None = None
        status.watch_pressed.connect(watching.press)
        watching.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        watching = self._watching
        batch, self._batch = self._batch, watching.batch
        if batch is not None and watching.batch is None and not watching.paused:
            self._read = tr(
                "Last read at {time}: {what}.", time=f"{datetime.now():%H:%M}", what=changes(batch)
            )
        if watching.shut:
            self._read = ""
            self._status.set_watch("", "", theme.icon("eye"))
            return
        mode = watching.mode
        words, icon, role = LOOKS[mode]
        if mode is Mode.INDEXING and watching.batch is not None and not watching.batch.first:
            words = tr("Indexing {what}", what=changes(watching.batch))
        self._status.set_watch(words, self._tip(mode), theme.icon(icon, role))

    def _tip(self, mode: Mode) -> str:
        watching = self._watching
        news = watching.news.words if watching.news is not None and mode is not Mode.OFF else ""
        lines = [news, TIPS[mode].format(**self._keys), self._read]
        if watching.batch is not None:
            names = watching.batch.names()
            lines += names[:NAMES]
            if len(names) > NAMES:
                lines.append(tr("and {count} more", count=len(names) - NAMES))
        return "\n".join(line for line in lines if line)


def changes(batch: Batch) -> str:
    """How many changes, in words."""
    return tr("what changed") if batch.first else trn("{count} change", "{count} changes", batch.count)
