"""Lists of references, recognised by the form of their entries, and which document an entry cites.

An entry begins with its authors ("Smith, J. and Lee, K.", "A. Author", "Ana Author, Bo Writer, and Cy Poet."), has a
year, and says where the work was published. Below a heading such as "References" most of what follows must look so;
without one four such entries or more must stand together, half of which name a journal, a conference, a publisher of
scholars, or an identifier of works. Dates, names and numbers of volumes alone make no list of references: registers,
minutes and lives are full of them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from rapidfuzz import fuzz

RULES = "1"  # of what is a list of references: another one, and all texts are looked through again

_FEWEST = 4  # entries that stand together without a heading
_FEWEST_HEADED = 2
_CERTAIN = 0.5  # least share of entries that say where the work was published, without a heading
_LONGEST = 900  # characters of an entry
_RUN_IN = 300  # a longer paragraph may hold several entries
_BEGINNING = 400  # characters that the authors may take
_REST = (
    300  # characters of other text; a document of fewer is nothing but a list, and is told of as any other
)

_HEADING = re.compile(
    r"^[ \t#*_]*(?:(?:\d{1,2}|[IVX]{1,5}|[A-Z])[.)]?[ \t]+)?"
    r"(?:list of )?(?:references|bibliography|literature|literature cited|references cited|works cited|cited works|"
    r"references and notes|selected bibliography|further reading|literatur|literaturverzeichnis|bibliographie|"
    r"références|bibliografía|bibliografia|riferimenti bibliografici)[ \t*_:.]*$",
    re.IGNORECASE | re.MULTILINE,
)
_PART = re.compile(
    r"[ \t#*_]*(?:#|appendix|annex|acknowledge?ments?\b|[A-Z]\.?\d+(?:\.\d+)*[ \t])", re.IGNORECASE
)
_LABEL = re.compile(r"[ \t]*(?:[-*•–][ \t]+)?(?:\[[^\]\n]{1,12}\]|\(\d{1,3}\)|\d{1,3}[.)])?[ \t]*")
_INITIALS = r"(?:[^\W\d_a-z]\.[ \-]?){1,4}"
_PARTICLE = r"(?:[Vv]an|[Vv]on|[Dd]e|der|den|[Dd]i|[Dd]a|du|[Ll]a|[Ll]e|al|ten|ter)"
_SURNAME = rf"(?:{_PARTICLE} ){{0,2}}[^\W\d_a-z][\w'’]+(?:[- ][^\W\d_a-z][\w'’]+)?"
# "Smith, J.", and no verb after it.
_TURNED = rf"{_SURNAME}, {_INITIALS}(?=\s*(?:[,;&(:“\"*\d]|and |et |[^\W\d_a-z]|$))"
_PLAIN = rf"{_INITIALS} ?{_SURNAME}"  # "J. Smith"
_FULL = rf"[^\W\d_a-z][\w'’\-]+(?: (?:{_PARTICLE} )*[^\W\d_a-z][\w'’\-]*\.?){{1,3}}"  # "Jonathan Larson"
_AUTHORS = re.compile(
    rf"(?:{_TURNED}|{_PLAIN}(?=,| and | et | \(|\.|:)|{_FULL}(?:,? and {_FULL}|, {_FULL}|(?:,? et al\.?)|(?=\. \d{{4}})"
    r"|(?= \(\d{4}))"
    r"|[^\W\d_a-z][^.\n]{2,60}\. \(\d{4}[a-z]?\)\.)"
)
# Not after an initial: "J. Clark, G. Krueger" are two authors of one work.
_AGAIN = re.compile(rf"(?<=[.)*”\"])(?<![^\W\d_a-z]\.)[ \t]+(?={_SURNAME}, {_INITIALS}|\[\d{{1,3}}\] )")
_YEAR = re.compile(r"(?<![\d.:/-])(?:1[5-9]|20)\d\d[a-z]?(?![\d:/])|\bn\.d\.|\bforthcoming\b|\bin press\b")
_PUBLISHED = re.compile(
    r"\b(?:proceedings|proc\.|conference|symposium|workshop|journal|j\. of|transactions|trans\.|letters|arxiv|"
    r"e-?prints?|preprint|corr|doi|isbn|issn|phd thesis|dissertation|technical report|tech\. rep|university press|"
    r"univ\. press|springer|elsevier|wiley|routledge|acm|ieee|aaai|pmlr|neurips|curran|lecture notes|"
    r"\d+ ?\(\d+(?:[–-]\d+)?\)[,:] ?(?:pp?\. ?)?\d+[–-]\d+|vol\. \d+, no\. \d+|eds?\.\)|et al\.)"
    r"|\b[A-Z]{4,8}(?:[ ’']\d{2,4})?, ?(?:pp?\. ?)?\d+[–-]\d+",
    re.IGNORECASE,
)
_PLACED = re.compile(r"\bpp?\. ?\d|\bvol\. ?\d|\d[–-]\d+\.?$|https?://|\bpress\b|\(eds?\.\)", re.IGNORECASE)
_HINT = 3  # signs of publication in a text that may hold a list


class _Form(IntEnum):
    """How much a piece of text looks like an entry."""

    NONE = 0
    LIKELY = 1  # authors and year, or one of them with a place of publication
    CERTAIN = 2  # all of them, as scholars write it


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    form: _Form


def reference_lists(text: str) -> tuple[tuple[int, int], ...]:
    """Return where lists of references stand, (start, end) in order, without overlap, their headings included.

    () for a document that is nothing else.
    """
    headings = [match.span() for match in _HEADING.finditer(text)]
    if not headings and sum(1 for _, _ in zip(_PUBLISHED.finditer(text), range(_HINT), strict=False)) < _HINT:
        return ()
    found: list[tuple[int, int]] = []
    for start, after in headings:
        if not (found and start < found[-1][1]) and (end := _below(text, after)):
            found.append((start, end))
    found += _alone(text, found)
    if len(text.strip()) - sum(end - start for start, end in found) < _REST:
        return ()
    return tuple(sorted(found))


def entries(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Return where each entry of the list text[start:end] stands; its headings and numbers of pages are none."""
    return ((piece.start, piece.end) for piece in _pieces(text, start, end) if piece.form)


def _below(text: str, start: int) -> int:
    """Return where the list below a heading ends; 0 where there is none."""
    end = entries = missed = others = 0
    for piece in _pieces(text, start, len(text)):
        if _HEADING.fullmatch(text[piece.start : piece.end].strip()):
            break
        if piece.form == _Form.CERTAIN or (piece.form and not missed):
            end, entries, missed = piece.end, entries + 1, 0
            continue
        missed += 1
        others += piece.end - piece.start > _RUN_IN // 4
        # The number or the head of a page may stand between entries; what is longer, or goes on, is another part.
        if missed > 2 or others > max(1, entries // 4):
            break
    return end if entries >= _FEWEST_HEADED else 0


def _alone(text: str, known: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield lists without a heading, outside of those that are known."""
    bounds = [0, *(offset for span in sorted(known) for offset in span), len(text)]
    for start, end in zip(bounds[::2], bounds[1::2], strict=True):
        for run in _runs(_pieces(text, start, end)):
            certain = sum(piece.form == _Form.CERTAIN for piece in run)
            if len(run) >= _FEWEST and certain >= _CERTAIN * len(run):
                yield run[0].start, run[-1].end


def _runs(pieces: Iterable[_Piece]) -> Iterator[list[_Piece]]:
    """Yield entries that stand together; one piece between two may be something else, such as the number of a page."""
    run: list[_Piece] = []
    missed = 0
    for piece in pieces:
        missed = 0 if piece.form else missed + 1
        if piece.form:
            run.append(piece)
        elif run and missed > 1:
            yield run
            run = []
    yield run


def _pieces(text: str, start: int, end: int) -> Iterator[_Piece]:
    """Yield text[start:end] in what may be one entry each: from a line that begins as entries do to the next such
    line."""
    begin = at = start
    blank = True
    for line in _lines(text, start, end):
        stripped = line.strip()
        opens = bool(stripped) and (blank or _opens(line))
        if opens and at > begin:
            yield from _judged(text, begin, at)
            begin = at
        blank = not stripped
        at += len(line)
    yield from _judged(text, begin, end)


def _lines(text: str, start: int, end: int) -> Iterator[str]:
    """Yield the lines of text[start:end], one by one: below each of many headings few are looked at."""
    while start < end:
        after = text.find("\n", start, end) + 1 or end
        yield from text[start:after].splitlines(keepends=True)
        start = after


def _opens(line: str) -> bool:
    label = _LABEL.match(line)
    after = label.end() if label else 0
    return (
        bool(line[:after].strip())
        or _AUTHORS.match(line, after) is not None
        or _PART.match(line) is not None
        or _HEADING.fullmatch(line.strip()) is not None
    )


def _judged(text: str, start: int, end: int) -> Iterator[_Piece]:
    """Yield the piece, or the entries that a long paragraph holds."""
    start += len(text[start:end]) - len(text[start:end].lstrip())
    end = start + len(text[start:end].rstrip())
    if start >= end:
        return
    cuts = [start]
    if end - start > _RUN_IN:
        cuts += [match.end() for match in _AGAIN.finditer(text, start, end)]
    for left, right in zip(cuts, [*cuts[1:], end], strict=True):
        yield _Piece(left, right, _form(text[left:right]))


def _form(text: str) -> _Form:
    if len(text) > _LONGEST:
        # Some list a hundred authors: then the last part says where and when.
        text = (
            text[:_BEGINNING] + text[-_BEGINNING:]
            if "et al" in text or text.count(",") > len(text) / 40
            else ""
        )
    plain = text.replace("*", "").replace("_", "")
    label = _LABEL.match(plain)
    after = label.end() if label else 0
    authors = _AUTHORS.match(plain, after) is not None
    year = _YEAR.search(plain) is not None
    published = _PUBLISHED.search(plain) is not None
    if authors and year and published:
        return _Form.CERTAIN
    placed = published or _PLACED.search(plain.rstrip()) is not None
    labelled = plain[:after].strip().startswith("[")
    return _Form.LIKELY if (authors and (year or placed)) or (labelled and year and placed) else _Form.NONE


_ALIKE = 94.0  # per cent of letters, of a title that is not there letter by letter
_WORD_ALIKE = 70.0  # of each of its words
_WORDS, _LETTERS = 4, 24  # of a title that stands for itself
_SHORTEST = 2  # words of any title
_WORD = re.compile(r"[^\W_]+")
_BROKEN = re.compile(r"(?<=[^\W\d_])-\s*\n\s*(?=[^\W\d_])")  # a word at the end of a line
_CITED_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_MARKS = frozenset(".,;:?!\"'“”‘’„«»()[]{}*_–—-/")


@dataclass(frozen=True, slots=True)
class Work:
    """What is known of a document that may be cited; "" where nothing is."""

    title: str
    author: str = ""
    year: str = ""


class Works:
    """All works at hand, to be found in entries. Each is looked for only where the rarest word of its title stands."""

    def __init__(self, works: Sequence[Work]) -> None:
        self._works = works
        self._titles = [" ".join(work.title.casefold().split()) for work in works]
        words = [frozenset(_WORD.findall(title)) for title in self._titles]
        common = Counter(word for title_words in words for word in title_words)
        self._by_word: defaultdict[str, list[int]] = defaultdict(list)
        for number, title_words in enumerate(words):
            if len(_WORD.findall(self._titles[number])) >= _SHORTEST:
                # Of two, so that one may be misread.
                for word in sorted(title_words, key=lambda word: (common[word], -len(word), word))[:2]:
                    self._by_word[word].append(number)

    def cited(self, entry: str) -> int | None:
        """Return the row of the work that an entry cites; None where it is none of them, or one cannot tell which."""
        text = " ".join(_BROKEN.sub("", entry).casefold().split())
        words = frozenset(_WORD.findall(text))
        near = {number for word in words for number in self._by_word.get(word, ())}
        found = [number for number in sorted(near) if self._names(text, words, number)]
        if not found:
            return None
        longest = max(len(self._titles[number]) for number in found)
        best = [number for number in found if len(self._titles[number]) == longest]
        if len(best) > 1:
            best = [number for number in best if self._certain(words, number)]
        return best[0] if len(best) == 1 else None

    def _names(self, text: str, words: frozenset[str], number: int) -> bool:
        title = self._titles[number]
        length = len(_WORD.findall(title))
        if not _stands_in(title, text, exactly=length < _WORDS or len(title) < _LETTERS):
            return False
        return (length >= _WORDS and len(title) >= _LETTERS) or self._certain(words, number)

    def _certain(self, words: frozenset[str], number: int) -> bool:
        """Return whether the entry names an author of the work, and no other year."""
        work = self._works[number]
        years = {word[:4] for word in words if _CITED_YEAR.match(word)}
        surnames = {name for name in _WORD.findall(work.author.casefold()) if len(name) > 2}
        if work.year and years and work.year not in years:
            return False
        return bool(surnames & words) or (not surnames and bool(work.year) and work.year in years)


def _stands_in(title: str, text: str, exactly: bool) -> bool:
    """Return whether the title stands in the text as a whole: a mark before it, and one behind."""
    at = text.find(title)
    while at >= 0:
        if _apart(text, at, at + len(title)):
            return True
        at = text.find(title, at + 1)
    if exactly:
        return False
    found = fuzz.partial_ratio_alignment(title, text, score_cutoff=_ALIKE)
    if found is None:
        return False
    start, end = found.dest_start, found.dest_end
    # To the borders of words, which an alignment may miss by a letter.
    while start > 0 and text[start - 1].isalnum() and found.dest_start - start < 2:
        start -= 1
    while end < len(text) and text[end].isalnum() and end - found.dest_end < 2:
        end += 1
    # Word for word: "Graph retrieval: a survey" is not "Han, Retrieval: a survey", however many letters they share.
    words, others = _WORD.findall(title), _WORD.findall(text[start:end])
    if len(words) != len(others) or any(
        fuzz.ratio(one, other) < _WORD_ALIKE for one, other in zip(words, others, strict=True)
    ):
        return False
    return _apart(text, start, end)


def _apart(text: str, start: int, end: int) -> bool:
    before, behind = text[:start].rstrip(), text[end:].lstrip()
    return (not before or before[-1] in _MARKS or not text[start].isalnum()) and (
        not behind or behind[0] in _MARKS or not text[end - 1].isalnum()
    )


def years(dates: Iterable[str]) -> list[str]:
    """Return the year that each date begins with, or ""."""
    return [date[:4] if _CITED_YEAR.fullmatch(date[:4]) else "" for date in dates]
