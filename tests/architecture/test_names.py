"""Names in code are nouns, or a verb and its object: never the participles and pronouns that `BANNED` lists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

import pytest

from tests.architecture.test_code import ROOT, nodes, nodes_of

BANNED = frozenset(
    "told tell kept held said seen heard made anew standing whole further beside given looking shown".split()
)
ROOMS = (
    "app",
    "core",
    "packaging",
    "tests/architecture",
    "tests/core/answering/integration",
    "tests/core/answering/reports",
    "tests/core/extraction",
    "tests/core/models",
    "tests/core/review",
    "tests/packaging",
    "tests/research",
)
# Names of fields that are keys of a file which other installations read.
FILE_KEYS = {"core/review/copies.py": {"made"}}


def words(name: str) -> set[str]:
    """Return the lower-case words of a name in snake or camel case."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def defined_names(source: Iterable[ast.AST]) -> list[tuple[int, str]]:
    """Return every name that a module defines or assigns, with its line."""
    found: list[tuple[int, str | None]] = []
    for node in source:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.append((node.lineno, node.name))
        elif isinstance(node, ast.arg):
            found.append((node.lineno, node.arg))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.append((node.lineno, node.id))
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.append((node.lineno, node.attr))
        elif isinstance(node, ast.ImportFrom | ast.Import):
            found += [(node.lineno, alias.asname) for alias in node.names]
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
            found.append((node.lineno, node.name))
    return [(line, name) for line, name in found if name]


def fields(source: Iterable[ast.AST]) -> list[tuple[int, str]]:
    """Return the annotated fields of all classes, with their lines."""
    return [
        (entry.lineno, entry.target.id)
        for node in source
        if isinstance(node, ast.ClassDef)
        for entry in node.body
        if isinstance(entry, ast.AnnAssign) and isinstance(entry.target, ast.Name)
    ]


def banned_names(source: Iterable[ast.AST]) -> list[str]:
    """Return the lines and names of a module that break the rule."""
    broken = {each for each in defined_names(source) if words(each[1]) & BANNED}
    broken |= {each for each in fields(source) if each[1] == "of"}
    return [f"line {line}: {name}" for line, name in sorted(broken)]


@pytest.mark.parametrize("room", ROOMS)
def test_names_are_the_terms_of_the_field(room: str) -> None:
    """Functions, classes, parameters, variables, attributes and modules of these rooms avoid the banned words.

    A participle or pronoun ("told", "kept", "beside") says nothing that a reader could guess a thing's type or role
    from; the field has a term for each of them ("report", "saved_rows", "baseline"). `of` is no field for the same
    reason. A room is added to `ROOMS` once it is clean, and stays there.
    """
    paths = sorted((ROOT / room).rglob("*.py")) or [ROOT / room]
    found = []
    for path in paths:
        place = path.relative_to(ROOT)
        modules = words(" ".join((*place.parent.parts, place.stem)))
        found += [f"{place.as_posix()}: the module's name"] * bool(modules & BANNED)
        source = nodes(path)
        keys = FILE_KEYS.get(place.as_posix(), set())
        found += [
            f"{place.as_posix()}, {name}" for name in banned_names(source) if name.split(": ")[1] not in keys
        ]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "def told(): ...",
        "class KeptRows: ...",
        "WRONG_SHOWN = 1",
        "lambda whole: 1",
        "row.seen = 1",
        "import x as made",
        "class Row:\n    of: int",
    ],
)
def test_a_banned_name_is_noticed(line: str) -> None:
    assert banned_names(nodes_of(line))


def test_terms_that_contain_a_banned_word_are_allowed() -> None:
    assert banned_names(nodes_of("threshold, foretell, understanding = 1, 2, 3\noutput.of = 4")) == []
