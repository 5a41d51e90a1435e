"""What a person types finds the documents that are meant."""

from __future__ import annotations

import pytest

from core.types import Document
from core.workspace.document_listing import DocumentFilter

LETTERS = [
    Document(
        "1", "post/a.pdf", "", 1, "Charter party", "application/pdf", date="2021-05-04", author="Karen Lund"
    ),
    Document(
        "2", "post/b.eml", "", 1, "Re: bunkers", "message/rfc822", date="2021-07-09T10:00", author="Ivo Maras"
    ),
    Document("3", "ledger.xlsx", "", 1, "Ledger of Karen's", "sheet"),
]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", "123"),
        ("karen", "13"),
        ("KAREN lund", "1"),
        ("author:karen", "1"),
        ('author:"karen lund" type:pdf', "1"),
        ("from:maras", "2"),
        ("type:xlsx", "3"),
        ("after:2021-05", "12"),
        ("after:2021-05-05", "2"),
        ("before:2021-05", "1"),
        ("after:2021-05 before:2021-06", "1"),
        ("path:post bunkers", "2"),
        ("re:", "2"),
        ("colour:blue", ""),
        ('"', ""),
        ("state:pending", "123"),
    ],
)
def test_what_is_typed_is_what_is_found(text: str, ids: str) -> None:
    wanted = DocumentFilter.parse(text)
    assert "".join(document.id for document in LETTERS if wanted.matches(document)) == ids
