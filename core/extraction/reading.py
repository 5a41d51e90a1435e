"""What spaCy is given to read: a passage without its asides, with works and dates as one word each.

The small pipeline parses "Kill or Be Killed( also known as ...) is a 1966 film" wrongly and
"Casablanca is a 1966 film" rightly. So names whose inside is no matter of grammar are masked by
one word, brackets are taken out (`core.extraction.asides` reads them), and `Reading` remembers
where every character came from.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.extraction.identifiers import Identifier, find_identifiers
from core.extraction.inverted_names import Inverted, Recognise, inverted_names
from core.extraction.names import normalise
from core.text.dates import find_dates

if TYPE_CHECKING:
    from spacy.tokens import Doc

MASKS = {
    "work": "Casablanca",
    "date": "1987",
    "money": "5000",
    "identifier": "Casablanca",
    "person": "Johnson",  # a name written surname first
}
# Of cuts that begin at the same place the first of these wins.
RANKS = (
    "heading",
    "identifier",
    "aside",
    "reference",
    "person",
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
# "Clara Wendt, née Sommer, married": her other name is taken out, as in brackets.
_BORN = ("née", "nee", "geb.", "geborene")
_NEE = rf"\s(?:{'|'.join(map(re.escape, _BORN))})\s[A-ZÀ-ÖØ-Þ][\w'’-]+(?:\s[A-ZÀ-ÖØ-Þ][\w'’-]+)?"
_MAIDEN = re.compile(rf",{_NEE},(?=\s)|,?{_NEE}(?=[\s.;])")
_QUOTED = re.compile(r"(?:[\"“]|``)\s*([A-Z0-9¿¡'][^\"“”`\n]{0,80}?)\s*(?:[\"”]|'')")
# "Century- Fox", "live -action", "pro-\nduction": white space beside a hyphen within a word.
_HYPHEN = re.compile(r"(?<=[^\W\d]-)\s(?!(?:and|or|to)\b)(?=[^\W\d])|(?<=[^\W\d])\s(?=-[^\W\d])")
_MONEY = re.compile(
    r"(?<![\w$£€¥])(?:(?:EUR|USD|GBP|CHF|JPY|US\$|A\$|C\$|[$£€¥])\s?\d[\d,.]*\d(?:\s(?:million|billion|thousand))?"
    r"|\d[\d,.]*\s(?:EUR|USD|GBP|CHF|JPY))(?!\w)"
)
# The full stop after "Ltd" that may end the sentence too; within the word the parser does not see it.
_STOP = re.compile(r"(?:(?<=\b(?:Ltd|Inc|Lda|plc|LLC|LLP))|(?<=\b(?:GmbH|Corp)))\.(?=\s+[A-Z]|\s*$)")
# Between words without a blank: no name runs over it.
_DASH = re.compile(r"(?<=[^\s\d-])(?:-{2,}|—)(?=[^\s-])")


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
class Reading:
    """The text to parse, with the way back to the passage (or window of it)."""

    source: str
    text: str
    pieces: tuple[Piece, ...]
    asides: tuple[Aside, ...]
    identifiers: tuple[Identifier, ...] = ()
    inverted: tuple[Inverted, ...] = ()  # names written surname first

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
        """Return the passage between two places of the parsed text, asides included."""
        return self.source[self._source(start) : self._source(end)]

    def _source(self, position: int) -> int:
        for piece in self.pieces:
            if piece.start <= position < piece.end:
                return piece.source_start + (0 if piece.kind else position - piece.start)
        return len(self.source)


def read(source: str, title: str, recognise: Recognise | None = None) -> Reading:
    """Prepare one window of a passage for spaCy; `recognise` tells names written surname first from places."""
    identifiers = tuple(find_identifiers(source))
    inverted = inverted_names(source, recognise)
    cuts = _cuts(source, title, identifiers, inverted)
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
        elif kind not in {"reference", "space", "heading"}:
            mask = MASKS[kind]
            add("" if not length or text[-1][-1].isspace() else " ", start, start, "")
            add(mask, start, end, kind)
            add(" " if end < len(source) and source[end].isalnum() else "", end, end, "")
    add(source[at:], at, len(source), "")
    return Reading(source, "".join(text), tuple(pieces), tuple(asides), identifiers, inverted)


def _cuts(
    source: str,
    title: str,
    identifiers: tuple[Identifier, ...],
    inverted: tuple[Inverted, ...],
) -> list[tuple[int, int, str]]:
    """(start, end, kind) of what is masked or taken out, in order; the earlier and outer one wins."""
    found = [_aside(source, m) for m in _BRACKET.finditer(source) if _is_aside(m.group(1))]
    found += [(one.start, one.end, "identifier") for one in identifiers]
    found += [(one.start, one.end, "person") for one in inverted]
    found += [(m.start(), m.end(), "dash") for m in _DASH.finditer(source)]
    found += [(m.start(), m.end(), "reference") for m in _REFERENCE.finditer(source)]
    if any(f" {word} " in source for word in _BORN):
        found += [(m.start(), m.end(), "reference") for m in _MAIDEN.finditer(source)]
    found += [(m.start(), m.end(), "work") for m in _QUOTED.finditer(source) if _is_work(m.group(1))]
    found += [(m.start(), m.end(), "space") for m in _HYPHEN.finditer(source)]
    found += [(m.start(), m.end(), "stop") for m in _STOP.finditer(source)]
    found += [(m.start(), m.end(), "money") for m in _MONEY.finditer(source)]
    if (heading := _heading(source, title)) and not any(one.start < heading for one in inverted):
        found.append((0, heading, "heading"))
    found += [(start, end, "date") for start, end in find_dates(source)]
    found.sort(key=lambda cut: (cut[0], RANKS.index(cut[2])))
    cuts: list[tuple[int, int, str]] = []
    for cut in found:
        if not cuts or cut[0] >= cuts[-1][1]:
            cuts.append(cut)
    return cuts


def _heading(source: str, title: str) -> int:
    """Return the length of a first line that repeats the title; it is no part of the first sentence."""
    line = source.split("\n", 1)[0]
    return len(line) if "\n" in source and title and normalise(line) == normalise(title) else 0


def _aside(source: str, bracket: re.Match[str]) -> tuple[int, int, str]:
    """Return the bracket, with the comma after it where one stands before it too: "Ince, (1878 - 1947), was"."""
    start, end = bracket.span()
    doubled = start > 0 and source[start - 1] == "," and source[end : end + 1] == ","
    return start, end + doubled, "aside"


def _is_aside(inside: str) -> bool:
    """Return whether short brackets carry a date, an alias or a note; whole sentences stay in the text."""
    return len(inside) <= MAX_ASIDE and "\n\n" not in inside


def _is_work(inside: str) -> bool:
    """Return whether the quotation is short enough, and capitalised enough, to be the name of a work; speech ends
    with a mark."""
    words = inside.split()
    capitalised = all(not word[0].islower() for word in words if len(word) > 3)
    shouted = len(words) > 1 and inside.isupper()  # "AS IS"
    return bool(words) and len(words) <= 8 and capitalised and not shouted and inside[-1] not in ",;.!?-—…"
