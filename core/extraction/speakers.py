"""People who speak, write and are written to: their readable names."""

from __future__ import annotations

import re

_ADDRESS = re.compile(r"<?\b([\w.+'-]{1,64})@[\w.-]{1,253}>?")
_ROLE = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*")
_MARKS = " \t\"'<>[](),;:@"
_HUMP = re.compile(r"(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])")
_LAST_FIRST = re.compile(r"([^\W\d_][^,]{0,40}),\s*([^\W\d_][^,]{0,40})")
# Beginnings of surnames that have a hump of their own: "McDonald", "DeWitt".
_BEGINNINGS = frozenset("Mc Mac De Di Du La Le Van Von Fitz O' D'".split())
_TITLES = frozenset("mr mrs ms miss mx dr prof sir madam herr frau mme hon rev".split())


def readable_name(written: str) -> str:
    """ "MaryJones", "JONES, Mary", "mary.jones@example.org", "Mary Jones <mj@example.org>" -> "Mary Jones"."""
    text = " ".join(written.split())
    address = _ADDRESS.search(text)
    rest = _ADDRESS.sub(" ", text).replace("mailto:", "")
    name = (_ROLE.sub(" ", rest) or rest).strip(_MARKS) or rest.strip(_MARKS)
    if not name and address is not None:
        parts = re.split(r"[._-]", address[1].partition("+")[0])
        if len(parts) < 2 or not all(len(part) > 1 and part.isalpha() for part in parts):
            return address[0].strip("<>")
        return " ".join(part.capitalize() for part in parts)
    if swapped := _LAST_FIRST.fullmatch(name):
        name = f"{swapped[2]} {swapped[1]}"
    words = (
        [part for word in name.replace("_", " ").split() for part in _humps(word)]
        if name[:1].isupper()
        else [name]
    )
    if len(words) > 1 or name.isupper():
        words = [word.capitalize() if len(word) > 2 and word.isupper() else word for word in words]
    return " ".join(words)


def is_person(name: str) -> bool:
    """Whether a readable name is one in words: nicks, numbers and single letters are not."""
    words = [word for word in name.split() if word.rstrip(".").lower() not in _TITLES]
    plain = bool(words) and all(not word[0].islower() or word.islower() for word in words)
    return (
        plain
        and name[0].isalpha()
        and not name[0].islower()
        and len(name) > 1
        and not any(map(str.isdigit, name))
    )


def _humps(word: str) -> list[str]:
    """ "MaryJones" -> "Mary", "Jones"; "McDonald" and "iPhone" stay."""
    parts = _HUMP.split(word)
    joined: list[str] = []
    for part in parts:
        if joined and (joined[-1] in _BEGINNINGS or joined[-1][-1] in "'’-"):
            joined[-1] += part
        else:
            joined.append(part)
    return joined if all(len(part) > 1 for part in joined) else [word]
