"""What spaCy is given to read: a passage without its asides, with titles and dates as one word each.

The small pipeline parses "Kill or Be Killed( also known as ...) is a 1966 film" wrongly and
"Casablanca is a 1966 film" rightly. So names whose inside is no matter of grammar are masked by
one word, brackets are taken out (`core.extraction.asides` reads them), and `Reading` remembers
where every character came from.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.extraction.dates import find_dates
from core.extraction.fields import Row, find_rows
from core.extraction.identifiers import Identifier, find_identifiers
from core.extraction.names import normalise

if TYPE_CHECKING:
    from spacy.tokens import Doc

MASKS = {
    "title": "Casablanca",
    "work": "Casablanca",
    "date": "1987",
    "money": "5000",
    "identifier": "Casablanca",
}
# Of cuts that begin at the same place the first of these wins.
RANKS = (
    "heading",
    "field",
    "speaker",
    "title",
    "identifier",
    "aside",
    "reference",
    "work",
    "date",
    "money",
    "stop",
    "dash",
    "space",
)
MAX_ASIDE = 160  # characters; longer brackets hold sentences and are parsed in place

_BRACKET = re.compile(r"\s*\(((?:[^()]|\([^()]{0,80}\)){0,240}?)\)")
_REFERENCE = re.compile(r"\s*\[(?:\d{1,3}|citation needed)\]")
_QUOTED = re.compile(r"(?:[\"“]|``)\s*([A-Z0-9¿¡'][^\"“”`\n]{0,80}?)\s*(?:[\"”]|'')")
# "Century- Fox", "live -action", "pro-\nduction": white space beside a hyphen within a word.
_HYPHEN = re.compile(r"(?<=[^\W\d]-)\s(?!(?:and|or|to)\b)(?=[^\W\d])|(?<=[^\W\d])\s(?=-[^\W\d])")
_MONEY = re.compile(
    r"(?<![\w$£€¥])(?:(?:EUR|USD|GBP|CHF|JPY|US\$|A\$|C\$|[$£€¥])\s?\d[\d,.]*\d(?:\s(?:million|billion|thousand))?"
    r"|\d[\d,.]*\s(?:EUR|USD|GBP|CHF|JPY))(?!\w)"
)
# The full stop after "Ltd" that may end the sentence too; within the word the parser does not see it.
_STOP = re.compile(r"(?<=\b(?:Ltd|Inc|Lda|plc))\.(?=\s+[A-Z]|\s*$)")
# Between words without a blank: no name runs over it.
_DASH = re.compile(r"(?<=[^\s\d-])(?:-{2,}|—)(?=[^\s-])")
# "Mary Jones: I think so", "<mjones> yes", "[10:32] MaryJones: no", each at the beginning of a line
_TURN = re.compile(
    r"^[ \t]*(?:[-*>][ \t]+)?(?:[\[(]?\d[\d:.,/ TZ-]{3,20}[\])]?[ \t]*)?(?:\*\*)?"
    r"(?:<(?P<nick>[\w.'’-]{2,30})>|(?P<name>[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,3}))"
    r"(?:\*\*)?(?(name):)(?:\*\*)?[ \t]+(?=\S)",
    re.MULTILINE,
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
# "Vale do Sado": the parser would take "do" for a verb.
_DO = re.compile(
    r"(\b(?!(?:Why|What|How|When|Where|Who|So|They|We|You)\b)[A-ZÀ-ÖØ-Þ][\w'’-]+ )do(?= [A-ZÀ-ÖØ-Þ])"
)
_IS = re.compile(r"[\s,\"”]*(?:is|was|are|were)\b")
_PLAIN_WORD = re.compile(r"[A-Z][\w'’.-]*")
# Words that make a title a phrase rather than a plain name, so that parsing it would go astray.
_PHRASE_WORDS = frozenset(
    "a an the and or not no my your his her our their its it i you he she we they this that who what when where "
    "why how is are was were be been do does did can could will would shall should may might must have has had "
    "january february march april june july august september october november december "
    "let get go come came kill love me him them us to in on at by for from with without of up down out".split()
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of the parsed text and where it stands in the passage. `kind` is "" for plain text."""

    start: int
    end: int
    source_start: int
    source_end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Aside:
    """A bracket that was taken out. `position` is where it would stand in the parsed text."""

    text: str
    source_start: int
    source_end: int
    position: int


@dataclass(frozen=True, slots=True)
class Turn:
    """Where a turn of a conversation begins, and where its speaker stands. `sure`: he speaks more than once."""

    start: int
    end: int
    name_start: int
    name_end: int
    sure: bool

    def speaker(self, source: str) -> str:
        """ "MaryJones" is Mary Jones."""
        return " ".join(_CAMEL.split(source[self.name_start : self.name_end]))


@dataclass(frozen=True, slots=True)
class Reading:
    """The text to parse, with the way back to the passage (or window of it)."""

    source: str
    text: str
    pieces: tuple[Piece, ...]
    asides: tuple[Aside, ...]
    rows: tuple[Row, ...] = ()
    turns: tuple[Turn, ...] = ()
    identifiers: tuple[Identifier, ...] = ()

    def spans(self, doc: Doc) -> list[tuple[int, int, str]]:
        """(source start, source end, kind) of each token of the parsed text."""
        spans = []
        at = 0
        pieces = self.pieces
        for token in doc:
            start = token.idx
            end = start + len(token)
            while pieces[at].end <= start:
                at += 1
            piece = pieces[at]
            if piece.kind:
                spans.append((piece.source_start, piece.source_end, piece.kind))
            else:
                last = at
                while self.pieces[last].end < end:  # joined across a hyphen
                    last += 1
                tail = self.pieces[last]
                until = tail.source_end if tail.kind else end - tail.start + tail.source_start
                spans.append((start - piece.start + piece.source_start, until, ""))
        return spans

    def between(self, start: int, end: int) -> str:
        """The passage between two places of the parsed text, asides included."""
        return self.source[self._source(start) : self._source(end)]

    def _source(self, position: int) -> int:
        for piece in self.pieces:
            if piece.start <= position < piece.end:
                return piece.source_start + (0 if piece.kind else position - piece.start)
        return len(self.source)


def read(source: str, title: str) -> Reading:
    """Prepares one window of a passage for spaCy."""
    rows = tuple(find_rows(source))
    turns = tuple(find_turns(source, rows))
    identifiers = tuple(find_identifiers(source))
    cuts = _cuts(source, title, rows, turns, identifiers)
    text: list[str] = []
    pieces: list[Piece] = []
    asides: list[Aside] = []
    length = at = 0

    def add(part: str, start: int, end: int, kind: str) -> None:
        nonlocal length
        if part:
            text.append(part)
            pieces.append(Piece(length, length + len(part), start, end, kind))
            length += len(part)

    for start, end, kind in cuts:
        add(source[at:start], at, start, "")
        at = end
        if kind == "aside":
            asides.append(Aside(source[start : source.rindex(")", start, end) + 1], start, end, length))
        elif kind in {"stop", "dash"}:
            add(" ", start, start, "")
            add(source[start:end], start, end, "")
            add(" " if kind == "dash" else "", end, end, "")
        elif kind not in {"reference", "space", "field", "heading", "speaker"}:
            mask = MASKS[kind]
            add("" if not length or text[-1][-1].isspace() else " ", start, start, "")
            add(mask, start, end, kind)
            add(" " if end < len(source) and source[end].isalnum() else "", end, end, "")
    add(source[at:], at, len(source), "")
    parsed = _DO.sub(r"\1de", "".join(text))  # as long as before, so that places stay
    return Reading(source, parsed, tuple(pieces), tuple(asides), rows, turns, identifiers)


def find_turns(source: str, rows: tuple[Row, ...] = ()) -> list[Turn]:
    """Turns of a conversation, in order; none where no two lines begin so. Fields are no turns."""
    fields = {field.start for row in rows for field in row.fields}
    found = [m for m in _TURN.finditer(source) if m.start(m.lastgroup or 0) not in fields]
    times = Counter(m.group(m.lastgroup or 0) for m in found)
    return [
        Turn(*m.span(), *m.span(m.lastgroup or 0), times[m.group(m.lastgroup or 0)] > 1)
        for m in found
        if len(found) > 1
    ]


def _cuts(
    source: str,
    title: str,
    rows: tuple[Row, ...],
    turns: tuple[Turn, ...],
    identifiers: tuple[Identifier, ...],
) -> list[tuple[int, int, str]]:
    """(start, end, kind) of what is masked or taken out, in order; the earlier and outer one wins."""
    found = [_aside(source, m) for m in _BRACKET.finditer(source) if _is_aside(m.group(1))]
    for field in (field for row in rows for field in row.fields):
        found.append((field.start, field.end if field.short else field.value_start, "field"))
    found += [(turn.start, turn.end, "speaker") for turn in turns]
    found += [(one.start, one.end, "identifier") for one in identifiers]
    found += [(m.start(), m.end(), "dash") for m in _DASH.finditer(source)]
    found += [(m.start(), m.end(), "reference") for m in _REFERENCE.finditer(source)]
    found += [(m.start(), m.end(), "work") for m in _QUOTED.finditer(source) if _is_work(m.group(1))]
    found += [(m.start(), m.end(), "space") for m in _HYPHEN.finditer(source)]
    found += [(m.start(), m.end(), "stop") for m in _STOP.finditer(source)]
    found += [(m.start(), m.end(), "money") for m in _MONEY.finditer(source)]
    if heading := _heading(source, title):
        found.append((0, heading, "heading"))
    found += [(start, end, "date") for start, end in find_dates(source)]
    found += [(start, end, "title") for start, end in _titles(source, title)]
    found.sort(key=lambda cut: (cut[0], RANKS.index(cut[2])))
    cuts: list[tuple[int, int, str]] = []
    for cut in found:
        if not cuts or cut[0] >= cuts[-1][1]:
            cuts.append(cut)
    return cuts


def _heading(source: str, title: str) -> int:
    """Length of a first line that repeats the title; it is no part of the first sentence."""
    line = source.split("\n", 1)[0]
    return len(line) if "\n" in source and title and normalise(line) == normalise(title) else 0


def _titles(source: str, title: str) -> list[tuple[int, int]]:
    """Where the title is masked: as a phrase everywhere, with its quotation marks; else where it is defined."""
    if not is_phrase(title):
        return [(0, len(title))] if _defines(source, title) else []
    words = r"\s+".join(re.escape(word).replace(r"\-", r"-\s?") for word in title.split())
    pattern = rf"(?:(?:[\"“]|``)\s?)?(?<!\w){words}(?!\w)(?:\s?(?:[\"”]|''))?"
    return [found.span() for found in re.finditer(pattern, source)]


def _defines(source: str, title: str) -> bool:
    """Whether the text begins by saying what the title is: "Anna Berg (born 1960) is a". Any title is masked there."""
    if not normalise(title) or not source.startswith(title):
        return False
    return _IS.match(_BRACKET.sub("", source[len(title) : len(title) + 400])) is not None


def is_phrase(title: str) -> bool:
    """Whether the title reads as a phrase ("Kill or Be Killed"), not as a plain name ("Anna Berg")."""
    words = title.split()
    if not normalise(title):
        return False
    plain = all(_PLAIN_WORD.fullmatch(word) for word in words)
    return not plain or any(word.casefold() in _PHRASE_WORDS for word in words)


def _aside(source: str, bracket: re.Match[str]) -> tuple[int, int, str]:
    """The bracket, with the comma after it where one stands before it too: "Ince, (1878 - 1947), was"."""
    start, end = bracket.span()
    doubled = start > 0 and source[start - 1] == "," and source[end : end + 1] == ","
    return start, end + doubled, "aside"


def _is_aside(inside: str) -> bool:
    """Short brackets that carry a date, an alias or a note; whole sentences stay in the text."""
    return len(inside) <= MAX_ASIDE and "\n\n" not in inside


def _is_work(inside: str) -> bool:
    """Quotations short enough, and capitalised enough, to be the name of a work; speech ends with a mark."""
    words = inside.split()
    capitalised = all(not word[0].islower() for word in words if len(word) > 3)
    return bool(words) and len(words) <= 8 and capitalised and inside[-1] not in ",;.!?-—…"
