#!/usr/bin/env python3
"""Gather the folder `pages`: real web pages with fact questions that were given with them. Nothing but Python and git.

    python -m core.research.suite_data.prepare_pages TARGET [--clones DIR]

Writes TARGET/pages/docs/TOPIC/*.txt and TARGET/pages/questions.jsonl, as pages/pages.toml says. Neither pages nor
questions are part of this repository. Which are taken follows from a seed alone, so that they are the same everywhere.
"""

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path, PurePosixPath
from typing import Any

from core.research.suite_data.gather import SourceMissing, clone_of, run, wanted

HERE = Path(__file__).resolve().parent / "pages"
FEWEST_BYTES = 300  # a smaller page is a failed download
MOST_GOLD = 5  # pages that one question may need
ANSWER_SHARE = 0.6  # share of an answer's words from which a page may contain the answer


def order(seed: str, names: list[str]) -> list[str]:
    """Shuffle repeatably, the same in every Python version."""
    return sorted(names, key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest())


def key(title: str) -> str:
    """Return the common part of a reference's title and a file name, which are cut and cleaned differently."""
    return re.sub(r"[^a-z0-9]", "", title.lower())[:40]


def words(text: str) -> set[str]:
    return set(re.findall(r"\w{4,}|\d+", text.lower()))


class Topic:
    """The pages and questions of one topic, and the selection from them."""

    def __init__(self, name: str, files: dict[str, bytes], described: dict[str, Any]) -> None:
        self.name, self.described = name, described
        self.pages = {
            f"{name}/{PurePosixPath(path).name}": data
            for path, data in files.items()
            if "/reference_pages/" in path and FEWEST_BYTES <= len(data) <= described["page_bytes"]
        }
        by_key = {key(PurePosixPath(path).stem): path for path in sorted(self.pages)}
        [references] = [data for path, data in files.items() if path.endswith("/references.jsonl")]
        found = [json.loads(line) for line in references.decode().splitlines()]
        page_of = {each["url"]: by_key.get(key(each["title"])) for each in found}
        self.questions: dict[str, dict[str, Any]] = {}
        for number, line in enumerate(files[f"QA/{name}/questions.jsonl"].decode().splitlines()):
            entry = json.loads(line)
            gold = {page_of.get(url) for url in entry["ref_urls"]}
            if "fact" in entry["question_type"][0] and None not in gold and len(gold) <= MOST_GOLD:
                self.questions[f"{name}-{number}"] = {
                    "id": f"{name}-{number}",
                    "question": entry["question"],
                    "gold": sorted(gold),
                    "answers": [entry["answer"]],
                    "kind": "one" if len(gold) == 1 else "several",
                }
        self.taken: dict[str, dict[str, Any]] = {}
        self.page_names: set[str] = set()  # names of the selected pages

    def size(self, more: list[str]) -> int:
        return sum(len(self.pages[name]) for name in self.page_names.union(more))

    def take_questions(self, kind: str, share: float) -> None:
        """Select as many questions of a kind as requested, while their pages fit into a share of the topic's bytes."""
        left = self.described[kind]
        for name in order(self.described["seed"], list(self.questions)):
            question = self.questions[name]
            fits = self.size(question["gold"]) <= share * self.described["topic_bytes"]
            if left and fits and question["kind"] == kind:
                self.taken[name] = question
                self.page_names.update(question["gold"])
                left -= 1

    def take_others(self) -> None:
        """Select pages of the topic that no selected question needs."""
        left = self.described["others"]
        for name in order(self.described["seed"], sorted(self.pages.keys() - self.page_names)):
            if left and self.size([name]) <= self.described["topic_bytes"]:
                self.page_names.add(name)
                left -= 1

    def take_unanswerable(self) -> None:
        """Select questions whose pages are left out, if no selected page contains most words of the answer."""
        known = [words(self.pages[name].decode(errors="replace")) for name in self.page_names]
        left = self.described["none"]
        for name in order(self.described["seed"], list(self.questions)):
            question = self.questions[name]
            if not left or name in self.taken or self.page_names.intersection(question["gold"]):
                continue
            asked = words(question["answers"][0])
            if all(len(asked & page) < ANSWER_SHARE * len(asked) for page in known):
                self.taken[name] = {**question, "gold": [], "answers": [], "kind": "none"}
                left -= 1


def topic_of(name: str, described: dict[str, Any], clone: Path) -> Topic:
    take = [
        f"QA/{name}/questions.jsonl",
        f"corpus/{name}/*/references.jsonl",
        f"corpus/{name}/*/reference_pages/*.txt",
    ]
    git = ["git", "-C", str(clone), "-c", "safe.directory=*"]
    listed = run([*git, "ls-tree", "-r", "-z", "--name-only", described["commit"]]).decode().split("\0")
    paths = [path for path in listed if wanted(path, {"take": take})]
    # In one call; a clone may lack very large files, which are never selected.
    asked = "".join(f"{described['commit']}:{path}\n" for path in paths).encode()
    blobs = subprocess.run([*git, "cat-file", "--batch"], input=asked, capture_output=True, check=True).stdout
    files, at = {}, 0
    for path in paths:
        head, at = blobs[at : blobs.index(b"\n", at)], blobs.index(b"\n", at) + 1
        if not head.endswith(b" missing"):
            size = int(head.rsplit(b" ", 1)[1])
            files[path], at = blobs[at : at + size], at + size + 1
    topic = Topic(name, files, described)
    topic.take_questions("one", 0.5)
    topic.take_questions("several", 0.75)
    topic.take_others()
    topic.take_unanswerable()
    return topic


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target", type=Path, metavar="TARGET", help="a folder outside this repository")
    parser.add_argument("--clones", type=Path, metavar="DIR", help="has bare clones as DIR/OWNER+NAME/repo")
    options = parser.parse_args()
    described = tomllib.loads((HERE / "pages.toml").read_text(encoding="utf-8"))
    folder = options.target / "pages"
    with tempfile.TemporaryDirectory() as scratch:
        try:
            clone = clone_of(described, Path(scratch), options.clones)
            topics = [topic_of(name, described, clone) for name in described["topics"]]
        except SourceMissing as error:
            print(f"pages: {described['github']}: {error}")
            return 1
    shutil.rmtree(folder / "docs", ignore_errors=True)
    for topic in topics:
        (folder / "docs" / topic.name).mkdir(parents=True)
        for name in topic.page_names:
            (folder / "docs" / name).write_bytes(topic.pages[name])
    questions = [question for topic in topics for question in topic.taken.values()]
    lines = "".join(json.dumps(question, ensure_ascii=False) + "\n" for question in questions)
    (folder / "questions.jsonl").write_text(lines, encoding="utf-8")
    kinds = [question["kind"] for question in questions]
    counted = ", ".join(f"{kinds.count(kind)} {kind}" for kind in ("one", "several", "none"))
    pages, size = sum(len(topic.page_names) for topic in topics), sum(topic.size([]) for topic in topics)
    print(f"pages: {pages} documents, {size / 1e6:.2f} MB, {len(questions)} questions ({counted})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
