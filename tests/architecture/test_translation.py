"""Every text of the window goes through `tr`, and what the engine says there.

Found in the source, so that what no test opens is found, too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from core.text import translation
from tests.architecture.test_code import ROOT, nodes, nodes_of

TRANSLATES = {"tr", "trn"}
# What marks a text that is translated later, by `tr` of what is kept, or by the signal that is given it.
MARKS = {"mark", "markn", "counted", "tally", "share"}
# Rooms of the engine whose words developers read: measurements, training, and what commands print.
DEVELOPERS = {"research", "cli"}
# Of the engine, what is given a text for people; errors are found by their base, CoreError.
READ = {
    "Stage", "Why", "Claim", "Validation", "Check", "Rule", "Found", "finding", "Seed", "CorpusWide", "Ranking",
    "Merge", "Rewritten", "SearchResult", "LoadedPart", "Lost", "Extraction", "TableResult", "Kind", "Signal",
    "flag", "report",
}  # fmt: skip
READ_AS = {"missing", "reason", "remedy", "words", "detail", "line", "sentence", "rewrite", "sound"}
# What takes words that nobody reads on screen.
MACHINE = {
    "setObjectName", "setProperty", "property", "setStyleSheet", "icon", "Qt", "compile", "sub", "match", "fullmatch",
    "getattr", "setattr", "hasattr", "environ", "strftime", "TypeVar", "NewType", "setFontFamily", "encode", "decode",
    "Signal", "Slot", "SLOT", "SIGNAL", "color", "open", "run", "start", "get", "value", "setValue", "print",
    "removeprefix", "removesuffix", "startswith", "endswith", "split", "partition", "rpartition", "replace", "strip",
    "importorskip", "import_module", "ArgumentParser", "add_argument", "execute", "describe", "action", "busy", "drop",
    "cancel", "Path", "NotImplementedError", "RuntimeError", "ValueError", "AssertionError", "TypeError", "QFont",
}  # fmt: skip
UNREAD = "# not shown"  # behind what reads as prose and is none: a font, a key
PROSE = re.compile(r"[A-Za-z]{2,}[.,:;]? [A-Za-z(]|^&?[A-Z][a-z]+&?[a-z]*[.:]*$|^[a-z]+ $|^ [a-z]+")


def untranslated(source: str, read_by: frozenset[str] | None = None) -> Iterator[tuple[int, str]]:
    """Line and text of every literal that reads as prose and does not go through `tr`.

    With `shown` of those only that these calls are given, or what is named as in `READ_AS`.
    """
    nodes, lines = nodes_of(source), source.splitlines()
    parents = {child: node for node in nodes for child in ast.iter_child_nodes(node)}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            text = "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if isinstance(parents.get(node), ast.JoinedStr | ast.FormattedValue | ast.Expr):
                continue
            text = node.value
        else:
            continue
        unread = lines[node.lineno - 1].endswith(UNREAD)
        letters = re.search("[a-z]{2}", text.replace("{}", ""))  # else whole texts, side by side
        if not letters or unread or not PROSE.search(text.replace("{}", "it")):
            continue
        if read_by is None and not _covered(node, parents):
            yield node.lineno, text
        if read_by is not None and _is_read(node, parents, read_by):
            yield node.lineno, text


def _is_read(node: ast.AST, parents: dict[ast.AST, ast.AST], read_by: frozenset[str]) -> bool:
    """Whether people read it in the end: an argument of what is shown, or kept under such a name."""
    child = node
    while (parent := parents.get(child)) is not None:
        if isinstance(parent, ast.Call):
            name = _called(parent)
            if name in TRANSLATES | MARKS or child is parent.func:
                return False
            if name in read_by:
                return True
        if isinstance(parent, ast.keyword) and parent.arg in READ_AS:
            return True
        if isinstance(parent, ast.Compare | ast.Subscript):
            return False
        if isinstance(parent, ast.stmt):
            targets = parent.targets if isinstance(parent, ast.Assign) else [getattr(parent, "target", None)]
            return any(isinstance(target, ast.Name) and target.id in READ_AS for target in targets)
        child = parent
    return False


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


@cache
def _errors() -> frozenset[str]:
    """CoreError and what is made of it, by name."""
    found, before = {"CoreError"}, 0
    paths = (ROOT / "core").rglob("*.py")
    classes = [node for path in paths for node in nodes(path) if isinstance(node, ast.ClassDef)]
    while len(found) > before:
        before = len(found)
        found |= {c.name for c in classes if found & {getattr(base, "id", "") for base in c.bases}}
    return frozenset(found)


def _covered(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether it is an argument of `tr`, of what nobody reads, a key, an annotation, or compared with."""
    child = node
    while (parent := parents.get(child)) is not None:
        if isinstance(parent, ast.Call):
            name = _called(parent)
            if name in TRANSLATES or (name in MACHINE and child is not parent.func):
                return True
        if isinstance(parent, ast.Dict) and child in parent.keys:
            return True
        if isinstance(parent, ast.Subscript) and child is parent.slice:
            return True
        if isinstance(parent, ast.Compare | ast.match_case):
            return True
        if isinstance(parent, ast.AnnAssign | ast.arg) and child is parent.annotation:
            return True
        if isinstance(parent, ast.stmt):
            return isinstance(parent, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id in ("__all__", "__slots__", "_STYLE")
                for target in parent.targets
            )
        child = parent
    return False


def found_in(paths: Iterable[Path], read_by: frozenset[str] | None = None) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}, line {line}: {text}"
        for path in paths
        for line, text in untranslated(path.read_text("utf-8"), read_by)
    ]


@pytest.mark.long
def test_every_text_is_translated() -> None:
    assert found_in((ROOT / "app").rglob("*.py")) == []


@pytest.mark.long
def test_what_the_engine_says_is_translated() -> None:
    paths = [
        path for path in (ROOT / "core").rglob("*.py") if path.relative_to(ROOT).parts[1] not in DEVELOPERS
    ]
    assert found_in(paths, frozenset(READ) | _errors()) == []


def test_what_the_engine_says_untranslated_is_noticed() -> None:
    source = (
        'raise Lost(f"{path} is lost.", remedy="Look for it.")\nreason = "nobody said so"\nSQL = "FROM it"\n'
    )
    assert sorted(line for line, _ in untranslated(source, frozenset({"Lost"}))) == [1, 1, 2]
    through = 'raise Lost(tr("{path} is lost.", path=path))\nreason = mark("nobody said so")\n'
    assert list(untranslated(through, frozenset({"Lost"}))) == []
    assert {"CoreError", "BadInput", "Cancelled", "HostNotAllowed"} <= _errors()


def test_what_is_missed_is_noticed() -> None:
    source = 'label = PlainLabel("No documents yet")\nlabel.setToolTip(f"of {count} documents")\n'
    assert [line for line, _ in untranslated(source)] == [1, 2]
    through = (
        'label = PlainLabel(tr("No documents yet"))\nlabel.setToolTip(tr("of {count} documents", count=2))\n'
    )
    assert list(untranslated(through)) == []


def test_a_text_has_its_places_filled_in_and_its_number_its_form(monkeypatch: pytest.MonkeyPatch) -> None:
    assert translation.tr("{count} of {name}", count=2040, name="{x}") == "2,040 of {x}"
    assert translation.tr("100 % {not filled}") == "100 % {not filled}"
    assert [translation.trn("{count} page", "{count} pages", n) for n in (1, 2, 1000)] == [
        "1 page",
        "2 pages",
        "1,000 pages",
    ]
