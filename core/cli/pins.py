"""`clew pins`: pinned questions, asked again after a change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from core.cli.options import PATH, json_option, route_option, setting_option, workspace_argument
from core.cli.output import plain_fields, print_json, progress_bar, say, terminal
from core.types import PinChange, PinComparison, PinResult, PinRun, Tuning

_CUT = 36  # characters of a question or answer in the table
_OUTCOMES = ("worse", "better", "changed", "new", "same")

loss_option = click.option("--fail-on-loss", is_flag=True, help="Exit with 1 if any question got worse.")


@click.group()
def pins() -> None:
    """Pin questions with the answers you expect, ask them again after a change, and compare."""


@pins.command("list")
@workspace_argument
@json_option
def list_pins(workspace: Path, as_json: bool) -> int:
    """List the pinned questions of WORKSPACE with what you expect of them, and the runs."""
    from core.workspace import Workspace

    with Workspace.open(workspace, read_only=True) as opened:
        found, runs, baseline_run = opened.pins.all(), opened.pins.runs(), opened.pins.baseline()
        since, gone = opened.pins.since_run(), opened.pins.gone()
    if as_json:
        payload = {"pins": found, "runs": [_run(run) for run in runs], "baseline": baseline_run}
        print_json({**payload, "gone": gone, "changed_since_run": bool(since)})
        return 0
    for pin in found:
        expected = pin.right_answer or ("not known" if pin.places else "not told")
        say(f"{pin.id}  {pin.question}  [{pin.route}]")
        say(f"    answer: {' '.join(expected.split())}")
        for place in pin.places:
            say(f"    {place.document or 'any document'} ({place.state}): {' '.join(place.quote.split())}")
        if pin.id in gone:
            say(f"    {gone[pin.id]:,} of these stand in no document any more")
    for run in runs:
        kind = ", the baseline" if run.number == baseline_run else ""
        say(f"Run {run.number}, {run.created}, revision {run.revision}{kind}")
    if since:
        say("Something changed since the last run: clew pins run WORKSPACE")
    if not found:
        say('No question is pinned yet. For example: clew pins add WORKSPACE "QUESTION"')
    return 0


@pins.command()
@workspace_argument
@click.argument("question")
@click.option(
    "--answer", "right", help='The right answer instead of the one that Clew gives; "" if it is unknown.'
)
@route_option
@setting_option
@json_option
def add(
    workspace: Path, question: str, right: str | None, route: str, settings: tuple[str, ...], as_json: bool
) -> int:
    """Ask QUESTION of WORKSPACE and pin it: from now on the places that its answer cites are expected."""
    from core.workspace import Workspace

    with Workspace.open(workspace, settings=settings) as opened, progress_bar(as_json) as context:
        pin = opened.pins.add(question, context, route, right)
    if as_json:
        print_json(pin)
    else:
        expected = pin.right_answer or ("not known" if pin.places else "the documents do not tell")
        say(f"Pinned {pin.id}: {' '.join(expected.split())}; {len(pin.places):,} expected places")
    return 0


@pins.command()
@workspace_argument
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@json_option
def remove(workspace: Path, ids: tuple[str, ...], as_json: bool) -> int:
    """Unpin the questions with these ids, which `clew pins list` prints. Runs keep their results."""
    from core.errors import BadInput
    from core.workspace import Workspace

    with Workspace.open(workspace) as opened:
        known = {pin.id for pin in opened.pins.all()}
        if missing := [id for id in ids if id not in known]:
            raise BadInput(
                f"No pinned question has the id {missing[0]}.", "Take one that `clew pins list` prints."
            )
        opened.pins.unpin(ids)
    if as_json:
        print_json({"removed": len(set(ids))})
    else:
        say(f"Unpinned {len(set(ids)):,}.")
    return 0


@pins.command()
@workspace_argument
@loss_option
@setting_option
@json_option
def run(workspace: Path, fail_on_loss: bool, settings: tuple[str, ...], as_json: bool) -> int:
    """Ask all pinned questions of WORKSPACE again and print what changed: route, ranks, recall, answer."""
    from core.workspace import Workspace

    with Workspace.open(workspace, settings=settings) as opened, progress_bar(as_json) as context:
        found = opened.pins.run(context)
    return _print_result(found, fail_on_loss, as_json)


@pins.command()
@workspace_argument
@click.argument("number", metavar="RUN|none")
@json_option
def baseline(workspace: Path, number: str, as_json: bool) -> int:
    """Compare all runs of WORKSPACE with RUN from now on; with `none`, each with the one before it."""
    from core.workspace import Workspace

    run_number = None if number == "none" else click.INT(number)
    with Workspace.open(workspace) as opened:
        opened.pins.keep_baseline(run_number)
    if as_json:
        print_json({"baseline": run_number})
    elif run_number is None:
        say("Each run is compared with the one before it.")
    else:
        say(f"Runs are compared with run {run_number}.")
    return 0


@pins.command()
@workspace_argument
@click.argument("before", type=int)
@click.argument("now", type=int)
@loss_option
@json_option
def compare(workspace: Path, before: int, now: int, fail_on_loss: bool, as_json: bool) -> int:
    """Print what changed from run BEFORE to run NOW of WORKSPACE."""
    from core.workspace import Workspace

    with Workspace.open(workspace, read_only=True) as opened:
        found = opened.pins.compare(before, now)
    return _print_result(found, fail_on_loss, as_json)


@pins.command("import")
@workspace_argument
@click.argument("file", type=PATH)
@json_option
def import_pins(workspace: Path, file: Path, as_json: bool) -> int:
    """Pin the questions of FILE, which has one JSON object a line: question, answer, quotes, route."""
    from core.workspace import Workspace

    with Workspace.open(workspace) as opened:
        count, lost = opened.pins.import_pins(file)
    if as_json:
        print_json({"pinned": count, "quotes_not_found": lost})
    else:
        say(f"Pinned {count:,} questions; {lost:,} of their quotes stand in no document.")
    return 0


@pins.command("export")
@workspace_argument
@click.argument("file", type=PATH)
@json_option
def export_pins(workspace: Path, file: Path, as_json: bool) -> int:
    """Write the pinned questions of WORKSPACE to the new FILE, as `clew pins import` reads them."""
    from core.workspace import Workspace

    with Workspace.open(workspace, read_only=True) as opened:
        count = opened.pins.export_pins(file)
    if as_json:
        print_json({"written": count})
    else:
        say(f"{count:,} questions written to {file}")
    return 0


@click.command()
@workspace_argument
@click.option("--apply", "is_applied", is_flag=True, help="Keep the settings in WORKSPACE.")
@click.option("--undo", "is_undone", is_flag=True, help="Put back what the last training changed.")
@json_option
def train(workspace: Path, is_applied: bool, is_undone: bool, as_json: bool) -> int:
    """Fit thresholds and weights to WORKSPACE's pinned questions and judged answers; print what would change."""
    from core.workspace import Workspace

    if is_applied and is_undone:
        raise click.UsageError("--apply and --undo exclude each other.")
    with Workspace.open(workspace, read_only=not (is_applied or is_undone)) as opened:
        if is_undone:
            lines = opened.pins.undo_tuning()
            if as_json:
                print_json({"settings": lines})
            else:
                say(f"Put back: {', '.join(lines)}")
            return 0
        with progress_bar(as_json) as context:
            found = opened.pins.tune(context)
        if is_applied and found.settings:
            opened.pins.apply_tuning(found)
    if as_json:
        print_json({**plain_fields(found), "applied": is_applied and bool(found.settings)})
    else:
        _print_tuning(found, is_applied)
    return 0


def _print_tuning(found: Tuning, is_applied: bool) -> None:
    say(f"{found.pinned + found.judged:,} questions: {found.pinned:,} pinned, {found.judged:,} judged right.")
    for each in found.settings:
        say(f"  {each.name}: {each.before} \u2192 {each.now}")
    left_out = f"{found.left_out_recall:.2f} when each question is left out of the fit"
    if found.settings:
        change = f"{found.recall:.2f} \u2192 {found.tuned_recall:.2f}, {left_out}"
        say(f"Expected places among the first five: {change}.")
    else:
        say(f"Expected places among the first five: {found.recall:.2f}.")
        say(f"Nothing to change: the best other settings find {left_out}.")
    for word, texts in (("Better", found.gains), ("Worse", found.losses)):
        for text in texts:
            say(f"  {word}: {text}", prose=True)
    if found.bar is not None:
        bar = found.bar
        say(
            f"Of {bar.judged:,} judged answers {bar.count_before:,} are shown as answers, {bar.right_before:,} of them "
            f"right; then {bar.count_now:,} would be, {bar.right_now:,} of them right."
        )
    if is_applied and found.settings:
        say("Kept. To take it back: clew train WORKSPACE --undo")
    elif found.settings:
        say("Nothing is changed yet. To keep this: clew train WORKSPACE --apply")


# ------------------------------------------------------------ what changed


def _print_result(found: PinComparison, fail_on_loss: bool, as_json: bool) -> int:
    if as_json:
        print_json(as_object(found))
    else:
        _print(found)
    return int(fail_on_loss and found.count("worse") > 0)


def as_object(found: PinComparison) -> dict[str, object]:
    """Return the object of `pins run --json` and `pins compare --json`."""
    return {
        "before": found.before and _run(found.before),
        "now": _run(found.now),
        "settings": [{"name": name, "before": old, "now": new} for name, old, new in found.settings],
        "questions": [
            {
                "question": change.now.question,
                "outcome": change.outcome,
                "gains": change.gains,
                "losses": change.losses,
                "before": change.before and _result(change.before),
                "now": _result(change.now),
            }
            for change in found.changes
        ],
        "sums": {outcome: found.count(outcome) for outcome in _OUTCOMES},
    }


def _run(run: PinRun) -> dict[str, object]:
    fields = plain_fields(run)
    del fields["results"]
    return {**fields, "recall": run.recall} if run.results else fields


def _result(result: PinResult) -> dict[str, object]:
    return {**plain_fields(result), "best_rank": result.best_rank, "recall": result.recall}


def _print(found: PinComparison) -> None:
    from core.cli.research.evaluation_tables import WIDTH, plain_table, short

    console, now, before = terminal(width=WIDTH), found.now, found.before
    since = f", compared with run {before.number} (revision {before.revision})" if before else ""
    console.print(f"Run {now.number}, revision {now.revision}{since}", soft_wrap=True)
    for name, old, new in found.settings:
        console.print(f"{name}: {old or 'default'} \u2192 {new or 'default'}", soft_wrap=True)
    table = plain_table("", ("question", "route", "best rank", "recall@5", "answer", "outcome"))
    for change in found.changes:
        cells = (
            _step(change, lambda result: result.route),
            _step(change, _rank),
            _step(change, lambda result: "" if result.recall is None else short(result.recall)),
            _step(change, _answer_words),
        )
        outcome = f"{change.outcome}: {', '.join(change.losses)}" if change.losses else change.outcome
        table.add_row(_cut(change.now.question), *cells, outcome)
    console.print(table)
    recalls = [run.recall for run in (before, now) if run is not None]
    mean = " \u2192 ".join("none" if recall is None else short(recall) for recall in recalls)
    sums = ", ".join(f"{found.count(outcome):,} {outcome}" for outcome in _OUTCOMES)
    console.print(f"{len(found.changes):,} questions: {sums}. Mean recall@5 {mean}.", soft_wrap=True)


def _step(change: PinChange, format_result: Callable[[PinResult], str]) -> str:
    """Return what it was and is; once where both are the same."""
    now = format_result(change.now)
    before = format_result(change.before) if change.before else now
    return now if before == now else f"{before} \u2192 {now}"


def _rank(result: PinResult) -> str:
    return str(result.best_rank or "none") if result.ranks else ""


def _answer_words(result: PinResult) -> str:
    words = "not told" if result.kind == "refusal" else _cut(result.answer)
    return f"guess: {words}" if result.kind == "guess" else words


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _CUT else line[: _CUT - 1] + "\u2026"
