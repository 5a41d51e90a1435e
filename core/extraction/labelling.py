"""What a name is, by how it behaves over all its mentions: a person, a place, or no name at all.

A candidate that is written with a capital only where every word is (at the beginning of a sentence, in a heading),
or that the documents mostly write in lower case, is a word: its label is NOUN.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from core.types.kinds import NOUN, VALUES

_UNSURE = frozenset({"OTHER", "WORK"})  # a name by its form alone, or by its place as a title
_SHARE = 1 / 3  # of the mentions as a name, recognised: least that the recogniser's label needs
_RECOGNISED = 2  # how many words in lower case a recognised mention outweighs, besides its own
_WEAK = 4  # mentions that may as well be words, to each that is a name
_LOWER = re.compile(r"(?<![\w@./-])[^\W\d_]{2,}(?![\w@/]|[.-]\w)")


def lower_words(text: str) -> list[str]:
    """The words that stand in the text in lower case, each once, by alphabet; not within addresses and paths."""
    return sorted({word for word in _LOWER.findall(text) if word.islower()})


def voted(normal: str, labels: Mapping[str, int], lower: int) -> str:
    """The label of a name whose mentions carry `labels`; `lower` passages write it in lower case.

    Values are what most mentions say. Names are what the recogniser says of a third of them at least; else OTHER.
    Ties by alphabet.
    """
    most = _most(labels)
    if most in VALUES:
        return most
    named = {label: count for label, count in labels.items() if label != NOUN and label not in VALUES}
    sure = {label: count for label, count in named.items() if label not in _UNSURE}
    total, recognised = sum(named.values()), sum(sure.values())
    if lower > total + _RECOGNISED * recognised or labels.get(NOUN, 0) > _WEAK * total:
        return NOUN
    return _most(sure) if recognised >= _SHARE * total else _most(named)


def _most(labels: Mapping[str, int]) -> str:
    return min(labels, key=lambda label: (-labels[label], label)) if labels else NOUN
