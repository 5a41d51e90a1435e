"""The tables of a run of the lab."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.cli.output import print_json, say, terminal

if TYPE_CHECKING:
    from core.lab.figures import LabFigures
    from core.lab.rows import LabRow
    from core.lab.stages import Ending

_QUALITY = ("recall@2", "recall@5", "all@5", "quote recall@5", "reach", "precision", "exact", "f1", "right")
_SIZES = ("entities", "facts", "paths", "tokens", "scored_tokens")
# Of compositions of paths, of those of other rankers, of all.
_MODULES = (
    "seeds", "subgraph", "pruning", "paths", "passages", "lexical", "dense", "graph", "second stage", "join", "all",
)  # fmt: skip


def tell(rows: Sequence[LabRow], as_json: bool) -> int:
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
    """Where questions ended, a table for each composition that knows stages, a column a stage."""
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
