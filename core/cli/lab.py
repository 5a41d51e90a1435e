"""`clew lab`: ways of retrieving as compositions of parts, compared on one's own documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from core.cli.lab_questions import MANY, asked, chosen, questions_option
from core.cli.options import PATH, json_option, parameter_option
from core.cli.output import Events, print_json, progress_bar, say, terminal, with_events
from core.errors import BadInput
from core.progress import TaskContext

if TYPE_CHECKING:
    from core.lab.figures import LabFigures
    from core.lab.rows import LabRow
    from core.lab.stages import Ending
    from core.research.datasets import EvalQuestion
    from core.research.lab_run import Robustness
    from core.research.lab_search import Found
    from core.retrieval.compositions import Composition
    from core.workspace import Workspace

Command = TypeVar("Command", bound=Callable[..., object])
_QUALITY = ("recall@2", "recall@5", "all@5", "quote recall@5", "reach", "precision", "exact", "f1", "right")
_SIZES = ("entities", "facts", "paths", "tokens", "scored_tokens")
# Of compositions of paths, of those of other rankers, of all.
_MODULES = (
    "seeds", "subgraph", "pruning", "paths", "passages", "lexical", "dense", "graph", "second stage", "join", "all",
)  # fmt: skip
_BEST = 5  # compositions printed of a search


def _question_options(command: Command) -> Command:
    """Add the WORKSPACE or SET, which questions are asked of it, and how many."""
    limit = click.option(
        "--limit",
        type=click.IntRange(1),
        help=f"Questions of each kind, at most; {MANY} are made by default.",
    )
    return click.argument("place", metavar="WORKSPACE|SET", type=PATH)(questions_option(limit(command)))


@contextmanager
def _questions(
    place: Path, questions: str | None, limit: int | None, context: TaskContext, settings: Sequence[str] = ()
) -> Iterator[tuple[Workspace, tuple[EvalQuestion, ...]]]:
    with asked(place, questions, limit or MANY, limit, context, settings) as found:
        yield found


@click.group()
def lab() -> None:
    """Compare ways of retrieving, each a composition of parts, on your own documents and questions."""


@lab.command("list")
@json_option
def list_compositions(as_json: bool) -> int:
    """List the compositions that Clew comes with, and where each is taken from."""
    from core.retrieval.compositions import shipped_compositions

    found = shipped_compositions()
    if as_json:
        print_json({"compositions": found})
        return 0
    for name, each in found.items():
        needs = "; needs a language model" if each.needs_model else ""
        say(f"{name:<20} {each.group:<6} {each.source}{needs}")
    return 0


@lab.command("run")
@_question_options
@click.option(
    "--instances",
    default="all",
    show_default=True,
    help="Compositions, separated by commas; all that need no model.",
)
@click.option(
    "--jobs",
    default=1,
    show_default=True,
    type=click.IntRange(1, 64),
    help="Questions at once; memory is measured only with 1.",
)
@click.option(
    "--out", type=PATH, help="Write every row to this file; a run that was stopped continues from it."
)
@click.option("--events", is_flag=True, hidden=True, help="Print progress as lines of JSON; read stdin.")
@parameter_option
@json_option
def run_lab(
    place: Path,
    questions: str | None,
    limit: int | None,
    instances: str,
    jobs: int,
    out: Path | None,
    events: bool,
    settings: tuple[str, ...],
    as_json: bool,
) -> int:
    """Run compositions on questions and print what each found and cost. Each module runs once for all that share it."""
    import tempfile

    from core.research.lab_run import run

    def rows(context: TaskContext) -> list[LabRow]:
        with (
            tempfile.TemporaryDirectory() as scratch,
            _questions(place, questions, limit, context, settings) as (workspace, wanted),
        ):
            run_path = out or Path(scratch) / "run.jsonl"
            compositions = chosen(instances, workspace.compositions.all())
            return run(workspace, wanted, compositions, run_path, context, jobs)

    if events:
        return with_events(Events(), rows)
    with progress_bar(as_json) as context:
        found = rows(context)
    return print_run(found, as_json)


@lab.command()
@click.argument("file", type=PATH)
@json_option
def report(file: Path, as_json: bool) -> int:
    """Print the tables of a run whose rows are in FILE."""
    from core.lab.rows import read_run

    return print_run(read_run(file), as_json)


@lab.command()
@_question_options
@click.option(
    "--seconds", type=click.FloatRange(1), default=300.0, show_default=True, help="Time to choose in."
)
@json_option
def search(place: Path, questions: str | None, limit: int | None, seconds: float, as_json: bool) -> int:
    """Search for the composition that suits these documents best, and say whether the default route does as well.

    Half of the questions choose, the others judge.
    """
    from core.research.lab_search import search as search_compositions

    with (
        progress_bar(as_json) as context,
        _questions(place, questions, limit, context) as (workspace, wanted),
    ):
        found = search_compositions(workspace, wanted, context, seconds=seconds)
    return _print_search(found, as_json)


@lab.command()
@_question_options
@click.option(
    "--instances", default="no-12,graph,walk", show_default=True, help="Compositions, separated by commas."
)
@click.option("--lost", default="0.1,0.2,0.4", show_default=True, help="Shares lost, separated by commas.")
@click.option("--answers", is_flag=True, help="Also count right answers.")
@json_option
def robustness(
    place: Path,
    questions: str | None,
    limit: int | None,
    instances: str,
    lost: str,
    answers: bool,
    as_json: bool,
) -> int:
    """Measure what compositions still find when a random share of entities and facts is lost, in a copy in memory."""
    from core.research.lab_run import BOTH, measure_robustness

    shares = _shares(lost)
    with (
        progress_bar(as_json) as context,
        _questions(place, questions, limit, context) as (workspace, wanted),
    ):
        compositions = chosen(instances, workspace.compositions.all())
        found = measure_robustness(workspace, wanted, compositions, shares, context, answers=answers)
    if as_json:
        rows = [{**asdict(each), "value": each.value, "share": each.share} for each in found]
        print_json({"of": BOTH, "questions": len(wanted), "kept": rows})
        return 0
    for figure in dict.fromkeys(each.figure for each in found):
        rows_of_figure = [each for each in found if each.figure == figure]
        _print_losses(f"{figure}, {BOTH} lost, {len(wanted):,}", rows_of_figure)
    say("Mean of the random losses; in brackets the share of its own figure that each keeps.")
    return 0


# ------------------------------------------------------------ tables


def print_run(rows: Sequence[LabRow], as_json: bool) -> int:
    """Print the figures of a run as tables or one JSON object, and return the exit code."""
    from core.lab.figures import kinds, summarised
    from core.lab.stages import endings

    groups = {"": summarised(rows)}
    groups |= {kind: summarised(rows, kind) for kind in kinds(rows)}
    if as_json:
        print_json({"compositions": groups.pop(""), "kinds": groups, "endings": endings(rows)})
        return 0
    for kind, figures in groups.items():
        _tables(kind or "all questions", figures)
    _endings(endings(rows))
    for each in next(iter(groups.values())):
        if each.failed:
            say(f"{each.composition}: {each.failed:,} of {each.questions:,} questions failed: {each.fault}")
        if each.note:
            say(f"{each.composition}: {each.note}")
    say(
        "±: 95 % confidence, bootstrap over the questions; *: p < 0.05 against the first row. Milliseconds: medians. "
        "Peak: memory above what was held before, for 95 of 100 questions; not known where questions run at once."
    )
    return 0


def _tables(title: str, rows: Sequence[LabFigures]) -> None:
    from core.cli.research.evaluation_tables import WIDTH, plain_table

    if not rows:
        return
    heading = f"{title}, {rows[0].questions:,}"
    metrics = [name for name in _QUALITY if any(name in row.figures for row in rows)]
    found = plain_table(heading, ("composition", *metrics))
    sizes = (name.replace("_", " ") for name in _SIZES)
    cost = plain_table("what it cost", ("composition", *sizes, "peak MB"))
    modules = [name for name in _MODULES if any(name in row.seconds for row in rows)]
    times = plain_table("milliseconds", ("composition", *modules))
    for row in rows:
        found.add_row(row.composition, *(_cell(row, name) for name in metrics))
        peak = "" if row.peak is None else f"{row.peak / 1e6:,.1f}"
        cost.add_row(row.composition, *(f"{getattr(row, name):,.0f}" for name in _SIZES), peak)
        spent = (f"{row.seconds[name] * 1000:.1f}" if name in row.seconds else "" for name in modules)
        times.add_row(row.composition, *spent)
    for table in (found, cost, times):
        terminal(width=WIDTH).print(table)


def _endings(found: Sequence[Ending]) -> None:
    """Print where questions ended: a table for each composition that has stages, a column for each stage."""
    from core.cli.research.evaluation_tables import WIDTH, plain_table

    for name in dict.fromkeys(each.composition for each in found):
        own = [each for each in found if each.composition == name]
        table = plain_table(f"{name}: where questions ended", ("", *(each.stage for each in own)))
        table.add_row("questions", *(f"{each.questions:,}" for each in own))
        for row, share in (("share", "share"), ("of the time", "seconds"), ("of the tokens", "tokens")):
            table.add_row(row, *(f"{getattr(each, share):.0%}" for each in own))
        for other in dict.fromkeys(other for each in own for other in each.recalls):
            recalls = (f"{each.recalls[other]:.3f}" if other in each.recalls else "" for each in own)
            table.add_row(f"recall@5 of {other}", *recalls)
        terminal(width=WIDTH).print(table)


def _cell(row: LabFigures, name: str) -> str:
    if (value := row.figures.get(name)) is None:
        return ""
    cell = f"{value:.3f}"
    if name == "recall@5":
        cell += f" ±{(row.sure.high - row.sure.low) / 2:.3f}" + ("*" if row.against < 0.05 else " ")
    return cell


def _print_search(found: Found, as_json: bool) -> int:
    from core.research.lab_search import FIGURE
    from core.retrieval.compositions import as_toml

    toml = as_toml("found", found.composition)
    if as_json:
        print_json({"found": found, "toml": toml, "verdict": found.verdict})
        return 0
    stopped = ", when the time was up" if found.stopped else ""
    say(f"{found.evaluations:,} evaluations in {found.seconds:,.0f} s{stopped}. Best on the half that chose:")
    for each in found.tried[:_BEST]:
        say(
            f"  {FIGURE} {each.figure:.3f}, mrr {each.ties:.3f}, {each.questions} questions: {_parts(each.composition)}"
        )
    off = found.difference
    say(f"On the {found.test_questions} questions that took no part in choosing, {FIGURE}:")
    say(f"  found {found.winner:.3f}, default graph route {found.default:.3f},")
    say(f"  difference {off.value:+.3f} (95 %: {off.low:+.3f} to {off.high:+.3f}, p {off.p:.3f}).")
    say(found.verdict)
    for line in ("", *toml.splitlines()):
        say(line)
    return 0


def _parts(composition: Composition) -> str:
    """Return the composition in one line, without what plays no role."""
    from core.retrieval.compositions import PATHS

    if composition.rank != (PATHS,):
        second = ["second stage"] * composition.second_stage
        return ", ".join((" and ".join(composition.rank), *second, *composition.settings))
    pruning, paths, mapping = composition.pruning, composition.paths, composition.mapping
    parts = [composition.subgraph.kind]
    parts += [] if pruning.kind == "none" else [f"{pruning.kind} by {pruning.scorer}"]
    parts += [paths.kind if paths.kind == "shortest" else f"{paths.kind} by {paths.scorer}"]
    parts += [f"weights {mapping.facts:g} {mapping.entities:g} {mapping.dense:g}"]
    return ", ".join(parts + ["second stage"] * composition.second_stage)


def _shares(text: str) -> list[float]:
    try:
        return [float(each) for each in text.split(",")]
    except ValueError as error:
        raise BadInput(f"--lost cannot be {text!r}.", "Give shares such as 0.1,0.2.") from error


def _print_losses(title: str, rows: Sequence[Robustness]) -> None:
    from core.cli.research.evaluation_tables import WIDTH, plain_table

    shares = list(dict.fromkeys(each.lost for each in rows))
    table = plain_table(title, ("composition", "nothing", *(f"{share:.0%}" for share in shares)))
    for name in dict.fromkeys(each.composition for each in rows):
        own = {each.lost: each for each in rows if each.composition == name}
        table.add_row(name, f"{own[shares[0]].baseline:.3f}", *(_loss_cell(own[share]) for share in shares))
    terminal(width=WIDTH).print(table)


def _loss_cell(row: Robustness) -> str:
    return f"{row.value:.3f}" + ("" if row.share is None else f" ({row.share:.3f})")
