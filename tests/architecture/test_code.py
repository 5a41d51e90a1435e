"""What every source file promises: one idea, and that nothing from a document is ever run or rendered."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SMALL = 80  # lines
# Smaller modules that one sibling alone reads, from before the rule. The list may only get shorter.
CRUMBS = {
    "app/shell/features.py",  # the list that a new panel is added to
    "app/shell/trust_banner.py",  # needs superqt, and is imported after the first paint
    "core/models/spacy_ops.py",
}
PROGRAM = sorted(path for room in ("app", "core") for path in (ROOT / room).rglob("*.py"))
EVERY = PROGRAM + sorted(path for room in ("tests", "packaging") for path in (ROOT / room).rglob("*.py"))
FORBIDDEN_CALLS = {"eval", "exec", "setHtml", "insertHtml", "appendHtml", "setMarkdown", "insertMarkdown"}
# Which argument Qt may take for mark-up.
TIPS = {"setToolTip": 0, "showText": 1, "setStatusTip": 0, "setWhatsThis": 0}
# They guess whether text is rich, or let controls pass; each has its stand-in in the file named.
UNGUARDED = {
    "PySide6.QtWidgets.QLabel": "app/widgets/labels.py",
    "PySide6.QtWidgets.QMessageBox": "",
    "PySide6.QtWidgets.QErrorMessage": "",
    "superqt.QElidingLabel": "app/widgets/elided_label.py",
    "rich.console.Console": "core/cli/output.py",
}
SAYING = {"click.echo", "click.secho", "print", "sys.stderr.write"}
FORBIDDEN_NAMES = {"RichText", "MarkdownText", "AutoText"}  # Qt's formats that read tags in a document's text
FORBIDDEN_MODULES = {"pickle", "marshal", "shelve", "dill", "joblib", "cloudpickle"}
NETWORK_MODULES = set("socket ssl http urllib.request requests httpx aiohttp ftplib smtplib ollama".split())
SQL = re.compile(r"\b(SELECT .+ FROM|INSERT INTO|DELETE FROM|UPDATE \w+ SET)\b")
JUNK_NAMES = {"utils", "util", "helpers", "helper", "misc", "common"}


@cache
def nodes_of(source: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(source)))


def nodes(path: Path) -> tuple[ast.AST, ...]:
    return nodes_of(path.read_text(encoding="utf-8"))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def imported(path: Path) -> frozenset[str]:
    """Full names of the modules that a file imports, inside functions too."""
    found: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(found)


def is_dangerous(node: ast.AST) -> bool:
    """Whether it would run a document's text, or render it as more than text."""
    if isinstance(node, ast.Call):
        called = node.func
        word = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
        # QApplication.exec() is Qt's loop.
        return word in FORBIDDEN_CALLS and not (word == "exec" and isinstance(called, ast.Attribute))
    return isinstance(node, ast.Attribute) and node.attr in FORBIDDEN_NAMES


def is_guessed(node: ast.AST) -> bool:
    """Whether it is a tooltip, neither words of ours nor passed through `tooltip`, that Qt might take for mark-up."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in TIPS):
        return False
    return not _is_plain(node.args[TIPS[node.func.attr]])


def _is_plain(words: ast.expr) -> bool:
    if isinstance(words, ast.IfExp):
        return _is_plain(words.body) and _is_plain(words.orelse)
    called = words.func.id if isinstance(words, ast.Call) and isinstance(words.func, ast.Name) else ""
    if called == "tr" and isinstance(words, ast.Call) and not words.keywords:  # nothing is filled in
        return all(_is_plain(word) for word in words.args)
    return called == "tooltip" or (isinstance(words, ast.Constant) and "<" not in str(words.value))


def is_sql(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(SQL.search(node.value))


def speaks(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) in SAYING


def is_in_engine(path: str) -> bool:
    programs_of_developers = ("reader_data", "suite_data")
    return path.startswith("core/") and path.split("/")[-2] not in programs_of_developers


# What no file may hold, and in which files it is looked for.
RULES: dict[str, tuple[Callable[[ast.AST], bool], Callable[[str], bool]]] = {
    "no document is run or rendered": (is_dangerous, lambda path: True),
    "every tooltip is plain": (is_guessed, lambda path: True),
    "SQL stays in the store": (is_sql, lambda path: not path.startswith("core/store/")),
    "the engine speaks through one function": (
        speaks,
        lambda path: is_in_engine(path) and path != "core/cli/output.py",
    ),
}


@pytest.mark.long  # it parses every file, for the tests after it, too
@pytest.mark.parametrize("rule", RULES)
def test_no_file_breaks_a_rule(rule: str) -> None:
    is_fault, applies = RULES[rule]
    paths = [path for path in PROGRAM if applies(name(path))]
    assert len(paths) > 100
    found = [(path, node) for path in paths for node in nodes(path) if is_fault(node)]
    assert [f"{name(path)}, line {node.lineno}: {ast.unparse(node)}" for path, node in found] == []  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("label.setHtml(text)", "no document is run or rendered"),
        ("label.setTextFormat(Qt.TextFormat.RichText)", "no document is run or rendered"),
        ("row.setToolTip(f'{path}')", "every tooltip is plain"),
        ("QToolTip.showText(at, '' if no else path, view)", "every tooltip is plain"),
        ("run('DELETE FROM facts')", "SQL stays in the store"),
        ("sys.stderr.write(text)", "the engine speaks through one function"),
    ],
)
def test_a_broken_rule_is_noticed(line: str, rule: str) -> None:
    assert any(RULES[rule][0](node) for node in nodes_of(line))


def crumbs(root: Path) -> set[str]:
    """Return the modules of fewer than SMALL lines that one module of the same folder imports, and nobody else."""
    paths = [path for room in ("app", "core") for path in (root / room).rglob("*.py")]
    modules = {".".join(path.relative_to(root).with_suffix("").parts): path for path in paths}
    importers: dict[str, list[Path]] = {module: [] for module in modules}
    for path in paths:
        for module in imported(path) & modules.keys():
            importers[module].append(path)
    return {
        path.relative_to(root).as_posix()
        for module, path in modules.items()
        if [importer.parent for importer in importers[module]] == [path.parent]
        and importers[module][0].stem != "__init__"  # a room's door lists its modules and reads none
        and len(path.read_text(encoding="utf-8").splitlines()) < SMALL
    }


def test_no_module_is_a_crumb_that_one_sibling_alone_reads() -> None:
    found = crumbs(ROOT)
    assert found - CRUMBS == set(), "put it into the module that reads it, or with others of its idea"
    assert CRUMBS - found == set(), "take it off the list"


def test_modules_are_named_by_what_they_hold() -> None:
    assert [name(path) for path in EVERY if path.stem in JUNK_NAMES or path.parent.name in JUNK_NAMES] == []


def test_labels_and_tables_come_from_one_place() -> None:
    found = [f"{name(path)}: {part}" for path in PROGRAM for part in imported(path) & UNGUARDED.keys()
             if name(path) != UNGUARDED[part]]  # fmt: skip
    assert found == []


def test_nothing_is_pickled_and_only_the_client_of_ollama_reaches_for_the_network() -> None:
    def of(modules: set[str]) -> set[str]:
        pairs = [(path, part) for path in PROGRAM for part in imported(path)]
        return {f"{name(path)}: {part}" for path, part in pairs if {part, part.split(".")[0]} & modules}

    assert of(FORBIDDEN_MODULES) == set()
    client = "core/models/ollama"
    assert of(NETWORK_MODULES) == {
        f"{client}/{file}.py: {part}" for file in ("faults", "stream") for part in ("httpx", "ollama")
    }
