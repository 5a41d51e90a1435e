"""Names by how they are written, for languages whose grammar Clew does not read: mentions only, never triples."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.extraction.inverted_names import Recognise, inverted_names, with_inverted
from core.progress import TaskContext
from core.text.dates import find_dates
from core.types import ExtractedMention, Extraction, Passage

# Words that join parts of a name in many languages ("Banco de la Nación", "Otto von Guericke").
_JOINTS = r"(?:d[aeiou]l?|d[eo]s|du|de la|van|von|von der|zu|of|bin|al)"
_UPPER = r"[A-ZÀ-ÖØ-ÞŁŚŻŹČŠŽŘĐĞİŐŰА-ЯЁІЇЄΑ-Ω]"
_WORD = rf"{_UPPER}[\w’'.-]*\w|{_UPPER}{{2,}}"
_RUN = re.compile(rf"(?<![\w@./-])(?:{_WORD})(?:[  ](?:{_JOINTS}[  ])?(?:{_WORD}))*(?![\w@])")
_KATAKANA = re.compile(r"[ァ-ヴー]{3,}(?:・[ァ-ヴー]+)*|[「『《]([^」』》\n]{2,30})[」』》]")
_START = re.compile(r"(?:^|[.!?:;\n]|[–—•*-]\s)[\s\"'“„«»(\[]*$")
NOUNS_CAPITAL = frozenset({"de", "lb"})  # languages that write every noun with a capital
_LONGEST = 80  # characters


class WrittenNames:
    """Runs of words with capitals within sentences; a single word at a sentence's start tells nothing."""

    name = "names"
    version = "3"

    def __init__(self, recognise: Recognise | None = None) -> None:
        """`recognise` as for `inverted_names`."""
        self._recognise = recognise

    def extract(self, passages: Sequence[Passage], context: TaskContext) -> Iterator[Extraction]:
        """One Extraction a passage, in order, without triples."""
        for number, passage in enumerate(passages, start=1):
            context.report("extract", number, len(passages))
            inverted = inverted_names(passage.text, self._recognise)
            yield Extraction(with_inverted(_names(passage), inverted), ())


def _names(passage: Passage) -> Iterator[ExtractedMention]:
    text = passage.text
    dates = find_dates(text)
    yield from (ExtractedMention(text[start:end], "DATE", start, end) for start, end in dates)
    runs = [
        (_mention(match), bool(_START.search(text, max(0, match.start() - 8), match.start())))
        for match in _RUN.finditer(text)
        if len(match[0]) <= _LONGEST and not any(s < match.end() and match.start() < e for s, e in dates)
    ]
    inside = {name.text for name, starts in runs if not starts}
    for name, starts in runs:
        if starts and name.text not in inside:
            name = _without_first(name)
        if " " in name.text or _is_code(name.text) or (name.text and passage.language not in NOUNS_CAPITAL):
            yield name
    for match in _KATAKANA.finditer(text):
        yield _mention(match, 1 if match[1] else 0)


def _without_first(name: ExtractedMention) -> ExtractedMention:
    """The first word of a sentence has a capital anyway."""
    first, _, rest = name.text.partition(" ")
    if _is_code(first):
        return name
    trimmed = rest if rest[:1].isupper() else ""
    return ExtractedMention(trimmed, name.label, name.end - len(trimmed), name.end)


def _is_code(word: str) -> bool:
    """An abbreviation or a code: "ADAC", "B12", "GmbH-Nr"."""
    return sum(c.isupper() or c.isdigit() for c in word) > 1 and " " not in word


def _mention(match: re.Match[str], group: int = 0) -> ExtractedMention:
    return ExtractedMention(match[group], "OTHER", *match.span(group))
