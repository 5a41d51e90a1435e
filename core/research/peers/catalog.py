"""The systems that Clew is compared with, and how each differs from its publication."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.types.kinds import stable_id

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
