"""Choose the title, author and date of a document, of what it says of itself and where that makes sense."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from email.utils import parsedate_to_datetime
from itertools import islice
from pathlib import PurePath

from core.ingest.cleaning import one_line
from core.ingest.reading import Reading
from core.text.dates import WEEKDAY, WrittenDate, cell_date, day_span, month_first_of, read_dates
from core.types import BlockKind, Notice, NoticeKind

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


# ------------------------------------------------------------ the date


_HEAD = 2_000  # characters, and lines, in which a document says of when it is
_LINES = 15
_LONGEST = 90  # characters of a line that says only when and where
_USAGE = 50_000  # characters by which day and month are told apart
_YEAR = 366  # days
# A place and a comma, a weekday, or what letters, minutes and forms write before their date.
_ON = rf"(?:{WEEKDAY}\.?,?\s+)?"
_BEFORE = re.compile(
    rf"[\s(\[]*(?:[^\W\d_][\w.'’-]*(?:\s[^\W\d_][\w.'’-]*){{0,3}},\s*)?{_ON}"
    rf"(?:(?:dated?|datum|dato|fecha|data|дата|日期|日付|날짜|التاريخ)\s?[:.：]?\s*(?:of\s)?{_ON})?"
    r"(?:(?:the|den|am|le|il|lì|li|el|a|em|on|this)\s+)?",
    re.IGNORECASE,
)
# A label of which a word is "date" or "issued".
_LABEL = re.compile(
    r"\s*(?P<label>[^\W\d_](?:[^\W\d_]|[ '’./()-]){2,40}?)(?:\s?[:.]\s*|\s+)(?:(?:the|den|am|le|il|el|on)\s+)?",
    re.IGNORECASE,
)
_DATE_OF = re.compile(r"(?:\b|(?<=[^\W\d_]))(?:date|datum|dato)\b|\b(?:fecha|data|date) d", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{4,}")
_COMPACT = re.compile(r"(?<!\d)((?:19|20)\d\d)(\d\d)(\d\d)(?!\d)")  # in the name of a file
_ISSUED = re.compile(
    r"\b(?:issued?|publi\w+|released?|ausgestellt|ausstellungs\w*|veröffentlicht|erstellt|emisión|emissione|émission|"
    r"expedición|uitgegeven|udgivet)\b",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?:\s?г(?:ода)?\b\.?)?"  # "year" in Russian
    r"[\s)\].,;]*(?:(?:at|um|à|alle|a las)?\s?\d{1,2}(?:[:.h]\d\d)?(?::\d\d)?"
    r"\s?(?:[ap]\.?m\.?|uhr|h|[A-Z]{3,4}|Z)?)?[\s)\].,]*",
    re.IGNORECASE,
)
_APART = frozenset({BlockKind.TABLE, BlockKind.TURN, BlockKind.CODE, BlockKind.BOILERPLATE})


def document_date(reading: Reading, name: str) -> tuple[str | None, tuple[Notice, ...]]:
    """Return the date in ISO 8601, None where nothing tells, and a notice where the metadata differ by over a year.

    `name` is that of the file. What is sent is of when it was sent: of a message its own date counts.
    """
    stated = iso_date(reading.date) or ""
    if any(block.kind is BlockKind.TURN for block in reading.blocks[:1]) and stated:
        return stated, ()
    found = _own_date(reading, name)
    if not found or stated.startswith(found):
        return stated or None, ()
    first, second = day_span(found), day_span(stated)
    if first and second and max(first[0] - second[1], second[0] - first[1]) > _YEAR:
        return found, (Notice(NoticeKind.DATE, detail=stated[:10]),)
    return found, ()


def dated_by_name(*names: str) -> str:
    """Return the day or the month that the first of these titles or names of files has in it; "" for none."""
    for name in names:
        for date in read_dates(_COMPACT.sub(r"\1-\2-\3", name).replace("_", " ")):
            if len(found := date.iso()) > 4:
                return found
    return ""


def _own_date(reading: Reading, name: str) -> str:
    """Return what the document says of when it is, in the order of what counts more; "" where it says nothing."""
    dates = list(islice(_head_dates(reading), 3))
    found = dated_by_name(reading.title, reading.heading)
    several = len({(date.year, date.month, date.day) for date in dates}) > 1  # a list of persons, of events
    if found and not (several and found in {date.iso() for date in dates}):
        return found
    if several or not dates:
        return dated_by_name(name)
    if dates[0].unsure:
        usage = month_first_of(read_dates(reading.text[:_USAGE]))
        return dates[0].iso(usage) if usage is not None else dated_by_name(name) or dates[0].iso()
    return dates[0].iso()


def _head_dates(reading: Reading) -> Iterator[WrittenDate]:
    """Yield the dates of the first lines that say only when and where the document was written."""
    apart = [
        (block.start, block.end) for block in reading.blocks if block.kind in _APART and block.start < _HEAD
    ]
    at = lines = 0
    name = reading.heading or reading.title or reading.text[:_LONGEST].partition("\n")[0]
    for line in reading.text[:_HEAD].split("\n"):
        start, at = at, at + len(line) + 1
        if not line.strip():
            continue
        lines += 1
        if lines > _LINES:
            return
        if len(line) > _LONGEST or _within(start, apart):
            continue
        dates = read_dates(line)
        if len(dates) == 1 and dates[0].day and not dates[0].since[0]:
            before, after = line[: dates[0].start], line[dates[0].end :]
            if _AFTER.fullmatch(after) and (_BEFORE.fullmatch(before) or _is_issue(before, name)):
                yield dates[0]


def _is_issue(before: str, name: str) -> bool:
    """Whether a label says that the document was issued: so, or by what the document calls itself ("Invoice date")."""
    label = _LABEL.fullmatch(before)
    if label is None:
        return False
    if _ISSUED.search(label["label"]):
        return True
    if _DATE_OF.search(label["label"]) is None:
        return False
    words = _DATE_OF.sub("", label["label"]).casefold()
    return any(word[: max(5, len(word) - 3)] in words for word in _WORD.findall(name.casefold()))


def _within(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)
