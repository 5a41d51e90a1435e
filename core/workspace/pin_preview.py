"""What a change of names would do to pinned questions: made on a copy of the workspace, which is thrown away."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from core.answering.ask import asker_over
from core.answering.models import Models
from core.config import Config
from core.index.vector import IndexFolder
from core.progress import TaskContext
from core.retrieval.snapshot_file import FILE as SNAPSHOT
from core.review.attach_support import attach_support
from core.review.deciding import change_names
from core.review.naming import items_of
from core.review.pins import ASKED, PinAnswer, affected, evidence_of, result_of
from core.store.backup import copy_database
from core.store.settings import MINILM
from core.store.store import FILE, Store
from core.store.workspace_files import DERIVED
from core.types import AffectedPin, NameChange, Pin
from core.workspace.stages import refresh_derived

_LEFT = shutil.ignore_patterns(SNAPSHOT)  # of another state than the copy will be


def affected_pins(
    store: Store, change: NameChange, models: Models, config: Config, context: TaskContext
) -> tuple[AffectedPin, ...]:
    """All of them are asked before and after: no shorter way tells for sure. Raises as `NamesApi.affected_pins`."""
    items_of(store, change)  # refused at once
    pins = store.pins.all()
    if not pins:
        return ()
    source = store.database.path
    with tempfile.TemporaryDirectory(prefix="clew-names-") as place:
        folder = Path(place)
        copy_database(source, folder / FILE, context)
        # What is missing of the index files is made anew.
        with contextlib.suppress(OSError):
            shutil.copytree(source.with_name(DERIVED), folder / DERIVED, symlinks=True, ignore=_LEFT)
        with contextlib.closing(Store(folder, MINILM.model, MINILM.dimension)) as copy:
            refresh_derived(copy, models, config, context)  # so that what nobody caught up with is in both
            total = 2 * len(pins)

            def asked(first: int) -> dict[str, PinAnswer]:
                return _asked(
                    copy,
                    pins,
                    models,
                    config,
                    lambda at: context.report("questions", first + at, total),
                    context,
                )

            before = asked(0)
            change_names(copy, change)
            refresh_derived(copy, models, config, context)
            return affected(before, asked(len(pins)))


def _asked(
    store: Store,
    pins: list[Pin],
    models: Models,
    config: Config,
    report_at: Callable[[int], None],
    context: TaskContext,
) -> dict[str, PinAnswer]:
    """By pin."""
    asker = asker_over(store, models, config, IndexFolder(store.database.path.with_name(DERIVED)))
    found = {}
    for at, pin in enumerate(pins):
        report_at(at)
        answer = attach_support(store, asker.ask(pin.question, context, pin.route, ASKED))
        found[pin.id] = result_of(store, pin, answer), evidence_of(answer)
    report_at(len(pins))
    return found
