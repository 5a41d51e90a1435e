"""Names: the key that all spellings share, a name in a text, its words, its label and whether two names fit."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from core.extraction.titles import (
    FORENAMES,
    KNOWN_FORENAMES,
    POSTNOMINALS,
    TITLES,
    is_person_title,
    may_be_personal,
    sex_of_words,
    untitled,
)
from core.text.sentences import LEGAL_FORMS, without_form
from core.types import ExtractedMention
from core.types.kinds import CONCEPT, NOUN, SENSE, VALUES, without_sense

LONGEST_NAME = 120  # characters; longer "names" are parse errors
# Only articles: "My First Love" and "This Is Us" are names.
DETERMINERS = frozenset({"a", "an", "the"})

_QUOTES = str.maketrans(
    {"’": "'", "‘": "'", "`": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‐": "-", "‑": "-"}
)
_EDGES = "\"'`.,;:!?()[]{}<>*_|/\\-~= \t\n"
_CLOSING = {"(": ")", "[": "]"}
_HYPHEN_SPACE = re.compile(r"(?<=[^\W\d])(?:- (?!(?:and|or|to)\b)| -)(?=[^\W\d])")
_TWICE = re.compile(r"^(.{3,60}) ?/ ?\1$")  # "Mary Krag / Mary Krag"
_DOTTED = re.compile(r"(?:[^\W\d_]\.){2,}")
_DISAMBIGUATION = re.compile(r"\s*\([^()]*\)\s*$")
_UNSURE = frozenset({"OTHER", "WORK"})  # a name by its form alone, or by its place as a title
_RECOGNISED_SHARE = 1 / 3  # of the mentions as a name, recognised: least that the recogniser's label needs
_OUTWEIGHED = 2  # how many words in lower case a recognised mention outweighs, besides its own
_WEAK_MENTIONS = 4  # mentions that may as well be words, to each that is a name
_LOWER_WORD = re.compile(r"(?<![\w@./-])[^\W\d_]{2,}(?![\w@/]|[.-]\w)")


@dataclass(frozen=True, slots=True)
class Name:
    """A mention: source offsets `start`, `end`; parsed tokens `first` to `last`, both inclusive.

    A name that was read in an aside has no tokens: first == last == -1.
    """

    text: str
    label: str
    start: int
    end: int
    first: int = -1
    last: int = -1
    weak: bool = False  # its capital says nothing: it begins a sentence, or all around it is in capitals

    def mention(self, offset: int) -> ExtractedMention:
        label = NOUN if self.weak else self.label
        return ExtractedMention(self.text, label, self.start + offset, self.end + offset)


@lru_cache(maxsize=32_768)
def normalise(name: str) -> str:
    """Return the key of a name: NFKC, casefolded, without determiner, possessive and outer punctuation.

    Digits are kept, so dates and amounts stay themselves. The key of a key is the key itself.
    A name of punctuation only gives "".
    """
    key = unicodedata.normalize("NFKC", name).translate(_QUOTES).casefold()
    key = _HYPHEN_SPACE.sub("-", " ".join(unicodedata.normalize("NFKC", key).split()))
    while True:
        stripped = _TWICE.sub(r"\1", _strip_determiner(_strip_possessive(strip_edges(key).rstrip("."))))
        if stripped == key:
            return key
        key = stripped


@lru_cache(maxsize=32_768)
def clean(name: str) -> str:
    """Return the name as people read it: one line, no determiner, possessive or outer punctuation."""
    text = _HYPHEN_SPACE.sub("-", " ".join(name.split()))
    while True:
        stripped = _TWICE.sub(r"\1", _strip_determiner(_strip_possessive(strip_edges(text))))
        if stripped == text:
            return text
        text = stripped


def without_disambiguation(title: str) -> str:
    """'Get Low (song)' -> 'Get Low'. A title that is nothing but a bracket is kept."""
    return _DISAMBIGUATION.sub("", title) or title


def strip_edges(text: str) -> str:
    """Return the name without outer punctuation; a bracket, or the full stop of an initial, that belongs to the
    name stays."""
    start, end = 0, len(text)
    while start < end and text[start] in _EDGES and not _opens_inside(text[start:end]):
        start += 1
    while end > start and text[end - 1] in _EDGES and not _closes_inside(text[start:end]):
        end -= 1
    return text[start:end]


def _opens_inside(text: str) -> bool:
    closing = _CLOSING.get(text[0])
    return closing is not None and closing in text and not text.endswith(closing)


def _closes_inside(text: str) -> bool:
    last = text[-1]
    if last == "!" or last == "?":
        return False
    if last == ".":  # "Jr.", "Inc.", "J. R."
        word = text.rsplit(None, 1)[-1].lstrip("(")
        if _DOTTED.fullmatch(word):  # "D.C.", "U.S."
            return True
        return " " in text and len(word) <= 4 and word[0].isupper() and word[:-1].replace(".", "").isalpha()
    return any(last == closing and opening in text[1:] for opening, closing in _CLOSING.items())


def _strip_possessive(text: str) -> str:
    for ending in ("'s", "’s"):
        if text.endswith(ending) and len(text) > len(ending):
            return text[: -len(ending)]
    return text


def _strip_determiner(text: str) -> str:
    first, _, rest = text.partition(" ")
    if first in {"A", "a"} and rest[:1].isalpha() and rest[1:2] == " ":
        return text  # "A B B Ltd"
    return rest if rest and first.lower() in DETERMINERS and any(c.isalnum() for c in rest) else text


def lower_words(text: str) -> list[str]:
    """Return the words that stand in the text in lower case, each once, by alphabet; not within addresses and paths."""
    return sorted({word for word in _LOWER_WORD.findall(text) if word.islower()})


def vote_label(normal: str, labels: Mapping[str, int], lower: int) -> str:
    """Return the label of a name whose mentions carry `labels`; `lower` passages write it in lower case.

    A candidate that is written with a capital only where every word is (at the beginning of a sentence, in a heading),
    or that the documents mostly write in lower case, is a word: its label is NOUN.
    Values are what most mentions say, a term is what is chosen as one. Names are what the recogniser says of a third of
    them at least; else OTHER.
    Ties by alphabet.
    """
    most = CONCEPT if CONCEPT in labels else _most_voted(labels)
    if most in VALUES or most == CONCEPT:
        return most
    named = {label: count for label, count in labels.items() if label != NOUN and label not in VALUES}
    sure = {label: count for label, count in named.items() if label not in _UNSURE}
    total, recognised = sum(named.values()), sum(sure.values())
    if lower > total + _OUTWEIGHED * recognised or labels.get(NOUN, 0) > _WEAK_MENTIONS * total:
        return NOUN
    return _most_voted(sure) if recognised >= _RECOGNISED_SHARE * total else _most_voted(named)


def _most_voted(labels: Mapping[str, int]) -> str:
    return min(labels, key=lambda label: (-labels[label], label)) if labels else NOUN


PERSON, PLACE, OTHER = "person", "place", "other"
EMAIL = "EMAIL"  # label
_LONGEST_CODE = 4  # letters of what may be a code: "AE", "SUE"
_LONGEST_PERSON = 5  # words of a name that may be a person's by its form
_KINDS = {"PERSON": PERSON, "GPE": PLACE, "LOC": PLACE, "FAC": PLACE}

ANCHOR = "="  # before a sense that is another name

ROMAN = re.compile(r"[ivxlcdm]+")
_BRACKETED = re.compile(r"(.+?)\s*\(([^()]+)\)")
LITTLE_WORDS = frozenset("of the and for in on to a an de la le du des der die das und et y e".split())
GENERATIONS = frozenset({"jr", "sr", "junior", "senior"})
# Words in lower case that belong to a surname: "van der Berg", "de la Cruz", "bin Rashid".
NAME_PARTICLES = frozenset(
    "van von der den de da di do du del della dos das la le el al bin ibn zu ten ter af av".split()
)
_ACCENTS = 10  # class of combining marks from which they are accents and points; below, part of a letter
# Signs of vowels and the like, which are part of a word in the scripts of India and Japan.
_SIGNS = "".join(
    chr(code) for code in range(0x900, 0x1100) if unicodedata.category(chr(code)) in {"Mn", "Mc"}
)
_WORD = re.compile(rf"(?:[^\W_]|[{_SIGNS}\u3099\u309a])+")
_NICKNAME = re.compile(r"\S [(\"']([^\W\d_]+)[)\"'] \w")
_SPACED = re.compile(r"(?<!\S)\w(?: \w){3,}(?!\S)")  # "J O N E S"
_DOUBLED = re.compile(r"(.)\1")
_STROKES = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
_UMLAUT = re.compile(r"([aou])e")


def sex_of(name: str) -> str:
    """Return "he" or "she" where an honorific before the name says so, else ""."""
    return sex_of_words(words_of(name)[:1])


def kind_of(label: str) -> str:
    """Return PERSON, PLACE or OTHER for what a name is labelled."""
    return _KINDS.get(label, OTHER)


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """A name as it stands in the graph. `normal` is its key, `label` what most of its mentions are."""

    key: int
    normal: str
    label: str

    @property
    def kind(self) -> str:
        """PERSON, PLACE or OTHER; a title or a forename before it says more than the recogniser."""
        return _kind_by_form(self.normal, self.label)

    @property
    def sense(self) -> str:
        """Which bearer of the name is meant; "" where nothing says so."""
        return self.normal.partition(SENSE)[2]

    @property
    def anchor(self) -> str:
        """The name that this one stands for in its documents, or ""."""
        return self.sense[len(ANCHOR) :] if self.sense.startswith(ANCHOR) else ""

    @property
    def meant(self) -> NamedEntity:
        """The name that says in full who is meant."""
        if SENSE not in self.normal:
            return self
        return NamedEntity(self.key, self.anchor or without_sense(self.normal), self.label)

    @property
    def words(self) -> tuple[str, ...]:
        return words_of(self.normal)

    @property
    def firm(self) -> tuple[str, tuple[str, ...]]:
        """Letters of a firm's name without its legal form, and that form."""
        words, form = without_form(self.words)
        return "".join(words), form

    @property
    def inverted(self) -> bool:
        """Whether it is written surname first, as far as its commas tell."""
        return natural_words(self.normal) != self.words

    @property
    def letters(self) -> str:
        return "".join(self.words)

    @property
    def folded(self) -> str:
        """The letters, alike for "Jürgen", "Juergen" and "Jurgen"."""
        return fold(self.letters) if len(self.letters) > _LONGEST_CODE else self.letters

    @property
    def personal(self) -> bool:
        """Whether it is a person's name in full, or with a title, as far as its writing tells."""
        return self.kind == PERSON and may_be_personal(self.normal, self.words)

    @property
    def hyphenated(self) -> bool:
        """Whether it is one word of two: "Jean-Michel"."""
        return "-" in self.normal and " " not in self.normal

    @property
    def nickname(self) -> str:
        """What stands in brackets or quotation marks within it: "lemming" of "Lawrence (Lemming) Dixon"."""
        found = _NICKNAME.search(self.normal)
        return found[1] if found is not None else ""

    @property
    def glued(self) -> bool:
        """Whether it is written in one word, as handles are: its label says little."""
        return " " not in self.normal and len(self.words) == 1

    @property
    def bare(self) -> str:
        """The name without what tells it from others of that name: "(film)", ", Ohio"."""
        return qualified(self.normal)[0]

    @property
    def natural(self) -> tuple[str, ...]:
        """The words of `bare`; of a person's name, which may be written surname first, in their usual order."""
        return _personal_words(self.normal) if self.kind == PERSON else words_of(self.bare)

    @property
    def core(self) -> tuple[str, ...]:
        """The words without qualifier, legal form and honorific, where enough is left to tell who is meant."""
        return _core(self.natural, self.kind == PERSON)


@lru_cache(maxsize=65_536)
def _kind_by_form(normal: str, label: str) -> str:
    found, words = kind_of(label), words_of(normal)
    if found == PERSON or label == EMAIL or not 1 < len(words) <= _LONGEST_PERSON or without_form(words)[1]:
        return found
    named = found == OTHER and normal.count(" ") == 1 and words[0] in KNOWN_FORENAMES
    return PERSON if named or is_person_title(words[0]) else found


@lru_cache(maxsize=65_536)
def _personal_words(normal: str) -> tuple[str, ...]:
    if (turned := natural_words(normal)) != words_of(normal):
        return turned
    first, _, last = qualified(normal)[0].rpartition(" ")
    return words_of(f"{first} {last.replace('-', '')}" if first else last)  # "Mrs Berg-Holm"


@lru_cache(maxsize=65_536)
def qualified(normal: str) -> tuple[str, str]:
    """(bare name, qualifier): "titanic (film)" -> ("titanic", "film"), "salem, ohio" -> ("salem", "ohio")."""
    if (match := _BRACKETED.fullmatch(normal)) is not None:
        return match.group(1), match.group(2)
    bare, comma, rest = normal.partition(", ")
    if comma and bare and not set(words_of(rest)) & (LEGAL_FORMS | GENERATIONS) and " and " not in rest:
        return bare, rest
    return normal, ""


@lru_cache(maxsize=65_536)
def words_of(normal: str) -> tuple[str, ...]:
    plain = "".join(
        letter for letter in unicodedata.normalize("NFKD", normal) if unicodedata.combining(letter) < _ACCENTS
    )
    plain = _SPACED.sub(lambda run: run[0].replace(" ", ""), plain.casefold().translate(_STROKES))
    # "J.R.R." are three words, "U.S.A." too; "&" is said as a word.
    return tuple(_WORD.findall(plain.replace("&", " and ").replace("'", "")))


def single(word: str) -> str:
    """Return a word without doubled letters: "glenn" -> "glen"."""
    return _DOUBLED.sub(r"\1", word)


def fold(letters: str) -> str:
    """Return letters without the second one of an umlaut that is written as two: "juergen" -> "jurgen"."""
    return _UMLAUT.sub(r"\1", letters)


@lru_cache(maxsize=65_536)
def _core(words: tuple[str, ...], is_person: bool) -> tuple[str, ...]:
    left = without_form(words)[0]
    left = untitled(left) if is_person else left
    return left if sum(len(word) > 1 for word in left) >= 2 else words


@lru_cache(maxsize=65_536)
def natural_words(normal: str) -> tuple[str, ...]:
    """Return words of a person's name in their usual order: "solberg, dr. henrik, jr." -> dr henrik solberg jr."""
    last, comma, rest = normal.partition(", ") if "(" not in normal else (normal, "", "")
    before, (first, _, behind) = words_of(last), rest.partition(", ")
    forenames, generation = list(words_of(first)), list(words_of(behind))
    if set(generation) - GENERATIONS and (
        set(generation) <= POSTNOMINALS or set(forenames) & KNOWN_FORENAMES
    ):
        generation = []  # "Krag, Mary, PhD", "Krag, Mary, London"
    no_person = LEGAL_FORMS | GENERATIONS | (LITTLE_WORDS - NAME_PARTICLES)
    if comma and set(forenames) <= TITLES:  # "Dr Helene Tarnow, Director"
        return before or words_of(normal)
    if not comma or not forenames or set(forenames) & no_person or set(generation) - GENERATIONS:
        return words_of(normal)
    titles = before[: len(before) - len(untitled(before))]
    surname = [word for word in before[len(titles) :] if word not in GENERATIONS]
    generation += [word for word in before if word in GENERATIONS]
    return (*titles, *forenames, *surname, *generation)


def weighty(name: NamedEntity) -> tuple[str, ...]:
    """Return the words that carry the name, singular, by alphabet."""
    # A plural is another word only where something is left: "news", "glass".
    return tuple(
        sorted(
            word[:-1] if len(word) > 4 and word.endswith("s") and not word.endswith("ss") else word
            for word in name.words
            if word not in LITTLE_WORDS
        )
    )


def fits(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether one's first names, their initials or short forms are among the other's, in order, the first
    alike."""
    short, long = sorted((one, other), key=len)
    if len(short) < 2 or short[-1] != long[-1] or len(short[-1]) < 2:
        return False
    if tail(short) != tail(long) or not _alike(short[0], long[0]):
        return False
    at = 0
    for word in short[:-1]:
        while at < len(long) - 1 and not _alike(word, long[at]):
            at += 1
        if at == len(long) - 1:
            return False
        at += 1
    return True


def _alike(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if one == other or (len(short) == 1 and long.startswith(short)) or single(one) == single(other):
        return True
    if long in SHORT_FORMS.get(short, ()):
        return True
    # "Mel" of Melanie; "Jan" and "Jana", "John" and "Johnny" are two.
    return 3 <= len(short) <= len(long) - 2 and long.startswith(short) and short not in FORENAMES


SHORT_FORMS = {
    "tom": ("thomas",), "bill": ("william",), "will": ("william",), "bob": ("robert",), "dick": ("richard",),
    "jim": ("james",), "jack": ("john",), "jake": ("jacob",), "mike": ("michael",), "dave": ("david",),
    "steve": ("stephen", "steven"), "joe": ("joseph",), "ted": ("edward", "theodore"), "ned": ("edward",),
    "harry": ("henry", "harold"), "charlie": ("charles",), "chuck": ("charles",), "tony": ("anthony", "antonio"),
    "liz": ("elizabeth",), "beth": ("elizabeth",), "kate": ("katherine", "catherine"), "peggy": ("margaret",),
    "meg": ("margaret",), "jenny": ("jennifer",), "betty": ("elizabeth",), "andy": ("andrew",),
    "larry": ("lawrence", "laurence"),
    "jeff": ("jeffrey", "geoffrey"), "rick": ("richard",), "kathy": ("katherine", "kathleen"), "nick": ("nicholas",),
}  # fmt: skip


@lru_cache(maxsize=65_536)
def tail(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return numbers and generations, which must be the same: "Henry IV", "John Smith Jr."."""
    # "D." in the middle is an initial, "V" at the end a number.
    return tuple(
        word
        for at, word in enumerate(words)
        if word in GENERATIONS
        or word.isdigit()
        or (ROMAN.fullmatch(word) and (len(word) > 1 or (at == len(words) - 1 and word in "ivx")))
    )
