"""Common noun phrases of a parsed text, of which some are terms of its subject: "purchase order", "credit limit"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from core.types import ExtractedMention
from core.types.kinds import CONCEPT, VALUES

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

MOST_WORDS = 5
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
_PLURALS = frozenset({"NNS", "NNPS"})
_ADJECTIVES = frozenset({"JJ", "AFX"})
_PARTICIPLES = frozenset({"VBN", "VBG"})
# Adjectives that say which one, how many, of what age, size or worth, and class nothing (Halliday 1985: numeratives and
# epithets, not classifiers).
_EPITHETS = frozenset(
    "able actual additional adequate alternate alternative ancient another apparent appropriate attached available "
    "awful bad beautiful better big brief bright careful certain chosen clear clever complete considerable correct "
    "corresponding current dear decent described desired different difficult due earlier early easy enough entire "
    "equal exact excellent existing extra fair familiar famous fat favorite favourite final fine following foregoing "
    "former fresh further future given glad good grand great happy high huge identical immediate important impossible "
    "individual inner intended interesting just kind large larger last late later latest latter less likely little "
    "lone long lovely low lower major many mentioned mere minimal minor modern more most multiple near necessary new "
    "newer next nice normal notable numerous obvious old older opposite original other outer overall own particular "
    "past perfect poor possible potential preceding precise present previous prior probable proper quick quiet rare "
    "ready real reasonable recent regular relevant remaining required respective rich right sad same selected "
    "separate serious several sharp short significant similar simple single slight small smaller sole special "
    "specific specified strange strict strong subsequent substantial such sudden sufficient suitable sure sweet tall "
    "terrible thin tiny total true typical unable upcoming upper useful usual valuable various vast very weak whole "
    "wide wise wonderful wrong young younger".split()
)
_MASS = frozenset({"data", "media"})  # plurals that are used as words of their own
_WORD = re.compile(r"[^\W\d_]{2,}")
Singular = Callable[[str], str]


def find_noun_phrases(
    doc: Doc, spans: list[tuple[int, int, str]], offset: int, singular: Singular
) -> Iterator[ExtractedMention]:
    """Yield the longest runs of adjectives and nouns that end in a noun (Justeson & Katz 1995), at most MOST_WORDS.

    `text` is the phrase in small letters, its last noun in the singular. What has a capital is a name, but for
    abbreviations and the first word of a sentence. `spans` are the tokens' source spans and kinds.
    """
    run: list[Token] = []
    for token in doc:
        start, _, kind = spans[token.i]
        follows = run and not token.is_sent_start and start - spans[token.i - 1][1] <= 1
        if run and not (follows and _continues(run, token)):
            yield from _phrase(run, spans, offset, singular)
            run = []
        if not kind and (run or _is_part(token)):
            run.append(token)
    yield from _phrase(run, spans, offset, singular)


def _continues(run: list[Token], token: Token) -> bool:
    """Return whether the token goes on with the phrase; a hyphen does where no space is around it."""
    if token.text == "-":
        return run[-1].text != "-" and not run[-1].whitespace_ and not token.whitespace_
    if run[-1].text == "-":  # "set-off clause"
        return token.text.islower() and token.is_alpha
    return _is_part(token)


def _is_part(token: Token) -> bool:
    if not _WORD.fullmatch(token.text) or not _is_small(token):
        return False
    after = token.doc[token.i + 1 : token.i + 2]
    if after.text == "-" and not token.whitespace_ and not after[0].whitespace_:
        return True  # "third-party service"
    if token.lower_ in _EPITHETS or token.ent_type_ in VALUES:
        return False
    if token.tag_ in _PARTICIPLES:
        return token.dep_ in {"amod", "compound"}
    return token.tag_ in _NOUNS or (token.tag_ in _ADJECTIVES and not token.is_stop)


def _is_small(token: Token) -> bool:
    if token.text.islower():
        return True
    begins = token.is_sent_start and token.tag_ not in {"NNP", "NNPS"} and token.text[1:].islower()
    return begins or (token.text.isupper() and not token.is_sent_start)


def _phrase(
    run: list[Token], spans: list[tuple[int, int, str]], offset: int, singular: Singular
) -> Iterator[ExtractedMention]:
    while run and (run[-1].text == "-" or run[-1].tag_ not in _NOUNS):
        run = run[:-2] if len(run) > 1 and run[-2].text == "-" else run[:-1]
    starts = [at for at, token in enumerate(run) if token.text != "-" and (not at or run[at - 1].text != "-")]
    run = run[starts[-MOST_WORDS] :] if len(starts) > MOST_WORDS else run
    if not run or run[-1].text.isupper() or (len(run) == 1 and run[0].is_stop):
        return
    words = [token.lower_ for token in run]
    if run[-1].tag_ in _PLURALS:
        words[-1] = singular(words[-1])
    text = " ".join(words).replace(" - ", "-")
    yield ExtractedMention(text, CONCEPT, spans[run[0].i][0] + offset, spans[run[-1].i][1] + offset)


@cache
def singular_forms(pipeline: Path) -> Singular:
    """Return what gives the singular of an English noun, by the tables of the lemmatiser of a spaCy pipeline."""
    from spacy.lookups import Lookups  # slow to import, and needed by extraction only

    tables = Lookups().from_disk(pipeline / "lemmatizer" / "lookups")
    exceptions, rules, known = (
        tables.get_table(name)["noun"] for name in ("lemma_exc", "lemma_rules", "lemma_index")
    )
    words = frozenset(known)

    @cache
    def singular(word: str) -> str:
        if word in _MASS:
            return word
        if word in exceptions:
            return str(exceptions[word][0])
        forms = [word[: -len(end)] + instead for end, instead in rules if word.endswith(end)]
        return next((form for form in forms if form in words), next(filter(None, forms), word))

    return singular
