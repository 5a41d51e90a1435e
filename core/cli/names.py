"""`clew names`: which names are one entity, why, and what a person says to that."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.cli.events import stoppable_progress
from core.cli.output import announce_hosts, plain_fields, print_json, say, shown_progress
from core.types import AffectedPin, Entity, FactChange, NameChange, ShownFact, kind_words

if TYPE_CHECKING:
    from core.workspace import Workspace

_SHOWN = 20  # lines of facts in a preview
_VALUES = {"rename": "rename", "kind": "retype", "alias": "alias"}  # kind of change by option
_USAGE = (
    "Say one thing at a time of NAME: --same, --different or --undecided with OTHER, --merge, --rename, --type,"
    " --alias, or --split with --as."
)


@click.command()
@click.argument("workspace", type=click.Path(path_type=Path))
@click.argument("name", required=False)
@click.option("--same", "verdict", flag_value="same", help="NAME and OTHER are one entity.")
@click.option("--different", "verdict", flag_value="different", help="NAME and OTHER are two.")
@click.option("--undecided", "verdict", flag_value="undecided", help="Leave both to the rules again.")
@click.option(
    "--merge", "merged", multiple=True, help="This one and NAME are one entity. May be given again."
)
@click.option("--rename", default="", help="Call the entity so.")
@click.option("--type", "kind", default="", help="The entity is of this kind: PERSON, ORG, GPE and so on.")
@click.option("--alias", default="", help="The entity goes by this name, too.")
@click.option(
    "--split", "passages", multiple=True, help="In this passage somebody else is meant. May be given again."
)
@click.option("--as", "sense", default="", help="Who is meant in the passages, in words: judge.")
@click.option("--preview", is_flag=True, help="Show what would change; change nothing.")
@click.option(
    "--pins", is_flag=True, help="With --preview: pinned questions whose answers would change, too."
)
@click.option(
    "--passages", "listed", is_flag=True, help="Show the passages that mention NAME, with their ids."
)
@click.option("--suggestions", is_flag=True, help="Show names that may be one entity.")
@click.option(
    "--confirm",
    "model",
    default="",
    metavar="ollama:MODEL",
    help="Have a language model decide on names that are nearly the same in meaning.",
)
@click.option(
    "--limit", default=50, show_default=True, type=click.IntRange(1, 10_000), help="With --confirm: pairs."
)
@click.argument("other", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
def names(
    workspace: Path, name: str | None, verdict: str | None, other: str | None, merged: tuple[str, ...],
    passages: tuple[str, ...], sense: str, preview: bool, pins: bool, listed: bool, suggestions: bool,
    model: str, limit: int, as_json: bool, **values: str,
) -> int:  # fmt: skip
    """The names that are one entity with NAME in WORKSPACE, each with its reason; or what you say of NAME.

    What is said can be undone: clew review undo.
    """
    from core.workspace import Workspace

    ops = [_VALUES[option] for option, value in values.items() if value]
    ops += ["merge"] * bool(merged) + ["split"] * bool(passages) + [verdict] * bool(verdict)  # type: ignore[list-item]
    if (
        len(ops) > 1
        or bool(verdict) != bool(other)
        or bool(passages) != bool(sense)
        or pins > preview
        or preview > bool(ops)
    ):
        raise click.UsageError(_USAGE)
    if bool(name) + suggestions + bool(model) != 1:
        raise click.UsageError("Give a NAME, --suggestions, or --confirm.")
    if preview and verdict == "undecided":
        raise click.UsageError(_USAGE)
    with Workspace.open(workspace, read_only=not (ops or model)) as opened:
        if model:
            return _confirm(opened, model, limit, as_json)
        if name is None:
            return _suggest(opened, as_json)
        own = opened.names.id_of(name)
        if verdict == "undecided" and other is not None:
            with shown_progress(as_json) as context:
                opened.names.decide(own, opened.names.id_of(other), "", context)
        elif ops:
            kind = {"same": "merge", "different": "part"}.get(ops[0], ops[0])
            others = [opened.names.id_of(one) for one in (*merged, other) if one]
            value = sense or next((value for value in values.values() if value), "")
            change = NameChange(kind, (own, *others), value, passages)
            if preview:
                return _show(opened, change, pins, as_json)
            with shown_progress(as_json) as context:
                opened.names.change(change, context)
        return _list_passages(opened, own, as_json) if listed else _tell(opened, own, as_json)


def _tell(opened: Workspace, own: str, as_json: bool) -> int:
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


def _suggest(opened: Workspace, as_json: bool) -> int:
    found = opened.names.suggestions()
    if as_json:
        print_json({"suggestions": found})
        return 0
    for merge in found:
        say(f"{merge.one} = {merge.other}? {merge.reason}")
    if not found:
        say("No names are left that may be one entity.")
    return 0


def _confirm(opened: Workspace, model: str, limit: int, as_json: bool) -> int:
    announce_hosts(opened, model)
    with stoppable_progress(as_json) as context:
        found = opened.names.confirm(model, context, limit)
    if as_json:
        print_json({"confirmed": found})
        return 0
    say(
        f"{model} was asked about {found.asked:,} pairs of names: {found.merged:,} merged, {found.kept_apart:,} kept "
        f"apart, {found.unsure:,} left to you, {found.failed:,} without an answer of use; "
        f"{found.usage.tokens_in:,} tokens in, {found.usage.tokens_out:,} out."
    )
    if found.asked > found.failed:
        say(f"All of it is undone by: clew review undo {shlex.quote(str(opened.path))} {found.run}")
    return 0


def _show(opened: Workspace, change: NameChange, asking: bool, as_json: bool) -> int:
    preview = opened.names.preview(change)
    pins: tuple[AffectedPin, ...] = ()
    if asking:
        with shown_progress(as_json) as context:
            pins = opened.names.affected_pins(change, context)
    if as_json:
        print_json({**plain_fields(preview), **({"pins": pins} if asking else {})})
        return 0
    for mark, entities in (("-", preview.entities_before), ("+", preview.entities_after)):
        for entity in entities:
            say(f"{mark} {_line(entity)}")
    for fact in preview.facts[:_SHOWN]:
        say(f"  {_fact_line(fact)}")
    for pin in pins:
        say(f"? {pin.change.now.question} {_step(pin)}")
    places = f"{len(preview.communities):,} communities, {len(preview.document_ids):,} documents"
    asked = f", {len(pins):,} pinned questions" if asking else ""
    say(f"{len(preview.facts):,} facts, {places}{asked}. Nothing was changed.")
    return 0


def _step(pin: AffectedPin) -> str:
    """What of the answer would be another one, and both answers where they differ."""
    before, now = (
        result.answer or "not told" for result in (pin.change.before or pin.change.now, pin.change.now)
    )
    detail = f": {before} \u2192 {now}" if before != now else ""
    return f"({', '.join(pin.parts)}){detail}"


def _fact_line(change: FactChange) -> str:
    def words(fact: ShownFact | None) -> str:
        return f"{fact.subject} {fact.predicate} {fact.object}" if fact else "(not told)"

    return (
        f"{words(change.before)} → {words(change.after)}{' (as another fact says)' if change.joins else ''}"
    )
