"""`clew review`: decide on facts, put them right, undo it, and hand the log of it on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from core.cli.options import PATH, json_option, workspace_argument
from core.cli.output import print_json, progress_bar, say
from core.errors import BadInput
from core.text.predicates import PARENTS
from core.types import POLICIES, CandidateFact, FactFilter, FactWords, Policy, ReviewAct
from core.types.review import STATES

if TYPE_CHECKING:
    from core.workspace import Workspace

Command = TypeVar("Command", bound=Callable[..., Any])
_PREVIEWED = 5  # facts shown of those that are to be decided on
_why = click.option("--why", default="", help="The reason, kept in the log.")
_limit = click.option(
    "--limit", type=click.IntRange(1), default=20, show_default=True, help="How many at most."
)
_FILTERS = (
    click.option("--document", default="", help="Only facts read from the document of this path."),
    click.option("--entity", default="", help="Only facts of the entity with this name."),
    click.option("--predicate", default="", help="Only facts with these very words between the names."),
    click.option(
        "--family",
        type=click.Choice(("any", *PARENTS), case_sensitive=False),
        default="any",
        metavar="FAMILY",
        help="Only facts of this family of relations: ownership, office, ...",
    ),
    click.option(
        "--proposer", default="", help="Only facts that this one proposed: rules, a model, person, answer."
    ),
    click.option("--words", default="", help="Only facts that hold all of these words."),
)


@click.group()
def review() -> None:
    """Decide which facts count. Every decision can be undone, and is kept whatever is indexed anew."""


def _filtered(state: str) -> Callable[[Command], Command]:
    """Add the options that say which facts are meant; `state` is that of those that are meant without a word."""

    def add(command: Command) -> Command:
        states = click.Choice((*STATES, "any"))
        for option in (*_FILTERS, click.option("--state", type=states, default=state, show_default=True)):
            command = option(command)
        return command

    return add


def _wanted(
    opened: Workspace, document: str, entity: str, state: str, family: str, **words: str
) -> FactFilter:
    document_id = _document(opened, document) if document else ""
    entity_id = opened.names.id_of(entity) if entity else ""
    state, family = ("" if each == "any" else each for each in (state, family))
    return FactFilter(state, document_id, entity_id, family=family, **words)


def _document(opened: Workspace, path: str) -> str:
    """Raise BadInput."""
    found = [document.id for document in opened.documents.all() if document.path == path]
    if not found:
        raise BadInput(f"There is no document {path}.", "See: clew documents WORKSPACE")
    return found[0]


# ------------------------------------------------------------ deciding


@review.command("list")
@workspace_argument
@_filtered("open")
@_limit
@json_option
def list_facts(workspace: Path, limit: int, as_json: bool, **filters: str) -> int:
    """Facts of WORKSPACE that wait for a decision, what matters most first; others with --state."""
    from core.workspace import Workspace

    with Workspace.open(workspace, read_only=True) as opened:
        wanted = _wanted(opened, **filters)
        found, total = opened.review.queue(wanted, limit), opened.review.count(wanted)
    if as_json:
        print_json({"total": total, "facts": found})
        return 0
    for candidate in found:
        say(_line(candidate))
        say(f"    {candidate.fact.description}", prose=True)
        for question in candidate.questions:
            say(f"    Asked: {question}", prose=True)
    say(f"{len(found):,} of {total:,} facts.")
    return 0


def _line(found: CandidateFact) -> str:
    fact = found.fact
    text = f"{fact.subject} | {fact.put_predicate} | {fact.object}"
    counts = "counts" if found.counts else "does not count"
    return (
        f"{fact.id}  {text}  ({found.state}, {counts}, {found.probability:.0%}, {', '.join(found.proposers)})"
    )


def _deciding(name: str, outcome: str, state: str, words: str) -> None:
    """Return a command that decides on facts, by their ids or by the filters."""

    @workspace_argument
    @click.argument("facts", nargs=-1)
    @_filtered(state)
    @click.option("--yes", is_flag=True, help="Decide on all that match without being asked.")
    @_why
    @json_option
    def decide(
        workspace: Path, facts: tuple[str, ...], yes: bool, why: str, as_json: bool, **filters: str
    ) -> int:
        from core.workspace import Workspace

        with Workspace.open(workspace) as opened:
            ids = list(dict.fromkeys(facts)) or _previewed(opened, filters, name, yes, as_json)
            act = opened.review.decide(ids, outcome, why) if ids else ""
            _settle(opened, as_json)
        return _print_result(act, f"{len(ids):,} facts {words}.", as_json, facts=len(ids))

    decide.__doc__ = (
        f"""{name.capitalize()} FACTS of WORKSPACE, or all facts that match, after a look at them."""
    )
    review.command(name)(decide)


def _previewed(opened: Workspace, filters: dict[str, str], verb: str, yes: bool, as_json: bool) -> list[str]:
    """Return ids of the facts that match, once somebody saw how many and which.

    Raises BadInput, click.Abort for a no.
    """
    wanted = _wanted(opened, **filters)
    ids = opened.review.ids(wanted)
    if yes or not ids:
        return ids
    if not as_json:
        for candidate in opened.review.queue(wanted, _PREVIEWED):
            say(_line(candidate))
        say(f"{len(ids):,} facts{', of which these come first' if len(ids) > _PREVIEWED else ''}.")
    if as_json or not sys.stdin.isatty():
        raise BadInput(f"{len(ids):,} facts were left as they are: nobody could be asked.", "Add --yes.")
    click.confirm(f"{verb.capitalize()} them?", abort=True)
    return ids


_deciding("approve", "approved", "open", "approved")
_deciding("reject", "rejected", "open", "rejected")
_deciding("reopen", "open", "any", "open again")


def _settle(opened: Workspace, as_json: bool) -> None:
    with progress_bar(as_json) as context:
        opened.review.settle(context)


def _print_result(act: str, words: str, as_json: bool, **found: object) -> int:
    if as_json:
        print_json({"act": act, **found})
    else:
        say(words)
    return 0


# ------------------------------------------------------------ in one's own words


def _labelled(command: Command) -> Command:
    for end in ("object", "subject"):
        words = f"What the {end} is, where its name is new: PERSON, ORG, GPE and so on."
        command = click.option(f"--{end}-label", default="", help=words)(command)
    return click.option("--date", default="", help="When it was so.")(command)


@review.command()
@workspace_argument
@click.argument("fact")
@click.option("--subject", default="", help="Another name in the place of the first.")
@click.option("--predicate", default="", help="Other words between the names.")
@click.option("--object", default="", help="Another name in the place of the second.")
@click.option("--reverse", is_flag=True, help="Turn its direction.")
@_labelled
@_why
@json_option
def edit(workspace: Path, fact: str, reverse: bool, why: str, as_json: bool, **words: str) -> int:
    """Reject FACT and approve it in other words, on the same sentence."""
    from core.workspace import Workspace

    with Workspace.open(workspace) as opened:
        act = opened.review.edit(fact, FactWords(**words), reverse=reverse, why=why)
        return _stated(opened, act, as_json)


@review.command()
@workspace_argument
@click.argument("document")
@click.argument("quote")
@click.argument("subject")
@click.argument("predicate")
@click.argument("object")
@_labelled
@_why
@json_option
def add(workspace: Path, document: str, quote: str, why: str, as_json: bool, **words: str) -> int:
    """Approve a fact that DOCUMENT states in QUOTE, which it holds word for word: SUBJECT PREDICATE OBJECT."""
    from core.workspace import Workspace

    with Workspace.open(workspace) as opened:
        act = opened.review.add(_document(opened, document), quote, FactWords(**words), why=why)
        return _stated(opened, act, as_json)


def _stated(opened: Workspace, act: str, as_json: bool) -> int:
    _settle(opened, as_json)
    found = [opened.review.fact(id) for id in opened.review.fact_ids(act)]
    return _print_result(act, "\n".join(map(_line, found)), as_json, facts=found)


@review.command()
@workspace_argument
@click.argument("text", required=False)
@click.option("--fact", default="", help="On the fact with this id.")
@click.option("--entity", default="", help="On the entity with this name.")
@json_option
def note(workspace: Path, text: str | None, fact: str, entity: str, as_json: bool) -> int:
    """Keep TEXT as a note on a fact or an entity; without it, show the notes."""
    from core.workspace import Workspace

    if bool(fact) == bool(entity):
        raise click.UsageError("A note is on one thing: --fact ID or --entity NAME.")
    with Workspace.open(workspace, read_only=text is None) as opened:
        of = {"fact_id": fact} if fact else {"entity_id": opened.names.id_of(entity)}
        act = opened.review.note(text, **of) if text is not None else ""
        notes = opened.review.notes(**of)
    lines = [f"{one.created[:16]}  {one.person}: {one.why}" for one in notes]
    return _print_result(act, "\n".join(lines) or "No notes.", as_json, notes=notes)


# ------------------------------------------------------------ the log


@review.command()
@workspace_argument
@click.option("--person", default="", help="Only what this person did.")
@click.option("--fact", default="", help="Only what was done to the fact with this id.")
@_limit
@json_option
def log(workspace: Path, person: str, fact: str, limit: int, as_json: bool) -> int:
    """What people decided in WORKSPACE, the newest first."""
    from core.workspace import Workspace

    with Workspace.open(workspace, read_only=True) as opened:
        acts = opened.review.log(limit, person=person, fact_id=fact)
    if as_json:
        print_json({"acts": acts})
        return 0
    for act in acts:
        say(_act_line(act))
    if not acts:
        say("Nobody decided anything yet. See what there is: clew review list WORKSPACE")
    return 0


def _act_line(act: ReviewAct) -> str:
    turned = f"{act.about_verb}: " if act.about_verb else ""
    summary = f"{act.created[:16]}  {act.person}  {act.verb}  {turned}{_on(act)}"
    return f"{act.id}  {summary}{f'  ({act.why})' if act.why else ''}{'  [undone]' if act.undone else ''}"


def _on(act: ReviewAct) -> str:
    more = f" and {act.items - 1:,} more" if act.items > 1 else ""
    return f"{act.subject or act.about}{more}"


def _turning(name: str, words: str) -> None:
    """Return a command that undoes an act, or does it again."""

    @workspace_argument
    @click.argument("act", required=False)
    @json_option
    def turn(workspace: Path, act: str | None, as_json: bool) -> int:
        from core.workspace import Workspace

        with Workspace.open(workspace) as opened:
            found: ReviewAct | None = getattr(opened.review, name)(act or "")
            _settle(opened, as_json)
        if found is None:
            return _print_result("", f"There is nothing to {name}.", as_json)
        return _print_result(found.id, f"{words}: {found.verb} {_on(found)}", as_json)

    turn.__doc__ = f"""{name.capitalize()} ACT of the log or all of a run, or the last one that can be."""
    review.command(name)(turn)


_turning("undo", "Undone")
_turning("redo", "Done again")


@review.command()
@workspace_argument
@click.argument("file", type=PATH)
@json_option
def export(workspace: Path, file: Path, as_json: bool) -> int:
    """Write the log of WORKSPACE into the new FILE, for other workspaces of the same documents."""
    from core.workspace import Workspace

    with progress_bar(as_json) as context, Workspace.open(workspace, read_only=True) as opened:
        count = opened.review.export_log(file, context)
    return _print_result("", f"{count:,} acts written to {file}.", as_json, acts=count)


@review.command()
@workspace_argument
@click.argument("file", type=PATH)
@json_option
def replay(workspace: Path, file: Path, as_json: bool) -> int:
    """Join the log in FILE with that of WORKSPACE. Where both disagree, facts wait for a decision: --state disputed."""
    from core.workspace import Workspace

    with Workspace.open(workspace) as opened:
        news, disputed = opened.review.replay(file)
        _settle(opened, as_json)
    words = f"News on {news:,} facts, names or notes; {disputed:,} of them are disputed now."
    return _print_result("", words, as_json, news=news, disputed=disputed)


@review.command()
@workspace_argument
@json_option
def orphans(workspace: Path, as_json: bool) -> int:
    """Decisions on what is not in WORKSPACE any more: a fact, a quote, a name. They hold again where it comes back."""
    from core.workspace import Workspace

    with Workspace.open(workspace, read_only=True) as opened:
        found = opened.review.without_subject()
    lines = [f"{act.id}  {act.created[:16]}  {act.person}  {act.verb}  {words}" for act, words in found]
    entries: Sequence[object] = [{"act": act, "words": words} for act, words in found]
    return _print_result(
        "", "\n".join(lines) or "None: all that was decided on is there.", as_json, orphans=entries
    )


# ------------------------------------------------------------ which facts count


@review.command()
@workspace_argument
@click.argument("counts", type=click.Choice(POLICIES), required=False)
@click.option("--bar", type=click.FloatRange(0, 1), help="Least probability of a sure fact.")
@json_option
def policy(workspace: Path, counts: str | None, bar: float | None, as_json: bool) -> int:
    """Which facts count in WORKSPACE: "all" but rejected ones, "sure" and approved ones, or "approved" ones alone."""
    from core.workspace import Workspace

    asked = counts is None and bar is None
    with Workspace.open(workspace, read_only=asked) as opened:
        current = opened.review.policy
        if not asked:
            current = Policy(counts or current.counts, current.bar if bar is None else bar)
            with progress_bar(as_json) as context:
                opened.review.set_policy(current, context)
        facts, states = opened.counts().facts, opened.review.states()
    tally = ", ".join(f"{number:,} {state}" for state, number in sorted(states.items()))
    words = f"{current.counts} (bar {current.bar:.0%}): {facts:,} facts count; {tally or 'no facts'}."
    return _print_result("", words, as_json, policy=current, counted=facts, states=states)
