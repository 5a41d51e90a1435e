"""Chooses title, date and author: what the document says of itself, when that makes sense."""

from __future__ import annotations

import re
from datetime import datetime
from email.utils import parsedate_to_datetime
from pathlib import PurePath

from core.ingest.cleaning import one_line
from core.text.dates import cell_date

LONGEST = 160  # characters of a title
# What programs write into the title when nobody gave one.
PROGRAM = re.compile(r"^(?:microsoft|adobe|openoffice|libreoffice)[\w .]* - ", re.IGNORECASE)
FILE_NAME = re.compile(
    r"\.(?:docx?|xlsx?|pptx?|pdf|indd|tex|qxp|qxd|odt|rtf|txt|html?|md|eml)$", re.IGNORECASE
)
MEANINGLESS = re.compile(
    r"\(?(?:untitled|unspecified|unknown|no title|title|document|presentation|workbook|book|sheet|slide|page|"
    r"powerpoint[ -]presentation|scan|scanned document|new document|draft|blank|none|null|readme|index|tmp|"
    r"(?:(?:strictly|private (?:and|&)|streng) )?(?:confidential|confidentiel|confidencial|vertraulich|riservato)|"
    r"(?:draft|entwurf)\s*[-–—:(].*)\)?[ _-]*\d*",
    re.IGNORECASE,
)
# A piece of a sentence: begins with a sign that closes something, goes on, or ends with the mark of a note.
PAGE = re.compile(r"[^\W\d_]*\W{0,2}\d+(?:\W{1,3}[^\W\d_]{2,4}\W{1,3}|\s?/\s?)\d+")  # "Page 3 of 12"
FRAGMENT = re.compile(
    r"\A(?:[,;:!?)\]}»”’%*/–—-]|\.(?![^\W\d_]))|[,;–—-]\Z|(?:[\"”’»)\]][.!?]|[.!?][\"”’»)\]]+)\d+\Z"
)
QUOTES = re.compile('["„“”«»]')
NUMBERED = re.compile(
    r"([^\W\d_]+)(?:\W{1,3}no)?(?:\W{0,3}\d[\d.,/-]*|\W{1,3}[IVXLC]{1,6}\.?)", re.IGNORECASE
)
SAMPLE = 20_000  # characters of the text by which a heading is judged
RUNNING = 3  # lines like it with other numbers
NOBODY = re.compile(
    r"\(?(?:anonymous|unspecified|unknown|author|user|admin|administrator|owner|microsoft office user|none|null|"
    r"openpyxl|xlsxwriter|python-docx|python-pptx|reportlab|root|pc|default)\)?",
    re.IGNORECASE,
)


def title_of(metadata: str, heading: str, name: str, text: str = "") -> str:
    """The metadata's title when sensible, else the first heading, else the file name made readable.

    `text` tells a heading that is one from the line that a page begins with, and from a mere number of something.
    """
    for candidate in (metadata, heading):
        line = PROGRAM.sub("", one_line(candidate))
        if sensible_title(title := shortened(line)) and (candidate is metadata or _is_heading(line, text)):
            return title
    return readable_name(name)


def sensible_title(title: str) -> bool:
    return (
        len(title) > 1
        and any(character.isalpha() for character in title)
        and not FILE_NAME.search(title)
        and not MEANINGLESS.fullmatch(title)
    )


def _is_heading(line: str, text: str) -> bool:
    """Whether a heading names its document: it is whole, and neither "Paper 1119" nor the head of every page."""
    if line[0].islower() and not line[1:2].isupper():
        return False
    if PAGE.fullmatch(line) or cell_date(line) or _is_figures(line):
        return False
    if FRAGMENT.search(line) or len(QUOTES.findall(line)) % 2 or line.count("(") != line.count(")"):
        return False
    if numbered := NUMBERED.fullmatch(line):
        # What the text calls so with a small letter is a kind of thing, as "paper" is; Apollo 11 has a name.
        return re.search(rf"(?<!\w){re.escape(numbered[1].lower())}(?!\w)", text[:SAMPLE]) is None
    if not any(map(str.isdigit, line)):
        return True
    shape = re.sub(r"\d+", lambda digits: rf"(?!{digits[0]}\b)\d+", re.escape(line), count=1)
    return len(re.findall(rf"^{shape}$", text[:SAMPLE], re.MULTILINE)) < RUNNING


def _is_figures(line: str) -> bool:
    """Whether a line that begins with a figure holds more figures and signs than letters."""
    signs = [character for character in line if not character.isspace()]
    return signs[0].isdigit() and 2 * sum(map(str.isalpha, signs)) < len(signs)


def shortened(title: str) -> str:
    """At most LONGEST characters, cut at a word."""
    if len(title) <= LONGEST:
        return title
    return title[: LONGEST - 1].rsplit(" ", 1)[0].rstrip(",;:.- ") + "…"


def readable_name(name: str) -> str:
    """ "2021-03-04_board-minutes.pdf" -> "2021-03-04 board minutes"."""
    stem = PurePath(name).stem if PurePath(name).suffix else name
    words = re.sub(r"_+|\+|(?<!\d)-|-(?!\d)", " ", stem)
    title = shortened(one_line(words)) or one_line(name) or "Document"
    return title[0].upper() + title[1:]


def iso_date(stated: str) -> str | None:
    """ISO 8601, without the time where it is midnight; None when it cannot be understood."""
    stated = stated.strip().removeprefix("D:")
    moment = _iso(stated) or _mail(stated) or _written(stated)
    if moment is None or not 1800 <= moment.year <= 2200:
        return None
    if (moment.hour, moment.minute, moment.second) == (0, 0, 0):
        return moment.date().isoformat()
    return moment.isoformat(timespec="seconds")


def _iso(stated: str) -> datetime | None:
    try:
        return datetime.fromisoformat(stated)
    except ValueError:
        return None


def _mail(stated: str) -> datetime | None:
    try:
        return parsedate_to_datetime(stated)
    except (ValueError, TypeError, IndexError):
        return None


def _written(stated: str) -> datetime | None:
    try:
        return datetime.strptime(stated[:40], "%Y%m%d%H%M%S")
    except ValueError:
        day = cell_date(stated[:40])
        return datetime.fromisoformat(day) if len(day) == 10 else None


def author_of(stated: str) -> str | None:
    """The author, unless it is a program's placeholder."""
    author = one_line(stated)[:200]
    return author if author and not NOBODY.fullmatch(author) else None


def heading_of(text: str) -> str:
    """The first line, when it looks like a heading: short, alone, no full stop; else an empty string."""
    first, _, rest = text.partition("\n")
    first = first.strip(" #*=_\t")
    alone = not rest or rest.startswith("\n") or len(first) < 60
    plain = (
        first and not first.endswith((".", ",", ";", ":", "!")) and ": " not in first and "\t" not in first
    )
    return first if plain and alone and len(first) <= 120 and not first[0].islower() else ""
