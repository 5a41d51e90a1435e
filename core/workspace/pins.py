"""Pinned questions: asked again after any change, to see what became of their routes, ranks and answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from core import __version__
from core.answering.models import encoder_words
from core.config import Config, changed, described
from core.errors import BadInput
from core.progress import TaskContext
from core.review.pins import (
    ASKED,
    compare,
    differing,
    evidence_of,
    passages_of,
    place_of,
    read_pins,
    result_of,
    write_pins,
)
from core.store.settings import OWN_ROUTE
from core.text.translation import tr
from core.types import (
    Answer,
    Citation,
    JudgedPlace,
    Pin,
    PinComparison,
    PinPassage,
    PinRun,
    SinceRun,
    Tuning,
)
from core.workspace.handle import WorkspaceHandle

if TYPE_CHECKING:
    from core.answering.ask import Asker

_BASELINE = "pin_baseline"  # the setting that holds it
_BEFORE_TUNING = "before_tuning"  # the values that tuned settings had, a line each


class _Ask(Protocol):
    def __call__(self, question: str, context: TaskContext, route: str = "auto", k: int = 5) -> Answer: ...


class PinsApi:
    """`workspace.pins`. Safe from every thread.

    Nothing of the documents follows from what is pinned, so that it needs trust but no lock: it can be said while
    another process indexes. All that writes raises Untrusted, and WorkspaceError where nothing can be written.
    """

    def __init__(
        self,
        opened: WorkspaceHandle,
        ask: _Ask,
        config: Callable[[], Config],
        asker: Callable[[], Asker],
        keep_settings: Callable[[Sequence[str]], list[str]],
    ) -> None:
        self._store = opened.store
        self._pins = opened.store.pins
        self._check_trusted = opened.check_trusted
        self._ask = ask
        self._config = config
        self._asker = asker
        self._keep_settings = keep_settings

    def all(self) -> list[Pin]:
        """The oldest first."""
        return self._pins.all()

    def pin(
        self,
        answer: Answer,
        citations: Iterable[Citation] | None = None,
        right_answer: str | None = None,
    ) -> Pin:
        """Pin the answer's question. None: what it cites is expected, and it is right; "" with citations: not known.

        What was expected of the same question before goes.
        """
        self._check_trusted()
        asked = answer.trace
        text, cited = ("", ()) if answer.abstained else (answer.text, answer.citations)
        places = self._pins.cited(cited if citations is None else citations)
        route = asked.route.name if asked.route.forced else "auto"
        with self._store.database.transaction():
            id = self._pins.put(asked.question, text if right_answer is None else right_answer, places, route)
            self._pins.set_evidence(id, evidence_of(answer))
        return next(pin for pin in self.all() if pin.id == id)

    def add(
        self, question: str, context: TaskContext, route: str = "auto", right_answer: str | None = None
    ) -> Pin:
        """Ask a question and pin the answer as `pin` does. Raises as `Workspace.ask`, too."""
        self._check_writable()
        return self.pin(self._ask(question, context, route), right_answer=right_answer)

    def unpin(self, ids: Iterable[str]) -> None:
        """Those that are not pinned are passed by."""
        self._check_trusted()
        self._pins.remove(ids)

    def put(self, pins: Iterable[Pin]) -> None:
        """Have these be pinned and this be expected of them, in place of what was expected of the same questions."""
        self._check_trusted()
        with self._store.database.transaction():
            for pin in pins:
                self._pins.put(pin.question, pin.right_answer, pin.places, pin.route, pin.created)

    def replace(self, pins: Sequence[Pin]) -> None:
        """Have these be pinned and no others."""
        with self._store.database.transaction():
            self.unpin({pin.id for pin in self.all()} - {pin.id for pin in pins})
            self.put(pins)

    # ------------------------------------------------------------ expected passages

    def passages(self, pin: Pin) -> list[PinPassage]:
        """Expected ones, then the others that its last answer rests on, so that they can be expected, too."""
        return passages_of(self._store, pin)

    def place_of(self, passage_id: str, start: int = 0, end: int = 0) -> JudgedPlace:
        """Characters of a document's text, or a whole passage, to be expected. Raises BadInput where it is gone."""
        return place_of(self._store, passage_id, start, end)

    def gone(self) -> dict[str, int]:
        """How many expected places stand in no document any more, by pin, where any do.

        Quotes that are expected wherever they stand are not looked for here.
        """
        doubtful = {
            pin.id: [place for place in pin.places if place.state in ("changed", "gone")]
            for pin in self.all()
        }
        counts = {
            id: sum(not self._pins.located(place)[1] for place in places) for id, places in doubtful.items()
        }
        return {id: count for id, count in counts.items() if count}

    def affected_by(self, entity_ids: Collection[str] = (), fact_ids: Collection[str] = ()) -> list[Pin]:
        """Pins whose last answer rests on passages that name one of the entities or hold one of the facts."""
        found = set(self._pins.affected(entity_ids, fact_ids))
        return [pin for pin in self.all() if pin.id in found] if found else []

    # ------------------------------------------------------------ tuning

    def tune(self, context: TaskContext) -> Tuning:
        """Return what these questions, and answers that were judged, would change. Changes nothing.

        Raises BadInput where too few questions expect any passage, or where the workspace asks by a composition of its
        own; NothingIndexed, Cancelled.
        """
        from core.answering.tuning import tune  # slow to import

        if own := self._store.settings.get(OWN_ROUTE):
            raise BadInput(
                tr("This workspace asks by {route}, which no weight or threshold changes.", route=own),
                tr("Have it ask by the automatic route again, in the laboratory: Alt+5."),
            )
        return tune(self._store, self._asker().rankings, self._config(), context)

    def apply_tuning(self, tuning: Tuning) -> None:
        """Have its settings hold for this workspace. Raises as `Workspace.keep_settings`."""
        if not tuning.settings:
            return
        now = {each.name: each.value for each in described(self._config())}
        before = [f"{each.name}={now[each.name]}" for each in tuning.settings]
        self._keep_settings(tuning.lines)
        self._store.settings.set(_BEFORE_TUNING, "\n".join(before))

    def undo_tuning(self) -> list[str]:
        """Put back what the last tuning changed, and return it. Raises BadInput where nothing was tuned."""
        before = self._store.settings.get(_BEFORE_TUNING).splitlines()
        if not before:
            raise BadInput(tr("Nothing was tuned here."), tr("See what would change: clew train WORKSPACE"))
        self._keep_settings(before)
        self._store.settings.set(_BEFORE_TUNING, "")
        return before

    # ------------------------------------------------------------ runs

    def run(self, context: TaskContext, baseline: int | None = None) -> PinComparison:
        """Ask all pinned questions and keep what comes, compared with the run `baseline`.

        Without it, with the one that the person keeps as baseline, else with the one before.

        Raises BadInput where nothing is pinned or there is no such run, Cancelled with nothing kept, and as
        `Workspace.ask`.
        """
        self._check_writable()
        pins = self.all()
        if not pins:
            raise BadInput(
                tr("No question is pinned."), tr("Pin an answer in the window, or: clew pins add.")
            )
        baseline_run = self.baseline() if baseline is None else baseline
        before = self.get(baseline_run) if baseline_run is not None else self.last()
        results, evidence = [], {}
        revision, settings = self._store.settings.revision(), self._settings()
        for number, pin in enumerate(pins):
            context.report("questions", number, len(pins))
            answer = self._ask(pin.question, context, pin.route, ASKED)
            results.append(result_of(self._store, pin, answer))
            evidence[pin.id] = evidence_of(answer)
        context.report("questions", len(pins), len(pins))
        with self._store.database.transaction():
            for id, passages in evidence.items():
                self._pins.set_evidence(id, passages)
            now = self._pins.add_run(revision, settings, results)
        return compare(before, now)

    def runs(self) -> list[PinRun]:
        """The newest first, without their results."""
        return self._pins.runs()

    def get(self, number: int) -> PinRun:
        """A run with its results. Raises BadInput where there is none of this number."""
        run = self._pins.run(number)
        if run is None:
            raise BadInput(
                tr("There is no run {number}.", number=number), tr("Choose one that `clew pins list` tells.")
            )
        return run

    def last(self) -> PinRun | None:
        """The run made last, with its results."""
        runs = self.runs()
        return self.get(runs[0].number) if runs else None

    def compare(self, before: int, now: int) -> PinComparison:
        """What changed from one run to another. Raises BadInput where there is no such run."""
        return compare(self.get(before), self.get(now))

    def latest(self) -> PinComparison | None:
        """The last run, compared with the baseline, else with the one before it; None before the first."""
        numbers = [run.number for run in self.runs()[:2]]
        if not numbers:
            return None
        baseline = self.baseline()
        before = [baseline] if baseline is not None else numbers[1:]
        return compare(self.get(before[0]) if before else None, self.get(numbers[0]))

    def baseline(self) -> int | None:
        """The run that others are compared with; None: the one before."""
        number = self._store.settings.get(_BASELINE)
        return int(number) if number.isdecimal() and self._pins.run(int(number)) else None

    def keep_baseline(self, number: int | None) -> None:
        """Compare runs with this one from now on; None: with the one before. Raises BadInput for no run."""
        self._check_trusted()
        self._store.settings.set(_BASELINE, "" if number is None else str(self.get(number).number))

    def since_run(self) -> SinceRun | None:
        """What changed since the last run; None before the first."""
        last = self.last()
        if last is None:
            return None
        known = {result.pin_id for result in last.results}
        unasked = sum(pin.id not in known for pin in self.all())
        content = self._store.settings.revision() != last.revision
        return SinceRun(last.number, content, differing(last.settings, self._settings()), unasked)

    def _check_writable(self) -> None:
        """Before questions are asked, so that no answer is lost."""
        self._check_trusted()
        with self._store.database.transaction():
            pass

    def _settings(self) -> list[str]:
        policy, store = self._store.candidates.policy(), self._store
        return [
            f"clew={__version__}",
            f"encoder={encoder_words(store.embeddings.encoder)}",
            f"extractor={store.settings.get('extractor')}",
            f"facts={policy.counts}" + (f" from {policy.bar:g}" if policy.counts == "sure" else ""),
            *changed(self._config()),
        ]

    # ------------------------------------------------------------ files

    def export_pins(self, target: Path, replace: bool = False) -> int:
        """Write the pinned questions as JSON lines; how many. Raises BadInput, WorkspaceError."""
        return write_pins(self._store, target.expanduser(), replace)

    def import_pins(self, source: Path) -> tuple[int, int]:
        """Pin the questions of a file of JSON lines: (how many, how many of their quotes stand in no document).

        Raises BadInput, with nothing pinned.
        """
        from core.retrieval.routes import GLOBAL, LAB, ROUTES, compositions  # slow to import
        from core.store.settings import COMPOSITIONS

        self._check_trusted()
        composed = (LAB + name for name in compositions(self._store.settings.get(COMPOSITIONS)))
        routes = frozenset(("auto", GLOBAL, *ROUTES, *composed))
        return read_pins(self._store, source.expanduser(), routes)
