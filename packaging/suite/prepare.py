"""What is done to the files of a source before they are documents: each function takes a name and a content, and
yields names and contents. corpus.toml names it under `prepare` and its keyword arguments under `options`."""

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
        yield f"{stem}-{number:03}.eml", re.sub(rb"(?m)^>(>*From )", rb"\1", message)


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
