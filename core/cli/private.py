"""`clew private`: what is kept private, and who sees it; and `--profile`, by which every command looks as somebody."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from core.cli.options import json_option, workspace_argument
from core.cli.output import print_json, say, shown_progress
from core.errors import BadInput
from core.text.translation import tr, trn
from core.types.private import OWNER, PRIVATE

_name = click.option("--as", "name", default=PRIVATE, show_default=True, help="The name of the mark.")


@click.group()
def private() -> None:
    """Keep documents private, and say who sees them all the same."""


@private.command("mark")
@workspace_argument
@click.argument("paths", nargs=-1, required=True, metavar="DOCUMENT|FOLDER...")
@_name
@json_option
def mark(workspace: Path, paths: tuple[str, ...], name: str, as_json: bool) -> int:
    """Keep documents of WORKSPACE, or folders with all that lies in them, private; "." is all of it.

    Paths are those that `clew documents` lists, or of files in the indexed folder. What is renamed, moved, edited,
    packed or attached stays private.
    """
    from core.workspace import Workspace

    with Workspace.open(workspace) as opened:
        opened.private.mark(paths, name)
        private_count = len(opened.private.names())
    if as_json:
        print_json({"marked": paths, "as": name, "private": private_count})
    else:
        say(_are_private(private_count))
    return 0


@private.command("unmark")
@workspace_argument
@click.argument("paths", nargs=-1, required=True, metavar="DOCUMENT|FOLDER...")
@click.option("--as", "name", default="", help="Only this mark; without it, all.")
@json_option
def unmark(workspace: Path, paths: tuple[str, ...], name: str, as_json: bool) -> int:
    """Keep documents or folders of WORKSPACE private no longer. What lies in a private folder stays private."""
    from core.workspace import Workspace

    with Workspace.open(workspace) as opened:
        gone = opened.private.unmark(paths, name)
        private_count = len(opened.private.names())
    if not gone:
        raise BadInput(
            tr("Nothing there is marked private."), tr("clew private list WORKSPACE lists what is marked.")
        )
    if as_json:
        print_json({"unmarked": gone, "private": private_count})
    else:
        marks = trn("{count} mark is gone", "{count} marks are gone", len(gone))
        say(f"{marks}; {_are_private(private_count)}")
    return 0


@private.command("list")
@workspace_argument
@json_option
def list_all(workspace: Path, as_json: bool) -> int:
    """Marks and profiles of WORKSPACE, and why each document is private."""
    from core.workspace import Workspace, describe_reason

    with Workspace.open(workspace, read_only=True) as opened:
        marks, profiles = opened.private.marks(), opened.private.profiles()
        documents = opened.private.documents()
        private_count = len({each.id for each in documents})
    if as_json:
        print_json({"marks": marks, "profiles": profiles, "private": private_count, "documents": documents})
        return 0
    for each in marks:
        say(f"{each.name:20} {each.path or '(all)'}")
    for document in documents:
        say(f"{document.path}: {describe_reason(document)}")
    for who in profiles:
        sees = ", ".join(who.sees)
        say(f"Profile {who.name} sees what is not private{f', and {sees}' if sees else ''}.")
    say(_are_private(private_count))
    return 0


@private.command("profile")
@workspace_argument
@click.argument("name")
@click.option(
    "--sees", multiple=True, metavar="MARK", help="A mark that it sees all the same; may be given again."
)
@click.option("--remove", is_flag=True, help="Take the profile away.")
@json_option
def profile(workspace: Path, name: str, sees: tuple[str, ...], remove: bool, as_json: bool) -> int:
    """Make a profile of WORKSPACE, or change what it sees. Any command looks as it does by --profile NAME."""
    from core.workspace import Workspace

    with Workspace.open(workspace) as opened:
        if remove:
            opened.private.remove_profile(name)
        else:
            opened.private.set_profile(name, sees)
    if as_json:
        print_json({"profile": name, "sees": sees, "removed": remove})
    elif remove:
        say(f"There is no profile {name} any more.")
    else:
        say(f"To look as {name}: clew ask WORKSPACE QUESTION --profile {name}")
    return 0


_OWN = ("private", "trust")  # commands about the workspace as such


def add_profile_option(command: click.Command) -> None:
    """Have a command, and those below it, take `--profile NAME` beside a WORKSPACE, and be given what that one sees."""
    if command.name in _OWN:
        return
    for each in _commands(command):
        for parameter in each.params:
            if isinstance(parameter, click.Argument) and parameter.name == "workspace":
                parameter.callback = _apply_profile
                each.params.append(
                    click.Option(
                        ["--profile"],
                        default=OWNER,
                        metavar="NAME",
                        is_eager=True,
                        expose_value=False,
                        callback=_keep,
                        help="Look at WORKSPACE as this profile does, which sees nothing that is private to others.",
                    )
                )
                break


def _commands(command: click.Command) -> Iterator[click.Command]:
    yield command
    if isinstance(command, click.Group):
        for each in command.commands.values():
            yield from _commands(each)


def _keep(context: click.Context, parameter: click.Parameter, value: str) -> None:
    context.meta[__name__] = value


def _apply_profile(context: click.Context, parameter: click.Parameter, path: Any) -> Any:
    """The workspace that the command is given: what the profile sees of it, where one is named."""
    name = context.meta.get(__name__, OWNER)
    if name == OWNER or not isinstance(path, Path):
        return path
    from core.workspace import Workspace

    with shown_progress("--json" in sys.argv) as progress:
        return Workspace.seen_as(path, name, progress)


def _are_private(count: int) -> str:
    return trn("{count} document is private.", "{count} documents are private.", count)
