"""Shared by the reader-data programs: clones, JSON lines, detokenisation, and locating answers in texts."""

from __future__ import annotations

import json
import random
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.research.datasets import read_rows

Record = dict[str, object]
_NO_SPACE_BEFORE = re.compile(r"^[.,;:!?%)\]}’”]|^'s$|^n't$|^'(re|ve|ll|d|m)$", re.IGNORECASE)
_LEAST = 90.0  # of 100: least similarity of an answer and its place in the text


class Clones:
    """Git directories named OWNER+NAME, OWNER+NAME/repo or OWNER+NAME/repo/.git in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _git(self, repository: str, *words: str) -> str:
        place = self.folder / repository.replace("/", "+")
        place = next((p for p in (place / "repo" / ".git", place / "repo") if p.exists()), place)
        command = ["git", f"--git-dir={place}", *words]
        return subprocess.run(command, check=True, capture_output=True).stdout.decode("utf-8", "replace")

    def read(self, repository: str, path: str) -> str:
        return self._git(repository, "show", f"HEAD:{path}")

    def text(self, repository: str, path: str) -> str:
        """Return "" for a file that the clone lists and does not hold, as large ones of a partial clone."""
        with suppress(subprocess.CalledProcessError):
            return self.read(repository, path)
        return ""

    def paths(self, repository: str, pattern: str) -> list[str]:
        listed = self._git(repository, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
        return [path for path in listed if re.search(pattern, path)]


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Return the objects of a file of JSON lines. Raises BadInput."""
    return (row for row, _ in read_rows(path, "Give what an earlier step wrote."))


def write_lines(path: Path, rows: Iterable[Mapping[str, object]]) -> int:
    """Write the rows as they come, and return their number."""
    count = 0
    with path.open("w", encoding="utf-8", buffering=1) as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
            count += 1
    return count


def record(
    id: str,
    question: str,
    title: str,
    text: str,
    answers: Iterable[tuple[int, str]],
    kind: str = "span",
    **more: object,
) -> Record:
    found = [{"text": words, "start": start} for start, words in answers]
    for answer in found:
        at = int(str(answer["start"]))
        assert text[at : at + len(str(answer["text"]))] == answer["text"], (id, answer)
    return {
        "id": id,
        "question": question.strip(),
        "title": title,
        "text": text,
        "answers": found,
        "kind": kind,
        **more,
    }


def joined(tokens: list[str]) -> tuple[str, list[int]]:
    """Join the words with normal spacing, and return where each begins."""
    text, starts, quoted, glued = "", [], False, True
    for token in tokens:
        token = {"``": '"', "''": '"', "-LRB-": "(", "-RRB-": ")"}.get(token, token)
        closing = token == '"' and quoted
        space = not (glued or closing or (_NO_SPACE_BEFORE.match(token) and text))
        text += " " if space else ""
        starts.append(len(text))
        text += token
        glued = token in "([{$£#" or (token == '"' and not quoted)
        if token == '"':
            quoted = not quoted
    return text, starts


def occurrences(text: str, words: str) -> list[tuple[int, str]]:
    """Return the places of the words in the text at word boundaries, whatever their case or spacing."""
    words = words.strip().strip(".").strip()
    if not words:
        return []
    pattern = r"(?<!\w)" + re.escape(words) + r"(?!\w)"
    return [(found.start(), found.group()) for found in re.finditer(pattern, text, re.IGNORECASE)]


def nearest(text: str, words: str) -> list[tuple[int, str]]:
    """Return the place where the text is most similar to these words; [] if none is similar enough."""
    from rapidfuzz import fuzz

    exact = occurrences(text, words)
    if exact or len(words) < 8:
        return exact
    found = fuzz.partial_ratio_alignment(words.lower(), text.lower())
    if found is None or found.score < _LEAST:
        return []
    start, end = found.dest_start, found.dest_end
    while start > 0 and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return [(start, text[start:end])]


class Surrounded:
    """Single sentences with context: their neighbours on the page if known, else random ones."""

    def __init__(self, sentences: dict[str, str]) -> None:
        self._texts, self._chance = sentences, random.Random(7)
        self._all = list(sentences.values())
        self._pages: dict[str, list[str]] = {}
        for id in sorted(sentences):
            self._pages.setdefault(":".join(id.split(":")[:3]), []).append(id)

    def text(self, id: str) -> tuple[str, int]:
        """Return a text that contains the sentence, and its offset."""
        page = self._pages[":".join(id.split(":")[:3])]
        at = page.index(id)
        before = [self._texts[each] for each in page[max(0, at - self._chance.randrange(4)) : at]]
        after = [self._texts[each] for each in page[at + 1 : at + 1 + self._chance.randrange(4)]]
        while len(before) + len(after) < 2:
            self._chance.choice((before, after)).append(self._chance.choice(self._all))
        head = "".join(f"{sentence} " for sentence in before)
        return head + " ".join((self._texts[id], *after)), len(head)
