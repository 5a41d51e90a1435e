"""What the labels of entities are called when people read them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from core.text.translation import mark, tr

# Labels of times, amounts and counts: never what a passage is about.
VALUES = frozenset({"DATE", "TIME", "ORDINAL", "CARDINAL", "QUANTITY", "PERCENT", "MONEY"})
# Labels of names that are told by their letters alone: nothing is near them in meaning.
IDENTIFIERS = frozenset({"IBAN", "IMO", "LEI", "ISIN", "PHONE", "MARK", "CODE"})
NOUN = "NOUN"  # a word or a title that names nothing

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
