"""`clew backup`: a copy of a workspace, whole and consistent, also while it is being indexed."""

from __future__ import annotations

import contextlib
import shlex
from pathlib import Path

import click

from core.cli.events import stoppable_progress
from core.cli.options import json_option, workspace_argument
from core.cli.output import print_json, say


@click.command()
@workspace_argument
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--without-private", is_flag=True, help="Leave private documents out, to give the copy away.")
@json_option
def backup(workspace: Path, target: Path, without_private: bool, as_json: bool) -> int:
    """Copy WORKSPACE to TARGET, a new or empty folder; reading and indexing may go on meanwhile."""
    from core.store.backup import back_up
    from core.store.store import FILE
    from core.workspace import Workspace

    with stoppable_progress(as_json) as context, contextlib.ExitStack() as opened:
        source = workspace.expanduser()
        if without_private:
            owner = opened.enter_context(Workspace.open(source, read_only=True))
            source = opened.enter_context(owner.public_part(context)).path
        found = back_up(source / FILE, target.expanduser(), context)
    if as_json:
        print_json(found)
        return 0
    say(
        f"{found.documents:,} documents, {found.passages:,} passages ({found.size / 1e6:,.1f} MB) copied to "
        f"{target} and checked in {found.seconds:.1f} s."
    )
    say(f"It is opened for reading only until you trust it there: clew trust {shlex.quote(str(target))}")
    if found.pending:
        say(f"{found.pending:,} passages are not indexed yet; indexing the copy goes on from there.")
    return 0
