"""A reviewer who knows Re-DocRED's gold relations decides on the facts of its articles, by the queue or by chance.

A fact is right where both of its ends are names of a pair that is related, wrong where they are names of pairs that are
not; on others the data set says nothing, and the reviewer passes them over. Predicates are not compared.
"""

from __future__ import annotations

import contextlib
import random
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from core.answering.models import Models
from core.lab.metrics import mean
from core.progress import TaskContext
from core.research.benches.docred import Article, pairs_of, read_articles
from core.research.benches.figures import Figure
from core.research.datasets import Dataset
from core.research.index_cache import open_cached
from core.review.deciding import decide_on_facts
from core.review.weighing import weigh
from core.store.encoder import MINILM
from core.store.store import Store
from core.text.sentences import sentences
from core.types import Fact, FactFilter
from core.types.identity import stable_id

DECISIONS = (0, 50, 200, 1_000)
SEEDS = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class Measured:
    """After some decisions: how many of them rejected a fact; of the facts that count, how many are right, and of the
    right ones, how many count."""

    errors: float
    precision: float
    recall: float


def run(file: Path, context: TaskContext) -> dict[str, Figure]:
    """Means over the seeds, beside those of the random order. Raises BadInput."""
    articles = {article.passage.id: article for article in read_articles(file)}
    folder = _indexed(list(articles.values()), context)
    found: dict[tuple[str, int], list[Measured]] = {}
    runs = [(order, seed) for seed in SEEDS for order in ("queue", "random")]
    verdicts: dict[str, bool] = {}
    for number, (order, seed) in enumerate(runs):
        context.report("reviews", number, len(runs), f"{order}, seed {seed}")
        with _copied(folder) as store:
            review = Review(store, articles, random.Random(seed))
            verdicts = review.verdicts
            for count, measured in review.decide(order == "queue", DECISIONS):
                found.setdefault((order, count), []).append(measured)
    context.report("reviews", len(runs), len(runs))
    figures = {
        "facts that the gold judges": Figure(len(verdicts), ""),
        "right ones of them": Figure(_share(verdicts.values()), "share"),
    }
    for part in fields(Measured):
        for count in DECISIONS:
            queue, chance = (
                mean([getattr(one, part.name) for one in found[order, count]])
                for order in ("queue", "random")
            )
            unit = "" if part.name == "errors" else "share"
            figures[f"{part.name}: {count:,} decisions"] = Figure(queue, unit, chance)
    return figures


class Review:
    """One reviewer at one workspace."""

    def __init__(self, store: Store, articles: Mapping[str, Article], chance: random.Random) -> None:
        self._store = store
        self._chance = chance
        keys = store.candidates.keys_of(store.candidates.ids(FactFilter(state="")))
        weigh(store, keys)  # the cached workspace may be of another version
        facts = store.candidates.read(keys)
        self.verdicts = {
            one.fact.id: right for one in facts if (right := verdict(one.fact, articles)) is not None
        }

    def decide(self, queued: bool, counts: Sequence[int]) -> Iterator[tuple[int, Measured]]:
        """What is measured after so many decisions, in the order of the queue or of chance."""
        waiting = sorted(self.verdicts)
        if queued:
            waiting = [id for id in self._store.candidates.ids(FactFilter()) if id in self.verdicts]
        else:
            self._chance.shuffle(waiting)
        for done, id in enumerate(["", *waiting[: max(counts)]]):
            if id:
                decide_on_facts(self._store, [id], "approved" if self.verdicts[id] else "rejected")
            if done in counts:
                yield done, self._measured()

    def _measured(self) -> Measured:
        candidates = self._store.candidates
        facts = [
            one for one in candidates.read(candidates.keys_of(self.verdicts)) if one.fact.id in self.verdicts
        ]
        counting = [self.verdicts[one.fact.id] for one in facts if one.counts]
        errors = sum(one.state == "rejected" for one in facts)
        return Measured(errors, _share(counting), sum(counting) / max(1, sum(self.verdicts.values())))


def verdict(fact: Fact, articles: Mapping[str, Article]) -> bool | None:
    """Whether gold holds the fact right; None where it does not know its ends."""
    judged = [
        bool(pairs & articles[triple.passage_id].related)
        for triple in fact.triples
        if (pairs := pairs_of(triple, articles[triple.passage_id]))
    ]
    return any(judged) if judged else None


def _share(right: Iterable[bool]) -> float:
    flags = list(right)
    return sum(flags) / max(1, len(flags))


def _indexed(articles: Sequence[Article], context: TaskContext) -> Path:
    """The folder of a workspace of these articles, kept for the next time."""
    passages = tuple(
        replace(article.passage, sentences=tuple(sentences(article.passage.text))) for article in articles
    )
    fingerprint = stable_id(*(f"{p.id}\x1f{p.title}\x1f{p.text}" for p in passages))
    workspace, _ = open_cached(Dataset("redocred", passages, (), fingerprint), context, Models())
    workspace.close()
    return workspace.path


@contextlib.contextmanager
def _copied(folder: Path) -> Iterator[Store]:
    with tempfile.TemporaryDirectory(prefix="clew-review-") as place:
        copy = Path(place) / "workspace"
        shutil.copytree(folder, copy)
        store = Store(copy, MINILM.model, MINILM.dimension)
        try:
            yield store
        finally:
            store.close()
