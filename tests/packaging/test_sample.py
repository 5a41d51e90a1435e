"""The sample folder and its questions hold what they promise, as kreuzberg reads them."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import kreuzberg
import pytest

RESOURCES = Path(__file__).resolve().parents[2] / "resources"
SAMPLE = RESOURCES / "sample"
DOCUMENTS = sorted(path.relative_to(SAMPLE).as_posix() for path in SAMPLE.rglob("*") if path.is_file())


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the question file; its keys are checked by the constructor."""

    id: str
    question: str
    answers: list[str]
    documents: list[str]
    kind: str
    type: str


QUESTIONS = [
    Line(**json.loads(line))
    for line in (RESOURCES / "sample-questions.jsonl").read_text(encoding="utf-8").splitlines()
]
ANSWERABLE = [line for line in QUESTIONS if line.kind != "unanswerable"]


def plain(data: bytes) -> tuple[str, str]:
    """Text and encoding of a text file that is UTF-16 with its mark, UTF-8 or Latin-1."""
    if data.startswith(b"\xff\xfe"):
        return data.decode("utf-16"), "utf-16"
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "latin-1"


@cache
def extracted(document: str) -> kreuzberg.ExtractionResult:
    """What kreuzberg makes of a document; plain text is decoded first, as it reads UTF-8 only."""
    path = SAMPLE / document
    if path.suffix == ".txt":
        return kreuzberg.extract_bytes_sync(plain(path.read_bytes())[0].encode(), "text/plain")
    return kreuzberg.extract_file_sync(path)


def text(document: str) -> str:
    return " ".join(extracted(document).content.split())


def holds(document: str, answer: str) -> bool:
    """Whether the answer stands in the text as whole words."""
    return re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", text(document)) is not None


def test_size_and_variety() -> None:
    assert 28 <= len(DOCUMENTS) <= 34
    assert len({Path(name).suffix for name in DOCUMENTS}) >= 8
    assert len({Path(name).parent for name in DOCUMENTS}) >= 6
    assert sum((SAMPLE / name).stat().st_size for name in DOCUMENTS) < 1_000_000
    words = sum(len(text(name).split()) for name in DOCUMENTS)
    assert 9_000 <= words <= 14_000


def test_awkward_names_and_encodings_are_there() -> None:
    assert any(" " in name for name in DOCUMENTS)
    assert any(not name.isascii() for name in DOCUMENTS)
    found = {plain((SAMPLE / name).read_bytes())[1] for name in DOCUMENTS if name.endswith(".txt")}
    assert {"utf-16", "latin-1"} <= found


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_document_gives_text(document: str) -> None:
    content = text(document)
    assert len(content.split()) >= 80
    assert "\ufffd" not in content


@pytest.mark.parametrize(
    "document", [name for name in DOCUMENTS if name.endswith((".pdf", ".docx", ".pptx"))]
)
def test_papers_state_title_author_and_date(document: str) -> None:
    metadata = extracted(document).metadata
    assert metadata["title"]
    assert metadata["authors"]
    assert re.match(r"20(18|19|20|21)-\d\d-\d\d", metadata["created_at"])


def test_pdfs_have_pages() -> None:
    pages = [extracted(name).metadata["page_count"] or 0 for name in DOCUMENTS if name.endswith(".pdf")]
    assert sum(count >= 2 for count in pages) >= 6
    assert max(pages) <= 5


def test_questions_are_of_every_kind() -> None:
    kinds = [line.kind for line in QUESTIONS]
    assert 24 <= len(QUESTIONS) <= 30
    assert len({line.id for line in QUESTIONS}) == len(QUESTIONS)
    assert kinds.count("multi-hop") >= 12
    assert kinds.count("single-hop") >= 8
    assert kinds.count("unanswerable") == 3
    assert {"who", "when", "where", "how-many", "which"} <= {line.type for line in QUESTIONS}


@pytest.mark.parametrize("line", ANSWERABLE, ids=lambda line: line.id)
def test_gold_documents_hold_the_answers(line: Line) -> None:
    assert line.answers
    assert set(line.documents) <= set(DOCUMENTS)
    for answer in line.answers:
        assert any(holds(document, answer) for document in line.documents), answer


@pytest.mark.parametrize("line", ANSWERABLE, ids=lambda line: line.id)
def test_hops_are_as_many_as_documents(line: Line) -> None:
    if line.kind == "single-hop":
        assert len(line.documents) == 1
    else:
        assert 2 <= len(set(line.documents)) == len(line.documents) <= 3


def test_unanswerable_questions_name_no_gold() -> None:
    for line in QUESTIONS:
        if line.kind == "unanswerable":
            assert line.answers == []
            assert line.documents == []


def test_planted_contradictions_stand() -> None:
    protest = text("ships/Sea protest of Captain Dragomir.docx")
    assert "The wind was Force 9" in protest
    assert "wind of Force 4 at 02:40" in text("ships/Weather record 13 March 2021.html")
    assert "made no call between Walvis Bay and Santa Cruz de Tenerife" in protest
    assert "The Grey Petrel berthed at Nouadhibou" in text("ships/port-calls.csv")


def test_money_agrees() -> None:
    """The statement's balances add up, and the audit report's payments are the statement's."""
    path = SAMPLE / "finance" / "Account statement Calder Reach.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    report = text("investigation/Audit report Grey Petrel.pdf")
    balance = float(rows[0]["Balance EUR"])
    for row in rows[1:]:
        amount = float(row["Money in EUR"] or 0) - float(row["Money out EUR"] or 0)
        balance += amount
        assert float(row["Balance EUR"]) == pytest.approx(balance)
        if row["Counterparty"] in ("Wexcombe Foundation", "Moselle Credit Bank", "Aldermoor Insurance"):
            known = f"EUR {abs(amount):,.0f}" in report
            assert known or "Premium" in row["Purpose"]
