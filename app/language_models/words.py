"""Language models and what was measured of them, in words."""

from __future__ import annotations

from collections.abc import Callable

from humanize import naturalsize
from PySide6.QtCore import QObject

from app.answers.wording import duration
from app.look.counting import counted, long_time
from app.look.translation import tr
from app.session.language_server import writes
from app.widgets.tables import Column, RecordTable
from core.types import Estimate, ModelCheck, ModelInfo, ModelServer

CALM = tr(
    "Clew needs no language model: it finds, quotes and cites without one. With Ollama a model can also write "
    "answers in its own words, and each sentence is held against your documents before you see it."
)
START = tr("To begin, install Ollama from ollama.com, start it and fetch a model, in a terminal:")
COMMANDS = tr("ollama serve\nollama pull llama3.2:3b")
NO_MODEL = tr("Ollama runs, but it has no model yet. Fetch one, in a terminal:")
PRIVACY = tr(
    "Only this address is ever contacted, and only when you let a model write or look at its models."
)


def size_words(size: int) -> str:
    """Bytes as a download is told: 1.3 GB, 270 MB; "" where it is not known."""
    return naturalsize(size, format="%.1f" if size >= 1e9 else "%.0f") if size > 0 else ""


def server_words(server: ModelServer, place: str) -> str:
    """The server in one line."""
    count = len(server.models)
    return f"Ollama {server.version} at {place}, {count} {'model' if count == 1 else 'models'}"


def models_table(parent: QObject | None = None) -> RecordTable:
    """The models of a server."""
    return RecordTable(
        (
            Column(tr("Model"), lambda model: model.name, lambda model: model.name.casefold(), share=1.4),
            Column(
                tr("Size"), lambda model: size_words(model.size), lambda model: model.size, True, width=72
            ),
            Column(
                tr("Weights"),
                _weights,
                _weights,
                width=104,
                tip=tr("Number of weights (3.2B are 3.2 thousand million), and how coarsely each is kept"),
                needs=440,
            ),
            Column(tr("Family"), _family, lambda model: _family(model).casefold(), needs=320),
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
    return model.family if writes(model) else f"{model.family}, writes no text".strip(", ")


def check_rows(check: ModelCheck) -> tuple[tuple[str, str], ...]:
    """What was measured, a name and a line each."""
    trial = check.trial
    rows = [
        ("JSON", _form(check)),
        (
            tr("Facts"),
            f"{trial.triples:,} in {counted(trial.passages, 'passage')}; {trial.rejected:,} rejected: not in the text",
        ),
        (
            tr("Speed"),
            f"{trial.tokens_per_second:,.1f} tokens a second, the first after "
            f"{duration(trial.first_token_seconds)}; loading {duration(trial.loading_seconds)}",
        ),
        (tr("Parallel"), _parallel(check)),
    ]
    if check.whole is not None:
        rows.append((tr("Whole corpus"), estimate_words(check.whole)))
    if check.mixed is not None:
        rows.append((tr("Mixed"), f"only where the rules find little, {estimate_words(check.mixed)}"))
    rows += [(tr("Problem"), problem) for problem in dict.fromkeys(trial.problems)]
    return tuple(rows)


def _form(check: ModelCheck) -> str:
    trial = check.trial
    more = [
        f"{count} {words}"
        for count, words in (
            (trial.repaired, "mended"),
            (trial.asked_again, tr("right when asked again")),
            (trial.failed, tr("of no use")),
        )
        if count
    ]
    share = f"{trial.valid} of {trial.calls} replies right at once"
    return ", ".join([share, *more])


def _parallel(check: ModelCheck) -> str:
    trial = check.trial
    calls = counted(trial.parallel, "call")
    rates = ", ".join(f"{count}: {rate:.2f} a second" for count, rate in trial.throughput)
    return (
        f"{calls} at a time {'is' if trial.parallel == 1 else 'are'} useful ({rates or tr('not measured')})"
    )


def estimate_words(estimate: Estimate) -> str:
    """What reading with the model will come to."""
    return (
        f"{counted(estimate.passages, 'passage')}: {estimate.tokens_in:,} tokens in, {estimate.tokens_out:,} out, "
        f"about {long_time(estimate.seconds)}"
    )


def reader_words(extractor: str, beside_host: Callable[[str], str]) -> str:
    """Who finds names and facts, in words."""
    kind, _, name = extractor.partition(":")
    if not name:
        return tr("Names and facts are found by the rules.")
    model = beside_host(name)
    if kind == "mixed":
        return f"Names and facts are found by the rules, and by {model} where they find little."
    return f"Names and facts are found by {model}."


def reading_words(extractor: str, check: ModelCheck, beside_host: Callable[[str], str]) -> str:
    """What a reading by a model will come to, before it begins."""
    kind, _, name = extractor.partition(":")
    model = beside_host(name)
    if kind == "mixed":
        some = counted(check.mixed.passages, "passage") if check.mixed is not None else tr("the passages")
        time = f", about {long_time(check.mixed.seconds)}" if check.mixed is not None else ""
        return f"{model} will read {some} in which the rules find little{time}."
    if check.whole is None:
        return f"{model} will read all passages."
    return f"{model} will read {counted(check.whole.passages, 'passage')}, about {long_time(check.whole.seconds)}."
