"""What the reader knows of an open document, without Qt: its text, its pages, the part on screen.

Places are characters (code points) of the document's text, half open. Qt counts UTF-16 units, so a
`Window` translates between the two.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

from core.progress import TaskContext
from core.types import Document, Mention, Page

REACH = 50_000  # characters shown on each side of a place
LIMIT = 3 * REACH  # most characters on screen at once
LONG_LINE = 2_000  # longer lines are broken at a blank, because Qt lays out whole lines
MOST_MATCHES = 5_000

# Signs at which Qt would start a paragraph of its own, or which it cannot hold; one for one.
_SIGNS = str.maketrans("\r\x0b\x0c\u2029\x00\ufdd0\ufdd1\ufffc", "\n\n\n\n    ")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """A document with all that is drawn of it; `mentions` in order of their start."""

    document: Document
    text: str
    pages: tuple[Page, ...] = ()
    mentions: tuple[Mention, ...] = ()

    def page_at(self, place: int) -> Page | None:
        """The page that holds a character; None where the format has no pages."""
        if not self.pages:
            return None
        return self.pages[max(bisect_right([page.start for page in self.pages], place) - 1, 0)]

    def mentions_in(self, start: int, end: int) -> list[Mention]:
        """Mentions that lie wholly in start..end; those without extent are left out."""
        first = bisect_left([mention.start for mention in self.mentions], start)
        found = []
        for mention in self.mentions[first:]:
            if mention.start >= end:
                break
            if mention.start < mention.end <= end:
                found.append(mention)
        return found

    def mention_at(self, place: int) -> Mention | None:
        """The shortest mention that covers a character."""
        near = self.mentions_in(max(place - 300, 0), place + 300)
        covering = [mention for mention in near if mention.start <= place < mention.end]
        return min(covering, key=lambda mention: mention.end - mention.start, default=None)


@dataclass(frozen=True, slots=True)
class Window:
    """Characters start..end of a document's text, as handed to Qt: one sign for each of them."""

    start: int
    end: int
    shown: str
    _wide: tuple[int, ...] = field(default=(), repr=False)  # signs that take two UTF-16 units

    def to_qt(self, place: int) -> int:
        """Position in the Qt document; clamped to the window."""
        inside = min(max(place, self.start), self.end) - self.start
        return inside + bisect_left(self._wide, inside)

    def from_qt(self, position: int) -> int:
        """Character of the document's text at a Qt position."""
        wide = self._wide
        return self.start + position - bisect_left(range(len(wide)), position, key=lambda at: wide[at] + at)

    def holds(self, start: int, end: int) -> bool:
        return self.start <= start and end <= self.end


def window_around(opened: OpenDocument, start: int, end: int, reach: int = REACH) -> Window:
    """The text from `reach` before a place to `reach` behind it."""
    return window(opened, start - reach, max(end, start) + reach)


def window(opened: OpenDocument, start: int, end: int) -> Window:
    """The text start..end, clamped to the document."""
    start = max(start, 0)
    end = min(max(end, start), len(opened.text))
    starts = [page.start - start for page in opened.pages if start < page.start < end]
    shown = displayed(opened.text[start:end], starts)
    wide = tuple(index for index, sign in enumerate(shown) if sign > "\uffff") if not shown.isascii() else ()
    return Window(start, end, shown, wide)


def displayed(text: str, breaks: list[int] | None = None) -> str:
    """Text of the same length in which a line feed is the only sign that starts a paragraph.

    breaks: places (page starts) at which a paragraph begins, if a blank before them can be spared.
    """
    text = _LONE_SURROGATE.sub("\ufffd", text.replace("\r\n", " \n")).translate(_SIGNS)
    signs: list[str] | None = None
    for place in [*(breaks or ()), *_long_line_breaks(text)]:
        if text[place - 1] in " \t\u00a0":
            signs = signs or list(text)
            signs[place - 1] = "\n"
    return "".join(signs) if signs else text


def _long_line_breaks(text: str) -> list[int]:
    """Places after a blank that cut lines of more than LONG_LINE characters into shorter ones."""
    breaks = []
    for line in re.finditer(rf"[^\n]{{{LONG_LINE + 1},}}", text):
        at = line.start()
        while line.end() - at > LONG_LINE:
            blank = text.rfind(" ", at + LONG_LINE // 2, at + LONG_LINE)
            if blank < 0:
                blank = text.find(" ", at + LONG_LINE, line.end())
            if blank < 0:
                break
            at = blank + 1
            breaks.append(at)
    return breaks


def find_all(text: str, wanted: str, context: TaskContext) -> list[tuple[int, int]]:
    """Places of a string, whatever its case, at most MOST_MATCHES; blanks match any white space."""
    words = [re.escape(word) for word in wanted.split()]
    if not words:
        return []
    found: list[tuple[int, int]] = []
    for match in re.finditer(r"\s+".join(words), text, re.IGNORECASE):
        context.check()
        found.append(match.span())
        if len(found) == MOST_MATCHES:
            break
    return found
