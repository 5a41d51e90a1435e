"""Options that several commands take."""

from __future__ import annotations

import click

setting_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Another setting for this run, such as models.host=http://127.0.0.1:11434.",
)
