"""The command line: one file a command. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import click

from core import __version__
from core.cli.anatomy import anatomy
from core.cli.ask import ask
from core.cli.backup import backup
from core.cli.doctor import doctor
from core.cli.documents import documents
from core.cli.edges import edges
from core.cli.evaluate import evaluate
from core.cli.export import export
from core.cli.index import index
from core.cli.lab import lab
from core.cli.models import models
from core.cli.names import names
from core.cli.output import run_group
from core.cli.pack import pack
from core.cli.pins import pins
from core.cli.private import private
from core.cli.remove import remove, restore
from core.cli.reports import reports
from core.cli.research import research
from core.cli.retry import retry
from core.cli.review import review
from core.cli.settings import settings
from core.cli.status import status
from core.cli.trace import trace
from core.cli.trust import trust
from core.cli.verify import verify
from core.cli.why import why


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="clew")
def group() -> None:
    """Find, check and defend answers in your own documents. Nothing leaves this machine.

    Without a command the workbench opens; so does `clew open [WORKSPACE]`.
    """


COMMANDS = (
    index,
    ask,
    why,
    status,
    documents,
    names,
    edges,
    anatomy,
    review,
    pins,
    lab,
    retry,
    reports,
    remove,
    restore,
    verify,
    backup,
    export,
    pack,
    trace,
    trust,
    private,
    settings,
    evaluate,
    doctor,
    models,
    research,
)
for command in COMMANDS:
    group.add_command(command)


def main(argv: list[str] | None = None) -> int:
    """Exit code: 0 on success, 1 on a failure told in one line, 2 on bad usage."""
    return run_group(group, argv)
