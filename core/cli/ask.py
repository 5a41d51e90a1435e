"""`clew ask`: one question, one cited answer, and with `--explain` why a passage was missed."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import count as count_from
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.cli.options import (
    PATH,
    generator_option,
    json_option,
    replace_option,
    route_option,
    scope_of,
    scope_options,
    setting_option,
    workspace_argument,
)
from core.cli.output import (
    announce_hosts,
    announce_waiting,
    erase_lines,
    place_words,
    print_json,
    progress_bar,
    say,
    stoppable_progress,
)
from core.errors import BadInput, CoreError
from core.progress import TaskContext
from core.text.dates import date_words
from core.text.jsonable import fields_of
from core.text.translation import trn
from core.types import (
    Alternative,
    Answer,
    AnswerStep,
    CandidateFact,
    Citation,
    Miss,
    MissChange,
    MissMark,
    MissTrial,
    Route,
    Scope,
    StepState,
    Way,
    check_words,
    model_words,
)
from core.types.threads import Completion, FollowKind

if TYPE_CHECKING:
    from core.workspace import Workspace

# What was found and why it went on, on the graph route; the beam; why a question was taken to be about all.
_STEPS = ("align", "local", "bridge", "global", "beam", "breadth", "map", "reduce", "join")


@click.command()
@workspace_argument
@click.argument("question")
@route_option
@click.option(
    "-k", "count", default=5, show_default=True, type=click.IntRange(1, 100), help="Number of passages."
)
@generator_option
@scope_options
@click.option(
    "--explain",
    "targets",
    multiple=True,
    metavar="WHAT",
    help="Say at which stage WHAT was lost, and which change would find it: the path of a document, passage:ID, or "
    "text:WORDS. Give a document and text:WORDS to mean words in it.",
)
@click.option("--no-try", is_flag=True, help="With --explain: do not try the changes.")
@click.option(
    "--keep", type=int, metavar="N", help="With --explain: keep the settings of change N for WORKSPACE."
)
@click.option(
    "--follow",
    is_flag=True,
    help="Complete QUESTION from what was asked before, in the last thread or in --thread.",
)
@click.option(
    "--thread", type=int, metavar="N", help="With --follow: the thread; clew trace threads lists them."
)
@click.option("--propose", is_flag=True, help="Add facts in the cited sentences to the queue of clew review.")
@click.option(
    "--trace", type=PATH, help="Also write every stage of the answer to this file, without private documents."
)
@click.option(
    "--pack",
    type=PATH,
    help="Also write the answer with its evidence to this ZIP, without private documents.",
)
@replace_option
@setting_option
@json_option
def ask(
    workspace: Path, question: str, route: str, count: int, generator: str, places: tuple[str, ...], since: str,
    until: str, targets: tuple[str, ...], no_try: bool, keep: int | None, follow: bool, thread: int | None,
    propose: bool, trace: Path | None, pack: Path | None, replace: bool, settings: tuple[str, ...], as_json: bool,
) -> int:  # fmt: skip
    """Ask QUESTION of WORKSPACE and print the answer with the sentences that support it."""
    from core.answering.writers import GENERATORS, check_generator
    from core.models.hosts import own_config
    from core.retrieval.routes import GLOBAL, check_route
    from core.text.escape_controls import checked
    from core.workspace import Workspace

    if (no_try or keep is not None) and not targets or targets and (propose or trace or pack):
        raise click.UsageError(
            "--no-try and --keep need --explain, which goes without --propose, --trace and --pack."
        )
    if thread is not None and not follow or follow and targets:
        raise click.UsageError("--thread needs --follow, which goes without --explain.")
    question = checked(question)
    config = own_config(settings)
    if generator not in GENERATORS:
        check_generator(generator, config.models)
    check_route(route, "auto", GLOBAL)
    with Workspace.open(workspace, settings=settings) as opened:
        announce_hosts(opened, generator, opened.encoder.choice.encoder)
        announce_waiting(opened, generator)
        scope = scope_of(opened, places, since, until)
        if targets:
            query = question, route, count, generator, scope
            return explain(opened, query, targets, no_try, keep, as_json)
        last = opened.threads.get(thread) if thread is not None else next(iter(opened.threads.all()), None)
        known = last.id if last is not None and follow else 0
        preview = Preview()
        on_ranked = None if as_json or not sys.stderr.isatty() else preview.show
        try:
            reply = opened.threads.ask(
                question,
                TaskContext(),
                opened.threads.turns(known),
                known,
                route=route,
                k=count,
                scope=scope,
                generator=generator,
                on_ranked=on_ranked,
            )
        finally:
            preview.clear()
        answer = reply.answer
        opened.review.note_use(answer)
        if not as_json:
            _print_completion(reply.completion)
            print_answer(answer)
        _write_files(opened, answer, trace, pack, replace, as_json)
        found, refused = _propose(opened, answer) if propose else ([], None)
    if as_json:
        why = {"not_proposed": str(refused)} if refused else {}
        thread_object = {"completed": _completion(reply.completion), "thread": reply.thread}
        print_json(as_object(answer) | thread_object | ({"proposed": found, **why} if propose else {}))
        return 1 if refused else 0
    if refused:
        raise refused
    if propose:
        _print_proposed(found)
    return 0


class Preview:
    """Passages on a terminal while they are read; the answer takes their place."""

    def __init__(self) -> None:
        self._lines = 0

    def show(self, answer: Answer) -> None:
        """Print a line for each passage of `answer`."""
        self.clear()
        width = shutil.get_terminal_size().columns
        for evidence in answer.evidence:
            say(
                f"  {evidence.hit.rank}. {evidence.passage.title or evidence.document}"[: width - 1], err=True
            )
        self._lines = len(answer.evidence)
        if answer.text:
            say(f"So far: {answer.text}"[: width - 1], err=True)
            self._lines += 1

    def clear(self) -> None:
        """Take the lines away again."""
        if self._lines:
            erase_lines(self._lines)
        self._lines = 0


def _print_completion(completion: Completion) -> None:
    """Print what a follow-up was completed to, or that it began another thread."""
    if completion.kind is FollowKind.COMPLETED:
        by = f" (completed by {completion.model})" if completion.model else ""
        say(f"Asked: {completion.question}{by}", prose=True)
    elif completion.kind is FollowKind.NEW_SUBJECT:
        say("A new subject: this begins a new thread.")


def _completion(completion: Completion) -> dict[str, object] | None:
    """Return how a follow-up was completed, or that it is another subject; None for the first question of a thread."""
    if completion.kind is FollowKind.FIRST:
        return None
    return fields_of(completion, "original", "question", "kind", "words", "model")


def _write_files(
    opened: Workspace, answer: Answer, trace: Path | None, pack: Path | None, replace: bool, as_json: bool
) -> None:
    """Write the trace and the evidence pack that are asked for. Raises BadInput for a file that exists."""
    if trace is not None:
        with stoppable_progress(as_json) as context:
            opened.write_trace(opened.traces.of(answer), trace, context, replace)
        if not as_json:
            say(f"Trace with {len(answer.trace.stages)} stages in {trace}.")
    if pack is not None:
        created_at = datetime.now(UTC).isoformat(timespec="seconds")
        with stoppable_progress(as_json) as context:
            opened.pack(answer, pack.expanduser(), context, created_at, replace)
        if not as_json:
            say(f"Packed with {len(answer.evidence)} passages in {pack}.")


def _propose(opened: Workspace, answer: Answer) -> tuple[list[CandidateFact], CoreError | None]:
    """Return the facts that now wait for review, and why none could be added; the answer stands either way."""
    try:
        facts = opened.review.facts_in(answer, TaskContext())
        ids = opened.review.propose(answer.trace.question, facts)
        return [opened.review.fact(id) for id in ids], None
    except CoreError as refused:
        return [], refused


def _print_proposed(found: Sequence[CandidateFact]) -> None:
    for candidate in found:
        fact = candidate.fact
        say(f"To review: {fact.subject} | {fact.predicate} | {fact.object}", prose=True)
    if not found:
        say("No new facts to review.")


def as_object(answer: Answer) -> dict[str, object]:
    """Return the object of `ask --json`."""
    return {
        "answer": answer.text,
        "abstained": answer.abstained,
        "missing": answer.missing if answer.abstained else "",
        "unasked": answer.unasked,
        "confidence": answer.confidence,
        "put_as": answer.put_as,
        "guess": answer.guess,
        "failed_check": answer.failed_check,
        "steps": [_step(step) for step in answer.steps],
        "documents": answer.documents,
        "alternatives": [_alternative(each) for each in answer.alternatives],
        "conflicts": [_alternative(each) for each in answer.conflicts],
        "sentences": answer.sentences,
        "citations": [_citation(citation) for citation in answer.citations],
        "route": _route(answer.trace.route),
        "hits": [
            {
                "passage_id": e.hit.passage_id,
                "document": e.document,
                "title": e.passage.title,
                "score": e.hit.score,
                "rank": e.hit.rank,
                "why": e.why,
            }
            for e in answer.evidence
        ],
        "communities": answer.communities,
        "beam": [
            {
                "level": step.level,
                "considered": step.considered,
                "chosen": [{"id": community, "score": score} for community, score in step.chosen],
            }
            for step in answer.trace.beam
        ],
        "claims": answer.claims,
        "paths": answer.paths,
        "dropped_citations": answer.dropped,
        "table_note": answer.table_note,
        "instead_of": answer.instead_of,
        "is_silent": answer.is_silent,
        "is_declined": answer.is_declined,
        "is_confirmed": answer.is_confirmed,
        "rests_on": answer.rests_on,
        "left_out": answer.left_out,
        "rounds": answer.trace.rounds,
        "usage": answer.usage,
        "stages": answer.trace.stages,
        "seconds": answer.trace.seconds,
        "scope": _scope(answer),
    }


def _scope(answer: Answer) -> dict[str, object] | None:
    """Return the scope and how many passages it holds; None for a question that has none."""
    coverage = answer.trace.coverage
    if coverage is None:
        return None
    return {
        **fields_of(answer.trace.scope, *Scope.__slots__),
        "passages": coverage.taken,
        "of": coverage.count,
        "parts": coverage.parts,
    }


def _route(route: Route) -> dict[str, object]:
    complexity = route.complexity
    return {
        "name": route.name,
        "way": route.way,
        "reason": route.reason,
        "forced": route.forced,
        "score": complexity.score,
        "low": complexity.low,
        "high": complexity.high,
        "weights": complexity.weights,
        "router": complexity.source,
        "features": complexity.features,
    }


def _citation(citation: Citation) -> dict[str, object]:
    where = ("passage_id", "document", "date", "page", "place", "start", "end")
    return fields_of(citation, *where, "quote", "community", "marked")


def _step(step: AnswerStep) -> dict[str, object]:
    place = (
        {} if step.citation is None else fields_of(step.citation, "document", "page", "start", "end", "quote")
    )
    return fields_of(step, "question", "text", "confidence", "sure", "following") | place


def _alternative(other: Alternative) -> dict[str, object]:
    place = fields_of(other.citation, "document", "page", "start", "end", "quote")
    found = {"text": other.text, "probability": other.probability, "documents": other.documents}
    return {**found, "holds": other.holds, **place}


def print_answer(answer: Answer) -> None:
    """Print the answer with its sentences and their places, then the passages, the readings, the route and the time."""
    if answer.unasked:
        say(answer.missing)
        return
    for step in answer.steps:
        say(_step_words(step), prose=True)
    if answer.abstained:
        say(f"Not found in these documents: {answer.missing}")
    else:
        if answer.guess:
            say(f"Possible answer ({answer.confidence * 100:.0f} %):")
        _print_statement(answer)
        _print_citations(answer)
    if answer.put_as:
        say(f"{answer.put_as}.", prose=True)
    for words in filter(None, (model_words(answer), check_words(answer))):
        say(words, prose=True)
    if answer.conflicts:
        say(f"Sources differ: {'; '.join(_values(answer))}", prose=True)
    if answer.communities:
        say(f"Rests on: {'; '.join(each.title for each in answer.communities)}")
    for evidence in answer.evidence:
        why = f": {evidence.why.words}" if evidence.why else ""
        say(f"  {evidence.hit.rank}. {evidence.passage.title or evidence.document}{why}")
        if (answer.guess or answer.abstained) and evidence.sentence:
            best = evidence.passage.text[evidence.sentence.start : evidence.sentence.end]
            say(f"     {' '.join(best.split())}", prose=True)
    _print_alternatives(answer)
    for round_ in answer.trace.rounds[:-1]:
        say(f"Round {round_.number} failed at {round_.failure}; {round_.rewrite or 'nothing else to try'}.")
    for stage in answer.trace.stages:
        if stage.name in _STEPS:
            say(f"  {stage.name}: {stage.detail}")
    if answer.rests_words:
        say(f"{answer.rests_words}.")
    _print_way(answer)


def _step_words(step: AnswerStep) -> str:
    if step.sure:
        source = step.citation and (step.citation.title or step.citation.document)
        return f"First: {step.question} {step.text}" + (f" ({source})" if source else "")
    likely = f"{step.confidence * 100:.0f} %"
    return f"Not sure: {step.question} Perhaps {step.text} ({likely}). If so, ask: {step.following}"


def _print_statement(answer: Answer) -> None:
    """Print who says so, and the sentence with the words that answer between stars; else the answer."""
    citation = answer.main_citation
    source = citation or (answer.citations[0] if answer.documents and answer.citations else None)
    if source is not None:
        dated = f" ({date_words(source.date)})" if source.date else ""
        where = f", in {answer.documents} documents" if answer.documents > 1 else ""
        say(f"According to {source.title or source.document}{dated}{where}:", prose=True)
    if citation is None or citation.marked is None:
        for line in answer.text.split("\n"):
            say(line, prose=True, bold=True)
        return
    start, end = citation.marked
    words = f"{citation.quote[:start]}**{citation.quote[start:end]}**{citation.quote[end:]}"
    say(" ".join(words.split()), prose=True, bold=True)


def _values(answer: Answer) -> list[str]:
    """Return the answer's value and the others, each with the number of documents that give it."""
    values = [(answer.text, answer.documents), *((each.text, each.documents) for each in answer.conflicts)]
    return [
        f"{' '.join(text.split())} ({trn('{count} document', '{count} documents', documents)})"
        for text, documents in values
    ]


def _print_alternatives(answer: Answer) -> None:
    """Print other readings; beside a refusal only how many, as the window folds them away: none is likely enough to
    use."""
    if answer.abstained and answer.alternatives:
        say(
            trn(
                "{count} reading was too unlikely to be an answer (the likeliest {share} %); --json lists it.",
                "{count} readings were too unlikely to be an answer (the likeliest {share} %); --json lists them.",
                len(answer.alternatives),
                share=f"{answer.alternatives[0].probability * 100:.0f}",
            )
        )
        return
    for other in answer.conflicts:
        say(f"  Differs: {other.text}", prose=True)
        say(f"      {_place(other.citation)}")
    for other in answer.alternatives:
        likely = f"{other.probability * 100:.0f} %" if other.holds else "at another time"
        say(f"  Or ({likely}): {other.text}", prose=True)
        say(f"      {_place(other.citation)}")


def _print_citations(answer: Answer) -> None:
    """Print numbered quotes, each with its place, below the title of the community whose report told it."""
    titles = {each.id: each.title for each in answer.communities}
    current = None
    for number, citation in enumerate(answer.citations, start=1):
        if citation.community in titles and citation.community != current:
            current = citation.community
            say(f"  {titles[current]}")
        say(f"  [{number}] {' '.join(citation.quote.split())}", prose=True)
        say(f"      {_place(citation)}")
    if answer.table_note:
        say(f"  {answer.table_note}.")


def _place(citation: Citation) -> str:
    return place_words(citation.document, citation.page, citation.place)


def _print_way(answer: Answer) -> None:
    """Print scope, route, passages and time."""
    if coverage := answer.trace.coverage:
        say(f"Looked in {coverage.words}.", prose=True)
    route = answer.trace.route
    own = " (this workspace's own)" if route.name.startswith("lab:") else ""
    forced = " (as you chose)" if route.forced else own
    complexity = route.complexity
    why = f", share of the graph {complexity.score:.2f}, thresholds {complexity.low:.2f} and {complexity.high:.2f}"
    if not route.is_ranked:  # the structure of the question decided
        why = f" ({route.way}: the question {route.reason})" if route.reason else f" ({route.way})"
    elif route.way is Way.STEPS:
        why = f" in steps ({route.reason}){why}"
    passages = "1 passage" if len(answer.evidence) == 1 else f"{len(answer.evidence)} passages"
    say(f"Route {route.name}{forced}{why}; {passages} in {answer.trace.seconds * 1000:.0f} ms.")


_SIGNS = {StepState.PASSED: "+", StepState.WEAK: "-", StepState.LOST: "X", StepState.UNREACHED: " "}


def explain(
    opened: Workspace,
    query: tuple[str, str, int, str, Scope],
    targets: Sequence[str],
    no_try: bool,
    keep: int | None,
    as_json: bool,
) -> int:
    """Print which stage of a question lost `targets`, and try the changes that may find it, or keep one of them.

    `query`: question, route, number of passages, generator and scope.
    """
    question, route, k, generator, scope = query
    trials: list[MissTrial] = []
    with progress_bar(as_json) as context:
        found = opened.misses.why(question, _mark(targets), context, route, k, generator, scope)
        if not as_json:
            _print(found)
        if keep is not None:
            opened.misses.keep(_pick_change(opened, found, keep))
        elif not no_try:
            trials = opened.misses.try_all(found, context, None if as_json else _counter())
    if as_json:
        print_json({**_object(found), "trials": [_trial(each) for each in trials]})
    elif keep is not None:
        say("Kept: it holds for this workspace from now on.")
    elif found.lost is not None and not trials and not no_try:
        say("No change is known that would help.")
    return 0


def _mark(targets: Sequence[str]) -> MissMark:
    """Return the mark that the values of --explain mean."""
    marks: dict[str, str] = {}
    for what in targets:
        kind, _, value = what.partition(":")
        name = {"passage": "passage_id", "text": "quote"}.get(kind, "document")
        if name in marks or marks and "passage_id" in (name, *marks):
            raise click.UsageError("Give --explain one document, one passage:ID, or one text:WORDS.")
        marks[name] = what if name == "document" else value
    return MissMark(**marks)  # type: ignore[arg-type]


def _counter() -> Callable[[MissTrial], None]:
    """Return what prints each change as it was tried, with the number by which it is chosen."""
    numbers = count_from(1)

    def show(trial: MissTrial) -> None:
        say(f"  {next(numbers)}. [{trial.outcome}] {trial.change.words}")
        say(f"     {trial.words}", prose=True)

    return show


def _pick_change(opened: Workspace, found: Miss, number: int) -> MissChange:
    """Raise BadInput for a number that no change has, or whose change is not a setting."""
    every = opened.misses.changes(found)
    if not 1 <= number <= len(every):
        raise BadInput(
            f"There is no change {number}.", "Choose a number that is printed without --keep and --no-try."
        )
    change = every[number - 1]
    if not change.settings:
        raise BadInput("This change is not a setting.", _by_hand(change))
    return change


def _by_hand(change: MissChange) -> str:
    """Return what a person does to make the change."""
    if change.names:
        return f"Give the name: clew names alias WORKSPACE ENTITY {shlex.quote(change.names.value)}"
    if change.read_again:
        return "Index again: clew index --workspace WORKSPACE --retry."
    if change.unscoped:
        return "Ask without --in, --since and --until."
    options = (f"--route {change.route}" if change.route else "", f"-k {change.k}" if change.k else "")
    return "Ask so: " + " ".join(filter(None, options))


def _print(found: Miss) -> None:
    say(" ".join(filter(None, (found.words, found.reason))), prose=True, bold=True)
    if found.document and found.quote:
        say(f"Marked, in {found.document}: {found.quote}", prose=True)
    for step in found.steps:
        say(f"  {_SIGNS[step.state]} {step.stage.value:<12} {step.figure:>10}  {step.words}", prose=True)
    if found.answer is not None:
        answer_text = found.answer.text or "no answer"
        say(f"The answer: {' '.join(answer_text.split())} ({found.answer.confidence:.0%})", prose=True)


def _object(found: Miss) -> dict[str, object]:
    names = ("question", "route", "k", "generator", "mark", "lost", "words", "steps")
    answer = found.answer.text if found.answer else ""
    rest = {**fields_of(found, "passage_id", "document", "quote"), "standing": found.ranks}
    return {**fields_of(found, *names), **rest, "answer": answer}


def _trial(trial: MissTrial) -> dict[str, object]:
    fields = fields_of(trial, "change", "outcome", "rank_before", "rank", "words", "seconds")
    return {**fields, "answer": trial.answer.text if trial.answer else ""}
