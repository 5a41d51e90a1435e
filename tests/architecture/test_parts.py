"""The catalogue, the migrations, the README and the package say what the code does."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

from core.answering import writers
from core.cli import group
from core.extraction import extractors
from core.models import loading
from core.retrieval import composed, fact_seeds, routes
from core.retrieval.compositions import PATHS, RANKERS, shipped_compositions
from core.store.schema import FIRST, latest

ROOT = Path(__file__).resolve().parents[2]
MIGRATIONS = ROOT / "core" / "store" / "migrations"
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "packaging").rglob("*.md")])
GOLDEN = {
    "RANKERS": ["document-words", "meaning", "stages", "strength", "thoughts", "tree", "walk", "words"],
    "EXTRACTORS": ["rules"],
    "FACT_RERANKERS": ["cross-encoder", "ollama"],
    "MODEL_EXTRACTORS": ["mixed", "ollama"],
    "ENCODERS": ["folder", "minilm", "ollama"],
    "GENERATORS": ["extractive"],
    "FINDERS": ["ollama"],
    "LANGUAGE_MODELS": ["ollama"],
    "VALIDATORS": ["triple check"],
}
COMMANDS = [
    "ask", "backup", "communities", "contradictions", "doctor", "documents", "entity", "eval", "export", "index",
    "lab", "models", "names", "pack", "paths", "pins", "private", "remove", "reports", "research", "review",
    "settings", "status",
    "trace", "train", "trust", "verify",
]  # fmt: skip


TABLES = {
    name: table
    for part in (composed, fact_seeds, extractors, loading, writers)
    for name, table in vars(part).items()
    if name.isupper() and isinstance(table, dict)
}


def test_the_catalogue_holds_what_people_can_choose() -> None:
    """A name that goes missing breaks saved settings and scripts: change this list knowingly."""
    assert {name: sorted(table) for name, table in TABLES.items()} == GOLDEN


def test_routes_are_compositions() -> None:
    assert routes.FUSION in routes.ROUTES
    assert set(routes.ROUTES) <= shipped_compositions().keys()
    assert {*composed.RANKERS, PATHS} == {*RANKERS}


def test_migrations_are_numbered_without_a_gap() -> None:
    names = sorted(path.name for path in MIGRATIONS.iterdir() if path.suffix == ".sql")
    assert all(re.fullmatch(r"\d{4}_[a-z0-9_]+\.sql", name) for name in names)
    assert [int(name[:4]) for name in names] == list(range(FIRST, latest() + 1))


def lines_of(text: str, start: str) -> list[list[str]]:
    """Words of every line of a page's code blocks that begins with `start`."""
    lines = re.findall(rf"^(?:    )?{re.escape(start)} .*$", text, re.MULTILINE)
    return [line.split("#")[0].split() for line in lines]


def test_commands_of_the_command_line() -> None:
    assert sorted(group.commands) == COMMANDS
    assert {words[1] for words in lines_of(README, "clew")} == {*COMMANDS, "open"}


@pytest.mark.parametrize("page", ["README.md", "docs/commands.md", "docs/research/commands.md"])
def test_pages_name_options_that_exist(page: str) -> None:
    checked = 0
    for words in lines_of((ROOT / page).read_text(encoding="utf-8"), "clew"):
        if words[1] == "open":
            continue
        command: click.Command = group.commands[words[1]]
        for word in words[2:]:
            if not isinstance(command, click.Group) or word.startswith("-"):
                break
            command = command.commands[word]
        known = {name for item in command.params if isinstance(item, click.Option) for name in item.opts}
        options = {word.strip("[]") for word in words if word.strip("[]").startswith("-")}
        assert options <= {*known, "--help"}, words
        checked += len(options)
    assert checked


def test_the_readme_starts_with_the_two_commands() -> None:
    command = [sys.executable, str(ROOT / "packaging" / "bootstrap.py"), "--help"]
    usage = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert {words[2] for words in lines_of(README, "python3 packaging/bootstrap.py")} == {"demo", "test"}
    assert "{demo,test}" in usage


def test_links_lead_to_files() -> None:
    missing = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in PAGES
        for target in re.findall(r"\]\((?!https?:)([^)#\s]+)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert missing == []


def test_files_that_pages_name_exist() -> None:
    named = re.compile(r"`((?:app|core|tests|packaging|resources|docs|\.ci)/[\w./-]*)`")
    missing = [
        f"{page.relative_to(ROOT)}: {path}"
        for page in PAGES
        for path in named.findall(page.read_text(encoding="utf-8"))
        if not re.search("NAME|LANGUAGE", path)  # a place to be filled in
        if not (ROOT / path).exists()
    ]
    assert missing == []


def test_pins_agree() -> None:
    """What the project asks for is what the constraints and the model hashes pin."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    pins = (ROOT / "packaging" / "constraints.txt").read_text(encoding="utf-8").lower().replace("_", "-")
    assert [wish for wish in wanted if wish.lower().replace("_", "-") not in pins.splitlines()] == []
    hashed = (ROOT / "packaging" / "models.txt").read_text(encoding="utf-8")
    assert all(
        f"{wish} \\\n    --hash=sha256:" in hashed
        for wish in wanted
        if wish.startswith(("gt-all", "en-core"))
    )


def test_pages_name_tests_that_exist() -> None:
    named = {
        found
        for page in sorted((ROOT / "docs").rglob("*.md"))
        for found in re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page.read_text(encoding="utf-8"))
    }
    assert len(named) > 100, "the page of papers names a test for each place"
    missing = [
        f"{file}::{name}"
        for file, name in sorted(named)
        if not re.search(rf"def {name}\b", (ROOT / file).read_text(encoding="utf-8"))
    ]
    assert missing == []
