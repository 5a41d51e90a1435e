"""`clew research peers`: other GraphRAG systems in the same table as Clew's own compositions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.cli.lab import print_run
from core.cli.lab_questions import chosen
from core.cli.options import PATH, json_option, parameter_option
from core.cli.output import progress_bar, say
from core.errors import BadInput

if TYPE_CHECKING:
    from core.progress import TaskContext
    from core.research.peers.environment import Peer

_ALL = "hipporag,lightrag,lightrag-hybrid,linearrag"


@click.command("peers")
@click.argument("dataset", type=PATH)
@click.option("--peers", default=_ALL, show_default=True, help="Names with commas between.")
@click.option(
    "--instances",
    default="graph,walk,fusion,dense,lexical",
    show_default=True,
    help="Compositions beside them, names with commas between; the first is what * compares with.",
)
@click.option(
    "--triples", type=PATH, help="JSON lines of entities and triples, in the place of our own, for all."
)
@click.option("--limit", type=click.IntRange(1), help="At most so many questions of each kind.")
@click.option(
    "--seconds", type=click.FloatRange(1), default=3_600.0, show_default=True, help="For each peer, at most."
)
@click.option("--yes", is_flag=True, help="Fetch what is missing without asking.")
@click.option("--out", type=PATH, help="Keep every row here, for clew lab report.")
@parameter_option
@json_option
def ask_peers(
    dataset: Path,
    peers: str,
    instances: str,
    triples: Path | None,
    limit: int | None,
    seconds: float,
    yes: bool,
    out: Path | None,
    settings: tuple[str, ...],
    as_json: bool,
) -> int:
    """Run other GraphRAG systems on the same passages, vectors and triples, without a language model.

    Each lives in an environment of its own in your cache folder. To make it, once, packages are fetched from PyPI,
    after you are asked. What is fetched runs as any program of yours; while it is measured, it is refused the network.
    """
    import tempfile

    from core.answering.models import Models
    from core.models.hosts import own_config
    from core.research.datasets import open_cached, read_corpus
    from core.research.external_triples import ExternalExtractor, read_external
    from core.research.lab_run import run
    from core.research.peers.environment import PEERS, STAND_INS
    from core.research.peers.peer_run import PeerRun

    names = [name.strip() for name in peers.split(",") if name.strip()]
    if strange := [name for name in names if name not in PEERS and name not in STAND_INS]:
        raise BadInput(f"There is no peer {strange[0]!r}.", f"Choose from: {_ALL}.")
    wanted = [PEERS[name] for name in names if name in PEERS]
    read = read_corpus(dataset, limit or 0)
    external = None if triples is None else read_external(triples, read.passages)
    _ask_to_fetch(wanted, yes)
    with (
        progress_bar(as_json) as context,
        tempfile.TemporaryDirectory() as scratch,
    ):
        faults = _installed(wanted, context)
        extractor = None if external is None else ExternalExtractor(external)
        run_file = out or Path(scratch) / "run.jsonl"
        with open_cached(read, context, Models(), extractor, own_config(settings))[0] as workspace:
            own = [*instances.split(","), *(name for name in names if name in STAND_INS)]
            compositions = chosen(",".join(own), workspace.compositions.all())
            rows = run(workspace, read.questions, compositions, run_file, context)
            if wanted:
                peer_run = PeerRun(workspace, read.questions, external, run_file, context)
                rows += [
                    row for each in wanted for row in peer_run.rows(each, faults.get(each.name, ""), seconds)
                ]
    return print_run(rows, as_json)


def _ask_to_fetch(peers: Sequence[Peer], yes: bool) -> None:
    """Raise click.Abort where the person would rather not."""
    from core.research.peers.environment import folder_of, is_ready

    missing = {folder_of(peer): peer for peer in peers if not is_ready(peer)}
    for folder, peer in missing.items():
        say(
            f"{peer.package} {peer.version} is not here: it and {len(peer.pinned()) - 1:,} packages that it needs are "
            f"fetched from PyPI into {folder}, about {peer.megabytes:,} MB.",
            err=True,
        )
    if missing and not yes:
        click.confirm("Fetch them?", abort=True, err=True)


def _installed(peers: Sequence[Peer], context: TaskContext) -> Mapping[str, str]:
    """Create the environments that are missing; return why one could not be made, by the peer's name.

    Raises Cancelled.
    """
    from core.research.peers.environment import is_ready, make

    faults = {}
    for peer in peers:
        if not is_ready(peer):
            try:
                make(peer, context)
            except BadInput as error:
                faults[peer.name] = str(error)
    return faults
