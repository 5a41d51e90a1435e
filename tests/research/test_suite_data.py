"""The development folders: what is gathered and checked, and the form of the questions that lie there."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from core.ingest.loaders import DocumentLoader
from core.research.suite_data import gather, prepare

SUITE = Path(gather.__file__).parent
CORPORA = sorted(file.parent for file in SUITE.glob("*/corpus.toml"))
GIT = ["git", "-c", "user.name=n", "-c", "user.email=n@n.invalid", "-c", "commit.gpgsign=false"]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A corpus over a repository of two letters in a mailbox and a page, as DIR/OWNER+NAME/repo."""
    work = tmp_path / "clones" / "a+b" / "repo"
    (work / "x").mkdir(parents=True)
    (work / "x" / "m.mbox").write_text(
        "From a@b Thu Aug 22 2002\n\nOne\n\nFrom a@b Thu Aug 22 2002\n\n>From Two\n"
    )
    (work / "x" / "page.html").write_text("<p>the <b>ferry</b> sails at nine &amp; six</p>")
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "1"]):
        subprocess.run([*GIT, *command], cwd=work, check=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=work, check=True, capture_output=True, text=True)
    source = f'[[source]]\ngithub = "a/b"\ncommit = "{head.stdout.strip()}"\n'
    folder = tmp_path / "corpora" / "c"
    folder.mkdir(parents=True)
    (folder / "corpus.toml").write_text(
        f'title = "t"\n{source}take = ["x/*.mbox"]\nprepare = "mbox"\n{source}take = ["**/*.html"]\n'
        f'{source}take = ["none"]\n'
    )
    gold = {"file": "page.html", "quote": "ferry sails at nine & six"}
    question = {"id": "c-01", "question": "When?", "gold": [gold], "answers": ["nine and six"], "kind": "one"}
    (folder / "questions.jsonl").write_text(json.dumps(question) + "\n")
    return folder


def test_a_clone_is_read(corpus: Path, tmp_path: Path) -> None:
    missing = gather.gather(corpus, tmp_path, tmp_path / "clones")
    assert missing == ["c: a/b: nothing in it fits ['none']"]
    docs = tmp_path / "c" / "docs"
    assert sorted(file.name for file in docs.iterdir()) == ["m-001.eml", "m-002.eml", "page.html"]
    assert (docs / "m-002.eml").read_text() == "\nFrom Two\n"


def test_a_stranger_fetches(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.{tmp_path / 'clones' / 'a+b' / 'repo'}.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "https://github.com/a/b")
    assert len(gather.gather(corpus, tmp_path, None)) == 1
    assert len(list((tmp_path / "c" / "docs").iterdir())) == 3


@pytest.mark.parametrize("corpus", CORPORA, ids=lambda folder: folder.name)
def test_questions_are_well_formed(corpus: Path) -> None:
    lines = (corpus / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    assert len({each["id"] for each in questions}) == len(questions) >= 40
    assert len({each["question"] for each in questions}) == len(questions)
    for each in questions:
        documents = {gold["file"] for gold in each["gold"]}
        assert {"one": len(documents) == 1, "several": len(documents) > 1, "none": not documents}[
            each["kind"]
        ], each
        assert bool(documents) == bool(each["answers"]), each
    assert 5 * sum(each["kind"] == "none" for each in questions) >= len(questions)


@pytest.mark.parametrize("form", ["xlsx", "ods", "html"])
def test_registers_are_saved_as_people_save_them(tmp_path: Path, form: str) -> None:
    data = b"# code,name\n# a remark\nA1,Port & Quay\nB2,\n"
    [(name, content)] = prepare.table("harbours.csv", data, form)
    assert [*prepare.table("harbours.csv", data, form)] == [(name, content)]
    (tmp_path / name).write_bytes(content)
    text = DocumentLoader().load(tmp_path / name).text
    assert name == f"harbours.{form}"
    assert "Port & Quay" in text and "code" in text and "remark" not in text
