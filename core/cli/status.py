"""`clew status`: what a workspace holds."""

from __future__ import annotations

from pathlib import Path

import click

from core.cli.output import print_json, say


@click.command()
@click.argument("workspace", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
def status(workspace: Path, as_json: bool) -> int:
    """Counts of WORKSPACE, what failed, what is pending, and the digest of its content."""
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
    say(f"Workspace {workspace}" + (f" of {folder}" if folder else ""))
    for name in ("documents", "passages", "entities", "facts", "triples", "communities", "failed", "pending"):
        say(f"  {name:<12} {getattr(found, name):>9,}")
    say(f"  digest       {found.digest}")
    for document in failed:
        say(f"Not read: {document.path}: {document.reason} {document.remedy}")
    return 0
