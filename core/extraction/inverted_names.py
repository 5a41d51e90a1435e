"""Names written surname first: "Solberg, Henrik", "SOLBERG, Henrik K.", "van der Berg, Dr. Jan, Jr.".

The shape alone is that of "Berlin, Germany", too. So it counts where it fills a line, an item, a cell or a field, or
leads a sentence, and where the parts are a person's in their natural order: the writing itself says so (an initial, an
honorific, the natural order in the same text), or the recogniser of the text's language does, of most of a list.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.extraction.names import GENERATIONS, NAME_PARTICLES
from core.extraction.titles import HONORIFICS, KNOWN_FORENAMES, POSTNOMINALS, TITLES
from core.text.sentences import LEGAL_FORMS
from core.types import ExtractedMention

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_UP = r"[^\W\d_a-zß-öø-ÿ]"
_TITLE = rf"(?:{'|'.join(sorted(HONORIFICS, key=len, reverse=True))})\b\.?"
_PARTICLES = "|".join(sorted(NAME_PARTICLES, key=len, reverse=True))
_PARTICLE = rf"(?:(?i:{_PARTICLES})(?=[ '’]))"
_WORD = rf"{_UP}[^\W\d_]*(?:['’-][^\W\d_]+)*"
_INITIAL = rf"{_UP}\."
_SURNAME = rf"(?:{_PARTICLE}[ '’]){{0,3}}{_WORD}(?:[ ](?:(?:{_PARTICLE}[ ]){{0,2}}){_WORD}){{0,2}}"
_FORENAMES = (
    rf"(?:{_INITIAL}|{_WORD})(?:[ -]?(?:{_INITIAL}|(?<=[ -]){_WORD})){{0,3}}(?:[ ](?:{_PARTICLES})\b){{0,3}}"
)
_GENERATION = r"(?i:jr|sr|junior|senior)\b\.?|I{2,3}\b|IV\b"
_SHAPE = re.compile(
    rf"(?<![\w.'’&/@-])(?P<before>(?i:{_TITLE})[ ])?(?P<surname>{_SURNAME})(?:[ ](?P<early>{_GENERATION}))?,[ ]"
    rf"(?P<title>(?i:{_TITLE})[ ])?(?P<given>{_FORENAMES})(?:,?[ ](?P<late>{_GENERATION}))?(?![\w@’'/-])"
)
_COMMA = re.compile(rf"(?<=[\w.]),[ ](?={_UP})")
_AROUND = re.compile(rf",[ ](?:(?P<word>{_UP}[\w'’-]+)[ ]?)?(?P<initial>{_UP}\.)?")
_WORD_START = re.compile(r"(?<![\w.'’&/@-])\w")
# Where a line, an item, a cell or a field begins, and where one ends.
_OPENS = re.compile(
    r"(?:^|\n)[ \t>|]*(?:(?:[-*•–·▪‣]|\(?\d{1,3}[.)]|\(?[a-z]\))[ \t]+)?(?P<label>[^\n:;|]{1,40}:[ \t]+)?$"
    r"|[;|\t][ \t]*(?P<next>[^\n:;|]{1,40}:[ \t]+)?$"
)
_CLOSES = re.compile(
    r"[ \t]*(?:$|\n|[;|\t:(\[]|[ ]{2}|\.(?:\s|$)|[–—-][ \t]"
    r"|,[ ](?!(?:and|or|und|oder|et|ou|y|o|e|og|och|en)\b)[a-zß-öø-ÿ\d])"
)
# Not behind an abbreviation: "St. Moritz, Ruud finished".
_SENTENCE = re.compile(r"(?:^|\n|\b(?:[^\W\d_]{4,}|[a-zß-öø-ÿ]+|\d+)[.!?][\"”’)]*[ ])[ \t]*$")
_GOES_ON = re.compile(r"[ ](?P<next>[^\W\d_]+)")
_JOINED = frozenset("and or & und oder et ou y o e og och ja en".split())
# "as" and "ab" are words, too.
_FORMS = LEGAL_FORMS - {"as", "holding", "holdings"}
# Four names or more, each of one word.
_SERIES = re.compile(rf"(?<![^\W_]){_WORD}(?:, {_WORD}){{3}}(?![\w.])")
_ONE_INITIAL, _LAST_INITIAL = re.compile(rf"(?:^|[ -]){_INITIAL}"), re.compile(rf"(?:^|[ ]){_INITIAL}$")
_STATES = frozenset({"D.C.", "U.S.", "U.S.A.", "U.K.", "B.C.", "N.Y."})
_LONGEST = 70  # characters
_MOST_WORDS = 7  # before the comma of a name that begins where its line, field or sentence does
_LOOK_BACK, _LOOK_AHEAD = 60, 60


@dataclass(frozen=True, slots=True)
class Inverted:
    """A name written surname first, by its place; `natural` is what it reads like in the usual order."""

    start: int
    end: int
    written: str
    natural: str


@dataclass(frozen=True, slots=True)
class Sighting:
    """A name in its natural order, for the recogniser; `rest`: how its sentence goes on, if it leads one."""

    natural: str
    surname: str
    forename: str
    rest: str = ""


# Of each: 1 for a person's, -1 for what is none, 0 where nothing tells.
Recognise = Callable[[Sequence[Sighting]], Sequence[int]]
_PERSONS, _PLACES = frozenset({"PERSON", "PER"}), frozenset({"GPE", "LOC", "NORP", "FAC"})
_NO_NAME = frozenset({"NN", "NNS", "JJ", "VBG"})
_AGAINST = 2  # what one that is no person's takes from a list: those are rarely seen among people
_TITLE_AND_VERB = {"fr": ("M. ", " a dit cela.")}  # of a sentence in which only a person is named
_IN_ENGLISH = ("Mr. ", " said so.")


def recogniser(nlp: Language) -> Recognise:
    """Return a recogniser by named entities and tags of the parts in small sentences of their own.

    Where a sentence goes on, its verb must follow: "Solberg, Henrik signed", not "However, Carter ended".
    """
    title, verb = _TITLE_AND_VERB.get(nlp.lang or "", _IN_ENGLISH)

    def read(text: str) -> Doc:
        doc = nlp.make_doc(text)
        for name, pipe in nlp.pipeline:
            doc = doc if name == "parser" else pipe(doc)
        return doc

    def vote(one: Sighting) -> int:
        if one.rest.strip() and not _leads(read(f"{one.surname}, {one.forename}{one.rest}."), one):
            return -1
        bare, alone = read(one.natural), read(f"{one.forename}{verb}")
        length = len(one.natural)
        person = _labelled(bare, length, _PERSONS) or _labelled(read(one.natural + verb), length, _PERSONS)
        placed = _labelled(alone, 1, _PLACES)
        if person and not placed:
            return 1 if not _labelled(read(f"{one.surname}{verb}"), len(one.surname), _PLACES) else 0
        if _labelled(alone, len(one.forename), _PERSONS):
            named = read(f"{title}{one.natural}{verb}")
            return int(any(e.label_ in _PERSONS and one.natural in e.text for e in named.ents))
        common = not person and any(token.tag_ in _NO_NAME for token in bare)
        return -1 if common or (placed and not person) else 0

    def votes(sightings: Sequence[Sighting]) -> list[int]:
        known = {one: vote(one) for one in dict.fromkeys(sightings)}
        return [known[one] for one in sightings]

    return votes


def _labelled(doc: Doc, end: int, labels: frozenset[str]) -> bool:
    """Return whether an entity of one of these labels covers the text from its begin to `end`."""
    return any(e.label_ in labels and e.start_char == 0 and e.end_char >= end for e in doc.ents)


def _leads(doc: Doc, one: Sighting) -> bool:
    end = len(one.surname) + 2 + len(one.forename)
    following = next((token for token in doc if token.idx >= end), None)
    if following is None or (following.tag_ and following.tag_[:2] not in {"VB", "MD"}):
        return False
    return all(not t.tag_ or t.tag_[:3] == "NNP" for t in doc if t.idx < end and t.text[:1].isupper())


@dataclass(frozen=True, slots=True)
class _Candidate:
    found: Inverted
    sighting: Sighting
    group: str  # of what is judged together; "" for prose
    sure: bool


def inverted_names(text: str, recognise: Recognise | None) -> tuple[Inverted, ...]:
    """Return those of a text in order. Without `recognise` only what the writing itself says."""
    candidates = list(_candidates(text)) if ", " in text else []
    if not candidates:
        return ()
    asked = [one.sighting for one in candidates if not one.sure]
    answers = iter(recognise(asked) if recognise is not None and asked else [0] * len(asked))
    votes = [1 if one.sure else next(answers) for one in candidates]
    groups: dict[str, list[int]] = defaultdict(list)
    for one, vote in zip(candidates, votes, strict=True):
        groups[one.group].append(vote)
    lists = {group: own.count(1) > _AGAINST * own.count(-1) for group, own in groups.items()}
    return tuple(one.found for one in candidates if one.sure or lists[one.group])


def with_inverted(
    mentions: Iterable[ExtractedMention], inverted: Sequence[Inverted], offset: int = 0
) -> tuple[ExtractedMention, ...]:
    """Return each inverted name in its natural order and as it is written, in place of what was found within it."""
    spans = [(one.start + offset, one.end + offset) for one in inverted]
    found = [m for m in mentions if not any(m.start < end and start < m.end for start, end in spans)]
    for one, span in zip(inverted, spans, strict=True):
        found += [ExtractedMention(text, "PERSON", *span) for text in (one.natural, one.written)]
    return tuple(sorted(found, key=lambda mention: (mention.start, mention.end)))


def natural_order(written: str) -> str:
    """ "SOLBERG, Henrik" -> "Henrik Solberg"; "" where the whole is not of that shape."""
    match = _SHAPE.fullmatch(written)
    return _natural(match) if match is not None else ""


def _candidates(text: str) -> Iterator[_Candidate]:
    line, last = -2, ""  # number of the line that held the last one of a field, and its group
    lines, singles = _line_numbers(text), _SERIES.search(text) is not None
    chained, chain = -1, 0  # where a candidate that "and" leads on begins, and the group of both
    for match in _shapes(text):
        start, end = match.span()
        if end - start > _LONGEST or _is_other(match) or _are_two(match, text, singles):
            continue
        natural = _natural(match)
        opens = _OPENS.search(text, max(0, start - _LOOK_BACK), start)
        field = opens is not None and _CLOSES.match(text, end) is not None
        group, rest = "", "" if field else _leading(text, match, chained)
        if field and opens is not None:
            label = (opens["label"] or opens["next"] or "").strip().casefold()
            number = lines(start)
            if label or number - line > 1 or (number > line and last[:1] != "\n"):
                last = label or f"\n{number}"
            group, line = last, number
        sure = _written_out(match, field) or _stands(natural, text)
        if not (field or rest or sure):
            continue
        chain += start != chained
        joined = re.match(r"[ ](?:and|&|und|et|y|og|och|en|e)[ ]", text[end : end + 6])
        chained = end + joined.end() if joined is not None else -1
        yield _Candidate(
            Inverted(start, end, match[0], natural),
            Sighting(natural, match["surname"], match["given"], rest),
            group or f"&{chain}",
            sure,
        )


def _shapes(text: str) -> Iterator[re.Match[str]]:
    """Yield each that has its first comma where one stands between a word and a capital, none overlapping another."""
    after = 0
    for comma in _COMMA.finditer(text):
        at = comma.start()
        low = _begin(text, max(after, at - _LOOK_BACK), at)
        if text.count(" ", low, at) > _MOST_WORDS and not _may_be_sure(text, at):
            continue
        for word in _WORD_START.finditer(text, low, at):
            match = _SHAPE.match(text, word.start())
            if match is not None and match.end("surname") <= at < match.start("given"):
                yield match
                after = match.end()
                break


def _begin(text: str, low: int, at: int) -> int:
    """Return where the line, field or sentence begins that holds the place `at`; a full stop behind a title ends
    none."""
    low = max(low, *(text.rfind(mark, low, at) + 1 for mark in "\n;|\t:"))
    stop = text.rfind(". ", low, at)
    while stop >= 0:
        word = text[max(low, text.rfind(" ", low, stop) + 1) : stop].casefold()
        if word not in HONORIFICS:
            return stop + 2
        stop = text.rfind(". ", low, stop)
    return low


def _may_be_sure(text: str, comma: int) -> bool:
    """Return whether an initial follows, or the words around the comma stand elsewhere the other way around."""
    found = _AROUND.match(text, comma)
    if found is None:
        return False
    before = text[text.rfind(" ", 0, comma) + 1 : comma]
    return found["initial"] is not None or f"{found['word']} {before}" in text


def _line_numbers(text: str) -> Callable[[int], int]:
    at, number = 0, 0

    def of(place: int) -> int:
        """Return the number of the line of a place; places ascend, blank lines count for none."""
        nonlocal at, number
        number += len(re.findall(r"\n+", text[at:place]))
        at = place
        return number

    return of


def _leading(text: str, match: re.Match[str], chained: int) -> str:
    """Return how the sentence goes on that the name begins, or that it goes on with behind such a one and "and"."""
    start, end = match.span()
    goes_on = _GOES_ON.match(text, end)
    if goes_on is None or not goes_on["next"].islower():
        return ""
    if start != chained and _SENTENCE.search(text, max(0, start - _LOOK_BACK), start) is None:
        return ""
    if goes_on["next"] in _JOINED:  # "Solberg, Henrik and Vestergaard, Mette signed"
        return " " if _SHAPE.match(text, goes_on.end() + 1) is not None else ""
    return re.split(r"[.!?\n;]", text[end : end + _LOOK_AHEAD])[0]


def _written_out(match: re.Match[str], field: bool) -> bool:
    """Return whether the writing says that it is a person's: initials, a generation, in a field an honorific too.

    In prose "Berg, Dr. Holm" and "Berg, J. Holm" are two.
    """
    forename = match["given"]
    if forename in _STATES:
        return False
    if field:
        return bool(
            match["title"]
            or match["before"]
            or match["early"]
            or match["late"]
            or _ONE_INITIAL.search(forename)
            or forename.split()[-1] in NAME_PARTICLES
        )
    return not match["title"] and _LAST_INITIAL.search(forename) is not None


def _stands(natural: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(natural)}(?!\w)", text) is not None


def _in_capitals(match: re.Match[str]) -> bool:
    """ "SOLBERG, Henrik"."""
    return len(match["surname"]) > 1 and match["surname"].isupper() and not match["given"].isupper()


def _is_other(match: re.Match[str]) -> bool:
    """ "Acme Ltd, Oslo", "Martin King, Jr.", "Smith, Chairman": what is no part of a name, or follows a whole one."""
    if not (match["given"][0].isupper() and match["surname"].split()[-1][0].isupper()):
        return True  # letters beyond Latin: the pattern takes those in lower case, too
    words = [word.replace(".", "").casefold() for word in re.split(r"[ ,]+", match[0])]
    forenames = {word.replace(".", "").casefold() for word in match["given"].split()}
    return bool(set(words) & _FORMS or forenames & (GENERATIONS | POSTNOMINALS) or forenames <= TITLES)


def _are_two(match: re.Match[str], text: str, singles: bool) -> bool:
    """ "Mary Krag, Ole Berg"; "Ole, Mary" beside a list of people by single names; "Come, Mr Berg, do come"."""
    before, after = match["surname"].casefold().split(), match["given"].split()
    if len(before) > 1:
        return before[0] in KNOWN_FORENAMES
    if singles and len(after) == 1 and not _ONE_INITIAL.search(match["given"]):
        return True
    return match["title"] is not None and re.search(rf"(?<!\w){re.escape(before[0])}(?!\w)", text) is not None


def _natural(match: re.Match[str]) -> str:
    words = [
        word if word.casefold() not in NAME_PARTICLES else word.casefold()
        for word in match["surname"].split()
    ]
    if _in_capitals(match):
        words = [word if word.islower() else "-".join(map(_capital, word.split("-"))) for word in words]
    parts = [
        (match["before"] or match["title"] or "").strip(),
        match["given"],
        *words,
        match["early"] or match["late"] or "",
    ]
    return " ".join(part for part in parts if part)


def _capital(word: str) -> str:
    """ "O'BRIEN" -> "O'Brien"."""
    return re.sub(r"[^\W\d_]+", lambda part: part[0].capitalize(), word)
