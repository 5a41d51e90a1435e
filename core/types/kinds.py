"""How entities are identified: their labels in words, the ids of things and the keys of names."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from types import MappingProxyType

from core.text.translation import mark, tr

# Labels of times, amounts and counts: never what a passage is about.
VALUES = frozenset({"DATE", "TIME", "ORDINAL", "CARDINAL", "QUANTITY", "PERCENT", "MONEY"})
# Labels of names that are told by their letters alone: nothing is near them in meaning.
IDENTIFIERS = frozenset({"IBAN", "IMO", "LEI", "ISIN", "PHONE", "MARK", "CODE"})
NOUN = "NOUN"  # a word or a title that names nothing
OTHER = "OTHER"  # a name of unknown kind
CONCEPT = "CONCEPT"  # a term of the subject that the documents are about: "purchase order"

# Labels as spaCy names them (OntoNotes 5), and WORK for titles of documents.
_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "PERSON": mark("person"),
        "ORG": mark("organisation"),
        "GPE": mark("place"),
        "LOC": mark("place"),
        "FAC": mark("building or site"),
        "NORP": mark("group of people"),
        "PRODUCT": mark("product"),
        "EVENT": mark("event"),
        "WORK_OF_ART": mark("work"),
        "WORK": mark("document or work"),
        "LAW": mark("law"),
        "LANGUAGE": mark("language"),
        CONCEPT: mark("term"),
        "EMAIL": mark("e-mail address"),
        "IBAN": mark("bank account"),
        "IMO": mark("ship's number"),
        "LEI": mark("company's number"),
        "ISIN": mark("security"),
        "PHONE": mark("telephone number"),
        "MARK": mark("registration mark"),
        "CODE": mark("reference number"),
        "DATE": mark("date"),
        "TIME": mark("time"),
        "MONEY": mark("amount of money"),
        "PERCENT": mark("percentage"),
        "QUANTITY": mark("quantity"),
        "CARDINAL": mark("number"),
        "ORDINAL": mark("number"),
    }
)

LABELS = frozenset(_WORDS) | {NOUN}  # that an entity can be given


_ASSERTIONS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "denied": (mark("denied"), mark("denied by {source}")),
        "doubted": (mark("doubted"), mark("doubted by {source}")),
        "reported": (mark("reported"), mark("according to {source}")),
        "possible": (mark("possible"), mark("possible, according to {source}")),
        "planned": (mark("planned"), mark("planned, according to {source}")),
        "conditional": (mark("supposed"), mark("supposed by {source}")),
    }
)


def assertion_words(assertion: str, source: str = "") -> str:
    """How a text puts a statement, for people: "denied by Anna Berg"; "" for a plain one."""
    if assertion not in _ASSERTIONS:
        return assertion
    alone, with_source = _ASSERTIONS[assertion]
    return tr(with_source, source=source) if source else tr(alone)


def kind_words(label: str) -> str:
    """`organisation` for ORG; `thing` for OTHER and labels that a model made up."""
    return tr(_WORDS.get(label, mark("thing")))


def stable_id(*parts: str) -> str:
    """Hash of what a thing is, 16 hexadecimal digits. `stable_id("document", "a/b.pdf")`"""
    # surrogatepass: a file name whose bytes are no UTF-8 must still have an id.
    joined = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return blake2b(joined, digest_size=8).hexdigest()


SENSE = "\x1f"  # in the key of a name, before the sense that tells which of its bearers is meant


def without_sense(normal: str) -> str:
    """Key of the name, whoever bears it."""
    return normal.partition(SENSE)[0]


def sense_of(normal: str) -> str:
    """Which bearer of the name is meant; "" where nothing says so."""
    return normal.partition(SENSE)[2]


def with_sense(normal: str, sense: str) -> str:
    """Key of a name in a sense; in "" it is the name itself."""
    return f"{normal}{SENSE}{sense}" if sense else normal
