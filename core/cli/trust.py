"""`clew trust`: take a workspace that was copied, moved or received for one's own, having seen what it names."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from core.cli.output import print_json, say
from core.errors import BadInput
from core.types import ModelHost, Origin


@click.command()
@click.argument("workspace", type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Trust it without being asked.")
@click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
def trust(workspace: Path, yes: bool, as_json: bool) -> int:
    """See what WORKSPACE names, and say that it is yours: from then on it is indexed and written."""
    from core.models.hosts import host_at, own_host
    from core.store.store import FILE
    from core.workspace.trust import origin_of
    from core.workspace.trust import trust as trust_it

    path = workspace.expanduser()
    found = origin_of(path)
    if found is None:
        raise BadInput(f"There is no Clew workspace in {path} ({FILE}).", "Choose another folder.")
    host = host_at(own_host())
    if not as_json:
        _print(found, host)
    if not found.trusted:
        _confirm(workspace, yes, as_json)
        trust_it(path)
    if as_json:
        print_json({"trusted": True, "before": found, "host": host})
    else:
        say("It was trusted before." if found.trusted else "It is trusted now, at this place.")
    return 0


def _print(found: Origin, host: ModelHost) -> None:
    say(f"Workspace {found.path}")
    for name, words in (
        ("from", "here" if found.trusted else f"it {found.words}"),
        ("folder", found.folder or "none yet"),
        ("extractor", found.extractor),
        ("models at", host.words),
        *([("settings", ", ".join(found.settings))] if found.settings else []),
    ):
        say(f"  {name:<10} {words}")


def _confirm(workspace: Path, yes: bool, as_json: bool) -> None:
    """Raises BadInput where nobody can be asked, click.Abort for a no."""
    if yes:
        return
    if as_json or not sys.stdin.isatty():
        raise BadInput(
            f"{workspace} was not trusted: nobody could be asked.",
            f"To trust it: clew trust {shlex.quote(str(workspace))} --yes",
        )
    click.confirm("Trust it? It is then indexed from this folder, and written", abort=True)
