"""Which questions the lab asks, of which workspace, by which compositions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from core.cli.output import say
from core.errors import BadInput

if TYPE_CHECKING:
    from core.progress import TaskContext
    from core.research.datasets import EvalQuestion
    from core.retrieval.compositions import Composition
    from core.workspace import Workspace

GENERATED, PINS, VERDICTS = "made", "pins", "verdicts"
MANY = 100  # questions that are made where nobody says how many
_Command = TypeVar("_Command", bound=Callable[..., object])


questions_option = click.option(
    "--questions",
    metavar=f"{GENERATED}|{PINS}|{VERDICTS}|FILE",
    help="Made from the workspace's facts, its pinned questions, its judged answers, or a file as clew eval reads it; "
    "a SET has its own.",
)


def question_options(command: _Command) -> _Command:
    """Add `questions` and `count`."""
    count = click.option(
        "--count",
        type=click.IntRange(1),
        default=MANY,
        show_default=True,
        help="With --questions made: how many to make, at most.",
    )
    return questions_option(count(command))


@contextmanager
def asked(
    place: Path,
    questions: str | None,
    count: int,
    limit: int | None,
    context: TaskContext,
    settings: Sequence[str] = (),
) -> Iterator[tuple[Workspace, tuple[EvalQuestion, ...]]]:
    """Yield the open workspace and what it is asked: without `questions`, `place` is a SET, which is indexed once.

    `limit` keeps so many of each kind; `settings` hold for this run. Raises BadInput.
    """
    from core.research.datasets import read_corpus, read_questions
    from core.workspace import Workspace

    if questions is None:
        from core.answering.models import Models
        from core.models.hosts import own_config
        from core.research.datasets import open_cached

        dataset = read_corpus(place, limit or 0)
        workspace, _ = open_cached(dataset, context, Models(), config=own_config(settings))
        with workspace:
            yield workspace, dataset.questions
        return
    read = None if questions in (GENERATED, PINS, VERDICTS) else read_questions(Path(questions), limit or 0)
    with Workspace.open(place, read_only=True, settings=settings) as workspace:
        yield workspace, read if read is not None else _own(workspace, questions, count, limit, context)


def _own(
    workspace: Workspace, source: str, count: int, limit: int | None, context: TaskContext
) -> tuple[EvalQuestion, ...]:
    from core.research.lab_questions import generate_questions, of_pins, of_verdicts

    if source == GENERATED:
        say(
            "Made questions ask for facts that the graph holds: they favour it, and search by words.",
            err=True,
        )
        found = generate_questions(workspace, count, context=context)
        if len(found) < count:
            say(
                f"Only {len(found):,} of {count:,} questions can be made from the facts of this workspace.",
                err=True,
            )
    else:
        found = of_pins(workspace) if source == PINS else of_verdicts(workspace)
    of_kind: dict[str, list[EvalQuestion]] = {}
    for question in found:
        of_kind.setdefault(question.kind, []).append(question)
    return tuple(question for group in of_kind.values() for question in group[:limit])


def chosen(names: str, known: Mapping[str, Composition]) -> dict[str, Composition]:
    """Return compositions by name; "no-12:paths.most=8" is No. 12 with one thing changed.

    Raises BadInput for what there is not.
    """
    from core.retrieval.compositions import varied

    if names == "all":
        return {name: each for name, each in known.items() if not each.needs_model}
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    parts = {name: name.partition(":") for name in wanted}
    if strange := [base for base, _, _ in parts.values() if base not in known]:
        raise BadInput(f"There is no composition {strange[0]!r}.", f"Choose from: {', '.join(known)}.")
    return {
        name: varied(known[base], change) if change else known[base]
        for name, (base, _, change) in parts.items()
    }
