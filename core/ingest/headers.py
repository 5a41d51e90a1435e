"""Decides what the rows of a grid are: names of columns, labels of a form, captions, or records, by structure alone.

A row is the filled cells alone, column -> text. Nothing here knows a word of any language.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import accumulate, pairwise
from typing import NamedTuple

from core.text.dates import MONTHS

MOST_ADJACENT = 30  # tables beside each other; a grid with more empty columns is one
CAPTIONS = 10  # rows among which the header is
LONGEST_NAME = 120  # characters of a column's name; questions of surveys are long
LONGEST_LABEL = 60  # characters of a form's label
LONGEST_UNIT = 8  # characters of a unit below a column's name
LARGEST_PLAIN_FORM = 12  # rows of a form whose values are all of one kind
_SAMPLE = 20  # rows by which the kind of a column is judged
YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
NUMBER = re.compile(r"[-+(]?[€$£]?\s?\d[\d.,' /:%-]*\)?(?:\s?[€$£%])?")
_AMOUNT = re.compile(
    r"[A-Z]{3} ?\d[\d.,' ]*[.,' ]\d{2,3}|\d[\d.,' ]*[.,' ]\d{2,3} ?[A-Z]{3}"
)  # "SEK 2,400,000"
_DATE = re.compile(r"\d{1,4}([./-])\d{1,2}\1\d{1,4}(?:[T ].*)?|\d{1,2}\.?(?:st|nd|rd|th|er)? ([^\W\d_]{3,})\.? \d{4}.*|"
                   r"([^\W\d_]{3,})\.? \d{1,2},? \d{4}.*|\d{1,2}-([^\W\d_]{3,})-\d{2,4}")  # fmt: skip
_COUNTED = re.compile(r"([^\W\d_].*?)\W*(\d|[A-Z])")
Row = Mapping[int, str]


class Kind(Enum):
    """What a cell looks like."""

    NUMBER = 1
    DATE = 2
    CODE = 3  # with figures or signs in it: "12 kg", "LN-ABA 4", an address of mail
    NAME = 4  # of several words with capitals
    TEXT = 5  # a sentence
    WORD = 6  # any other


MEASURED = frozenset({Kind.NUMBER, Kind.DATE})


class Head(NamedTuple):
    """`first` to `row`: the rows that name columns; `cells`: these rows; `kinds`: of what stands below, by column."""

    row: int
    names: Mapping[int, str]
    first: int
    cells: tuple[Row, ...]
    kinds: Mapping[int, Kind]


def kind_of(cell: str) -> Kind:
    if (found := _DATE.fullmatch(cell)) and (
        (word := found[2] or found[3] or found[4]) is None or word.lower() in MONTHS
    ):
        return Kind.DATE
    if NUMBER.fullmatch(cell) or _AMOUNT.fullmatch(cell):
        return Kind.NUMBER
    if "@" in cell or any(map(str.isdigit, cell)):
        return Kind.CODE
    words = cell.split()
    if len(words) > 6 or (len(words) > 3 and cell.endswith((".", "!", "?"))):
        return Kind.TEXT
    if len(words) > 1 and all(word[:1].isupper() for word in words if len(word) > 3 or word is words[0]):
        return Kind.NAME if any(word[:1].isupper() for word in words[1:]) else Kind.WORD
    return Kind.WORD


def kinds_of(rows: Sequence[Row]) -> dict[int, Kind]:
    """The kind of most cells of each column, by its first rows."""
    found: dict[int, list[Kind]] = {}
    for row in rows[:_SAMPLE]:
        for column, cell in row.items():
            found.setdefault(column, []).append(kind_of(cell))
    return {column: max(kinds, key=kinds.count) for column, kinds in found.items()}


def header_of(first: Sequence[Row], width: int) -> Head | None:
    """The first row that is no caption, where it names the columns; `width` cells at most a row.

    Names that come again are told apart by what stands above or below them: "2020 men", "2021 men".
    """
    for index, row in enumerate(first[:CAPTIONS]):
        below = first[index + 1 :]
        reach = sum(map(across, row.values())) if len(row) > 1 else 1
        if reach < max(1, width - 1, width * 0.6) and not _names_figures(row, below):
            continue
        if not (_all_names(row, below) or (below and marked(row) and not marked(below[0]))):
            return None
        if below and len(row) > 1 and (units := _with_units(row, below)):
            return _head(first, index, index + 1, units)
        if len(set(row.values())) == len(row):
            if len(below) > 1 and len(row) > 1 and (names := _parted(row, below)):
                return _deepest(first, index, names)
            return _head(first, index, index, _over(row))
        if index and (names := _distinguished(first[index - 1], row)):
            return _head(first, index - 1, index, names)
        if below and _all_names(below[0], below[1:]) and (names := _distinguished(row, below[0])):
            return _head(first, index, index + 1, names)
        return None
    return None


def has_own_header(rows: Sequence[Row], above: Head | None) -> bool:
    """Whether these rows begin a table of their own below another one: their names differ in kind from its columns."""
    rows = rows[first_captions(rows) :]
    if not rows or (head := header_of(rows, max(map(len, rows)))) is None or len(rows) == head.row + 1:
        return False
    if above is None or marked(rows[0]) or any(row == rows[0] for row in above.cells):
        return True
    kinds = {column: kind_of(cell) for column, cell in rows[0].items()}
    unlike = [c for c, kind in kinds.items() if kind is not head.kinds.get(c, kind)]
    strong = [c for c in unlike if head.kinds[c] in MEASURED or above.kinds.get(c) in MEASURED]
    fewer = set(rows[0]) != set(above.cells[-1])
    return bool(strong) or fewer or len(unlike) >= max(1, len(kinds) / 2)


def is_evident(rows: Sequence[Row]) -> bool:
    """Whether these rows surely have names: over two cells and more of one kind, which is not that of the name."""
    rows = rows[first_captions(rows) :]
    head = header_of(rows, max(map(len, rows))) if rows else None
    if head is None:
        return False
    below = rows[head.row + 1 :]
    for column, name in rows[head.row].items():
        kinds = [kind_of(row[column]) for row in below if column in row]
        if len(kinds) > 1 and len(set(kinds)) == 1 and kinds[0] is not kind_of(name):
            return True
    return False


def continues(rows: Sequence[Row], above: Head) -> bool:
    """Whether rows below an empty one are records of the table above: of its columns, and of the kinds of these."""
    alike = False
    for row in rows:
        if not set(row) <= set(above.kinds):
            return False
        if len(row) == 1:
            continue  # the heading of a group
        measured = [column for column in sorted(row)[1:] if above.kinds[column] in MEASURED]
        fits = [kind_of(row[column]) in {above.kinds[column], Kind.CODE} for column in measured]
        if not all(fits) and not any(fits) and not alike:
            return False  # names, it may be; once figures stand in their columns "unknown" is another value
        alike = True
    return any(len(row) > 1 for row in rows) or len(above.kinds) < 3


def first_captions(rows: Sequence[Row]) -> int:
    """How many rows of one cell come first, which name no column."""
    return next(
        (at for at, row in enumerate(rows) if len(row) > 1 or _names_figures(row, rows[at + 1 :])), len(rows)
    )


def _names_figures(row: Row, below: Sequence[Row]) -> bool:
    """Whether a heading stands alone above the figures of a second column, as over the one series of a chart."""
    if len(row) != 1 or not below or not marked(row) or marked(below[0]):
        return False
    (column,) = row
    columns = {each for cells in below[:_SAMPLE] for each in cells}
    return (
        len(columns) == 2
        and column == max(columns)
        and {kind_of(cells[column]) for cells in below[:_SAMPLE] if column in cells} <= MEASURED
    )


def marked(row: Row) -> bool:
    """Whether the format marks all cells as headings."""
    return all(getattr(cell, "heading", False) for cell in row.values())


def side_by_side(rows: Sequence[tuple[int, Row]]) -> list[int]:
    """The columns in which tables begin that stand side by side, an empty column between them.

    An empty column within one table parts none: its rows are filled on both sides.
    """
    columns = sorted({column for _, row in rows for column in row})
    begins = columns[:1] + [right for left, right in pairwise(columns) if right > left + 1]
    if len(begins) < 2 or len(begins) > MOST_ADJACENT:
        return begins[:1]
    starts = begins[:1]
    for at, begin in enumerate(begins[1:], 1):
        end = begins[at + 1] if at + 1 < len(begins) else columns[-1] + 1
        left, right = (list(_within(rows, *bounds)) for bounds in ((starts[-1], begin), (begin, end)))
        if _apart(left, right):
            starts.append(begin)
    return starts


def _within(rows: Iterable[tuple[int, Row]], first: int, end: int) -> Iterator[tuple[int, Row]]:
    for index, row in rows:
        if part := {column: cell for column, cell in row.items() if first <= column < end}:
            yield index, part


def _apart(left: Sequence[tuple[int, Row]], right: Sequence[tuple[int, Row]]) -> bool:
    """Whether two blocks are tables of their own: each is one, and they end or begin apart, or repeat their names."""
    heads = []
    for block in (left, right):
        rows = [row for _, row in block]
        rows = rows[first_captions(rows) :] or rows
        width = max(map(len, rows))
        if len(rows) < (2 if width > 1 else 3):
            return False
        head = header_of(rows[:CAPTIONS], width)
        if head is None and form_labels(rows) is None:
            return False
        heads.append({name.casefold() for name in head.names.values()} if head else set())
    ragged = left[0][0] != right[0][0] or left[-1][0] != right[-1][0]
    captions = [sum(len(row) == 1 for _, row in block[:1]) for block in (left, right)]
    return ragged or bool(heads[0] & heads[1]) or all(captions)


def form_labels(rows: Sequence[Row]) -> frozenset[int] | None:
    """The columns of labels, where each row is a label and its value, once or more; None for any other grid."""
    columns = sorted({column for row in rows for column in row})
    if len(columns) < 2 or not any(len(row) > 1 for row in rows):
        return None
    if any(
        _are_numbered(one, other) for one, other in pairwise(rows[0][column] for column in sorted(rows[0]))
    ):
        return None  # "Tenant 1, Tenant 2" beside each other name columns
    paired = frozenset(columns[::2])
    if len(columns) % 2 == 0 and _is_form(rows, paired):
        return paired
    # What the pairs below are about stands above them: "Animal, Owner".
    if len(columns) == 4 and len(rows) > 3 and set(rows[0]) == paired and all(len(row) > 1 for row in rows):
        halves = [
            [{c: row[c] for c in half if c in row} for row in rows[1:]] for half in (columns[:2], columns[2:])
        ]
        labels = [[row[half[0]] for row in rows[1:] if half[0] in row] for half in (columns[:2], columns[2:])]
        plain = all(len(set(own)) == len(own) and not MEASURED & set(map(kind_of, own)) for own in labels)
        if plain and any(_is_form([row for row in half if row], paired) for half in halves):
            return paired
    alone = frozenset(columns[:1])
    # One value a row, wherever it stands: a cell that is merged over several columns.
    if len(columns) > 2 and all(len(row) <= 2 for row in rows) and _is_form(rows, alone):
        return alone
    return None


def _is_form(rows: Sequence[Row], labels: frozenset[int]) -> bool:
    written = [cell for row in rows for column, cell in row.items() if column in labels]
    values = [[cell for column, cell in row.items() if column not in labels] for row in rows]
    # The same labels may stand beside each other, or in parts below each other: "Port" of "Sender" and "Receiver".
    parts = accumulate(len(row) == 1 for row in rows)
    names = [
        (part, column, cell.rstrip(": ").casefold())
        for part, row in zip(parts, rows, strict=True)
        for column, cell in row.items()
        if column in labels
    ]
    first = [name for _, _, name in names[: len(labels & set(rows[0]))]]
    if len(set(names)) < len(names) or len(set(first)) < len(first) or max(map(len, written)) > LONGEST_LABEL:
        return False
    if any(min(row) not in labels for row in rows) or not any(values):
        return False
    flat = [cell for cells in values for cell in cells]
    if marked(rows[0]) and not all(map(marked, rows)):
        return False
    if all(getattr(label, "heading", False) for label in written):
        return not any(getattr(cell, "heading", False) for cell in flat)
    if sum(label.endswith(":") for label in written) >= 2 / 3 * len(written):
        return sum(cell.endswith(":") for cell in flat) < 1 / 3 * len(flat)
    if len(rows) < 2 or not values[0] or any(kind_of(label) in MEASURED for label in written):
        return False
    if _are_numbered(written[0], rows[1].get(min(labels), "")):
        return True
    return _reads_as_form(rows, written, values, labels)


def _reads_as_form(
    rows: Sequence[Row], written: Sequence[str], values: Sequence[Sequence[str]], labels: frozenset[int]
) -> bool:
    """By the kinds of the cells, where nothing marks the labels."""
    first = [kind_of(cell) for cell in values[0]]
    below = Counter(kind_of(cell) for cells in values[1:] for cell in cells if any(map(str.isalnum, cell)))
    if len(labels) > 1:
        if all(len({row.get(column, "") for column in labels}) == 1 for row in rows[1:]):
            return True
        columns = {column for row in rows for column in row if column not in labels}
        unlike = any(len({kind_of(row[c]) for row in rows if c in row}) > 1 for c in columns)
        names_none = bool({Kind.CODE, Kind.TEXT, *MEASURED} & set(first))
        if Kind.NAME in first and len(rows) > 2 and all(_is_mixed(rows, column) for column in columns):
            return True
        return names_none and below.total() > 0 and (unlike or len(rows) < 3)
    if not below:
        return first != [Kind.WORD] or len(rows) > 2
    (usual, often), total = below.most_common(1)[0], below + Counter(first)
    if often >= 0.75 * below.total() and usual in MEASURED and usual not in first:
        return False  # a column of figures under its name
    mixed = often < 0.75 * below.total()
    wholly = all(kind_of(label) is Kind.WORD for label in written)
    if Kind.WORD not in first and not all(YEAR.fullmatch(cell) for cell in values[0]):
        if Kind.NAME not in first:
            return True  # a figure or a sentence names no column
        unlike = total.most_common(1)[0][1] < 0.7 * total.total()
        sparse = below.total() < 0.5 * (len(rows) - 1)
        distinct = len({cell.casefold() for cells in values for cell in cells}) == total.total()
        small = len(rows) <= LARGEST_PLAIN_FORM and wholly and distinct and usual is Kind.NAME
        return mixed or unlike or sparse or small
    if mixed and (len(below) > 2 or {Kind.DATE, Kind.NAME} <= set(below)):
        return True
    # A row of names is written alike; labels in small letters before values with capitals are none.
    flat = [cell for cells in values for cell in cells]
    return all(label[:1].islower() for label in written) and all(cell[:1].isupper() for cell in flat)


def _are_numbered(one: str, other: str) -> bool:
    """Whether two labels are one with the next number: "Tenant 1" and "Tenant 2", "Witness A" and "Witness B"."""
    first, second = (_COUNTED.fullmatch(label.rstrip(": ")) for label in (one, other))
    if first is None or second is None or first[1].casefold() != second[1].casefold():
        return False
    return int(second[2], 36) == int(first[2], 36) + 1


def _is_mixed(rows: Sequence[Row], column: int) -> bool:
    """Whether figures and words stand in a column, neither most of the time, as in no column of records."""
    kinds = Counter(kind_of(row[column]) for row in rows if column in row)
    measured = sum(count for kind, count in kinds.items() if kind in MEASURED)
    return 0 < measured < kinds.total() and max(kinds.values()) <= 0.6 * kinds.total()


def heads_a_sheet(rows: Sequence[Row]) -> bool:
    """Whether two rows are labels with a name and a figure, as stand above a table: who drew it up, and when."""
    if len(rows) != 2 or any(len(row) != 2 or set(row) != set(rows[0]) for row in rows):
        return False
    (label, name), (other, figure) = (list(row.values()) for row in rows)
    kinds = [kind_of(cell) for cell in (label, other, name, figure)]
    return kinds[:3] == [Kind.WORD, Kind.WORD, Kind.NAME] and kinds[3] in MEASURED


def is_stacked_form(rows: Sequence[Row]) -> bool:
    """Whether rows of labels and of their values alternate: "Sender, Carrier" over "Ada Moe, Rask & Co", and so on."""
    if len(rows) < 4 or len(rows) % 2:
        return False
    labels, values = rows[::2], rows[1::2]
    if any(not set(below) <= set(above) for above, below in zip(labels, values, strict=True)):
        return False
    if all(map(marked, labels)) and not any(map(marked, values)):
        return True
    written = [label.rstrip(": ").casefold() for row in labels for label in row.values()]
    if len(set(written)) < len(written) or any(len(label) > LONGEST_LABEL for label in written):
        return False
    if any(kind_of(label) is not Kind.WORD for row in labels for label in row.values()):
        return False
    kinds = [{column: kind_of(cell) for column, cell in row.items()} for row in values]
    columns = {column for row in kinds for column in row}
    unlike = all(
        len({row[c] for row in kinds if c in row}) > 1 for c in columns if sum(c in row for row in kinds) > 1
    )
    telling = (2 * sum(kind is not Kind.WORD for kind in row.values()) > len(row) for row in kinds)
    figures = any(kind in MEASURED or kind is Kind.CODE for row in kinds for kind in row.values())
    return unlike and figures and all(telling)


def _head(rows: Sequence[Row], first: int, last: int, names: Row) -> Head:
    kinds = {**dict.fromkeys(names, Kind.WORD), **kinds_of(rows[last + 1 :])}
    return Head(last, names, first, tuple(rows[first : last + 1]), kinds)


def _recurs(row: Row, below: Sequence[Row]) -> bool:
    """Whether what a row holds is among the values below it, as no name of a column is."""
    values = {cell for other in below for cell in other.values()}
    return any(cell in values for cell in row.values())


def _deepest(rows: Sequence[Row], first: int, names: Row) -> Head:
    """Names over two rows, or over three where two leave columns with the same name."""
    last = first + 1
    if (
        len(set(names.values())) < len(names)
        and len(rows) > last + 2
        and _all_names(rows[last + 1], rows[last + 2 :])
        and not _recurs(rows[last + 1], rows[last + 2 :])
    ):
        deeper = {
            c: " ".join(dict.fromkeys(filter(None, (name, rows[last + 1].get(c)))))
            for c, name in names.items()
        }
        if len(set(deeper.values())) == len(deeper):
            return _head(rows, first, last + 1, deeper)
    return _head(rows, first, last, names)


def _with_units(row: Row, below: Sequence[Row]) -> dict[int, str] | None:
    """Names with the units that stand in the row below them: "Weight (kg)"."""
    units, kinds = below[0], kinds_of(below[1:])
    if len(below) < 3 or len(set(row.values())) < len(row) or not set(units) <= set(row):
        return None
    if not all(
        kinds.get(column) is Kind.NUMBER and len(cell) <= LONGEST_UNIT and kind_of(cell) is Kind.WORD
        for column, cell in units.items()
    ):
        return None
    named = {column: f"({cell.strip('()[] ')})" for column, cell in units.items()}
    return {column: f"{name} {named[column]}" if column in named else name for column, name in row.items()}


def _parted(row: Row, below: Sequence[Row]) -> dict[int, str] | None:
    """Names of groups over names of their columns, where a group's name stands over the first of them alone."""
    names = below[0]
    kinds = kinds_of(below[1:])
    again = {column for column, name in names.items() if getattr(name, "again", False)}
    if not all(names[column] == row.get(column) for column in again) or not _all_names(names, below[1:]):
        return None
    unlike = [c for c in names if kinds.get(c) in MEASURED and kind_of(names[c]) not in MEASURED]
    groups, columns = _over(row), _over(names)
    if len(groups) > len(row):  # merged cells tell what belongs to what
        unnamed = set(kinds) - {*groups, *columns}
        if unlike or again or min(kinds, default=0) in unnamed or (marked(names) and not marked(below[1])):
            return {
                column: " ".join(dict.fromkeys(filter(None, (groups.get(column), columns.get(column)))))
                for column in sorted({*groups, *columns})
            }
        return None
    missing = set(kinds) - set(row)
    if not missing or not missing <= set(names):
        return None
    return _distinguished(row, names) if unlike and len(unlike) >= len(missing) else None


def across(cell: str) -> int:
    """How many columns a cell covers."""
    return getattr(cell, "across", 1)


def _over(row: Row) -> dict[int, str]:
    """Cells in each of the columns that they cover; one alone is no name of several."""
    names: dict[int, str] = {}
    for column, cell in row.items():
        for place in range(column, column + (across(cell) if len(row) > 1 else 1)):
            if place == column or place not in row:
                names[place] = cell
    return names


def _distinguished(above: Row, row: Row) -> dict[int, str] | None:
    """Names of groups before the names below them; a group reaches to where the next begins, or as it is merged."""
    groups = _over(above)
    if len(groups) > len(above):
        above = {**dict.fromkeys(range(max((*groups, *row)) + 1), ""), **groups}
    names: dict[int, str] = {}
    group = ""
    for column in range(max((*above, *row)) + 1):
        group = above.get(column, group)
        words = dict.fromkeys(filter(None, (group, row.get(column, ""))))
        if column in row or column in above:
            names[column] = " ".join(words)
    return names if len(set(names.values())) == len(names) else None


def _all_names(row: Row, below: Sequence[Row]) -> bool:
    """Whether all cells may name columns: words, years above what are no years, numbers that count the columns."""
    numbers = {column: cell for column, cell in row.items() if NUMBER.fullmatch(cell)}
    if len(numbers) == len(row) and not _are_years(row, below):
        return False
    if any(len(cell) > LONGEST_NAME for cell in row.values()):
        return False
    kinds = {c: kind_of(cell) for c, cell in row.items()}
    if Kind.DATE in kinds.values():  # days may name columns, over what are none
        below_kinds = kinds_of(below)
        if any(kind is Kind.DATE is below_kinds.get(c, Kind.DATE) for c, kind in kinds.items()):
            return False
        numbers = {column: cell for column, cell in numbers.items() if kinds[column] is not Kind.DATE}
    return _counts(numbers.values()) or not any(
        YEAR.fullmatch(cell) is None or all(YEAR.fullmatch(other.get(column, "0")) for other in below)
        for column, cell in numbers.items()
    )


def _are_years(row: Row, below: Sequence[Row]) -> bool:
    """Whether these are years alone, above rows that begin with a label left of them."""
    if len(row) < 2 or not below or not all(map(YEAR.fullmatch, row.values())):
        return False
    first = min(row)
    return all(min(other) < first and kind_of(other[min(other)]) not in MEASURED for other in below)


def _counts(cells: Collection[str]) -> bool:
    """Whether these are 0, 1, 2 ... or 1, 2, 3 ..., three at the least."""
    return len(cells) >= 3 and any(
        list(cells) == [str(first + n) for n in range(len(cells))] for first in (0, 1)
    )
