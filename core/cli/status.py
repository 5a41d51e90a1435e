"""`clew status`: what a workspace holds."""

from __future__ import annotations

from pathlib import Path

import click

from core.cli.output import print_json


@click.command()
@click.argument("workspace", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
def status(workspace: Path, as_json: bool) -> int:
    """Counts of WORKSPACE, what failed, what is pending, and the digests of its content and of what follows from it."""
    from core.workspace import Workspace

    opened = Workspace.open(workspace, read_only=True)
    try:
        found = opened.status()
        failed = [d for d in opened.documents() if d.reason]
        folder = opened.folder
    finally:
        opened.close()
    if as_json:
        print_json(found)
        return 0
    click.echo(f"Workspace {workspace}" + (f" of {folder}" if folder else ""))
    for name in ("documents", "passages", "entities", "facts", "triples", "communities", "failed", "pending"):
        click.echo(f"  {name:<12} {getattr(found, name):>9,}")
    click.echo(f"  digest       {found.digest}")
    click.echo(f"  derived      {found.derived_digest}")
    if found.unfinished:
        click.echo(
            "Not finished: what changed, or was taken out, is still to be worked into the graph. To go on: "
            f"clew index {folder or 'FOLDER'} --workspace {workspace}"
        )
    for document in failed:
        click.echo(f"Not read: {document.path}: {document.reason} {document.remedy}")
    return 0
