"""Displays numbers by the format codes of sheets: "0.0%", "#,##0.00", "0000000", "# ?/?", "d mmm yyyy".

ECMA-376, part 1, 18.8.30 and 18.8.31. Signs are those of English: a file does not say which its reader sees.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from core.text.dates import ENGLISH_DAYS, ENGLISH_MONTHS, FRENCH_MONTHS, GERMAN_MONTHS

GENERAL = "General"
BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: "$#,##0;($#,##0)", 6: "$#,##0;($#,##0)",
    7: "$#,##0.00;($#,##0.00)", 8: "$#,##0.00;($#,##0.00)", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?",
    13: "# ??/??", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm",
    21: "h:mm:ss", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)", 39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;(#,##0.00)",
    45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
}  # fmt: skip
LOCAL_DATES = frozenset(
    {14, 22, *range(27, 37), *range(50, 59)}
)  # every reader sees them in a form of their own
LONGEST = 255  # characters of a format code
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_(?P<blank>.)|\*(?P<fill>.)|\[(?P<bracket>[^\]]*)\]'
    r"|(?P<general>General)|(?P<clock>AM/PM|A/P)|(?P<power>[Ee][+-])|(?P<date>y+|m+|d+|h+|s+|e+)"
    r"|(?P<digit>[0#?])|(?P<sign>[.,%/@])|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_PLAIN = re.compile(r"[L%]*(#,##0|#*0+)(?:\.(0+))?[L%]*")
_CURRENCY = re.compile(r"\$([^-]*)(?:-([0-9A-Fa-f]+))?")
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?)")
_ELAPSED = re.compile(r"h+|m+|s+", re.IGNORECASE)
_MONTHS_OF = {
    0x07: GERMAN_MONTHS,
    0x09: ENGLISH_MONTHS,
    0x0C: FRENCH_MONTHS,
}  # by the language of a Windows locale
_ENGLISH = 0x09
_FIGURE = re.compile(
    r"(?P<open>\()?(?P<sign>-)?[$€£¥]?\s?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:E[+-]\d+)?\s?(?P<unit>[%$€£¥]|[A-Z]{3})?\)?"
)
Token = tuple[str, str]  # kind: literal, digit, sign, power, date, elapsed, clock, general; what is written


@dataclass(frozen=True, slots=True)
class Section:
    """One of up to four parts of a code: of positive numbers, negative ones, zero, and text."""

    tokens: tuple[Token, ...]
    condition: tuple[str, float] | None = None
    language: int = _ENGLISH

    @property
    def is_date(self) -> bool:
        return any(kind in {"date", "elapsed", "clock"} for kind, _ in self.tokens)


class _Plain(NamedTuple):
    """A section of digits alone, with what stands before and behind them: most are."""

    before: str
    grouped: bool
    width: int  # least digits before the point
    decimals: int
    scale: int  # a percent is 2
    after: str
    readable: bool  # whether the figure can be read back from its text


@lru_cache(maxsize=1_000)
def _plain(section: Section) -> _Plain | None:
    signs = "".join("L" if kind == "literal" else text for kind, text in section.tokens)
    match = _PLAIN.fullmatch(signs)
    if match is None or any(kind not in {"literal", "digit", "sign"} for kind, _ in section.tokens):
        return None
    first = next(at for at, (kind, _) in enumerate(section.tokens) if kind == "digit")
    last = max(at for at, (kind, _) in enumerate(section.tokens) if kind == "digit")
    before, after = (
        "".join(text for _, text in part) for part in (section.tokens[:first], section.tokens[last + 1 :])
    )
    scale = 2 * signs.count("%")
    figure = _FIGURE.fullmatch(f"{before}1{after}".strip())
    signed = figure is None or figure["open"] or figure["sign"]
    readable = not signed and scale == 2 * after.endswith("%")
    return _Plain(before, "," in match[1], match[1].count("0"), len(match[2] or ""), scale, after, readable)


@lru_cache(maxsize=1_000)
def sections(code: str) -> tuple[Section, ...]:
    found: list[list[Token]] = [[]]
    conditions: dict[int, tuple[str, float]] = {}
    languages: dict[int, int] = {}
    for match in _TOKEN.finditer(code[:LONGEST]):
        kind, text = match.lastgroup or "other", match[match.lastgroup or 0]
        if kind == "other" and text == ";":
            found.append([])
        elif kind == "bracket":
            if currency := _CURRENCY.match(text):
                found[-1].append(("literal", currency[1]))
                if currency[2]:
                    languages[len(found) - 1] = int(currency[2], 16) & 0xFF
            elif _ELAPSED.fullmatch(text):
                found[-1].append(("elapsed", text.lower()))
            elif condition := _CONDITION.fullmatch(text):
                conditions[len(found) - 1] = condition[1], float(condition[2])
        elif kind in {"quoted", "escaped", "other"}:
            found[-1].append(("literal", text))
        elif kind == "blank":
            found[-1].append(("literal", " "))
        elif kind != "fill":
            found[-1].append((kind, text.lower() if kind == "date" else text))
    return tuple(
        Section(tuple(tokens), conditions.get(at), languages.get(at, _ENGLISH))
        for at, tokens in enumerate(found[:4])
    )


def is_date_code(code: str) -> bool:
    return bool(code) and sections(code)[0].is_date


def is_day_code(code: str) -> bool:
    """Whether a date is displayed with its day, month or year, not as a time alone."""
    tokens = sections(code)[0].tokens
    return any(kind == "date" and text[0] in "yd" for kind, text in tokens)


def is_time_code(code: str) -> bool:
    """Whether a date is displayed with its time."""
    return any(kind == "date" and text[0] in "hs" for kind, text in sections(code)[0].tokens)


def with_note(number: float, code: str) -> tuple[str, str]:
    """Return `displayed`, and the figure behind it as `note_of` has it."""
    section, signed = _section_of(number, sections(code))
    if section is not None and (signed or number >= 0) and (plain := _plain(section)) and plain.readable:
        value = Decimal(f"{number:.15g}").scaleb(plain.scale)
        if value == (rounded := _rounded(value, plain.decimals)):
            return _in_digits(abs(rounded), plain, number < 0), ""
    text = displayed(number, code)
    return text, note_of(number, text) if text else ""


def _in_digits(value: Decimal, plain: _Plain, is_negative: bool) -> str:
    digits = f"{value:,f}" if plain.grouped else f"{value:f}"
    width = plain.width + (plain.decimals and plain.decimals + 1)
    text = f"{plain.before}{digits.zfill(width)}{plain.after}"
    return " ".join(f"-{text}".split() if is_negative and value else text.split())


def displayed(number: float, code: str) -> str:
    """Return the number as its code displays it; "" for General, and for what displays nothing."""
    parts = sections(code)
    section, signed = _section_of(number, parts)
    if section is None or section.is_date or any(kind == "general" for kind, _ in section.tokens):
        return ""
    if not any(kind == "digit" for kind, _ in section.tokens):
        return "".join(text for kind, text in section.tokens if kind == "literal").strip()
    value = abs(Decimal(f"{number:.15g}"))  # the digits that Excel keeps
    if plain := _plain(section):
        value = _rounded(value.scaleb(plain.scale), plain.decimals)
        return _in_digits(value, plain, signed and number < 0)
    text = _fraction(value, section) if ("sign", "/") in section.tokens else _figures(value, section)
    if signed and number < 0 and any(character in "123456789" for character in text):
        text = f"-{text}"
    return " ".join(text.split())


def note_of(number: float, text: str) -> str:
    """Return the figure behind a displayed one, "[1234.5678]"; "" where that reads back as the same figure."""
    match = _FIGURE.fullmatch(text)
    percent = text.endswith("%")
    exact = Decimal(f"{number:.15g}") * (100 if percent else 1)
    if match and (digits := re.sub(r"[^\d.E+-]|(?<!E)[+-]|[A-Z]{3}$", "", text)) and digits != ".":
        figure = Decimal(digits)
        if exact == (-figure if match["open"] or match["sign"] else figure):
            return ""
    return f"[{format(exact.normalize(), 'f')}{'%' if percent else ''}]"


def displayed_moment(moment: datetime, days: float, code: str) -> str:
    """Return a date or time as its code displays it; "" where that needs the names of an unknown language.

    `days`: the same since the epoch, for "[h]:mm".
    """
    section = sections(code)[0]
    tokens = section.tokens
    months = _MONTHS_OF.get(section.language)
    twelve = any(kind == "clock" for kind, _ in tokens)
    parts: list[str] = []
    previous = ""
    for at, (kind, text) in enumerate(tokens):
        if kind == "elapsed":
            seconds = round(days * 86_400)
            amount = {"h": seconds // 3600, "m": seconds // 60, "s": seconds}[text[0]]
            parts.append(f"{amount:0{len(text)}}")
            previous = text[0]
        elif kind == "clock":
            parts.append(f"{'AM' if moment.hour < 12 else 'PM'}"[: 1 if text.upper() == "A/P" else 2])
        elif kind == "date":
            following = next((t[0] for k, t in tokens[at + 1 :] if k in {"date", "elapsed"}), "")
            minutes = text[0] == "m" and len(text) < 3 and (previous == "h" or following == "s")
            named = (text[0] == "m" and len(text) > 2) or (text[0] == "d" and len(text) > 2)
            if named and (months is None or (months is not ENGLISH_MONTHS and len(text) != 4) or
                          (months is not ENGLISH_MONTHS and text[0] == "d")):  # fmt: skip
                return ""
            parts.append(_part_of(moment, text, months or ENGLISH_MONTHS, minutes=minutes, twelve=twelve))
            previous = text[0]
        elif kind == "digit":  # "ss.0"
            parts.append(f"{moment.microsecond // 100_000}")
        elif kind in {"literal", "sign"} and text != "@":
            parts.append(text)
    return " ".join("".join(parts).split())


def _part_of(moment: datetime, text: str, months: Sequence[str], *, minutes: bool, twelve: bool) -> str:
    width = len(text)
    match text[0]:
        case "y" | "e":
            return f"{moment.year % 100:02}" if width <= 2 and text[0] == "y" else str(moment.year)
        case "m" if not minutes and width > 2:
            name = months[moment.month - 1]
            return name[:3] if width == 3 else name[:1] if width == 5 else name
        case "d" if width > 2:
            name = ENGLISH_DAYS[moment.weekday()]
            return name[:3] if width == 3 else name
    hour = (moment.hour % 12 or 12) if twelve else moment.hour
    value = {"m": moment.minute if minutes else moment.month, "d": moment.day, "h": hour, "s": moment.second}
    return f"{value[text[0]]:0{min(width, 2)}}"


def _section_of(number: float, parts: Sequence[Section]) -> tuple[Section | None, bool]:
    """The section of a number, and whether a minus sign is still due."""
    if any(part.condition for part in parts[:2]):
        for part in parts:
            if part.condition is None or _holds(number, part.condition):
                return part, True
        return None, True
    if number < 0 and len(parts) > 1:
        return parts[1], False
    if number == 0 and len(parts) > 2:
        return parts[2], False
    return parts[0], True


def _holds(number: float, condition: tuple[str, float]) -> bool:
    sign, bound = condition
    equal, less = number == bound, number < bound
    return {"<": less, "<=": less or equal, "=": equal, "<>": not equal, ">": not (less or equal), ">=": not less}[
        sign
    ]  # fmt: skip


def _figures(value: Decimal, section: Section) -> str:
    """Digits into their places, the last one first; further digits stand in the first place."""
    tokens = list(section.tokens)
    power = next((at for at, (kind, _) in enumerate(tokens) if kind == "power"), len(tokens))
    point = next((at for at, token in enumerate(tokens[:power]) if token == ("sign", ".")), power)
    places = [at for at, (kind, _) in enumerate(tokens[:point]) if kind == "digit"]
    decimals = [text for kind, text in tokens[point:power] if kind == "digit"]
    value *= Decimal(100) ** sum(token == ("sign", "%") for token in tokens)
    commas = [at for at, token in enumerate(tokens[:power]) if token == ("sign", ",")]
    grouped = any(places and places[0] < at < places[-1] for at in commas)
    value /= Decimal(1000) ** sum(not places or at > places[-1] for at in commas)
    exponent = 0
    if power < len(tokens) and value:
        step = max(1, len(places))
        exponent = value.adjusted() // step * step if step > 1 else value.adjusted()
        value = value.scaleb(-exponent)
        if _rounded(value, len(decimals)) >= Decimal(10) ** step:
            exponent, value = exponent + step, value.scaleb(-step)
    integer, _, rest = f"{_rounded(value, len(decimals)):f}".partition(".")
    integer = integer.lstrip("0")
    least = len(decimals) - next(
        (n for n, sign in enumerate(reversed(decimals)) if sign == "0"), len(decimals)
    )
    rest = rest[:least] + rest[least:].rstrip("0")
    written: dict[int, str] = {}
    count = 0
    for at in reversed(places):
        digit, integer = integer[-1:], integer[:-1]
        digits = [digit or ("0" if tokens[at][1] == "0" else "")]
        while at == places[0] and integer:
            digits.append(integer[-1])
            integer = integer[:-1]
        text = ""
        for one in digits:
            text = (one + "," if grouped and count and count % 3 == 0 and one else one) + text
            count += bool(one)
        written[at] = text
    pieces = []
    for at, (kind, text) in enumerate(tokens):
        if at in written:
            pieces.append(written[at])
        elif at == point < power:
            pieces.append(f".{rest}" if rest or least else "")
        elif at == power:
            sign = "-" if exponent < 0 else text[1].replace("-", "")
            width = sum(kind == "digit" for kind, _ in tokens[power:])
            pieces.append(f"E{sign}{abs(exponent):0{max(1, width)}}")
        elif kind == "literal" or (kind, text) == ("sign", "%"):
            pieces.append(text)
    return "".join(pieces)


def _rounded(value: Decimal, decimals: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


def _fraction(value: Decimal, section: Section) -> str:
    """ "# ?/?": a whole number and the nearest fraction of so many digits, or of the denominator that is written."""
    tokens = section.tokens
    at = tokens.index(("sign", "/"))
    written = ""
    for kind, text in tokens[at + 1 :]:
        if kind != "digit" and not text.isdigit():
            break
        written += text
    before = [n for n, (kind, _) in enumerate(tokens[:at]) if kind == "digit"]
    mixed = any(tokens[n] == ("literal", " ") for n in range(before[0], at)) if before else False
    exact = Fraction(value)
    integer = int(exact) if mixed else 0
    if any(character in "123456789" for character in written):
        below = int(re.sub(r"\D", "0", written))
        above = round((exact - integer) * below)
    else:
        part = (exact - integer).limit_denominator(10 ** min(len(written), 4) - 1)
        above, below = part.numerator, part.denominator
    if above == below:
        integer, above = integer + 1, 0
    text = f"{above}/{below}" if above or not mixed else ""
    unit = "".join(text for kind, text in tokens[: before[0] if before else 0] if kind == "literal")
    return f"{unit}{' '.join(filter(None, (str(integer) if integer or not text else '', text)))}"


def moment_of(serial: float, epoch: datetime) -> datetime:
    return epoch + timedelta(seconds=round(serial * 86_400))
