"""Every command line that a message, a help text or a page names is one that the program understands."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click

from core.cli import group
from core.store.faults import damaged
from core.workspace.pack.seal import FORM

ROOT = Path(__file__).resolve().parents[3]
HISTORY = ROOT / "CHANGELOG.md"  # names commands that are gone
PAGES = sorted(
    [
        *(set(ROOT.glob("*.md")) - {HISTORY}),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "packaging").rglob("*.md"),
    ]
)
VALUE = "VALUE"  # in the place of what is filled in
_NAMED = re.compile(r"\bclew (?=[a-z])")
_IN_BACKTICKS = re.compile(r"`(?:[^`\n]*\s)?clew (?=[a-z])([^`]*)`")
_LINE = re.compile(r"^\s*(?:\$ )?clew (?=[a-z])(.*(?:\\\n.*)*)", re.MULTILINE)
_FENCED = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_FILLED_IN = re.compile(r"\{[^{}]*\}")
_SENTENCE_END = re.compile(r"[.;:,)](?=\s|$)|[\n`“”]|</")
# Of a command line; words of the sentence around it are in lower case.
_PART = re.compile(
    r"--?[a-z][\w-]*(?:=\S+)?|[\w.:]+[=:]\S+|\[?[A-Z][A-Z_]*(?:\.\.\.)?\]?(?:\.\w+)?|\.\.\.|[\"'].*"
)


def _constants(source: str) -> Iterator[str]:
    """Strings of a module but for docstrings and names of processes; what is filled in as a placeholder."""
    tree = ast.parse(source)
    passed = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    passed |= {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "name"
    }
    passed |= {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if id(node) in passed:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield _FILLED_IN.sub(VALUE, node.value)
        elif isinstance(node, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else VALUE for part in node.values
            )


def _helps(command: click.Command) -> Iterator[str]:
    yield command.help or ""
    yield from (parameter.help or "" for parameter in command.params if isinstance(parameter, click.Option))
    if isinstance(command, click.Group):
        for each in command.commands.values():
            yield from _helps(each)


def named_in(text: str) -> list[str]:
    """Command lines that a sentence names, without "clew"; its other words are in lower case."""
    found = []
    for match in _NAMED.finditer(text):
        words = _SENTENCE_END.split(text[match.end() :], maxsplit=1)[0].split()
        command: click.Command = group
        line: list[str] = []
        for word, after in zip(words, [*words[1:], ""], strict=True):
            inner = command.commands.get(word) if isinstance(command, click.Group) else None
            goes_on = inner is not None or _PART.fullmatch(word) or _PART.fullmatch(after)
            if word == "clew" or line and not goes_on:
                break
            line.append(word)
            command = inner or command
        found.append(" ".join(line))
    return found


def named_on(page: str) -> list[str]:
    """Command lines on a page: those of code blocks and those between backticks."""
    blocks = "\n".join(_FENCED.findall(page))
    prose = _FENCED.sub("", page)
    lines = [line.replace("\\\n", " ") for line in _LINE.findall(blocks)]
    return [re.split(r" [|>]|&&|;| #", line)[0].strip() for line in (*lines, *_IN_BACKTICKS.findall(prose))]


def fault(line: str) -> str:
    """Why the program would refuse a command line, "" where it would not. A name without arguments is only named."""
    try:
        words = [word.strip("[]") for word in shlex.split(line)]
    except ValueError as error:
        return str(error)
    words = [word.removesuffix("...") for word in words]
    if words[0] == "open":
        return "" if len(words) <= 2 else "open takes a workspace"
    command: click.Command = group
    context = click.Context(group, info_name="clew")
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        inner = command.commands.get(words[0])
        if inner is None:
            return f"there is no {words[0]}"
        command, context = inner, click.Context(inner, parent=context, info_name=words.pop(0))
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    known |= set(command.get_help_option_names(context))
    unknown = [word for word in words if word.startswith("-") and word.partition("=")[0] not in known]
    if unknown:
        return f"there is no option {unknown[0]}"
    if isinstance(command, click.Group):
        return f"{words[0]} follows a group" if words and not words[0].startswith("-") else ""
    return _miscounted(command, context, words)


def _miscounted(command: click.Command, context: click.Context, words: list[str]) -> str:
    partial = "" in words or not words or words[0].startswith("-")
    try:
        given, left, _ = command.make_parser(context).parse_args([word or VALUE for word in words])
    except click.UsageError as error:
        return "" if partial else error.format_message()
    if left:
        return f"{left[0]} is too much"
    paths = [
        p.name for p in command.params if isinstance(p, click.Argument) and isinstance(p.type, click.Path)
    ]
    bare = [value for name in paths if isinstance(value := given.get(str(name)), str) and value.isalpha()]
    if bare and bare[0].islower():
        return f"{bare[0]} is no command"
    if partial:
        return ""
    missing = [
        p for p in command.params if p.required and not isinstance(given.get(str(p.name)), str | tuple)
    ]
    return f"{missing[0].human_readable_name} is missing" if missing else ""


CASES = {
    "documents list WORKSPACE": "list is no command",
    "index FOLDER WORKSPACE": "WORKSPACE is too much",
    "ask --everything": "there is no option --everything",
    "pins add": "",
    "index FOLDER --workspace WORKSPACE": "",
    "ask WORKSPACE 'Who signed?' --explain text:signed": "",
    "names join WORKSPACE NAME": "OTHER... is missing",
}


def test_what_the_program_would_refuse_is_noticed() -> None:
    assert {line: fault(line) for line in CASES} == CASES


def test_command_lines_are_found_in_sentences() -> None:
    assert named_in("Run clew verify WORKSPACE --repair; then see clew documents WORKSPACE.") == [
        "verify WORKSPACE --repair",
        "documents WORKSPACE",
    ]
    assert named_in("clew models list names it, clew documents list WORKSPACE does not.") == [
        "models list",
        "documents list WORKSPACE",
    ]


def test_every_message_names_commands_that_there_are() -> None:
    named = {}
    for path in sorted([*(ROOT / "core").rglob("*.py"), *(ROOT / "app").rglob("*.py")]):
        source = path.read_text(encoding="utf-8")
        for text in _constants(source) if "clew " in source else ():
            named |= dict.fromkeys(named_in(text.replace(FORM, "")), path.name)
    named |= {line: "--help" for text in _helps(group) for line in named_in(text)}
    assert len(named) > 50
    assert {(path, line): why for line, path in named.items() if (why := fault(line))} == {}


def test_every_page_names_commands_that_there_are() -> None:
    texts = {page.name: page.read_text(encoding="utf-8").replace(FORM, "") for page in PAGES}
    named = {line: name for name, text in texts.items() for line in named_on(text)}
    assert len(named) > 100
    assert {(page, line): why for line, page in named.items() if (why := fault(line))} == {}


def test_a_path_with_blanks_is_one_argument_of_the_command_that_is_named() -> None:
    found = damaged(Path("/srv/My notes/clew.db"))
    line = found.remedy.partition("clew ")[2].partition(";")[0]
    assert shlex.split(line) == ["verify", "/srv/My notes"]
    assert fault(line) == ""
