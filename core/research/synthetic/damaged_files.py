"""Generates a folder of malicious files: real ones damaged at random, and every file of `malicious_files`."""

from __future__ import annotations

import contextlib
import io
import os
import random
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from core.research.synthetic import malicious_files as cruelties

DAMAGE = 12  # most damaged places in one file
ODD_NAMES = (
    b"\xff\xfe\x80.txt",
    b"line\nbreak.txt",
    b"tab\tand \x1b[31mcolour.txt",
    "‮txt.reversed.txt".encode(),
    b" spaces .txt",
    b"$(reboot);`id`.txt",
    b"<b>bold</b>&amp;.txt",
    b"%s%n%00.txt",
    b"n" * 251 + b".txt",
    "Ａ😀🏴‍☠️.md".encode(),
)
EXTENSIONS = (".pdf", ".docx", ".xlsx", ".pptx", ".odt", ".ods", ".rtf", ".epub", ".html", ".eml", ".mbox", ".csv",
              ".md", ".txt", ".zip", ".tar.gz", ".doc", ".xls", ".msg", "")  # fmt: skip
UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    ValueError,
    NotImplementedError,
    EOFError,
    OSError,
    KeyError,
    RuntimeError,
)
Damage = Callable[[random.Random, bytes], bytes]


def make_folder(folder: Path, sample: Path, files: int, seed: int) -> int:
    """Fill `folder` with `files` entries made from the files of `sample`, repeatable by the seed; return their
    number.

    Every malicious file comes first, then damaged copies up to the number.
    """
    sources = sorted(path for path in sample.rglob("*") if path.is_file())
    count = sum(1 for _ in _cruelties(folder, sources, seed, files))
    for number in range(max(0, files - count)):
        chance = random.Random(f"{seed} {number}")
        source = sources[number % len(sources)]
        name, content = damaged(chance, source)
        (folder / f"{number:04d} {name}").write_bytes(content)
        count += 1
    return count


def _cruelties(folder: Path, sources: Sequence[Path], seed: int, most: int) -> Iterator[None]:
    """Write one entry a step, at most `most`."""
    steps: list[Callable[[], object]] = [
        lambda name=name, make=make: (folder / name).write_bytes(make())  # type: ignore[misc]
        for name, make in cruelties.FILES.items()
    ]
    steps += [lambda make=make: make(folder) for make in cruelties.PLACES]  # type: ignore[misc]
    steps += [lambda suffix=suffix: (folder / f"empty{suffix}").write_bytes(b"") for suffix in EXTENSIONS]  # type: ignore[misc]
    words = b"Vestmar AS sold the Grey Petrel to Calder Reach Trading in March 2021."
    steps += [lambda name=name: _odd(folder, name, words) for name in ODD_NAMES]  # type: ignore[misc]
    for source in sources:
        if source.suffix in {".docx", ".xlsx"}:
            steps.append(lambda source=source: _macros(folder, source))  # type: ignore[misc]
    for step in steps[:most]:
        step()
        yield


def _odd(folder: Path, name: bytes, content: bytes) -> None:
    """Write a file with a name that some file systems refuse; then under a plain one."""
    try:
        (folder / os.fsdecode(name)).write_bytes(content)
    except (OSError, ValueError):
        (folder / f"odd {ODD_NAMES.index(name)}.txt").write_bytes(content)


def _macros(folder: Path, source: Path) -> None:
    """Return the document with a macro project, under the suffix for macros."""
    place = "word" if source.suffix == ".docx" else "xl"
    content = repacked(
        source.read_bytes(), lambda name, data: data, {f"{place}/vbaProject.bin": b"\xd0\xcf" * 999}
    )
    (folder / f"{source.stem}{source.suffix[:-1]}m").write_bytes(content)


# ---------------------------------------------------------------- damage


def damaged(chance: random.Random, source: Path) -> tuple[str, bytes]:
    """Return a name and content: a real file damaged in one or two ways."""
    content = source.read_bytes()
    ways = chance.sample(list(WAYS), k=chance.choice((1, 1, 2)))
    for way in ways:
        content = WAYS[way](chance, content)
    name = source.name
    if chance.random() < 0.2:
        name = source.stem + chance.choice(EXTENSIONS)
    return f"{' and '.join(ways)} {name}", content


def _cut(chance: random.Random, content: bytes) -> bytes:
    return content[: chance.randrange(len(content) + 1)]


def _flipped(chance: random.Random, content: bytes) -> bytes:
    """Change single bytes."""
    changed = bytearray(content)
    for _ in range(chance.randint(1, DAMAGE) if changed else 0):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _shuffled(chance: random.Random, content: bytes) -> bytes:
    """Remove, zero or repeat a run of bytes."""
    if len(content) < 8:
        return content
    start = chance.randrange(len(content) - 4)
    end = min(len(content), start + chance.choice((4, 64, 1024, 16384)))
    run = content[start:end]
    return content[:start] + chance.choice((b"", bytes(len(run)), run * 2)) + content[end:]


def _numbers(chance: random.Random, content: bytes) -> bytes:
    """Replace digits: false lengths, offsets, counts and sizes."""
    changed = bytearray(content)
    digits = [at for at, byte in enumerate(changed) if 48 <= byte <= 57]
    for at in chance.sample(digits, k=min(len(digits), DAMAGE)):
        changed[at] = 48 + chance.randrange(10)
    return bytes(changed)


def _inside(chance: random.Random, content: bytes) -> bytes:
    """Damage a part of an office file and pack it again, so that the damage reaches the parser."""
    way = chance.choice((_cut, _flipped, _shuffled, _numbers))
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
    except UNREADABLE:
        return way(chance, content)
    hit = chance.choice(names) if names else ""
    with contextlib.suppress(*UNREADABLE):
        return repacked(content, lambda name, data: way(chance, data) if name == hit else data)
    return content


def repacked(
    content: bytes, change: Callable[[str, bytes], bytes], more: dict[str, bytes] | None = None
) -> bytes:
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for item in old.infolist():
            new.writestr(zipfile.ZipInfo(item.filename), change(item.filename, old.read(item)))
        for name, data in (more or {}).items():
            new.writestr(zipfile.ZipInfo(name), data)
    return buffer.getvalue()


WAYS: dict[str, Damage] = {
    "cut": _cut,
    "flipped": _flipped,
    "shuffled": _shuffled,
    "lying": _numbers,
    "broken inside": _inside,
}
