"""Generated look-ups, counts and sums over the tables of a folder, with answers computed from the raw rows."""

from __future__ import annotations

import csv
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.answering.models import Models
from core.errors import BadInput
from core.research.benches.harness import Arguments, Figure, Figures
from core.research.datasets import Dataset, open_cached
from core.text.cell_values import number_of

SHARES = {"look-ups": 80, "counts": 70, "sums": 50}
SEED = 11
NAMED = 0.3  # share of questions that name their register
HURRIED = 0.33  # share in lower case and without their last mark
LEAST_ROWS = 8
LONGEST = 60  # longest value that somebody would type
LOOK_UPS = (
    "What is the {column} of {key}?",
    "Which {column} does {key} have?",
    "{column} of {key}",
    "Tell me the {column} for {key}.",
    "What's {key}'s {column}?",
    "For {key}, what is the {column}?",
)
COUNTS = (
    "How many rows have the {column} {value}?",
    "In how many rows is the {column} {value}?",
    "How many entries are there whose {column} is {value}?",
    "Number of records with {column} {value}",
    "How many have {value} as {column}?",
    "Count the rows where {column} = {value}.",
)
BOUNDS = (
    "How many rows have a {column} of more than {value}?",
    "How many entries have a {column} below {value}?",
    "How many rows are there with {column} > {value}?",
)
SUMS = (
    "What is the total {measure} of the rows whose {column} is {value}?",
    "Sum of {measure} where {column} is {value}",
    "What is the {measure} of all entries with {column} {value} in total?",
    "Add up the {measure} for {column} {value}.",
    "What does {measure} add up to where {column} is {value}?",
)


@dataclass(frozen=True, slots=True)
class Generated:
    kind: str
    question: str
    expected: str | float
    columns: tuple[str, ...] = ()  # that it names
    value: str = ""


@dataclass(frozen=True, slots=True)
class Register:
    """Rows as a CSV reader returns them; `key` is the first column whose texts are all different."""

    about: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    key: int
    measures: tuple[int, ...]  # columns of numbers


def run(arguments: Arguments) -> Figures:
    """Ask each question of a workspace over the folder. Raises BadInput if there is no table in it."""
    dataset, context = arguments.dataset, arguments.context
    assert dataset is not None
    registers = [found for path in sorted(dataset.rglob("*.csv")) if (found := register_of(path))]
    if not registers:
        raise BadInput(f"No CSV file below {dataset} is a register with a key.", "Name a folder with some.")
    questions = generated(registers, random.Random(SEED))
    workspace, _ = open_cached(Dataset(dataset.name, (), (), "", folder=dataset.resolve()), context, Models())
    right: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    try:
        workspace.load_models(context)
        for number, asked in enumerate(questions, start=1):
            context.report("questions", number, len(questions), asked.question)
            answer = workspace.ask(asked.question, context)
            if answer.abstained:
                continue
            (right if _same(answer.text, asked.expected) else wrong)[asked.kind] += 1
    finally:
        workspace.close()
    asked_of = Counter(question.kind for question in questions)
    figures = {
        f"{kind} exact": Figure(right[kind] / count, f"share of {count}") for kind, count in asked_of.items()
    }
    total = len(questions)
    return {
        "exact": Figure(right.total() / total, f"share of {total}", goal="at least .95"),
        "wrong": Figure(wrong.total() / total, f"share of {total}", goal="none: the rest abstained"),
        **figures,
        "registers": Figure(len(registers), ""),
    }


def register_of(path: Path) -> Register | None:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [tuple(cell.strip() for cell in row) for row in csv.reader(file)]
    except (UnicodeDecodeError, csv.Error, OSError):
        return None
    header, body = (rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]) if rows else ((), [])
    if len(body) < LEAST_ROWS or not all(header) or len(set(header)) < len(header):
        return None
    columns = list(zip(*body, strict=True))
    keys = [
        at
        for at, cells in enumerate(columns)
        if len({cell.casefold() for cell in cells}) == len(body)
        and any(c.isalpha() for c in "".join(cells[:20]))
    ]
    if not keys:
        return None
    measures = tuple(
        at for at, cells in enumerate(columns) if all(_plain_number(c) is not None for c in cells)
    )
    about = path.stem.replace("-", " ").replace("_", " ")
    return Register(about, header, tuple(body), keys[0], measures)


def generated(registers: Sequence[Register], chance: random.Random) -> list[Generated]:
    """Return questions with an answer that no other table gives, or that name their table; a third in hasty
    spelling.
    """
    makers = {"look-ups": _look_up, "counts": _count, "sums": _sum}
    questions: list[Generated] = []
    for kind, count in SHARES.items():
        used: set[str] = set()
        for _ in range(50 * count):
            register = chance.choice(registers)
            asked = next(makers[kind](register, chance), None)
            if asked is None or asked.question in used:
                continue
            used.add(asked.question)
            words = asked.question
            if chance.random() < NAMED or _elsewhere(asked, register, registers):
                words = f"{words.rstrip('?.')} in {register.about}" + words[len(words.rstrip("?.")) :]
            if chance.random() < HURRIED:
                words = words.lower().rstrip("?.")
            questions.append(replace(asked, question=words))
            if len(used) == count:
                break
    return questions


def _elsewhere(asked: Generated, register: Register, registers: Sequence[Register]) -> bool:
    """Return whether another table may have the named columns and the value."""
    return not asked.value or any(
        set(asked.columns) <= {_plain(name) for name in other.columns}
        and any(asked.value.casefold() == cell.casefold() for row in other.rows for cell in row)
        for other in registers
        if other is not register
    )


def _look_up(register: Register, chance: random.Random) -> Iterator[Generated]:
    row = chance.choice(register.rows)
    column = chance.choice([at for at in range(len(register.columns)) if at != register.key])
    key = row[register.key]
    if row[column] and key and len(key) <= LONGEST:
        words = chance.choice(LOOK_UPS).format(column=_name(register, column), key=key)
        yield Generated("look-ups", words, row[column], _names(register, column), key)


def _count(register: Register, chance: random.Random) -> Iterator[Generated]:
    if register.measures and chance.random() < 0.3:
        column = chance.choice(register.measures)
        values = sorted(_plain_number(row[column]) or 0.0 for row in register.rows)
        bound = values[len(values) // 2]
        template = chance.choice(BOUNDS)
        above = "below" not in template
        expected = sum(value > bound if above else value < bound for value in values)
        if expected:
            words = template.format(column=_name(register, column), value=repr(bound).removesuffix(".0"))
            yield Generated("counts", words, float(expected), _names(register, column))
        return
    if (found := _category(register, chance)) is not None:
        column, value, rows = found
        words = chance.choice(COUNTS).format(column=_name(register, column), value=value)
        yield Generated("counts", words, float(len(rows)), _names(register, column), value)


def _sum(register: Register, chance: random.Random) -> Iterator[Generated]:
    found = _category(register, chance)
    if found is not None and register.measures:
        column, value, rows = found
        measure = chance.choice(register.measures)
        if measure != column:
            words = chance.choice(SUMS).format(
                measure=_name(register, measure), column=_name(register, column), value=value
            )
            total = math.fsum(_plain_number(row[measure]) or 0.0 for row in rows)
            yield Generated("sums", words, total, _names(register, column, measure), value)


def _category(register: Register, chance: random.Random) -> tuple[int, str, list[tuple[str, ...]]] | None:
    """Return a column, a value that occurs in it at least twice, and its rows."""
    column = chance.choice([register.key, *(set(range(len(register.columns))) - {*register.measures})])
    counts = Counter(row[column] for row in register.rows)
    often = [value for value, count in counts.items() if count > 1 and value and len(value) <= LONGEST]
    if not often:
        return None
    value = chance.choice(often)
    return column, value, [row for row in register.rows if row[column] == value]


def _names(register: Register, *columns: int) -> tuple[str, ...]:
    return tuple(_plain(register.columns[column]) for column in columns)


def _plain_number(cell: str) -> float | None:
    """Parse a number as Python does: the expected value must not come from the parser that is measured."""
    try:
        found = float(cell)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def _plain(name: str) -> str:
    return name.casefold().replace("_", " ")


def _name(register: Register, column: int) -> str:
    return register.columns[column].replace("_", " ")


def _same(text: str, expected: str | float) -> bool:
    if isinstance(expected, float):
        found = number_of(text)
        return found is not None and math.isclose(found, expected, rel_tol=1e-9, abs_tol=0.005)
    figures = number_of(text), _plain_number(expected)
    return text.strip().casefold() == expected.casefold() or (
        None not in figures and figures[0] == figures[1]
    )
