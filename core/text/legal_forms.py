"""Legal forms of firms, as they stand behind their names, in lower case and without full stops."""

from __future__ import annotations

STOPPED = frozenset("inc ltd co corp llc plc gmbh".split())  # written with a full stop as often as without
_LAST = STOPPED | frozenset("limited llp ag sa nv oy ab lda".split())  # after which no name goes on
LEGAL_FORMS = STOPPED | frozenset(
    "limited incorporated llp corporation company ag kg sa sas sarl srl spa bv nv ab as oy pty pvt pte holdings"
    " holding kk".split()
)
# One form in two spellings.
_SPELLED = {"limited": "ltd", "incorporated": "inc", "corporation": "corp", "company": "co"}
# Who trades with the name before: "Marston and Sons", "Brown, Lee & Partners".
ASSOCIATES = frozenset(
    "sons son brothers bros daughters daughter sisters nephews partners associates co company cie compagnie söhne sohn"
    " fils frères hijos hijo hermanos figli fratelli zonen zoon sønner".split()
)


def is_partnership(word: str) -> bool:
    """Whether the form is one of partners, whose names stand before it: "Drew, Napier and Davies LLP"."""
    return word.replace(".", "").casefold() == "llp"


def only_form(name: str) -> bool:
    """Whether nothing but a form is left of a firm's name: "Limited"; "Company" may be a defined term."""
    return name.replace(".", "").casefold() in (STOPPED | {"limited", "llp"}) - {"co", "corp"}


def without_form(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Words of a firm's name, and its legal form in one spelling; one word of the name is always left."""
    end = len(words)
    while end > 1 and words[end - 1] in LEGAL_FORMS:
        end -= 1
    return words[:end], tuple(_SPELLED.get(word, word) for word in words[end:])


def ends_name(word: str) -> bool:
    """Whether a firm's name ends with the word: "Ltd.", "S.A.", "plc", but not "Company"."""
    form = word.replace(".", "").lower()
    return form in _LAST and (form == "plc" or not word.islower())
