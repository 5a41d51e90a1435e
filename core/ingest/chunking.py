"""Packs whole sentences into passages that fit the encoder's window."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from core.config import ChunkingConfig
from core.errors import BadInput
from core.extraction.speakers import readable_name
from core.ingest.moments import written_day
from core.ingest.reading import Blocks, Outline
from core.protocols import Tokenizer
from core.text.sentences import sentences, trimmed
from core.text.translation import tr
from core.types import Block, BlockKind, LoadedDocument, Passage, Sentence, context_line
from core.types.kinds import stable_id

DAY = 5  # tokens of "› 28 September 2021"
LEAST = 32  # tokens; below it titles leave no room for text
CHARACTERS_PER_TOKEN = 10  # a long code is one unknown token, so characters are bounded too
PAGE_FILL = 0.4  # a passage at least so full ends with its page or section
PARAGRAPH_FILL = 0.55  # a full passage goes back to the last paragraph end beyond this share
ALIKE = (
    0.6  # share of the pages whose headings begin with one word, from which on each is a document of its own
)
WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence, or a part of one that is too long: the unit of packing. Document offsets."""

    start: int
    end: int
    tokens: int
    page: int | None
    ends: int  # what ends with it: 0 a sentence, 1 a paragraph, 2 a turn, 3 a page or section, 4 what is read at all
    heading: bool = False  # stays with what follows it


def _titled_pages(document: LoadedDocument) -> set[int]:
    """Where pages begin that are documents of their own: "Invoice 17", "Invoice 18", as their headings say."""
    starts = {page.start for page in document.pages}
    titles = {
        b.start: document.text[b.start : b.end].partition(" ")[0]
        for b in document.blocks
        if b.kind is BlockKind.HEADING and b.start in starts
    }
    times = Counter(titles.values())
    least = max(2, ALIKE * len(starts))
    return {start for start, first in titles.items() if times[first] >= least}


class SentenceChunker:
    """Whole sentences up to `max_tokens`, counted with the title and the special tokens."""

    def __init__(
        self, config: ChunkingConfig, tokenizer: Tokenizer, window: int = 256, vocabulary: str = ""
    ) -> None:
        """`window`: tokens that the encoder reads. `vocabulary` names what `tokenizer` counts by; "" for minilm's."""
        if config.max_tokens < LEAST:
            raise BadInput(
                tr("A passage of {max_tokens} tokens is not possible.", max_tokens=config.max_tokens),
                tr("Choose at least {least} tokens.", least=LEAST),
            )
        if window < LEAST:
            raise BadInput(
                tr("The encoder reads {window} tokens at once, which is no passage.", window=window),
                tr("Choose another encoder."),
            )
        if config.overlap < 0:
            raise BadInput(tr("The overlap of passages is negative."), tr("Choose 0 or more sentences."))
        self._config = replace(config, max_tokens=min(config.max_tokens, window))
        self._tokenizer = tokenizer
        self.version = " ".join(f"4 {self._config.max_tokens} {config.overlap} {vocabulary}".split())

    def passages(self, document_id: str, document: LoadedDocument) -> list[Passage]:
        """Passages in reading order; every visible character lies in at least one, but for boilerplate."""
        title = self._short(document.title)
        document = replace(document, blocks=_without_furniture(document.blocks))
        outline = Outline(document.text, document.blocks, document.title)
        blocks = Blocks(document.blocks)
        paths = {path: self._short_path(title, path) for path in outline.paths()}
        context = self._tokenizer.counts([context_line(title, path) for path in paths.values()])
        speakers = self._speakers(document.blocks)
        room = self._room(document.blocks, speakers)
        budget = self._config.max_tokens - self._tokenizer.special - max(context) - room
        pieces = self._pieces(document, budget)
        passages: list[Passage] = []
        first = fresh = 0  # pieces[first:fresh] repeat the passage before
        while fresh < len(pieces):
            stop = self._stop(pieces, first, fresh, budget, document.text)
            passage = _passage(document_id, document.text, title, len(passages), pieces[first:stop])
            within = blocks.within(passage.start, passage.end)
            headings = paths[outline.path(passage.start)]
            if speakers:
                spare = room + budget - self._tokenizer.counts([passage.text])[0]
                headings += _setting(passage.text, within, speakers, spare)
            passages.append(replace(passage, headings=headings, blocks=within))
            first, fresh = self._overlap(pieces, first, stop, budget), stop
        return passages

    def _speakers(self, blocks: tuple[Block, ...]) -> dict[str, int]:
        """Readable names of all who speak in the document, with the tokens that each takes in a list."""
        names = list(dict.fromkeys(readable_name(block.speaker) for block in blocks if block.speaker))
        return dict(zip(names, self._tokenizer.counts([f"› {name}," for name in names]), strict=True))

    def _room(self, blocks: tuple[Block, ...], speakers: dict[str, int]) -> int:
        """Tokens kept free for the day, the names that the text does not have readably, and of a cut turn."""
        written = {block.speaker for block in blocks}
        names = max(sum(speakers[name] for name in speakers.keys() - written), *speakers.values(), 0, 0)
        return min(
            self._config.max_tokens // 8, names + DAY * any(written_day(b.time) for b in blocks if b.speaker)
        )

    def _short_path(self, title: str, path: tuple[str, ...]) -> tuple[str, ...]:
        """The innermost headings that fit into a quarter of the window together with the title."""
        for first in range(len(path)):
            short = path[first:]
            if self._tokenizer.counts([context_line(title, short)])[0] <= self._config.max_tokens // 4:
                return short
        return ()

    def _short(self, title: str) -> str:
        """The title, cut at a word where it would fill more than a quarter of the window."""
        words = title[:400].split()
        while words:
            short = " ".join(words)
            tokens = self._tokenizer.counts([short])[0]
            if tokens <= self._config.max_tokens // 4:
                return title if short == " ".join(title.split()) else short
            words.pop()
        return ""

    def _pieces(self, document: LoadedDocument, budget: int) -> list[Piece]:
        text = document.text
        spans = list(_sentences(text, document.blocks))
        headings = {b.start for b in document.blocks if b.kind is BlockKind.HEADING}
        spoken = {b.end for b in document.blocks if b.kind is BlockKind.TURN}
        unread = [b.start for b in document.blocks if b.kind is BlockKind.BOILERPLATE]
        counts = self._tokenizer.counts([text[start:end] for start, end in spans])
        starts = [page.start for page in document.pages]
        titled = _titled_pages(document)
        pieces: list[Piece] = []
        for index, ((start, end), tokens) in enumerate(zip(spans, counts, strict=True)):
            after = spans[index + 1][0] if index + 1 < len(spans) else len(text)
            page = _page(document, starts, start)
            ends = 3 if page != _page(document, starts, after) else int(text.count("\n", end, after) > 1)
            ends = max(ends, 2 * (after in spoken))
            if after in headings and start not in headings:
                ends = 3
            if after in titled:
                ends = 4
            if bisect_right(unread, after) > bisect_right(unread, start):
                ends = 4
            looks = ends == 1 and end - start < 100 and text[end - 1] not in ".!?…:;\"”')"
            heading = start in headings or (looks and not document.blocks)
            parts = [(start, end, tokens)]
            if tokens > budget or end - start > budget * CHARACTERS_PER_TOKEN:
                parts = self._parts(text, start, end, budget)
            last = len(parts) - 1
            pieces += [
                Piece(left, right, size, page, ends if at == last else 0, heading)
                for at, (left, right, size) in enumerate(parts)
            ]
        return pieces

    def _parts(self, text: str, start: int, end: int, budget: int) -> list[tuple[int, int, int]]:
        """A sentence that is too long, cut at spaces (a word that is too long: anywhere)."""
        step = max(1, budget // 4)  # one character decomposes into at most 3 tokens
        words: list[tuple[int, int]] = []
        for match in WORD.finditer(text, start, end):
            left, right = match.span()
            words += [(at, min(at + step, right)) for at in range(left, right, step)]
        counts = self._tokenizer.counts([text[left:right] for left, right in words])
        parts: list[list[tuple[int, int, int]]] = []
        filled = 0
        for (left, right), tokens in zip(words, counts, strict=True):
            filled += tokens
            if parts and filled <= budget and right - parts[-1][0][0] <= budget * CHARACTERS_PER_TOKEN:
                parts[-1].append((left, right, tokens))
            else:
                parts.append([(left, right, tokens)])
                filled = tokens
        # Counts add up only over white space: a word that was cut may count more in one piece.
        exact = self._tokenizer.counts([text[part[0][0] : part[-1][1]] for part in parts])
        return [
            piece
            for part, tokens in zip(parts, exact, strict=True)
            for piece in ([(part[0][0], part[-1][1], tokens)] if tokens <= budget else part)
        ]

    def _stop(self, pieces: list[Piece], first: int, fresh: int, budget: int, text: str) -> int:
        """Index after the last piece of the passage that begins at `first`; above `fresh`."""
        filled = 0
        stop = first
        for stop in range(first, len(pieces)):
            piece = pieces[stop]
            wide = piece.end - pieces[first].start > budget * CHARACTERS_PER_TOKEN
            if stop > fresh and (filled + piece.tokens > budget or wide):
                return self._exact(
                    pieces, first, fresh, _nicest(pieces, first, fresh, stop, budget), budget, text
                )
            filled += piece.tokens
            if stop >= fresh and (piece.ends == 4 or (piece.ends == 3 and filled >= PAGE_FILL * budget)):
                return self._exact(pieces, first, fresh, stop + 1, budget, text)
        return self._exact(pieces, first, fresh, len(pieces), budget, text)

    def _exact(self, pieces: list[Piece], first: int, fresh: int, stop: int, budget: int, text: str) -> int:
        """`stop`, moved back where a word that was cut in two counts more tokens than its parts."""
        seam = any(pieces[at].end == pieces[at + 1].start for at in range(first, stop - 1))
        while seam and stop - 1 > fresh:
            if self._tokenizer.counts([text[pieces[first].start : pieces[stop - 1].end]])[0] <= budget:
                break
            stop -= 1
        return stop

    def _overlap(self, pieces: list[Piece], first: int, stop: int, budget: int) -> int:
        """Where the next passage begins: up to `overlap` sentences back, where they are short enough."""
        begin = stop
        if stop >= len(pieces) or pieces[stop - 1].ends >= 2 or pieces[stop].heading:
            return begin
        room = min(budget // 4, budget - pieces[stop].tokens)
        while begin - 1 > first and stop - begin < self._config.overlap:
            room -= pieces[begin - 1].tokens
            if room < 0 or pieces[begin - 1].end == pieces[begin].start:
                break
            begin -= 1
        return begin


def _nicest(pieces: list[Piece], first: int, fresh: int, stop: int, budget: int) -> int:
    """The best end of a full passage at or before `stop`: a page's, a paragraph's, a sentence's."""
    filled = sum(piece.tokens for piece in pieces[first:stop])
    best, rank = stop, pieces[stop - 1].ends if not pieces[stop - 1].heading else -1
    for at in range(stop - 1, fresh, -1):
        filled -= pieces[at].tokens
        if filled < PARAGRAPH_FILL * budget:
            break
        ends = -1 if pieces[at - 1].heading else pieces[at - 1].ends
        if ends > rank:
            best, rank = at, ends
    while best - 1 > fresh and pieces[best - 1].heading:
        best -= 1
    return best


def _setting(text: str, blocks: tuple[Block, ...], speakers: dict[str, int], room: int) -> tuple[str, ...]:
    """The day of a passage's first turn and who speaks in it, as far as its text does not tell.

    `room`: tokens.
    """
    spoken = [block for block in blocks if block.speaker]
    setting = []
    if (
        (day := next((written_day(block.time) for block in spoken if block.time), ""))
        and day not in text
        and room >= DAY
    ):
        setting.append(day)
        room -= DAY
    listed = []
    for name in dict.fromkeys(readable_name(block.speaker) for block in spoken):
        if name not in text and speakers[name] <= room:
            listed.append(name)
            room -= speakers[name]
    return (*setting, ", ".join(listed)) if listed else tuple(setting)


def _without_furniture(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """Blocks but for those within boilerplate: a heading there heads nothing that is read."""
    remaining: list[Block] = []
    unread = 0  # where the last boilerplate ends
    for block in blocks:
        if block.end > unread:
            remaining.append(block)
        if block.kind is BlockKind.BOILERPLATE:
            unread = max(unread, block.end)
    return tuple(remaining)


def _page(document: LoadedDocument, starts: list[int], at: int) -> int | None:
    """Number of the page on which offset `at` lies."""
    index = bisect_right(starts, at) - 1
    return document.pages[index].number if index >= 0 else None


def _sentences(text: str, blocks: tuple[Block, ...]) -> Iterator[tuple[int, int]]:
    """Where sentences lie: each within its block, none in boilerplate."""
    cuts = sorted({0, len(text), *(at for b in blocks for at in (b.start, b.end))})
    unread = [(b.start, b.end) for b in blocks if b.kind is BlockKind.BOILERPLATE]
    at = 0
    for start, end in pairwise(cuts):
        while at < len(unread) and unread[at][1] <= start:
            at += 1
        if at == len(unread) or unread[at][0] > start:
            yield from ((start + s.start, start + s.end) for s in sentences(text[start:end]))


def _passage(document_id: str, text: str, title: str, ordinal: int, pieces: list[Piece]) -> Passage:
    start, end = trimmed(text, pieces[0].start, pieces[-1].end)
    content = text[start:end]
    return Passage(
        id=stable_id("passage", document_id, str(start), content),
        document_id=document_id,
        ordinal=ordinal,
        title=title,
        text=content,
        start=start,
        end=end,
        page=pieces[0].page,
        sentences=tuple(Sentence(piece.start - start, piece.end - start) for piece in pieces),
    )
