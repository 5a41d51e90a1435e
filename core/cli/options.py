"""Options that several commands take."""

from __future__ import annotations

from pathlib import Path

import click

workspace_argument = click.argument("workspace", type=click.Path(path_type=Path))
json_option = click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
setting_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Another setting for this run, such as models.host=http://127.0.0.1:11434; `clew settings` lists them.",
)
