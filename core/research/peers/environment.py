"""Virtual environments of the peers, in the user's cache folder: the only downloads that Clew starts.

Only at the user's request, by pip, with pinned versions; never when a question is asked.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import platformdirs

from core.errors import BadInput
from core.progress import TaskContext
from core.research.peers.catalog import TORCH, Peer
from core.research.peers.processes import PeerFault, run
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
