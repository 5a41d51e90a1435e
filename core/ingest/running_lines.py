"""Part the lines at the head and foot of pages from the text: page numbers go, what varies stays on its page.

A line, or a part of one, that most pages share stays where it stands first; one that differs in its numbers, dates or
names stays on every page: an invoice's number, a reference, the stamp of a production.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

LINES = 3  # of a head or foot that are looked at
LEAST = 3  # pages
MOST_PAGES = 0.6  # share of the pages that have a line which varies
ALTERNATING = 0.4  # share of those that have the same line: left and right pages may differ
RUNNING_ON = (
    0.1  # share of the page breaks within sentences, up to which each page may be a document of its own
)
LONGEST = 80  # characters of a line that varies in its words
DIGITS = re.compile(r"\d+")
PAGE_NUMBER = re.compile(
    r"(?:[-–—\[(]\s*)?(?:(?:page|pages|p\.|pg\.|seite|s\.|página|pagina|pág\.|pag\.|sida|side|sivu|strona|"
    r"strana|oldal|страница|стр\.|صفحة|صفحه|עמוד|第)\s*)?(\d{1,4})(?:\s*[页頁])?"
    r"(?:\s*(?:/|of|von|de|di|da|sur|van|af|av|z|ze|из|من|מתוך)\s*\d{1,4})?\s*[-–—\])]?"
)
ROMAN = re.compile(r"[-–—\[(]?\s*(m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3}))\s*[-–—\])]?")
ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
PART = "\ue008"  # ours, before a word far right of the one before; a private character that cleaning keeps
PARTS = re.compile(rf"\s*(?:{PART}|\t)\s*|\s+[|·•–—-]\s+")
WORD = re.compile(r"[^\W\d_]{4}")
MARKS = re.compile("[\ue001-\ue006]")  # of headings, see `layout.heading_mark`


@dataclass(slots=True)
class PageLines:
    """A page's lines: its head, what is read, its foot."""

    number: int
    body: list[str]
    head: list[str] = field(default_factory=list)
    foot: list[str] = field(default_factory=list)
    title: str = (
        ""  # what its head says that it is, in a way that most pages share, where each stands for itself
    )


def part_running_lines(pages: Sequence[tuple[int, list[str]]]) -> list[PageLines]:
    """Return each page with its head and foot apart; see above for what is left of them."""
    parted = [PageLines(number, list(lines)) for number, lines in pages]
    titles = next(filter(None, [_peel(parted, 0, False) for _ in range(LINES)]), {})
    separate = bool(titles) and _running_on(parted) <= RUNNING_ON * len(parted)
    for at, page in enumerate(parted):
        page.title = titles[at] if separate and titles.get(at) not in {None, titles.get(at - 1)} else ""
    for _ in range(LINES):
        _peel(parted, -1, separate)
    for page in parted:
        page.body = [line.replace(PART, "") for line in page.body] or [""]
    return parted


def _peel(pages: Sequence[PageLines], edge: int, keep: bool) -> dict[int, str]:
    """Take the outermost lines off the pages where they are running ones; `keep` those that all pages share.

    Returns what varies in them by a common pattern, by page.
    """
    lines = {
        at: MARKS.sub("", page.body[edge])
        for at, page in enumerate(pages)
        if len(page.body) > 1 or (page.body and page.head)
    }
    parts = {at: [part.strip() for part in PARTS.split(line) if part.strip()] for at, line in lines.items()}
    every = Counter(part for found in parts.values() for part in set(found))
    shapes = Counter(shape for found in parts.values() for shape in {DIGITS.sub("0", part) for part in found})
    begins = Counter(begin for found in parts.values() for begin in {_first(part) for part in found} if begin)
    offsets = Counter(
        value - pages[at].number for at, found in parts.items() for part in found for value in _numbers(part)
    )
    varying: dict[int, str] = {}
    first: set[str] = set()
    before: list[str] = []  # on the page before
    for at, found in parts.items():
        number = pages[at].number
        rest: list[str] = []
        shared: list[str] = []
        runs = 0
        for part in found:
            alone = len(found) == 1
            if any(
                (alone and value == number)
                or (
                    _are_most(offsets[value - number], pages, MOST_PAGES)
                    # Bare numbers that count from elsewhere may be those of invoices.
                    and (value <= number or not alone or not part.isdigit())
                )
                for value in _numbers(part)
            ):
                runs += 1
            elif _are_most(every[part], pages, ALTERNATING):
                runs += 1
                shared.append(part)
                if keep or part not in first:
                    rest.append(part)
            elif not _is_sentence(part) and _are_most(
                max(shapes[DIGITS.sub("0", part)], begins[_first(part)]), pages, MOST_PAGES
            ):
                runs += 1
                rest.append(part)
                varying.setdefault(at, part)
            elif part not in before:
                rest.append(part)  # a chapter's title beside the number of the page
        before = found
        if shared and any(_is_figure(part) for part in rest):  # a label and its figure: "Music  93"
            rest = ["\t".join(part for part in found if part in shared or part in rest)]
        first.update(shared)
        if not runs:
            continue
        page = pages[at]
        mark = MARKS.match(page.body[edge])
        rest = [f"{mark[0]}{part}" for part in rest] if mark is not None else rest
        if edge == 0:
            page.head += rest
            del page.body[0]
        else:
            page.foot[:0] = rest
            del page.body[-1]
        while len(page.body) > 1 and not page.body[edge]:
            del page.body[edge]
    return varying if len(set(varying.values())) > 1 else {}


def _are_most(times: int, pages: Sequence[PageLines], share: float) -> bool:
    return times >= LEAST and times >= share * len(pages)


def _numbers(part: str) -> Iterator[int]:
    """The number of a page that a part is, if it is one."""
    if match := PAGE_NUMBER.fullmatch(part.lower()):
        yield int(match[1])
    elif (roman := ROMAN.fullmatch(part)) and roman[1]:
        values = [ROMAN_VALUES[letter] for letter in roman[1]]
        yield sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))


def _first(part: str) -> str:
    """The first word of a short line of several; "" for others."""
    first, _, rest = part.partition(" ")
    return first if rest and len(part) <= LONGEST else ""


def _is_figure(part: str) -> bool:
    """Whether a part is a number or an amount, which says nothing without its label."""
    return any(map(str.isdigit, part)) and WORD.search(part) is None


def _is_sentence(part: str) -> bool:
    return part[-1] in ".!?" and part.count(" ") > 2


def _running_on(pages: Sequence[PageLines]) -> int:
    """How many pages begin within a sentence."""
    bodies = [page.body for page in pages if page.body and page.body[0] and page.body[-1]]
    return sum(below[0][:1].islower() and above[-1][-1:].isalnum() for above, below in pairwise(bodies))
