"""How an entry of a table is chosen."""

from __future__ import annotations

from typing import TypeVar

from core.errors import BadInput
from core.text.translation import tr

_T = TypeVar("_T")


def choose(what: str, name: str, table: dict[str, _T]) -> _T:
    """The entry `name` of a table. Raises BadInput that names the choices."""
    if name not in table:
        raise BadInput(
            tr("There is no {what} called {name}.", what=tr(what), name=repr(name)),
            tr("Choose one of: {names}.", names=", ".join(sorted(table))),
        )
    return table[name]
