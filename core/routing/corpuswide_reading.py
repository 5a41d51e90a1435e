"""A question as this rule needs it: lower-case words, real names, where all documents are spoken of."""

from __future__ import annotations

from dataclasses import dataclass

from core.extraction.question import Name, ParsedQuestion, Token
from core.routing.corpuswide_words import (
    CLASSES,
    COLLECTIONS,
    DEFINITE,
    DETERMINERS,
    DOCUMENT,
    DOCUMENTS,
    GENERIC,
    KNOWN,
    RANKS,
    SPEAKS,
    SPREAD_OVER,
    SUMMARIES,
    THEMES,
    UNIVERSAL,
    VOICES,
    uncertain,
)

_LED = DETERMINERS | DEFINITE | {"whole", "entire"}
_BEFORE_HEAD = frozenset("JJ JJR JJS CD POS PRP$ VBN VBG".split())
_BEFORE_NOUN = _BEFORE_HEAD | {"NN", "NNP", "NNPS"}
_MOST = 60  # words read from either end: a pasted page asks at its beginning or its end
_PEOPLES = frozenset(("NORP", "LANGUAGE"))
_NARROWS = frozenset("of with from by about between on to concerning regarding for in at".split())
_MONTHS = frozenset(
    "january february march april may june july august september october november december".split()
)
_LEADS = frozenset("in from through of by to within inside".split())  # "ships in the letters": the letters


@dataclass(frozen=True, slots=True)
class Reading:
    """Words in order, all of the same length; `names` are those that name something in particular.

    `shouted`: capitals tell nothing (all letters, or nearly all words have them), and so neither do tags.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    names: tuple[Name, ...]
    shouted: bool

    def at(self, i: int) -> str:
        """The word at i, "" outside."""
        return self.words[i] if 0 <= i < len(self.words) else ""

    def plural(self, i: int) -> bool:
        """Whether the word at i is a noun in the plural."""
        word = self.at(i)
        if word in DOCUMENTS or word in THEMES or word in CLASSES:
            return True
        if not word.isalpha() or word in KNOWN:
            return False
        if self.shouted:
            return len(word) > 3 and word.endswith("s") and not word.endswith("ss")
        if self.tags[i] == "VBZ":  # "Which subsystems cause ...": the tagger takes the noun for the verb
            return self.at(i - 1) in ("which", "what") and self.tags[i + 1 : i + 2] in (
                ("VBP",),
                ("VBD",),
                ("VB",),
            )
        return self.tags[i] in ("NNS", "NNPS")

    def singular(self, i: int) -> bool:
        """Whether the word at i is a noun in the singular that narrows the question."""
        word = self.at(i)
        if word in KNOWN or not any(c.isalpha() for c in word) or self.plural(i):
            return False
        return self.tags[i] in ("NN", "NNP")

    def verb(self, i: int) -> bool:
        """Whether the word at i is a verb; after "how do" and the like the tagger often errs."""
        if self.shouted or self.tags[i].startswith("VB"):
            return True
        asked = self.at(0) in ("how", "where", "what", "which") and bool(
            {"do", "does", "did"} & set(self.words[:i])
        )
        return asked and self.tags[i] in ("NN", "NNS", "JJ") and self.at(i - 1) not in DETERMINERS

    def has(self, *phrase: str) -> int:
        """Where the phrase stands, -1 when it does not."""
        for i in range(len(self.words) - len(phrase) + 1):
            if self.words[i : i + len(phrase)] == phrase:
                return i
        return -1


@dataclass(frozen=True, slots=True)
class Scope:
    """Where all documents are spoken of: word indices [first, last) and the words themselves."""

    first: int
    last: int
    words: str
    strong: bool = False  # "across", "as a whole", "everything": no single thing bounds it


def read(parsed: ParsedQuestion) -> Reading:
    """The question's words; of a very long one its first and last sixty."""
    tokens = [t for t in parsed.tokens if t.pos != "SPACE"]
    shouted = _shouted(tokens)
    names = () if shouted else tuple(n for n in parsed.names if _particular(n, parsed.tokens))
    if len(tokens) > 2 * _MOST:
        tokens = tokens[:_MOST] + tokens[-_MOST:]
    words = tuple(_plain(t.text) for t in tokens)
    return Reading(words, tuple(t.tag for t in tokens), names, shouted)


def _plain(text: str) -> str:
    return text.lower().replace("’", "'").strip('.,;:!?"“”()') or text


def _shouted(tokens: list[Token]) -> bool:
    long = [t.text for t in tokens if len(t.text) > 3 and t.text.isalpha()]
    return len(long) > 1 and sum(word[0].isupper() for word in long) > 0.8 * len(long) and _cased(tokens)


def _cased(tokens: list[Token]) -> bool:
    """Whether a word that nobody writes with a capital has one."""
    return any(t.text[0].isupper() and t.text.lower() in KNOWN for t in tokens[1:] if t.text[0].isalpha())


def _particular(name: Name, tokens: tuple[Token, ...]) -> bool:
    """Whether a name names something: not a people, not the capital that opens a sentence."""
    if name.quoted:
        return True
    if name.label in _PEOPLES:
        return False
    words = [_plain(t.text) for t in tokens[name.first : name.last]]
    if all(word in KNOWN for word in words):
        return False
    opens = name.first == 0 or tokens[name.first - 1].text in ".?!:"
    return not (
        opens and len(words) == 1 and not name.label and tokens[name.first].tag not in ("NNP", "NNPS")
    )


def scope_of(reading: Reading) -> Scope | None:
    """The widest words for all documents; None where the question has none."""
    found = [s for i in range(len(reading.words)) if (s := _scope_at(reading, i)) is not None]
    for phrase in UNIVERSAL:
        if (at := reading.has(*phrase)) >= 0:
            found.append(Scope(at, at + len(phrase), " ".join(phrase), True))
    return max(found, key=lambda s: (s.strong, reading.at(s.first - 1) in _LEADS, s.first), default=None)


def _scope_at(reading: Reading, i: int) -> Scope | None:
    word = reading.words[i]
    if word in SPREAD_OVER:
        end = phrase_end(reading, i + 1)
        if end and (reading.plural(end - 1) or reading.at(end - 1) in COLLECTIONS):
            return None if _narrowed(reading, end) else _scope(reading, i, end, True)
    if word == "from" and reading.at(i + 2) == "to" and reading.at(i + 1) == reading.at(i + 3):
        return _scope(reading, i, i + 4, True) if reading.at(i + 1) in DOCUMENT else None
    if word == "here" and reading.tags[i - 1] == "VBN" and i > 0:  # "the research collected here"
        return _scope(reading, i - 1, i + 1)
    if (word == "everything" and not reading.singular(i + 1)) or (word == "overall" and _adverb(reading, i)):
        return _scope(reading, i, i + 1, True)
    if word == "data" and reading.at(i + 1) in ("set", "base", "sets"):
        return _scope(reading, _start(reading, i), i + 2)
    whole = {reading.at(i - 1), reading.at(i - 2)} & {"whole", "entire", "complete"}
    if word in SPREAD_OVER and not reading.at(i + 1)[:1].isalpha():  # "... used throughout?"
        return _scope(reading, i, i + 1, True)
    if word in DOCUMENT and reading.words[max(0, i - 3) : i] == ("more", "than", "one"):
        return _scope(reading, i - 3, i + 1)
    if word in DOCUMENT and reading.at(i - 1) in ("each", "every"):  # "for each contract"
        return _scope(reading, i - 1, i + 1)
    if word in VOICES and _speaking(reading, i):
        return _scope(reading, _start(reading, i), i + 1)
    if word in DOCUMENT and whole:
        return _scope(reading, _start(reading, i), i + 1)
    if (word in DOCUMENTS or word in COLLECTIONS) and word != "everything":
        return _documents_at(reading, i)
    return None


def _speaking(reading: Reading, i: int) -> bool:
    """Whether those at i speak for the documents: "according to the authors", "the experts agree"."""
    if not set(reading.words[_start(reading, i) : i]) & DEFINITE or _narrowed(reading, i + 1):
        return False
    return reading.has("according", "to") >= 0 or reading.at(i + 1) in SPEAKS


def _documents_at(reading: Reading, i: int) -> Scope | None:
    """ "these letters", "all the reports", "the archive"; not "the letters of otto kask" and not "contracts 4"."""
    word = reading.words[i]
    start = _start(reading, i)
    if set(reading.words[start:i]) & {"a", "an", "any"} and word in COLLECTIONS:
        return None
    led = set(reading.words[start:i]) & DEFINITE or reading.at(start - 1) in SPREAD_OVER | {"in", "through"}
    if reading.at(i + 1).isdigit() or (uncertain(word) and not led) or not (led or word in COLLECTIONS):
        return None
    if reading.plural(i + 1) or (reading.singular(i + 1) and reading.tags[i + 1] == "NN"):
        return None  # "the collection date", "the archive room", "all contract parties"
    return None if _narrowed(reading, i + 1) else _scope(reading, start, i + 1)


def _narrowed(reading: Reading, after: int) -> bool:
    """Whether what follows the documents says which ones: "about otto kask", "of the captain"."""
    if reading.at(after) not in _NARROWS:
        return False
    end = phrase_end(reading, after + 1)
    return bool(end) and reading.singular(end - 1) and not reading.at(after + 1).isdigit()


def _scope(reading: Reading, first: int, last: int, strong: bool = False) -> Scope:
    return Scope(first, last, " ".join(reading.words[first:last]), strong)


def _adverb(reading: Reading, i: int) -> bool:
    """ "Overall, ..." and "... overall?"; not "the overall length"."""
    after = reading.at(i + 1)
    return not after or not after[0].isalpha() or (i == 0 and after not in KNOWN_NOUNS)


KNOWN_NOUNS = THEMES | GENERIC


def _start(reading: Reading, i: int) -> int:
    """First word of the noun phrase that ends at i."""
    start = i
    while start > 0 and i - start < 5:
        word, tag = reading.words[start - 1], reading.tags[start - 1]
        owners = tag in ("NNS", "NNPS") and reading.tags[start] == "POS"  # "the captains' accounts"
        if word in _LED or tag in _BEFORE_NOUN or owners:
            start -= 1
        elif word == "of" and reading.at(start - 2) in ("all", "most", "each", "majority", "both"):
            start -= 2
        else:
            break
    return start


def phrase_end(reading: Reading, i: int) -> int:
    """One past the last noun of the phrase that begins at i, 0 when there is none."""
    last = 0
    for j in range(i, min(i + 6, len(reading.words))):
        word, tag = reading.words[j], reading.tags[j]
        if (
            reading.plural(j)
            or reading.singular(j)
            or word in COLLECTIONS
            or tag in ("NN", "NNS", "NNP", "NNPS")
        ):
            last = j + 1
        elif last or not (word in _LED or tag in _BEFORE_HEAD):
            break
    return last


def anchor_of(reading: Reading, scope: Scope | None) -> str:
    """What in particular the question is about, in words; "" when nothing: a name, a day, a part, one document."""
    for name in reading.names:
        if not _names_collection(reading, name):
            return f"names {name.text}"
    for i, word in enumerate(reading.words):
        if scope is not None and scope.first <= i < scope.last:
            continue
        if word.isdigit() and {reading.at(i - 1), reading.at(i + 1)} & _MONTHS:
            return f"asks about a day ({reading.at(i - 1)} {word} {reading.at(i + 1)})".replace("  ", " ")
        if _numbered(reading, i):
            return f"asks about {reading.at(i - 1)} {word}"
        if word in DOCUMENT - SUMMARIES and _one(reading, i):
            return f"asks about one document ({' '.join(reading.words[_start(reading, i) : i + 1])})"
    return ""


def _names_collection(reading: Reading, name: Name) -> bool:
    """ "the Kask collection": the name says which documents these are."""
    last = _plain(name.text.split()[-1])
    at = next((i for i, w in enumerate(reading.words) if w == last and reading.at(i + 1)), -1)
    return (last in COLLECTIONS and len(name.text.split()) > 1) or (
        at >= 0 and reading.at(at + 1) in COLLECTIONS and not _narrowed(reading, at + 2)
    )


def _numbered(reading: Reading, i: int) -> bool:
    """ "clause 14", "pump 3": a number right behind a noun in the singular; years do not count."""
    word = reading.words[i]
    return (
        word[:1].isdigit()
        and not (word.isdigit() and len(word) == 4)
        and i > 0
        and reading.tags[i - 1] in ("NN", "NNP")
        and reading.at(i - 1) not in ("top", "the")
        and reading.at(i + 1) not in ("most", "years", "decades")
        and not reading.plural(i + 1)
    )


def _one(reading: Reading, i: int) -> bool:
    """Whether the document word at i stands in the singular for one document."""
    start = _start(reading, i)
    leads = set(reading.words[start:i])
    if leads & {"all", "every", "each", "whole", "entire"} or not leads & DETERMINERS:
        return False
    following = i + 1
    end = phrase_end(reading, i + 2) if reading.at(following) in ("of", "among", "between") else 0
    if end and reading.at(end - 1) in DOCUMENTS:  # "the message of these speeches"
        return False
    return not (
        reading.plural(following) or reading.at(following) in COLLECTIONS or reading.singular(following)
    )


def narrowing(reading: Reading, skip: range = range(0)) -> str:
    """The first singular noun that bounds the question; one right before a plural does not ("control weaknesses")."""
    for i in range(len(reading.words)):
        if (
            reading.words[i] in ("two", "both", "three")
            and reading.plural(i + 1)
            and reading.at(i - 1) != "top"
        ):
            return f"{reading.words[i]} {reading.words[i + 1]}"
        if i in skip or not reading.singular(i) or reading.at(i - 1) in ("every", "each"):
            continue
        j = i + 1
        while reading.singular(j) or reading.at(j) in ("'s", "'", "-") or reading.at(j) in GENERIC:
            j += 1
        if not reading.plural(j) and reading.at(j) not in COLLECTIONS:
            return reading.words[i]
    return ""


def one_thing(reading: Reading, skip: range) -> str:
    """The first noun in the singular with an article, or one that is a name by its tag: "the captain"."""
    for i in range(len(reading.words)):
        if i in skip or not reading.singular(i) or reading.singular(i + 1) or reading.plural(i + 1):
            continue
        if reading.tags[i] == "NNP" and not reading.shouted:
            return reading.words[i]
        if (
            set(reading.words[_start(reading, i) : i]) & DETERMINERS
            and not set(reading.words[i - 2 : i]) & RANKS
        ):
            return reading.words[i]
    return ""
