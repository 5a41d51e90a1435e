"""References to numbered parts of documents ("clause 3", "§ 12 (2)", "Art. 5"), and the parts that have numbers.

The structure of a text tells what is numbered: numbers at the beginnings of lines, in one style, one after the
other. A reference names such a part by its own word ("Step 4" beneath "Step 3"), or by a word for parts in general.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from core.text.stems import stem
from core.types import Block, BlockKind

# Words for parts in general: English, German, French, Spanish, Italian, Portuguese, Dutch, Nordic, Polish, Russian.
_PARTS = frozenset(
    "clause section article rule paragraph point item provision subsection subparagraph requirement regulation step "
    "klausel abschnitt artikel regel absatz paragraf ziffer nummer punkt unterabsatz bestimmung schritt règle regle "
    "paragraphe alinéa étape disposition cláusula sección artículo regla párrafo apartado paso punto clausola sezione "
    "articolo regola paragrafo comma passo passaggio cláusula seção secção artigo regra parágrafo ponto item passo "
    "clausule sectie lid stap avsnitt punkt steg trinn artykuł ustęp paragraf krok статья пункт правило раздел шаг "
    "part chapter annex appendix schedule exhibit teil kapitel anlage anhang partie chapitre annexe parte capítulo "
    "anexo capitolo allegato deel hoofdstuk bijlage del bilaga vedlegg część rozdział часть глава "
    "art sec sect cl para par ch chap no nr nº ziff abs pt kap reg app cap".split()
)
# Those of which one may stand for another: who says "clause 4" of a text of articles means Article 4.
_ALIKE = frozenset(
    "§ clause section article rule paragraph point item provision regulation klausel abschnitt artikel regel paragraf "
    "ziffer nummer punkt bestimmung règle regle paragraphe cláusula sección artículo regla apartado punto clausola "
    "sezione articolo regola seção artigo regra ponto clausule sectie art sec sect cl para par no nr nº ziff статья "
    "пункт правило раздел".split()
)
# Of which a bare number is one only where it heads a text.
_LARGE = frozenset(
    "part chapter annex appendix schedule exhibit teil kapitel anlage anhang partie chapitre annexe parte capítulo "
    "anexo capitolo allegato deel hoofdstuk bijlage bilaga vedlegg część rozdział часть глава "
    "ch chap kap app cap".split()
)
_SIGN = "§"
_ANY = frozenset({"no", "nr", "nº", "number", "nummer"})
_JOINS = frozenset("and or und oder et ou y e o og och en i".split())  # "clauses 3 and 4"
_ORDINAL = r"\d{1,4}(?:\.?[ºª°]|er|ère)|premi(?:er|ère)|primero|primeiro"  # "Article 1er", "Artículo 2.º"
_LETTERED = r"[A-Za-z](?:\.\d{1,3}){1,5}"  # "Annex B.2", "section D.4"
_EAST = r"\d{1,4}|[零〇一二三四五六七八九十百]{1,6}"
_NUMBER = (
    rf"(?:{_ORDINAL}|{_LETTERED}|\d{{1,4}}(?:\.\d{{1,3}}){{0,5}}[a-zA-Z]?|[IVXLC]{{1,7}}|[A-Z]"
    r"|\((?:\d{1,3}|[a-z]|[ivx]{1,4})\))(?:\s?\((?:\d{1,3}|[a-z]{1,4})\)){0,4}(?![\w%°€$£]|[.,:/-]\d)"
)
_REFERENCE = re.compile(
    rf"(?:(?P<sign>§§?)\s?|(?<!\w)(?P<word>[^\W\d_]{{1,20}})\.?(?:\s(?:no|nr|n)\.?[º°]?)?\s?)"
    rf"(?P<number>{_NUMBER})"
    rf"|第\s?(?P<east>{_EAST})\s?[条條款章节節项項号]|제\s?(?P<korean>\d{{1,4}})\s?[조항장절호]"
)
_OUTER = re.compile(  # what stands between "paragraph 2" and "section 4", of which it is a part
    r",?\s(?:(?:of|in|under|to|des|der|vom|von|im|zu|de|du|del|della|dell['’]|di|da|do|van|av|af)\s?)(?:(?:the|la|le|el|"
    r"il|l['’])\s?)?",
    re.IGNORECASE,
)
_INNER = re.compile(r",?\s?")
_UNIT = re.compile(
    r"^[ \t]*(?:\#{1,6} |[-*•·] )?(?:(?P<label>(?![A-Z]\.\d)[^\W\d_]{1,20}|§§?)(?P<point>\.?)[ \xa0]{0,2}"
    r"(?!(?!premi|prime)[a-z]))?(?P<open>\(?)"
    rf"(?P<number>{_ORDINAL}|{_LETTERED}|\d{{1,4}}(?:\.\d{{1,3}}){{0,5}}[a-zA-Z]?|[IVXLC]{{1,7}}|[A-Z]|[a-z]{{1,4}})"
    r"(?P<close>\.?\)|[.:\]]|)"
    r"(?P<inner>(?:[ \xa0]?\((?:\d{1,3}|[a-z]{1,4})\)){0,3})(?P<after>[ \t\xa0]*[-–—:.]?(?=[ \t\xa0\n]|$))"
    rf"|^[ \t]*(?:\#{{1,6}} )?(?:第 ?(?P<east>{_EAST}) ?[条條款章节節项項号]|제 ?(?P<korean>\d{{1,4}}) ?[조항장절호])"
    r"|(?<=[.;:,] )\(?(?P<inline>\d{1,2}|[a-z]|[ivx]{1,5})\)(?= )",
    re.MULTILINE,
)
_PIECE = re.compile(r"\d+[a-zA-Z]?|[A-Za-z]+")
_HAN_DIGITS = "〇一二三四五六七八九十百"
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_PROSE = re.compile(r"[ \xa0][a-zß-öø-ÿ]{2}")
_PARAGRAPH = re.compile(r"\n\s*\n")
LONGEST_HEAD = 100  # characters of a line that heads what follows
MOST = 20_000  # numbered parts of one document
LABELLED = 3.0  # a `rank` from which the word before the number, or what counts it, is the question's own
_GAP = 3  # numbers that a list leaves out, those of clauses that were struck, and one
DEEPEST = 7  # within each other


@dataclass(frozen=True, slots=True)
class Reference:
    """A part that a question names: `path` from the outer number to the inner one, `noun` what it calls the outer."""

    noun: str
    path: tuple[str, ...]
    start: int
    end: int

    @property
    def is_general(self) -> bool:
        """Whether the noun is a word for parts in general."""
        return self.noun == _SIGN or self.noun in _PARTS


@dataclass(slots=True)
class Unit:
    """A numbered part of a text. `labels` are the words before the numbers of `path`, "" for a bare number.

    The last `own` numbers stand at its beginning together: 2 for "2.1".
    """

    start: int
    end: int
    path: tuple[str, ...]
    labels: tuple[str, ...]
    own: int = 1
    heading: str = ""  # above it
    heads: bool = False  # whether its line is a heading
    style: tuple[str, str] = ("", "")
    inner_end: int = field(default=0)  # where the last of its own parts ends


def references(question: str) -> list[Reference]:
    """In order; of "paragraph 2 of section 4" and "§ 12 Abs. 2" one with both numbers."""
    found: list[Reference] = []
    for match in _REFERENCE.finditer(question):
        noun = match["sign"] or match["word"] or ""
        number = match["number"] or match["east"] or match["korean"] or ""
        if found and noun.casefold() in _JOINS and question[found[-1].end : match.start()].strip(", ") == "":
            found.append(replace(found[-1], path=_path(number), start=match.start(), end=match.end()))
            continue
        if not noun:
            noun = _SIGN
        general = noun.startswith(_SIGN) or _noun(noun) in _PARTS
        if not general and (len(noun) < 3 or number[0].isalpha()):
            continue
        here = Reference(_noun(noun), _path(number), match.start(), match.end())
        between = question[found[-1].end : here.start] if found else "x"
        if found and here.is_general and _OUTER.fullmatch(between):
            last = found.pop()
            here = Reference(here.noun, here.path + last.path, last.start, here.end)
        elif found and here.is_general and _INNER.fullmatch(between):
            last = found.pop()
            here = replace(last, path=last.path + here.path, end=here.end)
        found.append(here)
    return found


def numbered_units(text: str, blocks: Sequence[Block]) -> list[Unit]:
    """The numbered parts of a document in order, outer ones before the inner; `blocks` are its own."""
    headings = {block.start: block for block in blocks if block.kind is BlockKind.HEADING}
    items = {block.start for block in blocks if block.kind is BlockKind.ITEM}
    found: list[Unit] = []
    stack: list[Unit] = []
    heading = ""
    waiting = sorted(headings)
    at = 0

    def close(count: int, end: int) -> None:
        while len(stack) > count:
            unit = stack.pop()
            unit.end = end
            if stack:
                stack[-1].inner_end = end

    for match in _UNIT.finditer(text):
        start = match.start() + len(match[0]) - len(match[0].lstrip(" \t"))
        block = headings.get(start)
        numbers = list(_numbers(match, block is not None, start in items))
        while at < len(waiting) and waiting[at] <= start:
            other = headings[waiting[at]]
            at += 1
            if other.start != start or not numbers:
                heading = text[other.start : other.end]
                depth = next(
                    (n for n, one in enumerate(stack) if not one.heads or other.level <= 1), len(stack)
                )
                close(depth, other.start)
        for label, path, style in numbers:
            depth = next((n for n, one in enumerate(stack) if one.style == style), len(stack))
            if len(path) > 1 and depth == len(stack):  # "2.1" is a part of "2"
                alone = 0 if block and not label else depth
                depth = next((n + 1 for n, one in enumerate(stack) if one.path == path[:-1]), alone)
            close(min(depth, DEEPEST), start)
            outer = stack[-1] if stack else None
            if outer is not None and (len(path) == 1 or path[: len(outer.path)] != outer.path):
                own, labels = outer.path + path, outer.labels + (label,) * len(path)
            else:
                own, labels = path, (label,) * len(path)
            unit = Unit(start, len(text), own, labels, len(path), heading, block is not None, style)
            found.append(unit)
            stack.append(unit)
        if len(found) >= MOST:
            break
    close(0, len(text))
    return [_trimmed(unit, found, text) for unit in _in_sequence(found, items)]


def _numbers(
    match: re.Match[str], heads: bool, item: bool
) -> Iterator[tuple[str, tuple[str, ...], tuple[str, str]]]:
    """(label, path, style) of the part that begins here, and of one within it that begins at once."""
    if inline := match["inline"]:
        yield "", (inline,), ("", _shape("(", inline, ")"))
        return
    if number := match["east"] or match["korean"]:
        yield _SIGN, _path(number), (_SIGN, "")
        return
    number, label = _cardinal(match["number"]), match["label"] or ""
    general = _noun(label) in _PARTS or label.startswith(_SIGN)
    ends = match.string[match.end() : match.end() + 1] in {"", "\n"}
    marked = match["after"].strip() or match["close"] or ends or heads
    if label:
        if not marked and _PROSE.match(match.string, match.end()):  # "Section 3 of the act binds us."
            return
        glued = match.string[match.start("number") - 1].isalpha()
        if glued or (len(label) < 2 and label != _SIGN) or not (general or marked) or number[0].islower():
            return
    else:
        dotted = "." in number and number[-1].isdigit()  # "2.1", "A.2"
        if not dotted and number[0].isupper() and not (heads and match["close"]):
            return
        if not (match["close"] in {".", ")", ".)", "]"} or dotted or heads or item):
            return
        lettered = item and (len(number) == 1 or not set(number) - set("ivx"))  # "a." of a list
        if number[0].islower() and ")" not in match["close"] and not lettered:
            return
    label = _noun(label) if label else ""
    yield label, _path(number), (label, "" if label else _shape(match["open"], number, match["close"]))
    for inner in _PIECE.findall(match["inner"] or ""):
        yield "", (inner,), ("", _shape("(", inner, ")"))


def _shape(open_: str, number: str, close: str) -> str:
    kind = "d" if number[0].isdigit() else "R" if number[0].isupper() else "a"
    return f"{open_}{kind}{number.count('.')}{close.strip('.:') if number.count('.') else close}"


def _in_sequence(units: Sequence[Unit], items: set[int]) -> Iterator[Unit]:
    """Without bare numbers that follow no other and are followed by none: dates and quantities that begin lines."""
    by_style: defaultdict[tuple[tuple[str, str], tuple[str, ...]], set[int]] = defaultdict(set)
    for unit in units:
        by_style[unit.style, unit.path[:-1]].add(_value(unit.path[-1]))
    for unit in units:
        known, value = by_style[unit.style, unit.path[:-1]], _value(unit.path[-1])
        labelled = bool(unit.labels[-1]) or unit.heads or unit.start in items
        goes_on = 1 in known and not known.isdisjoint(range(value - _GAP, value))
        if labelled or value == 1 or {value - 1, value + 1} & known or goes_on:
            yield unit


def _value(number: str) -> int:
    """ "4a" -> 4, "b" -> 2."""
    digits = re.match(r"\d+", number)
    return int(digits[0]) if digits else ord(number[0]) - ord("a") + 1


def _trimmed(unit: Unit, units: Sequence[Unit], text: str) -> Unit:
    """The last of a list ends with its own paragraph, where that is no heading; all end before blanks."""
    end = unit.end
    if not unit.heads and (found := _PARAGRAPH.search(text, unit.start, end)):
        first = text[unit.start : found.start()]
        complete = len(first) > LONGEST_HEAD or first.rstrip()[-1:] in ".!?;…。"
        if complete and not unit.inner_end and not _goes_on(text, found.end(), end):
            end = found.start()
        elif unit.inner_end and unit.inner_end < end:
            end = unit.inner_end
    body = text[unit.start : end]
    return replace(unit, end=unit.start + len(body.rstrip()))


def _goes_on(text: str, start: int, end: int) -> bool:
    """Whether another number follows the part: then its paragraphs up to that are its own."""
    return end < len(text) and _UNIT.match(text, end) is not None and start < end


def rank(reference: Reference, unit: Unit, about: frozenset[str]) -> float:
    """How surely the unit is what is referred to, from 0; `about` are stems of what the document is called."""
    size = len(reference.path)
    if unit.path[-size:] != reference.path or size < unit.own:
        return 0.0
    noun, label = reference.noun, unit.labels[-size]
    if len(unit.path) > size > unit.own and label and unit.labels[-size - 1] == label:
        return 0.0  # 9 below "Version 1.1" is no version 1.9
    heading = stems_of(unit.heading)
    if not reference.is_general and (len(heading) > 1 or noun in words_of(unit.heading)):
        heading = frozenset()  # "Motions" counts motions, but "Versions of the License" no versions
    named = stem_of(noun) in about or stem_of(noun) in heading
    if not label:
        general = reference.is_general and (unit.heads or noun not in _LARGE)
        sure = LABELLED if named else 2.0 if general else 0.0
    elif _same(noun, label):
        sure = 4.0
    else:
        sure = 1.0 if noun in _ALIKE and label in _ALIKE else 0.0
    return sure and sure + 0.5 * (len(unit.path) == size)


def could_be(reference: Reference, unit: Unit, about: frozenset[str]) -> bool:
    """Whether the unit is one of those that the reference counts, whatever its number."""
    size = min(len(reference.path), len(unit.path))
    return rank(replace(reference, path=unit.path[-size:]), unit, about) > 0


def _same(noun: str, label: str) -> bool:
    """The same word, or one short for the other."""
    short, long = sorted((noun, label), key=len)
    return short in _ANY or (long.startswith(short) and (len(short) > 1 or short == long))


def _noun(word: str) -> str:
    word = word.casefold().rstrip(".")
    return _SIGN if word.startswith(_SIGN) else _stemmed(word)


def _stemmed(word: str) -> str:
    """Without the s of a plural: "clauses 3 and 4"."""
    return (
        word[:-1]
        if len(word) > 3 and word.endswith("s") and word not in _PARTS and word[:-1] in _PARTS
        else word
    )


def words_of(text: str) -> list[str]:
    """Return the words of three letters and more, in small letters, without figures."""
    return re.findall(r"[^\W\d_]{3,}", text.casefold())


def stems_of(text: str) -> frozenset[str]:
    """Return the stems of `words_of`."""
    return frozenset(map(stem_of, words_of(text)))


def stem_of(word: str) -> str:
    """Return the stem, of a plural that of its singular: "decisions" and "decision" have one."""
    return stem(word[:-1] if len(word) > 4 and word[-1] == "s" and word[-2] != "s" else word)


def _path(number: str) -> tuple[str, ...]:
    """ "2.1(b)" -> "2", "1", "b"; large Roman numbers in digits."""
    return tuple(
        str(_roman(piece)) if piece.isupper() and set(piece) <= _ROMAN.keys() else piece.casefold()
        for piece in _PIECE.findall(_cardinal(number))
    )


def _cardinal(number: str) -> str:
    """ "1er" and "premier" -> "1", "2.º" -> "2", "十二" -> "12"."""
    if number[:1] in _HAN_DIGITS:
        return str(_HAN_NUMERALS.get(number.replace("零", "").replace("〇", ""), number))
    if (ordinal := re.match(_ORDINAL, number)) is None:
        return number
    return (re.sub(r"\D", "", ordinal[0]) or "1") + number[ordinal.end() :]


def han_numeral(number: int) -> str:
    """12 -> "十二"; below 1,000."""
    hundreds, rest = divmod(number, 100)
    tens, ones = divmod(rest, 10)
    written = f"{_HAN_DIGITS[hundreds]}百" if hundreds else ""
    if tens:
        written += f"{_HAN_DIGITS[tens] if tens > 1 or hundreds else ''}十"
    return written + (_HAN_DIGITS[ones] if ones else "")


_HAN_NUMERALS = {han_numeral(number): number for number in range(1, 1000)}


def _roman(number: str) -> int:
    values = [_ROMAN[letter] for letter in number]
    return sum(-v if v < max(values[at:], default=v) else v for at, v in enumerate(values))
