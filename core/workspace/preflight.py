"""Before a model is used: what there is, how good and how fast it is on this corpus, what all of it will cost."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from core.answering.models import Models
from core.config import ModelConfig
from core.errors import BadInput, HostNotAllowed, ModelFault, ModelSilent, ModelUnavailable, NothingIndexed
from core.extraction.extractors import (
    MIXED_BELOW,
    MODEL_EXTRACTORS,
    ExtractionParts,
    known_extractor,
    model_extractor,
    rules_extractor,
)
from core.extraction.language_model import measure
from core.extraction.names import normalise
from core.extraction.prompts import VERSION
from core.ingest.model_estimate import estimate, span
from core.models.hosts import NOBODY, allow, forget, host_at, own_host
from core.progress import TaskContext
from core.protocols import LanguageModel
from core.store.store import Store
from core.text.translation import mark, tr, trn
from core.types import (
    Estimate,
    ExtractionComparison,
    ModelCheck,
    ModelHost,
    ModelInfo,
    ModelServer,
    ModelWork,
    Passage,
    Trial,
    Triple,
    TripleChange,
)

Writing = Callable[[str], AbstractContextManager[object]]
SAMPLE = 3  # passages
_AT_ONCE = 2.0  # seconds
_SCHEMAS_SINCE = 5  # Ollama 0.5
_LONG = 8 * 3600.0  # seconds: more than a night


def model_server(config: ModelConfig, context: TaskContext) -> ModelServer:
    """The server at the configured host with its models. Raises ModelUnavailable, ModelFault, Cancelled."""
    from core.models.ollama.faults import Unreachable, unavailable
    from core.models.ollama.stream import models, version

    try:
        return ModelServer(config.host, version(config, context), tuple(models(config, context)))
    except (ModelSilent, Unreachable) as fault:
        raise unavailable(fault) from fault


class LanguageModels:
    """What a workspace can find out about language models."""

    def __init__(
        self,
        store: Store,
        models: Models,
        config: ModelConfig,
        writing: Writing,
        check_trusted: Callable[[], None],
    ) -> None:
        """`writing(doing)` is held while something is written; `check_trusted` is called before anybody is asked."""
        self._store = store
        self._writing = writing
        self._check_trusted = check_trusted
        self._models = models
        self._config = config

    @property
    def host(self) -> ModelHost:
        """Where models are asked for. Raises BadInput where that is no address."""
        return host_at(own_host() if self._config.host == NOBODY else self._config.host)

    def allow_host(self, allowed: bool = True) -> None:
        """Let texts of documents be sent to the host, though it is not this machine, or take that back."""
        (allow if allowed else forget)(self.host.address)

    def server(self, context: TaskContext) -> ModelServer:
        """See `model_server`. Raises Untrusted."""
        self._check_trusted()
        return model_server(self._config, context)

    def digest(self, model: str, context: TaskContext) -> str:
        """Hash by which Ollama lists a model, "" where it tells none within two seconds. Raises Cancelled."""
        from core.models.ollama.stream import digest

        named = replace(self._config, model=model.removeprefix("ollama:"))
        with contextlib.suppress(ModelFault, HostNotAllowed):
            return digest(named, context, _AT_ONCE)
        return ""

    def check(self, model: str, context: TaskContext) -> ModelCheck:
        """Measure `model` on three passages of the corpus and estimate the whole; changes nothing.

        Raises NothingIndexed for a workspace without passages, ModelUnavailable, ModelFault, Cancelled.
        """
        server = self.server(context)
        info = next((m for m in server.models if m.name in (model, f"{model}:latest")), None)
        if info is None:
            raise ModelUnavailable(
                tr("Ollama has no model called {model}.", model=model),
                tr("clew models list tells what there is, or: ollama pull {model}", model=model),
            )
        if info.capabilities and "completion" not in info.capabilities:
            raise BadInput(
                tr(
                    "{model} writes no text ({capabilities}).",
                    model=model,
                    capabilities=", ".join(info.capabilities),
                ),
                tr("Choose another model."),
            )
        language_model = self._models.language_model(self._store, f"ollama:{model}", self._config)
        lengths = self._store.passages.lengths()
        passages = self._sample(lengths)
        trial = measure(language_model, passages, context)
        done, _, _ = self._store.replies.usage(language_model.name, VERSION)
        mean = sum(length for _, length in lengths) / len(lengths)
        share = mean / max(1.0, sum(len(p.text) for p in passages) / len(passages))
        full_estimate = _estimate(language_model, trial, len(lengths) - done, share)
        mixed = None
        if self._store.settings.get("extractor").startswith("rules "):
            few = self._store.passages.count_with_few_triples(MIXED_BELOW)
            mixed = _estimate(language_model, trial, few, share)
        extractor, words = recommendation(model, trial, full_estimate, mixed, info, server.version)
        window = language_model.window
        return ModelCheck(
            info, server.host, server.version, window, trial, full_estimate, mixed, words, extractor
        )

    def compare(self, model: str, limit: int, context: TaskContext) -> ExtractionComparison:
        """The rules and a model on `limit` passages spread over the corpus; the graph stays as it is.

        Replies of the model are kept, so that indexing does not ask for them again. Raises WorkspaceError while
        another process writes, ModelUnavailable, Cancelled.
        """
        keys = [key for key, _ in self._store.passages.lengths()]
        if not keys:
            raise _nothing_there()
        step = max(1, len(keys) // max(1, limit))
        passages = [s.passage for s in self._store.passages.by_keys(keys[::step][:limit])]
        begin = time.monotonic()
        by_rules = list(rules_extractor().extract(passages, context))
        between = time.monotonic()
        language_model = self._models.language_model(self._store, f"ollama:{model}", self._config)
        memory = None if self._store.database.read_only else self._store.replies
        extractor = model_extractor(ExtractionParts(language_model, self._config, memory))
        with self._writing(mark("read by a model for a comparison")):
            by_model = list(extractor.extract(passages, context))
        same, changes, failures = 0, list[TripleChange](), []
        for passage, one, other in zip(passages, by_rules, by_model, strict=True):
            if other.failure:
                failures.append((passage.id, other.failure))
            both, changed = compare(one.triples, other.triples)
            same += both
            changes += changed
        return ExtractionComparison(
            model,
            len(passages),
            sum(len(found.triples) for found in by_rules),
            sum(len(found.triples) for found in by_model),
            same,
            tuple(changes),
            tuple(failures),
            between - begin,
            time.monotonic() - between,
        )

    @property
    def extractor(self) -> str:
        """What found names and triples the last time; see `last_extractor`."""
        return last_extractor(self._store)

    def last_model_work(self) -> ModelWork | None:
        """What the model of the last indexing did; None where it was none."""
        name = self._store.settings.get("extractor").partition(" ")[0]
        kind, _, model = name.partition(":")
        if kind not in MODEL_EXTRACTORS:
            return None
        passages, usage, rejected = self._store.replies.usage(f"ollama:{model}", VERSION)
        return ModelWork(model, passages, usage, rejected, self._store.passages.count_failed())

    def _sample(self, lengths: list[tuple[int, int]]) -> list[Passage]:
        """Passages spread over the longer half: headings tell nothing of a model."""
        if not lengths:
            raise _nothing_there()
        by_length = [key for key, _ in sorted(lengths, key=lambda row: (row[1], row[0]))]
        longer = by_length[len(by_length) // 2 :] if len(by_length) > 2 * SAMPLE else by_length
        step = max(1, len(longer) // SAMPLE)
        return [stored.passage for stored in self._store.passages.by_keys(longer[::step][:SAMPLE])]


def last_extractor(store: Store) -> str:
    """What found names and triples the last time; "rules" where nobody did, or somebody who was handed in."""
    return known_extractor(store.settings.get("extractor"))


def _nothing_there() -> NothingIndexed:
    return NothingIndexed(tr("Index a folder with the rules first"))


def _estimate(model: LanguageModel, trial: Trial, passages: int, share: float) -> Estimate | None:
    """Both steps on so many passages, which are `share` times as long as those of the trial."""
    if not trial.usage.calls:
        return None
    rates = dict(trial.throughput)
    faster = rates.get(trial.parallel, 1.0) / rates.get(1, 1.0)
    return estimate(model, trial.usage, trial.passages, passages, share, faster)


def recommendation(
    model: str, trial: Trial, full: Estimate | None, mixed: Estimate | None, info: ModelInfo, version: str
) -> tuple[str, str]:
    """The extractor to use, "" for the rules, and what to do in words."""
    if _older(version):
        return "", tr(
            "Update Ollama: {version} does not hold models to a form, which came with 0.5.", version=version
        )
    if not trial.triples or full is None:
        return "", (
            tr(
                "Not for extraction: in {passages} passages {model} told no fact that they hold. Stay "
                "with the rules, or try a larger model.",
                passages=trial.passages,
                model=model,
            )
        )
    words = []
    if trial.asked_again + trial.failed > trial.calls / 3:
        words.append(
            tr(
                "{model} often breaks the form: expect passages in quarantine, or try a larger model.",
                model=model,
            )
        )
    if trial.rejected > trial.triples:
        words.append(
            tr("More of what it says is not in the passages than is; that is rejected, but costs time.")
        )
    choice = "ollama" if full.seconds <= _LONG else "mixed"
    if choice == "ollama":
        words.append(
            tr("Let {model} read everything; it takes about {time}.", model=model, time=span(full.seconds))
        )
    elif mixed is not None:
        words.append(
            tr(
                "Let {model} read only where the rules find little (about {time}; everything would take {whole}).",
                model=model,
                time=span(mixed.seconds),
                whole=span(full.seconds),
            )
        )
    else:
        words.append(
            tr(
                "Let {model} read only where the rules find little (everything would take {whole}).",
                model=model,
                whole=span(full.seconds),
            )
        )
    words.append(trn("Give it one call at a time.", "Give it {count} calls at a time.", trial.parallel))
    if "thinking" in info.capabilities:
        words.append(tr("It is a thinking model; thinking is switched off while it extracts."))
    return f"{choice}:{model}", " ".join(words)


def _older(version: str) -> bool:
    """Whether the server is from before JSON schemas; one that tells no version is taken for a newer one."""
    numbers = version.split(".")
    return (
        len(numbers) > 1 and numbers[0] == "0" and numbers[1].isdigit() and int(numbers[1]) < _SCHEMAS_SINCE
    )


def compare(rules: Sequence[Triple], model: Sequence[Triple]) -> tuple[int, list[TripleChange]]:
    """Triples that both find, and the changes: what the model changed, gained and lost, in that order.

    Names are compared by their normal form, predicates without regard to case. Changed is a triple of the
    same two names, in either direction, under another predicate.
    """
    left = {_key(triple): triple for triple in rules}
    right = {_key(triple): triple for triple in model}
    same = left.keys() & right.keys()
    lost = [triple for key, triple in left.items() if key not in same]
    gained = [triple for key, triple in right.items() if key not in same]
    changed: list[TripleChange] = []
    for triple in list(gained):
        before = next((other for other in lost if _ends(other) == _ends(triple)), None)
        if before is not None:
            lost.remove(before)
            gained.remove(triple)
            changed.append(TripleChange("changed", triple.passage_id, before, triple))
    return len(same), [
        *changed,
        *(TripleChange("gained", triple.passage_id, None, triple) for triple in gained),
        *(TripleChange("lost", triple.passage_id, triple, None) for triple in lost),
    ]


def _key(triple: Triple) -> tuple[str, str, str]:
    return normalise(triple.subject), " ".join(triple.predicate.casefold().split()), normalise(triple.object)


def _ends(triple: Triple) -> frozenset[str]:
    return frozenset((normalise(triple.subject), normalise(triple.object)))
