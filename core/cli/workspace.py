"""Commands on a workspace: `clew status`, `reports`, `verify`, `backup`, `export`, `settings` and `trust`."""

from __future__ import annotations

import contextlib
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from core.cli.options import (
    PATH,
    generator_option,
    json_option,
    replace_option,
    setting_option,
    workspace_argument,
)
from core.cli.output import announce_hosts, plain_fields, print_json, say, stoppable_progress
from core.errors import BadInput
from core.types import Check, Failure, ModelHost, Origin, Status, Written


@click.command()
@workspace_argument
@generator_option
@click.option("--level", type=click.IntRange(1), help="Only reports of one level; 1 is the finest.")
@click.option("--again", is_flag=True, help="Also write reports of which nothing changed.")
@setting_option
@json_option
def reports(
    workspace: Path,
    generator: str,
    level: int | None,
    again: bool,
    settings: tuple[str, ...],
    as_json: bool,
) -> int:
    """Write the reports of WORKSPACE's communities that are missing, or whose community changed.

    A model also writes those that it has not written yet. You can stop it; the next run continues. Without a model,
    what one wrote stays as long as everything that it cites exists, and is marked when it is out of date.
    """
    from core.workspace import Workspace

    begin = time.monotonic()
    with Workspace.open(workspace, settings=settings) as opened:
        announce_hosts(opened, generator)
        with stoppable_progress(as_json) as context:
            found = opened.reports.write(context, generator, level=level, again=again)
    seconds = time.monotonic() - begin
    if as_json:
        print_json({**reports_object(found), "generator": generator, "seconds": seconds})
    else:
        _print_reports(found, generator, seconds)
    return 0


def reports_object(found: Written) -> dict[str, object]:
    """Return the object of `reports --json`, without who wrote and how long it took."""
    return plain_fields(found)


def _print_reports(found: Written, generator: str, seconds: float) -> None:
    by_rules = found.written - found.by_model
    say(
        f"{found.written:,} reports written ({found.by_model:,} by a model, {by_rules:,} by rules), "
        f"{found.unchanged:,} kept, {found.stale:,} out of date, {found.removed:,} removed in {seconds:.0f} s."
    )
    work = found.model
    if work.usage.calls or work.unread:
        say(
            f"{generator} said {work.statements:,} statements: {work.accepted:,} told, {work.uncarried:,} dropped, "
            "which the sentences that they name do not carry; "
            f"{work.titles:,} titles of its own; {work.unread:,} replies of no use; "
            f"{work.usage.tokens_in:,} tokens in, {work.usage.tokens_out:,} out."
        )
    if not (found.written or found.unchanged or found.stale):
        say("There are no communities yet. Index a folder first: clew index FOLDER --workspace WORKSPACE")


@click.command()
@workspace_argument
@click.option("--repair", is_flag=True, help="Repair what can be rebuilt; sound rows stay as they are.")
@json_option
def verify(workspace: Path, repair: bool, as_json: bool) -> int:
    """Check that everything in WORKSPACE fits together, and that nothing is left of what was removed.

    The exit code is 1 if something is wrong.
    """
    from core.workspace import Workspace

    with Workspace.open(workspace, read_only=not repair) as opened:
        if repair:  # names may be encoded again
            announce_hosts(opened, opened.encoder.choice.encoder)
        with stoppable_progress(as_json) as context:
            checks = opened.verify(context, repair=repair)
        writer = opened.written_by
    ok = all(check.ok for check in checks)
    if as_json:
        print_json({"ok": ok, "written_by": writer, "checks": checks})
    else:
        _print_checks(checks, writer)
    return 0 if ok else 1


def _print_checks(checks: list[Check], writer: str) -> None:
    for check in checks:
        state = "mended" if check.repaired else "ok" if check.ok else "FAIL"
        say(f"{state:<6}  {check.name}: {check.detail}")
        if not check.ok:
            say(f"        {check.remedy}")
    if writer:
        say(f"The workspace is {writer}; what is shown is one moment of it.")


@click.command()
@workspace_argument
@click.argument("target", type=PATH)
@click.option("--without-private", is_flag=True, help="Leave private documents out, to give the copy away.")
@json_option
def backup(workspace: Path, target: Path, without_private: bool, as_json: bool) -> int:
    """Copy WORKSPACE to TARGET, a new or empty folder, even while it is being read and indexed."""
    from core.store.backup import back_up
    from core.store.store import FILE
    from core.workspace import Workspace

    with stoppable_progress(as_json) as context, contextlib.ExitStack() as opened:
        source = workspace.expanduser()
        if without_private:
            owner = opened.enter_context(Workspace.open(source, read_only=True))
            source = opened.enter_context(owner.public_part(context)).path
        found = back_up(source / FILE, target.expanduser(), context)
    if as_json:
        print_json(found)
        return 0
    say(
        f"{found.documents:,} documents, {found.passages:,} passages ({found.size / 1e6:,.1f} MB) copied to "
        f"{target} and checked in {found.seconds:.1f} s."
    )
    say(f"It is opened for reading only until you trust it there: clew trust {shlex.quote(str(target))}")
    if found.pending:
        say(f"{found.pending:,} passages are not indexed yet; indexing the copy goes on from there.")
    return 0


@click.command()
@workspace_argument
@click.argument("target", type=PATH)
@replace_option
@json_option
def export(workspace: Path, target: Path, replace: bool, as_json: bool) -> int:
    """Write the graph of WORKSPACE, without its private documents, to TARGET.

    TARGET ends with .graphml, .gexf or .json for graph tools, .db for tables, .csv for the names alone.

    Each fact comes with the words that it rests on, their document and page. Edges that follow from facts and lists of
    references have kinds of their own: before, hierarchy, citation.
    """
    from core.workspace import Workspace

    with (
        stoppable_progress(as_json) as context,
        Workspace.open(workspace, read_only=True) as opened,
    ):
        found = opened.export(target.expanduser(), context, replace)
    if as_json:
        print_json(asdict(found))
        return 0
    if target.suffix.casefold() == ".csv":
        say(f"{found.entities:,} names in {found.path}.")
        return 0
    say(
        f"{found.entities:,} entities, {found.facts:,} facts and {found.edges:,} edges that follow from them"
        f" of {found.documents:,} documents in {found.path}."
    )
    return 0


@click.command()
@click.argument("workspace", type=PATH, required=False)
@json_option
def settings(workspace: Path | None, as_json: bool) -> int:
    """List the settings with their defaults, or with the values that WORKSPACE has.

    `clew index --set` takes settings of reading, chunking and models, which the workspace keeps; other commands take
    all of them, for one run.
    """
    from core.config import described
    from core.models.hosts import own_config

    config = own_config()
    if workspace is not None:
        from core.workspace import Workspace

        with Workspace.open(workspace, read_only=True) as opened:
            config = opened.config
    found = described(config)
    if as_json:
        print_json({"settings": found})
        return 0
    for item in found:
        spanned = "" if item.least is None else f" ({item.least:,} to {item.most:,})"
        value_text = str(item.value).lower() if isinstance(item.value, bool) else str(item.value) or '""'
        mark = "" if item.value == item.default else " [set here]"
        words = f": {item.words}" if item.words else ""
        say(f"{item.name} = {value_text} {item.unit}".rstrip() + f"{mark}{words}{spanned}")
    return 0


@click.command()
@workspace_argument
@click.option("--yes", is_flag=True, help="Trust it without being asked.")
@json_option
def trust(workspace: Path, yes: bool, as_json: bool) -> int:
    """See what WORKSPACE names, and say that it is yours: from then on it is indexed and written."""
    from core.models.hosts import host_at, own_host
    from core.store.store import FILE
    from core.workspace.trust import origin_of
    from core.workspace.trust import trust as trust_it

    path = workspace.expanduser()
    found = origin_of(path)
    if found is None:
        raise BadInput(f"There is no Clew workspace in {path} ({FILE}).", "Choose another folder.")
    host = host_at(own_host())
    if not as_json:
        _print_origin(found, host)
    if not found.trusted:
        _confirm_trust(workspace, yes, as_json)
        trust_it(path)
    if as_json:
        print_json({"trusted": True, "before": found, "host": host})
    else:
        say("It was trusted before." if found.trusted else "It is trusted now, at this place.")
    return 0


def _print_origin(found: Origin, host: ModelHost) -> None:
    say(f"Workspace {found.path}")
    for name, words in (
        ("from", "here" if found.trusted else f"it {found.words}"),
        ("folder", found.folder or "none yet"),
        ("extractor", found.extractor),
        ("models at", host.words),
        *([("settings", ", ".join(found.settings))] if found.settings else []),
    ):
        say(f"  {name:<10} {words}")


def _confirm_trust(workspace: Path, yes: bool, as_json: bool) -> None:
    """Raise BadInput where nobody can be asked, click.Abort for a no."""
    if yes:
        return
    if as_json or not sys.stdin.isatty():
        raise BadInput(
            f"{workspace} was not trusted: nobody could be asked.",
            f"To trust it: clew trust {shlex.quote(str(workspace))} --yes",
        )
    click.confirm("Trust it? It is then indexed from this folder, and written", abort=True)


@click.command()
@workspace_argument
@click.option(
    "--failures", is_flag=True, help="Only list what failed, with the stage and what parser or model said."
)
@json_option
def status(workspace: Path, failures: bool, as_json: bool) -> int:
    """Print counts of WORKSPACE, what failed, what is pending, and digests of its content and of what is derived."""
    from core.workspace import Workspace

    if failures:
        with Workspace.open(workspace, read_only=True) as opened:
            return _list_failures(opened.documents.failures(), as_json)
    with Workspace.open(workspace, read_only=True) as opened:
        found = opened.status()
        failed = [d for d in opened.documents.all() if d.reason]
        explained = opened.answers.explanation_sums()
        folder, origin, encoder = opened.folder, opened.origin, opened.encoder
    if as_json:
        trusted = origin is None or origin.trusted
        print_json({**as_object(found), "trusted": trusted, "encoder": encoder, "explanations": explained})
        return 0
    say(f"Workspace {workspace}" + (f" of {folder}" if folder else ""))
    if origin is not None and not origin.trusted:
        say(
            f"Not trusted. {origin.words} Nothing is written to it before: clew trust {shlex.quote(str(workspace))}"
        )
    for name in ("documents", "passages", "entities", "facts", "triples", "communities", "failed", "pending"):
        say(f"  {name:<12} {getattr(found, name):>9,}")
    say(f"  encoder      {encoder.model}, {encoder.dimension} dimensions")
    say(f"  digest       {found.digest}")
    say(f"  derived      {found.derived_digest}")
    if explained.count:
        say(
            f"  explanations {explained.count:,} judged, {explained.supporting:,} support the answer; "
            f"of {explained.chains:,} by chains of facts {explained.chains_supporting:,}"
        )
    if found.unfinished:
        say(
            "Not finished: what changed, or was taken out, is still to be worked into the graph. To go on: "
            f"clew index {shlex.quote(str(folder)) if folder else 'FOLDER'} --workspace {shlex.quote(str(workspace))}"
        )
    for document in failed:
        say(f"Not read: {document.path}: {document.reason} {document.remedy}")
    return 0


def _list_failures(failures: Sequence[Failure], as_json: bool) -> int:
    if as_json:
        print_json({"failures": failures})
        return 0
    for failure in failures:
        say(f"{failure.path} ({failure.stage}): {failure.reason} {failure.remedy}".rstrip())
        for line in failure.raw.split("\n") if failure.raw else ():
            say(f"    {line}", prose=True)
    if not failures:
        say("Nothing failed.")
    return 0


def as_object(found: Status) -> dict[str, object]:
    """Return the object of `status --json`, without whether it is trusted."""
    return {name: getattr(found, name) for name in Status.__slots__}
