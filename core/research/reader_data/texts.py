"""Texts for the reader: gathered from clones of public repositories, detokenised, with answers located in them."""

from __future__ import annotations

import html
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


FIRST_NAMES = {
    "her": "Anna Maria Melanie Caroline Joanna Grace Priya Fatima Nina Laura Emily Hannah Olivia Ruth Elena".split(),
    "his": "Jon Tom David Ben Marcus Omar Daniel Peter James Kevin Luca Ahmed Nate Samuel Victor George".split(),
}
NOVELS = {
    "GITenberg/The-Adventures-of-Sherlock-Holmes_1661": "1661.txt",
    "GITenberg/Great-Expectations_1400": "1400-0.txt",
    "GITenberg/Dracula_345": "345.txt",
    "GITenberg/Emma_158": "158.txt",
}


def turn(words: str, speaker: str, prefix: str, possessive: str = "their") -> dict[str, str]:
    words = " ".join(words.split()).replace("’", "'")  # as the parser was trained on
    return {"text": words, "speaker": speaker, "prefix": prefix, "possessive": possessive}


def paragraph(words: str) -> dict[str, str]:
    return turn(words, "", "")


def two_names(chance: random.Random) -> list[tuple[str, str]]:
    everyone = [(name, own) for own, names in FIRST_NAMES.items() for name in names]
    return chance.sample(everyone, 2)


def talk(turns: list[tuple[int, str]], title: str, chance: random.Random) -> dict[str, Any]:
    """Return a chat of two people, in one of several chat formats."""
    names, style = two_names(chance), chance.randrange(4)
    minute, lines = chance.randrange(8 * 60, 21 * 60), []
    for who, words in turns:
        name, own = names[who]
        minute += chance.randrange(3)
        clock = f"{minute // 60}:{minute % 60:02d}"
        prefix = (f"{name}: ", f"{name}: ", f"[{clock}] {name}: ", f"{clock} - {name}: ")[style]
        lines.append(turn(words, name, prefix, own))
    return {"title": title, "kind": "chat", "paragraphs": lines}


def chats(clones: Clones) -> Iterator[dict[str, Any]]:
    chance = random.Random(1)
    sets: list[list[dict[str, Any]]] = [[], [], []]
    for part in ("valid_rare", "valid_freq", "test_freq"):
        talks = json.loads(clones.text("alexa/Topical-Chat", f"conversations/{part}.json"))
        for number, one in enumerate(list(talks.values())[:500]):
            turns = [(int(t["agent"][-1]) - 1, t["message"]) for t in one["content"]]
            sets[0].append(talk(turns, f"Chat {number + 1}", chance))
    guided = "google-research-datasets/dstc8-schema-guided-dialogue"
    for path in clones.paths(guided, r"^dev/dialogues_\d+\.json$")[::3][:6]:
        for one in json.loads(clones.text(guided, path)):
            turns = [(int(t["speaker"] == "SYSTEM"), t["utterance"]) for t in one["turns"]]
            sets[1].append(talk(turns, "Chat", chance))
    for part in ("dev", "test"):
        for one in json.loads(clones.text("HIT-SCIR/Molweni", f"DP/{part}.json")):
            lines = [
                turn(joined(e["text"].split())[0], e["speaker"], f"{e['speaker']}: ") for e in one["edus"]
            ]
            sets[2].append({"title": "#ubuntu", "kind": "chat", "paragraphs": lines})
    for kind in sets:
        chance.shuffle(kind)
    for three in zip(*[s[:500] for s in sets], strict=False):
        yield from three
    yield from sets[0][500:]


def novels(clones: Clones) -> Iterator[dict[str, Any]]:
    books = []
    for name, path in NOVELS.items():
        text = clones.text(name, path).replace("\r", "")
        text = re.split(r"\*\*\* ?END OF", re.split(r"\*\*\* ?START OF[^\n]*\n", text)[-1])[0]
        title = name.split("/")[1].rsplit("_", 1)[0].replace("-", " ")
        paragraphs = [" ".join(p.split()).replace("_", "") for p in re.split(r"\n\s*\n", text)]
        paragraphs = [p for p in paragraphs if len(p.split()) > 3 and not p.isupper()][30:]
        books.append([(title, paragraphs[at : at + 120]) for at in range(0, len(paragraphs), 120)])
    for number in range(max(map(len, books))):
        for book in books:
            if number < len(book):
                title, paragraphs = book[number]
                yield {"title": title, "kind": "novel", "paragraphs": [paragraph(p) for p in paragraphs]}


def manuals(clones: Clones) -> Iterator[dict[str, Any]]:
    for path in clones.paths("nginx/nginx.org", r"^xml/en/docs/.*\.xml$"):
        text = clones.text("nginx/nginx.org", path)
        paras = re.findall(r"<para>(.*?)</para>", text, re.S)
        found = re.search(r'name="([^"]+)"', text)
        plain = [html.unescape(re.sub(r"<[^>]+>", "", p)) for p in paras if "<programlisting>" not in p]
        yield document(found.group(1) if found else Path(path).stem, "manual", plain)


def document(title: str, kind: str, paragraphs: list[str]) -> dict[str, Any]:
    return {"title": title, "kind": kind, "paragraphs": [paragraph(p) for p in paragraphs]}


CONTRACTS = {
    "Bonterms/Cloud-Terms": r"\.md$",
    "CommonPaper/CSA": r"\.md$",
    "open-agreements/open-agreements": r"^content/.*\.md$",
    "beta-nu-theta-chi/bylaws": r"^src/.*\.qmd$",
    "github/balanced-employee-ip-agreement": r"^Balanced.*\.md$",
}


def contracts(clones: Clones) -> Iterator[dict[str, Any]]:
    for name, pattern in CONTRACTS.items():
        for path in clones.paths(name, pattern):
            text = re.sub(r"<[^>]+>|\*\*|__|\\", "", clones.text(name, path))
            text = re.sub(
                r"\[([^\]]*)\]\([^)]*\)|^[ \t]*(?:[-*]|\(?\w{1,3}[.)])+[ \t]+",
                lambda m: m[1] or "\n",
                text,
                flags=re.M,
            )
            paragraphs = [
                re.sub(r"^\d+(?:\.\d+)*\.?\s+", "", " ".join(p.split())) for p in re.split(r"\n\s*\n", text)
            ]
            paragraphs = [
                p
                for p in paragraphs
                if 7 < len(p.split()) < 200 and p[-1] in ".;:" and p[0].isupper() and "{" not in p
            ]
            if len(paragraphs) > 3:
                yield document(Path(path).stem.replace("-", " "), "contract", paragraphs)


def pages(clones: Clones) -> Iterator[dict[str, Any]]:
    """Yield encyclopaedia paragraphs of the 2WikiMultiHopQA corpus, whose file is CLONES/2wiki.jsonl."""
    for one in read_lines(clones.folder / "2wiki.jsonl"):
        if len(one["text"].split()) >= 60:
            text = re.sub(r'\s*"\s*([^"]+?)\s*"\s*', r" “\1” ", one["text"])
            text = re.sub(r" ([,.;)])|(?<=\w)(\()", lambda m: m[1] or " (", text)
            yield document(one["title"], "web", [" ".join(text.split())])


KINDS = {
    "chat": chats, "novel": novels, "manual": manuals, "contract": contracts,
    "web": pages,
}  # fmt: skip
