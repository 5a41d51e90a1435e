"""What the labels of entities are called when people read them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# Labels of times, amounts and counts: never what a passage is about.
VALUES = frozenset({"DATE", "TIME", "ORDINAL", "CARDINAL", "QUANTITY", "PERCENT", "MONEY"})
# Labels of names that are told by their letters alone: nothing is near them in meaning.
IDENTIFIERS = frozenset({"IBAN", "IMO", "LEI", "ISIN", "PHONE", "MARK", "CODE"})
NOUN = "NOUN"  # a word or a title that names nothing

# Labels as spaCy names them (OntoNotes 5), and WORK for titles of documents.
_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "PERSON": "person",
        "ORG": "organisation",
        "GPE": "place",
        "LOC": "place",
        "FAC": "building or site",
        "NORP": "group of people",
        "PRODUCT": "product",
        "EVENT": "event",
        "WORK_OF_ART": "work",
        "WORK": "document or work",
        "LAW": "law",
        "LANGUAGE": "language",
        "EMAIL": "e-mail address",
        "IBAN": "bank account",
        "IMO": "ship's number",
        "LEI": "company's number",
        "ISIN": "security",
        "PHONE": "telephone number",
        "MARK": "registration mark",
        "CODE": "reference number",
        "DATE": "date",
        "TIME": "time",
        "MONEY": "amount of money",
        "PERCENT": "percentage",
        "QUANTITY": "quantity",
        "CARDINAL": "number",
        "ORDINAL": "number",
    }
)


def kind_words(label: str) -> str:
    """`organisation` for ORG; `thing` for OTHER and labels that a model made up."""
    return _WORDS.get(label, "thing")
