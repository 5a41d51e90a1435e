"""`clew eval`: how well Clew answers questions about a folder of one's own documents."""

from __future__ import annotations

from pathlib import Path

import click

from core.cli.options import json_option, setting_option
from core.cli.research.evaluate import EvalRequest, measure_folder

_FILE = click.Path(path_type=Path)


@click.command("eval")
@click.argument("folder", type=_FILE)
@click.option(
    "--questions",
    type=_FILE,
    required=True,
    help="JSON lines, each a question with its answers and documents.",
)
@click.option("--route", "routes", multiple=True, help="auto or another route; may be repeated.")
@click.option("--plain", is_flag=True, help="Ask in lower case and without question marks.")
@click.option("--out", type=_FILE, help="Write a report that keeps every question's row.")
@setting_option
@json_option
def evaluate(
    folder: Path,
    questions: Path,
    routes: tuple[str, ...],
    plain: bool,
    out: Path | None,
    settings: tuple[str, ...],
    as_json: bool,
) -> int:
    """Measure how well each route finds, in the documents of FOLDER, what answers the questions of a file.

    Answers are scored on `auto`, or on the routes that are asked for with --route.
    """
    request = EvalRequest(
        folder,
        questions=questions,
        routes=routes,
        plain=plain,
        out=out,
        settings=settings,
        as_json=as_json,
    )
    measure_folder(folder, request)
    return 0
