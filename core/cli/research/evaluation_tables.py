"""Evaluations as tables for people, at most 110 columns wide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table

from core.cli.output import terminal

if TYPE_CHECKING:
    from core.errors import CoreError
    from core.lab.bootstrap import Difference
    from core.research.report import Calibration, Comparison, EvalReport, Row
    from core.research.results_file import Change, ReportComparison

WIDTH = 110
_RANKING = ("recall@2", "recall@5", "recall@10", "all@5", "all@8", "mrr")
_PLAIN = ("mrr", "precision@5", "diversity")  # without their intervals, for the width
_COMPARED = ("recall@2", "recall@5")
_CHANGED = ("recall@2", "recall@5", "recall@10", "all@5")
_ANSWERING = {
    "exact": "exact",
    "f1": "f1",
    "contains": "contains",
    "wrong shown": "wrong shown",
    "abstained": "refused unanswerable",
}
_CHANGED_TOO = {  # tables that fit the width
    "first hit and short answers": ("mrr", "exact", "f1", "contains"),
    "quotes and whether there is an answer": ("quote recall@5", "answered", "abstained", "wrong shown"),
}

_AUTO = {
    "several": "several",
    "quote recall@5": "quotes",
    "exact": "exact",
    "f1": "f1",
    "answered": "answered",
    "abstained": "abstained",
    "s/MB": "s/MB",
}
_ROUTE_WIDTH = 13  # of a column that --route asks for
_NAMES = {"lexical": "BM25"}


def print_report(report: EvalReport) -> None:
    """Print for each kind the routes, their answers where asked for, and how sure their differences are."""
    console = terminal(width=WIDTH)
    console.print(_heading(report), soft_wrap=True)
    for problem in report.problems:
        console.print(f"Gold: {problem}.", soft_wrap=True)
    first = next(iter(report.routes.values()))
    for kind in _kinds(first.kinds):
        rows = {name: route.kinds[kind] for name, route in report.routes.items()}
        for table in _tables(kind, rows):
            console.print(table)
        for name, row in rows.items():
            if row.shares:
                parts = ", ".join(f"{way} {share:.0%}" for way, share in row.shares.items())
                console.print(f"{name} took: {parts}")
        pairs = [pair for pair in report.comparisons if pair.kind == kind]
        if pairs:
            console.print(_differences(pairs))
    console.print("±, [ ]: 95 % confidence, bootstrap over the questions; *: p < 0.05.")
    if any(row.calibration for route in report.routes.values() for row in route.kinds.values()):
        console.print(
            "ECE: expected calibration error over ten bins, of equal width (below) or of as many answers."
        )


def _heading(report: EvalReport) -> str:
    """Return what was measured, how much of it, and how long its indexing took."""
    parts = [
        f"{report.passages:,} passages of {report.documents:,} documents",
        f"{report.entities:,} entities",
    ]
    if report.index_seconds:
        parts.append(f"indexed in {report.index_seconds:.0f} s")
    if report.seconds_per_mb is not None:
        parts.append(f"{report.seconds_per_mb:.1f} s a MB when all was indexed")
    if report.extraction not in {"", "rules"}:
        parts.append(f"entities and triples from {report.extraction}")
    if report.plain:
        parts.append("asked in lower case without question marks")
    return f"{report.dataset}: {', '.join(parts)}"


def _tables(kind: str, rows: Mapping[str, Row]) -> Iterator[Table]:
    """Yield those for which this kind has questions: documents or passages, quotes, answers, their confidence."""
    first = next(iter(rows.values()))
    none = f", {first.unanswerable:,} of them unanswerable" if first.unanswerable else ""
    yield _ranking(f"{kind}, {_questions(first.questions)}{none}", rows)
    if "quote recall@5" in first.measures:
        yield _measured("quotes", [f"quote {name}" for name in _RANKING], rows)
    answered = {name: row for name, row in rows.items() if row.calibration}
    if answered:
        yield _answers(answered)
        yield _calibration(answered)
        for name, row in answered.items():
            if row.calibration and row.calibration.bins:
                yield bins_table(f"{name}: right by probability", row.calibration)


def print_comparison(found: ReportComparison) -> None:
    """Print for each kind what changed on every route."""
    console = terminal(width=WIDTH)
    console.print(f"{found.before.dataset}: {found.after.path} minus {found.before.path}", soft_wrap=True)
    sources = (found.before.extraction, found.after.extraction)
    if sources[0] != sources[1]:
        console.print(f"Extraction differs: {sources[0]}, then {sources[1]}.", soft_wrap=True)
    for kind in _kinds(dict.fromkeys(pairing.kind for pairing in found.pairings)):
        part = [pairing for pairing in found.pairings if pairing.kind == kind]
        table = plain_table(f"{kind}, {_questions(part[0].questions)}", ("route", *_CHANGED, "p50 ms"))
        for pairing in part:
            cells = [_change(pairing.measures.get(name)) for name in _CHANGED]
            table.add_row(pairing.route, *cells, f"{pairing.p50[0]:.0f} > {pairing.p50[1]:.0f}")
        console.print(table)
        for title, names in _CHANGED_TOO.items():
            columns = [name for name in names if any(name in pairing.measures for pairing in part)]
            table = plain_table(title, ("route", *columns))
            for pairing in part:
                table.add_row(pairing.route, *(_change(pairing.measures.get(name)) for name in columns))
            if columns:
                console.print(table)
    console.print("[ ]: 95 % confidence, paired bootstrap over the questions; *: p < 0.05.")
    for route, count in found.unpaired.items():
        console.print(f"{route}: {_questions(count)} in one report only, left out.")


def print_suite(reports: Mapping[str, EvalReport], failed: Mapping[str, CoreError]) -> None:
    """Print a row a question set, then the mean, and where BM25 is better than `auto`."""
    from core.research.report import below_bm25, mean_figures, suite_row

    routes = max((len(report.routes) for report in reports.values()), default=0)
    console = terminal(width=WIDTH + _ROUTE_WIDTH * max(0, routes - 4))
    for name, report in reports.items():
        for problem in report.problems:
            console.print(f"{name}: gold {problem}.", soft_wrap=True)
    rows = [suite_row(report) for report in reports.values()]
    mean = mean_figures(rows)
    ranking = {name: name.removeprefix("recall@5 ") for name in mean if name.startswith("recall@5 ")}
    columns = {**{name: _NAMES.get(route, route) for name, route in ranking.items()}, **_AUTO}
    headings = {name: words for name, words in columns.items() if name in mean}
    table = plain_table("recall@5 by route; of auto", ("corpus", "asked", "passages", *headings.values()))
    table.padding = (0, 0, 0, 0)
    for row in rows:
        cells = [_cell(name, row.figures) for name in headings]
        table.add_row(row.name, f"{row.questions:,}", f"{row.passages:,}", *cells)
    if rows:
        table.add_section()
        table.add_row("mean", "", "", *(_cell(name, mean) for name in headings))
        console.print(table)
        below = below_bm25(rows)
        names = f": {', '.join(below)}" if below else ""
        console.print(f"auto finds less than BM25 on {len(below)} of {len(rows)}{names}", soft_wrap=True)
    for name, error in failed.items():
        console.print(f"{name} failed: {error}", soft_wrap=True)


def _cell(name: str, figures: Mapping[str, float]) -> str:
    if name not in figures:
        return ""
    return f"{figures[name]:.1f}" if name == "s/MB" else short(figures[name])


def _kinds(kinds: Iterable[str]) -> list[str]:
    """`all` last, and not where it is the same questions as the one kind there is."""
    found = sorted(set(kinds) - {"all"})
    return found if len(found) == 1 else [*found, "all"]


def plain_table(title: str, columns: Sequence[str]) -> Table:
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    for number, name in enumerate(columns):
        table.add_column(name, justify="right" if number else "left", no_wrap=True)
    return table


def _ranking(title: str, rows: Mapping[str, Row]) -> Table:
    table = plain_table(title, ("route", *_RANKING, "prec@5", "diverse", "p50 ms", "p95 ms"))
    for name, row in rows.items():
        cells = [_mean(row, measure) for measure in _RANKING[:-1]]
        plain = [_known(row.measures.get(measure)) for measure in _PLAIN]
        table.add_row(name, *cells, *plain, f"{row.p50:.0f}", f"{row.p95:.0f}")
    return table


def _measured(title: str, names: Sequence[str], rows: Mapping[str, Row]) -> Table:
    table = plain_table(title, ("route", *(name.removeprefix("quote ") for name in names)))
    for name, row in rows.items():
        table.add_row(name, *(_mean(row, measure) for measure in names))
    return table


def _calibration(rows: Mapping[str, Row]) -> Table:
    """Return how well the probability tells right answers from wrong ones, and answerable questions from the others."""
    columns = ("route", "right", "right auc", "ECE width", "ECE mass", "answerable auc", "answers")
    table = plain_table("probability of answers and guesses", columns)
    for name, row in rows.items():
        found = row.calibration
        if found is not None:
            errors = (found.calibration_error, found.mass_calibration_error)
            cells = (found.right, found.right_auc, *errors, found.answerable_auc)
            table.add_row(name, *(_known(value) for value in cells), f"{found.answers:,}")
    return table


def bins_table(title: str, found: Calibration) -> Table:
    """Return the points of a reliability diagram: where probability holds, `right` lies between `from` and `to`."""
    table = plain_table(title, ("from", "to", "answers", "right"))
    for one in found.bins:
        answers = f"{round(one.share * found.answers):,}"
        table.add_row(f"{one.low:.1f}", f"{one.high:.1f}", answers, short(one.right))
    return table


def _answers(rows: Mapping[str, Row]) -> Table:
    """Tabulate the answers; a guess counts as refused; the first three score its words all the same."""
    columns = (*_ANSWERING.values(), "refused answerable", "questions")
    table = plain_table("answers; a guess counts as refused", ("route", *columns))
    for name, row in rows.items():
        cells = [_mean(row, measure) for measure in _ANSWERING]
        table.add_row(name, *cells, _refused(row), f"{row.scored:,}")
    return table


def _refused(row: Row) -> str:
    """Return, of the answerable questions, those that were not answered."""
    if "answered" not in row.measures:
        return ""
    low, high = row.intervals["answered"]
    return f"{short(1.0 - row.measures['answered'])} ±{short((high - low) / 2)}"


def _differences(pairs: Sequence[Comparison]) -> Table:
    table = plain_table("differences", ("routes", *_COMPARED))
    for pair in pairs:
        name = f"{pair.left}{' (best)' if pair.best else ''} - {pair.right}"
        found = [pair.measures[measure] for measure in _COMPARED]
        cells = [f"{_difference(one)} p {_p(one.p):>5}" for one in found]
        table.add_row(name, *cells)
    return table


def _mean(row: Row, measure: str) -> str:
    """Return the mean, or an empty text if no question of the kind has the measure."""
    if measure not in row.measures:
        return ""
    low, high = row.intervals[measure]
    return f"{short(row.measures[measure])} ±{short((high - low) / 2)}"


def _change(change: Change | None) -> str:
    return _difference(change.difference) if change else ""


def _difference(found: Difference) -> str:
    """ "+.023 [-.004 +.050] " with a star in the last place where it is significant."""
    signed = [
        f"{'-' if value < 0 else '+'}{short(abs(value))}" for value in (found.value, found.low, found.high)
    ]
    return f"{signed[0]} [{signed[1]} {signed[2]}]{'*' if found.significant else ' '}"


def _p(p: float) -> str:
    return "<.001" if p < 0.001 else short(p)


def _questions(count: int) -> str:
    return f"{count:,} question{'' if count == 1 else 's'}"


def _known(value: float | None) -> str:
    return "" if value is None else short(value)


def short(value: float) -> str:
    """Format three digits, without the zero before the point."""
    text = f"{value:.3f}"
    return text[1:] if text.startswith("0.") else text[:4]
