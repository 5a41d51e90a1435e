"""`clew trace`: kept, shown, compared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.cli import main

pytestmark = pytest.mark.long


def test_kept_shown_and_compared(
    sample_copy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def told(*words: object, code: int = 0) -> str:
        assert main([str(word) for word in words]) == code
        out = capsys.readouterr()
        return out.err if code else out.out

    one, other = tmp_path / "one.json", tmp_path / "other.json"
    question = "Where was Tobias Renwick arrested?"
    assert f"stages in {one}." in told("ask", sample_copy, question, "--trace", one, "--route", "lab:walk")
    assert "exists already" in told("ask", sample_copy, question, "--trace", one, code=1)
    answer = json.loads(told("ask", sample_copy, question, "--trace", other, "--route", "dense", "--json"))
    assert len(answer["stages"]) > 5
    lines = told("trace", "show", one).splitlines()
    assert lines[0] == question
    assert any("seeds" in line and "taken)" in line for line in lines)
    shown = json.loads(told("trace", "show", one, "--json"))
    assert {stage["data"]["kind"] for stage in shown["trace"]["stages"] if stage["data"]} >= {
        "seeds",
        "reading",
    }
    changed = told("trace", "compare", one, other)
    assert "seed lost: Tobias Renwick" in changed
    assert "seeds: 4 entities -> not run" in changed or "entities -> not run" in changed
    found = json.loads(told("trace", "compare", one, other, "--json"))
    assert [stage["name"] for stage in found["stages"] if stage["after"] is None][:1] == ["seeds"]
    assert told("trace", "compare", one, one).count("->") == 0
    (tmp_path / "broken.json").write_text("{")
    refused = told("trace", "show", tmp_path / "broken.json", code=1)
    assert "no trace" in refused and "Choose a file" in refused
