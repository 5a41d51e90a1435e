"""Read the words of a PDF page with pdfium: text in reading order and a box for each word.

pdfium glues raised marks to the word before, and takes letters of Arabic and Hebrew in the order of drawing; both are
mended by where the letters stand.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Any

import pypdfium2.raw as api

from core.ingest.equations import raised
from core.ingest.layout import PDFIUM_HYPHEN
from core.ingest.right_to_left import RIGHT_TO_LEFT, Glyph, logical_order
from core.ingest.word_boxes import WordsOfPage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RANGE_HYPHEN = "\ufffe"  # how this way of asking pdfium for text marks what is PDFIUM_HYPHEN otherwise
WORD = re.compile(rf"[^\s{PDFIUM_HYPHEN}]+")  # another line begins after a hyphen at a line's end
# Where a raised mark may stand within a word.
MIXED = re.compile(r"\d(?:(?<=[^\W\d_].)|(?=[^\W\d_]|[-–—]\d))")
ALONE = re.compile(r"\d{1,3}(?:[,–-]\d{1,3})*|[^\W\d_]")  # what a raised mark with a space before it may be
SMALLER = 0.85  # of the height of the letters around it: at most so high is a raised mark
SMALLEST = 0.4
HIGHER = 0.2  # of their height: at least so far above their feet stand its own
ABOVE = 0.12  # the same of the middles
SAME_LINE = 0.3  # of a letter's height: so far apart are the feet of letters on one line at most
SPACE = 0.15  # of a letter's height; words lie at least so far apart
FRACTION = re.compile(r"[/\u2044]\d")
ENDS = frozenset({"\r", "\n", PDFIUM_HYPHEN})
MOST_LETTERS = 200_000  # of a page with letters from right to left that are put in order


def words_of(page: Any, number: int) -> WordsOfPage:
    """Return the text of a page and the boxes of its words."""
    textpage = page.get_textpage()
    try:
        text = textpage.get_text_range().replace(RANGE_HYPHEN, PDFIUM_HYPHEN)
        if RIGHT_TO_LEFT.search(text) and textpage.count_chars() <= MOST_LETTERS:
            return _on_page(page, _by_letter(page, textpage, number))
        text, spans, rects, weights = _measured(textpage, text)
    finally:
        textpage.close()
    return _on_page(page, WordsOfPage(number, text, spans, in_page_coordinates(page, rects), weights))


def blank(number: int) -> WordsOfPage:
    return WordsOfPage(number, "", [], corners_of([]))


def _on_page(page: Any, found: WordsOfPage) -> WordsOfPage:
    """Without the words whose middle lies off the page, where nobody sees them."""
    middles = (found.corners[:, :2] + found.corners[:, 2:]) / 2
    off = ((middles < 0) | (middles > page.get_size())).any(axis=1)
    return found.without(off) if off.any() else found


def _measured(
    textpage: Any, text: str
) -> tuple[str, list[tuple[int, int]], NDArray[np.float32], NDArray[np.int32]]:
    """The text with its raised marks as such, its words, their rectangles and weights.

    Rectangles are in the page's own space, (n, 4): left, bottom, right, top; weights (n,). A word is as high as its
    font, from the first character's side to the last one's.
    """
    import numpy as np

    spans = [match.span() for match in WORD.finditer(text)]
    # Of the first, the last and the last but for stops: left, top, right, bottom, as `_LooseBox` writes them.
    ends = np.zeros((len(spans), 3, 4), dtype=np.float32)
    weights = np.zeros(len(spans), dtype=np.int32)
    handle, place, size = (
        ctypes.cast(textpage.raw, ctypes.c_void_p).value,
        ends.ctypes.data,
        ends.itemsize * 4,
    )
    units = None if textpage.count_chars() == len(text) else _units(text)
    for at, (start, end) in enumerate(spans):
        first, last = start, end - 1
        inner = last
        while inner > first and not text[inner].isalnum():
            inner -= 1
        if units is not None:
            first, last, inner = (_char_index(textpage, units[at]) for at in (first, last, inner))
        _CHAR_BOX(handle, first, place)
        _CHAR_BOX(handle, last, place + size)
        if inner != last and inner != first:
            _CHAR_BOX(handle, inner, place + 2 * size)
        weights[at] = _WEIGHT(handle, first)
        place += 3 * size
    unset = (ends[:, 2] == 0).all(axis=1)
    ends[unset, 2] = ends[unset, 0]
    low, high = ends.min(axis=1), ends.max(axis=1)
    rects = np.stack((low[:, 0], low[:, 3], high[:, 2], high[:, 1]), axis=1)
    text, spans = _mended(textpage, text, spans, ends, rects, units)
    real = (rects[:, 0] < rects[:, 2]) & (rects[:, 1] < rects[:, 3])
    spans = [span for span, is_real in zip(spans, real.tolist(), strict=True) if is_real]
    return text, spans, rects[real], weights[real]


def _mended(
    textpage: Any,
    text: str,
    spans: list[tuple[int, int]],
    ends: NDArray[np.float32],
    rects: NDArray[np.float32],
    units: Sequence[int] | None,
) -> tuple[str, list[tuple[int, int]]]:
    """The text with its raised marks written as `raised` has them and its lines apart, and its words."""
    import numpy as np

    if not spans:
        return text, spans
    heights = ends[:, :, 1] - ends[:, :, 3]
    largest = heights.max(axis=1)
    differs = (heights.min(axis=1) < SMALLER * largest) | (np.ptp(ends[:, :, 3], axis=1) > HIGHER * largest)
    if mixed := [match.start() for match in MIXED.finditer(text)]:
        differs[np.searchsorted([start for start, _ in spans], mixed, side="right") - 1] = True
    words: dict[int, str] = {}  # that are written in another way
    gaps = _line_breaks(textpage, text, spans, rects)  # before words
    for at, first, boxes in _uneven(textpage, text, spans, np.flatnonzero(differs).tolist(), units):
        marks = _raised_letters(boxes)
        if any(marks) and api.FPDFText_GetCharAngle(textpage.raw, first) == 0:
            words[at] = _written(text, *spans[at], marks)
            gaps |= _same_line(text, spans, rects, at, at + 1)
    for at, lead in _raised_words(text, spans, rects):
        start, end = spans[at]
        after = text[slice(*spans[at + 1])] if at + 1 < len(spans) else ""
        if at in words or api.FPDFText_GetCharAngle(textpage.raw, start) != 0:
            continue
        if FRACTION.match(after):
            words[at] = text[start:end]
            gaps[at + 1] = ""
            continue
        if lead:
            words[at] = raised("", text[start:end], after).rstrip()
            gaps[at + 1] = " " if words[at][-1] == "]" else ""
            continue
        touches = rects[at, 0] - rects[at - 1, 2] < SPACE * (rects[at - 1, 3] - rects[at - 1, 1])
        before = words.get(at - 1, text[slice(*spans[at - 1])])
        words[at] = raised(before if touches else f"{before} ", text[start:end])
        gaps[at] = "" if touches else " "
        gaps |= _same_line(text, spans, rects, at - 1, at + 1)
    return _replaced(text, spans, words, gaps) if words or gaps else (text, spans)


def _line_breaks(
    textpage: Any, text: str, spans: Sequence[tuple[int, int]], rects: NDArray[np.float32]
) -> dict[int, str]:
    """Where a word of a level line stands below the one before, and pdfium took both for one line."""
    import numpy as np

    middles = (rects[:, 1] + rects[:, 3]) / 2
    below = (middles[1:] < rects[:-1, 1]) & (middles[:-1] > rects[1:, 3])
    breaks: dict[int, str] = {}
    for at in (np.flatnonzero(below) + 1).tolist():
        between = text[spans[at - 1][1] : spans[at][0]]
        if between.isspace() and "\n" not in between and "\r" not in between:
            level = [api.FPDFText_GetCharAngle(textpage.raw, spans[word][0]) == 0 for word in (at - 1, at)]
            if all(level):
                breaks[at] = "\r\n"
    return breaks


def _boxes(textpage: Any, indices: Sequence[int]) -> NDArray[np.float32]:
    """Of characters by their numbers, (n, 4): left, top, right, bottom."""
    import numpy as np

    boxes = np.zeros((len(indices), 4), dtype=np.float32)
    handle, place = ctypes.cast(textpage.raw, ctypes.c_void_p).value, boxes.ctypes.data
    for at, index in enumerate(indices):
        _CHAR_BOX(handle, index, place + at * boxes.itemsize * 4)
    return boxes


def _uneven(
    textpage: Any,
    text: str,
    spans: Sequence[tuple[int, int]],
    words: Sequence[int],
    units: Sequence[int] | None,
) -> Iterator[tuple[int, int, NDArray[np.float32]]]:
    """Of these words those with a small letter above the feet of others: word, its first character, boxes of all."""
    import numpy as np

    if not words:
        return
    characters = [at for word in words for at in range(*spans[word])]
    if units is not None:
        characters = [_char_index(textpage, units[at]) for at in characters]
    lengths = [spans[word][1] - spans[word][0] for word in words]
    starts = np.cumsum([0, *lengths[:-1]])
    boxes = _boxes(textpage, characters)
    heights = boxes[:, 1] - boxes[:, 3]
    largest = np.repeat(np.maximum.reduceat(heights, starts), lengths)
    lowest = np.repeat(np.minimum.reduceat(boxes[:, 3], starts), lengths)
    small = (heights <= SMALLER * largest) & (boxes[:, 3] - lowest >= HIGHER * largest)
    for at in np.flatnonzero(np.logical_or.reduceat(small, starts)).tolist():
        first = int(starts[at])
        yield words[at], characters[first], boxes[first : first + lengths[at]]


def _raised_letters(boxes: NDArray[np.float32]) -> list[bool]:
    """Which letters of a level word are smaller than its largest and stand higher."""
    import numpy as np

    heights = boxes[:, 1] - boxes[:, 3]
    largest = heights.max()
    feet = float(np.median(boxes[heights >= 0.95 * largest, 3]))
    marks = (heights <= SMALLER * largest) & (heights >= SMALLEST * largest)
    marks &= boxes[:, 3] - feet >= HIGHER * largest
    marks &= boxes[:, 1] + boxes[:, 3] - largest - 2 * feet >= 2 * ABOVE * largest
    level = (np.diff(boxes[:, 0]) > -1).all() and boxes[-1, 0] - boxes[0, 0] > 0
    return marks.tolist() if level else []


def _written(text: str, start: int, end: int, marks: Sequence[bool]) -> str:
    written = ""
    for is_mark, run in groupby(range(start, end), key=lambda at: marks[at - start]):
        places = list(run)
        piece, after = text[places[0] : places[-1] + 1], text[places[-1] + 1 : end]
        if is_mark and FRACTION.match(after):
            written += f" {piece}" if written[-1:].isdigit() else piece
        elif is_mark and not (piece.isalpha() and after[:1].isalpha()):
            written += raised(text[max(0, start - 8) : start] + written, piece, after)
        else:
            written += piece
    return written


def _raised_words(
    text: str, spans: Sequence[tuple[int, int]], rects: NDArray[np.float32]
) -> Iterator[tuple[int, bool]]:
    """Words that are raised marks: of the word before, or at the head of a line, of the word after (True)."""
    import numpy as np

    heights = rects[:, 3] - rects[:, 1]
    small = (heights[1:] <= SMALLER * heights[:-1]) & (heights[1:] >= SMALLEST * heights[:-1])
    rise, gap = rects[1:, 1] - rects[:-1, 1], rects[1:, 0] - rects[:-1, 2]
    hangs = small & (rise >= HIGHER * heights[:-1]) & (rects[1:, 1] < rects[:-1, 3])
    hangs &= (gap > -1) & (gap < 0.6 * heights[:-1])
    lifted = (rects[1:, 1] + rects[1:, 3] - rects[:-1, 1] - rects[:-1, 3]) / 2
    hangs &= lifted >= ABOVE * heights[:-1]
    smaller = (heights[:-1] <= SMALLER * heights[1:]) & (heights[:-1] >= SMALLEST * heights[1:])
    leads = smaller & (-rise >= HIGHER * heights[1:]) & (rects[:-1, 1] < rects[1:, 3])
    leads &= -lifted >= ABOVE * heights[1:]
    leads &= (gap > -1) & (gap < 2 * heights[1:])
    for at in np.flatnonzero(np.concatenate(([False], hangs)) | np.concatenate((leads, [False]))).tolist():
        if ALONE.fullmatch(text, *spans[at]):
            yield at, not (at and hangs[at - 1])


def _same_line(
    text: str, spans: Sequence[tuple[int, int]], rects: NDArray[np.float32], at: int, following: int
) -> dict[int, str]:
    """What stands before the word `following`, where pdfium broke the line on which both words stand."""
    if following >= len(spans) or "\n" not in (gap := text[spans[following - 1][1] : spans[following][0]]):
        return {}
    height = rects[at, 3] - rects[at, 1]
    white = rects[following, 0] - rects[following - 1, 2]
    if abs(rects[following, 1] - rects[at, 1]) > SAME_LINE * height or not -1 < white < 2 * height:
        return {}
    return {following: " " if white > SPACE * height or gap.strip("\r\n") else ""}


def _replaced(
    text: str, spans: Sequence[tuple[int, int]], words: Mapping[int, str], gaps: Mapping[int, str]
) -> tuple[str, list[tuple[int, int]]]:
    pieces: list[str] = []
    placed: list[tuple[int, int]] = []
    length = at = 0
    for number, (start, end) in enumerate(spans):
        gap, word = gaps.get(number, text[at:start]), words.get(number, text[start:end])
        pieces += (gap, word)
        placed.append((length + len(gap), length + len(gap) + len(word)))
        length, at = placed[-1][1], end
    return "".join([*pieces, text[at:]]), placed


def _by_letter(page: Any, textpage: Any, number: int) -> WordsOfPage:
    """A page with letters from right to left: each line in the order in which it is read."""
    import numpy as np

    count = textpage.count_chars()
    handle = ctypes.cast(textpage.raw, ctypes.c_void_p).value
    boxes = _boxes(textpage, range(count))
    letters = [chr(_UNICODE(handle, at)) for at in range(count)]
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    rects: list[NDArray[np.float32]] = []
    weights: list[int] = []
    length = 0
    for numbers, end in _lines(letters, boxes):
        glyphs = []
        for at in numbers:
            left, top, right, bottom = boxes[at].tolist()
            glyphs.append(Glyph(letters[at], left, bottom, right, top, at))
        if RIGHT_TO_LEFT.search("".join(glyph.text for glyph in glyphs)):
            glyphs = logical_order([g for g in glyphs if not _is_generated(textpage, g)])
        for is_space, run in groupby(glyphs, key=lambda glyph: not glyph.text.strip()):
            word = list(run)
            text = " " if is_space else "".join(glyph.text for glyph in word)
            if not is_space:
                spans.append((length, length + len(text)))
                low = min(g.left for g in word), min(g.bottom for g in word)
                high = max(g.right for g in word), max(g.top for g in word)
                rects.append(np.array((*low, *high), dtype=np.float32))
                weights.append(_WEIGHT(handle, word[0].number))
            pieces.append(text)
            length += len(text)
        pieces.append(end)
        length += len(end)
    corners = in_page_coordinates(page, np.array(rects, dtype=np.float32).reshape(-1, 4))
    return WordsOfPage(number, "".join(pieces), spans, corners, np.array(weights, dtype=np.int32))


def _is_generated(textpage: Any, glyph: Glyph) -> bool:
    """Whether pdfium added this space, at a place that is right only for letters drawn from the left."""
    return glyph.left == glyph.right and api.FPDFText_IsGenerated(textpage.raw, glyph.number) == 1


def _lines(letters: Sequence[str], boxes: NDArray[np.float32]) -> Iterator[tuple[list[int], str]]:
    """Numbers of the characters of each line, and what ends it; pdfium breaks some lines where fonts change."""
    line: list[int] = []
    end = ""
    for at, letter in enumerate(letters):
        if letter in ENDS:
            end += letter.replace("\r", "")
            continue
        if end and line:
            if end == PDFIUM_HYPHEN or not _goes_on(boxes, line[-1], at):
                yield line, end
                line = []
            end = ""
        line.append(at)
    yield line, end


def _goes_on(boxes: NDArray[np.float32], before: int, at: int) -> bool:
    height = min(boxes[at, 1] - boxes[at, 3], boxes[before, 1] - boxes[before, 3])
    return bool(height > 0 and abs(boxes[at, 3] - boxes[before, 3]) <= SAME_LINE * height)


# Functions of pypdfium2 with plain addresses: its own conversion of arguments takes most of the time.
_CHAR_BOX = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)(
    ctypes.cast(api.FPDFText_GetLooseCharBox, ctypes.c_void_p).value or 0
)
_WEIGHT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int)(
    ctypes.cast(api.FPDFText_GetFontWeight, ctypes.c_void_p).value or 0
)
_UNICODE = ctypes.CFUNCTYPE(ctypes.c_uint, ctypes.c_void_p, ctypes.c_int)(
    ctypes.cast(api.FPDFText_GetUnicode, ctypes.c_void_p).value or 0
)


def _units(text: str) -> Sequence[int]:
    """Where each character begins in UTF-16, in which pdfium counts."""
    if max(text, default="") <= "\uffff":
        return range(len(text))
    return list(accumulate((1 + (character > "\uffff") for character in text[:-1]), initial=0))


def _char_index(textpage: Any, unit: int) -> int:
    """pdfium's number of a character of its text, where its list and the text differ."""
    return int(api.FPDFText_GetCharIndexFromTextIndex(textpage.raw, unit))


def corners_of(rects: Sequence[tuple[float, ...]]) -> NDArray[np.float32]:
    import numpy as np

    return np.array(rects, dtype=np.float32).reshape(-1, 4)


def in_page_coordinates(page: Any, own: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rectangles of the page's own space (left, bottom, right, top) on the page as it is shown:

    cropped, turned, counted from its top left corner downwards.
    """
    boxes = own.copy()
    left, bottom, right, top = page.get_bbox()
    turned = page.get_rotation() % 360
    sides = {  # shown left, top, right, bottom: a sign, a column of `own` and an origin each
        0: ((1, 0, left), (-1, 3, top), (1, 2, left), (-1, 1, top)),
        90: ((1, 1, bottom), (1, 0, left), (1, 3, bottom), (1, 2, left)),
        180: ((-1, 2, right), (1, 1, bottom), (-1, 0, right), (1, 3, bottom)),
        270: ((-1, 3, top), (-1, 2, right), (-1, 1, top), (-1, 0, right)),
    }
    for side, (sign, column, origin) in enumerate(sides[turned]):
        boxes[:, side] = sign * (own[:, column] - origin)
    return boxes
