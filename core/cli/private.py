"""`clew private`: documents that never leave this machine."""

from __future__ import annotations

from pathlib import Path

import click

from core.cli.options import json_option, workspace_argument
from core.cli.output import print_json, say
from core.errors import BadInput
from core.text.translation import tr, trn


@click.group()
def private() -> None:
    """Keep documents private: out of exports, evidence packs, and models on other machines."""


@private.command("mark")
@workspace_argument
@click.argument("paths", nargs=-1, required=True, metavar="DOCUMENT|FOLDER...")
@json_option
def mark(workspace: Path, paths: tuple[str, ...], as_json: bool) -> int:
    """Keep documents of WORKSPACE, or folders with all that lies in them, private; "." is all of it.

    Paths are those that `clew documents` lists, or of files in the indexed folder. What is renamed, moved, edited,
    packed or attached stays private.
    """
    from core.workspace import Workspace

    with Workspace.open(workspace) as opened:
        opened.private.mark(paths)
        count = len(opened.private.documents())
    if as_json:
        print_json({"marked": paths, "private": count})
    else:
        say(_private_words(count))
    return 0


@private.command("unmark")
@workspace_argument
@click.argument("paths", nargs=-1, required=True, metavar="DOCUMENT|FOLDER...")
@json_option
def unmark(workspace: Path, paths: tuple[str, ...], as_json: bool) -> int:
    """Keep documents or folders of WORKSPACE private no longer. What lies in a private folder stays private."""
    from core.workspace import Workspace

    with Workspace.open(workspace) as opened:
        gone = opened.private.unmark(paths)
        count = len(opened.private.documents())
    if not gone:
        raise BadInput(
            tr("Nothing there is marked private."), tr("clew private list WORKSPACE lists what is marked.")
        )
    if as_json:
        print_json({"unmarked": gone, "private": count})
    else:
        marks = trn("{count} mark is gone", "{count} marks are gone", len(gone))
        say(f"{marks}; {_private_words(count)}")
    return 0


@private.command("list")
@workspace_argument
@json_option
def list_all(workspace: Path, as_json: bool) -> int:
    """List the marks of WORKSPACE, and why each document is private."""
    from core.workspace import Workspace, describe_reason

    with Workspace.open(workspace, read_only=True) as opened:
        marks, documents = opened.private.marks(), opened.private.documents()
    if as_json:
        print_json({"marks": marks, "private": len(documents), "documents": documents})
        return 0
    for path in marks:
        say(path or "(all)")
    for document in documents:
        say(f"{document.path}: {describe_reason(document)}")
    say(_private_words(len(documents)))
    return 0


def _private_words(count: int) -> str:
    return trn("{count} document is private.", "{count} documents are private.", count)
