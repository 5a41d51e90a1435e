"""Write raised marks and equations as plain text: "40[5]", "m²", "1st", "a/b"."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from xml.etree import ElementTree

from core.ingest.package import Element, attribute, local

SUPERSCRIPTS = str.maketrans("0123456789+-−–=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾")
BASE = re.compile(r"[^\W\d_]+\Z|\d[\d.,]*\Z")
LONGEST = 20  # characters; what is longer is text that somebody raised
BASE_LENGTH = 80  # characters before a mark that are looked at
SIGNED = re.compile(r"[-+−–]\d*|\d+[-+−–]")
NUMBER = re.compile(r"\d{1,3}")
FACTOR = re.compile(r"[×·∙⋅*x]\s?\d[\d.,]*\Z")
AFTER_NUMBER = re.compile(r"(?:\d\s?|/)[^\W\d_]{1,2}\Z")
ROMAN = re.compile(r"[IVXLCDM]+")
ELEMENT = re.compile(r"[A-Z][a-z]?(?![^\W\d_])")
VOWELS = frozenset("aeiouyäöüåæøáéíóúàèìòùâêîôû")


def raised(before: str, mark: str, after: str = "") -> str:
    """Return a raised `mark` as written between `before` and `after`.

    Notes get brackets; exponents, charges and isotopes the raised signs of Unicode; letters of ordinals and
    abbreviations ("1st", "Mme") stay as they are.
    """
    core = mark.strip()
    if len(core) > LONGEST:
        return mark
    if not any(map(str.isalnum, core)) or core[0] in "[(":
        return core.translate(SUPERSCRIPTS) if SIGNED.fullmatch(core) and before[-1:].isalnum() else mark
    found = BASE.search(before[-BASE_LENGTH:])
    base = found[0] if found else ""
    if any(map(str.isdigit, core)):
        as_power = _is_power(before, base, core) if base else bool(ELEMENT.match(after))
        written = core.translate(SUPERSCRIPTS) if as_power else f"[{core}]"
    else:
        written = _letters(before, base, core)
    opens = not before[-1:].strip() and written[-1] == "]" and after[:1].isalnum()
    return f"{written} " if opens else written


def _is_power(before: str, base: str, mark: str) -> bool:
    if SIGNED.fullmatch(mark):
        return True
    if not NUMBER.fullmatch(mark):
        return False
    if base[0].isdigit():
        return base == "10" or FACTOR.search(before[-BASE_LENGTH:]) is not None
    if len(base) == 1:
        return True
    # Units: "40 km", "m/s", "cm"; no word has two consonants alone.
    short = len(base) == 2 and len(mark) == 1
    return short and (AFTER_NUMBER.search(before) is not None or VOWELS.isdisjoint(base.lower()))


def _letters(before: str, base: str, mark: str) -> str:
    if not base:
        return mark if before[-1:] in {")", "]"} or len(mark) > 1 else f"[{mark}]"
    if base[0].isdigit() or len(base) == 1 or ROMAN.fullmatch(base):
        if mark == "o":
            return "º"
        return mark if len(mark) > 1 or mark == "e" or len(base) == 1 and base.isalpha() else f"[{mark}]"
    return f"[{mark}]"


# ------------------------------------------------------------ equations


SIMPLE = re.compile(r"\d[\d.,]*|.?", re.DOTALL)
RAISED = re.compile(r"[_^/]")  # after which a letter would seem to go on
DEEPEST = 100  # elements of a page's equation within each other
TOKENS = frozenset({"t", "mi", "mn", "mo", "mtext", "ms"})
SILENT = frozenset(
    {"annotation", "annotation-xml", "mphantom", "phant", "rPr", "ctrlPr", "argPr", "instrText", "delText"}
)
SIGNS = {"mspace": " ", "tab": " ", "br": " ", "maligngroup": " "}


def equation_text(element: Element) -> str:
    """Return an equation as one line: "a/b", "x^2", "a_(i+1)", "√(x)", "∑_(i=1)^n". ECMA-376, 22.1; MathML 3."""
    return " ".join(_text(element).split())


def _text(element: Element) -> str:
    name = local(element)
    if name in TOKENS:
        # Signs that nobody sees: application, times, separator, plus.
        return re.sub("[\u2061-\u2064]", "", element.text or "")
    if name in SILENT or name.endswith("Pr"):
        return ""
    if name in SIGNS:
        return SIGNS[name]
    write = WRITERS.get(name)
    return write(element) if write else _joined(map(_text, element))


def _joined(texts: Iterable[str]) -> str:
    """Parts of an equation; what follows a script or a fraction is set apart from it, and a letter of one alphabet from
    the next one of another: "π r^2"."""
    pieces: list[str] = []
    for text in texts:
        if pieces and text[:1].isalnum() and (RAISED.search(pieces[-1]) or _are_foreign(pieces[-1], text)):
            pieces.append(" ")
        pieces.append(text)
    return "".join(pieces)


def _are_foreign(before: str, after: str) -> bool:
    ends = before[-1:], after[:1]
    return all(map(str.isalpha, ends)) and len({unicodedata.name(end, "").split(" ")[0] for end in ends}) > 1


def _part(element: Element, name: str) -> str:
    child = element.find(f"./{{*}}{name}")
    return "" if child is None else _text(child).strip()


def _property(element: Element, name: str, default: str) -> str:
    """A property of OMML; an empty value is one, too: a bracket that is not drawn."""
    found = element.find(f"./{{*}}{local(element)}Pr/{{*}}{name}")
    return default if found is None else attribute(found, "val")


def _grouped(text: str) -> str:
    text = text.strip()
    return (
        text
        if SIMPLE.fullmatch(text) or (text[0] == "(" and text.find(")") == len(text) - 1)
        else f"({text})"
    )


def _scripts(base: str, sub: str = "", sup: str = "") -> str:
    return base + (f"_{_grouped(sub)}" if sub else "") + (f"^{_grouped(sup)}" if sup else "")


def _fraction(above: str, below: str, bar: bool) -> str:
    return f"{_grouped(above)}/{_grouped(below)}" if bar else f"({above} over {below})"


def _omml_fraction(element: Element) -> str:
    return _fraction(
        _part(element, "num"), _part(element, "den"), _property(element, "type", "bar") != "noBar"
    )


def _omml_scripts(element: Element) -> str:
    return _scripts(_part(element, "e"), _part(element, "sub"), _part(element, "sup"))


def _radical(degree: str, inner: str) -> str:
    return f"√[{degree}]({inner})" if degree else f"√({inner})"


def _nary(element: Element) -> str:
    sign = _property(element, "chr", "∫")
    return f"{_scripts(sign, _part(element, 'sub'), _part(element, 'sup'))} {_part(element, 'e')}"


def _delimited(element: Element) -> str:
    inner = [_text(child).strip() for child in element if local(child) == "e"]
    between = _property(element, "sepChr", "|").join(inner)
    return _property(element, "begChr", "(") + between + _property(element, "endChr", ")")


def _function(element: Element) -> str:
    argument = _part(element, "e")
    return (
        f"{_part(element, 'fName')} {argument}"
        if argument[:1].isalnum()
        else _part(element, "fName") + argument
    )


def _accent(element: Element) -> str:
    return _part(element, "e") + _property(element, "chr", "\u0302" if local(element) == "acc" else "\u0305")


def _rows(element: Element) -> str:
    rows = [child for child in element if local(child) in {"mr", "mtr", "mlabeledtr"}]
    return "[" + "; ".join(", ".join(_text(cell).strip() for cell in row) for row in rows) + "]"


def _lines(element: Element) -> str:
    return "; ".join(_text(child).strip() for child in element if local(child) == "e")


def _render_children(element: Element) -> list[str]:
    return [_text(child).strip() for child in element if local(child) not in {"none", "mprescripts"}]


def _mathml(element: Element) -> str:
    """Elements of MathML whose children are told apart by their place alone."""
    name, parts = local(element), [*_render_children(element), "", "", ""]
    if name == "mfrac":
        return _fraction(parts[0], parts[1], attribute(element, "linethickness") not in {"0", "0px", "0pt"})
    if name == "mroot":
        return _radical(parts[1], parts[0])
    if name in {"msup", "mover"}:
        accent = name == "mover" and len(parts[1]) == 1 and not parts[1].isalnum()
        return parts[0] + parts[1] if accent else _scripts(parts[0], "", parts[1])
    return _scripts(*parts[:3])


def _fenced(element: Element) -> str:
    opened, closed = element.get("open", "("), element.get("close", ")")
    return (
        opened + (element.get("separators", ",").strip()[:1] + " ").join(_render_children(element)) + closed
    )


WRITERS = {
    "f": _omml_fraction,
    "sSup": _omml_scripts,
    "sSub": _omml_scripts,
    "sSubSup": _omml_scripts,
    "sPre": lambda element: _scripts("", _part(element, "sub"), _part(element, "sup")) + _part(element, "e"),
    "rad": lambda element: _radical(_part(element, "deg"), _part(element, "e")),
    "nary": _nary,
    "d": _delimited,
    "func": _function,
    "limLow": lambda element: _scripts(_part(element, "e"), _part(element, "lim")),
    "limUpp": lambda element: _scripts(_part(element, "e"), "", _part(element, "lim")),
    "acc": _accent,
    "bar": _accent,
    "m": _rows,
    "eqArr": _lines,
    **dict.fromkeys(
        ("mfrac", "msup", "msub", "msubsup", "mroot", "mover", "munder", "munderover", "mmultiscripts"),
        _mathml,
    ),
    "msqrt": lambda element: _radical("", "".join(_render_children(element))),
    "mfenced": _fenced,
    "mtable": _rows,
}


class EquationBuilder:
    """Builds an equation of a page tag by tag; what was never closed ends with it."""

    def __init__(self) -> None:
        self._builder = ElementTree.TreeBuilder()
        self._open: list[str] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if len(self._open) < DEEPEST:  # what is nested deeper stands in the element around it
            self._builder.start(tag, dict(attributes))
            self._open.append(tag)

    def data(self, text: str) -> None:
        self._builder.data(text)

    def end(self, tag: str) -> None:
        while tag in self._open and self._builder.end(self._open.pop()).tag != tag:
            pass

    def text(self) -> str:
        """Return the equation on one line."""
        while self._open:
            self._builder.end(self._open.pop())
        return equation_text(self._builder.close())
