"""`workspace.compositions`: ways of retrieving that a person composed, kept in the workspace, routes as lab:NAME."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import BadInput
from core.store.settings import COMPOSITIONS, OWN_ROUTE
from core.text.translation import tr
from core.workspace.handle import WorkspaceHandle

if TYPE_CHECKING:
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
