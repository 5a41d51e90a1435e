"""What a question is kept to, as options: `--in contracts/lease.pdf --in "entity:Calder Reach" --since 2021-03`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from core.errors import BadInput
from core.text.jsonable import fields_of
from core.types import Answer, Scope

if TYPE_CHECKING:
    from core.workspace import Workspace


def scope_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`kept` (several), `since` and `until`."""
    within = click.option(
        "--in",
        "kept",
        multiple=True,
        metavar="WHERE",
        help="Look only in this document (its path), entity:NAME or community:NUMBER; may be given again.",
    )
    since = click.option("--since", default="", metavar="DATE", help="Only what is told of then or later.")
    until = click.option("--until", default="", metavar="DATE", help="Only what is told of then or earlier.")
    return within(since(until(command)))


def scope_of(opened: Workspace, kept: Sequence[str], since: str, until: str) -> Scope:
    """Raises BadInput for what is not in the workspace."""
    entities, documents, communities = [], [], []
    for where in kept:
        kind, _, name = where.partition(":")
        if kind == "entity" and name:
            entities.append(_entity(opened, name))
        elif kind == "community" and name.isdecimal():
            communities.append(int(name))
        else:
            documents.append(opened.documents.find([where])[0].id)
    return Scope(tuple(entities), tuple(documents), tuple(communities), since, until)


def _entity(opened: Workspace, name: str) -> str:
    found = opened.search(name, 5, ("entity",))
    same = [each.id for each in found if each.title.casefold() == name.casefold()]
    if not same:
        names = ", ".join(each.title for each in found)
        raise BadInput(
            f"No entity is called {name!r}.",
            f"Did you mean {names}?" if names else "Look for it: clew ask WORKSPACE NAME.",
        )
    return same[0]


def scope_object(answer: Answer) -> dict[str, object] | None:
    """For `--json`; None where nothing was left out."""
    coverage = answer.trace.kept
    if coverage is None:
        return None
    return {
        **fields_of(answer.trace.scope, *Scope.__slots__),
        "passages": coverage.taken,
        "of": coverage.count,
        "parts": coverage.parts,
    }
