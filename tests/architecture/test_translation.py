"""Every text of the window goes through `tr`: found in the source, so that what no test opens is found, too."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from core import translation

ROOT = Path(__file__).resolve().parent.parent.parent
TRANSLATES = {"tr", "trn"}
# What takes words that nobody reads on screen.
MACHINE = {
    "setObjectName", "setProperty", "property", "setStyleSheet", "icon", "Qt", "compile", "sub", "match", "fullmatch",
    "getattr", "setattr", "hasattr", "environ", "strftime", "TypeVar", "NewType", "setFontFamily", "encode", "decode",
    "Signal", "Slot", "SLOT", "SIGNAL", "color", "open", "run", "start", "get", "value", "setValue", "print",
    "removeprefix", "removesuffix", "startswith", "endswith", "split", "partition", "rpartition", "replace", "strip",
    "importorskip", "import_module", "ArgumentParser", "add_argument", "execute", "describe", "action", "busy", "drop",
    "cancel", "Path", "NotImplementedError", "RuntimeError", "ValueError", "AssertionError", "TypeError", "QFont",
}  # fmt: skip
NOT_SHOWN = "# not shown"  # behind what reads as prose and is none: a font, a key
PROSE = re.compile(r"[A-Za-z]{2,}[.,:;]? [A-Za-z(]|^&?[A-Z][a-z]+&?[a-z]*[.:]*$|^[a-z]+ $|^ [a-z]+")


def untranslated(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of every literal that reads as prose and does not go through `tr`."""
    tree, lines = ast.parse(source), source.splitlines()
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            text = "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if isinstance(parents.get(node), ast.JoinedStr | ast.FormattedValue | ast.Expr):
                continue
            text = node.value
        else:
            continue
        unread = lines[node.lineno - 1].endswith(NOT_SHOWN)
        letters = re.search("[a-z]{2}", text.replace("{}", ""))  # else whole texts, side by side
        if letters and PROSE.search(text.replace("{}", "it")) and not unread and not _covered(node, parents):
            yield node.lineno, text


def _covered(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether it is an argument of `tr`, of what nobody reads, a key, an annotation, or compared with."""
    child = node
    while (parent := parents.get(child)) is not None:
        if isinstance(parent, ast.Call):
            name = (
                parent.func.attr if isinstance(parent.func, ast.Attribute) else getattr(parent.func, "id", "")
            )
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


@pytest.mark.parametrize(
    "path", sorted((ROOT / "app").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT))
)
def test_every_text_is_translated(path: Path) -> None:
    assert list(untranslated(path.read_text("utf-8"))) == []


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
