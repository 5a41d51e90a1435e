"""`clew settings`: every setting with its words, unit and range."""

from __future__ import annotations

from pathlib import Path

import click

from core.cli.output import print_json, say


@click.command()
@click.argument("workspace", type=click.Path(path_type=Path), required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
def settings(workspace: Path | None, as_json: bool) -> int:
    """List what can be set and its defaults, or with WORKSPACE what holds there.

    `clew index --set` takes those of reading, chunking and models and the workspace keeps them; `clew eval --set`
    takes all, for one run.
    """
    from core.config import described
    from core.models.hosts import own_config

    config = own_config()
    if workspace is not None:
        from core.workspace import Workspace

        with Workspace.open(workspace, read_only=True) as opened:
            config = opened.config
    found = described(config)
    if as_json:
        print_json({"settings": found})
        return 0
    for item in found:
        spanned = "" if item.least is None else f" ({item.least:,} to {item.most:,})"
        value_text = str(item.value).lower() if isinstance(item.value, bool) else str(item.value) or '""'
        mark = "" if item.value == item.default else " [set here]"
        say(f"{item.name} = {value_text} {item.unit}".rstrip() + f"{mark}: {item.words}{spanned}")
    return 0
