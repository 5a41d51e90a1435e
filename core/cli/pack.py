"""`clew pack`: an answer with all that it rests on as one sealed file, and whether such a file is as it was written."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from core.cli.events import stoppable_progress
from core.cli.options import json_option, setting_option, workspace_argument
from core.cli.output import announce_hosts, announce_waiting, print_json, say


@click.group()
def pack() -> None:
    """Write and verify evidence packs: an answer with its passages, pages, documents and decisions in one file."""


@pack.command()
@workspace_argument
@click.argument("question")
@click.option("--out", "target", required=True, type=click.Path(path_type=Path), help="The ZIP to write.")
@click.option("--route", default="auto", show_default=True, help="As of clew ask.")
@click.option(
    "-k", "count", default=5, show_default=True, type=click.IntRange(1, 100), help="Passages shown."
)
@click.option("--generator", default="extractive", show_default=True, help="extractive or ollama:MODEL.")
@click.option("--replace", is_flag=True, help="Also where the file is there already.")
@setting_option
@json_option
def write(
    workspace: Path,
    question: str,
    target: Path,
    route: str,
    count: int,
    generator: str,
    replace: bool,
    settings: tuple[str, ...],
    as_json: bool,
) -> int:
    """Ask QUESTION of WORKSPACE, without its private documents, and keep the answer with its evidence."""
    from core.text.question_text import checked
    from core.workspace import Workspace

    question, target = checked(question), target.expanduser()
    with (
        stoppable_progress(as_json) as context,
        Workspace.open(workspace, settings=settings) as opened,
        opened.public_part(context) as part,
    ):
        announce_hosts(part, generator, part.encoder.choice.encoder)
        announce_waiting(part, generator)
        answer = part.ask(question, context, route, count, generator=generator)
        created_at = datetime.now(UTC).isoformat(timespec="seconds")
        part.pack(answer, target, context, created_at, replace)
    if as_json:
        print_json({"path": str(target), "answer": answer.text, "abstained": answer.abstained})
        return 0
    say(answer.missing if answer.abstained else answer.text, prose=True, bold=True)
    say(f"Packed with {len(answer.evidence)} passages in {target}.")
    return 0


@pack.command()
@click.argument("source", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--workspace", type=click.Path(path_type=Path), help="Also: are documents still as packed?")
@click.option(
    "--key", "keys", multiple=True, metavar="FINGERPRINT", help="A key that you know, beside your own."
)
@json_option
def verify(source: Path, workspace: Path | None, keys: tuple[str, ...], as_json: bool) -> int:
    """Find any change in the pack FILE since it was written.

    Exit code 1 when there is one, when the key is nobody's that is known, or, with --workspace, when documents changed.
    """
    from core.workspace import Workspace

    checks = Workspace.verify_pack(source.expanduser(), keys)
    if workspace is not None and all(check.ok or check.name == "key" for check in checks):
        with Workspace.open(workspace, read_only=True) as opened:
            checks += opened.compare_pack(source.expanduser())
    ok = all(check.ok for check in checks)
    if as_json:
        print_json({"ok": ok, "checks": checks})
        return 0 if ok else 1
    for check in checks:
        say(f"{'ok' if check.ok else 'FAIL':<6}  {check.name}: {check.detail}")
        if not check.ok:
            say(f"        {check.remedy}")
    return 0 if ok else 1
