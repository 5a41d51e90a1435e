"""From a folder, or from given passages, to a finished index."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from core.answering.models import Models, encoder_choice, is_minilm, stored_precision
from core.config import Config
from core.errors import BadInput, ModelUnavailable, WorkspaceError
from core.extraction.extractors import EXTRACTORS, MODEL_EXTRACTORS, ExtractionParts, check_extractor
from core.extraction.prompts import VERSION
from core.ingest.chunking import SentenceChunker
from core.ingest.classify_texts import note_forms
from core.ingest.cluster.connection import Cluster, ClusterAddress, parse_executor
from core.ingest.cluster.executor import RayEncodingExecutor, RayExecutor
from core.ingest.cluster.loader import RayLoader
from core.ingest.cluster.nodes import PassagePlan
from core.ingest.dating import dated_by_name
from core.ingest.executors import Executor, InlineExecutor, ProcessExecutor, ThreadExecutor
from core.ingest.folder import OnDocument, read_folder
from core.ingest.model_estimate import STAGE, report_estimate
from core.ingest.pipeline import Pipeline
from core.ingest.reading_process import ReadingProcess
from core.models.hosts import host_at
from core.models.loading import check_model, kept_minilm
from core.progress import TaskContext
from core.protocols import Encoder, Extractor, LanguageModel, Loader
from core.store.settings import EncoderRecord, path_as_text, write_encoder
from core.store.store import Store
from core.text.translation import tr
from core.types import Document, Growth, Passage, State
from core.types.identity import stable_id
from core.workspace.refresh_derived import refresh_derived

_MOST_WORKERS = 8  # each holds a language pipeline of some hundred MB
_FEW = 8  # changed files: more are worth a second process that extracts
_INLINE_UP_TO = 48  # passages; starting a second process would take longer than their extraction

OnGrowth = Callable[[Growth], None]


def index_folder(
    folder: Path,
    store: Store,
    models: Models,
    config: Config,
    context: TaskContext,
    on_growth: OnGrowth | None,
    on_document: OnDocument | None,
    extractor: str,
    executor: str = "",
) -> None:
    """Read what changed in `folder`, take it through every stage, derive the rest.

    `executor`: "ray[:ADDRESS]" reads, extracts and encodes on the nodes of a cluster.
    A language model that will be needed is looked for before anything is changed. Raises ModelUnavailable.
    """
    cluster_at = _cluster_at(store, executor, extractor)
    encoder = _check(store, models, extractor, config, context)
    folder = folder.expanduser().absolute()
    chunker = SentenceChunker(config.chunking, encoder.tokenizer, encoder.max_tokens, _vocabulary(encoder))
    loading = threading.Thread(target=_load_language, args=(models, extractor))
    known = bool(store.files.all())
    asked = _will_ask(store, models, config, extractor)
    if asked:
        _look_for_model(extractor, config, context)

    def begin(count: int) -> None:
        if not asked:
            _look_for_model(extractor, config, context)
        if known and count <= _FEW:
            loading.start()

    with contextlib.ExitStack() as open_:
        cluster = open_.enter_context(Cluster(cluster_at, context)) if cluster_at is not None else None
        with (
            ReadingProcess(config.reading, context.check) as here,
            _loader(here, cluster, config, context) as loader,
        ):
            notify, links = on_document or _nobody, config.reading.follow_links
            read_folder(folder, store, loader, chunker, context, notify, begin, links)
        if loading.ident is not None:
            loading.join()
        store.settings.set("folder", path_as_text(folder))
        undone = store.documents.undone()
        _build(store, models, config, context, on_growth, extractor, cluster)
    if on_document is not None:
        for document_id in undone:
            on_document(store.documents.get(document_id))


def index_passages(
    passages: Sequence[Passage],
    store: Store,
    models: Models,
    config: Config,
    context: TaskContext,
    extractor: Extractor | None = None,
) -> None:
    """Store passages as they are, each a document of its own, and take them through every stage.

    `extractor` stands in for the rules; it works in this process.
    """
    _check(store, models, "rules", config, context)
    known = {document.id for document in store.documents.all()}
    for number, passage in enumerate(passages):
        context.report("read", number, len(passages), passage.title)
        if passage.document_id not in known:
            store.documents.put_read(_document_of(passage), passage.text, (), [passage])
    _build(store, models, config, context, None, extractor or "rules")


def _build(
    store: Store,
    models: Models,
    config: Config,
    context: TaskContext,
    on_growth: OnGrowth | None,
    extractor: str | Extractor,
    cluster: Cluster | None = None,
) -> None:
    active_extractor = _made(store, models, config, extractor)
    _renew(store, active_extractor)
    pending = store.passages.count_pending()
    if pending:
        if isinstance(extractor, str) and extractor not in EXTRACTORS:
            model = _model_of(store, models, config, extractor)
            named = _report_host(config, model.name, context)
            report_estimate(store, model, named, extractor.startswith("ollama"), context)
        if (chosen := encoder_choice(store, config.models).encoder).startswith("ollama:"):
            _report_host(config, chosen, context)
        encoder = models.encoder_of(store, config.models)
        if cluster is not None and pending > _INLINE_UP_TO:
            executor = _cluster_executor(cluster, store, active_extractor, encoder)
        else:
            executor = _executor(config, extractor, active_extractor, pending)
        try:
            proposer = extractor if isinstance(extractor, str) else "rules"
            Pipeline(store, encoder, executor, on_growth, proposer).run(context)
        finally:
            executor.close()
    note_forms(store, context)
    refresh_derived(store, models, config, context)


def _report_host(config: Config, model: str, context: TaskContext) -> str:
    """The model with its host; told before texts go to another machine."""
    host = host_at(config.models.host)
    if not host.here:
        context.report(STAGE, 1, 1, tr("Texts are sent to {beside}.", beside=host.beside(model)))
    return host.beside(model)


def _will_ask(store: Store, models: Models, config: Config, extractor: str) -> bool:
    """Whether a model will be asked about what is in the store already, or is chosen for the first time."""
    if extractor in EXTRACTORS:
        return False
    active_extractor = _made(store, models, config, extractor)
    model = _model_of(store, models, config, extractor).name
    if _is_current(store, active_extractor):
        return store.replies.count_unread(model, VERSION) > 0
    # Who read everything before is not asked again.
    passages = store.census.status(digest=False).passages
    return not passages or store.replies.usage(model, VERSION)[0] < passages


def _look_for_model(extractor: str, config: Config, context: TaskContext) -> None:
    """Raises ModelUnavailable where the extractor asks a model that is not there."""
    kind, _, model = extractor.partition(":")
    if kind in MODEL_EXTRACTORS:
        check_model(f"ollama:{model}", config.models, context)


def _load_language(models: Models, extractor: str) -> None:
    """Load what the rules read with while another process reads a changed file: this one only waits meanwhile."""
    if extractor in EXTRACTORS:
        # A model that is missing is told when it is needed.
        with contextlib.suppress(ModelUnavailable):
            list(models.extractor(extractor).extract((), TaskContext()))


def _made(store: Store, models: Models, config: Config, extractor: str | Extractor) -> Extractor:
    """The extractor of that name; one that asks a model keeps its replies in the store."""
    if not isinstance(extractor, str):
        return extractor
    kind = extractor.partition(":")[0]
    if kind not in MODEL_EXTRACTORS:
        return models.extractor(extractor)
    parts = ExtractionParts(_model_of(store, models, config, extractor), config.models, store.replies)
    return MODEL_EXTRACTORS[kind](parts)


def _model_of(store: Store, models: Models, config: Config, extractor: str) -> LanguageModel:
    """The model behind "ollama:MODEL" or "mixed:MODEL"."""
    model = extractor.partition(":")[2]
    return models.language_model(store, f"ollama:{model}".rstrip(":"), config.models)


def _executor(config: Config, extractor: str | Extractor, made: Extractor, pending: int) -> Executor:
    """Threads for who waits for a server; for large jobs of the rules a second process, where there can be one."""
    if not isinstance(extractor, str):
        return InlineExecutor(lambda: made)
    if extractor not in EXTRACTORS:
        return ThreadExecutor(made, config.models.parallel)
    if pending > _INLINE_UP_TO:
        # Without shared memory (some containers) no process can be talked to: then one does it all.
        with contextlib.suppress(OSError, ImportError):
            return ProcessExecutor(EXTRACTORS[extractor], _workers())
    return InlineExecutor(lambda: made)


def _cluster_at(store: Store, executor: str, extractor: str) -> ClusterAddress | None:
    """Where the cluster is, None for this machine alone. Raises BadInput, ModelUnavailable."""
    found = parse_executor(executor)
    if found is not None and extractor not in EXTRACTORS:
        raise BadInput(
            tr(
                "The nodes of a cluster read by rules; {extractor} asks a model from here.",
                extractor=extractor,
            ),
            tr("Leave --executor out, or choose --extractor rules."),
        )
    if found is not None and found.address and store.private.is_any:
        raise BadInput(
            tr("Private documents are not sent to the nodes of a cluster."),
            tr("Leave --executor out, or choose ray without an address."),
        )
    return found


def _loader(
    here: ReadingProcess, cluster: Cluster | None, config: Config, context: TaskContext
) -> contextlib.AbstractContextManager[Loader]:
    if cluster is None:
        return contextlib.nullcontext(here)
    open_pool = partial(cluster.reading_pool, config.reading, here.version)
    return RayLoader(here, open_pool, config.reading, context)


def _cluster_executor(cluster: Cluster, store: Store, made: Extractor, encoder: Encoder) -> Executor:
    """The nodes encode, too, where the encoder is the one that they have: others are this machine's own."""
    if not is_minilm(encoder):
        return RayExecutor(cluster.passage_pool(PassagePlan(EXTRACTORS[made.name]), made, encoder))
    precision = stored_precision(store)
    plan = PassagePlan(EXTRACTORS[made.name], partial(kept_minilm, precision), precision)
    return RayEncodingExecutor(cluster.passage_pool(plan, made, encoder))


def _workers() -> int:
    """One process for every second core: this one encodes, which takes as long."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2
    return max(1, min(_MOST_WORKERS, cores // 2))


def _renew(store: Store, made: Extractor) -> None:
    """Extract everything anew when another extractor, or another version of it, is used."""
    if not _is_current(store, made):
        if store.settings.get("extractor"):
            store.passages.reset("extract")
        store.settings.set("extractor", f"{made.name} {made.version}")


def _is_current(store: Store, made: Extractor) -> bool:
    return store.settings.get("extractor") == f"{made.name} {made.version}"


def _document_of(passage: Passage) -> Document:
    return Document(
        id=passage.document_id,
        path=passage.id,
        sha256=stable_id(passage.title, passage.text),
        size=len(passage.text),
        title=passage.title,
        media_type="text/plain",
        date=dated_by_name(passage.title) or None,
        state=State.PENDING,
    )


def _check(store: Store, models: Models, extractor: str, config: Config, context: TaskContext) -> Encoder:
    """The encoder of this run, kept as the workspace's own. Raises what makes the run impossible."""
    if store.database.read_only:
        raise WorkspaceError(
            tr(
                "The workspace {parent} is read-only, so nothing can be indexed into it.",
                parent=store.database.path.parent,
            ),
            tr("Choose another place for the workspace."),
        )
    check_extractor(extractor, config.models)
    encoder = models.question_encoder(store, config.models, context)
    others = store.embeddings.other_models()
    if others:
        raise BadInput(
            tr(
                "This workspace holds vectors of {others}; {name} would not fit with them.",
                others=", ".join(others),
                name=encoder.name,
            ),
            tr("Index into a new workspace."),
        )
    choice = encoder_choice(store, config.models)
    write_encoder(store.settings, EncoderRecord(choice, encoder.name, encoder.dimension))
    return encoder


def _vocabulary(encoder: Encoder) -> str:
    """What passages are counted by; "" for minilm, by which all were counted once."""
    return "" if is_minilm(encoder) else encoder.name


def _nobody(document: Document) -> None:
    """Nobody listens."""
