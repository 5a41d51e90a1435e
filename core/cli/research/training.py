"""What the commands of `clew research train` share: options, the questions they learn from, the printing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from core.cli.options import PATH
from core.cli.output import print_json, progress_bar, say

if TYPE_CHECKING:
    from core.answering.models import Models
    from core.progress import TaskContext
    from core.research.datasets import Dataset

_Example = TypeVar("_Example")

datasets_argument = click.argument("datasets", nargs=-1, required=True, type=PATH, metavar="DATASET...")
out_option = click.option("--out", required=True, type=PATH, help="Where the model goes.")
limit_option = click.option(
    "--limit", default=0, type=click.IntRange(0), help="Questions of each kind; 0 for all."
)


def read_sets(folders: Sequence[Path], limit: int) -> list[Dataset]:
    """Return the question sets. Raises BadInput."""
    from core.research.datasets import read_corpus

    return [read_corpus(folder, limit) for folder in folders]


@contextmanager
def learning(
    folders: Sequence[Path],
    limit: int,
    as_json: bool,
    collect: Callable[[Dataset, Models, TaskContext], list[_Example]],
) -> Iterator[tuple[list[_Example], TaskContext]]:
    """Yield the examples of all question sets. Raises BadInput, also for what cannot be learned from."""
    from core.answering.models import Models
    from core.errors import BadInput

    read, models = read_sets(folders, limit), Models()
    with progress_bar(as_json) as context:
        examples = [example for dataset in read for example in collect(dataset, models, context)]
        try:
            yield examples, context
        except ValueError as error:
            raise BadInput(str(error), "Train on questions whose passages can be found.") from error


def print_trained(
    place: Path,
    report_path: Path | None,
    report: Mapping[str, object],
    as_json: bool,
    show: Callable[[], None],
) -> int:
    """Print what was learned, and where it and its report are: as an object, or as `show` prints it."""
    files = {"model": str(place), **({"report": str(report_path)} if report_path is not None else {})}
    if as_json:
        print_json({**files, **report})
    else:
        show()
        say(f"Written: {' and '.join(files.values())}")
    return 0
