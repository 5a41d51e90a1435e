"""What the commands of the lab share: which compositions are meant, and the tables of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from core.cli.output import print_json, say, terminal
from core.errors import BadInput

if TYPE_CHECKING:
    from core.lab.figures import LabFigures
    from core.lab.rows import LabRow
    from core.retrieval.compositions import Composition

_QUALITY = ("recall@2", "recall@5", "all@5", "reach", "precision", "exact", "f1", "right")
_SIZES = ("entities", "facts", "paths", "tokens")
_MODULES = ("subgraph", "pruning", "paths", "all")


def chosen(names: str, known: Mapping[str, Composition]) -> dict[str, Composition]:
    """Raises BadInput for a name that there is none of."""
    if names == "all":
        return {name: each for name, each in known.items() if not each.needs_model}
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    if strange := [name for name in wanted if name not in known]:
        raise BadInput(f"There is no composition {strange[0]!r}.", f"Choose from: {', '.join(known)}.")
    return {name: known[name] for name in wanted}


def tell(rows: Sequence[LabRow], as_json: bool) -> int:
    from core.lab.figures import kinds, summarised

    groups = {"": summarised(rows)}
    if len(found := kinds(rows)) > 1:
        groups |= {kind: summarised(rows, kind) for kind in found}
    if as_json:
        print_json({"compositions": groups.pop(""), "kinds": groups})
        return 0
    for kind, figures in groups.items():
        _tables(kind or "all questions", figures)
    for each in next(iter(groups.values())):
        if each.note:
            say(f"{each.composition}: {each.note}")
    say(
        "±: 95 % confidence, bootstrap over the questions; *: p < 0.05 against the first row. Milliseconds: medians."
    )
    return 0


def _tables(title: str, rows: Sequence[LabFigures]) -> None:
    from core.cli.evaluation_tables import WIDTH, plain_table

    if not rows:
        return
    heading = f"{title}, {rows[0].questions:,}"
    shown = [name for name in _QUALITY if any(name in row.figures for row in rows)]
    found = plain_table(heading, ("composition", *shown))
    cost = plain_table("what it cost", ("composition", *_SIZES, *(f"{name} ms" for name in _MODULES)))
    for row in rows:
        found.add_row(row.composition, *(_cell(row, name) for name in shown))
        sizes = (f"{getattr(row, name):,.0f}" for name in _SIZES)
        times = (f"{row.seconds[name] * 1000:.1f}" if name in row.seconds else "" for name in _MODULES)
        cost.add_row(row.composition, *sizes, *times)
    for table in (found, cost):
        terminal(width=WIDTH).print(table)


def _cell(row: LabFigures, name: str) -> str:
    if (value := row.figures.get(name)) is None:
        return ""
    cell = f"{value:.3f}"
    if name == "recall@5":
        cell += f" ±{(row.sure.high - row.sure.low) / 2:.3f}" + ("*" if row.against < 0.05 else " ")
    return cell
