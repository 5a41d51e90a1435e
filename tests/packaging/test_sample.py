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


def test_awkward_names_and_encodings_are_there() -> None:
    assert any(" " in name for name in DOCUMENTS)
    assert any(not name.isascii() for name in DOCUMENTS)
    found = {plain((SAMPLE / name).read_bytes())[1] for name in DOCUMENTS if name.endswith(".txt")}
    assert {"utf-16", "latin-1"} <= found


def test_every_document_gives_text() -> None:
    assert len(DOCUMENTS) >= 28
    for document in DOCUMENTS:
        assert len(text(document).split()) >= 80 and "\ufffd" not in text(document), document


def test_questions_are_of_every_kind() -> None:
    kinds = [line.kind for line in QUESTIONS]
    assert 24 <= len(QUESTIONS) <= 30
    assert len({line.id for line in QUESTIONS}) == len(QUESTIONS)
    assert kinds.count("multi-hop") >= 12
    assert kinds.count("single-hop") >= 8
    assert kinds.count("unanswerable") == 3
    assert {"who", "when", "where", "how-many", "which"} <= {line.type for line in QUESTIONS}


def test_gold_documents_hold_the_answers() -> None:
    assert len(ANSWERABLE) >= 20
    for line in ANSWERABLE:
        assert line.answers and set(line.documents) <= set(DOCUMENTS)
        for answer in line.answers:
            assert any(holds(document, answer) for document in line.documents), answer


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
