"""Whether sentences of documents carry what a model wrote of them: a transparent rule, no model.

Carried is what names, numbers and quotes nothing that the sentences do not hold, shares most of its other
words with them, and denies only what they deny.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+(?:[’'-][^\W_]+)*")
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")
_QUOTE = re.compile(r"[\"“]([^\"”]{3,300})[\"”]")
_NEGATIONS = frozenset("not no never none neither nor without nobody nothing".split())
_LITTLE = frozenset(
    "a an the of in on at to for from by with as and or but is are was were be been being it its he she they his her"
    " their this that these those which who whom whose has have had do does did there also into about while when"
    " after before between among through during both other another such than then".split()
)
_MOST = 0.6  # share of the words that the sentences must hold
_ALIKE = 5  # letters: words that begin with the same are forms of one


def carries(sentences: str, statement: str) -> bool:
    """Whether the sentences, joined, carry the statement."""
    if any(_flat(quote) not in _flat(sentences) for quote in _QUOTE.findall(statement)):
        return False
    if not _numbers(statement) <= _numbers(sentences):
        return False
    held = {word.casefold() for word in _WORD.findall(sentences)}
    if not all(
        name in held or name.removesuffix("'s").removesuffix("’s") in held for name in _names(statement)
    ):
        return False
    wanted, told = _content(statement), _content(sentences)
    if not wanted or len(wanted & told) < _MOST * len(wanted):
        return False
    return not _denies(statement) or _denies(sentences)


def _names(text: str) -> set[str]:
    """Words with a capital; at the head of a sentence only where another one follows, or within."""
    found = set()
    words = list(_WORD.finditer(text))
    for at, word in enumerate(words):
        if not word.group()[0].isupper() or word.group().casefold() in _LITTLE:
            continue
        head = at == 0 or re.search(r"[.!?:]\s*[\"“]?$", text[: word.start()]) is not None
        followed = at + 1 < len(words) and words[at + 1].group()[0].isupper()
        if not head or followed or any(letter.isupper() for letter in word.group()[1:]):
            found.add(word.group().casefold())
    return found


def _content(text: str) -> set[str]:
    """Beginnings of the words that say something."""
    words = (word.casefold() for word in _WORD.findall(text))
    return {word[:_ALIKE] for word in words if word not in _LITTLE and not word[0].isdigit()}


def _numbers(text: str) -> set[str]:
    """Numbers without the marks that group their digits."""
    return {re.sub(r"[.,](?=\d{3}\b)", "", number) for number in _NUMBER.findall(text)}


def _denies(text: str) -> bool:
    words = {word.casefold() for word in _WORD.findall(text)}
    return bool(words & _NEGATIONS) or any(word.endswith(("n't", "n’t")) for word in words)


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())
