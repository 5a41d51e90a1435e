"""Language models and what was measured of them, in words."""

from __future__ import annotations

from collections.abc import Callable

from humanize import naturalsize
from PySide6.QtCore import QObject

from app.answers.wording import duration
from app.look.counting import listed, long_time
from app.look.translation import tr, trn
from app.session.language_server import writes
from app.widgets.table import Column, RecordTable
from core.types import Estimate, ModelCheck, ModelInfo, ModelServer

CALM = tr(
    "Clew needs no language model: it finds, quotes and cites without one. With Ollama a model can also write "
    "answers in its own words, and each sentence is held against your documents before you see it."
)
START = tr("To begin, install Ollama from ollama.com, start it and fetch a model, in a terminal:")
COMMANDS = "ollama serve\nollama pull llama3.2:3b"  # not shown
NO_MODEL = tr("Ollama runs, but it has no model yet. Fetch one, in a terminal:")
PRIVACY = tr(
    "Only this address is ever contacted, and only when you let a model write or look at its models."
)


def size_words(size: int) -> str:
    """Bytes as a download is told: 1.3 GB, 270 MB; "" where it is not known."""
    return naturalsize(size, format="%.1f" if size >= 1e9 else "%.0f") if size > 0 else ""


def server_words(server: ModelServer, place: str) -> str:
    """Return the server in one line."""
    return trn(
        "Ollama {version} at {place}, {count} model",
        "Ollama {version} at {place}, {count} models",
        len(server.models),
        version=server.version,
        place=place,
    )


def models_table(parent: QObject | None = None) -> RecordTable:
    """Return the models of a server."""
    return RecordTable(
        (
            Column(tr("Model"), lambda model: model.name, share=1.4),
            Column(
                tr("Size"), lambda model: size_words(model.size), lambda model: model.size, True, width=72
            ),
            Column(
                tr("Weights"),
                _weights,
                width=104,
                tip=tr("Number of weights (3.2B are 3.2 thousand million), and how coarsely each is kept"),
                needs=440,
            ),
            Column(tr("Family"), _family, needs=320),
            Column(
                tr("Context"),
                lambda model: f"{model.context:,}" if model.context else "",
                lambda model: model.context,
                number=True,
                width=84,
                tip=tr("Tokens that question, passages and answer may share, as the model was trained"),
            ),
        ),
        parent,
    )


def _weights(model: ModelInfo) -> str:
    return f"{model.parameters} {model.quantisation}".strip()


def _family(model: ModelInfo) -> str:
    if writes(model):
        return model.family
    return tr("{family}, writes no text", family=model.family) if model.family else tr("writes no text")


def check_rows(check: ModelCheck) -> tuple[tuple[str, str], ...]:
    """Return what was measured, a name and a line each."""
    trial = check.trial
    rows = [
        ("JSON", _form(check)),
        (
            tr("Facts"),
            tr(
                "{facts} in {passages}; {rejected} rejected: not in the text",
                facts=trial.triples,
                passages=_passages(trial.passages),
                rejected=trial.rejected,
            ),
        ),
        (
            tr("Speed"),
            tr(
                "{rate} tokens a second, the first after {first}; loading {loading}",
                rate=f"{trial.tokens_per_second:,.1f}",
                first=duration(trial.first_token_seconds),
                loading=duration(trial.loading_seconds),
            ),
        ),
        (tr("Parallel"), _parallel(check)),
    ]
    if check.full is not None:
        rows.append((tr("Whole corpus"), estimate_words(check.full)))
    if check.mixed is not None:
        mixed = tr("only where the rules find little, {estimate}", estimate=estimate_words(check.mixed))
        rows.append((tr("Mixed"), mixed))
    rows += [(tr("Problem"), problem) for problem in dict.fromkeys(trial.problems)]
    return tuple(rows)


def _form(check: ModelCheck) -> str:
    trial = check.trial
    share = tr("{valid} of {calls} replies right at once", valid=trial.valid, calls=trial.calls)
    more = (
        (trial.repaired, tr("{count} mended", count=trial.repaired)),
        (trial.asked_again, tr("{count} right when asked again", count=trial.asked_again)),
        (trial.failed, tr("{count} of no use", count=trial.failed)),
    )
    return listed([share, *(words for count, words in more if count)])


def _parallel(check: ModelCheck) -> str:
    trial = check.trial
    rates = [
        tr("{calls}: {rate} a second", calls=count, rate=f"{rate:.2f}") for count, rate in trial.throughput
    ]
    return trn(
        "{count} call at a time is useful ({rates})",
        "{count} calls at a time are useful ({rates})",
        trial.parallel,
        rates=listed(rates) if rates else tr("not measured"),
    )


def _passages(count: int) -> str:
    return trn("{count} passage", "{count} passages", count)


def estimate_words(estimate: Estimate) -> str:
    """Return what reading with the model will come to."""
    return tr(
        "{passages}: {tokens_in} tokens in, {tokens_out} out, about {time}",
        passages=_passages(estimate.passages),
        tokens_in=estimate.tokens_in,
        tokens_out=estimate.tokens_out,
        time=long_time(estimate.seconds),
    )


def reader_words(extractor: str, name_with_host: Callable[[str], str]) -> str:
    """Return who finds names and facts, in words."""
    kind, _, name = extractor.partition(":")
    if not name:
        return tr("Names and facts are found by the rules.")
    model = name_with_host(name)
    if kind == "mixed":
        return tr(
            "Names and facts are found by the rules, and by {model} where they find little.", model=model
        )
    return tr("Names and facts are found by {model}.", model=model)


def reading_words(extractor: str, check: ModelCheck, name_with_host: Callable[[str], str]) -> str:
    """Return what a reading by a model will come to, before it begins."""
    kind, _, name = extractor.partition(":")
    model = name_with_host(name)
    estimate = check.mixed if kind == "mixed" else check.full
    if estimate is None:
        if kind == "mixed":
            return tr("{model} will read the passages in which the rules find little.", model=model)
        return tr("{model} will read all passages.", model=model)
    count, time = estimate.passages, long_time(estimate.seconds)
    if kind == "mixed":
        return trn(
            "{model} will read {count} passage in which the rules find little, about {time}.",
            "{model} will read {count} passages in which the rules find little, about {time}.",
            count,
            model=model,
            time=time,
        )
    return trn(
        "{model} will read {count} passage, about {time}.",
        "{model} will read {count} passages, about {time}.",
        count,
        model=model,
        time=time,
    )
