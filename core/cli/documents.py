"""`clew documents`: list what a workspace was made of, or say what its files do not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.cli.events import Control
from core.cli.output import print_json, say, shown_progress
from core.errors import BadInput
from core.text.jsonable import to_jsonable
from core.text.translation import tr, trn
from core.types import Document

if TYPE_CHECKING:
    from core.workspace import Workspace


@click.command()
@click.argument("workspace", type=click.Path(path_type=Path))
@click.argument("words", nargs=-1, metavar="[FILTER...]")
@click.option(
    "--set",
    "choices",
    multiple=True,
    metavar="NAME=VALUE",
    help="Choose for the documents that match: encoding=cp850 or date=2021-05-04; encoding= leaves it to the file.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
def documents(workspace: Path, words: tuple[str, ...], choices: tuple[str, ...], as_json: bool) -> int:
    """Documents of WORKSPACE that match FILTER: words, author:, title:, path:, type:, state:, after:, before:."""
    from core.workspace import Workspace, describe_notices
    from core.workspace.document_filter import DocumentFilter

    wanted = DocumentFilter.parse(" ".join(words))
    with Workspace.open(workspace, read_only=not choices) as opened:
        found = [document for document in opened.documents.all() if wanted.matches(document)]
        if choices:
            found = _choose(opened, found, choices, bool(words), as_json)
        notices = opened.documents.notices([document.id for document in found])
        chosen = opened.documents.choices([document.id for document in found])
        metadata = (
            {document.id: dict(opened.documents.metadata(document.id)) for document in found}
            if as_json
            else {}
        )
    if as_json:
        fields = ("id", "path", "title", "media_type", "date", "author", "pages", "size", "state", "reason")
        rows = [
            {
                **{f: getattr(d, f) for f in fields},
                "metadata": metadata[d.id],
                "notices": [to_jsonable(notice) for notice in notices.get(d.id, ())],
                "chosen": chosen.get(d.id, {}),
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
        for name, value in sorted(chosen.get(document.id, {}).items()):
            say("    " + tr("chosen: {name}={value}", name=name, value=value))
    return 0


def _choose(
    opened: Workspace, found: Sequence[Document], choices: Sequence[str], named: bool, as_json: bool
) -> list[Document]:
    """The documents as they are afterwards. Raises BadInput."""
    if not (named and found):
        raise BadInput(
            tr("Which documents are meant?") if not named else tr("No document matches."),
            tr("Name them: clew documents WORKSPACE path:letters/ --set encoding=cp850"),
        )
    ids = [document.id for document in found]
    changed = 0
    for choice in choices:
        name, equals, value = choice.partition("=")
        if not equals:
            raise BadInput(
                tr("{choice} sets nothing.", choice=choice), tr("Write encoding=cp850 or date=2021-05-04.")
            )
        changed += opened.documents.choose(ids, name.strip(), value.strip())
    if changed and opened.folder is not None:
        control = Control()
        control.catch_signals()
        with shown_progress(as_json, control.cancelled) as context:
            opened.index(opened.folder, context, digest=False)
    if not as_json:
        say(trn("{count} document changed.", "{count} documents changed.", changed))
    return opened.documents.some(ids)
