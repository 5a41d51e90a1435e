"""The stages that turn documents into an index: one list, which every run works through from a start of its own.

Indexing starts at the first stage. Whatever changes documents, names or decisions without reading a folder starts at
`DERIVED`, and so does a repair. A stage runs only while its precondition says that something is due, so a run that was
interrupted or killed is finished by the next one, whichever it is.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from core.answering.models import Models, encoder_choice, is_minilm, stored_precision
from core.answering.reports.writing import write_changed
from core.config import Config
from core.extraction.extractors import EXTRACTORS, MODEL_EXTRACTORS, ExtractionParts
from core.graph.overview_cache import forget_overview
from core.ingest.cluster.connection import Cluster
from core.ingest.cluster.executor import RayEncodingExecutor, RayExecutor
from core.ingest.cluster.nodes import PassagePlan
from core.ingest.derive import build_graph, embed_names, label_names, note_forms, update_names
from core.ingest.executors import Executor, InlineExecutor, ProcessExecutor, ThreadExecutor
from core.ingest.linking import outdated
from core.ingest.map_content import judge_names
from core.ingest.model_estimate import STAGE, report_estimate
from core.ingest.pipeline import Pipeline
from core.models.hosts import host_at
from core.models.loading import bundled_minilm
from core.progress import TaskContext
from core.protocols import Encoder, Extractor, LanguageModel
from core.retrieval.snapshot_file import forget_snapshot
from core.store.store import Store
from core.store.workspace_files import DERIVED as DERIVED_FILES
from core.text.translation import tr
from core.types import Growth

_MOST_WORKERS = 8  # each holds a language pipeline of some hundred MB
_INLINE_UP_TO = 48  # passages; starting a second process would take longer than their extraction

OnGrowth = Callable[[Growth], None]


@dataclass(frozen=True, slots=True)
class Run:
    """What the stages of one run work on, and with."""

    store: Store
    models: Models
    config: Config
    context: TaskContext
    read: Callable[[], None] | None = None  # brings the documents in line with their source
    extractor: str | Extractor = "rules"
    cluster: Cluster | None = None
    on_growth: OnGrowth | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """A step of a run, and whether there is anything for it to do."""

    name: str
    run: Callable[[Run], None]
    is_due: Callable[[Run], bool]


def run_stages(run: Run, start: str = "read") -> None:
    """Work through the stages from the one called `start`. Raises Cancelled, and what a stage raises."""
    first = [stage.name for stage in STAGES].index(start)
    for stage in STAGES[first:]:
        if stage.is_due(run):
            stage.run(run)


def refresh_derived(store: Store, models: Models, config: Config, context: TaskContext) -> None:
    """Bring names, graph, communities and reports in step with documents and decisions. Raises Cancelled."""
    run_stages(Run(store, models, config, context), DERIVED)


# ------------------------------------------------------------ documents


def _read(run: Run) -> None:
    assert run.read is not None  # the precondition
    run.read()


def _reset_extraction(run: Run) -> None:
    """Have everything extracted again, because another extractor, or another version of it, is used."""
    extractor = choose_extractor(run.store, run.models, run.config, run.extractor)
    if run.store.settings.get("extractor"):
        run.store.passages.reset("extract")
    run.store.settings.set("extractor", _version_of(extractor))


def is_extracted_by(store: Store, extractor: Extractor) -> bool:
    """Return whether the passages were read by this version of this extractor, or will be."""
    return store.settings.get("extractor") == _version_of(extractor)


def _version_of(extractor: Extractor) -> str:
    return f"{extractor.name} {extractor.version}"


def choose_extractor(store: Store, models: Models, config: Config, extractor: str | Extractor) -> Extractor:
    """Return the extractor of that name; one that asks a model keeps its replies in the store."""
    if not isinstance(extractor, str):
        return extractor
    kind = extractor.partition(":")[0]
    if kind not in MODEL_EXTRACTORS:
        return models.extractor(extractor)
    parts = ExtractionParts(extracting_model(store, models, config, extractor), config.models, store.replies)
    return MODEL_EXTRACTORS[kind](parts)


def extracting_model(store: Store, models: Models, config: Config, extractor: str) -> LanguageModel:
    """Return the model behind "ollama:MODEL" or "mixed:MODEL"."""
    model = extractor.partition(":")[2]
    return models.language_model(store, f"ollama:{model}".rstrip(":"), config.models)


# ------------------------------------------------------------ passages


def _encode_and_extract(run: Run) -> None:
    """Encode pending passages and extract from them; each batch is committed."""
    store, config = run.store, run.config
    if isinstance(run.extractor, str) and run.extractor not in EXTRACTORS:
        model = extracting_model(store, run.models, config, run.extractor)
        named = _report_host(config, model.name, run.context)
        report_estimate(store, model, named, run.extractor.startswith("ollama"), run.context)
    if (chosen := encoder_choice(store, config.models).encoder).startswith("ollama:"):
        _report_host(config, chosen, run.context)
    encoder = run.models.encoder_of(store, config.models)
    executor = _executor(run, encoder)
    try:
        proposer = run.extractor if isinstance(run.extractor, str) else "rules"
        Pipeline(store, encoder, executor, run.on_growth, proposer).run(run.context)
    finally:
        executor.close()


def _report_host(config: Config, model: str, context: TaskContext) -> str:
    """Return the model with its host, which is reported before texts go to another machine."""
    host = host_at(config.models.host)
    if not host.here:
        context.report(STAGE, 1, 1, tr("Texts are sent to {beside}.", beside=host.model_label(model)))
    return host.model_label(model)


def _executor(run: Run, encoder: Encoder) -> Executor:
    """Return threads for what waits for a server; for large jobs of the rules a cluster or a second process."""
    extractor = choose_extractor(run.store, run.models, run.config, run.extractor)
    is_large = run.store.passages.count_pending() > _INLINE_UP_TO
    if run.cluster is not None and is_large:
        return _cluster_executor(run.cluster, run.store, extractor, encoder)
    if not isinstance(run.extractor, str):
        return InlineExecutor(lambda: extractor)
    if run.extractor not in EXTRACTORS:
        return ThreadExecutor(extractor, run.config.models.parallel)
    if is_large:
        # Without shared memory (some containers) there can be no second process: then this one does it all.
        with contextlib.suppress(OSError, ImportError):
            return ProcessExecutor(EXTRACTORS[run.extractor], _workers())
    return InlineExecutor(lambda: extractor)


def _cluster_executor(cluster: Cluster, store: Store, extractor: Extractor, encoder: Encoder) -> Executor:
    """Return an executor whose nodes encode, too, if the encoder is the one that they have."""
    if not is_minilm(encoder):
        return RayExecutor(cluster.passage_pool(PassagePlan(EXTRACTORS[extractor.name]), extractor, encoder))
    precision = stored_precision(store)
    plan = PassagePlan(EXTRACTORS[extractor.name], partial(bundled_minilm, precision), precision)
    return RayEncodingExecutor(cluster.passage_pool(plan, extractor, encoder))


def _workers() -> int:
    """Return one process for every second core: this one encodes, which takes as long."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2
    return max(1, min(_MOST_WORKERS, cores // 2))


# ------------------------------------------------------------ what is derived


def _update_names(run: Run) -> None:
    update_names(run.store, run.context)
    embedder = partial(run.models.encoder_of, run.store, run.config.models)
    embed_names(run.store, embedder, run.context)
    judge_names(run.store, run.models.encoder, run.context)
    label_names(run.store)  # by what the judge says
    embed_names(run.store, embedder, run.context)  # words that it takes for names


def _write_reports(run: Run) -> None:
    write_changed(run.store, run.context)
    run.store.marks.reports_settled()


def _erase_words(run: Run) -> None:
    """Take the words of what is gone out of the full-text index and the derived files."""
    run.store.passages.forget_words()
    derived = run.store.database.path.with_name(DERIVED_FILES)
    forget_snapshot(derived)
    forget_overview(derived)


def _is_graph_behind(run: Run) -> bool:
    return run.store.marks.any() or outdated(run.store, run.config.graph)


def _is_other_extractor(run: Run) -> bool:
    extractor = choose_extractor(run.store, run.models, run.config, run.extractor)
    return not is_extracted_by(run.store, extractor)


def _always(run: Run) -> bool:
    """The stage itself finds what is new, which is quick if nothing is."""
    return True


DERIVED = "privacy"  # the first stage that needs neither files nor an extractor
STAGES = (
    Stage("read", _read, lambda run: run.read is not None),
    Stage("reset", _reset_extraction, _is_other_extractor),
    Stage("extract", _encode_and_extract, lambda run: run.store.passages.count_pending() > 0),
    Stage("classify", lambda run: note_forms(run.store, run.context), _always),
    Stage(DERIVED, lambda run: run.store.private.compare(), _always),
    Stage("names", _update_names, _is_graph_behind),
    Stage("graph", lambda run: build_graph(run.store, run.config.graph, run.context), _is_graph_behind),
    Stage("reports", _write_reports, _always),
    Stage("erase", _erase_words, lambda run: run.store.marks.unforgotten()),
)
