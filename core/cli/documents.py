"""`clew documents`: list what a workspace was made of."""

from __future__ import annotations

from pathlib import Path

import click

from core.cli.output import print_json, say
from core.plain import plain


@click.command()
@click.argument("workspace", type=click.Path(path_type=Path))
@click.argument("words", nargs=-1, metavar="[FILTER...]")
@click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
def documents(workspace: Path, words: tuple[str, ...], as_json: bool) -> int:
    """Documents of WORKSPACE that match FILTER: words, author:, title:, path:, type:, state:, after:, before:."""
    from core.document_filter import DocumentFilter
    from core.workspace import Workspace, describe_notices

    wanted = DocumentFilter.parse(" ".join(words))
    with Workspace.open(workspace, read_only=True) as opened:
        found = [document for document in opened.documents.all() if wanted.matches(document)]
        notices = opened.documents.notices([document.id for document in found])
        said = (
            {document.id: dict(opened.documents.metadata(document.id)) for document in found}
            if as_json
            else {}
        )
    if as_json:
        fields = ("id", "path", "title", "media_type", "date", "author", "pages", "size", "state", "reason")
        rows = [
            {
                **{f: getattr(d, f) for f in fields},
                "metadata": said[d.id],
                "notices": [plain(notice) for notice in notices.get(d.id, ())],
            }
            for d in found
        ]
        print_json({"documents": rows})
        return 0
    for document in found:
        about = ", ".join(part for part in (document.date, document.author, document.reason) if part)
        say(f"{document.path}: {document.title}" + (f" ({about})" if about else ""))
        for line in describe_notices(notices.get(document.id, ())):
            say(f"    {line}")
    return 0
