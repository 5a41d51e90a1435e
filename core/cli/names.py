"""`clew names`: which names are one entity, why, and what a person says to that."""

from __future__ import annotations

from pathlib import Path

import click

from core.cli.output import print_json, say, shown_progress
from core.types import kind_words


@click.command()
@click.argument("workspace", type=click.Path(path_type=Path))
@click.argument("name")
@click.option("--same", "verdict", flag_value="same", help="NAME and OTHER are one entity.")
@click.option("--different", "verdict", flag_value="different", help="NAME and OTHER are two.")
@click.option("--undecided", "verdict", flag_value="undecided", help="Leave both to the rules again.")
@click.argument("other", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
def names(workspace: Path, name: str, verdict: str | None, other: str | None, as_json: bool) -> int:
    """The names that are one entity with NAME in WORKSPACE, each with its reason; or decide on NAME and OTHER."""
    from core.workspace import Workspace

    if (verdict is None) != (other is None):
        raise click.UsageError(
            "--same, --different and --undecided need two names, and two names need one of them."
        )
    with Workspace.open(workspace, read_only=verdict is None) as opened:
        own = opened.names.id_of(name)
        if verdict is not None and other is not None:
            with shown_progress(as_json) as context:
                said = "" if verdict == "undecided" else verdict
                opened.names.decide(own, opened.names.id_of(other), said, context)
        entity, merges = opened.graph.entity(own), opened.names.merges_of(own)
    if as_json:
        print_json({"entity": entity, "merges": merges})
        return 0
    say(f"{entity.name} ({kind_words(entity.label)}, in {entity.passages:,} passages)")
    for merge in merges:
        say(f"  {merge.one} = {merge.other}: {merge.reason}")
    return 0
