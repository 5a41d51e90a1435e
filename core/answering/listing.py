"""Members of a list as they stand in a text: joined by commas and "and", or in lines of their own behind one mark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from core.extraction.question_words import INTERROGATIVES, is_interrogative
from core.text.stems import content_stems

if TYPE_CHECKING:
    from spacy.tokens import Doc

LONGEST = 6  # words of a member
_BETWEEN = re.compile(r",\s*(?:and|or)\s+|,\s*|\s+(?:and|or|&)\s+")
_JOINED = re.compile(r"\b(?:and|or)\b|&")
_EDGE = re.compile(r"[.!?;:](?=\s|$)|\n")
_LINE = re.compile(r"^[ \t]*([-*•–]|\d+[.)])[ \t]+(\S.*?)[ \t]*$", re.MULTILINE)
_LABELLED = re.compile(r"\s*(\S[^:\n]{0,80}?)\s*:\s+(\S.*?)[\s.]*", re.DOTALL)

_ASKS = frozenset(("list", "enumerate", "name"))

_FEWEST = 3  # words of a question for yes or no, in whatever language
_PLURAL = ("NNS", "NNPS")
Places = tuple[tuple[int, int], ...]


def asks_for_several(doc: Doc) -> bool:
    """Whether a parsed question names what it wants in the plural: "Which ships", "List all"."""
    first = next((token for token in doc if token.is_alpha), None)
    if first is None:
        return False
    if first.lemma_.lower() in _ASKS and first.i + 1 < len(doc):
        return any(token.tag_ in _PLURAL for token in doc[first.i + 1 :])
    asked = next((token for token in doc[:3] if token.lower_ in ("which", "what", "who")), None)
    if asked is None or asked.i and doc[asked.i - 1].pos_ != "ADP":
        return False
    after = doc[asked.i + 1] if asked.i + 1 < len(doc) else None
    if after is None:
        return False
    if after.pos_ in ("NOUN", "PROPN", "ADJ"):
        return next((t.tag_ for t in doc[asked.i + 1 :] if t.pos_ in ("NOUN", "PROPN")), "") in _PLURAL
    if after.lower_ not in ("are", "were"):
        return False
    return any(token.tag_ in _PLURAL and token.dep_ in ("nsubj", "attr") for token in doc)


def asks_for_verdict(doc: Doc) -> bool:
    """Whether a parsed question may be one of yes or no: it has a verb, and no question word of another language.

    "invoice 41?" has no verb; of languages that the parser does not know, two words are too few for one.
    """
    words = [token for token in doc if token.text[:1].isalpha()]
    spaced = all(token.text < "\u2e80" for token in words)
    if spaced and len(words) < _FEWEST and not any(token.pos_ in ("VERB", "AUX") for token in words):
        return False
    if any(sign in INTERROGATIVES for token in words if token.text > "\u0590" for sign in _signs(token.text)):
        return False
    done = any(token.dep_ == "ROOT" and token.tag_ in ("VBN", "VBG") for token in words)
    if words and words[0].dep_ in ("aux", "auxpass") and done:
        return True  # "Was payment made?", though "was" asks in German
    if words and (words[0].lower_ == "que" or words[0].lower_.startswith(("qu'", "qu’"))):
        return False  # "Que louent ...?", but "Est-ce que ...?"
    asking = (*words[:2], *words[-1:])
    after = {token.i: following.text for token, following in pairwise(words)}
    return not any(is_interrogative(token.text, after.get(token.i, "")) for token in asking)


def _signs(word: str) -> Iterator[str]:
    """A word in a script whose words may not be parted by blanks, and all parts of it of one to three letters."""
    yield word
    for size in (1, 2, 3):
        yield from (word[at : at + size] for at in range(len(word) - size + 1) if word > "\u2e80")


def parted(text: str, start: int, end: int, least: int = 3) -> Places:
    """The members of a list that stands in a text; () where it is none."""
    words = text[start:end]
    if not _JOINED.search(words) or re.search(r"\d,\d", words):
        return ()
    members = _pieces(text, start, end)
    short = all(0 < len(text[a:b].split()) <= LONGEST for a, b in members)
    return members if short and len(members) >= least else ()


def siblings(text: str, start: int, end: int, runs: Places = ()) -> Places:
    """The whole list of which words are a part, or that they are; () where they stand in none.

    The first and the last part of a clause may hold other words: of these counts what of `runs` lies in them.
    """
    return _lines(text, start, end) or _coordinated(text, start, end, runs)


def _pieces(text: str, start: int, end: int) -> Places:
    edges = [0, *(edge for found in _BETWEEN.finditer(text[start:end]) for edge in found.span()), end - start]
    return tuple((start + a, start + b) for a, b in zip(edges[::2], edges[1::2], strict=True))


def _lines(text: str, start: int, end: int) -> Places:
    """Lines behind the same mark that follow one another, of which the words touch one."""
    run: list[re.Match[str]] = []
    for line in _LINE.finditer(text):
        if run and (text[run[-1].end() : line.start()].strip() or _mark(run[-1]) != _mark(line)):
            if _touches(run, start, end):
                break
            run = []
        run.append(line)
    if len(run) < 2 or not _touches(run, start, end):
        return ()
    return tuple(line.span(2) for line in run)


def _mark(line: re.Match[str]) -> str:
    return "1" if line[1][0].isdigit() else line[1]


def _touches(run: list[re.Match[str]], start: int, end: int) -> bool:
    return any(line.start() < end and start < line.end() for line in run)


def _coordinated(text: str, start: int, end: int, runs: Places) -> Places:
    """From one edge of the clause to the other as far as members are short."""
    start = max((found.end() for found in _EDGE.finditer(text, start, end - 1)), default=start)
    while start < end - 1 and text[start].isspace():
        start += 1
    begin = max((found.end() for found in _EDGE.finditer(text, 0, start)), default=0)
    while begin < start and text[begin].isspace():
        begin += 1
    stop = next((found.start() for found in _EDGE.finditer(text, end)), len(text))
    members = list(_pieces(text, begin, stop))
    overlapping = [at for at, (a, b) in enumerate(members) if a < end and start < b]
    if not overlapping or not _JOINED.search(text[begin:stop]) and len(members) < 3:
        return ()
    first, last = overlapping[0], overlapping[-1]
    if overlapping[0] > 0 and text[begin - 2 : begin - 1] != ":":
        members[0] = _within(members[0], runs)
    if overlapping[-1] + 1 < len(members):
        members[-1] = _within(members[-1], runs)
    while first > 0 and _fits(text, *members[first - 1]):
        first -= 1
    while last + 1 < len(members) and _fits(text, *members[last + 1]):
        last += 1
    found = members[first : last + 1]
    if first == overlapping[0]:
        found[0] = (max(found[0][0], start), found[0][1])
    if last == overlapping[-1]:
        found[-1] = (found[-1][0], min(found[-1][1], max(end, found[-1][0])))
    return tuple(found) if len(found) > 1 and all(_fits(text, a, b) for a, b in found) else ()


def _within(member: tuple[int, int], runs: Places) -> tuple[int, int]:
    inside = [place for place in runs if member[0] <= place[0] and place[1] <= member[1]]
    return (inside[0][0], inside[-1][1]) if inside else (member[0], member[0])


def _fits(text: str, start: int, end: int) -> bool:
    return 0 < len(text[start:end].split()) <= LONGEST


def asked_part(question: str, member: str) -> tuple[int, int] | None:
    """Return what a labelled member of a list tells, offsets in it: the value whose whole label the question names, or
    the label whose value it names; None where it names neither, or both."""
    labelled = _LABELLED.fullmatch(member)
    if labelled is None:
        return None
    asked = content_stems(question)
    label, value = (content_stems(part) for part in labelled.groups())
    named = bool(label) and label <= asked, bool(value) and value <= asked
    return None if named[0] == named[1] else labelled.span(2 if named[0] else 1)
