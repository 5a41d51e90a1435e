"""Questions about the cells of a table whose rows are written as "Column: value; Column: value"."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from core.research.reader_data.making import Question

_NUMBER = re.compile(r"[-+]?[\d.,]+%?")
_EMPTY = {"", "NA", "N/A", "null", "-", "x"}


@dataclass(frozen=True)
class Table:
    title: str
    columns: list[str]
    rows: list[list[str]]


@dataclass(frozen=True)
class _Cell:
    value: str
    start: int


def table_questions(table: Table, seed: int) -> Iterator[Question]:
    """Up to four questions of each passage of 4 to 9 rows; tables without a column of names give none."""
    chance = random.Random(f"{seed} {table.title}")
    key = _key(table)
    if key is None:
        return
    others = [
        n
        for n, name in enumerate(table.columns)
        if n != key and len(name) > 2 and len(set(_column(table, n))) > 1
    ]
    if not others:
        return
    at = 0
    while at < len(table.rows):
        size = chance.randint(4, 9)
        rows, at = table.rows[at : at + size], at + size
        columns = sorted(chance.sample(others, min(len(others), chance.randint(3, 6))))
        text, cells = _written(table, rows, [key, *columns])
        if len(rows) > 2:
            yield from _of_rows(table, text, cells, key, columns, chance)


def _column(table: Table, number: int) -> list[str]:
    return [row[number].strip() for row in table.rows if row[number].strip() not in _EMPTY]


def _key(table: Table) -> int | None:
    """The first column of words that are nearly all different and named by letters."""
    for number, name in enumerate(table.columns):
        values = _column(table, number)
        words = [v for v in values if len(v) > 3 and v[0].isalpha() and not _NUMBER.fullmatch(v)]
        if name and values and len(words) > 0.8 * len(table.rows) and len(set(values)) > 0.9 * len(values):
            return number
    return None


def _written(table: Table, rows: list[list[str]], columns: list[int]) -> tuple[str, list[dict[int, _Cell]]]:
    text, cells = "", []
    for row in rows:
        text += "\n" if text else ""
        row_cells: dict[int, _Cell] = {}
        for number in columns:
            value = row[number].strip()
            if value in _EMPTY or len(value) > 60:
                continue
            text += ("; " if row_cells else "") + f"{table.columns[number]}: "
            row_cells[number] = _Cell(value, len(text))
            text += value
        cells.append(row_cells)
    return text, cells


def _of_rows(
    table: Table,
    text: str,
    cells: list[dict[int, _Cell]],
    key: int,
    columns: list[int],
    chance: random.Random,
) -> Iterator[Question]:
    source, noun = "made-table", table.columns[key].lower()
    full = [row for row in cells if key in row and len(row) > 2]
    if len(full) < 3:
        return

    def question(words: str, answers: tuple[tuple[str, int], ...], kind: str, form: str) -> Question:
        if chance.random() < 0.15:
            words = words.lower().rstrip("?")
        return Question(words, table.title, text, answers, kind, source, form)

    first, second, third = chance.sample(full, 3)
    column = chance.choice([n for n in columns if n in first] or [key])
    if column != key:
        yield question(_value(table.columns[column], first[key].value, first[column].value, chance), _at(first[column]),
                       "span", "cell")  # fmt: skip
    column = chance.choice([n for n in columns if n in second] or [key])
    same = [
        row for row in cells if column in row and row[column].value == second[column].value and key in row
    ]
    if column != key and len(same) == 1:
        words = chance.choice(("Which {} has {} {}?", "Which {} has a {} of {}?", "What {} has {} {}?"))
        words = words.format(
            "one" if noun == "name" else noun, _spoken(table.columns[column]), second[column].value
        )
        yield question(words, _at(second[key]), "span", "key")
    column = chance.choice([n for n in columns if n in third] or [key])
    values = [row[column].value for row in cells if column in row]
    wrong = [v for v in values if v != third[column].value]
    if column != key and wrong and chance.random() < 0.5:
        true = chance.random() < 0.5
        claimed_value = third[column].value if true else chance.choice(wrong)
        words = f"Is the {_spoken(table.columns[column])} of {third[key].value} {claimed_value}?"
        yield question(words, _row(text, third[key]), "yes" if true else "no", "polar")
    if chance.random() < 0.6:
        yield from _untold(table, key, columns, full, text, chance, question)


def _untold(
    table: Table,
    key: int,
    columns: list[int],
    full: list[dict[int, _Cell]],
    text: str,
    chance: random.Random,
    question: Callable[[str, tuple[tuple[str, int], ...], str, str], Question],
) -> Iterator[Question]:
    missing = [row[key].strip() for row in table.rows if row[key].strip() not in _EMPTY]
    missing = [name for name in missing if name.lower() not in text.lower()]
    absent = [
        n for n in range(len(table.columns)) if n not in columns and n != key and len(table.columns[n]) > 2
    ]
    if absent and chance.random() < 0.5:
        name = chance.choice(full)[key].value
        yield question(
            f"What is the {_spoken(table.columns[chance.choice(absent)])} of {name}?", (), "none", "no column"
        )
    elif missing:
        column = _spoken(table.columns[chance.choice(columns)])
        yield question(f"What is the {column} of {chance.choice(missing)}?", (), "none", "no row")


def _value(column: str, name: str, value: str, chance: random.Random) -> str:
    spoken = _spoken(column)
    many = _NUMBER.fullmatch(value) and spoken.endswith("s") and not spoken.endswith("ss")
    frames = [
        "What is the {c} of {n}?",
        "What {c} does {n} have?",
        "What is the {c} for {n}?",
        "What is {n}'s {c}?",
    ]
    return chance.choice(["How many {c} does {n} have?"] if many else frames).format(c=spoken, n=name)


def _spoken(column: str) -> str:
    """A column's name as it is said: "IncomePerHead" -> "income per head"."""
    parts = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", " ", column).split()
    return " ".join(p if p.isupper() else p.lower() for p in parts)


def _at(cell: _Cell) -> tuple[tuple[str, int], ...]:
    return ((cell.value, cell.start),)


def _row(text: str, cell: _Cell) -> tuple[tuple[str, int], ...]:
    start = text.rfind("\n", 0, cell.start) + 1
    end = text.find("\n", cell.start)
    return ((text[start : end if end >= 0 else len(text)], start),)
