"""Every equation against the paper's definition; and docs/research/papers.md agrees with records, code and tests."""

from __future__ import annotations

import ast
import importlib
import json
import re
import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from core.cli import main
from core.research.papers.check import Check, expect_close, expect_equal, outcome, places, state
from core.research.papers.every import PAPERS
from core.research.papers.page import counts_in_words, render_page

ROOT = Path(__file__).resolve().parents[2]
DOC = ROOT / "docs" / "research" / "papers.md"
CHECKS = [each for checks in PAPERS.values() for each in checks]
CHECKED = [each for each in CHECKS if each.check is not None]


def called(each: Check) -> str:
    return f"{each.paper}, {each.place}"


@pytest.mark.parametrize("each", CHECKED, ids=called)
def test_what_we_have_is_what_the_paper_defines(each: Check) -> None:
    assert each.check is not None
    each.check()


# ---------------------------------------------------------------- records


def test_places_are_listed_once_and_in_full() -> None:
    assert len({called(each) for each in CHECKS}) == len(CHECKS)
    for name, checks in PAPERS.items():
        assert len({each.paper for each in checks}) == 1, name
        for each in checks:
            assert each.what, called(each)
            assert each.where or (each.differs and each.check is None), (
                "what is missing says what stands there"
            )


@cache
def defined(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("where", sorted({where for each in CHECKS for where in each.where}))
def test_what_a_place_names_exists(where: str) -> None:
    file, _, name = where.partition(":")
    path = ROOT / file
    if path.suffix == ".toml":
        assert name in tomllib.loads(path.read_text(encoding="utf-8"))
        return
    found: object = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    for part in name.split("."):
        found = getattr(found, part)
    top = name.split(".")[0]
    own = {node.name for node in defined(path).body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert top in own, "it is defined there, not imported"


# ---------------------------------------------------------------- the document


def test_the_page_repeats_the_tables() -> None:
    assert DOC.read_text(encoding="utf-8") == render_page(), (
        "clew research papers --write docs/research/papers.md"
    )


def test_states_are_counted_apart() -> None:
    done, tests = Check("paper", "eq. 1", "what", ("where",), _nothing), ("tests/a.py::test_b",)
    others = (
        replace(done, differs="in this"),
        replace(done, check=None, tests=tests),
        replace(done, check=None),
        replace(done, where=(), check=None, differs="nothing"),
    )
    assert counts_in_words((done, *others)) == (
        "2 checked (1 differ), 1 held by tests alone, 1 held by nothing, 1 absent"
    )


TESTS = sorted(set(re.findall(r"`(tests/[\w/]+\.py::\w+)`", DOC.read_text(encoding="utf-8"))))


@pytest.mark.parametrize("test", TESTS)
def test_tests_that_the_document_names_exist(test: str) -> None:
    file, _, name = test.partition("::")
    own = [node.name for node in ast.walk(defined(ROOT / file)) if isinstance(node, ast.FunctionDef)]
    assert name in own


def slugs(path: Path) -> set[str]:
    """Anchors of a document's headings."""
    lines = path.read_text(encoding="utf-8").splitlines()
    headings = (line.lstrip("#").strip().lower() for line in lines if re.match(r"#+ ", line))
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in headings}


LINKS = sorted(set(re.findall(r"\]\(([\w./-]+\.md#[\w-]+)\)", DOC.read_text(encoding="utf-8"))))


@pytest.mark.parametrize("link", LINKS)
def test_places_of_figures_exist(link: str) -> None:
    file, _, anchor = link.partition("#")
    assert anchor in slugs(DOC.parent / file)


def test_every_link_is_looked_at() -> None:
    assert DOC.read_text(encoding="utf-8").count("](") == sum(
        DOC.read_text(encoding="utf-8").count(f"]({link})") for link in LINKS
    )


def test_a_reported_figure_stands_where_the_link_leads() -> None:
    """Numbers such as .817 in the words of a link, each in the document that it points to."""
    checked = 0
    for words, file in re.findall(r"\[([^\]]+)\]\(([\w./-]+\.md)#[\w-]+\)", DOC.read_text(encoding="utf-8")):
        text = (DOC.parent / file).read_text(encoding="utf-8")
        for number in re.findall(r"(?<![\w.])\d*\.\d{2,4}\b", words):
            assert number in text, (words, file)
            checked += 1
    assert checked > 20


# ---------------------------------------------------------------- what a check comes to


def _nothing() -> None:
    pass


def _fails() -> None:
    expect_equal(1, 2, "one")


def test_states() -> None:
    complete = Check("paper", "eq. 1", "what", ("where",), _nothing)
    assert state(complete) == outcome(complete).state == "checked"
    assert state(replace(complete, differs="in this")) == "checked"
    assert state(replace(complete, check=None)) == "unverified"
    assert state(replace(complete, check=None, tests=("tests/a.py::test_b",))) == "tested"
    assert state(replace(complete, where=(), check=None, differs="nothing")) == "absent"
    failed = outcome(replace(complete, check=_fails))
    assert (failed.state, failed.fault) == ("fails", "one: 1 is not 2")


def test_numbers_are_compared_by_shape_and_size() -> None:
    expect_close([1.0, 2.0], [1.0, 2.0 + 1e-9], "near")
    with pytest.raises(AssertionError, match="off by 1"):
        expect_close([1.0], [2.0], "far")
    with pytest.raises(AssertionError, match="shape"):
        expect_close([1.0], [1.0, 1.0], "more")


def test_a_check_of_no_place_is_refused() -> None:
    with pytest.raises(ValueError, match=r"eq\. 99"):
        places("A2RAG", "a2rag.toml", {"eq. 99": _nothing})


# ---------------------------------------------------------------- the command


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["research", "papers", "--paper", "a2rag", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [each["place"] for each in report["places"]] == [each.place for each in PAPERS["a2rag"]]
    assert sum(report["states"].values()) == len(PAPERS["a2rag"])
    assert main(["research", "papers", "--paper", "a2rag"]) == 0
    assert "eq. 12" in capsys.readouterr().out
    assert main(["research", "papers", "--paper", "none"]) == 1
    assert "Choose from" in capsys.readouterr().err


def test_the_command_writes_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["research", "papers", "--write", str(tmp_path / "page.md")]) == 0
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == render_page()
    assert main(["research", "papers", "--write", str(tmp_path / "no" / "page.md")]) == 1
    assert "Choose another file." in capsys.readouterr().err


def test_a_failing_check_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(PAPERS, "a2rag", (replace(PAPERS["a2rag"][0], check=_fails),))
    assert main(["research", "papers", "--paper", "a2rag"]) == 1
    assert "A2RAG, eq. 1: one: 1 is not 2" in capsys.readouterr().out
