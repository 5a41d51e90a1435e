"""Who speaks in a text: finds the turns of chats, interviews, hearings, plays and minutes.

Told by structure alone: by few names that come again at the beginnings of lines, and by how people talk.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from core.ingest.layout import unwrapped
from core.ingest.moments import (
    DATE,
    MARKS,
    STAMP,
    TIME,
    WRITTEN,
    Calendar,
    calendar,
    month_comes_first,
    plain_stamp,
)
from core.text.dates import WEEKDAY
from core.types import Block, BlockKind

LONGEST_HEAD = 70  # characters
LEAST = 4  # turns, where their form alone does not tell that a program wrote them
EXPORTED = 2  # turns of an export
RECURRING = 0.5  # of the turns are of speakers who speak again
VOICES = {
    False: 0.1,
    True: 0.2,
}  # of the turns ask, or say "I" or "you"; more where no time and no mark tells a turn
WEAK = frozenset({"named", "dotted", "capitals"})  # styles that headings, labels and fields have, too
SHARE = {
    False: 0.4,
    True: 0.12,
}  # of the paragraphs begin a turn: where heads may be labels, and where they are names
DETERMINED = 0.9  # of the heads are followed by the same head each time: the fields of records
# Words by which speakers name themselves and each other: English, German, French, Spanish, Portuguese, Italian, Dutch,
# the Nordic languages, Polish, Russian.
PERSONS = frozenset(
    "i me my we us our you your ich mir mich mein meine wir uns du dich dir dein sie ihnen je j'ai moi mon nous "
    "notre tu toi vous votre yo mi nosotros usted ustedes te eu meu nós você vocês io noi lei voi mio ik mij mijn wij "
    "jij je jou u jeg mig min vi dig din jag ni mnie mój ty pan pani я мы мне меня ты вы вас тебя".split()
)
LEVELS = frozenset("debug info notice warn warning error critical fatal trace severe todo fixme".split())
JOINTS = frozenset(
    "of the and & de da do di du del della der den van von zu la le el al bin ibn y to for".split()
)

_DATED = rf"(?:{DATE})(?:,?\s{{1,3}}|T)(?:at\s)?(?:{TIME})"
_STAMP = rf"(?:{STAMP}|{_DATED}|(?:{TIME})(?:,?\s{{1,3}}(?:{DATE}))?|(?:{DATE})|(?:{WRITTEN}))"
_OPEN = re.compile(
    rf"(?P<stamp>[\[(<]\s?(?:\w{{2,9}},?\s)?{_STAMP}\s?[\])>]|{_STAMP}),?\s{{0,4}}(?:[-–—|]\s{{1,3}})?",
    re.IGNORECASE,
)
_BULLET = re.compile(r"[-*•·]\s{1,3}(?=[^\W\d_])")
_NAME = r"[^\W\d_][^\n:：?!;\"<>\[\]{}=|]{0,68}?"
_NICK = re.compile(r"<[ @+%&~]?(?P<name>[^\s<>]{1,40}(?: [^\s<>]{1,30}){0,3})>\s")
_NAMED = re.compile(
    rf"\*{{0,3}}(?P<name>(?:~\s?)?{_NAME}|(?:~\s?)?\+?\d[\d\s()‑-]{{6,22}})\*{{0,3}}\s?(?:[\[(](?P<stamp>{_STAMP})[\])]\s?)?"
    r"[:：](?:\*{0,3}(?:\s|$)|(?<=：))",
    re.IGNORECASE,
)
_ABOVE = re.compile(
    # "Tess Moran — Today 9:14", "Moran, Tess Today at 9:14"; "Moran, Tess 9:14" has no day.
    rf"(?P<name>{_NAME})(?:(?:\s{{2,6}}|\s?[—–|]\s?|,?\s(?=[\[(—–|-]))(?:[—–|-]\s?)?[\[(]?"
    rf"(?:[^\W\d]{{2,12}},?\s(?:[^\W\d]{{2}}\s)?)?|,?\s(?:{WEEKDAY}\.?,?\s|[^\W\d]{{2,12}},?\s[^\W\d]{{2}}\s)?)(?P<stamp>{_STAMP})[\])]?",
    re.IGNORECASE,
)
_DOTTED = re.compile(
    r"(?P<name>(?:[A-ZÀ-Þ][\w'’-]{0,20}\.? ){0,3}(?:[A-ZÀ-Þ][A-ZÀ-Þ'’-]{1,30}|[QA]))\.(?:\s|$)"
)
_CAPITALS = re.compile(r"(?P<name>[A-ZÀ-Þ][A-ZÀ-Þ'’. -]{1,38})")
_SYSTEM = re.compile(r"(?:-!-|\*{1,3}|-{2,3}>|<-{1,3}|={2,3}|[→←•]|-\S{1,30}-)\s")
# "* nick waves" is said by nick, "* nick has joined" by the program.
_ACTION = re.compile(
    r"\*{1,3}\s(?P<name>[^\s(]{1,40})\s(?!\(|(?:has|is now|sets|joined|left|quit|changed)\b)", re.IGNORECASE
)
_FROM_TO = re.compile(
    r"(?:From\s+)?(?P<name>\S[^\n]{0,40}?)\s+(?:to|->|→)\s+(?P<to>\S[^\n(]{0,40})", re.IGNORECASE
)
_ADDRESSED = re.compile(r"\s{0,3}(?P<at>@)?(?P<name>[^\s:,@][^\n:,@]{0,40}?)(?P<mark>[:,]|(?<=\w)(?=\s))")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
# "I", "you" and what ends a question in Chinese and Japanese, which do not part words.
_SPOKEN = re.compile(r"[我你您咱俺私僕吗嗎]|か(?=[\s。]|$)")
_DAY_AND_CLOCK = re.compile(
    r"[\[(<]?\s?\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?[ T]\s?\d{1,2}:\d\d(?::\d\d)?\s?[])>]?"
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line that may begin a turn. `style` is how it names the speaker; `speech` where what is said begins."""

    start: int
    end: int
    style: str
    speaker: str
    stamp: str
    speech: int


def apart(text: str) -> str:
    """Cleaned text, a blank line before each turn: what is unwrapped later keeps them apart."""
    starts = [block.start for block in turns(text) if block.kind is BlockKind.TURN]
    return "\n\n".join(
        text[start:end].strip() for start, end in pairwise([0, *starts, len(text)]) if end > start
    )


def turns(text: str, day: str = "", cuts: Sequence[int] = ()) -> tuple[Block, ...]:
    """The turns of a text, and as events the lines of the program between them; none where it is no conversation.

    `day` (ISO 8601) is when it took place unless its lines tell; `cuts` are places where a turn ends, ascending.
    """
    lines = list(_lines(text))
    style, speakers = _style(text, lines)
    if not style:
        return ()
    stamps = [line.stamp for line in lines if line.stamp]
    dates = calendar(stamps)
    if dates.month_first is None:
        dates = Calendar(month_comes_first(stamps))
    counting = (_as_event(line, style, speakers) for line in lines)
    found = list(
        _blocks(text, [line for line in counting if _counts(line, style, speakers)], dates, day, style)
    )
    return tuple(block for block in _cut(found, cuts) if text[block.start : block.end].strip())


def _lines(text: str) -> Iterator[Line]:
    """What each line may be; a line that may be several things is yielded once for each."""
    at = 0
    for line in text.split("\n"):
        end = at + len(line)
        if line.isascii() or not (unseen := [mark.start() for mark in MARKS.finditer(line)]):
            found = _readings(line, at, end) if line else ()
        else:
            bare = MARKS.sub("", line)
            found = (
                replace(
                    one,
                    end=end,
                    speech=end if one.speech == at + len(bare) else _place(one.speech, at, unseen),
                )
                for one in (_readings(bare, at, at + len(bare)) if bare else ())
            )
        yield from (replace(one, stamp=plain_stamp(one.stamp)) if one.stamp else one for one in found)
        at = end + 1


def _place(place: int, start: int, unseen: Sequence[int]) -> int:
    """Where a place of a line, which begins at `start`, stands with its unseen characters."""
    for mark in unseen:
        place += start + mark <= place
    return place


def _readings(line: str, at: int, end: int) -> Iterator[Line]:
    opening = _OPEN.match(line)
    stamp, begin = (opening["stamp"], opening.end()) if opening else ("", 0)
    if found := _NICK.match(line, begin):
        yield Line(at, end, "nick", found["name"], stamp, at + found.end())
    elif line[-1] == "]" and (found := _ABOVE.fullmatch(line)) and _DAY_AND_CLOCK.fullmatch(found["stamp"]):
        yield Line(at, end, "above", found["name"].strip(" ,"), found["stamp"], end)
    elif not opening and len(line) < 90 and _date_line(line):
        yield Line(at, end, "date", "", line, at)
    elif found := _ACTION.match(line, begin):
        yield Line(at, end, "action", found["name"], stamp, at + found.end())
    elif _SYSTEM.match(line, begin):
        yield Line(at, end, "system", "", stamp, at + begin)
    elif found := _NAMED.match(line, begin if opening else _after_bullet(line)):
        style = "stamped" if opening or found["stamp"] else "named"
        yield Line(at, end, style, found["name"].strip(), stamp or found["stamp"] or "", at + found.end())
    elif ":" in line and (found := _ABOVE.fullmatch(line)) and ":" in found["stamp"]:
        yield Line(at, end, "above", found["name"].strip(" ,"), found["stamp"], end)
    elif opening and begin < len(line) <= begin + LONGEST_HEAD and _is_name(line[begin:]):
        yield Line(at, end, "below", line[begin:], stamp, end)  # time, then the name, then the text below
    elif opening:
        yield Line(at, end, "system", "", stamp, at + begin)
    elif found := _DOTTED.match(line):
        yield Line(at, end, "dotted", found["name"], "", at + found.end())
    elif found := _CAPITALS.fullmatch(line):
        yield Line(at, end, "capitals", found["name"].strip(), "", end)


def _after_bullet(line: str) -> int:
    found = _BULLET.match(line)
    return found.end() if found else 0


def _date_line(line: str) -> bool:
    """Whether a line holds a date and little else: "--- Day changed Tue May 04 2021"."""
    found = Calendar(False).day(line)
    if found is None:
        return False
    rest = line[: found[1][0]] + line[found[1][1] :]
    return sum(character.isalpha() for character in rest) < 24


def _is_name(head: str) -> bool:
    """Whether it may be a name or a nick: short, of words that begin large, or one word."""
    words = head.partition("(")[0].replace(",", " ").split()
    if (
        not words
        or len(words) > 6
        or len(head) > LONGEST_HEAD
        or not (words[0][0].isalnum() or words[0][0] in "+~@_")
    ):
        return False
    if len(words) == 1:
        return True
    return all(not word[0].islower() or word.lower() in JOINTS for word in words)


def _is_sure(head: str) -> bool:
    """Whether it is hardly a label: two words that begin large, camel case, all capitals."""
    words = [word for word in head.partition("(")[0].split() if word[:1].isalpha()]
    if len(words) > 1:
        return all(not word[0].islower() or word.lower() in JOINTS for word in words)
    return bool(words) and (words[0].isupper() or any(map(str.isupper, words[0].lstrip("@")[1:])))


def _style(text: str, lines: Sequence[Line]) -> tuple[str, frozenset[str]]:
    """How the document names its speakers, and who they are; ("", ...) where it is no conversation."""
    by_style: defaultdict[str, list[Line]] = defaultdict(list)
    for line in lines:
        if line.speaker and _is_name(line.speaker):
            by_style[line.style].append(line)
    for style in sorted(by_style, key=lambda one: -len(by_style[one])):
        if style != "action" and _is_conversation(text, style, by_style[style]):
            counts = Counter(line.speaker for line in by_style[style])
            known = {head for head, n in counts.items() if n > 1 or style not in WEAK or _is_sure(head)}
            return style, frozenset(known)
    return "", frozenset()


def _is_conversation(text: str, style: str, lines: Sequence[Line]) -> bool:
    """Whether these lines begin turns: speakers come again, not in a fixed order, and talk to each other.

    Of what a program exported, each line with day and time from the first one on, two turns suffice.
    """
    heads = [line.speaker for line in lines]
    counts = Counter(heads)
    again = [head for head, times in counts.items() if times > 1]
    exported = _is_exported(text, style, lines)
    if len(heads) < (EXPORTED if exported else LEAST):
        return False
    recurring = sum(counts[head] for head in again) >= RECURRING * len(heads)
    if not exported and (len(counts) < 2 or not recurring):
        return False
    if style == "nick":
        return text.count("</") < len(heads) / 2  # else they are marks of HTML
    if LEVELS & {head.lower() for head in (heads if exported else again)} or (
        len(counts) > 2 and _is_record(heads)
    ):
        return False
    ends = [line.start for line in lines[1:]] + [len(text)]
    utterances = [
        text[line.speech : min(end, line.speech + 600)] for line, end in zip(lines, ends, strict=True)
    ]
    if sum(map(_has_voice, utterances)) < VOICES[style in WEAK] * len(utterances):
        return False
    if style not in WEAK:
        return True
    sure = sum(counts[head] for head in counts if _is_sure(head)) > 0.5 * len(heads)
    if style == "capitals" and len(again) < 2:
        return False
    paragraphs = unwrapped(text[lines[0].start :]).split("\n")
    return len(heads) >= SHARE[sure] * sum(1 for paragraph in paragraphs if paragraph.strip())


def _is_exported(text: str, style: str, lines: Sequence[Line]) -> bool:
    """Whether a program wrote the lines: the text begins with one, and each has a nick in angles, or day and time."""
    first = MARKS.sub("", text.lstrip().partition("\n")[0])
    opening = _OPEN.match(first)
    if style == "above":
        opening = _ABOVE.fullmatch(first)
    if opening is None or style not in {"nick", "stamped", "above"}:
        return False
    return (
        all(line.stamp for line in lines)
        if style == "nick"
        else (all(_DAY_AND_CLOCK.fullmatch(line.stamp) for line in lines))
    )


def _is_record(heads: Sequence[str]) -> bool:
    """Whether heads follow each other in a fixed order, as the fields of records do."""
    after: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for head, following in pairwise(heads):
        after[head][following] += 1
    often = [counts for counts in after.values() if counts.total() > 1]
    return bool(often) and sum(max(c.values()) for c in often) >= DETERMINED * sum(c.total() for c in often)


def _has_voice(speech: str) -> bool:
    return (
        any(mark in speech for mark in "?？؟")
        or _SPOKEN.search(speech) is not None
        or any(word.lower().partition("'")[0].partition("’")[0] in PERSONS for word in _WORD.findall(speech))
    )


def _as_event(line: Line, style: str, speakers: frozenset[str]) -> Line:
    """What the program of a chat tells with a colon in it: "Mary changed the subject to: Crane"."""
    is_event = style == "stamped" == line.style and line.speaker not in speakers
    return replace(line, style="system", speaker="") if is_event else line


def _counts(line: Line, style: str, speakers: frozenset[str]) -> bool:
    """Whether the line begins a turn, or something between turns."""
    if line.style in {"system", "date"}:
        return style in {"nick", "stamped"} or line.style == "date"
    return line.style in {style, "action"} and line.speaker in speakers


def _blocks(text: str, lines: Sequence[Line], dates: Calendar, day: str, style: str) -> Iterator[Block]:
    nobody = Block(BlockKind.TURN, 0, 0)
    names = _addresses(line.speaker for line in lines if line.speaker)
    open_block = nobody
    for line in lines:
        if open_block is not nobody:
            yield replace(open_block, end=line.start)
            open_block = nobody
        if found := dates.day(line.stamp):
            day = found[0]
        if line.style == "system":
            yield Block(BlockKind.EVENT, line.start, line.end, time=dates.moment(line.stamp, day))
        elif line.style != "date":
            speaker, to = line.speaker, _addressee(text, line, names)
            if found_to := _FROM_TO.fullmatch(speaker):
                speaker, to = found_to["name"], found_to["to"].strip()
            time = dates.moment(line.stamp, day) if line.stamp else day
            open_block = Block(BlockKind.TURN, line.start, line.end, 0, speaker, to, time)
    if open_block is not nobody:
        yield replace(open_block, end=len(text))


def _addresses(speakers: Iterator[str]) -> dict[str, str]:
    """Speakers by how they are called: their whole name, and the first word of it where only one has it."""
    called: defaultdict[str, set[str]] = defaultdict(set)
    for speaker in speakers:
        for name in (speaker, speaker.split()[0], re.split(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ])", speaker)[0]):
            called[name.casefold()].add(speaker)
    return {name: next(iter(speakers)) for name, speakers in called.items() if len(speakers) == 1}


def _addressee(text: str, line: Line, names: dict[str, str]) -> str:
    """Whom the turn calls first: "nick: yes", "@nick yes", "Mary, would you"."""
    found = _ADDRESSED.match(text, line.speech, line.end)
    if found is None or not (found["at"] or found["mark"]):
        return ""
    to = names.get(found["name"].casefold(), "")
    return to if to != line.speaker else ""


def _cut(blocks: Sequence[Block], cuts: Sequence[int]) -> Iterator[Block]:
    """Turns end where `cuts` says: at headings."""
    for block in blocks:
        at = bisect_right(cuts, block.start)
        yield replace(block, end=min(block.end, cuts[at])) if at < len(cuts) else block
