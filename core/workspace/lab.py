"""`workspace.compositions` and `workspace.lab`: kept runs, a question through one composition, and how `auto` asks."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from core.errors import BadInput, CoreError
from core.files.safe_files import WRONG_SHAPE, open_regular, parse_json, strange
from core.lab.comparing import compare_questions, pareto_front
from core.lab.figures import LabFigures, kinds, summarised
from core.lab.rows import FORMAT, LabRow, read_row
from core.progress import TaskContext
from core.store.settings import COMPOSITIONS, OWN_ROUTE
from core.text.translation import tr
from core.types import LabComposition, LabFlow, LabRun, LabWish, QuestionComparison
from core.workspace.handle import WorkspaceHandle

if TYPE_CHECKING:
    from core.answering.ask import Asker
    from core.retrieval.compositions import Composition


class CompositionsApi:
    def __init__(self, opened: WorkspaceHandle) -> None:
        self._opened = opened
        self._settings = opened.store.settings

    def all(self) -> dict[str, Composition]:
        """Those that Clew comes with and those of the workspace, by name. Raises BadInput."""
        from core.retrieval.routes import compositions  # slow to import

        return compositions(self._settings.get(COMPOSITIONS))

    def text(self, *names: str) -> str:
        """These as TOML, by default all that the workspace keeps, to be copied and changed. Raises BadInput."""
        from core.retrieval.compositions import as_toml
        from core.retrieval.routes import composition_of

        stored = self._settings.get(COMPOSITIONS)
        return "\n".join(as_toml(name, composition_of(name, stored)) for name in names) if names else stored

    def keep(self, text: str) -> tuple[str, ...]:
        """Keep the compositions of a TOML text in the place of all that were kept; their names.

        Raises BadInput where one cannot be read or has the name of one that Clew comes with, or where the one that was
        adopted would go, Untrusted.
        """
        from core.retrieval.compositions import read_compositions, shipped_compositions
        from core.retrieval.routes import LAB

        self._opened.check_trusted()
        found = read_compositions(text, tr("The text"))
        if taken := sorted(found.keys() & shipped_compositions().keys()):
            raise BadInput(
                tr("Clew comes with compositions of these names: {names}.", names=", ".join(taken)),
                tr("Choose other names."),
            )
        own = self._settings.get(OWN_ROUTE).removeprefix(LAB)
        if own and own not in {*found, *shipped_compositions()}:
            raise BadInput(
                tr("{name} is the composition that this workspace adopted.", name=own),
                tr("Keep it, or withdraw it first."),
            )
        self._settings.set(COMPOSITIONS, text)
        return tuple(found)


# ------------------------------------------------------------ laboratory


FOLDER, RUNS, WISH = "lab", ".jsonl", ".wish.json"
PINS, VERDICTS, GENERATED = "pins", "verdicts", "made"
LAB = "lab:"
_HEAD = 1 << 16  # bytes that a file's first line may have
_LONGEST = 1 << 20  # bytes of a line: what is longer is no row

__all__ = ["GENERATED", "LAB", "PINS", "VERDICTS", "LabApi", "LabFigures", "LabReading", "LabRow"]


class LabApi:
    """Runs are made by `clew lab run ... --out`, in a process of their own. Safe from every thread."""

    def __init__(self, opened: WorkspaceHandle, asker: Callable[[], Asker]) -> None:
        self._opened, self._asker = opened, asker
        self._store, self._settings = opened.store, opened.store.settings
        self._folder = opened.path / FOLDER

    def compositions(self) -> list[LabComposition]:
        """Those that Clew comes with, then the workspace's own. Raises BadInput where these cannot be read."""
        from core.lab.words import described
        from core.retrieval.compositions import shipped_compositions
        from core.retrieval.routes import compositions

        shipped, found = shipped_compositions(), compositions(self._settings.get(COMPOSITIONS))
        return [described(name, each, name not in shipped) for name, each in found.items()]

    # ------------------------------------------------------------ a question

    def flow(self, name: str, question: str, context: TaskContext, k: int = 10) -> LabFlow:
        """What each module of a composition makes of a question.

        Raises BadInput for a composition that is not there or needs what is not there and for an empty or endless
        question, NothingIndexed, Cancelled.
        """
        from core.lab.flow import flow
        from core.retrieval.routes import composition_of
        from core.text.escape_controls import checked

        composition = composition_of(name, self._settings.get(COMPOSITIONS))
        if composition.needs_model:
            self._opened.check_trusted()
        return flow(self._asker(), self._store, name, composition, checked(question), k, context)

    # ------------------------------------------------------------ the workspace's own

    @property
    def adopted(self) -> str:
        """The composition that `auto` asks by; "" where the question's score chooses a route."""
        return self._settings.get(OWN_ROUTE).removeprefix(LAB)

    def adopt(self, name: str) -> str:
        """Have `auto` ask by this composition from now on, "" by the score again; what it was before.

        Questions about all documents stay as they are. Raises BadInput for one that is not there, Untrusted,
        WorkspaceError where nothing can be written.
        """
        from core.retrieval.routes import composition_of

        self._opened.check_trusted()
        before = self.adopted
        if name:
            composition_of(name, self._settings.get(COMPOSITIONS))
        self._settings.set(OWN_ROUTE, f"{LAB}{name}" if name else "")
        return before

    # ------------------------------------------------------------ runs

    def runs(self) -> list[LabRun]:
        """All that are kept, the newest first; one that cannot be read says why."""
        if strange(self._folder) not in ("", tr("a folder")) or not self._folder.is_dir():
            return []
        revision = self._settings.revision()
        found = [self._run(path, revision) for path in self._folder.glob(f"*{RUNS}")]
        return sorted(found, key=lambda run: (-run.at, run.name))

    def begin(self, wish: LabWish) -> Path:
        """Where a new run is to write its rows; what it is to do is kept beside it. Raises Untrusted, OSError."""
        self._opened.check_trusted()
        self._folder.mkdir(exist_ok=True)
        source = wish.questions if wish.questions in (PINS, VERDICTS, GENERATED) else "file"
        stem = f"{time.strftime('%Y-%m-%d %H.%M.%S')} {source}"
        path = self._folder / f"{stem}{RUNS}"
        number = 1
        while path.exists():
            number += 1
            path = self._folder / f"{stem} {number}{RUNS}"
        payload = {"questions": wish.questions, "count": wish.count, "compositions": wish.compositions}
        file = open_regular(_wish_of(path), os.O_WRONLY | os.O_CREAT)
        with open(file, "w", encoding="utf-8") as writing:
            json.dump(payload, writing)
        return path

    def remove(self, run: LabRun) -> None:
        """Delete a run that is kept. Raises Untrusted, BadInput for what is none of this workspace."""
        self._opened.check_trusted()
        if run.path.parent != self._folder or run.path.suffix != RUNS:
            raise BadInput(tr("{file} is no run of this workspace.", file=run.path), tr("Choose another."))
        run.path.unlink(missing_ok=True)
        _wish_of(run.path).unlink(missing_ok=True)

    def reading(self, path: Path) -> LabReading:
        """The rows of a run, as they come."""
        return LabReading(path)

    def _run(self, path: Path, revision: int) -> LabRun:
        try:
            at = path.lstat().st_mtime
            head = _head(path)
        except (CoreError, OSError, ValueError) as error:
            why = error.message if isinstance(error, CoreError) else tr("It is no run of the lab.")
            return LabRun(path.stem, path, 0.0, fault=why)
        return LabRun(path.stem, path, at, head.get("revision") != revision, wish=_wish(_wish_of(path)))

    # ------------------------------------------------------------ what runs say

    @staticmethod
    def figures(rows: Sequence[LabRow], kind: str = "") -> list[LabFigures]:
        """Of each composition, over the questions of a kind ("" for all) that all of them answered."""
        return summarised(rows, kind)

    @staticmethod
    def kinds(rows: Collection[LabRow]) -> list[str]:
        """Kinds of questions, then numbers of hops in words; each where there are several."""
        return kinds(rows)

    @staticmethod
    def compare_questions(rows: Sequence[LabRow], one: str, other: str) -> list[QuestionComparison]:
        """`one` against `other`, question by question."""
        return compare_questions(rows, one, other)

    @staticmethod
    def front(points: Mapping[str, tuple[float, float]]) -> list[str]:
        """Of (cost, quality) by name: what nothing beats in one without losing in the other, the cheapest first."""
        return pareto_front(points)


class LabReading:
    """The rows of one run; `more` reads those that came since. A line that is being written waits for its end.

    `torn` counts lines that are no rows: of a run that was killed, or made by another version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.torn = 0
        self._lock = Lock()
        self._place, self._headed = 0, False
        self._rows: dict[tuple[str, str], LabRow] = {}

    @property
    def rows(self) -> list[LabRow]:
        """All that were read, of each composition and question the last."""
        with self._lock:
            return list(self._rows.values())

    def more(self) -> int:
        """How many rows came; 0 where the file is not there yet. Raises BadInput, WorkspaceError, OSError."""
        with self._lock:
            return self._more()

    def _more(self) -> int:
        try:
            file = open_regular(self.path)
        except FileNotFoundError:
            return 0
        with open(file, "rb") as source:
            if os.fstat(source.fileno()).st_size < self._place:  # it was begun anew
                self._place, self._headed, self.torn = 0, False, 0
                self._rows.clear()
            source.seek(self._place)
            lines = source.read().split(b"\n")
        self._place += sum(len(line) + 1 for line in lines[:-1])
        if not self._headed and len(lines) > 1:
            _checked_head(lines.pop(0))
            self._headed = True
        return sum(map(self._take, lines[:-1]))

    def _take(self, line: bytes) -> bool:
        if not line.strip():
            return False
        try:
            if len(line) > _LONGEST:
                raise ValueError
            _, row = read_row(line)
        except WRONG_SHAPE:
            self.torn += 1
            return False
        self._rows[row.composition, row.question] = row
        return True


def _wish_of(path: Path) -> Path:
    return path.with_suffix(WISH)


def _head(path: Path) -> Mapping[str, object]:
    """Raises ValueError, BadInput, WorkspaceError, OSError."""
    with open(open_regular(path), "rb") as source:
        return _checked_head(source.readline(_HEAD))


def _checked_head(line: bytes) -> Mapping[str, object]:
    try:
        head = parse_json(line)
    except ValueError:
        head = None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise BadInput(tr("It is no run of the lab."), tr("Choose another."))
    return head


def _wish(path: Path) -> LabWish | None:
    """None where there is none, or none that can be read."""
    try:
        with open(open_regular(path), "rb") as source:
            payload: Any = parse_json(source.read(_HEAD))
        names = tuple(map(str, payload["compositions"]))
        return LabWish(str(payload["questions"]), int(payload["count"]), names)
    except (CoreError, OSError, *WRONG_SHAPE):
        return None
