"""Gives PDF text its paragraphs back: lines joined, hyphens at line ends resolved, running lines dropped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType

from core.ingest.cleaning import plain
from core.ingest.running_lines import PART, PageLines, part_running_lines
from core.text.sentences import FULL_LINE, POINT, SHORT_LINE
from core.types import Block, BlockKind, Page

PDFIUM_HYPHEN = "\x02"  # pdfium's mark for a hyphen at the end of a line; the line break itself is gone
HYPHEN = "\ue000"  # ours, until the paragraphs are found; a private character that cleaning keeps
# Ours before a heading, one for each level, until the paragraphs are found; private characters as well.
DEEPEST_MARK = 6
MARKS = "".join(chr(0xE000 + level) for level in range(1, DEEPEST_MARK + 1))
NOTE = "\ue007"  # the same before a note
MARK = re.compile(f"[{MARKS}{NOTE}]")
OWN = re.compile(f"[{MARKS}{NOTE}{PART}]")
NUMBERED = re.compile(r"(?:\d+\.)*\d+\.? ")
AT_LINE_END = re.compile(r"[-\u00ad\u2010\ufffe][ \t]*\r?\n[ \t]*(?=[^\W\d_])")
AT_PDFIUM_END = re.compile(rf"{PDFIUM_HYPHEN}[ \t]*")
HALVES = re.compile(rf"(-?)([^\W\d_]{{1,60}}){HYPHEN}([^\W\d_]{{1,60}})")
# First halves that keep their hyphen when the text gives no other hint.
COMPOUND = re.compile(
    r"well|self|non|co|ex|half|long|short|high|low|semi|multi|anti|pre|post|inter|cross|all|first|second|third|"
    r"two|three|four|five|six|seven|eight|nine|ten|twenty|thirty|forty|fifty|full|part|so|much|mid|vice|."
    r"|après|celui|celle|ceux|celles|demi|peut|rendez|sous",
    re.IGNORECASE,
)
# Before them a hyphen stands for the rest of a word: "Haupt- und Nebeneingang", "pre- and postwar".
SUSPENDING = frozenset("und oder bzw sowie and og och".split())
AT_END = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\Z")
NO_NOTES: Mapping[int, Sequence[str]] = MappingProxyType({})
# The end of a line in the middle of an address; of a DOI, right behind the prefix, which is none by itself.
CUT_ADDRESS = re.compile(
    r"(?P<prefix>\b10\.\d{4,9}/)$|(?:https?://|www\.|\bdoi[:.]\s?|\b10\.\d{4,9}/)\S*[/._=&?#%~-]$",
    re.IGNORECASE,
)
REST_OF_ADDRESS = re.compile(r"[\w%~-]*[\d/._=&?#%~-][\w/%=&?#~-]")
ENDS_OF_CUT = frozenset("/._=&?#%~-")
LABELLED = re.compile(r"[^\W\d_][^:.!?]{0,40}:\s")  # a line of a form
LISTED = re.compile(r"[^\W\d_][^,:;!?]{1,30}, [^\W\d_a-zß-öø-ÿ][^,:;!?]{1,30}")  # "Solberg, Henrik (clerk)"
LONGEST_ADDRESS = 300  # characters
LED = re.compile(r"(?:(§|[^\W\d_]{3,12})[ \xa0])?(\d{1,3}(?:\.\d{1,3}){0,4})(?=[.):]?[ \t\xa0])")
WIDEST = 130  # characters; text with longer lines was not broken at a margin


def heading_mark(level: int) -> str:
    """What stands before each line of a heading in the pages that `paged_text` is given."""
    return MARKS[level - 1]


def without_marks(text: str) -> str:
    """Raw text without characters that would be taken for such a mark."""
    return OWN.sub("", text)


def paged_text(
    pages: Sequence[tuple[int, str]], notes: Mapping[int, Sequence[str]] = NO_NOTES
) -> tuple[str, tuple[Page, ...], tuple[Block, ...]]:
    """One text out of (number, raw text) pages, where each page lies in it, and the headings that were marked.

    `notes` of a page, a cleaned line each, stand at its foot as blocks of their own. Blank pages are empty.

    A sentence that runs on over the page break is kept in one piece: heads, feet and notes stand before or after its
    paragraph.
    """
    parted = part_running_lines([(number, _lines(raw)) for number, raw in pages])
    lines = [(page.number, page.body) for page in parted]
    full_text = "\n".join(line for _, page_lines in lines for line in page_lines).lower()
    words = _words(full_text)
    width = _width(lines)
    bodies = [paragraphs(page.body, width) for page in parted]
    runs_on = [bool(a and b) and _gap(a, b) == " " for a, b in pairwise(bodies)]
    placed: list[Page] = []
    marked: list[Block] = []
    parts: list[str] = []
    length = 0
    for page, text, runs_in, runs_out in zip(
        parted, bodies, [False, *runs_on], [*runs_on, False], strict=False
    ):
        foot = [*page.foot, *(f"{NOTE}{note}" for note in notes.get(page.number, ()))]
        text = _rejoined(_around(_titled(page), text, foot, runs_in, runs_out), words)
        text, blocks = _headings(text)
        apart = (blocks and not blocks[0].start) or (marked and marked[-1].end == length)
        gap = ("\n\n" if apart else _gap(parts[-1], text)) if parts and text else ""
        start = length + len(gap)
        marked += (replace(b, start=start + b.start, end=start + b.end) for b in blocks)
        placed.append(Page(page.number, start, start + len(text)))
        if text:
            parts += [gap, text] if gap else [text]
            length = start + len(text)
    return "".join(parts), tuple(placed), tuple(marked)


def _titled(page: PageLines) -> list[str]:
    """The page's head; what it says that the page is becomes a heading."""
    return [f"{MARKS[0]}{line}" if line == page.title else line for line in page.head]


def _around(head: Sequence[str], text: str, foot: Sequence[str], runs_in: bool, runs_out: bool) -> str:
    """The page's text with its head and foot, which part no sentence that runs in or out."""
    first = text.find("\n") if runs_in and head else -1
    last = text.rfind("\n") if runs_out and foot else -1
    begin, end = max(first, 0), last if last >= max(first, 0) else len(text)
    pieces = (text[:begin], _lines_of(head), text[begin:end], _lines_of(foot), text[end:])
    return "\n\n".join(filter(None, (piece.strip("\n") for piece in pieces)))


def _lines_of(lines: Sequence[str]) -> str:
    """Lines one below the other, those that are marked apart."""
    pieces: list[str] = []
    for line in lines:
        apart = pieces and (MARK.match(line) or MARK.match(pieces[-1]))
        pieces += (["\n\n" if apart else "\n"] if pieces else []) + [line]
    return "".join(pieces)


def _headings(text: str) -> tuple[str, list[Block]]:
    """The text without marks, and the lines that had one."""
    blocks: list[Block] = []
    pieces: list[str] = []
    at = length = 0
    while match := MARK.search(text, at):
        end = text.find("\n", match.end())
        end = len(text) if end < 0 else end
        words = MARK.sub("", text[match.end() : end])
        pieces += [text[at : match.start()], words]
        start = length + match.start() - at
        length = start + len(words)
        level = MARKS.find(match[0]) + 1
        blocks.append(Block(BlockKind.HEADING if level else BlockKind.NOTE, start, length, level))
        at = end
    return "".join([*pieces, text[at:]]), blocks


def _lines(raw: str) -> list[str]:
    """Cleaned lines of a page, hyphens at former line ends marked."""
    marked = AT_PDFIUM_END.sub(HYPHEN, AT_LINE_END.sub(HYPHEN, raw.replace(HYPHEN, "")))
    return plain(marked).split("\n")


def _length(line: str) -> int:
    """Characters that stood on the last line of those that hyphens joined."""
    return len(line) - line.rfind(HYPHEN) - 1


def _words(text: str) -> Counter[str]:
    """How often each word stands in a text in lower case; one with hyphens is one word."""
    return Counter(re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", text))


def _rejoined(text: str, words: Counter[str]) -> str:
    """Text with the words that ends of lines cut, with or without their hyphens."""
    if HYPHEN not in text:
        return text
    return HALVES.sub(lambda match: _joined(match, words), text).replace(HYPHEN, "-")


def _joined(match: re.Match[str], words: Counter[str]) -> str:
    """A word cut at a line end, with or without its hyphen, as the rest of the document spells it."""
    chain, left, right = match.groups()
    merged, compound = (left + right).lower(), f"{left}-{right}".lower()
    if words[merged] != words[compound]:
        return f"{chain}{left}{right}" if words[merged] > words[compound] else f"{chain}{left}-{right}"
    if right in SUSPENDING:
        return f"{chain}{left}- {right}"
    # Of "mother-in-law" the hyphens stay: its middle is a word of its own.
    keeps = COMPOUND.fullmatch(left) or not right[0].islower() or (chain and words[left.lower()])
    return f"{chain}{left}-{right}" if keeps else f"{chain}{left}{right}"


def _width(pages: list[tuple[int, list[str]]]) -> int:
    """Length of a full line in characters: the 90th percentile, at least 40."""
    lengths = sorted(_length(line) for _, lines in pages for line in lines if line)
    return max(40, lengths[int(0.9 * (len(lengths) - 1))]) if lengths else 40


def unwrapped(text: str) -> str:
    """Cleaned text whose lines were broken at a right margin, one line a paragraph.

    Texts with long lines keep them; there every line is a paragraph.
    """
    return paragraphs(text.split("\n"), line_width(text))


def line_width(text: str) -> int:
    """Length of a full line in characters: the 90th percentile, at least 40."""
    return _width([(1, text.split("\n"))])


def paragraphs(lines: list[str], width: int) -> str:
    """Lines joined where the right margin broke them; short lines and points stay lines."""
    parts: list[str] = []
    previous = ""
    length = 0  # of the paragraph so far
    numbers: dict[str, tuple[int, ...]] = {}  # by the word before it, that of the last numbered line
    cuts = False  # whether ends of lines cut words
    for line in lines:
        if line:
            label, number = _leading_number(line)
            counts = bool(number) and _comes_next(number, numbers.get(label, ()))
            counts = counts and (not label or previous[-1:] in {"", *".!?:;)]"})
            goes_on = bool(previous) and _goes_on(previous, line, width)
            if previous and _cuts_address(previous, line):
                gap = ""
            elif previous and _cuts_word(previous, line, width):
                gap, parts[-1], cuts = HYPHEN, previous[:-1], True
            elif goes_on and not counts:
                gap = " "
            else:
                if number:
                    numbers[label] = number
                apart = line[0] in MARKS or previous[:1] in MARKS  # "" is in it, too
                gap = "\n" if not apart and (goes_on or _stays_near(length, line)) else "\n\n"
                length = 0
            parts += (gap, line)
            length += len(line)
        previous = line
    text = "".join(parts).strip()
    return _rejoined(text, _words(text.lower())) if cuts else text


def _leading_number(line: str) -> tuple[str, tuple[int, ...]]:
    """The word and the number that a line begins with: "2.1", "§ 3"; () for none."""
    if not (line[0].isdigit() or line[0].isupper() or line[0] == "§") or (found := LED.match(line)) is None:
        return "", ()
    return found[1] or "", tuple(map(int, found[2].split(".")))


def _comes_next(number: tuple[int, ...], last: tuple[int, ...]) -> bool:
    """Whether lists count so: "2.1.1", "2.2" or "3" after "2.1"."""
    *outer, own = number
    if number == (*last, 1):
        return bool(last)
    return len(number) <= len(last) and (*outer, own - 1) == last[: len(number)]


def _cuts_address(line: str, following: str) -> bool:
    """Whether the line break stands inside a web address or a DOI, which hold no blank."""
    if line[-1] not in ENDS_OF_CUT:
        return False
    cut = CUT_ADDRESS.search(line, max(0, len(line) - LONGEST_ADDRESS))
    return cut is not None and (cut["prefix"] is not None or REST_OF_ADDRESS.match(following) is not None)


def _cuts_word(line: str, following: str, width: int) -> bool:
    """Whether the right margin cut a word, or broke the line behind a hyphen."""
    return (
        AT_END.search(line, len(line) - 2) is not None
        and following[0].isalpha()
        and len(line) >= (0.5 * SHORT_LINE if following[0].islower() else 0.7 * min(width, WIDEST))
        and line[0] not in MARKS
    )


def _stays_near(length: int, following: str) -> bool:
    """Whether one line break is enough after `length` characters: points of a list, rows, an address."""
    if POINT.match(following):
        return True
    return length < (SHORT_LINE if following[0].islower() else FULL_LINE) and len(following) < FULL_LINE


def _goes_on(line: str, following: str, width: int) -> bool:
    """Whether the right margin, not the writer, ended `line`."""
    if line[0] in MARKS or following[0] in MARKS:
        return line[0] == following[0] and not NUMBERED.match(following, 1)
    if POINT.match(following) or line.startswith(("#", "|")) or "\t" in line:
        return False
    if "\t" in following and not following[0].islower():
        return False
    if ", " in following and LISTED.fullmatch(following) and LISTED.fullmatch(line):
        return False
    if following[0].islower() and line[-1] not in ".!?:;" and _length(line) >= SHORT_LINE:
        return True
    if width > WIDEST or (":" in following and LABELLED.match(following) and LABELLED.match(line)):
        return False
    # A short line after a full stop is a heading.
    if line[-1] in ".!?:" and len(following) < 0.6 * width and following[-1].isalpha():
        return False
    word = following.split(" ", 1)[0]
    return _length(line) + 1 + len(word) > 0.88 * width


def _gap(before: str, after: str) -> str:
    """What stands between two pages: a space where the sentence runs on."""
    runs_on = after[0].islower() and (before[-1].isalnum() or before[-1] in ",;-")
    return " " if runs_on else "\n\n"
