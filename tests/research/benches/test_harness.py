"""The table of benches: each exists, takes its arguments, and reports its figures in the same way."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.cli.research.bench import bench
from core.errors import BadInput, CoreError
from core.research.benches import harness
from core.research.benches.harness import (
    BENCHES,
    Arguments,
    Bench,
    Figure,
    measure,
    parse_sizes,
    quickest,
    run_bench,
    run_clew,
    timed_each,
)


def test_every_bench_is_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(harness._WINDOW).parent))
    found = {}
    for name, each in BENCHES.items():
        module, _, function = each.where.partition(":")
        found[name] = callable(getattr(importlib.import_module(module), function))
    assert found == dict.fromkeys(BENCHES, True)


def test_help_names_every_bench() -> None:
    output = CliRunner().invoke(bench, ["--help"]).output
    assert [name for name in BENCHES if f"\n  {name} " not in output] == []


@pytest.mark.parametrize("named", ["abc", "0", "-5", "300,", "1e5"])
def test_invalid_sizes_are_rejected(named: str) -> None:
    with pytest.raises(BadInput, match="no sizes"):
        parse_sizes(named)
    assert parse_sizes("900, 300,300") == (300, 900) and parse_sizes("") == ()


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("tables", Arguments(), "needs a folder"),
        ("ppr", Arguments(Path("set")), "makes its own data"),
        ("ask", Arguments(sizes=(3,)), "has one size"),
        ("communities", Arguments(sizes=(50,)), "too small"),
    ],
)
def test_what_a_bench_does_not_take_is_refused(name: str, arguments: Arguments, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        run_bench(name, arguments)


def test_figures_are_printed_as_a_table_and_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = {"speed": Figure(1234.5, "ms", 0.25, "< 2,000"), "count": Figure(3, "")}
    monkeypatch.setitem(harness.BENCHES, "ppr", Bench("nowhere:run", ""))  # type: ignore[index]
    monkeypatch.setattr(harness, "measure", lambda name, arguments: figures)
    output = CliRunner().invoke(bench, ["ppr"], standalone_mode=False).output
    assert [part in output for part in ("speed", "1,234", "0.25", "< 2,000")] == [True] * 4
    report = json.loads(CliRunner().invoke(bench, ["ppr", "--json"], standalone_mode=False).output)
    assert report["name"] == "ppr"
    assert report["figures"]["speed"] == {"value": 1234.5, "unit": "ms", "baseline": 0.25, "goal": "< 2,000"}


def test_clocks_give_what_was_done() -> None:
    results, seconds = timed_each([3, 4], lambda each: each * 2)
    assert results == [6, 8] and len(seconds) == 2
    counted = iter(range(5))
    assert quickest(lambda: next(counted))[0] == 2


def test_a_failing_command_is_reported() -> None:
    with pytest.raises(CoreError, match="clew status"):
        run_clew("status", Path(sys.executable).parent / "nowhere")


def test_a_bench_without_a_screen_is_run_where_it_is() -> None:
    assert measure("vectors", Arguments(sizes=(600,)))["vectors"].value == 600
