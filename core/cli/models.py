"""`clew models`: which language models there are, and what one of them is worth on a corpus."""

from __future__ import annotations

from pathlib import Path

import click

from core.cli.options import json_option, setting_option, workspace_argument
from core.cli.output import announce_host, print_json, progress_bar, say
from core.types import Estimate, ExtractionComparison, ModelCheck, ModelHost, Triple

_LISTED = 20  # changes that people are told; --json tells all


@click.group()
def models() -> None:
    """See and measure the language models that Ollama serves on this machine, or on the host that you chose."""


@models.command("list")
@setting_option
@json_option
def list_models(settings: tuple[str, ...], as_json: bool) -> int:
    """List the models that the server has, with size, family and context."""
    from core.models.hosts import host_at, own_config
    from core.progress import TaskContext
    from core.workspace.preflight import model_server

    server = model_server(own_config(settings).models, TaskContext())
    if as_json:
        print_json(server)
        return 0
    say(f"Ollama {server.version} at {host_at(server.host).words}, {len(server.models)} models")
    for model in server.models:
        parts = (model.parameters, model.quantisation, model.family, f"{model.size / 1e9:.1f} GB")
        context = f"context {model.context:,} tokens" if model.context else "context not told"
        say(f"  {model.name:<32} {', '.join(part for part in parts if part)}; {context}")
    if not server.models:
        say("There is no model yet. For example: ollama pull llama3.2:3b")
    return 0


@models.command("host")
@click.argument("address", required=False)
@json_option
def own_host(address: str | None, as_json: bool) -> int:
    """Print the address of your model server, or set it to ADDRESS for all workspaces."""
    from core.models import hosts

    _print_host(hosts.set_own_host(address) if address else hosts.host_at(hosts.own_host()), as_json)
    return 0


@models.command()
@click.argument("address", required=False)
@click.option("--forget", is_flag=True, help="Withdraw the permission.")
@json_option
def allow(address: str | None, forget: bool, as_json: bool) -> int:
    """Allow sending texts of your documents to the machine at ADDRESS; without it, list the machines allowed."""
    from core.models import hosts

    if address:
        _print_host(hosts.forget(address) if forget else hosts.allow(address), as_json)
    elif as_json:
        print_json({"allowed": hosts.allowed()})
    else:
        say("\n".join(hosts.allowed()) or "No other machine is allowed.")
    return 0


def _print_host(host: ModelHost, as_json: bool) -> None:
    if as_json:
        print_json(host)
    elif host.here:
        say(f"{host.address} is this machine.")
    elif host.allowed:
        say(f"{host.address} is not this machine. Texts of your documents may be sent there.")
    else:
        say(
            f"{host.address} is not this machine. Nothing is sent there before: clew models allow {host.address}"
        )


@models.command()
@workspace_argument
@click.argument("model")
@setting_option
@json_option
def check(workspace: Path, model: str, settings: tuple[str, ...], as_json: bool) -> int:
    """Measure MODEL on three passages of WORKSPACE, and estimate what reading all of them would take."""
    from core.workspace import Workspace

    with Workspace.open(workspace, read_only=True, settings=settings) as opened:
        if opened.trusted:
            announce_host(f"ollama:{model}", opened.config.models.host)
        with progress_bar(as_json) as context:
            found = opened.language_models.check(model, context)
    if as_json:
        print_json(found)
    else:
        _print_check(found, workspace)
    return 0


@models.command()
@workspace_argument
@click.argument("model")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1), help="Number of passages.")
@setting_option
@json_option
def compare(workspace: Path, model: str, limit: int, settings: tuple[str, ...], as_json: bool) -> int:
    """Compare the facts that the rules and MODEL extract from the same passages of WORKSPACE."""
    from core.workspace import Workspace

    with Workspace.open(workspace, settings=settings) as opened:
        if opened.trusted:
            announce_host(f"ollama:{model}", opened.config.models.host)
        with progress_bar(as_json) as context:
            found = opened.language_models.compare(model, limit, context)
    if as_json:
        print_json(found)
    else:
        _print_comparison(found)
    return 0


def _print_check(found: ModelCheck, workspace: Path) -> None:
    trial = found.trial
    say(f"{found.model.name} (Ollama {found.version} at {found.host}), window {found.window:,} tokens")
    say(
        f"  JSON       {trial.valid} of {trial.calls} replies right at once, {trial.repaired} mended, "
        f"{trial.asked_again} right when asked again, {trial.failed} failed"
    )
    say(
        f"  facts      {trial.triples} in {trial.passages} passages; {trial.rejected} rejected: not in the text"
    )
    say(
        f"  speed      {trial.tokens_per_second:.1f} tokens/s, first token after {trial.first_token_seconds:.1f} s, "
        f"loading {trial.loading_seconds:.1f} s"
    )
    rates = ", ".join(f"{n}: {rate:.2f} calls/s" for n, rate in trial.throughput)
    say(f"  at a time  {trial.parallel} ({rates or 'not measured'})")
    for name, estimate in (("whole", found.full), ("mixed", found.mixed)):
        if estimate is not None:
            say(f"  {name:<10} {_estimated(estimate)}")
    for problem in dict.fromkeys(trial.problems):
        say(f"  problem    {problem}")
    say(found.recommendation)
    if found.extractor:
        say(
            f"To begin: clew index FOLDER --workspace {workspace} --extractor {found.extractor} "
            f"--set models.parallel={found.trial.parallel}"
        )


def _estimated(estimate: Estimate) -> str:
    return (
        f"{estimate.passages:,} passages: {estimate.tokens_in:,} tokens in, {estimate.tokens_out:,} out, "
        f"{estimate.seconds / 60:,.1f} min"
    )


def _print_comparison(found: ExtractionComparison) -> None:
    kinds = {
        kind: sum(change.kind == kind for change in found.changes) for kind in ("gained", "lost", "changed")
    }
    say(
        f"{found.passages} passages. Rules: {found.rules} triples in {found.rules_seconds:.1f} s. "
        f"{found.model}: {found.found} in {found.model_seconds:.1f} s."
    )
    say(f"{found.same} the same, " + ", ".join(f"{count} {kind}" for kind, count in kinds.items()))
    for change in found.changes[:_LISTED]:
        before, after = _triple_words(change.rules), _triple_words(change.model)
        say(f"  {change.kind:<8} {' -> '.join(part for part in (before, after) if part)}")
    if len(found.changes) > _LISTED:
        say(f"  ... and {len(found.changes) - _LISTED} more; --json tells all")
    for passage_id, reason in found.failures:
        say(f"Failed: passage {passage_id}: {reason}")


def _triple_words(triple: Triple | None) -> str:
    return f"{triple.subject} | {triple.predicate} | {triple.object}" if triple is not None else ""
