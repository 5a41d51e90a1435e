"""`clew edges`: what follows from the facts and lists of references: before and after, organisation, citations."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from core.cli.options import json_option, setting_option, workspace_argument
from core.cli.output import print_json, say
from core.types import EDGE_KINDS, DerivedEdge


@click.command()
@workspace_argument
@click.option("--kind", type=click.Choice(EDGE_KINDS), help="Edges of this kind only.")
@click.option("--entity", default="", metavar="NAME", help="Edges of the entity of this name only.")
@click.option(
    "--limit", type=click.IntRange(0), default=20, show_default=True, help="Edges listed; 0 lists all."
)
@setting_option
@json_option
def edges(
    workspace: Path, kind: str | None, entity: str, limit: int, settings: tuple[str, ...], as_json: bool
) -> int:
    """Edges of WORKSPACE that follow from others, with the sentences that they follow from, and what questions walk."""
    from core.workspace import Workspace

    with Workspace.open(workspace, read_only=True, settings=settings) as opened:
        graph = opened.graph
        found = graph.derived_edges()
        rows = graph.edge_rows(found, kind or "", opened.names.id_of(entity) if entity else "")
        explained = graph.edges_told(found, rows[: limit or None])
        walked = opened.retrieval.walked() if opened.counts().passages else {}
    if as_json:
        listed = [asdict(edge) for edge in explained]
        print_json({"counts": found.counts, "walked": walked, "found": len(rows), "edges": listed})
        return 0
    say(f"Edges that follow: {_counts(found.counts)}")
    say(f"Walked: {_counts(walked)}")
    for edge in explained:
        _say(edge)
    if len(rows) > len(explained):
        say(f"{len(rows) - len(explained):,} more; --limit 0 lists all.")
    return 0


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())


def _say(edge: DerivedEdge) -> None:
    one, other = (f" ({date})" for date in edge.dates) if edge.dates else ("", "")
    of = f": {edge.of}, {', then '.join(edge.predicates)}" if edge.of else ""
    say(f"{edge.source}{one} {edge.relation} {edge.target}{other}{of}")
    for source in edge.sources:
        say(f"    {source.document}: {source.words}")
