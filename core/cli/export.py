"""`clew export`: the graph with its sources, for other programs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from core.cli.events import stoppable_progress
from core.cli.options import json_option, workspace_argument
from core.cli.output import print_json, say


@click.command()
@workspace_argument
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Also where the file is there already.")
@json_option
def export(workspace: Path, target: Path, replace: bool, as_json: bool) -> int:
    """Write the graph of WORKSPACE, without its private documents, to TARGET.

    TARGET ends with .graphml, .gexf or .json for graph tools, .db for plain tables.

    Each fact has the words that it rests on, with their document and page. Edges that follow from facts and lists of
    references have a kind of their own: before, hierarchy, citation.
    """
    from core.workspace import Workspace

    with (
        stoppable_progress(as_json) as context,
        Workspace.open(workspace, read_only=True) as opened,
    ):
        found = opened.export(target.expanduser(), context, replace)
    if as_json:
        print_json(asdict(found))
        return 0
    say(
        f"{found.entities:,} entities, {found.facts:,} facts and {found.edges:,} edges that follow from them"
        f" of {found.documents:,} documents in {found.path}."
    )
    return 0
