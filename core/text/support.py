"""Whether a text holds what a claim says, by its words alone: names, numbers, quotes, what it denies."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.text.sentences import STARTERS
from core.text.stems import fold, words

NEGATIONS = frozenset("not no never none neither nor without nobody nothing".split())
_WORD = re.compile(r"[^\W_]+(?:[’'-][^\W_]+)*")
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")
_QUOTE = re.compile(r"[\"“]([^\"”]{3,300})[\"”]")
_SENTENCE_BEFORE = re.compile(r"[.!?:]\s*[\"“]?$")
_POSSESSIVE = re.compile(r"[’']s$")
_FUNCTION_WORDS = frozenset(
    "a an the of in on at to for from by with as and or but is are was were be been being it its he she they his her"
    " their this that these those which who whom whose has have had do does did there also into about while when"
    " after before between among through during both other another such than then".split()
)
_MOST = 0.6  # share of a statement's words that sentences must hold


def holds(text: str, claim: str, question: str = "") -> bool:
    """Whether the claim's names, numbers and quotes stand in the text; names and numbers may be the question's."""
    folded, asked = fold(text), fold(question)
    if any(fold(quote) not in folded for quote in _QUOTE.findall(claim)):
        return False
    if not all(name in folded or name in asked for name in _names(claim)):
        return False
    return numbers(claim) <= numbers(text) | numbers(question)


def carries(sentences: str, statement: str) -> bool:
    """Whether the sentences, joined, carry the statement: they hold what it names and most of its other words, and it
    denies only where they do."""
    wanted = content_stems(statement)
    if not wanted or len(wanted & content_stems(sentences)) < _MOST * len(wanted):
        return False
    return holds(sentences, statement) and (not _denies(statement) or _denies(sentences))


def content_stems(text: str) -> frozenset[str]:
    """Stems of the words that say something, without numbers."""
    return frozenset(
        word.stem
        for word in words(text)
        if text[word.start : word.end].casefold() not in _FUNCTION_WORDS and not text[word.start].isdigit()
    )


def numbers(text: str) -> frozenset[str]:
    """Numbers without the marks that group their digits."""
    return frozenset(re.sub(r"[.,](?=\d{3}\b)", "", number) for number in _NUMBER.findall(text))


def _names(text: str) -> Iterator[str]:
    """Words with a capital, folded; at the head of a sentence only where another one follows, or within."""
    found = list(_WORD.finditer(text))
    for at, word in enumerate(found):
        low = word[0].casefold()
        if not word[0][0].isupper() or low in _FUNCTION_WORDS:
            continue
        if at == 0 or _SENTENCE_BEFORE.search(text[: word.start()]):
            followed = at + 1 < len(found) and found[at + 1][0][0].isupper()
            if low in STARTERS or not (followed or any(letter.isupper() for letter in word[0][1:])):
                continue
        yield fold(_POSSESSIVE.sub("", word[0]))


def _denies(text: str) -> bool:
    tokens = {word.casefold() for word in _WORD.findall(text)}
    return bool(tokens & NEGATIONS) or any(word.endswith(("n't", "n’t")) for word in tokens)
