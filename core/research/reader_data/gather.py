"""Unlabelled texts of many kinds from clones of public repositories, as documents from which questions are
generated.

A document is `title`, `kind`, `paragraphs` (each `text`, `speaker`, `prefix`, `possessive`). None of the texts is
part of this repository.
"""

import html
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.research.reader_data.texts import Clones, joined, read_lines

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
