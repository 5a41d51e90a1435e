"""Write raised marks so that they never run into the word or number before them: "40[5]", "m²", "1st"."""

from __future__ import annotations

import re

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
