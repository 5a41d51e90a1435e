"""Arguments and options that several commands take, each defined once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from core.errors import BadInput
from core.types import Scope

if TYPE_CHECKING:
    from core.workspace import Workspace

PATH = click.Path(path_type=Path)
workspace_argument = click.argument("workspace", type=PATH)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
replace_option = click.option("--replace", is_flag=True, help="Overwrite a file that exists.")
route_option = click.option(
    "--route",
    default="auto",
    show_default=True,
    help="How passages are retrieved: auto, dense, fusion, graph, lexical, global (all "
    "documents at once), or lab:NAME for a composition of the lab.",
)
generator_option = click.option(
    "--generator",
    default="extractive",
    show_default=True,
    help="What writes the text: extractive (quotes, by rules) or ollama:MODEL.",
)


def _refuse_parameters(
    _context: click.Context, _option: click.Parameter, lines: tuple[str, ...]
) -> tuple[str, ...]:
    """Return settings as they are. Raises BadInput for a name that is no setting of a person."""
    from core.config import Config, with_settings

    with_settings(Config(), lines, parameters=False)
    return lines


setting_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_refuse_parameters,
    help="Change a setting, for example models.window=8192; may be repeated. `clew settings` lists them.",
)
parameter_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Change a setting that `clew settings` lists, or a parameter of core/config.py; may be repeated.",
)


def scope_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `places` (several), `since` and `until`: what a question is restricted to."""
    within = click.option(
        "--in",
        "places",
        multiple=True,
        metavar="WHERE",
        help="Search only this document (its path), entity:NAME or community:NUMBER; may be repeated.",
    )
    since = click.option("--since", default="", metavar="DATE", help="Only what is dated then or later.")
    until = click.option("--until", default="", metavar="DATE", help="Only what is dated then or earlier.")
    return within(since(until(command)))


def scope_of(opened: Workspace, places: Sequence[str], since: str, until: str) -> Scope:
    """Return the scope that the options name. Raises BadInput for what is not in the workspace."""
    entities, documents, communities = [], [], []
    for where in places:
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
