"""`clew paths`, `clew communities` and `clew entity`: what the graph holds, in words and with its places."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.cli.options import json_option, workspace_argument
from core.cli.output import place_words, print_json, say, stoppable_progress
from core.errors import BadInput
from core.text.translation import trn
from core.types import Community, CommunityReport, Fact, PathStep, kind_words

if TYPE_CHECKING:
    from core.workspace import Workspace

_FACTS = 30  # of an entity that are printed


@click.command()
@workspace_argument
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@click.option(
    "-k", "count", default=5, show_default=True, type=click.IntRange(1, 100), help="Number of paths."
)
@click.option("--longest", default=3, show_default=True, type=click.IntRange(1, 6), help="Facts of a path.")
@json_option
def paths(workspace: Path, one: str, other: str, count: int, longest: int, as_json: bool) -> int:
    """Print the paths of facts from A to B in WORKSPACE, those that tell most first.

    The exit code is 1 if there is none.
    """
    from core.workspace import Workspace

    with Workspace.open(workspace, read_only=True) as opened, stoppable_progress(as_json) as context:
        start, end = opened.names.id_of(one), opened.names.id_of(other)
        if opened.graph.entity(start).id == opened.graph.entity(end).id:
            raise BadInput(f"{one} and {other} are one entity.", "Give two that are not joined.")
        found = opened.graph.paths_between(start, end, count, longest, context)
        if as_json:
            print_json(found)
        for number, path in enumerate(found.paths if not as_json else (), start=1):
            say(f"{number}. {path.words}", prose=True, bold=True)
            for step in path.steps:
                _print_place(opened, step)
        if not (found.paths or as_json):
            say(f"No path of at most {longest} facts joins {one} and {other}.")
    return 0 if found.paths else 1


def _print_place(opened: Workspace, step: PathStep) -> None:
    """Print what a fact was read from, and where it stands."""
    passage = opened.passages.get(step.passage_id)
    say(f"     {' '.join(passage.text[step.start : step.end].split())}", prose=True)
    say(f"         {place_words(opened.documents.get(passage.document_id).path, passage.page)}")


@click.command()
@workspace_argument
@click.argument("number", type=int, required=False, metavar="[N]")
@click.option("--level", type=click.IntRange(1), help="Only communities of one level; 1 is the finest.")
@json_option
def communities(workspace: Path, number: int | None, level: int | None, as_json: bool) -> int:
    """List the communities of WORKSPACE, the top level first, or print the report of community N."""
    from core.workspace import Workspace

    with Workspace.open(workspace, read_only=True) as opened:
        if number is not None:
            report = opened.reports.get(number)
            print_json(report) if as_json else _print_report(report)
            return 0
        found = opened.graph.communities(level)
    if as_json:
        print_json({"communities": found})
        return 0
    for community in found:
        say(_community_line(community))
    if not found:
        say("There are no communities yet. Index a folder first: clew index FOLDER --workspace WORKSPACE")
    return 0


def _community_line(community: Community) -> str:
    within = f", in {community.parent_id}" if community.parent_id is not None else ""
    size = f"{len(community.entity_ids):,} entities"
    return f"{community.id:>5}  level {community.level}{within}: {community.label} ({size})"


def _print_report(report: CommunityReport) -> None:
    say(report.title, prose=True, bold=True)
    for statement in report.statements:
        say(f"  {' '.join(statement.text.split())}", prose=True)
        for citation in statement.citations:
            say(f"      {place_words(citation.document, citation.page, citation.place)}")
    for fact in report.timeline:
        say(f"  {fact.date}: {fact.words}", prose=True)
    say(f"Entities: {', '.join(entity.name for entity in report.entities)}.", prose=True)
    if report.stale:
        say("The community changed since its report was written: clew reports WORKSPACE")


@click.command()
@workspace_argument
@click.argument("name")
@json_option
def entity(workspace: Path, name: str, as_json: bool) -> int:
    """Print what WORKSPACE knows of NAME: its kind, its other names, its facts with their places."""
    from core.workspace import Workspace

    with Workspace.open(workspace, read_only=True) as opened:
        own = opened.graph.entity(opened.names.id_of(name))
        facts = opened.graph.facts_of(own.id, _FACTS)
        unasserted = opened.graph.unasserted_facts(own.id, _FACTS)
        merges = opened.names.merges_of(own.id)
        home = opened.graph.community_of(own.id)
        if as_json:
            print_json(
                {"entity": own, "names": merges, "facts": facts, "unasserted": unasserted, "community": home}
            )
            return 0
        say(f"{own.name} ({kind_words(own.label)}, in {own.passages:,} passages)", prose=True, bold=True)
        names = sorted({each for merge in merges for each in (merge.one, merge.other)} - {own.name})
        if names:
            say(f"Also called {', '.join(names)}.", prose=True)
        if home is not None:
            say(f"In community {home[0]}{f': {home[1]}' if home[1] else ''}.", prose=True)
        for fact in (*facts, *unasserted):
            _print_fact(opened, fact)
    return 0


def _print_fact(opened: Workspace, fact: Fact) -> None:
    say(f"  {fact.subject} {fact.put_predicate} {fact.object}", prose=True)
    for triple in fact.triples[:1]:
        passage = opened.passages.get(triple.passage_id)
        place, others = (
            place_words(opened.documents.get(passage.document_id).path, passage.page),
            len(fact.triples) - 1,
        )
        say(
            f"      {place}{trn(' and {count} more place', ' and {count} more places', others) if others else ''}"
        )


@click.command()
@workspace_argument
@click.option(
    "-k", "count", default=20, show_default=True, type=click.IntRange(1, 1_000), help="Number of pairs."
)
@json_option
def contradictions(workspace: Path, count: int, as_json: bool) -> int:
    """Print pairs of sentences of WORKSPACE that give different values for the same thing, the likeliest first.

    Dates, times, amounts and persons are compared. Read both sentences: not all of them contradict each other.
    """
    from core.workspace import Workspace

    with Workspace.open(workspace, read_only=True) as opened, stoppable_progress(as_json) as context:
        found = opened.passages.contradictions(count, context)
        is_empty = not opened.documents.all()
    if as_json:
        print_json({"contradictions": found})
        return 0
    for number, pair in enumerate(found, start=1):
        both = (pair.one, pair.other)
        values = (" ".join(each.quote[slice(*(each.marked or (0, 0)))].split()) for each in both)
        say(f"{number}. {' / '.join(values)}", prose=True, bold=True)
        for each in both:
            say(f"     {' '.join(each.quote.split())}", prose=True)
            say(f"         {place_words(each.document, each.page)}")
    if is_empty:
        say("There are no documents yet. Index a folder first: clew index FOLDER --workspace WORKSPACE")
    elif not found:
        say("No two sentences were found that contradict each other in nearly the same words.")
    return 0
