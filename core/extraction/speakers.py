"""People who speak, write and are written to: their readable names, and what a passage's turns tell of them.

Who speaks is known from the blocks of a passage, so whatever extracted its names and facts is set right by them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from email.utils import getaddresses
from itertools import islice

from core.extraction.names import normalise
from core.extraction.titles import HONORIFICS
from core.types import Block, BlockKind, ExtractedMention, Extraction, Passage, Triple

WROTE = "wrote to"
SURE = 0.9  # confidence of what the form of a text tells
HEAD = 80  # characters of a turn in which its speaker's name begins
MOST = 20  # recipients of one message that become facts
LONGEST = 4_000  # characters that name them
SPOKEN = frozenset({BlockKind.TURN, BlockKind.QUOTATION})
# How speakers name themselves, where an extractor takes that for a name.
MYSELF = frozenset("i i'm me my myself ich mich mir je moi yo io eu ik jag jeg я".split())

_ADDRESS = re.compile(r"<?\b([\w.+'-]{1,64})@[\w.-]{1,253}>?")
_ONE_OF_MANY = re.compile(r'(?:"[^"]*"|[^",;])+')
_ROLE = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*")
_MARKS = " \t\"'<>[](),;:@"
_BEHALF = re.compile(
    r"\b(?:on behalf of|im auftrag von|de la part de|en nombre de|per conto di)\b", re.IGNORECASE
)
_MOMENT = re.compile(r"^\[?[\d:.]{4,}\]\s*")  # of a turn, before its speaker
_HUMP = re.compile(r"(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])")
_LAST_FIRST = re.compile(r"([^\W\d_][^,]{0,40}),\s*([^\W\d_][^,]{0,40})")
# Beginnings of surnames that have a hump of their own: "McDonald", "DeWitt".
_BEGINNINGS = frozenset("Mc Mac De Di Du La Le Van Von Fitz O' D'".split())
_DETERMINERS = frozenset("The Der Die Das Les".split())  # "The Chair" is an office


def readable_name(written: str) -> str:
    """ "MaryJones", "JONES, Mary", "mary.jones@example.org", "Mary Jones <mj@example.org>" -> "Mary Jones"."""
    text = _BEHALF.split(" ".join(written.split()))[-1]
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
    if len(words) > 1:
        words = [word.capitalize() if len(word) > 2 and word.isupper() else word for word in words]
    return " ".join(words)


def is_person(name: str) -> bool:
    """Return whether a readable name is one in words: nicks, numbers, roles and single letters are not."""
    words = [word for word in name.split() if word.rstrip(".").lower() not in HONORIFICS]
    if not words or len(name) < 2 or words[0] in _DETERMINERS or any(map(str.isdigit, name)):
        return False
    return (
        name[0].isalpha()
        and all(not word[0].islower() or word.islower() for word in words)
        and not name[0].islower()
    )


@dataclass(frozen=True, slots=True)
class Spoken:
    """A turn's part in a passage: whose it is by a readable name, and where that stands, if it stands there."""

    block: Block
    name: str
    start: int = 0
    end: int = 0


def spoken(passage: Passage) -> list[Spoken]:
    """Return those parts of turns and quotations whose speaker is known, in order."""
    found = []
    for block in passage.blocks:
        if block.kind in SPOKEN and block.speaker and len(name := readable_name(block.speaker)) > 1:
            start, end = _place(passage.text, block.speaker, name, block.start, block.end)
            found.append(Spoken(block, name, start, end))
    return found


def with_speakers(passage: Passage, extraction: Extraction) -> Extraction:
    """Return speakers and recipients as mentions under readable names, "I" as who says it, who wrote to whom as facts.

    Names and facts in the notes of a conversation are left out: lines of mail headers, signatures; and in its events.
    """
    turns = spoken(passage)
    unread = {BlockKind.EVENT, BlockKind.NOTE} if turns else {BlockKind.EVENT}
    notes = [(b.start, b.end) for b in passage.blocks if b.kind in unread]
    if not turns and not notes:
        return extraction
    facts = [fact for turn in turns for fact in _wrote(passage, turn)]
    added = [_mention(turn.name, turn.start, turn.end) for turn in turns]
    for fact in facts:
        at = passage.text.find(fact.object, fact.start, fact.end)
        added.append(
            _mention(fact.object, at, at + len(fact.object)) if at >= 0 else _mention(fact.object, 0, 0)
        )
    placed = {m.text for m in added if m.end > m.start}
    added = [m for m in added if m.end > m.start or m.text not in placed]
    names = _names(turns, facts)
    heads = [(m.start, m.end) for m in added if m.end > m.start]

    def renamed(name: str, at: int) -> str:
        """Return the speaker whom a name means; "" for "I" where nobody is known to speak."""
        if (key := normalise(name)) not in MYSELF:
            label, colon, _ = _MOMENT.sub("", name).partition(":")
            # "Mrs Berg: Correct": the label of a turn that was read into a name.
            return names.get(key) or (names.get(normalise(label), name) if colon or label != name else name)
        return next((turn.name for turn in reversed(turns) if turn.block.start <= at < turn.block.end), "")

    mentions = [
        replace(m, text=text, label=m.label if text == m.text else _label(text))
        for m in extraction.mentions
        if (text := renamed(m.text, m.start)) and not _inside(m, [*notes, *heads])
    ]
    triples = [
        replace(t, subject=subject, object=object_)
        for t in extraction.triples
        if (subject := renamed(t.subject, t.start))
        and (object_ := renamed(t.object, t.start))
        and subject != object_
        and not _inside(t, notes)
    ]
    return replace(
        extraction,
        mentions=tuple(dict.fromkeys([*added, *mentions])),
        triples=tuple(dict.fromkeys([*triples, *facts])),
    )


def named_addresses(blocks: Iterable[Block]) -> list[Block]:
    """Return bare addresses of speakers with the name that another line of the same document gives them.

    Of those spoken to the first ones: every passage of a message has them with it.
    """
    blocks = list(blocks)
    known: dict[str, str] = {}
    for block in blocks:
        for name, address in getaddresses([block.speaker, block.addressee]):
            if name and "@" in address:
                known.setdefault(address.casefold(), f"{name} <{address}>")
    return [
        replace(
            block,
            speaker=known.get(block.speaker.strip("<>").casefold(), block.speaker)[:LONGEST],
            addressee=_first_people(block.addressee),
        )
        for block in blocks
    ]


def _first_people(written: str) -> str:
    """Return the first MOST of "Name <address>, Name <address>"; the commas in quotation marks part nobody."""
    ends = [found.end() for found in islice(_ONE_OF_MANY.finditer(written[:LONGEST]), MOST)]
    return written[: ends[-1]] if ends else ""


def _wrote(passage: Passage, turn: Spoken) -> Iterator[Triple]:
    """Yield who wrote to whom, on the evidence of the lines that say so: the turn's begin."""
    if turn.end == turn.start or not turn.block.addressee:
        return
    end = min(turn.block.end, (passage.text.find("\n", turn.end) + 1 or len(passage.text) + 1) - 1)
    for block in passage.blocks:  # the header lines of a mail
        if block.kind is BlockKind.NOTE and block.start <= turn.start < block.end <= turn.block.end:
            end = block.end
    written = turn.block.addressee
    people = (
        [f"{name} <{address}>" for name, address in getaddresses([written])] if "@" in written else [written]
    )
    for name in dict.fromkeys(readable_name(person) for person in people[:MOST]):
        if len(name) > 1 and normalise(name) != normalise(turn.name):
            yield Triple(turn.name, WROTE, name, passage.id, turn.block.start, end, SURE)


def _names(turns: Iterable[Spoken], facts: Iterable[Triple]) -> dict[str, str]:
    """Return readable names by how they are written, and by their first word where only one has it."""
    called: defaultdict[str, set[str]] = defaultdict(set)
    for turn in turns:
        called[normalise(turn.block.speaker)].add(turn.name)
    for name in [*(turn.name for turn in turns), *(fact.object for fact in facts)]:
        called[normalise(name)].add(name)
        if is_person(name) and " " in name:
            called[normalise(name.split()[0])].add(name)
    return {key: next(iter(names)) for key, names in called.items() if len(names) == 1 and key}


def _place(text: str, written: str, name: str, start: int, end: int) -> tuple[int, int]:
    """Return where a turn names its speaker: as written, else readably, else by the address; (0, 0) where it does
    not."""
    address = _ADDRESS.search(written)
    for form in (written, name, address[0].strip("<>") if address else ""):
        at = text.find(form, start, min(end, start + HEAD + len(form))) if form else -1
        if at >= 0:
            return at, at + len(form)
    return 0, 0


def _mention(name: str, start: int, end: int) -> ExtractedMention:
    return ExtractedMention(name, _label(name), start, end)


def _label(name: str) -> str:
    if _ADDRESS.fullmatch(name):
        return "EMAIL"
    return "PERSON" if is_person(name) else "OTHER"


def _inside(found: ExtractedMention | Triple, spans: list[tuple[int, int]]) -> bool:
    """Return whether a name or a fact that has a place begins in one of the spans."""
    return found.end > found.start and any(start <= found.start < end for start, end in spans)


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
