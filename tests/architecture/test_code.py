"""What every source file promises: one idea, and that nothing from a document is ever run or rendered."""

from __future__ import annotations

import ast
import re
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
NETWORK_MODULES = {
    "socket",
    "ssl",
    "http",
    "urllib.request",
    "requests",
    "httpx",
    "aiohttp",
    "ftplib",
    "smtplib",
    "ollama",
}
JUNK_NAMES = {"utils", "util", "helpers", "helper", "misc", "common"}


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def imported(path: Path) -> frozenset[str]:
    """Full names of the modules that a file imports, inside functions too."""
    found: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(found)


def faults(source: ast.Module) -> list[str]:
    """Calls and names that would run a document's text, or render it as more than text."""
    found = []
    for node in ast.walk(source):
        if isinstance(node, ast.Call):
            called = node.func
            word = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
            if word in FORBIDDEN_CALLS and not (word == "exec" and isinstance(called, ast.Attribute)):
                found.append(f"line {node.lineno}: {word}()")  # but QApplication.exec() is Qt's loop
        elif isinstance(node, ast.Attribute) and node.attr in FORBIDDEN_NAMES:
            found.append(f"line {node.lineno}: {node.attr}")
    return found


def guessed(source: ast.Module) -> list[str]:
    """Tooltips that are neither words of ours nor passed through `tooltip`, which Qt might take for mark-up."""
    return [
        f"line {node.lineno}: {node.func.attr}({ast.unparse(node.args[TIPS[node.func.attr]])})"
        for node in ast.walk(source)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in TIPS
        if not _known_plain(node.args[TIPS[node.func.attr]])
    ]


def _known_plain(words: ast.expr) -> bool:
    if isinstance(words, ast.IfExp):
        return _known_plain(words.body) and _known_plain(words.orelse)
    called = words.func.id if isinstance(words, ast.Call) and isinstance(words.func, ast.Name) else ""
    if called == "tr" and isinstance(words, ast.Call) and not words.keywords:  # nothing is filled in
        return all(_known_plain(word) for word in words.args)
    return called == "tooltip" or (isinstance(words, ast.Constant) and "<" not in str(words.value))


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


@pytest.mark.long  # it parses every file, for the tests after it, too
def test_no_module_is_a_crumb_that_one_sibling_alone_reads() -> None:
    found = crumbs(ROOT)
    assert found - CRUMBS == set(), "put it into the module that reads it, or with others of its idea"
    assert CRUMBS - found == set(), "take it off the list"


@pytest.mark.parametrize(
    ("reader", "lines", "noticed"),
    [("app/ask/panel.py", 79, True), ("app/ask/panel.py", 80, False), ("app/pins/panel.py", 79, False)],
    ids=["a crumb", "large enough", "another room's"],
)
def test_a_crumb_is_noticed(reader: str, lines: int, noticed: bool, tmp_path: Path) -> None:
    for path, text in (("app/ask/crumb.py", "#\n" * lines), (reader, "from app.ask.crumb import it\n")):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    assert crumbs(tmp_path) == ({"app/ask/crumb.py"} if noticed else set())


def test_modules_are_named_by_what_they_hold() -> None:
    assert [name(path) for path in EVERY if path.stem in JUNK_NAMES or path.parent.name in JUNK_NAMES] == []


def test_no_document_is_run_or_rendered() -> None:
    assert [f"{name(path)}, {fault}" for path in PROGRAM for fault in faults(tree(path))] == []


@pytest.mark.parametrize(
    "line", ["eval(text)", "label.setHtml(text)", "label.setTextFormat(Qt.TextFormat.RichText)"]
)
def test_such_a_fault_is_noticed(line: str) -> None:
    assert faults(ast.parse(line))


def test_every_tooltip_is_known_to_be_plain() -> None:
    assert [f"{name(path)}, {fault}" for path in PROGRAM for fault in guessed(tree(path))] == []


@pytest.mark.parametrize(
    "line",
    ["row.setToolTip(path)", "row.setToolTip(f'{path}')", "QToolTip.showText(at, '' if no else path, view)"],
)
def test_a_tooltip_that_qt_would_guess_about_is_noticed(line: str) -> None:
    assert guessed(ast.parse(line))


def test_labels_and_tables_come_from_one_place() -> None:
    found = [f"{name(path)}: {part}" for path in PROGRAM for part in imported(path) & UNGUARDED.keys()
             if name(path) != UNGUARDED[part]]  # fmt: skip
    assert found == []


def test_the_engine_speaks_through_one_function() -> None:
    found = [
        f"{name(path)}, line {node.lineno}: {ast.unparse(node.func)}"
        for path in PROGRAM
        if name(path).startswith("core/") and name(path) != "core/cli/output.py"
        if name(path).split("/")[-2]
        not in ("reader_data", "suite_data")  # programs of their own, for developers
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in SAYING
    ]
    assert found == []


def test_nothing_is_pickled() -> None:
    found = {
        name(path): {part.split(".")[0] for part in imported(path)} & FORBIDDEN_MODULES for path in PROGRAM
    }
    assert {path: modules for path, modules in found.items() if modules} == {}


def test_nothing_reaches_for_the_network() -> None:
    # Ollama's client is the one exception.
    exempt = {
        "core/models/ollama/faults.py: httpx",
        "core/models/ollama/faults.py: ollama",
        "core/models/ollama/stream.py: ollama",
        "core/models/ollama/stream.py: httpx",
    }
    found = {
        f"{name(path)}: {part}"
        for path in PROGRAM
        for part in imported(path)
        if {part, part.split(".")[0]} & NETWORK_MODULES
    }
    assert found == exempt


def test_sql_stays_in_the_store() -> None:
    sql = re.compile(r"\b(SELECT .+ FROM|INSERT INTO|DELETE FROM|UPDATE \w+ SET)\b")
    outside = [path for path in PROGRAM if not name(path).startswith("core/store/")]
    found = [
        name(path)
        for path in outside
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and sql.search(node.value)
    ]
    assert found == []
