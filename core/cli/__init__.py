"""The command line. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import click

from core import __version__
from core.cli.answer_files import pack, trace
from core.cli.ask import ask
from core.cli.doctor import doctor
from core.cli.documents import documents, private, remove
from core.cli.graph import communities, contradictions, entity, paths
from core.cli.index import index
from core.cli.lab import lab
from core.cli.models import models
from core.cli.names import names
from core.cli.output import run_group
from core.cli.pins import pins, train
from core.cli.research import research
from core.cli.research.evaluate import evaluate_folder
from core.cli.review import review
from core.cli.workspace import backup, export, reports, settings, status, trust, verify


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="clew")
def group() -> None:
    """Find, check and defend answers in your own documents. Nothing leaves this machine.

    Without a command the workbench opens; so does `clew open [WORKSPACE]`.
    """


COMMANDS = (
    index,
    ask,
    paths,
    entity,
    communities,
    contradictions,
    status,
    documents,
    remove,
    reports,
    names,
    review,
    pins,
    train,
    trace,
    pack,
    verify,
    backup,
    export,
    private,
    settings,
    trust,
    models,
    doctor,
    lab,
    evaluate_folder,
    research,
)
for command in COMMANDS:
    group.add_command(command)


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 success, 1 a failure with one line, 2 bad usage."""
    return run_group(group, argv)
