"""Named arrangements of the panels: those that come with Clew, and a person's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QInputDialog

from app.look.translation import tr
from app.session.commands import Command
from app.session.panels import Area, PanelSpec
from app.session.preferences import Preferences
from app.session.session import Session

if TYPE_CHECKING:
    from app.shell.workbench import Workbench

_LONGEST = 40  # letters of a name


Stack = tuple[str, ...]  # panels that share a place as tabs, the first in front


@dataclass(frozen=True, slots=True)
class Perspective:
    """Where panels stand, by their ids: stacks from above downwards at the sides, from left to right at the bottom.
    What is not named is hidden. `height` of the bottom, as a share; `widths` of its stacks, () for the same."""

    left: tuple[Stack, ...]
    right: tuple[Stack, ...]
    bottom: tuple[Stack, ...]
    height: float
    widths: tuple[float, ...] = ()


def everyday(specs: Sequence[PanelSpec]) -> Perspective:
    """Return each everyday panel in its own area; those of the bottom share one place."""
    left, right, bottom = (
        tuple(spec.id for spec in specs if spec.area is area and spec.everyday)
        for area in (Area.LEFT, Area.RIGHT, Area.BOTTOM)
    )
    return Perspective(tuple((id,) for id in left), tuple((id,) for id in right), (bottom,), 0.38)


def narrowed(wanted: Perspective) -> Perspective:
    """Return the same panels for little room: all of the sides share one place, as tabs."""
    sides, bottom = ((*wanted.right, *wanted.left), wanted.bottom)
    return Perspective((), _joined(sides), _joined(bottom), 0.5)


def _joined(stacks: Sequence[Stack]) -> tuple[Stack, ...]:
    together = tuple(id for stack in stacks for id in stack)
    return (together,) if together else ()


def built_in(specs: Sequence[PanelSpec]) -> dict[str, tuple[str, Perspective]]:
    """Return the built-in arrangements by id, with their names."""
    read = Perspective((("library",),), (("ask",), ("evidence",)), (("reader",),), 0.64)
    debug = Perspective(
        (),
        (("ask",), ("evidence",)),
        (("reader",), ("explain", "anatomy", "lab")),
        0.55,
        (0.35, 0.65),
    )
    review = Perspective((), (("reader",),), (("review", "entities", "contradictions"),), 0.72)
    lab = Perspective((), (("ask",), ("evidence", "reader")), (("lab",),), 0.55)
    return {
        "explore": (tr("Explore"), everyday(specs)), "read": (tr("Read"), read), "debug": (tr("Debug"), debug),
        "review": (tr("Review"), review), "lab": (tr("Lab"), lab),
    }  # fmt: skip


class Perspectives(QObject):
    """Their commands, in the order of the menu. Signal: changed() when one came or went."""

    changed = Signal()

    def __init__(self, bench: Workbench, session: Session, preferences: Preferences) -> None:
        super().__init__(bench)
        self._bench, self._commands, self._preferences = bench, session.commands, preferences
        for number, (id, (name, perspective)) in enumerate(built_in(bench.specs).items(), 1):
            arrange = partial(bench.arrange, perspective)
            self._commands.add(bench, Command(f"perspective.{id}", name, arrange, f"Alt+{number}"))
        for name in preferences.perspectives():
            self._add(name)

        def none() -> str:
            return "" if preferences.perspectives() else tr("No arrangement of yours is kept.")

        keep = Command("window.keep", tr("&Keep this arrangement as..."), self.ask_name)
        forget = Command("window.forget", tr("&Forget an arrangement..."), self.ask_which, why_not=none)
        self._commands.add(bench, keep, forget)

    def ask_name(self) -> None:
        self._ask(tr("Keep this arrangement"), tr("Its name:"), self.keep)

    def keep(self, name: str) -> None:
        """Save the arrangement under this name, replacing one of the same name."""
        name = " ".join(name.split())[:_LONGEST]
        if not name:
            return
        known = self._preferences.perspectives()
        self._preferences.keep_perspective(name, self._bench.saved())
        if name not in known:
            self._add(name)
            self.changed.emit()

    def ask_which(self) -> None:
        self._ask(
            tr("Forget an arrangement"), tr("Which one:"), self.forget, list(self._preferences.perspectives())
        )

    def _ask(self, title: str, words: str, then: Callable[[str], None], choices: Sequence[str] = ()) -> None:
        dialog = QInputDialog(self._bench)
        dialog.setWindowTitle(title)
        dialog.setLabelText(words)
        dialog.setComboBoxItems(choices)
        dialog.textValueSelected.connect(then)
        dialog.open()

    def forget(self, name: str) -> None:
        self._preferences.forget_perspective(name)
        self._commands.remove(_id(name))
        self.changed.emit()

    def _add(self, name: str) -> None:
        self._commands.add(
            self._bench, Command(_id(name), name.replace("&", "&&"), partial(self._show, name))
        )

    def _show(self, name: str) -> None:
        if name in (stored := self._preferences.perspectives()):
            self._bench.restore(stored[name])


def _id(name: str) -> str:
    return f"perspective.own-{name}"
