#!/usr/bin/env python3
"""Gather the folders of real documents that Clew is measured on. Needs nothing but Python 3.11 and the net.

    python -m core.research.suite_data.gather TARGET [--only NAME ...] [--clones DIR]

The texts belong to others and are not part of this repository; the questions are our own. Each folder NAME beside
this file has `questions.jsonl` and `corpus.toml`; what the latter names is written to TARGET/NAME/docs, the questions
to TARGET/NAME. Whether every quotation stands in its document is told by `clew research eval`.

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
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from core.research.suite_data import prepare

HERE = Path(__file__).resolve().parent
Files = Iterator[tuple[str, bytes]]  # path inside the source, content


class SourceMissing(Exception):
    """The reason why a source is not available, in words."""


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


def clone_of(source: dict[str, Any], scratch: Path, clones: Path | None) -> Path:
    """Return a bare clone: a local one, else a fetched one."""
    name, commit = source["github"], source["commit"]
    clone: Path = (clones or scratch) / name.replace("/", "+") / "repo"
    if not clone.is_dir():
        clone = scratch / "repo"
        run(["git", "init", "--quiet", "--bare", str(clone)])
        run(["git", "-C", str(clone), "fetch", "--quiet", "--depth=1", f"https://github.com/{name}", commit])
    return clone


def github_files(source: dict[str, Any], scratch: Path, clones: Path | None) -> Files:
    commit, clone = source["commit"], clone_of(source, scratch, clones)
    git = ["git", "-C", str(clone), "-c", "safe.directory=*", "-c", "core.quotePath=false"]
    listed = (
        run([*git, "ls-tree", "-r", "-z", "--name-only", commit]).decode(errors="surrogateescape").split("\0")
    )
    for path in listed:
        if path and wanted(path, source):
            yield path, run([*git, "cat-file", "blob", f"{commit}:{path}"])


def tar_files(data: bytes, source: dict[str, Any]) -> Files:
    """Return the files of an archive; paths omit its single top folder."""
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
    """Return the documents of a source by name: unpacked, prepared, named, and within its limits."""
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
    """Write one corpus anew; return what was missing, in words."""
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


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target", type=Path, metavar="TARGET", help="a folder outside this repository")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these corpora only")
    parser.add_argument("--clones", type=Path, metavar="DIR", help="has bare clones as DIR/OWNER+NAME/repo")
    options = parser.parse_args()
    corpora = {file.parent.name: file.parent for file in sorted(HERE.glob("*/corpus.toml"))}
    names = options.only or list(corpora)
    if unknown := set(names) - set(corpora):
        parser.error(f"there is no corpus {', '.join(sorted(unknown))}; there are {', '.join(corpora)}")
    faults = []
    for name in names:
        faults += gather(corpora[name], options.target, options.clones)
    for fault in faults:
        print(f"  {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
