"""`clew anatomy`: one passage taken apart, as its extractor reads it."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import click

from core.cli.options import json_option, workspace_argument
from core.cli.output import print_json, say
from core.text.jsonable import to_jsonable
from core.types import Anatomy, ParsedSentence, kind_words


@click.command()
@workspace_argument
@click.argument("passage")
@click.option("--parse", is_flag=True, help="Also every word with its part of speech and what it depends on.")
@json_option
def anatomy(workspace: Path, passage: str, parse: bool, as_json: bool) -> int:
    """Read PASSAGE of WORKSPACE again: names and facts taken from it, and what was rejected and why.

    PASSAGE is an id, as `clew ask --json` tells them. Nothing is changed, and no language model is asked.
    """
    from core.workspace import Workspace

    with Workspace.open(workspace, read_only=True) as opened:
        found = opened.passages.anatomy(passage)
    if as_json:
        print_json(as_object(found))
    else:
        _print(found, parse)
    return 0


def as_object(found: Anatomy) -> dict[str, object]:
    """The object that `anatomy --json` promises: all fields of the record."""
    record = to_jsonable(found)
    assert isinstance(record, dict)
    return record


def _print(found: Anatomy, parse: bool) -> None:
    say(
        f"{found.passage.title}, passage {found.passage.ordinal + 1}, read by {found.extractor or 'nobody yet'}."
    )
    if found.failure:
        say(f"It failed: {found.failure}")
    if not found.as_kept:
        say(
            "The workspace holds other facts of it: it was read by another version or model, or waits to be read."
        )
    for sentence in found.sentences:
        say()
        say(" ".join(found.passage.text[sentence.start : sentence.end].split()), prose=True, bold=True)
        if parse:
            _print_words(sentence)
    for title, lines in _parts(found):
        if lines:
            say()
            say(title)
            for line in lines:
                say(f"  {line}", prose=True)


def _parts(found: Anatomy) -> list[tuple[str, list[str]]]:
    dropped = chain(found.rejected, *(reply.dropped for reply in found.replies))
    return [
        ("Names:", [f"{one.text} ({kind_words(one.label)})" for one in found.mentions]),
        ("Stand for a name:", [f"{one.text} = {one.name}" for one in found.references]),
        (
            "Facts:",
            [f"{t.subject} / {t.put_predicate} / {t.object}  {t.confidence:.2f}" for t in found.triples],
        ),
        ("Rejected:", [f"{one.words}  ({one.kind}: {one.reason})" for one in dropped]),
        ("Replies:", [f"{reply.model}, {reply.step}: {reply.text}" for reply in found.replies]),
    ]


def _print_words(sentence: ParsedSentence) -> None:
    for token in sentence.tokens:
        head = sentence.tokens[token.head].text
        say(f"  {token.text:<20} {token.lemma:<20} {token.pos:<6} {token.dep:<10} {head}", prose=True)
