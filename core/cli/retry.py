"""`clew retry`: try again what failed."""

from __future__ import annotations

from pathlib import Path

import click

from core.cli.events import Control
from core.cli.options import setting_option
from core.cli.output import print_json, say, shown_progress
from core.types import Failure


@click.command()
@click.argument("workspace", type=click.Path(path_type=Path))
@click.argument("documents", nargs=-1, metavar="[DOCUMENT...]")
@click.option("--list", "only_list", is_flag=True, help="Only tell what failed.")
@click.option("--raw", is_flag=True, help="Tell what parser or model said, too.")
@setting_option
@click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
def retry(
    workspace: Path,
    documents: tuple[str, ...],
    only_list: bool,
    raw: bool,
    settings: tuple[str, ...],
    as_json: bool,
) -> int:
    """Try again the DOCUMENTs of WORKSPACE that failed, or all of them."""
    from core.workspace import Workspace

    control = Control()
    control.catch_signals()
    with Workspace.open(workspace, read_only=only_list, settings=settings) as opened:
        ids = [document.id for document in opened.documents.find(documents)] if documents else None
        tried = 0
        if not only_list:
            tried = opened.documents.retry(ids)
            if tried and opened.folder is not None:
                with shown_progress(as_json, control.cancelled) as context:
                    opened.index(opened.folder, context, digest=False)
        left = [f for f in opened.documents.failures() if ids is None or f.document_id in ids]
    if as_json:
        print_json({"tried": tried, "mended": max(0, tried - len(left)), "failures": left})
    else:
        _print(tried, left, raw, only_list)
    return 0


def _print(tried: int, left: list[Failure], raw: bool, only_list: bool) -> None:
    if not only_list:
        say(f"{tried} tried again, {len(left)} failed still." if tried else "Nothing had failed.")
    for failure in left:
        say(f"{failure.path} ({failure.stage}): {failure.reason} {failure.remedy}".rstrip())
        if raw and failure.raw:
            for line in failure.raw.split("\n"):
                say(f"    {line}", prose=True)
