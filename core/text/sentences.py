"""Cut text into sentences by rules, in one linear pass; legal forms of firms, which end with full stops."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.types import Sentence

# Legal forms of firms, as they stand behind their names, in lower case and without full stops.
STOPPED = frozenset("inc ltd co corp llc plc gmbh".split())  # written with a full stop as often as without
_LAST = STOPPED | frozenset("limited llp ag sa nv oy ab lda".split())  # after which no name goes on
LEGAL_FORMS = STOPPED | frozenset(
    "limited incorporated llp corporation company ag kg sa sas sarl srl spa bv nv ab as oy pty pvt pte holdings"
    " holding kk lda ltda eurl sasu kft doo sro asa aps oyj ooo uab".split()
)
# Forms that also stand before a firm's name: "SAS Corvel", "OOO Lutra".
_LEADING = frozenset("sas sasu sarl eurl sa spa srl oy ab ooo oao zao uab pt kft gmbh".split())
# One form in two spellings.
_SPELLED = {"limited": "ltd", "incorporated": "inc", "corporation": "corp", "company": "co"}
# Who trades with the name before: "Marston and Sons", "Brown, Lee & Partners".
ASSOCIATES = frozenset(
    "sons son brothers bros daughters daughter sisters nephews partners associates co company cie compagnie söhne sohn"
    " fils frères hijos hijo hermanos figli fratelli zonen zoon sønner".split()
)


def is_partnership(word: str) -> bool:
    """Whether the form is one of partners, whose names stand before it: "Drew, Napier and Davies LLP"."""
    return word.replace(".", "").casefold() == "llp"


def only_form(name: str) -> bool:
    """Whether nothing but a form is left of a firm's name: "Limited"; "Company" may be a defined term."""
    return name.replace(".", "").casefold() in (STOPPED | {"limited", "llp"}) - {"co", "corp"}


def without_form(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Words of a firm's name, and its legal form in one spelling; one word of the name is always left."""
    end, form = len(words), list[str]()
    while end > 1:
        dotted = next((n for n in (4, 3, 2) if n < end and _is_dotted(words[end - n : end])), 0)
        if not dotted and words[end - 1] not in LEGAL_FORMS:
            break
        form.insert(0, "".join(words[end - (dotted or 1) : end]))
        end -= dotted or 1
    start = int(not form and end > 1 and words[0] in _LEADING)
    return words[start:end], tuple(_SPELLED.get(word, word) for word in [*words[:start], *form])


def _is_dotted(words: tuple[str, ...]) -> bool:
    """ "N.V.", "S.A.": single letters that spell a form."""
    return all(len(word) == 1 for word in words) and "".join(words) in LEGAL_FORMS


def ends_name(word: str) -> bool:
    """Whether a firm's name ends with the word: "Ltd.", "S.A.", "plc", but not "Company"."""
    form = word.replace(".", "").lower()
    return form in _LAST and (form == "plc" or not word.islower())


# What the reader takes for a sentence: no abbreviations, as its calibration was fitted.
ROUGH_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?]+(?!\s)[^.!?\n]*)*")
LONGEST = 1000  # characters; longer runs without a full stop are cut at a space

# A line break with the white space after it, or a run of stops with the quotes and brackets that close it.
# Every run is matched whole and judged in Python: a look-ahead here would read long runs of dots n^2 times.
# One class of first characters lets the expression skip ahead: three times faster.
BOUNDARY = re.compile(
    r"""[\n.!?…。！？](?:(?<=\n)\s*|(?<=[.!?…])[.!?…]*['"”’»)\]]*|(?<=[。！？])[。！？]*[”’」』）]*)"""
)


def _words(line: str) -> frozenset[str]:
    return frozenset(line.split())


TITLES = _words(
    "mr mrs ms mx dr prof st rev gen col capt cpt cmdr lt maj sgt hon fr messrs mme mlle sen rep gov pres "
    "supt insp hr vs v cf e.g i.e viz al approx ca est resp incl excl tel ext dept attn"
)
NUMBERED = _words(
    "no nos nr vol vols p pp fig figs eq eqs sec sect art arts ch chap para paras cl app ref refs pt tab "
    "jan feb mar apr may jun jul aug sep sept oct nov dec op bd abs §"
)
COMMON = STOPPED | _words(
    "bros cie etc jr sr esq ph.d m.d b.a m.a a.m p.m u.s u.k e.u u.n d.c "
    "mt ft ave blvd rd sq univ assn bldg intl mfg ed eds trans repr"
)
# Words that begin a sentence far more often than they go on after an abbreviation.
STARTERS = _words(
    "the a an this that these those he she it its they we i you his her their our my your in on at by for from "
    "with after before when while where who what why how as if but and or so yet however there here then thus "
    "although because since during under over no not all some many most each every both neither several one "
    "two according another such despite later meanwhile moreover finally also"
)
WORD = re.compile(r"[^\s.,;:!?()\[\]\"“”]+")
SUFFIXES = STOPPED | _words("bros jr sr esq")
LAST_WORD = re.compile(r"[^\s(\[\"“‘,;:/—–]*$")
NUMBERED_POINT = re.compile(r"\s*\(?(?:[^\W\d_]{1,12} )?\d{1,3}")
DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
NUMBER = re.compile(r"[Nn]os?\.\s*\d")
# What only an abbreviation is followed by; how the text itself shows which words it cuts short (Kiss and Strunk 2006).
GOES_ON = re.compile(r"\.[,;:]")
CUT_SHORT = re.compile(r"(?<![\w.])[^\W\d_]{2,9}$")
# A number, or further abbreviations that lead to one: "F. Supp. 345", "Biol. Chem. 274, 1999", "S.D.N.Y. 2001".
_SHORT = r"(?:[^\W\d_]{1,9}\.|(?:[A-Z]\.){2,})"
CITED = re.compile(rf"\.\s+((?:{_SHORT}\s*)*)[§¶(\[]*\s*\d")
VOLUME = re.compile(rf"(?:(?P<short>{_SHORT})|\d[\w.]*)\s+[^\W\d_]+$")
# After the number of a page, not of men: "12 Boote. 5 davon sanken" counts.
PAGE = re.compile(r"\s+\d[\d,–-]*(?:[a-z]{1,2}\s+\d|[,;:.)\]]|\s*\([^()]*\d{4}\)|\s*$)")
IN_BRACKETS = re.compile(r"[^()]{0,30}\)")
LONGEST_SHORT = 9  # letters of an abbreviation
# A line that begins so stands for itself: bullets, numbered points, headings, table rows, "Key: value".
POINT = re.compile(
    r"(?:[-*•–—‣▪●◦·+>|#]+\s)|(?:\(?(?:\d{1,3}|[a-zA-Z])[.)]\s)|\||={3}|-{3}"
    r"|[^\W_][^\s:;,.]{0,24}(?: [^\s:;,.]{1,24}){0,3}:\s"
)
SHORT_LINE = 20  # characters; a shorter line is an item of a list, even where the next line begins small
FULL_LINE = 45  # characters; a shorter line was ended by its writer, not by the right margin


def sentences(text: str) -> list[Sentence]:
    """The sentences of `text` in order, without overlap; only white space lies between them.

    None is longer than LONGEST characters and none begins or ends with white space.
    """
    found: list[Sentence] = []
    start = 0
    for end in _ends(text):
        found.extend(_pieces(text, start, end))
        start = end
    found.extend(_pieces(text, start, len(text)))
    return found


def _ends(text: str) -> Iterator[int]:
    """Where sentences end, ascending."""
    bare: dict[str, bool] = {}
    short = _cut_short(text)
    line = 0  # where the current line begins
    begin = 0  # where the current sentence begins
    for match in BOUNDARY.finditer(text):
        start, end = match.span()
        if text[start] == "\n":
            ends = _line_ends(text, line, start, end)
            line = end
        else:
            # Stops alone are no sentence: a row of dots stays one piece.
            visible = end - begin > 8 or any(character.isalnum() for character in text[begin:start])
            ends = visible and _stop_ends(text, max(begin, line), start, end, bare, short)
        if ends:
            begin = end
            yield end


def _cut_short(text: str) -> frozenset[str]:
    """Words, in lower case, behind whose full stop a sentence of `text` goes on."""
    stops = (match.start() for match in GOES_ON.finditer(text))
    words = (CUT_SHORT.search(text, max(0, stop - LONGEST_SHORT - 1), stop) for stop in stops)
    return frozenset(word[0].lower() for word in words if word)


def _line_ends(text: str, line: int, start: int, end: int) -> bool:
    """Whether the line text[line:start] ends its sentence; text[start:end] is the white space after it."""
    if text.count("\n", start, end) > 1 or end >= len(text):
        return True
    if POINT.match(text, end) or text[line] in "|#" or "\t" in text[line : min(start, line + 200)]:
        return True
    last = text[start - 1] if start > line else "\n"
    if last in ":;|":
        return True
    return start - line < (SHORT_LINE if text[end].islower() else FULL_LINE)


def _stop_ends(
    text: str, begin: int, start: int, end: int, bare: dict[str, bool], short: frozenset[str]
) -> bool:
    """Whether the stop text[start:end] ends the sentence that began, or went on to a new line, at `begin`."""
    if text[start] in "。！？":
        return True
    if end >= len(text):
        return True
    if not text[end].isspace():
        return False
    head = _next_visible(text, end)
    if not head:
        return True
    if head[0].islower():
        return False
    if text[start] != "." or end - start > 1:
        return True  # "!", "?", "...", '."'
    return _full_stop_ends(text, begin, start, head, bare, short)


def _full_stop_ends(
    text: str, begin: int, start: int, head: str, bare: dict[str, bool], short: frozenset[str]
) -> bool:
    """Whether the single full stop at `start` ends a sentence; `head` is the text that follows, `short` are words that
    the text cuts short elsewhere."""
    matched = LAST_WORD.search(text[max(begin, start - 24) : start])
    word = matched[0] if matched else ""
    lowered = word.lower().strip("'’")
    if not word or _bare(text, word, bare):
        return True
    if lowered in TITLES:
        return False
    if lowered in NUMBERED and head[0].isdigit():
        return False
    if word.isdigit() and text[start + 1] != "\n" and NUMBERED_POINT.fullmatch(text[begin:start]):
        return False  # "3. Item", "Clause 3. Item": the number of a point
    following = WORD.match(head)
    starter = following is not None and following[0].lower() in STARTERS and not NUMBER.match(head)
    if len(word) == 1 and word.isupper():
        return starter and not _after_initial(text, start)
    if (
        lowered in COMMON
        or lowered in short
        or DOTTED.fullmatch(word)
        or (lowered in NUMBERED and lowered not in {"no", "may", "mar"})
    ):
        return starter
    return not _is_cited(text, begin, start, word)


def _is_cited(text: str, begin: int, start: int, word: str) -> bool:
    """Whether the stop at `start` stands in a citation of a law, case or journal: "12 F. Supp. 345 (D. Mass. 1998)"."""
    if not word[0].isupper() or len(word) > LONGEST_SHORT or not word.isalpha():
        return False
    following = CITED.match(text[start : start + 60])
    if following is None:
        return False
    before = text[max(begin, start - 40) : start]
    chain = following[1].count(".")
    volume = VOLUME.search(before)
    if volume is not None and (volume["short"] or chain or PAGE.match(text[start + 1 : start + 60])):
        return True
    opened = before.rfind("(") > before.rfind(")")
    return chain > 1 or opened and IN_BRACKETS.match(text, start + 1) is not None


def _bare(text: str, word: str, known: dict[str, bool]) -> bool:
    """Whether the text writes a suffix without a stop, as in "Acme Ltd was": a stop after it then ends a sentence.

    `known` remembers what was found for this text.
    """
    if word.lower() not in SUFFIXES:
        return False
    if word not in known:
        known[word] = re.search(rf"\b{word}(?:,|\s+[^\W\d_])", text) is not None
    return known[word]


def _after_initial(text: str, start: int) -> bool:
    """Whether another initial stands before the one at `start`: "J. R. Smith"."""
    before = text[max(0, start - 4) : start - 1].strip()
    return len(before) >= 2 and before.endswith(".") and before[-2].isupper()


def _next_visible(text: str, at: int) -> str:
    """Up to 24 characters from the first one after `at` that is no space, quote or bracket."""
    while at < len(text) and (text[at].isspace() or text[at] in "\"'“‘«([*_"):
        at += 1
    return text[at : at + 24]


def _pieces(text: str, start: int, end: int) -> Iterator[Sentence]:
    """text[start:end] without outer white space, cut at spaces into pieces of at most LONGEST."""
    start, end = trimmed(text, start, end)
    while end - start > LONGEST:
        cut = _last_space(text, start, start + LONGEST)
        left, right = trimmed(text, start, cut)
        yield Sentence(left, right)
        start, end = trimmed(text, cut, end)
    if start < end:
        yield Sentence(start, end)


def _last_space(text: str, start: int, end: int) -> int:
    """Where to cut text[start:end + 1]: before its last white space, else at `end`."""
    for at in range(end, start, -1):
        if text[at].isspace():
            return at
    return end


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The same span without white space at its ends."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end
