"""Blocks of names: names that share none are never compared. Which keys a name lies under, and which it looks into."""

from __future__ import annotations

from core.extraction.names import (
    EMAIL,
    LITTLE_WORDS,
    OTHER,
    PERSON,
    SHORT_FORMS,
    NamedEntity,
    fold,
    natural_words,
    weighty,
    words_of,
)
from core.extraction.titles import KNOWN_FORENAMES, titles_of, untitled
from core.text.sentences import without_form
from core.types.kinds import without_sense

_LONGEST_ACRONYM = 8
_SHORTEST_TYPO = 8  # letters of a name in which one letter may be wrong
SHORTEST_SURNAME = 3  # letters
_SHORTEST_HANDLE = 4  # letters
COUNTRIES = {
    "us": "us", "usa": "us", "unitedstates": "us", "unitedstatesofamerica": "us", "uk": "uk", "unitedkingdom": "uk",
    "eu": "eu", "europeanunion": "eu", "un": "un", "unitednations": "un", "uae": "uae", "unitedarabemirates": "uae",
}  # fmt: skip


def blocks(name: NamedEntity) -> set[str]:
    """Return the blocks of a name; names that share none are never compared."""
    if name.sense:
        return {f"s {name.anchor or name.sense}", f"h {without_sense(name.normal)}"}
    if not name.words:  # signs alone
        return {f"= {name.normal}"}
    if name.label == EMAIL:
        words = local_words(name.normal) or ("@",)
        surnames = words[1:] or words_of(name.normal.partition("@")[2])
        return {f"= {name.letters}", f"@ {''.join(words)}", *(f"@ {words[0][0]} {last}" for last in surnames)}
    letters, core = name.letters, name.core
    found = {f"= {name.folded}", f"~ {' '.join(core)}"}
    if name.firm[1]:
        found.update(f"f {''.join(name.words[:count])}" for count in range(1, len(name.words)))
    if letters in COUNTRIES:
        found.add(f"= country {COUNTRIES[letters]}")
    words = untitled(name.natural)
    if len(words) == 1 or name.hyphenated:
        found.add(f"m {words[0]}")
    elif len(words) < 4 and name.kind == OTHER:
        found.add(f"u {words[-1]}")  # "Ottoline Crake", which the recogniser takes for a firm
    found.update(f"u@ {key}" for key in handle_keys(name))
    if name.kind == PERSON and len(words) > 1:
        initial, last = words[0][0], words[-1]
        found |= {
            f"n {last}",
            f"u {last}",
            f"r {words[0]}",
            f"r {name.nickname or words[0]}",
            f"@ {initial} {last}",
            f", {' '.join(words)}",
        }
        found.update(f"{block} {key}" for key in handles(words) for block in ("@", "u@"))
    if is_short(name):
        found.add(f"t {words[-1]}")
    if ", " in name.normal:
        found |= {f", {' '.join(untitled(natural_words(name.normal)))}", f"~ {' '.join(words_of(name.bare))}"}
    if (carrying := weighty(name)) and (len(carrying) > 1 or len(carrying[0]) > SHORTEST_SURNAME):
        found.add(f"w {' '.join(carrying)}")
    if len(core) >= 2:
        firsts = {core[0], *SHORT_FORMS.get(core[0], ())}
        found.update(f"p {first[0]} {core[-1]}" for first in firsts)
    if len(name.words) == 1 and 3 <= len(letters) <= _LONGEST_ACRONYM:
        found.add(f"a {letters}")
    found.update(f"a {short}" for short in initials(without_form(name.words)[0]))
    if may_hold_typo(letters):
        half = len(letters) // 2
        found.update((f"< {len(letters)} {letters[:half]}", f"> {len(letters)} {letters[-half:]}"))
    return found


def looked_into(name: NamedEntity) -> set[str]:
    """Return blocks in which partners of this name lie: its own, and those of names a letter longer or shorter."""
    found = blocks(name)
    if name.sense:
        return found | {f"= {name.meant.folded}"}
    if not name.words:
        return found
    stem, form = name.firm
    if form:
        found.update(f"~ {' '.join(name.words[:count])}" for count in range(1, len(name.words)))
    found |= {f"s {name.normal}", f"h {name.normal}", f"= {fold(stem)}" if form else f"f {stem}"}
    words = untitled(name.natural)
    if len(words) == 1 or name.hyphenated:
        found |= {f"n {words[0]}", f"r {words[0]}"}
    if name.kind == PERSON:
        found |= {f"m {words[-1]}", f"m {words[0]}", f"m {name.nickname}"}
    found.add(f"t {words[-1]}")
    if is_short(name):
        found.add(f"u {words[-1]}")
    letters = name.letters
    if may_hold_typo(letters):
        for length in (len(letters) - 1, len(letters) + 1):
            half = length // 2
            found.update((f"< {length} {letters[:half]}", f"> {length} {letters[-half:]}"))
    return found


def needs_company(block: str) -> bool:
    """Return whether names of a block are one entity only where they share a document."""
    return block[0] not in "=~s,fhtu"


def is_short(name: NamedEntity) -> bool:
    """Return whether it is a surname with a title or initials alone, which is enough to look in other documents."""
    words = untitled(name.natural)
    if len(words) == 1:
        return name.kind == PERSON and (bool(titles_of(name.words)) or words[0] not in KNOWN_FORENAMES)
    return len(words[-1]) >= SHORTEST_SURNAME and all(len(word) == 1 for word in words[:-1])


def handles(words: tuple[str, ...]) -> set[str]:
    """Return what a person may be called by in one word: "marykrag", "mkrag", "maryk"."""
    first, last = words[0], words[-1]
    middle = "".join(word[0] for word in words[1:-1])
    found = {"".join(words), first + last, first[0] + last, first[0] + middle + last, first + last[:2]}
    found |= {first + last[0]} - {first + "s"}  # a plural
    return {handle for handle in found if len(handle) >= _SHORTEST_HANDLE}


def handle_keys(name: NamedEntity) -> set[str]:
    """Return the spellings of a handle among which one is of its bearer: "mhkrag" may be Mary Krag's, too."""
    letters = name.letters.rstrip("0123456789")
    short = name.glued or (len(name.words) == 2 and len(name.words[1]) == 1)  # "Mary K"
    return {letters, letters[:1] + letters[2:]} if short and len(letters) >= _SHORTEST_HANDLE else set()


def local_words(address: str) -> tuple[str, ...]:
    """Return words of an e-mail address before the @."""
    return words_of(address.partition("@")[0].replace("_", " "))


def spells(words: tuple[str, ...], short: str, fewest: int = 3) -> bool:
    """Return whether `short` is made of the first letters of `words`, little words left out or not."""
    return short in initials(words, fewest)


def initials(words: tuple[str, ...], fewest: int = 3) -> set[str]:
    """Return short forms, of so many letters at least, that the words may go by: "boe" of the Bank of England."""
    if len(words) < 2:
        return set()
    every = "".join(word[0] for word in words)
    weighty = "".join(word[0] for word in words if word not in LITTLE_WORDS)
    return {short for short in (every, weighty) if fewest <= len(short) <= _LONGEST_ACRONYM}


def may_hold_typo(letters: str) -> bool:
    return len(letters) >= _SHORTEST_TYPO and letters.isalpha()
