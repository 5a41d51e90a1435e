"""Reading sets: what is read, and what is refused in words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import BadInput
from core.models.reader_examples import Kind, read_examples

ROW = {"id": "1", "question": "Who sank?", "text": "The Petrel sank.\u2028It was late.", "answers": []}


def write(path: Path, *rows: object) -> Path:
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    return path


def test_a_line_is_an_example(tmp_path: Path) -> None:
    row = ROW | {"answers": [{"text": " The Petrel ", "start": 0}], "text": " The Petrel sank."}
    (example,) = read_examples(write(tmp_path / "own.jsonl", row))
    assert (example.answers, example.kind, example.source) == (("The Petrel",), Kind.SPAN, "own")


def test_answers_that_stand_together_are_several(tmp_path: Path) -> None:
    answers = [{"text": "Ann", "start": 0}, {"text": "Bo", "start": 8}]
    row = ROW | {"text": "Ann and Bo", "answers": answers, "together": True}
    (example,) = read_examples(write(tmp_path / "own.jsonl", row))
    assert example.kind is Kind.SEVERAL and example.answers == ("Ann", "Bo")


def test_the_layout_of_squad(tmp_path: Path) -> None:
    asked = [
        {"id": "a", "question": "Who?", "answers": [{"text": "Bo", "answer_start": 4}]},
        {"id": "b", "question": "When?", "answers": [], "is_impossible": True},
    ]
    path = tmp_path / "squad.json"
    path.write_text(
        json.dumps({"data": [{"title": "A_B", "paragraphs": [{"context": "Hi, Bo", "qas": asked}]}]})
    )
    first, second = read_examples(path)
    assert (first.answers, first.title, second.kind) == (("Bo",), "A B", Kind.NONE)


@pytest.mark.parametrize(
    "row",
    [
        {"id": "1"},
        ROW | {"kind": "poem"},
        ROW | {"answers": [{"text": "Petrel", "start": 0}]},
        ROW | {"answers": [{"text": 7, "start": 0}]},
    ],
)
def test_what_is_no_example_is_refused(tmp_path: Path, row: object) -> None:
    with pytest.raises(BadInput):
        list(read_examples(write(tmp_path / "own.jsonl", row)))


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path / "absent", tmp_path / "bytes", tmp_path):
        with pytest.raises(BadInput):
            list(read_examples(path))
