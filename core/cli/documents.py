"""Commands on documents: `clew documents`, `remove` and `private`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.cli.options import json_option, workspace_argument
from core.cli.output import print_json, progress_bar, say, stoppable_progress
from core.errors import BadInput
from core.text.jsonable import to_jsonable
from core.text.translation import tr, trn
from core.types import Document, Removal

if TYPE_CHECKING:
    from core.workspace import Workspace

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
@workspace_argument
@click.argument("words", nargs=-1, metavar="[FILTER...]")
@click.option(
    "--set",
    "choices",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set it for the documents that match: encoding=cp850 or date=2021-05-04; encoding= leaves it to the file.",
)
@json_option
def documents(workspace: Path, words: tuple[str, ...], choices: tuple[str, ...], as_json: bool) -> int:
    """List documents of WORKSPACE that match FILTER: words, author:, title:, path:, type:, state:, after:, before:."""
    from core.workspace import Workspace, describe_notices
    from core.workspace.document_listing import DocumentFilter

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
    """Return the documents as they are afterwards. Raises BadInput."""
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
        with stoppable_progress(as_json) as context:
            opened.index(opened.folder, context, digest=False)
    if not as_json:
        say(trn("{count} document changed.", "{count} documents changed.", changed))
    return opened.documents.some(ids)


@click.command()
@workspace_argument
@click.argument("names", nargs=-1, metavar="[DOCUMENT...]")
@click.option("--dry-run", is_flag=True, help="Only print what would be removed.")
@click.option(
    "--restore", is_flag=True, help="Let removed documents in again; without DOCUMENT, list what was removed."
)
@json_option
def remove(workspace: Path, names: tuple[str, ...], dry_run: bool, restore: bool, as_json: bool) -> int:
    """Remove DOCUMENTs from WORKSPACE with everything that only they support. The files stay where they are."""
    from core.workspace import Workspace

    if restore and dry_run:
        raise click.UsageError("--restore and --dry-run do not go together.")
    if not restore and not names:
        raise click.UsageError("Missing argument 'DOCUMENT...'.")
    if restore:
        return _restore(workspace, names, as_json)
    with Workspace.open(workspace, read_only=dry_run) as opened:
        already = opened.documents.find_excluded(names)
        unfinished = opened.counts().unfinished
        found = opened.documents.find([name for name in names if name not in already])
        ids = [document.id for document in found]
        if dry_run:
            removal = opened.documents.preview_removal(ids)
        else:
            with progress_bar(as_json) as context:
                removal = opened.documents.remove(ids, context)
    if as_json:
        payload = {"removed": not dry_run, "paths": [d.path for d in found], "already": already}
        print_json({**payload, **_counts(removal)})
        return 0
    if already:
        rest = "; what was left of that is finished now" if unfinished and not dry_run else ""
        say(f"Was taken out already{rest}: {', '.join(already)}.")
    if found:
        first, *others = (f"{n:,} {_PARTS[many] if n == 1 else many}" for many, n in _counts(removal).items())
        say(f"{'Would go' if dry_run else 'Gone'}: {first} with {', '.join(others)}.")
        if not dry_run:
            say("The files stay; later runs skip them. To let them in again: clew remove WORKSPACE --restore")
    return 0


def _restore(workspace: Path, paths: tuple[str, ...], as_json: bool) -> int:
    """Let documents in again by the next indexing; without `paths`, list those that were removed."""
    from core.workspace import Workspace

    with Workspace.open(workspace, read_only=not paths) as opened:
        excluded = opened.documents.excluded()
        if unknown := sorted(set(paths) - set(excluded)):
            raise BadInput(
                f"{unknown[0]} was not taken out of the workspace.",
                "See what was: clew remove WORKSPACE --restore",
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


@click.group()
def private() -> None:
    """Keep documents private: out of exports, evidence packs, and models on other machines."""


@private.command("mark")
@workspace_argument
@click.argument("paths", nargs=-1, required=True, metavar="DOCUMENT|FOLDER...")
@json_option
def mark(workspace: Path, paths: tuple[str, ...], as_json: bool) -> int:
    """Keep documents of WORKSPACE, or folders with all that lies in them, private; "." is all of it.

    Paths are those that `clew documents` lists, or of files in the indexed folder. What is renamed, moved, edited,
    packed or attached stays private.
    """
    from core.workspace import Workspace

    with Workspace.open(workspace) as opened:
        opened.private.mark(paths)
        count = len(opened.private.documents())
    if as_json:
        print_json({"marked": paths, "private": count})
    else:
        say(_private_words(count))
    return 0


@private.command("unmark")
@workspace_argument
@click.argument("paths", nargs=-1, required=True, metavar="DOCUMENT|FOLDER...")
@json_option
def unmark(workspace: Path, paths: tuple[str, ...], as_json: bool) -> int:
    """Keep documents or folders of WORKSPACE private no longer. What lies in a private folder stays private."""
    from core.workspace import Workspace

    with Workspace.open(workspace) as opened:
        gone = opened.private.unmark(paths)
        count = len(opened.private.documents())
    if not gone:
        raise BadInput(
            tr("Nothing there is marked private."), tr("clew private list WORKSPACE lists what is marked.")
        )
    if as_json:
        print_json({"unmarked": gone, "private": count})
    else:
        marks = trn("{count} mark is gone", "{count} marks are gone", len(gone))
        say(f"{marks}; {_private_words(count)}")
    return 0


@private.command("list")
@workspace_argument
@json_option
def list_all(workspace: Path, as_json: bool) -> int:
    """List the marks of WORKSPACE, and why each document is private."""
    from core.workspace import Workspace, describe_reason

    with Workspace.open(workspace, read_only=True) as opened:
        marks, documents = opened.private.marks(), opened.private.documents()
    if as_json:
        print_json({"marks": marks, "private": len(documents), "documents": documents})
        return 0
    for path in marks:
        say(path or "(all)")
    for document in documents:
        say(f"{document.path}: {describe_reason(document)}")
    say(_private_words(len(documents)))
    return 0


def _private_words(count: int) -> str:
    return trn("{count} document is private.", "{count} documents are private.", count)
