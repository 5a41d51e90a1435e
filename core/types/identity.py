"""Stable ids: the same thing has the same id in every run and on every machine."""

from __future__ import annotations

from hashlib import blake2b


def stable_id(*parts: str) -> str:
    """Hash of what a thing is, 16 hexadecimal digits. `stable_id("document", "a/b.pdf")`"""
    # surrogatepass: a file name whose bytes are no UTF-8 must still have an id.
    joined = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return blake2b(joined, digest_size=8).hexdigest()


SENSE = "\x1f"  # in the key of a name, before the sense that tells which of its bearers is meant


def without_sense(normal: str) -> str:
    """Key of the name, whoever bears it."""
    return normal.partition(SENSE)[0]


def sense_of(normal: str) -> str:
    """Which bearer of the name is meant; "" where nothing says so."""
    return normal.partition(SENSE)[2]


def with_sense(normal: str, sense: str) -> str:
    """Key of a name in a sense; in "" it is the name itself."""
    return f"{normal}{SENSE}{sense}" if sense else normal
