"""`clew research eval WORKSPACE --verdicts`: what became of the answers that a person judged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from core.cli.output import print_json, shown_progress, terminal
from core.cli.research.evaluation_tables import WIDTH, bins_table, plain_table, short

if TYPE_CHECKING:
    from core.research.verdicts import VerdictReport

_LONGEST = 44  # characters of a question or answer in the table


def measure_verdicts(place: Path, settings: tuple[str, ...], as_json: bool) -> None:
    """Ask the judged questions of the workspace at `place` again. Raises BadInput where there are none."""
    from core.research.verdicts import ask_again
    from core.workspace import Workspace

    with Workspace.open(place, settings=settings) as workspace, shown_progress(as_json) as context:
        report = ask_again(workspace, context)
    if as_json:
        print_json(report)
    else:
        _print(report, place)


def _print(report: VerdictReport, place: Path) -> None:
    console = terminal(width=WIDTH)
    console.print(f"{place}: {len(report.rows):,} judged answers, each asked for again", soft_wrap=True)
    table = plain_table("", ("question", "judged", "now", "p", "outcome"))
    for row in report.rows:
        wording = ("right: " if row.judged.right else "wrong: ") + (row.judged.answer or "not told")
        cells = (_cut(row.judged.question), _cut(wording), _cut(row.now or "not told"))
        table.add_row(*cells, short(row.probability), row.outcome.value)
    console.print(table)
    for verdict, outcomes in report.outcomes.items():
        summary = ", ".join(f"{count:,} {outcome}" for outcome, count in outcomes.items())
        console.print(f"Judged {verdict}: {summary or 'none'}.")
    if report.outcomes["right"]:
        figures = f"exact {short(report.exact)}, F1 {short(report.f1)}, same place {short(report.place)}"
        console.print(f"The right ones against those of now: {figures}.")
    if report.explanations:
        supporting = sum(one.supports for one in report.explanations)
        console.print(
            f"Explanations judged: {len(report.explanations):,}, {supporting:,} support the answer."
        )
        for one in report.explanations:
            if one.why:
                wording = "supports" if one.supports else "does not support"
                console.print(
                    f"  {_cut(one.question)}: {one.place.document} {wording}: {one.why}", soft_wrap=True
                )
    for document, state in report.lost.items():
        console.print(f"{state.capitalize()}: {document}", soft_wrap=True)
    found = report.calibration
    if found.answers:
        console.print(bins_table("right by probability", found))
        known = {
            "right auc": found.right_auc,
            "ECE (ten bins of equal width)": found.calibration_error,
            "ECE (ten bins of as many answers)": found.mass_calibration_error,
        }
        summary = ", ".join(f"{name} {short(value)}" for name, value in known.items() if value is not None)
        console.print(f"{summary}; {found.answers:,} answers that are known to be right or wrong.")


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
