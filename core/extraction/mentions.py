"""Names in a passage: the title, quoted works, dates, named entities and runs of proper nouns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from core.extraction.names import NAME_PARTICLES, Name, clean, normalise, without_disambiguation, words_of
from core.extraction.phrases import (
    FUNCTION,
    IN_WORDS,
    NO_WORD,
    ORDINAL,
    PART_OF_NAME,
    ROLE,
    SMALL_NUMBER,
    TITLE,
    TOO_LONG,
    TOO_SHORT,
    Rejections,
)
from core.extraction.reading import Reading
from core.extraction.titles import SALUTATIONS, is_person_title, is_title
from core.text.sentences import ASSOCIATES, ends_name, is_partnership, only_form
from core.types.kinds import VALUES

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

PROPER = frozenset({"NNP", "NNPS"})
MAX_NAME_TOKENS = 12
_FUNCTION_TAGS = frozenset(
    {"PRP", "PRP$", "UH", "WP", "WP$", "WDT", "WRB", "DT", "EX", "MD", "CC", "IN", "TO"}
)
# Small words that join proper nouns into one name when a proper noun follows.
_JOINTS = frozenset("of de da di do du del della der den van von zu la le el al bin ibn y à & - 's".split())
_TIMELY = re.compile(r"\d{3}|\d0s|[A-Z][a-z]{2}|centur|year|decade|month|week|day")
_ROMAN = re.compile(r"[IVX]{1,5}")
# What may stand before "of" in the name of an institution or an event.
_OFFICES = frozenset(
    "university bank court house institute ministry department college church museum board council battle kingdom "
    "republic office society school treaty academy order isle city chamber league bureau association state army".split()
)
# Words in lower case that begin a surname and nothing else before a capital.
_PARTICLES = NAME_PARTICLES - {"la", "le", "el", "al", "av", "das"}
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+")
NOT_NAMES = frozenset(
    "bc ad bce mr mrs ms dr jr sr sir n/a ii iii king queen prince princess duke duchess count countess earl "
    "baron baroness sultan emperor empress president chairman chairwoman director secretary minister "
    "ambassador governor mayor senator "
    "bishop archbishop pope professor captain major general colonel admiral commander lord lady chief executive "
    "officer manager member op no vol knight romanized film album song novel son daughter".split()
)


def title_names(title: str) -> tuple[str, ...]:
    """Return the title without its bracketed disambiguation, then as given where that differs."""
    title = " ".join(title.split())
    if not normalise(title):
        return ()
    plain = without_disambiguation(title)
    return (plain,) if plain == title else (plain, title)


def find_names(
    doc: Doc,
    reading: Reading,
    spans: list[tuple[int, int, str]],
    title: str,
    rejected: Rejections | None = None,
) -> list[Name]:
    """Return the names of the parsed text in order, none overlapping another.

    Surest first: masked names and the title, then named entities, then proper nouns.
    `spans` are the tokens' source spans and kinds, from `Reading.spans`; `rejected` is told what is no name.
    """
    collector = _Collector(doc, reading.source, spans, rejected)
    identifiers = {one.start: one for one in reading.identifiers}
    inverted = {one.start: one for one in reading.inverted}
    for i, (start, _, kind) in enumerate(spans):
        if kind == "identifier":
            collector.take(i, i, identifiers[start].label, identifiers[start].text)
        elif kind == "person":
            collector.take(i, i, "PERSON", inverted[start].natural)
        elif kind:
            collector.take(i, i, {"work": "WORK", "date": "DATE", "money": "MONEY"}[kind])
    if title:
        for found in re.finditer(rf"(?<!\w){re.escape(title)}(?!\w)", reading.text):
            span = doc.char_span(found.start(), found.end(), alignment_mode="expand")
            if span is not None and not _inside(doc, span.start, span.end - 1):
                collector.take(span.start, span.end - 1, _label(doc, span.start, span.end), title)
    for first, last in _firms(doc):
        collector.take(first, last, "ORG")
    for entity in doc.ents:
        if entity.label_ == "ORDINAL":
            collector.reject(entity.start, entity.end - 1, ORDINAL)
            continue
        if entity.label_ in VALUES and not any(c.isdigit() for c in entity.text):
            if entity.label_ == "DATE":  # "December", "the next day": no name either
                collector.skip(entity.start, entity.end)
            collector.reject(entity.start, entity.end - 1, IN_WORDS)
            continue
        label = entity.label_
        if label == "DATE" and not _TIMELY.search(entity.text):
            label = "CARDINAL"
        if label == "CARDINAL" and sum(c.isdigit() for c in entity.text) < 3:
            collector.reject(entity.start, entity.end - 1, SMALL_NUMBER)
            continue  # "19 films": counts so small join nothing
        behind = doc[entity.end : entity.end + 1].text
        if _INITIALS.fullmatch(entity.text) and behind in _PARTICLES:
            continue  # "J. K. den Berg" is taken with its surname
        for one, other in _split(doc, entity.start, entity.end - 1, label):
            first, last = _widened(doc, one, other, label)
            collector.take(first, last, label)
    for first, last in _proper_runs(doc, collector.taken):
        collector.take(first, last, "OTHER")
    names = sorted(collector.names, key=lambda name: name.first)
    capitals = _in_capitals(doc)
    function = {name.first for name in names if _is_function(doc, name)}
    for name in names if rejected is not None else ():
        if name.first in function:
            collector.reject(name.first, name.last, FUNCTION)
    return [
        replace(name, weak=_is_weak(doc, name, capitals[name.first]))
        for name in names
        if name.first not in function
    ]


def _is_function(doc: Doc, name: Name) -> bool:
    """Return whether the name is made of nothing but pronouns, interjections and the like; "US" and "IT" are none."""
    words = [token for token in doc[name.first : name.last + 1] if token.is_alpha]
    return bool(words) and all(
        token.tag_ in _FUNCTION_TAGS or (token.is_stop and (not token.is_upper or len(token) == 1))
        for token in words
    )


def _is_weak(doc: Doc, name: Name, among_capitals: bool) -> bool:
    """Return whether the capital says nothing: of a single word that begins a sentence or a line, or among capitals
    only."""
    first, last = doc[name.first], doc[name.last]
    if name.label in VALUES:
        return False
    if name.text.islower() and first.tag_ not in PROPER and name.label != "EMAIL":
        return True
    if among_capitals:
        return True
    # Quoted words are one token to the parser, however many they are.
    if name.first != name.last or " " in name.text or name.label not in {"OTHER", "WORK"}:
        return False
    before = doc[first.i - 1] if first.i else None
    begins = before is None or first.is_sent_start or not (before.is_alpha or before.text in {",", "-", "'s"})
    return begins and not any(c.isupper() or c.isdigit() for c in last.text[1:])


def _in_capitals(doc: Doc) -> list[bool]:
    """Return for each token, whether its line has several words, all of them in capitals."""
    found: list[bool] = []
    words, capitals = 0, True
    for token in doc:
        if token.is_alpha:
            words += 1
            capitals = capitals and token.is_upper
        if "\n" in token.text or token.i + 1 == len(doc):
            found += [words > 1 and capitals] * (token.i + 1 - len(found))
            words, capitals = 0, True
    return found


class _Collector:
    """Names taken so far, and which tokens they hold."""

    def __init__(
        self, doc: Doc, source: str, spans: list[tuple[int, int, str]], rejected: Rejections | None
    ) -> None:
        self._doc, self._source, self._spans, self._rejected = doc, source, spans, rejected
        self.taken = [False] * len(doc)
        self.names: list[Name] = []

    def skip(self, start: int, end: int) -> None:
        """Keep these tokens out of any further name."""
        self.taken[start:end] = [True] * (end - start)

    def _with_particles(self, first: int) -> int:
        """Return where a surname begins with its particles, and what stands before them: "J. K. den Berg"."""
        doc, start = self._doc, first
        while start > 0 and not self.taken[start - 1] and doc[start - 1].text in _PARTICLES:
            start -= 1
        if start == first or not doc[first].text[0].isupper():
            return first
        while start > 0 and not self.taken[start - 1]:
            if not (is_person_title(_bare(doc[start - 1])) or _INITIALS.fullmatch(doc[start - 1].text)):
                break
            start -= 1
        return start

    def reject(self, first: int, last: int, reason: str) -> None:
        """Record, if rejections are collected, why these tokens are no name."""
        if self._rejected is not None and first <= last:
            self._rejected.names.append((self._spans[first][0], self._spans[last][1], reason))

    def take(self, first: int, last: int, label: str, text: str = "") -> None:
        """Add the name, cut where its tokens are taken, unless nothing of it is left once cleaned."""
        doc, taken, full_span = self._doc, self.taken, (first, last)
        while first <= last and (taken[first] or (not text and _is_edge(doc[first]))):
            first += 1
        while last >= first and (taken[last] or (not text and _is_edge(doc[last]))):
            last -= 1
        while first < last and label == "PERSON" and doc[first].tag_ == "NN" and doc[first].text.islower():
            first += 1  # "boxer Barry"
        if not text and first <= last and label not in VALUES:
            first = self._with_particles(_from_title(doc, first, last))
        if first > last or last - first >= MAX_NAME_TOKENS or any(taken[first : last + 1]):
            if not any(taken[full_span[0] : full_span[1] + 1]):
                self.reject(*full_span, NO_WORD if first > last else TOO_LONG)
            elif first <= last:
                self.reject(first, last, PART_OF_NAME)
            return
        start, end = self._spans[first][0], self._spans[last][1]
        name = text or clean(self._source[start:end])
        key = normalise(name)
        if len(key) < 2 and not key.isdigit() or ((key in NOT_NAMES or only_form(key)) and not text):
            self.reject(first, last, TITLE if len(key) > 1 else TOO_SHORT)
            return
        if label == "OTHER" and first == last and first > 0 and doc[first - 1].lower_ in {"a", "an"}:
            self.reject(first, last, ROLE)
            return  # "was a Margravine": a role
        taken[first : last + 1] = [True] * (last + 1 - first)
        self.names.append(Name(name, label, start, end, first, last))


def _from_title(doc: Doc, first: int, last: int) -> int:
    """Return where a name begins that a form of address or another name was read with: "Dear Mr Berg"."""
    for i in range(last - 1, first, -1):
        if is_person_title(_bare(doc[i])) and not is_title(_bare(doc[first])):
            return i
    while first < last and _bare(doc[first]) in SALUTATIONS:
        first += 1
    return first


def _bare(token: Token) -> str:
    return "".join(words_of(token.lower_))


def _is_edge(token: Token) -> bool:
    """Return whether a name can begin or end here: not at determiners, possessive marks or punctuation."""
    if token.text == "A" and len(following := token.doc[token.i + 1 : token.i + 2].text) == 1:
        return not following.isupper()  # "A B B Ltd"
    return token.tag_ in {"DT", "POS", "PRP$", "CC", "IN"} or not any(c.isalnum() for c in token.text)


def _inside(doc: Doc, first: int, last: int) -> bool:
    """Return whether the span is only part of a longer name: "Ravi" in "Ravi Shankar Sharma"."""
    before = first > 0 and _continues(doc[first - 1], doc[first])
    return before or (last + 1 < len(doc) and _continues(doc[last], doc[last + 1]))


def _label(doc: Doc, start: int, end: int) -> str:
    """Return the label of the first entity in the span, else WORK."""
    for i in range(start, end):
        if doc[i].ent_type_ and doc[i].ent_type_ not in VALUES:
            return str(doc[i].ent_type_)
    return "WORK"


def _widened(doc: Doc, first: int, last: int, label: str) -> tuple[int, int]:
    """Widen an entity that is cut within a name to the whole run of its head's proper nouns."""
    if label in VALUES or label == "NORP":
        return first, last
    if label == "PERSON":
        last = _with_domain(doc, first, last)
        if first == last and first > 0 and _forename(doc[first - 1]):
            first -= 1
    while last + 2 < len(doc) and _hyphenated(doc, last) and doc[last + 2].tag_ in PROPER:
        last += 2
    while first > 1 and _hyphenated(doc, first - 2) and doc[first - 2].tag_ in PROPER:
        first -= 2
    while first > 0 and _continues(doc[first - 1], doc[first]):
        first -= 1
    while last + 1 < len(doc) and _continues(doc[last], doc[last + 1]):
        last += 1
    return first, last


def _split(doc: Doc, first: int, last: int, label: str) -> list[tuple[int, int]]:
    """ "Agadir, Oujda, Tangier" are three names; "Smith, Jones & Co., Ltd" is one, and so are dates."""
    if label not in VALUES and any(_breaks(token) for token in doc[first : last + 1]):
        return _parts(doc, first, last, _breaks)
    for i in range(first, last):
        if ends_name(doc[i].text) and doc[i + 1].lower_ == "of":  # "Berg Ltd of Oslo"
            return [(first, i), (i + 2, last)]
    office = doc[first]
    of_firm = last > first + 1 and doc[first + 1].lower_ == "of" and office.text.isupper()
    if of_firm and office.dep_ in {"attr", "appos"} and not any(c.dep_ == "det" for c in office.children):
        return [(first + 2, last)]  # "is CFO of Berg Ltd"
    texts = {token.text for token in doc[first : last + 1]}
    if (
        label in VALUES
        or "," not in texts
        or texts & {"&", "and", "Inc", "Inc.", "Ltd", "Ltd.", "LLC", "Jr.", "Sr."}
    ):
        return [(first, last)]
    return _parts(doc, first, last, lambda token: token.text == ",")


def _breaks(token: Token) -> bool:
    """Return the breaks that no name runs over: blank lines, bars and the items of a list."""
    item = "\n" in token.text and token.doc[token.i + 1 : token.i + 2].text in {"-", "*", "•"}
    return token.text == "|" or token.text.count("\n") > 1 or item


def _parts(doc: Doc, first: int, last: int, breaks: Callable[[Token], bool]) -> list[tuple[int, int]]:
    """Return the runs of tokens between the breaks."""
    parts = []
    start = first
    for i in range(first, last + 2):
        if i > last or breaks(doc[i]):
            if i > start:
                parts.append((start, i - 1))
            start = i + 1
    return parts


def _firms(doc: Doc) -> Iterator[tuple[int, int]]:
    """Yield the names of firms that the recogniser cuts: "Marston and Sons Limited", "Brown, Lee and Partners", "3 D L
    Ltd"."""
    taken = -1
    for token in doc:
        i = token.i
        if (
            token.lower_ in {"and", "&", "et", "und", "y", "e"}
            and 0 < i < len(doc) - 1
            and _is_associate(doc[i + 1])
        ):
            first, last = _first_of_firm(doc, i), _last_of_firm(doc, i + 1)
            # "Fathers and Sons" is a novel, "Fathers and Sons Limited" none.
            if taken < first < i and (last > i + 1 or doc[i - 1].tag_ not in {"NNS", "NNPS"}):
                taken = last
                yield first, taken
        elif taken < i and token.text[0].isupper() and (ends_name(token.text) or token.lower_ == "limited"):
            first = _first_with_form(doc, i)
            if is_partnership(token.text):
                joints = (at for at in (i - 2, i - 3) if at > 0 and doc[at].lower_ in {"and", "&"})
                first = min(first, *(_first_of_firm(doc, at) for at in joints), i)
            if taken < first and any(not t.text.isalpha() or len(t) == 1 for t in doc[first:i]):
                taken = i
                yield first, i


def _is_associate(token: Token) -> bool:
    return token.text[0].isupper() and token.lower_.rstrip(".") in ASSOCIATES


def _first_of_firm(doc: Doc, joint: int) -> int:
    """Return where the names before "and Sons" begin, commas between them included; `joint` where there are none."""
    first = _first_capital(doc, joint)
    while first < joint and first > 1 and doc[first - 1].text == "," and not doc[first].is_sent_start:
        before = _first_capital(doc, first - 1)
        placed = before == first - 1 or doc[before].ent_type_ in {"GPE", "LOC", "DATE"}
        if placed or (before > 0 and doc[before - 1].lower_ in {"in", "at", "near", "from", "on"}):
            break
        first = before
    return first


def _first_capital(doc: Doc, end: int) -> int:
    """Return where the run of names begins that ends before `end`; `end` where none does."""
    first = end
    while first > max(0, end - 4) and doc[first - 1].text[0].isupper() and not doc[first - 1].is_stop:
        # Right before the joint a capital is enough: "Pickering" may pass for a verb.
        if doc[first - 1].tag_ not in PROPER and first < end:
            break
        first -= 1
        if doc[first].is_sent_start:
            break
    return first


def _last_of_firm(doc: Doc, last: int) -> int:
    """Return the legal form behind "and Sons", if one stands there, at most three names away."""
    for at in range(last + 1, min(last + 5, len(doc))):
        if doc[at].text[0].isupper() and (ends_name(doc[at].text) or doc[at].lower_ == "limited"):
            return at
        if doc[at].text not in {",", "."} and (doc[at].tag_ not in PROPER or doc[at].is_sent_start):
            break
    return last


def _first_with_form(doc: Doc, form: int) -> int:
    """Return where the name before a legal form begins: names, single letters, what a hyphen joins, short numbers."""
    first = form
    while first > max(0, form - 8) and not doc[first].is_sent_start:
        before, after = doc[first - 1], doc[first]
        glued = not before.whitespace_ and (before.text == "-" or after.text == "-")
        letters = len(after) == 1 and after.text.isupper()
        number = before.text.isdigit() and len(before) <= 2 and (letters or glued)
        capital = before.text[0].isupper() and (before.tag_ in PROPER or len(before) == 1 or glued)
        coded = any(map(str.isdigit, before.text)) and any(map(str.isupper, before.text))
        ampersand = before.text == "&" and first > 1 and doc[first - 2].tag_ in PROPER
        if not (number or capital or coded or ampersand or (before.text == "-" and glued)):
            break
        first -= 1
    return first


def _with_domain(doc: Doc, first: int, last: int) -> int:
    """ "Philip" in "Philip IV of Spain" reaches to the end of "Spain"; not so for names in two words."""
    if sum(not _ROMAN.fullmatch(token.text) for token in doc[first : last + 1]) > 1:
        return last
    at = last + 1
    if at < len(doc) and _ROMAN.fullmatch(doc[at].text):
        last = at
        at += 1
    if at + 1 < len(doc) and doc[at].lower_ == "of" and doc[at + 1].tag_ in PROPER:
        last = at + 1
        while last + 1 < len(doc) and doc[last + 1].tag_ in PROPER:
            last += 1
    return last


def _forename(token: Token) -> bool:
    """Return the proper noun directly before a surname, whatever the parser makes of it."""
    return (
        token.tag_ in PROPER
        and not token.ent_type_
        and token.lower_ not in NOT_NAMES
        and token.text.isalpha()
    )


def _hyphenated(doc: Doc, i: int) -> bool:
    """Return whether token `i` is joined to the token after the next by a hyphen without spaces."""
    return doc[i + 1].text == "-" and not doc[i].whitespace_ and not doc[i + 1].whitespace_


def _continues(left: Token, right: Token) -> bool:
    return (
        left.tag_ in PROPER
        and right.tag_ in PROPER
        and left.dep_ == "compound"
        and left.head.i >= right.i
        and left.ent_type_ != "NORP"
    )


def _joins(doc: Doc, first: int, last: int, token: Token) -> bool:
    """ "Bank of", "Court of Justice of", but not "Rosalind Strake of": a joint within a name."""
    if token.lower_ not in _JOINTS:
        return False
    return token.lower_ != "of" or first == last or doc[last].lower_ in _OFFICES


def _proper_runs(doc: Doc, taken: list[bool]) -> list[tuple[int, int]]:
    """Return runs of proper nouns outside other names; joints such as "of" only between proper nouns."""
    runs: list[tuple[int, int]] = []
    first = last = -1
    for i, token in enumerate(doc):
        if not taken[i] and token.tag_ in PROPER and token.text[0].isalnum() and not token.text[0].islower():
            first = i if first < 0 else first
            last = i
        elif first >= 0 and (taken[i] or i != last + 1 or not _joins(doc, first, last, token)):
            runs.append((first, last))
            first = -1
    if first >= 0:
        runs.append((first, last))
    return runs
