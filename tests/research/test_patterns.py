"""No pattern of the engine hangs on text that repeats: every one is tried on pairs of pieces, over and over."""

from __future__ import annotations

import importlib
import itertools
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer on this system"),
]
ROOT = Path(__file__).resolve().parent.parent.parent
PIECES = (
    "a ", "A ", "Aa: b", "\n          x", "\n           ", "          ", "\t\t\t\t", "- ", "1. ", "(a", "a)", "A.",
    "’a", ", ", "| ", "\n", "\r\n   x", "12 ", "1,", "2021-", "and ", "::", "[a", "*a", "#", "<a ", '"a', "é", "漢",
)  # fmt: skip
SECONDS = 1.0


class TooLong(Exception):
    """A search that went on."""


def patterns() -> Iterator[tuple[str, re.Pattern[str] | re.Pattern[bytes]]]:
    """Yield the patterns that modules of the engine hold, by name."""
    for path in sorted((ROOT / "core").rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        if "research" in name or name.endswith("__main__"):
            continue
        for own, value in vars(importlib.import_module(name)).items():
            if isinstance(value, re.Pattern):
                yield f"{name}.{own}", value


def hangs(pattern: re.Pattern[str] | re.Pattern[bytes], text: str) -> bool:
    """Return whether a search is not done in SECONDS."""

    def stop(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        pattern.search(text.encode() if isinstance(pattern.pattern, bytes) else text)  # type: ignore[arg-type]
    except TooLong:
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return False


def test_none_hangs_on_what_repeats() -> None:
    texts = [f"Topic: x{(a + b) * 14}!" for a, b in itertools.product(PIECES, PIECES)]
    every = dict(patterns())
    assert len(every) > 300
    assert {name for name, pattern in every.items() if any(hangs(pattern, text) for text in texts)} == set()


def test_the_search_finds_one_that_hangs() -> None:
    assert hangs(re.compile(r"(?:\n[ ]+[^\n]*){0,99}\r"), "\n          x" * 14)
