"""The folder of web pages: a seed determines the selection, and unanswerable questions have no answer in it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from core.research.suite_data import prepare_pages as pages

GIT = ["git", "-c", "user.name=n", "-c", "user.email=n@n.invalid", "-c", "commit.gpgsign=false"]
FILLING = "Nothing of interest was told on this page about anything. " * 8


@pytest.fixture
def described(tmp_path: Path) -> dict[str, object]:
    """Of a repository of one topic: twelve pages with a question each, four with two, one page much too large."""
    work = tmp_path / "clones" / "a+b" / "repo"
    topic = work / "corpus" / "law" / "Courts"
    (topic / "reference_pages").mkdir(parents=True)
    (work / "QA" / "law").mkdir(parents=True)
    references, questions = [], []
    for number in range(12):
        title = f"Case number {number}: the {number}th court"
        text = f"The verdict was verdict{number}. {FILLING}" + ("x" * 9_000 if number == 11 else "")
        (topic / "reference_pages" / f"Case number {number} the {number}th court.txt").write_text(text)
        references.append({"url": f"u{number}", "title": title})
        ask = {"question": f"Which {number}?", "answer": f"verdict{number}", "question_type": ["single-fact"]}
        questions.append({**ask, "ref_urls": [f"u{number}"]})
    for number in range(4):
        both = {"question": f"Both {number}?", "answer": "both", "question_type": ["multi_fact"]}
        questions.append({**both, "ref_urls": [f"u{number}", f"u{number + 1}"]})
    questions.append({"question": "All?", "answer": "", "question_type": ["summary"], "ref_urls": ["u1"]})
    (topic / "references.jsonl").write_text("".join(json.dumps(row) + "\n" for row in references))
    (work / "QA" / "law" / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in questions))
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "1"]):
        subprocess.run([*GIT, *command], cwd=work, check=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=work, check=True, capture_output=True, text=True)
    return {
        "github": "a/b", "commit": head.stdout.strip(), "topics": ["law"], "seed": "1",
        "one": 4, "several": 2, "none": 2, "others": 1, "page_bytes": 5_000, "topic_bytes": 100_000,
    }  # fmt: skip


def test_questions_pages_and_what_is_left_out(described: dict[str, object], tmp_path: Path) -> None:
    clone = pages.clone_of(described, tmp_path / "none", tmp_path / "clones")
    topic = pages.topic_of("law", described, clone)
    kinds = [question["kind"] for question in topic.taken.values()]
    assert (kinds.count("one"), kinds.count("several"), kinds.count("none")) == (4, 2, 2)
    gold = {name for question in topic.taken.values() for name in question["gold"]}
    assert gold < topic.page_names and len(topic.page_names - gold) == 1
    assert "law/Case number 11 the 11th court.txt" not in topic.pages
    for question in topic.taken.values():
        if question["kind"] == "none":
            assert not question["gold"] and not question["answers"]
            number = question["question"].removeprefix("Which ").removesuffix("?")
            assert f"law/Case number {number} the {number}th court.txt" not in topic.page_names
    again = pages.topic_of("law", described, clone)
    assert (again.taken, again.page_names) == (topic.taken, topic.page_names)


def test_pages_stay_within_what_a_topic_may_hold(described: dict[str, object], tmp_path: Path) -> None:
    clone = pages.clone_of(described, tmp_path / "none", tmp_path / "clones")
    topic = pages.topic_of("law", {**described, "topic_bytes": 2_000}, clone)
    assert 0 < topic.size([]) <= 2_000
    assert all(set(question["gold"]) <= topic.page_names for question in topic.taken.values())


def test_a_page_that_holds_the_answer_makes_no_unanswerable_question(
    described: dict[str, object], tmp_path: Path
) -> None:
    clone = pages.clone_of(described, tmp_path / "none", tmp_path / "clones")
    topic = pages.topic_of("law", {**described, "none": 0}, clone)
    page = sorted(topic.page_names)[0]
    topic.pages[page] += " ".join(f"verdict{number}" for number in range(12)).encode()
    topic.described = {**described, "none": 2}
    topic.take_unanswerable()
    assert not [question for question in topic.taken.values() if question["kind"] == "none"]
