"""Sums of hand-made rows; reports saved, read and compared."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import BadInput
from core.lab.metrics import RANKING
from core.research.report import EvalReport, QuestionRow, summarise
from core.research.results_file import as_object, check_writable, compare_reports, read_report, write_report


def row(
    number: int, value: float, kind: str = "multi-hop", took: str = "graph", **more: float
) -> QuestionRow:
    measures = dict.fromkeys(RANKING, value) | more
    return QuestionRow(f"q{number}", f"Question {number}?", kind, took, 10.0 + number, ("p",), measures)


def answered(found: QuestionRow, exact: float) -> QuestionRow:
    scores = {"exact": exact, "f1": exact, "contains": exact, "answered": 1.0}
    return replace(found, measures=found.measures | scores, answer="Oslo [a]")


def report(found: dict[str, list[QuestionRow]], fingerprint: str = "f", name: str = "made") -> EvalReport:
    routes, comparisons = summarise(found)
    return EvalReport(name, 3, 0.0, routes, comparisons, fingerprint, "rules")


def saved(
    path: Path, found: dict[str, list[QuestionRow]], fingerprint: str = "f", name: str = "made"
) -> Path:
    write_report(path, report(found, fingerprint, name))
    return path


def test_sums_by_kind_with_shares_and_latency() -> None:
    rows = [row(0, 1.0), row(1, 0.5, took="dense"), row(2, 0.0, "single-hop", "dense")]
    found = report({"auto": rows}).routes["auto"]
    assert found.shares == {"dense": pytest.approx(2 / 3), "graph": pytest.approx(1 / 3)}
    assert found.kinds["multi-hop"].shares == {"dense": 0.5, "graph": 0.5}
    assert found.kinds["single-hop"].shares == {"dense": 1.0}
    assert set(found.kinds) == {"multi-hop", "single-hop", "all"}
    assert found.kinds["multi-hop"].measures["recall@2"] == 0.75
    assert found.kinds["all"].measures["mrr"] == 0.5
    assert found.kinds["all"].questions == 3
    assert (found.kinds["all"].p50, found.kinds["all"].p95) == (11.0, 12.0)
    low, high = found.kinds["all"].intervals["recall@5"]
    assert 0.0 <= low < 0.5 < high <= 1.0


def test_answers_are_summed_over_the_questions_that_have_gold_answers() -> None:
    rows = [answered(row(0, 1.0), 1.0), answered(row(1, 1.0), 0.0), row(2, 1.0)]
    found = report({"auto": rows, "dense": [row(n, 0.0) for n in range(3)]})
    sums = found.routes["auto"].kinds["all"]
    assert (sums.scored, sums.measures["exact"]) == (2, 0.5)
    assert found.routes["dense"].kinds["all"].scored == 0
    assert "exact" not in found.comparisons[0].measures


def test_auto_is_compared_with_each_and_the_best_with_the_rest() -> None:
    better = [row(n, 0.5 + 0.5 * (n % 2)) for n in range(40)]
    worse = [row(n, 0.4 * (n % 2)) for n in range(40)]
    found = report({"dense": worse, "graph": better, "fusion": worse, "auto": better})
    pairs = {(p.left, p.right): p for p in found.comparisons if p.kind == "all"}
    assert set(pairs) == {
        ("auto", "dense"),
        ("auto", "graph"),
        ("auto", "fusion"),
        ("graph", "dense"),
        ("graph", "fusion"),
    }
    gain = pairs["auto", "dense"].measures["recall@5"]
    assert gain.value == pytest.approx(0.55)
    assert gain.significant
    assert pairs["auto", "graph"].measures["recall@5"].p == 1.0
    assert pairs["graph", "dense"].best
    assert not pairs["auto", "dense"].best


def test_a_question_set_without_kinds_is_summed_once() -> None:
    found = report({"dense": [row(0, 1.0, "all")], "graph": [row(0, 0.0, "all")]})
    assert list(found.routes["dense"].kinds) == ["all"]
    assert len(found.comparisons) == 1


def test_a_saved_report_comes_back(tmp_path: Path) -> None:
    rows = [answered(row(0, 1.0), 1.0), row(1, 0.5)]
    path = saved(tmp_path / "a.json", {"auto": rows})
    found = read_report(path)
    assert found.rows["auto"] == tuple(rows)
    assert (found.dataset, found.fingerprint, found.extraction) == ("made", "f", "rules")
    record = json.loads(path.read_text(encoding="utf-8"))
    assert record["routes"] == json.loads(json.dumps(as_object(report({"auto": rows}))))["routes"]
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.json"]


def test_comparing_pairs_by_question_whatever_the_order(tmp_path: Path) -> None:
    before = [row(n, 0.5) for n in range(30)]
    after = [row(n, 1.0 if n < 12 else 0.5, mrr=0.5) for n in reversed(range(30))]
    a = read_report(saved(tmp_path / "a.json", {"graph": [*before, row(99, 1.0)]}))
    b = read_report(saved(tmp_path / "b.json", {"graph": after, "lexical": before}))
    found = compare_reports(a, b)
    assert {pairing.route for pairing in found.pairings} == {"graph"}
    assert found.unpaired == {"graph": 1}
    pairing = next(pairing for pairing in found.pairings if pairing.kind == "all")
    assert pairing.questions == 30
    change = pairing.measures["recall@5"]
    assert (change.before, change.after) == (0.5, pytest.approx(0.7))
    assert change.difference.value == pytest.approx(0.2)
    assert change.difference.significant
    assert not pairing.measures["mrr"].difference.significant


def test_an_id_that_is_used_twice_is_paired_in_order(tmp_path: Path) -> None:
    before, after = [row(1, 0.0), row(1, 1.0)], [row(1, 0.0), row(1, 0.5)]
    a = read_report(saved(tmp_path / "a.json", {"graph": before}))
    found = compare_reports(a, read_report(saved(tmp_path / "b.json", {"graph": after})))
    assert found.pairings[-1].questions == 2
    assert found.pairings[-1].measures["mrr"].difference.value == -0.25
    assert found.unpaired == {}


def test_reports_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    rows = [row(0, 1.0)]
    a = read_report(saved(tmp_path / "a.json", {"graph": rows}))
    for name, other, words in (
        ("b.json", saved(tmp_path / "b.json", {"graph": rows}, "g", "else"), "about else"),
        ("c.json", saved(tmp_path / "c.json", {"dense": rows}), "no route in common"),
        ("d.json", saved(tmp_path / "d.json", {"graph": [row(1, 1.0)]}), "no question in common"),
        (
            "e.json",
            saved(tmp_path / "e.json", {"graph": [replace(rows[0], question="Who?")]}),
            "not the same",
        ),
    ):
        with pytest.raises(BadInput) as caught:
            compare_reports(a, read_report(other))
        assert words in caught.value.message
        assert name in caught.value.message or name == "d.json"
        assert caught.value.remedy


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no JSON"),
        ("[]", "not a report"),
        ('{"routes": {}}', "not a report"),
        ('{"format": "clew-eval 2"}', "damaged"),
        (
            '{"format": "clew-eval 2", "dataset": "", "fingerprint": "", "extraction": "", "rows": []}',
            "damaged",
        ),
        (
            '{"format": "clew-eval 2", "dataset": "", "fingerprint": "", "extraction": "",'
            ' "rows": {"graph": [{"id": "q"}]}}',
            "damaged",
        ),
    ],
)
def test_broken_reports_are_rejected(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        read_report(path)
    assert words in caught.value.message
    assert "--out" in caught.value.remedy


def test_an_unwritable_report_path_is_rejected_early(tmp_path: Path) -> None:
    check_writable(tmp_path / "new.json")
    for path in (tmp_path, tmp_path / "missing" / "a.json"):
        with pytest.raises(BadInput):
            check_writable(path)
        with pytest.raises(BadInput):
            write_report(path, report({"graph": [row(0, 1.0)]}))
