"""An open document that changed, moved, failed or went says so above its text."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

from app.reader.header import fate_of
from core.errors import BadInput
from core.progress import TaskContext
from core.types import Document, State

OPENED = Document("a", "a.txt", "1111", 3, "A letter", "text/plain", state=State.DONE)


class Shelf:
    """The two questions that are asked of the documents of a workspace."""

    def __init__(self, *documents: Document) -> None:
        self._documents = list(documents)

    def get(self, document_id: str) -> Document:
        for document in self._documents:
            if document.id == document_id:
                return document
        raise BadInput("This document is no longer in the workspace.", "Choose another one.")

    def all(self) -> list[Document]:
        return self._documents


def fate(opened: Document, *now: Document) -> tuple[str, str]:
    found = fate_of(SimpleNamespace(documents=Shelf(*now)), opened, TaskContext())  # type: ignore[arg-type]
    return found.words, found.now


def test_the_same_document_has_no_news_while_it_is_indexed() -> None:
    assert fate(OPENED, OPENED) == ("", "")
    assert fate(replace(OPENED, state=State.PENDING), OPENED) == ("", "")
    assert fate(OPENED, replace(OPENED, modified_ns=99)) == ("", "")


def test_a_changed_document_leads_to_its_new_text() -> None:
    words, now = fate(OPENED, replace(OPENED, sha256="2222"))
    assert "has changed since you opened it" in words and now == "a"
    words, now = fate(OPENED, replace(OPENED, state=State.FAILED))
    assert "has changed" in words


def test_a_renamed_document_is_found_by_its_content() -> None:
    words, now = fate(OPENED, replace(OPENED, id="b", path="sub/b.txt"))
    assert words == "This document is now sub/b.txt." and now == "b"


def test_a_document_that_is_gone_says_so() -> None:
    words, now = fate(OPENED, replace(OPENED, id="c", path="c.txt", sha256="3333"))
    assert "no longer in the workspace" in words and now == ""


def test_a_document_that_could_not_be_read_says_why() -> None:
    failed = replace(OPENED, state=State.FAILED, reason="The file is empty.", remedy="Get a new copy.")
    assert fate(failed, failed)[0] == "This document could not be read. The file is empty. Get a new copy."
