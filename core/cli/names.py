"""`clew names`: which names are one entity, and why; join, split and rename them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from core.cli.options import json_option, workspace_argument
from core.cli.output import announce_hosts, plain_fields, print_json, progress_bar, say, stoppable_progress
from core.types import AffectedPin, Entity, FactChange, FactSummary, NameChange, kind_words

if TYPE_CHECKING:
    from core.workspace import Workspace

Command = TypeVar("Command", bound=Callable[..., Any])
_LISTED = 20  # lines of facts in a preview


@click.group()
def names() -> None:
    """Decide which names are one entity, and how an entity is called. `clew review undo` undoes each change."""


@names.command("list")
@workspace_argument
@json_option
def list_suggestions(workspace: Path, as_json: bool) -> int:
    """List names of WORKSPACE that may be one entity, with the reason."""
    from core.workspace import Workspace

    with Workspace.open(workspace, read_only=True) as opened:
        found = opened.names.suggestions()
    if as_json:
        print_json({"suggestions": found})
        return 0
    for merge in found:
        say(f"{merge.one} = {merge.other}? {merge.reason}")
    if not found:
        say("No names are left that may be one entity.")
    return 0


@names.command()
@workspace_argument
@click.argument("name")
@click.option("--passages", is_flag=True, help="Print the passages that mention NAME, with their ids.")
@json_option
def show(workspace: Path, name: str, passages: bool, as_json: bool) -> int:
    """Print the entity NAME of WORKSPACE and the names joined with it, each with its reason."""
    from core.workspace import Workspace

    with Workspace.open(workspace, read_only=True) as opened:
        own = opened.names.id_of(name)
        return _list_passages(opened, own, as_json) if passages else _print_entity(opened, own, as_json)


@names.command()
@workspace_argument
@click.argument("model", metavar="ollama:MODEL")
@click.option(
    "--limit", default=50, show_default=True, type=click.IntRange(1, 10_000), help="Pairs of names."
)
@json_option
def confirm(workspace: Path, model: str, limit: int, as_json: bool) -> int:
    """Let a language model decide on names of WORKSPACE that mean nearly the same."""
    from core.workspace import Workspace

    with Workspace.open(workspace) as opened:
        announce_hosts(opened, model)
        with stoppable_progress(as_json) as context:
            found = opened.names.confirm(model, context, limit)
    if as_json:
        print_json({"confirmed": found})
        return 0
    say(
        f"{model} was asked about {found.asked:,} pairs of names: {found.merged:,} merged, {found.separate:,} kept "
        f"apart, {found.unsure:,} left to you, {found.failed:,} without an answer of use; "
        f"{found.usage.tokens_in:,} tokens in, {found.usage.tokens_out:,} out."
    )
    if found.asked > found.failed:
        say(f"All of it is undone by: clew review undo {shlex.quote(str(workspace))} {found.run}")
    return 0


# ------------------------------------------------------------ changes


def _change_options(command: Command) -> Command:
    """Add what every change takes: WORKSPACE and NAME, a preview, --json."""
    for option in (
        json_option,
        click.option("--pins", is_flag=True, help="Preview, with the pinned questions that would change."),
        click.option("--preview", is_flag=True, help="Print what would change; change nothing."),
        click.argument("name"),
        workspace_argument,
    ):
        command = option(command)
    return command


@names.command()
@_change_options
@click.argument("others", nargs=-1, required=True, metavar="OTHER...")
def join(workspace: Path, name: str, others: tuple[str, ...], **how: bool) -> int:
    """Say that NAME and each OTHER are one entity."""
    return _change(how, workspace, "merge", (name, *others))


@names.command()
@_change_options
@click.argument("other")
def separate(workspace: Path, name: str, other: str, **how: bool) -> int:
    """Say that NAME and OTHER are two entities."""
    return _change(how, workspace, "part", (name, other))


@names.command()
@workspace_argument
@click.argument("name")
@click.argument("other")
@json_option
def reset(workspace: Path, name: str, other: str, as_json: bool) -> int:
    """Leave it to the rules again whether NAME and OTHER are one entity."""
    from core.workspace import Workspace

    with Workspace.open(workspace) as opened:
        own, others = opened.names.id_of(name), opened.names.id_of(other)
        with progress_bar(as_json) as context:
            opened.names.decide(own, others, "", context)
        return _print_entity(opened, own, as_json)


@names.command()
@_change_options
@click.argument("passages", nargs=-1, required=True, metavar="PASSAGE...")
@click.option("--as", "sense", required=True, metavar="WHO", help="Who is meant there, in words: judge.")
def split(workspace: Path, name: str, passages: tuple[str, ...], sense: str, **how: bool) -> int:
    """Say that NAME means somebody else in each PASSAGE; `clew names show --passages` prints the ids."""
    return _change(how, workspace, "split", (name,), sense, passages)


@names.command()
@_change_options
@click.argument("value", metavar="NEW")
def rename(workspace: Path, name: str, value: str, **how: bool) -> int:
    """Call the entity NAME by the name NEW."""
    return _change(how, workspace, "rename", (name,), value)


@names.command()
@_change_options
@click.argument("value", metavar="KIND")
def retype(workspace: Path, name: str, value: str, **how: bool) -> int:
    """Say that the entity NAME is of this KIND: PERSON, ORG, GPE and so on."""
    return _change(how, workspace, "retype", (name,), value)


@names.command()
@_change_options
@click.argument("value", metavar="ALIAS")
def alias(workspace: Path, name: str, value: str, **how: bool) -> int:
    """Say that the entity NAME also goes by ALIAS."""
    return _change(how, workspace, "alias", (name,), value)


def _change(
    how: Mapping[str, bool],
    workspace: Path,
    kind: str,
    named: tuple[str, ...],
    value: str = "",
    passages: tuple[str, ...] = (),
) -> int:
    """Make a change of the entities that are named, or print what it would change. `how`: see `_change_options`."""
    from core.workspace import Workspace

    pins, as_json = how["pins"], how["as_json"]
    preview = how["preview"] or pins
    with Workspace.open(workspace) as opened:  # a preview tries the change out, and rolls it back
        ids = tuple(opened.names.id_of(each) for each in named)
        change = NameChange(kind, ids, value, passages)
        if preview:
            return _print_preview(opened, change, pins, as_json)
        with progress_bar(as_json) as context:
            opened.names.change(change, context)
        return _print_entity(opened, ids[0], as_json)


def _print_entity(opened: Workspace, own: str, as_json: bool) -> int:
    entity, merges, aliases = (
        opened.graph.entity(own),
        opened.names.merges_of(own),
        opened.names.aliases_of(own),
    )
    if as_json:
        print_json({"entity": entity, "merges": merges, "aliases": aliases})
        return 0
    say(_line(entity))
    for merge in merges:
        say(f"  {merge.one} = {merge.other}: {merge.reason}")
    for alias in aliases:
        say(f"  also {alias}, which no document holds")
    return 0


def _line(entity: Entity) -> str:
    return f"{entity.name} ({kind_words(entity.label)}, in {entity.passages:,} passages)"


def _list_passages(opened: Workspace, own: str, as_json: bool) -> int:
    found = [opened.passages.get(id) for id in opened.names.passages_of(own)]
    if as_json:
        print_json({"passages": found})
        return 0
    for passage in found:
        say(f"{passage.id}  {' '.join(passage.text.split())}", prose=True)
    return 0


def _print_preview(opened: Workspace, change: NameChange, asking: bool, as_json: bool) -> int:
    preview = opened.names.preview(change)
    pins: tuple[AffectedPin, ...] = ()
    if asking:
        with progress_bar(as_json) as context:
            pins = opened.names.affected_pins(change, context)
    if as_json:
        print_json({**plain_fields(preview), **({"pins": pins} if asking else {})})
        return 0
    for mark, entities in (("-", preview.entities_before), ("+", preview.entities_after)):
        for entity in entities:
            say(f"{mark} {_line(entity)}")
    for fact in preview.facts[:_LISTED]:
        say(f"  {_fact_line(fact)}")
    for pin in pins:
        say(f"? {pin.change.now.question} {_step(pin)}")
    places = f"{len(preview.communities):,} communities, {len(preview.document_ids):,} documents"
    asked = f", {len(pins):,} pinned questions" if asking else ""
    say(f"{len(preview.facts):,} facts, {places}{asked}. Nothing was changed.")
    return 0


def _step(pin: AffectedPin) -> str:
    """Return what of the answer would be another one, and both answers where they differ."""
    before, now = (
        result.answer or "not told" for result in (pin.change.before or pin.change.now, pin.change.now)
    )
    detail = f": {before} \u2192 {now}" if before != now else ""
    return f"({', '.join(pin.parts)}){detail}"


def _fact_line(change: FactChange) -> str:
    def words(fact: FactSummary | None) -> str:
        return f"{fact.subject} {fact.predicate} {fact.object}" if fact else "(not told)"

    return (
        f"{words(change.before)} → {words(change.after)}{' (as another fact says)' if change.joins else ''}"
    )
