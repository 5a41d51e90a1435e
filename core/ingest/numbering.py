"""Writes automatic numbers of lists and headings as the usual programs show them, for all formats that have some."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

BULLET = "bullet"
MOST = 100_000  # a number beyond it is written in digits, for letters and Roman numerals grow with it
ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
    (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen".split()
)
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDINALS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
    "twelve": "twelfth",
}  # fmt: skip
CHINESE = "〇一二三四五六七八九"
# Letters of each alphabet in the order in which lists count by them.
ALPHABETS = {
    "lowerLetter": "abcdefghijklmnopqrstuvwxyz",
    "russianLower": "абвгдежзиклмнопрстуфхцчшщыэюя",
    "lowerGreek": "αβγδεζηθικλμνξοπρστυφχψω",
    "hebrew2": "אבגדהוזחטיכלמנסעפצקרשת",
    "arabicAlpha": "أبتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "ganada": "가나다라마바사아자차카타파하",
    "aiueoFullWidth": "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン",
}
CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
PLACE = re.compile(r"%([1-9])")


def format_number(number: int, style: str, *, doubled: bool = True) -> str:
    """Return a number in a style named as in ECMA-376, 17.18.59 ("lowerRoman"); of an unknown style in digits.

    After the last letter comes "aa", then "bb" where letters are `doubled`, else "ab".
    """
    if style in {"none", BULLET}:
        return ""
    if not 0 < number <= MOST:
        return str(number)
    lower = style.replace("upper", "lower").replace("Upper", "Lower")
    if lower == "lowerRoman":
        text = _roman(number)
    elif lower in ALPHABETS:
        text = _letters(number, ALPHABETS[lower], doubled)
    else:
        return _other(number, style)
    return text if lower == style else text.upper()


def _other(number: int, style: str) -> str:
    if style == "decimalZero":
        return f"{number:02}"
    if style == "ordinal":
        return f"{number}{_ending(number)}"
    if style in {"cardinalText", "ordinalText"} and number < 100:
        words = (
            ONES[number]
            if number < 20
            else TENS[number // 10 - 2] + ("-" + ONES[number % 10]) * (number % 10 > 0)
        )
        return (words if style == "cardinalText" else _ordinal(words)).capitalize()
    if style.startswith("decimalEnclosedCircle") and number <= len(CIRCLED):
        return CIRCLED[number - 1]
    if style.startswith("decimalFullWidth"):
        return str(number).translate({48 + digit: 0xFF10 + digit for digit in range(10)})
    if (
        style in {"chineseCounting", "chineseCountingThousand", "japaneseCounting", "taiwaneseCounting"}
        and number < 100
    ):
        tens, ones = divmod(number, 10)
        return (CHINESE[tens] * (tens > 1) + "十") * (tens > 0) + CHINESE[ones] * (ones > 0)
    return str(number)


def _roman(number: int) -> str:
    pieces = []
    for value, letters in ROMAN:
        times, number = divmod(number, value)
        pieces.append(letters * times)
    return "".join(pieces)


def _letters(number: int, alphabet: str, doubled: bool) -> str:
    times, index = divmod(number - 1, len(alphabet))
    if doubled:
        return alphabet[index] * (times + 1)
    return (_letters(times, alphabet, doubled) if times else "") + alphabet[index]


def _ending(number: int) -> str:
    return "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _ordinal(words: str) -> str:
    before, dash, last = words.rpartition("-")
    return before + dash + (ORDINALS.get(last) or (last[:-1] + "ieth" if last.endswith("y") else last + "th"))


@dataclass(frozen=True, slots=True)
class Level:
    """How one level of a list counts."""

    style: str = "decimal"
    pattern: str = ""  # "%1.%2." with the numbers of levels from 1
    start: int = 1
    restart: int = -1  # the level from 1 after whose items it begins again: -1 each above, 0 none
    plain: bool = False  # whether the numbers of all levels are in digits
    doubled: bool = True  # "aa", "bb" after "z"


class ListCounter:
    """The numbers of one list so far, by level from 0."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}

    def label(self, levels: Mapping[int, Level], level: int, number: int | None = None) -> str:
        """Count an item and return its label, "" for a bullet. `number` is its own where it has one."""
        rules = levels.get(level, Level(BULLET))
        if number is None:
            number = self._numbers.get(level, rules.start - 1) + 1
        self._numbers[level] = number
        for lower in [lower for lower in self._numbers if lower > level]:
            limit = levels[lower].restart if lower in levels else -1
            if limit < 0 or level < limit:
                del self._numbers[lower]
        return "" if rules.style == BULLET else self._written(levels, rules).strip()

    def _written(self, levels: Mapping[int, Level], rules: Level) -> str:
        def number(place: re.Match[str]) -> str:
            level = int(place[1]) - 1
            named = levels.get(level, Level())
            value = self._numbers.get(level, named.start)
            return format_number(value, "decimal" if rules.plain else named.style, doubled=named.doubled)

        return PLACE.sub(number, rules.pattern)
