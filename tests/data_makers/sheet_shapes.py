"""Sheets as people lay them out, with questions whose answers come out of the records behind them.

`sheets(seed, count)` has each shape in turn: merged, stacked, side by side, totals, subtotals, ranges, title rows,
units, mixed cells, empty rows, forms. `HELD_OUT` are shapes that were written when the code was done.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any
from xml.sax.saxutils import escape

import openpyxl

from core.answering.table_answers import best_reading
from core.answering.tables.typed import typed
from core.ingest.opendocument import read_sheets
from core.ingest.reading import Reading
from core.ingest.sheets import read_csv
from core.ingest.workbooks import read_xlsx
from core.text.cell_values import number_of
from tests.data_makers.round_trip_files import ods_of

FIRST = "Ada Bo Cleo Dag Eva Finn Gro Hal Ida Jon Kai Liv Mia Nils Ole Per Rut Siv Tor Una Vera Wim".split()
LAST = "Aas Berg Dahl Eide Foss Grahn Holm Ibsen Krog Lien Moe Nes Ore Rud Strand Tyne Ulv Vik Wold".split()
TOWNS = "Oslo Bergen Tromsø Larvik Hamar Moss Skien Bodø Kiel Gent Lyon".split()
THINGS = "rope tar lamp chain pump anchor sail net crate barrel winch oar hook plank bell mast".split()
SHIPS = "Skarv Terne Alke Gull Havella Lunde Svale Ravn Falk Spurv Trane Jerv Oter Mink Hauk Lom".split()
KINDS = "wood steel iron linen glass stone".split()
TOTALS = ("Total", "TOTAL", "Sum", "Summe", "Total:", "Gesamt", "Somme", "Totale", "Grand total")


@dataclass(frozen=True)
class Truth:
    """Records of one thing. `key`, `group` and `measure` are columns."""

    thing: str
    things: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    key: int = 0
    group: int = 1
    measure: int = 2


@dataclass(frozen=True)
class Question:
    kind: str
    text: str
    expected: str | float | frozenset[str]


@dataclass
class Sheet:
    shape: str
    form: str  # xlsx, ods or csv
    grid: list[list[Any]]
    questions: list[Question]
    merged: list[tuple[int, int, int, int]] = field(
        default_factory=list
    )  # first row, column, last row, column
    formats: dict[tuple[int, int], str] = field(default_factory=dict)
    bold: set[int] = field(default_factory=set)  # rows

    def reading(self) -> Reading:
        return {"xlsx": self._xlsx, "ods": self._ods, "csv": self._csv}[self.form]()

    def _xlsx(self) -> Reading:
        book = openpyxl.Workbook()
        sheet = book.active
        for r, row in enumerate(self.grid, 1):
            for c, value in enumerate(row, 1):
                if value not in ("", None):
                    cell = sheet.cell(r, c, value)
                    cell.number_format = self.formats.get((r - 1, c - 1), "General")
                    cell.font = openpyxl.styles.Font(bold=r - 1 in self.bold)
        for top, left, bottom, right in self.merged:
            sheet.merge_cells(
                start_row=top + 1, start_column=left + 1, end_row=bottom + 1, end_column=right + 1
            )
        made = io.BytesIO()
        book.save(made)
        return read_xlsx(made.getvalue())

    def _ods(self) -> Reading:
        spans = {
            (top, left): (bottom - top + 1, right - left + 1) for top, left, bottom, right in self.merged
        }
        rows = "".join(
            f"<table:table-row>{''.join(self._ods_cell(value, spans.get((r, c))) for c, value in enumerate(row))}"
            "</table:table-row>"
            for r, row in enumerate(self.grid)
        )
        return read_sheets(ods_of(rows))

    def _ods_cell(self, value: Any, span: tuple[int, int] | None) -> str:
        about = ""
        if span:
            about = f' table:number-rows-spanned="{span[0]}" table:number-columns-spanned="{span[1]}"'
        if value in ("", None):
            return f"<table:table-cell{about}/>"
        if isinstance(value, int | float):
            about += f' office:value-type="float" office:value="{value}"'
        return f"<table:table-cell{about}><text:p>{escape(str(value))}</text:p></table:table-cell>"

    def _csv(self) -> Reading:
        made = io.StringIO()
        csv.writer(made).writerows([["" if value is None else value for value in row] for row in self.grid])
        return read_csv(made.getvalue(), "Sheet")


@dataclass(frozen=True)
class Asked:
    sheet: Sheet
    question: Question
    text: str  # "" where it is not answered
    sure: bool
    right: bool


def asked(sheet: Sheet) -> Iterator[Asked]:
    """Each question of a sheet, held against its tables."""
    reading = sheet.reading()
    tables = [("id", ["Sheet", table.name], typed(table, reading.text)) for table in reading.tables]
    for question in sheet.questions:
        found = best_reading(question.text, tables)
        text = found.result.text if found else ""
        sure = found is not None and not found.result.doubt
        yield Asked(sheet, question, text, sure, bool(found) and _is_right(text, question.expected))


def _is_right(text: str, expected: str | float | frozenset[str]) -> bool:
    if isinstance(expected, frozenset):
        return {part.casefold() for part in text.split(", ")} == {part.casefold() for part in expected}
    if isinstance(expected, str):
        return text.casefold() == expected.casefold()
    found = number_of(text)
    return found is not None and abs(found - expected) <= 0.0051 + 1e-9 * abs(expected)


def _records(chance: Random, count: int = 0) -> Truth:
    """Records of people, ships, stores or payments."""
    count = count or chance.randrange(4, 11)
    names = chance.sample([f"{first} {last}" for first in FIRST for last in LAST], count)
    towns = chance.sample(TOWNS, 3)
    kinds = chance.sample(KINDS, 3)
    group = [chance.choice(towns) for _ in range(count)]
    makers: list[Callable[[], Truth]] = [
        lambda: Truth("person", "persons", ("Person", "Town", "Wage"),
                      tuple((names[n], group[n], chance.randrange(900, 5000)) for n in range(count))),
        lambda: Truth("ship", "ships", ("Ship", "Port", "Crew", "Owner"),
                      tuple((ship, group[n], chance.randrange(3, 40), names[n])
                            for n, ship in enumerate(chance.sample(SHIPS, count)))),
        lambda: Truth("item", "items", ("Item", "Material", "Weight"),
                      tuple((thing, chance.choice(kinds), round(chance.uniform(1, 90), 1))
                            for thing in chance.sample(THINGS, count))),
        lambda: Truth("guest", "guests", ("Guest", "Hotel", "Nights", "Room"),
                      tuple((names[n], f"Hotel {group[n]}", chance.randrange(1, 15), chance.randrange(100, 400))
                            for n in range(count))),
    ]  # fmt: skip
    return chance.choice(makers)()


def questions(truth: Truth, chance: Random, most: int = 6) -> list[Question]:
    """How many, sum, mean, which, look-up, most and least; the answers out of the records."""
    rows, columns = truth.rows, truth.columns
    group, measure = (columns[at] for at in (truth.group, truth.measure))
    values = [row[truth.measure] for row in rows]
    found = [
        Question("count", f"How many {truth.things} are there?", float(len(rows))),
        Question("sum", f"What is the sum of the {measure.lower()}?", float(sum(values))),
        Question("mean", f"What is the average {measure.lower()}?", sum(values) / len(values)),
        Question("list", f"List all {truth.things}", frozenset(str(row[truth.key]) for row in rows)),
    ]
    for name, best in (("highest", max), ("lowest", min)):
        winners = [str(row[truth.key]) for row in rows if row[truth.measure] == best(values)]
        if len(winners) == 1:
            found.append(Question(name, f"Which {truth.thing} has the {name} {measure.lower()}?", winners[0]))
    row = chance.choice(rows)
    for at in range(1, len(columns)):
        expected = float(row[at]) if isinstance(row[at], int | float) else str(row[at])
        found.append(Question("look-up", f"What is the {columns[at].lower()} of {row[truth.key]}?", expected))
    counts = Counter(row[truth.group] for row in rows)
    value = chance.choice(list(counts))
    of = [row for row in rows if row[truth.group] == value]
    found += [
        Question("count of", f"How many {truth.things} have the {group.lower()} {value}?", float(len(of))),
        Question(
            "sum of",
            f"What is the total {measure.lower()} of the {truth.things} whose {group.lower()} is {value}?",
            float(sum(row[truth.measure] for row in of)),
        ),
        Question(
            "which",
            f"Which {truth.things} have the {group.lower()} {value}?",
            frozenset(str(row[truth.key]) for row in of),
        ),
    ]
    return chance.sample(found, min(most, len(found)))


def _table(truth: Truth) -> list[list[Any]]:
    return [list(truth.columns), *(list(row) for row in truth.rows)]


def _by_group(truth: Truth) -> Truth:
    rows = tuple(sorted(truth.rows, key=lambda row: str(row[truth.group])))
    return Truth(truth.thing, truth.things, truth.columns, rows, truth.key, truth.group, truth.measure)


def _group_first(truth: Truth) -> Truth:
    """The group in the first column, its records together."""
    truth = _by_group(truth)
    order = [truth.group, truth.key, truth.measure]
    order += [at for at in range(len(truth.columns)) if at not in order]
    rows = tuple(tuple(row[at] for at in order) for row in truth.rows)
    return Truth(truth.thing, truth.things, tuple(truth.columns[at] for at in order), rows, 1, 0, 2)


def plain(chance: Random) -> Sheet:
    truth = _records(chance)
    return Sheet("plain", chance.choice(("xlsx", "csv", "ods")), _table(truth), questions(truth, chance))


def merged(chance: Random) -> Sheet:
    """Groups merged over their records."""
    truth = _group_first(_records(chance))
    sheet = Sheet("merged", chance.choice(("xlsx", "ods")), _table(truth), questions(truth, chance))
    first = 1
    for at in range(1, len(sheet.grid)):
        if at + 1 == len(sheet.grid) or sheet.grid[at + 1][0] != truth.rows[first - 1][0]:
            if at > first:
                sheet.merged.append((first, 0, at, 0))
                for row in sheet.grid[first + 1 : at + 1]:
                    row[0] = None
            first = at + 1
    return sheet


def merged_figures(chance: Random) -> Sheet:
    """A budget for each group, merged over its records: it counts once."""
    truth = _group_first(_records(chance))
    groups = list(dict.fromkeys(row[0] for row in truth.rows))
    budgets = dict(zip(groups, chance.sample(range(1000, 9000), len(groups)), strict=True))
    grid = [[*truth.columns, "Budget"], *([*row, budgets[row[0]]] for row in truth.rows)]
    asked = [
        Question("sum", "What is the sum of the budget?", float(sum(budgets.values()))),
        Question(
            "sum of",
            f"What is the total budget where the {truth.columns[0].lower()} is {groups[0]}?",
            float(budgets[groups[0]]),
        ),
        Question("look-up", f"What is the budget of {truth.rows[-1][1]}?", float(budgets[truth.rows[-1][0]])),
        *questions(truth, chance, 4),
    ]
    sheet = Sheet("merged figures", chance.choice(("xlsx", "ods")), grid, asked)
    column = len(grid[0]) - 1
    first = 1
    for at in range(1, len(grid)):
        if at + 1 == len(grid) or truth.rows[at][0] != truth.rows[first - 1][0]:
            if at > first:
                sheet.merged += [(first, 0, at, 0), (first, column, at, column)]
                for row in grid[first + 1 : at + 1]:
                    row[0] = row[column] = None
            first = at + 1
    return sheet


def _two(chance: Random) -> tuple[Truth, Truth]:
    """Two tables about different things."""
    first = _records(chance)
    while True:
        second = _records(chance)
        if second.thing != first.thing:
            return first, second


def stacked(chance: Random) -> Sheet:
    """Two tables one below the other, an empty row or two between."""
    first, second = _two(chance)
    titles = chance.random() < 0.4
    grid = [
        *([[f"The {first.things} of the year"]] if titles else []),
        *_table(first),
        *([[]] * chance.choice((1, 1, 2))),
        *([[f"The {second.things} of the year"]] if titles else []),
        *_table(second),
    ]
    asked = [*questions(first, chance, 4), *questions(second, chance, 4)]
    return Sheet("stacked", chance.choice(("xlsx", "csv", "ods")), grid, asked)


def side_by_side(chance: Random) -> Sheet:
    first, second = _two(chance)
    left, right = _table(first), _table(second)
    gap: list[Any] = [None] * chance.choice((1, 1, 2))
    width = len(left[0])
    grid = []
    for at in range(max(len(left), len(right))):
        row = left[at] if at < len(left) else [None] * width
        grid.append([*row, *gap, *(right[at] if at < len(right) else [])])
    asked = [*questions(first, chance, 4), *questions(second, chance, 4)]
    return Sheet("side by side", chance.choice(("xlsx", "csv", "ods")), grid, asked)


def totals(chance: Random) -> Sheet:
    truth = _records(chance)
    grid = _table(truth)
    last: list[Any] = [None] * len(truth.columns)
    last[chance.choice((truth.key, truth.key, truth.group))] = chance.choice(TOTALS)
    last[truth.measure] = round(sum(row[truth.measure] for row in truth.rows), 2)
    if chance.random() < 0.3:
        grid.append([])
    grid.append(last)
    if chance.random() < 0.3:
        mean: list[Any] = [None] * len(truth.columns)
        mean[truth.key] = chance.choice(("Average", "Mean", "Durchschnitt", "Moyenne"))
        mean[truth.measure] = round(sum(row[truth.measure] for row in truth.rows) / len(truth.rows), 2)
        grid.append(mean)
    return Sheet("totals", chance.choice(("xlsx", "csv", "ods")), grid, questions(truth, chance))


def subtotals(chance: Random) -> Sheet:
    truth = _by_group(_records(chance))
    grid: list[list[Any]] = [list(truth.columns)]
    for group in dict.fromkeys(row[truth.group] for row in truth.rows):
        of = [row for row in truth.rows if row[truth.group] == group]
        grid += [list(row) for row in of]
        line: list[Any] = [None] * len(truth.columns)
        line[truth.key] = chance.choice(("Subtotal", f"Subtotal {group}", f"{group} total"))
        line[truth.measure] = round(sum(row[truth.measure] for row in of), 2)
        grid.append(line)
    last: list[Any] = [None] * len(truth.columns)
    last[truth.key] = chance.choice(TOTALS)
    last[truth.measure] = round(sum(row[truth.measure] for row in truth.rows), 2)
    grid.append(last)
    return Sheet("subtotals", chance.choice(("xlsx", "csv", "ods")), grid, questions(truth, chance))


def ranges(chance: Random) -> Sheet:
    """One or two cells, or all, hold a range: sums and comparisons over them have no answer."""
    truth = _records(chance, chance.randrange(6, 11))
    grid = _table(truth)
    every = chance.random() < 0.4
    hit = range(1, len(grid)) if every else chance.sample(range(1, len(grid)), chance.choice((1, 1, 2)))
    for at in hit:
        low = chance.randrange(2, 60)
        dash = chance.choice(("-", "–", " - ", " to "))
        grid[at][truth.measure] = f"{low}{dash}{low + chance.randrange(1, 30)}"
    kinds = {"count", "list", "count of", "which"}
    asked = [question for question in questions(truth, chance, 99) if question.kind in kinds]
    wrong = [
        Question("no answer", f"What is the sum of the {truth.columns[truth.measure].lower()}?", "none"),
        Question("no answer", f"What is the average {truth.columns[truth.measure].lower()}?", "none"),
        Question("no answer", f"How many {truth.columns[truth.measure].lower()}?", "none"),
    ]
    return Sheet("ranges", chance.choice(("xlsx", "csv", "ods")), grid, [*chance.sample(asked, 3), *wrong])


def titled(chance: Random) -> Sheet:
    """Title rows, perhaps merged over the width, a date of the report, an empty row; notes below."""
    truth = _records(chance)
    width = len(truth.columns)
    grid: list[list[Any]] = [[f"Register of the {truth.things}"]]
    if chance.random() < 0.5:
        grid.append(["As of 31 December 2023"])
    if chance.random() < 0.6:
        grid.append([])
    top = len(grid)
    grid += _table(truth)
    if chance.random() < 0.4:
        grid += [[], ["All figures as reported by the harbour office, without any warranty."]]
    form = chance.choice(("xlsx", "csv", "ods"))
    sheet = Sheet("titled", form, grid, questions(truth, chance), bold={0, top})
    if chance.random() < 0.5 and form != "csv":
        sheet.merged.append((0, 0, 0, width - 1))
    return sheet


def units(chance: Random) -> Sheet:
    """Units behind the names, or in a row below them."""
    truth = _records(chance)
    grid = _table(truth)
    unit = chance.choice(("kg", "EUR", "m", "t", "days"))
    if chance.random() < 0.5:
        grid[0][truth.measure] = (
            f"{truth.columns[truth.measure]} {chance.choice(('({})', '[{}]', 'in {}')).format(unit)}"
        )
    else:
        line: list[Any] = [None] * len(truth.columns)
        line[truth.measure] = chance.choice(("{}", "({})", "[{}]")).format(unit)
        grid.insert(1, line)
    return Sheet("units", chance.choice(("xlsx", "csv", "ods")), grid, questions(truth, chance))


def mixed(chance: Random) -> Sheet:
    """A column of figures with words among them: those for nothing, and those that hide a figure."""
    truth = _records(chance, chance.randrange(7, 11))
    grid = _table(truth)
    at = chance.randrange(1, len(grid))
    nothing = chance.random() < 0.5
    grid[at][truth.measure] = (
        chance.choice(("n/a", "-", "--", "unknown"))
        if nothing
        else chance.choice(("about 40", "40 (estimated)", "ca. 12", "> 7"))
    )
    rest = [row for n, row in enumerate(truth.rows, 1) if n != at]
    values = [row[truth.measure] for row in rest]
    name = truth.columns[truth.measure].lower()
    asked = [
        Question("sum", f"What is the sum of the {name}?", float(sum(values)) if nothing else "none"),
        Question("mean", f"What is the average {name}?", sum(values) / len(values) if nothing else "none"),
    ]
    kinds = {"count", "list", "count of", "which"}
    asked += [question for question in questions(truth, chance, 99) if question.kind in kinds][:4]
    return Sheet("mixed", chance.choice(("xlsx", "csv", "ods")), grid, asked)


def gaps(chance: Random) -> Sheet:
    """Empty rows within one table."""
    truth = _by_group(_records(chance))
    grid: list[list[Any]] = [list(truth.columns)]
    before = None
    for row in truth.rows:
        if before is not None and row[truth.group] != before and chance.random() < 0.7:
            grid.append([])
        before = row[truth.group]
        grid.append(list(row))
    return Sheet("gaps", chance.choice(("xlsx", "csv", "ods")), grid, questions(truth, chance))


def headed_groups(chance: Random) -> Sheet:
    """The name of each group in a row of its own above its records."""
    truth = _by_group(_records(chance))
    others = [at for at in range(len(truth.columns)) if at != truth.group]
    grid: list[list[Any]] = [[truth.columns[at] for at in others]]
    for group in dict.fromkeys(row[truth.group] for row in truth.rows):
        if chance.random() < 0.3:
            grid.append([])
        grid.append([group])
        grid += [[row[at] for at in others] for row in truth.rows if row[truth.group] == group]
    kinds = {"count", "sum", "mean", "list", "highest", "lowest"}
    asked = [question for question in questions(truth, chance, 99) if question.kind in kinds]
    return Sheet("headed groups", chance.choice(("xlsx", "csv", "ods")), grid, asked)


def form(chance: Random) -> Sheet:
    """Labels and their values, no records at all."""
    names = chance.sample([f"{first} {last}" for first in FIRST for last in LAST], 4)
    fields = [
        ("Tenant", names[0]), ("Landlord", names[1]), ("Rent", chance.randrange(400, 2000)),
        ("Town", chance.choice(TOWNS)), ("Begin", f"{chance.randrange(1, 28)} May 20{chance.randrange(10, 24)}"),
        ("Agent", names[2]), ("Signature", None), ("Witness", names[3]), ("Place", None),
    ]  # fmt: skip
    chosen = [fields[0], *chance.sample(fields[1:], chance.randrange(4, 8))]
    if chance.random() < 0.3 and len(chosen) % 2 == 0:
        grid = [[*chosen[at], *chosen[at + 1]] for at in range(0, len(chosen), 2)]
        grid = [[f"{cell}:" if n % 2 == 0 else cell for n, cell in enumerate(row)] for row in grid]
    else:
        grid = [list(pair) for pair in chosen]
    asked = [
        Question("look-up", f"What is the {name.lower()}?", str(value)) for name, value in chosen if value
    ]
    asked += [Question("no answer", f"How many {name.lower()}s are there?", "none") for name, _ in chosen[:2]]
    return Sheet("form", chance.choice(("xlsx", "csv", "ods")), grid, asked)


def displayed(chance: Random) -> Sheet:
    """Figures that are displayed otherwise than they are stored."""
    truth = _records(chance)
    rows = tuple(
        (*row[: truth.measure], round(chance.uniform(10, 5000), 4), *row[truth.measure + 1 :])
        for row in truth.rows
    )
    truth = Truth(truth.thing, truth.things, truth.columns, rows, truth.key, truth.group, truth.measure)
    code = chance.choice(('"€"#,##0.00', "#,##0", "0.0", "#,##0.00 [$EUR]", "0.00E+00", '0.0 "kg"'))
    formats = {(at, truth.measure): code for at in range(1, len(rows) + 1)}
    kinds = {"count", "list", "highest", "lowest", "count of", "which"}
    asked = [question for question in questions(truth, chance, 99) if question.kind in kinds][:4]
    total = sum(row[truth.measure] for row in rows)
    decimals = {"0.0": 1, '0.0 "kg"': 1}.get(code, 2)
    name = truth.columns[truth.measure].lower()
    asked.append(Question("sum", f"What is the sum of the {name}?", round(total, decimals)))
    return Sheet("displayed", "xlsx", _table(truth), asked, formats=formats)


SHAPES: Sequence[Callable[[Random], Sheet]] = (
    plain, merged, merged_figures, stacked, side_by_side, totals, subtotals, ranges, titled, units, mixed, gaps,
    headed_groups, form, displayed,
)  # fmt: skip


# Written when the code was done, and looked at once before anything was mended after them.


def transposed(chance: Random) -> Sheet:
    """Records in columns, the names of their fields in the first."""
    truth = _records(chance, chance.randrange(3, 7))
    grid = [list(line) for line in zip(*_table(truth), strict=True)]
    return Sheet("transposed", chance.choice(("xlsx", "csv", "ods")), grid, questions(truth, chance))


def blocks(chance: Random) -> Sheet:
    """One table in two blocks, each below its own title and header: what is asked is meant of both."""
    truth = _records(chance, chance.randrange(6, 11))
    rows, half = _table(truth), len(truth.rows) // 2 + chance.choice((0, 1))
    grid = [
        ["First half of the year"],
        *rows[: half + 1],
        [],
        ["Second half of the year"],
        rows[0],
        *rows[half + 1 :],
    ]
    return Sheet("blocks", chance.choice(("xlsx", "csv", "ods")), grid, questions(truth, chance))


def totals_in_stack(chance: Random) -> Sheet:
    """Three tables one below the other, two with a row of totals, a note between."""
    first, second = _two(chance)
    grid: list[list[Any]] = []
    asked: list[Question] = []
    for truth in (first, second):
        last: list[Any] = [None] * len(truth.columns)
        last[0], last[truth.measure] = (
            chance.choice(TOTALS),
            round(sum(r[truth.measure] for r in truth.rows), 2),
        )
        grid += [*_table(truth), last, []]
        asked += questions(truth, chance, 4)
    grid += [["Checked by the clerk of the harbour on the last day of the month."], []]
    grid += [["Lamp", "State"], ["L1", "lit"], ["L2", "dark"], ["L3", "lit"]]
    asked.append(Question("count", "How many lamps are there?", 3.0))
    asked.append(Question("look-up", "What is the state of L2?", "dark"))
    return Sheet("totals in a stack", chance.choice(("xlsx", "csv", "ods")), grid, asked)


def two_headers(chance: Random) -> Sheet:
    """Names of groups, merged over the names of their columns."""
    truth = _records(chance)
    years = (2022, 2023)
    figures = [[chance.randrange(10, 900) for _ in range(4)] for _ in truth.rows]
    grid = [
        [truth.columns[0], str(years[0]), None, str(years[1]), None],
        [None, "in", "out", "in", "out"],
        *([row[0], *line] for row, line in zip(truth.rows, figures, strict=True)),
    ]
    at = chance.randrange(len(truth.rows))
    asked = [
        Question("count", f"How many {truth.things} are there?", float(len(truth.rows))),
        Question("look-up", f"What is the {years[1]} in of {truth.rows[at][0]}?", float(figures[at][2])),
        Question("sum", f"What is the sum of {years[0]} out?", float(sum(line[1] for line in figures))),
        Question("no answer", "What is the sum of out?", "none"),
    ]
    sheet = Sheet("two headers", chance.choice(("xlsx", "ods")), grid, asked)
    sheet.merged += [(0, 0, 1, 0), (0, 1, 0, 2), (0, 3, 0, 4)]
    return sheet


def numbered(chance: Random) -> Sheet:
    """Running numbers first; a total below, its label among the numbers."""
    truth = _records(chance)
    grid: list[list[Any]] = [["No", *truth.columns], *([n, *row] for n, row in enumerate(truth.rows, 1))]
    last: list[Any] = [None] * len(grid[0])
    last[0], last[truth.measure + 1] = (
        chance.choice(TOTALS),
        round(sum(r[truth.measure] for r in truth.rows), 2),
    )
    if chance.random() < 0.7:
        grid.append(last)
    return Sheet("numbered", chance.choice(("xlsx", "csv", "ods")), grid, questions(truth, chance))


def signed(chance: Random) -> Sheet:
    """A form above a table, and names to sign below it."""
    truth = _records(chance)
    grid: list[list[Any]] = [
        ["Report:", "Quarter 3"], ["Prepared by:", f"{chance.choice(FIRST)} {chance.choice(LAST)}"],
        ["Date:", "4 October 2023"], [], *_table(truth), [],
        ["Signed", f"{chance.choice(FIRST)} {chance.choice(LAST)}"], ["Place", chance.choice(TOWNS)],
    ]  # fmt: skip
    return Sheet("signed", chance.choice(("xlsx", "csv", "ods")), grid, questions(truth, chance))


HELD_OUT: Sequence[Callable[[Random], Sheet]] = (
    transposed, blocks, totals_in_stack, two_headers, numbered, signed,
)  # fmt: skip


def sheets(seed: int, count: int, shapes: Sequence[Callable[[Random], Sheet]] = SHAPES) -> Iterator[Sheet]:
    chance = Random(seed)
    for at in range(count):
        yield shapes[at % len(shapes)](chance)
