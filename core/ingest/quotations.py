"""Whose words a mail holds: quoted replies and forwarded messages with their authors, and signatures.

Told by marks and by the form of lines, which mail programs of all languages share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from core.ingest.cleaning import clean
from core.ingest.layout import line_width, paragraphs
from core.ingest.moments import calendar
from core.ingest.reading import Reading
from core.types import Block, BlockKind

DEEPEST = 20  # levels of quotation; deeper ones count as the deepest
LONGEST_HEAD = 14  # lines of "From: Mary Jones" and the like
LONGEST_LEAD = 300  # characters of "On 4 May 2021, Mary Jones <mj@example.org> wrote:"
LONGEST_FOOTER = 12  # lines

_MARKS = re.compile(r"(?:>[ \t]?)+")
_SEPARATOR = re.compile(r"[-_*]{2,40} ?[^\W\d_][^\n_*]{2,60}?[-_*]{2,40}|_{10,}|-{10,}")
_LABEL = re.compile(r"\*?(?P<label>[^\W\d_][^\n:：*]{0,24}?) ?[:：]\*?[ \t]+(?P<value>\S.*)")
_ADDRESS = re.compile(r"[<(\[]?(?:mailto:)?[\w.+'-]{1,64}@[\w-][\w.-]{0,253}[>)\]]?")
_RULE = re.compile(r"(?:_{20,}|-{20,}|={20,}|\*{20,})[-~>*= ]*")
# "wrote" as mail programs say it, and the labels of the lines they put above a quotation.
_WROTE = re.compile(
    r"(?<!\w)(?:wrote|writes|said|schrieb|schrieben|a écrit|ha scritto|escribió|escreveu|schreef|skrev|kirjoitti|"
    r"napisał(?:\(a\)|a)?|napsal(?:\(a\)|a)?|írta|yazdı|написал(?:\(а\)|а)?|пишет|写道|さんは書きました)(?!\w)",
    re.IGNORECASE,
)
_SENDER = frozenset(
    "from von de da van od från fra lähettäjä feladó kimden от 发件人 差出人 보낸사람".split()
)
_RECIPIENT = frozenset("to an à a para aan do til till komu címzett kime кому 收件人 宛先 받는사람".split())
_OPENERS = frozenset("on am le el il op em den dnia dne at in quoting zitat von".split())
_FILLERS = _OPENERS | {"pm", "am", "uhr", "utc", "gmt", "um", "at", "às", "à", "alle", "om", "kl."}


@dataclass(frozen=True, slots=True)
class Source:
    """Who is quoted, as written, to whom and when; `number` tells apart two quotations of one author."""

    speaker: str = ""
    addressee: str = ""
    time: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True)
class Lead:
    """The lines that name an author, up to the line `stop`. A `complete` message is quoted without marks after it."""

    stop: int
    source: Source
    complete: bool


@dataclass(slots=True)
class Run:
    """Lines one after the other with one author; `path` has those who quote each other, the outermost first."""

    path: tuple[Source, ...]
    note: bool
    lead: bool = False  # names the author
    lines: list[str] = field(default_factory=list)


Line = tuple[int, str]  # level of marks, what follows them


def read_quotations(text: str) -> Reading:
    """A mail's plain text in whole paragraphs without its marks; who is quoted, and signatures, as blocks."""
    runs = list(_runs([_marked(line) for line in clean(text).split("\n")]))
    width = line_width("\n".join(line for run in runs for line in run.lines))
    parts: list[str] = []
    spans: list[tuple[int, int, Run]] = []
    at = 0
    for run in runs:
        if part := paragraphs(run.lines, width):
            at += 2 * bool(parts)
            parts.append(part)
            spans.append((at, at + len(part), run))
            at += len(part)
    return Reading("\n\n".join(parts), blocks=tuple(_blocks(spans)))


def find_quotations(text: str) -> tuple[Block, ...]:
    """The blocks of a cleaned text that has no marks of quotation, as HTML gives it."""
    spans: list[tuple[int, int, Run]] = []
    at = 0
    for run in _runs([(0, line) for line in text.split("\n")]):
        end = at + sum(len(line) + 1 for line in run.lines)
        segment = text[at:end]
        if segment.strip():
            spans.append((at + len(segment) - len(segment.lstrip()), at + len(segment.rstrip()), run))
        at = end
    return tuple(_blocks(spans))


def _marked(line: str) -> Line:
    found = _MARKS.match(line)
    return (min(found[0].count(">"), DEEPEST), line[found.end() :].strip()) if found else (0, line)


def _runs(lines: Sequence[Line]) -> Iterator[Run]:
    """The lines in order, apart where the author changes and where a signature begins or ends."""
    leads = _leads(lines)
    footer = _footer(lines, max(leads, default=-1))
    authors: dict[int, Source] = {}  # by level
    message_marks: list[int] = []  # the marks at which whole messages are quoted
    signed = -1  # the marks of the signature that runs on
    run = Run((), False)
    naming = heading = 0  # lines before these name an author, and are the header of a message
    for at, (marks, line) in enumerate(lines):
        if line:
            while message_marks and marks < message_marks[-1]:
                message_marks.pop()
            signed = marks if line == "--" else signed if marks == signed and at not in leads else -1
        if lead := leads.get(at):
            level = marks + len(message_marks)
            if lead.complete and not (marks and level not in authors):
                message_marks.append(marks)
                level += 1
            named = min(level + (not lead.complete), DEEPEST)
            authors = {level: source for level, source in authors.items() if level < named}
            authors[named] = lead.source
            naming, heading = lead.stop, lead.stop if lead.complete else 0
        level = named if at < naming else min(marks + len(message_marks), DEEPEST)
        level = 0 if at >= footer else level
        path = tuple(authors.get(depth, Source()) for depth in range(1, level + 1))
        note = signed >= 0 or at >= footer or at < heading
        if line and (path, note, at < naming) != (run.path, run.note, run.lead):
            if run.lines:
                yield run
            run = Run(path, note, at < naming)
        run.lines.append(line)
    if run.lines:
        yield run


def _blocks(spans: Sequence[tuple[int, int, Run]]) -> Iterator[Block]:
    """A block for each quotation, with those that it quotes within it, and for each signature."""
    waiting: list[tuple[int, Source]] = []  # open quotations with their starts, the outermost first
    end = 0
    for start, stop, run in [*spans, (0, 0, Run((), False))]:
        same = 0
        while same < min(len(waiting), len(run.path)) and waiting[same][1] == run.path[same]:
            same += 1
        while len(waiting) > same:
            begin, source = waiting.pop()
            level = len(waiting) + 1
            yield Block(BlockKind.QUOTATION, begin, end, level, source.speaker, source.addressee, source.time)
        waiting += [(start, source) for source in run.path[same:]]
        if run.note:
            yield Block(BlockKind.NOTE, start, stop)
        end = stop


def _leads(lines: Sequence[Line]) -> dict[int, Lead]:
    """The lines that name an author, by where they begin."""
    found: dict[int, Lead] = {}
    at = 0
    while at < len(lines):
        line = lines[at][1]
        lead = None
        if _SEPARATOR.fullmatch(line) or _LABEL.fullmatch(line):
            begin, lead = at, _head(lines, at, len(found) + 1)
        elif line.endswith((":", "：")):
            begin, lead = _sentence(lines, at, len(found) + 1)
        if lead is not None:
            found[begin] = lead
        at = max(at + 1, lead.stop if lead is not None else 0)
    return found


def _head(lines: Sequence[Line], at: int, number: int) -> Lead | None:
    """A separator and lines such as "From: Mary Jones", or the latter alone, above a message."""
    marks = lines[at][0]
    divided = _SEPARATOR.fullmatch(lines[at][1]) is not None
    stop = at + divided
    stop += stop < len(lines) and divided and not lines[stop][1]
    fields: list[list[str]] = []
    while stop < min(len(lines), at + LONGEST_HEAD) and lines[stop][0] == marks and lines[stop][1]:
        if label := _LABEL.fullmatch(lines[stop][1]):
            fields.append([label["label"].casefold(), label["value"]])
        elif fields:
            fields[-1][1] += f" {lines[stop][1]}"
        else:
            return None
        stop += 1
    sure = divided or len(fields) > 3 or any(_ADDRESS.search(value) for _, value in fields)
    times = [value for _, value in fields if calendar([value]).day(value)]
    senders = [value for label, value in fields if label in _SENDER]
    senders = senders or [value for _, value in fields if _ADDRESS.search(value)]
    if len(fields) < 2 + (not divided and not marks) or not sure or not times or not senders:
        return None
    to = next((value for label, value in fields if label in _RECIPIENT), "")
    return Lead(stop, Source(senders[0], to, calendar(times).moment(times[0]), number), True)


def _sentence(lines: Sequence[Line], at: int, number: int) -> tuple[int, Lead | None]:
    """ "On 4 May 2021, Mary Jones <mj@example.org> wrote:", in up to three lines of which `at` is the last."""
    marks = lines[at][0]
    begin = at
    while at - begin < 2 and begin and lines[begin - 1][1] and lines[begin - 1][0] == marks:
        begin -= 1
    first = lines[begin][1].partition(" ")[0].casefold()
    if first not in _OPENERS and calendar([]).day(lines[begin][1]) is None:
        begin = at
    lead = " ".join(line for _, line in lines[begin : at + 1])
    after = next((other for other, line in lines[at + 1 : at + 4] if line), marks)
    wrote = _WROTE.search(lead)
    day = calendar([lead]).day(lead)
    quoted = after > marks and (wrote or day or _ADDRESS.search(lead))
    if len(lead) > LONGEST_LEAD or not (quoted or (wrote and day)):
        return at, None
    source = Source(_author(lead), "", calendar([lead]).moment(lead) if day else "", number)
    return begin, Lead(at + 1, source, after <= marks) if source.speaker else None


def _author(lead: str) -> str:
    """Name and address of the author: what stands next to "wrote" and is no date."""
    sides = _WROTE.split(lead.rstrip(": ："), maxsplit=1)
    for side, last in zip(sides, (True, False), strict=False):
        addresses = list(_ADDRESS.finditer(side))
        address = addresses[-1 if last else 0] if addresses else None
        named = side[: address.start()] if address else side
        quoted = re.findall(r"[\"“]([^\"“”]{2,60})[\"”]", named)
        words = re.split(r"[,;]\s|\d\S*", named)[-1 if last else 0].strip(" '<>[]()-:")
        while words and words.split()[0].casefold() in _FILLERS:
            words = words.partition(" ")[2]
        while " " in words and words.rpartition(" ")[2].islower():
            words = words.rpartition(" ")[0]  # "Mary Jones mentioned"
        name = quoted[-1] if quoted else words
        if name or address:
            return f"{name} <{address[0].strip('<>[]()')}>".strip() if address else name
    return ""


def _footer(lines: Sequence[Line], after: int) -> int:
    """Where a notice begins that a list or a company puts under every mail, below a rule; else the end."""
    for at in range(len(lines) - 1, max(0, after, len(lines) - LONGEST_FOOTER), -1):
        if not lines[at][0] and _RULE.fullmatch(lines[at][1]) and at < len(lines) - 1:
            return at
    return len(lines)
