"""What is done to the files of a source before they are documents: each function takes a name and a content, and
yields names and contents. corpus.toml names it under `prepare` and its keyword arguments under `options`."""

import html
import re
from collections.abc import Iterator

Documents = Iterator[tuple[str, bytes]]


def unchanged(name: str, data: bytes) -> Documents:
    yield name, data


def mbox(name: str, data: bytes) -> Documents:
    """Its messages as .eml files, numbered in their order."""
    stem = name.removesuffix(".mbox").removesuffix(".txt")
    messages = re.split(rb"(?m)^From \S+(?: at \S+)? .*\d{4}\s*?\n", data)[1:]
    for number, message in enumerate(messages, start=1):
        made = f"{stem}-{number:03}.eml" if len(messages) > 1 else f"{stem}.eml"
        yield made, re.sub(rb"(?m)^>(>*From )", rb"\1", message)


def chapters(name: str, data: bytes, heading: str, start: str = "", end: str = "") -> Documents:
    """A book's text from the first match of `start` to the first of `end` after it, a document for each match of
    `heading` at the start of a line; what stands before the first is left out."""
    text = data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
    if start:
        text = text[re.search(start, text).end() :]
    if end:
        text = text[: re.search(end, text).start()]
    found = [match.start() for match in re.finditer(f"(?m)^{heading}", text)]
    for number, (here, there) in enumerate(zip(found, [*found[1:], len(text)], strict=True), start=1):
        yield f"chapter-{number:02}.txt", (text[here:there].strip() + "\n").encode()


def without_tags(name: str, data: bytes) -> Documents:
    """A chat log that was kept as lines of HTML, as the text that a client shows."""
    yield name, html.unescape(re.sub(r"<[^>]*>", "", data.decode("utf-8", errors="replace"))).encode()


def radio(name: str, data: bytes, speakers: dict[str, str]) -> Documents:
    """A transcript of Spacelog, a document for each station that was passed; a line for each thing said, with its
    time, and the speaker's name for his letter."""
    for number, part in enumerate(re.split(r"(?m)^_extra : ", data.decode())[1:], start=1):
        station, _, rest = part.partition("\n")
        lines = [f"Radio log, {station.title()}", ""]
        for time, block in re.findall(r"(?ms)^\[([-\d:.]+)\]\n(.*?)(?=^\[[-\d:.]+\]$|\Z)", rest):
            for letter, said in re.findall(r"(?m)^([A-Z]\w*): (.*)$", block):
                lines.append(f"[{time}] {speakers.get(letter, letter)}: {said.strip()}")
        label = re.sub(r"\W+", "-", station.lower()).strip("-")
        yield f"{number:02}-{label}.txt", ("\n".join(lines) + "\n").encode()


def parts(name: str, data: bytes, heading: str) -> Documents:
    """A text cut before each match of `heading` at the start of a line; its first group, if any, names the document."""
    text = data.decode("utf-8", errors="replace").replace("\r\n", "\n")
    stem, _, suffix = name.rpartition(".") if "." in name else (name, "", "txt")
    found = list(re.finditer(f"(?m)^{heading}", text))
    ends = [match.start() for match in found[1:]] + [len(text)]
    for number, (match, end) in enumerate(zip(found, ends, strict=True), start=1):
        label = match[1] if match.re.groups else f"{number:03}"
        label = re.sub(r"[^\w.]+", "-", label)
        yield f"{stem}-{label}.{suffix}", text[match.start() : end].encode()
