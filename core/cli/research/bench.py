"""`clew research bench NAME`: measure, beside what it is compared with in the same run."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import click

from core.cli.options import setting_option
from core.cli.output import plain_fields, print_json, say, shown_progress, terminal
from core.errors import BadInput, CoreError
from core.progress import TaskContext

_WINDOW = Path(__file__).resolve().parents[3] / "packaging" / "benches" / "bench_window.py"
WINDOW = (
    "startup",
    "fluid",
    "decision",
    "page",
    "canvas",
    "interaction",
    "window",
)  # measured in the window's own process
ENGINE = (
    "index",
    "ask",
    "extraction",
    "resolution",
    "ppr",
    "vectors",
    "kill",
    "library",
    "hostile",
    "growth",
    "groundedness",
    "recogniser",
    "overview",
    "communities",
    "tables",
    "review",
    "dials",
    "scale",
)
NAMES = (*ENGINE, *WINDOW)


@click.command()
@click.argument("name", type=click.Choice(NAMES))
@click.argument("datasets", metavar="[DATASET]...", type=click.Path(path_type=Path), nargs=-1)
@click.option(
    "--judge",
    default="",
    metavar="ollama:MODEL",
    help="A language model that judges the answers of overview besides, pair by pair.",
)
@click.option(
    "--docred",
    type=click.Path(path_type=Path),
    help="For extraction and review: a dev.json of Re-DocRED, articles whose names and related pairs are marked.",
)
@setting_option
@click.option(
    "--verbose", is_flag=True, help="Print what the recogniser takes wrongly, or what the judge says, too."
)
@click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
def bench(
    name: str,
    datasets: tuple[Path, ...],
    judge: str,
    docred: Path | None,
    settings: tuple[str, ...],
    verbose: bool,
    as_json: bool,
) -> int:
    """Run the benchmark NAME. DATASET is a question set; without one the sample folder serves.

    growth, ppr, vectors, communities, review, dials, scale, canvas and interaction make their own data; scale tells
    what quantising costs on a question set besides, and communities compares other ways to find them on one.
    recogniser has labelled questions of its own, and takes any number of question sets beside them; overview takes
    a folder of documents, too; decision takes a workspace, which it copies, or makes one of 100,000 entities;
    window takes one, or makes one of 100,000 documents with 640,000 names; the others take one question set.
    --judge and --set are for overview.
    """
    if len(datasets) > 1 and name != "recogniser":
        raise click.UsageError(f"The benchmark {name} takes one question set.")
    if name != "overview" and (judge or settings):
        raise click.UsageError(f"The benchmark {name} takes no --judge and no --set.")
    if docred is not None and name not in ("extraction", "review"):
        raise click.UsageError(f"The benchmark {name} takes no --docred.")
    if name in WINDOW:
        report = _window(name, datasets)
    else:
        with shown_progress(as_json) as context:
            if name == "overview":
                report = _overview(datasets, judge, settings, context)
            elif docred is not None:
                report = _docred(name, docred, context)
            else:
                report = _engine(name, datasets, context)
    report = plain_fields(report)
    if as_json:
        print_json(report)
    else:
        _print(report)
        if verbose:
            _print_confused(report)
            _print_judged(report)
    return 0


def _overview(
    datasets: tuple[Path, ...], judge: str, settings: tuple[str, ...], context: TaskContext
) -> dict[str, object]:
    from core.research.benches.overview import measure

    measured = measure(datasets[0] if datasets else None, context, judge, settings)
    judged = [{**asdict(each), "winner": each.winner} for each in measured.judgements]
    report: dict[str, object] = {"name": "overview", "figures": measured.figures}
    return {**report, "judgements": judged} if judge else report


def _docred(name: str, file: Path, context: TaskContext) -> dict[str, object]:
    if name == "review":
        from core.research.benches.simulated_review import run
    else:
        from core.research.benches.docred import run
    return {"name": name, "figures": run(file, context)}


def _engine(name: str, datasets: tuple[Path, ...], context: TaskContext) -> dict[str, object]:
    if name == "recogniser":
        from core.research.benches.recogniser import measure

        measured = measure(datasets, context)
        return {"name": name, "figures": measured.figures, "confused": measured.confused}
    dataset = datasets[0] if datasets else None
    if name == "extraction" and dataset is None:
        raise BadInput("The extraction benchmark needs a question set with triples.", "Name its folder.")
    run = importlib.import_module(f"core.research.benches.{name}").run
    return {"name": name, "figures": run(dataset, context)}


def _window(name: str, workspace: tuple[Path, ...]) -> dict[str, object]:
    """The window measures itself: the engine does not know Qt."""
    if not _WINDOW.is_file():
        raise BadInput(f"{name} measures a checkout of Clew.", "Run it where its sources lie.")
    done = subprocess.run(
        [sys.executable, str(_WINDOW), name, *map(str, workspace), "--json"],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != 0 or not done.stdout.strip():
        raise CoreError(
            f"The benchmark {name} ended with code {done.returncode}.",
            "Read what it printed above; the window's libraries may be missing: clew doctor",
        )
    found = json.loads(done.stdout.strip().splitlines()[-1])
    assert isinstance(found, dict)
    return found


def _print(report: dict[str, object]) -> None:
    from rich.table import Table

    table = Table(title=f"bench {report['name']}", title_justify="left")
    for column, justify in (
        ("figure", "left"),
        ("value", "right"),
        ("unit", "left"),
        ("baseline", "right"),
        ("goal", "left"),
    ):
        table.add_column(column, justify=justify)  # type: ignore[arg-type]
    figures = report["figures"]
    assert isinstance(figures, dict)
    for name, figure in figures.items():
        baseline = figure.get("baseline")
        table.add_row(
            name,
            _number(figure["value"]),
            str(figure["unit"]),
            "" if baseline is None else _number(baseline),
            str(figure.get("goal") or ""),
        )
    terminal().print(table)


def _print_confused(report: dict[str, object]) -> None:
    """One line a question; questions are text, never markup."""
    confused = report.get("confused") or []
    assert isinstance(confused, list)
    for each in confused:
        say(f"{each['where']}: {each['label']}, taken otherwise: {each['question']} ({each['reason']})")


def _print_judged(report: dict[str, object]) -> None:
    """A line a reply of the judge, which is text as well."""
    judged = report.get("judgements") or []
    assert isinstance(judged, list)
    for each in judged:
        for reply in each["said"]:
            order = "first" if reply["ours_first"] else "second"
            say(
                f"{each['criterion']}, global ({order}) against {each['against']}: {reply['winner'] or 'no verdict'}: "
                f"{each['question']} ({' '.join(reply['reason'].split())})"
            )


def _number(value: object) -> str:
    return (
        f"{value:,.3g}"
        if isinstance(value, float) and abs(value) < 1000
        else f"{value:,}"
        if isinstance(value, int | float)
        else str(value)
    )
