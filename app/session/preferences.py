"""What the window remembers between two starts: its geometry, its theme, the workspaces opened last."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from platformdirs import user_data_dir
from PySide6.QtCore import QByteArray, QSettings

from core.types import Status

RECENT = 12  # workspaces that are remembered
DATABASE = "clew.db"


@dataclass(frozen=True, slots=True)
class Recent:
    """A workspace opened before, with the counts it had then (nothing is opened to list it)."""

    path: str
    folder: str = ""
    opened: str = ""  # ISO 8601, local time
    documents: int = 0
    passages: int = 0
    entities: int = 0
    failed: int = 0

    @property
    def missing(self) -> bool:
        """Return whether the workspace is no longer where it was."""
        return not (Path(self.path) / DATABASE).is_file()

    @property
    def name(self) -> str:
        """Return the folder's name, or the workspace's where the folder is not known."""
        return Path(self.folder or self.path).name or self.path


class Preferences:
    """A typed face of QSettings. `file` is for tests; people's own lie where the system keeps settings."""

    def __init__(self, file: Path | None = None) -> None:
        if file is None:
            self._settings = QSettings("Clew", "Clew")  # not shown
        else:
            self._settings = QSettings(str(file), QSettings.Format.IniFormat)

    @property
    def theme(self) -> str:
        """light, dark, contrast or system."""
        value = str(self._settings.value("theme", "system"))
        return value if value in ("light", "dark", "contrast", "system") else "system"

    @theme.setter
    def theme(self, mode: str) -> None:
        self._settings.setValue("theme", mode)

    @property
    def text_size(self) -> int:
        """Of all text, per cent of the normal size."""
        value = str(self._settings.value("text-size", "100"))
        return int(value) if value.isdecimal() else 100

    @text_size.setter
    def text_size(self, percent: int) -> None:
        self._settings.setValue("text-size", percent)

    @property
    def less_motion(self) -> bool:
        """Return whether things are to move less than the system has them."""
        return str(self._settings.value("less-motion", "no")) == "yes"

    @less_motion.setter
    def less_motion(self, wanted: bool) -> None:
        self._settings.setValue("less-motion", "yes" if wanted else "no")

    @property
    def writer(self) -> str:
        """Return who writes answers: "extractive" or "ollama:MODEL"; "" where nothing was chosen."""
        return str(self._settings.value("writer", ""))

    @writer.setter
    def writer(self, writer: str) -> None:
        self._settings.setValue("writer", writer)

    @property
    def communities(self) -> str:
        """Return how the communities are browsed: "list" or "treemap"."""
        value = str(self._settings.value("communities", "list"))
        return value if value in ("list", "treemap") else "list"

    @communities.setter
    def communities(self, view: str) -> None:
        self._settings.setValue("communities", view)

    @property
    def reader(self) -> Literal["text", "look", "both"]:
        """Return how documents are read: as text, as they look, or both beside each other."""
        value = self._settings.value("reader", "text")
        return "look" if value == "look" else "both" if value == "both" else "text"

    @reader.setter
    def reader(self, look: Literal["text", "look", "both"]) -> None:
        self._settings.setValue("reader", look)

    @property
    def folded(self) -> bool | None:
        """Return whether communities are single nodes in the graph; None where nothing was chosen."""
        value = str(self._settings.value("folded", ""))
        return value == "yes" if value in ("yes", "no") else None

    @folded.setter
    def folded(self, folded: bool) -> None:
        self._settings.setValue("folded", "yes" if folded else "no")

    @property
    def time_band(self) -> bool:
        """Return whether the dates of facts stand under the graph."""
        return str(self._settings.value("time-band", "yes")) != "no"

    @time_band.setter
    def time_band(self, wanted: bool) -> None:
        self._settings.setValue("time-band", "yes" if wanted else "no")

    @property
    def harmless_cells(self) -> bool:
        """Return whether copied cells that a spreadsheet would run are made text."""
        return str(self._settings.value("harmless-cells", "yes")) != "no"

    @harmless_cells.setter
    def harmless_cells(self, wanted: bool) -> None:
        self._settings.setValue("harmless-cells", "yes" if wanted else "no")

    @property
    def proposes(self) -> bool:
        """Return whether facts behind answers are to wait for a decision."""
        return str(self._settings.value("proposes", "yes")) != "no"

    @proposes.setter
    def proposes(self, wanted: bool) -> None:
        self._settings.setValue("proposes", "yes" if wanted else "no")

    def bytes_of(self, key: str) -> QByteArray:
        """Return a saved geometry or dock layout; empty when there is none."""
        value = self._settings.value(key)
        return value if isinstance(value, QByteArray) else QByteArray()

    def keep_bytes(self, key: str, value: QByteArray) -> None:
        self._settings.setValue(key, value)

    def perspectives(self) -> dict[str, QByteArray]:
        """Return the person's own arrangements of the panels by name, in the order in which they were kept."""
        stored = self._settings.value("perspectives")
        return {str(name): value for name, value in stored.items()} if isinstance(stored, dict) else {}

    def keep_perspective(self, name: str, arrangement: QByteArray) -> None:
        self._settings.setValue("perspectives", self.perspectives() | {name: arrangement})

    def forget_perspective(self, name: str) -> None:
        layouts = self.perspectives()
        layouts.pop(name, None)
        self._settings.setValue("perspectives", layouts)

    def recents(self) -> list[Recent]:
        """Workspaces opened before, the last one first. A row that cannot be read is left out."""
        try:
            rows = json.loads(str(self._settings.value("recent", "[]")))
        except ValueError:
            return []
        names = {item.name for item in fields(Recent)}
        return [
            Recent(**{key: value for key, value in row.items() if key in names})
            for row in (rows if isinstance(rows, list) else [])
            if isinstance(row, dict) and isinstance(row.get("path"), str)
        ]

    def remember(self, path: Path, folder: Path | None, counts: Status | None) -> None:
        """Put a workspace first; without counts it keeps those it had."""
        old = next((r for r in self.recents() if r.path == str(path)), Recent(str(path)))
        now = datetime.now().isoformat(timespec="seconds")
        new = replace(old, folder=str(folder) if folder else old.folder, opened=now)
        if counts is not None:
            new = replace(
                new,
                documents=counts.documents,
                passages=counts.passages,
                entities=counts.entities,
                failed=counts.failed,
            )
        self._write([new, *(r for r in self.recents() if r.path != new.path)][:RECENT])

    def forget(self, path: str) -> None:
        """Take a workspace off the list; the workspace itself is not touched."""
        self._write([r for r in self.recents() if r.path != path])

    def _write(self, recents: list[Recent]) -> None:
        self._settings.setValue("recent", json.dumps([asdict(r) for r in recents]))

    def watched(self, path: Path) -> bool:
        """Return whether the folder of this workspace is to be watched while it is open."""
        return str(path) in self._watched()

    def set_watched(self, path: Path, wanted: bool) -> None:
        others = [known for known in self._watched() if known != str(path)]
        self._settings.setValue("watched", json.dumps([str(path), *others] if wanted else others))

    def _watched(self) -> list[str]:
        try:
            rows = json.loads(str(self._settings.value("watched", "[]")))
        except ValueError:
            return []
        return [row for row in rows if isinstance(row, str)] if isinstance(rows, list) else []

    def sync(self) -> None:
        self._settings.sync()


def default_workspace(folder: Path) -> Path:
    """Return where a folder's workspace lies when the person chose none: the same folder, the same place."""
    folder = folder.resolve()
    mark = hashlib.sha256(str(folder).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return Path(user_data_dir("clew", appauthor=False)) / "workspaces" / f"{folder.name or 'folder'}-{mark}"


def sample_folder() -> Path:
    """Return the sample that comes with Clew; it may be missing in an incomplete installation."""
    return Path(__file__).resolve().parents[2] / "resources" / "sample"
