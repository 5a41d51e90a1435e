"""`clew verify`: is all well with a workspace, and mend what can be made again."""

from __future__ import annotations

from pathlib import Path

import click

from core.cli.events import stoppable_progress
from core.cli.options import json_option, workspace_argument
from core.cli.output import print_json, say
from core.types import Check


@click.command()
@workspace_argument
@click.option("--repair", is_flag=True, help="Mend what can be made again; sound rows stay as they are.")
@json_option
def verify(workspace: Path, repair: bool, as_json: bool) -> int:
    """Check that everything in WORKSPACE fits together, and that nothing is left of what was removed.

    Exit code 1 when something does not.
    """
    from core.workspace import Workspace

    with Workspace.open(workspace, read_only=not repair) as opened:
        with stoppable_progress(as_json) as context:
            checks = opened.verify(context, repair=repair)
        writer = opened.written_by
    ok = all(check.ok for check in checks)
    if as_json:
        print_json({"ok": ok, "written_by": writer, "checks": checks})
    else:
        _print(checks, writer)
    return 0 if ok else 1


def _print(checks: list[Check], writer: str) -> None:
    for check in checks:
        state = "mended" if check.repaired else "ok" if check.ok else "FAIL"
        say(f"{state:<6}  {check.name}: {check.detail}")
        if not check.ok:
            say(f"        {check.remedy}")
    if writer:
        say(f"The workspace is {writer}; what is shown is one moment of it.")
