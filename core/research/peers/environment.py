"""The systems that Clew is compared with, and their virtual environments in the cache folder of the user.

These are the only downloads that Clew starts: at the request of the user, by pip, with pinned versions; never when a
question is asked.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from core.errors import BadInput
from core.progress import TaskContext
from core.research.peers.exchange import PeerFault, run
from core.types.kinds import stable_id

_SECONDS = 3_600.0  # for all downloads
_COMPLETE = "clew-whole"  # written last: an environment without it is recreated
_PIP = ("-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--quiet")


def folder_of(peer: Peer) -> Path:
    """Return the environment's folder, which may not exist yet; other pins have another folder."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return (
        Path(platformdirs.user_cache_dir("clew"))
        / "peers"
        / f"{peer.package}-{stable_id(python, *peer.pinned())}"
    )


def interpreter(peer: Peer) -> Path:
    folder = folder_of(peer)
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def is_ready(peer: Peer) -> bool:
    return (folder_of(peer) / _COMPLETE).is_file() and interpreter(peer).exists()


def make(peer: Peer, context: TaskContext, steps: Sequence[Sequence[str]] | None = None) -> None:
    """Create the environment, which takes minutes and the network. `steps` replace our own commands.

    Raises BadInput that says what is missing, Cancelled.
    """
    folder = folder_of(peer)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    steps = steps if steps is not None else _steps(peer, folder)
    try:
        for number, step in enumerate(steps):
            context.report("installing", number, len(steps), peer.name)
            run(step, folder, lambda line: None, _SECONDS, context)
        context.report("installing", len(steps), len(steps), peer.name)
    except PeerFault as fault:
        shutil.rmtree(folder, ignore_errors=True)
        raise BadInput(
            f"The environment of {peer.name} cannot be made. {fault.message}",
            "It needs Python's venv and pip, and PyPI over the network, this once.",
        ) from fault
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    (folder / _COMPLETE).touch()


def _steps(peer: Peer, folder: Path) -> tuple[tuple[str, ...], ...]:
    """Return the commands: torch first, with the dependencies of this machine; then exactly the pinned packages."""
    python = str(interpreter(peer))
    torch = [pin for pin in peer.pinned() if pin.startswith(f"{TORCH}==")]
    return (
        (sys.executable, "-m", "venv", str(folder)),
        *((python, *_PIP, pin) for pin in torch),
        (python, *_PIP, "--no-deps", "--requirement", str(peer.pins)),
    )


DRIVERS = Path(__file__).with_name("drivers")
HANDOVER = DRIVERS / "handover.py"
TORCH = "torch"  # installed with its dependencies, which differ by platform


@dataclass(frozen=True, slots=True)
class Peer:
    """`differs` tells how its run here departs from the published system."""

    name: str
    package: str  # on PyPI
    megabytes: int  # approximate size of its environment on disk
    source: str
    differs: str
    driver: Path
    pins: Path
    arguments: tuple[str, ...] = ()  # of the driver

    def pinned(self) -> tuple[str, ...]:
        """Return all packages of the environment, as name==version."""
        lines = self.pins.read_text(encoding="utf-8").splitlines()
        return tuple(line for line in lines if line and not line.startswith("#"))

    @property
    def version(self) -> str:
        return dict(pin.split("==") for pin in self.pinned())[self.package]

    @property
    def digest(self) -> str:
        """Return a digest of everything but the input that decides its answers."""
        files = (self.pins, self.driver, HANDOVER)
        return stable_id(*self.arguments, *(path.read_text(encoding="utf-8") for path in files))


def _peer(
    name: str, package: str, megabytes: int, source: str, differs: str, *arguments: str, file: str = ""
) -> Peer:
    file = f"rank_{(file or name).replace('-', '_')}"
    driver, pins = DRIVERS / f"{file}.py", DRIVERS / f"{file}.txt"
    return Peer(name, package, megabytes, source, differs, driver, pins, arguments)


_LIGHTRAG = (
    "entities and relations are the given triples, described by these; the question is its high-level keyword and the"
    " names in it are the low-level ones; no reranker; tokens are words"
)

PEERS: Mapping[str, Peer] = {
    peer.name: peer
    for peer in (
        _peer(
            "hipporag",
            "hipporag",
            1_600,
            "HippoRAG 2, Gutiérrez et al. 2025",
            "its language model's filter of facts is off: the five nearest facts are kept; triples are given",
        ),
        _peer(
            "lightrag",
            "lightrag-hku",
            350,
            "LightRAG, Guo et al. 2024, mode mix, its default",
            _LIGHTRAG,
            "mix",
        ),
        _peer(
            "lightrag-hybrid",
            "lightrag-hku",
            350,
            "LightRAG, Guo et al. 2024, mode hybrid, the graph alone",
            _LIGHTRAG,
            "hybrid",
            file="lightrag",
        ),
    )
}

# LinearRAG is not a package: our composition of its method replaces it, and says so.
STAND_INS = ("linearrag",)
