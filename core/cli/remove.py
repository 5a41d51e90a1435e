"""`clew remove` and `clew restore`: take documents out of a workspace, and let them in again."""

from __future__ import annotations

from pathlib import Path

import click

from core.cli.output import print_json, say, shown_progress
from core.types import Removal

_PARTS = {
    "documents": "document",
    "passages": "passage",
    "mentions": "mention",
    "triples": "triple",
    "facts": "fact",
    "entities": "entity",
    "vectors": "vector",
}


@click.command()
@click.argument("workspace", type=click.Path(path_type=Path))
@click.argument("documents", nargs=-1, required=True, metavar="DOCUMENT...")
@click.option("--dry-run", is_flag=True, help="Only tell what would go.")
@click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
def remove(workspace: Path, documents: tuple[str, ...], dry_run: bool, as_json: bool) -> int:
    """Take DOCUMENTs out of WORKSPACE with all that only they support. The files stay where they are."""
    from core.workspace import Workspace

    with Workspace.open(workspace, read_only=dry_run) as opened:
        already = opened.documents.find_excluded(documents)
        unfinished = opened.counts().unfinished
        found = opened.documents.find([name for name in documents if name not in already])
        ids = [document.id for document in found]
        if dry_run:
            went = opened.documents.preview_removal(ids)
        else:
            with shown_progress(as_json) as context:
                went = opened.documents.remove(ids, context)
    if as_json:
        payload = {"removed": not dry_run, "paths": [d.path for d in found], "already": already}
        print_json({**payload, **_counts(went)})
        return 0
    if already:
        rest = "; what was left of that is finished now" if unfinished and not dry_run else ""
        say(f"Was taken out already{rest}: {', '.join(already)}.")
    if found:
        gone, *others = (f"{n:,} {_PARTS[many] if n == 1 else many}" for many, n in _counts(went).items())
        say(f"{'Would go' if dry_run else 'Gone'}: {gone} with {', '.join(others)}.")
        if not dry_run:
            say("The files stay; later runs pass them by. To let them in again: clew restore")
    return 0


@click.command()
@click.argument("workspace", type=click.Path(path_type=Path))
@click.argument("paths", nargs=-1, metavar="[DOCUMENT...]")
@click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
def restore(workspace: Path, paths: tuple[str, ...], as_json: bool) -> int:
    """Let DOCUMENTs that were taken out of WORKSPACE in again by the next run; without any, list them."""
    from core.errors import BadInput
    from core.workspace import Workspace

    with Workspace.open(workspace, read_only=not paths) as opened:
        excluded = opened.documents.excluded()
        if unknown := sorted(set(paths) - set(excluded)):
            raise BadInput(
                f"{unknown[0]} was not taken out of the workspace.", "clew restore WORKSPACE lists what was."
            )
        if paths:
            opened.documents.restore(paths)
        left = opened.documents.excluded()
    if as_json:
        print_json({"restored": sorted(paths), "excluded": left})
    elif paths:
        say(f"{len(paths)} will be read by the next clew index.")
    else:
        for path in left or ["Nothing was taken out."]:
            say(path)
    return 0


def _counts(removal: Removal) -> dict[str, int]:
    return {name: getattr(removal, name) for name in _PARTS}
