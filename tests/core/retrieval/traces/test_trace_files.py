"""A trace as a file: the same again, of every version; what is broken or hostile is refused in words."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import get_args

import pytest

from core.errors import BadInput
from core.retrieval.traces import VERSION, from_json, read_trace, to_json, write_trace
from core.types import (
    Claim,
    Complexity,
    Feature,
    Hit,
    LeftOut,
    PassageLabel,
    Round,
    Route,
    SavedTrace,
    Seed,
    Stage,
    StageData,
    Trace,
    Validation,
    Verdict,
)
from core.types.stages import (
    AnswerCandidate,
    Checked,
    ChosenStatement,
    ChosenStatements,
    DistilledPiece,
    Explained,
    Explanations,
    Gated,
    Gathered,
    GatheredPassages,
    Integration,
    Joined,
    JoinedPassage,
    NearFact,
    NearFacts,
    NearSentence,
    Packed,
    Packing,
    PassageReading,
    QuestionRead,
    Ranked,
    Reading,
    Reordered,
    ScopeCoverage,
    ScopePart,
    SecondStageOrder,
    SeedCandidate,
    SeedCandidates,
    Word,
)  # fmt: skip

HITS = (Hit("p1", 0.5, 1), Hit("p2", 0.25, 2))
FEATURE = Feature("relative_clauses", 1.0, 1.2, "one relative clause")
CHECK = Validation("grounding", True, 1.0, "1 of 1 claim")
CLAIM = Claim("In Pärnu.", Verdict.SUPPORTED, (0,), "quoted")
EVERY_KIND: tuple[StageData, ...] = (
    QuestionRead((Word("Pärnu", "pärnu", "PROPN", True),), ("Pärnu",), "where", "", (FEATURE,)),
    Gated("a.txt", 0.2, 0.25, False, "Pärnu", 0.5, "“sea” stands there"),
    NearFacts((NearFact("A owns B", "A owns B.", 0.8, 1), NearFact("C", "C.", 0.1)), 1, 2),
    SeedCandidates(
        (
            SeedCandidate("e1", "Pärnu", "Pärnu", 0.6, "named"),
            SeedCandidate("", "X", "X", 0, "named", "no entity"),
        ),
        (NearSentence("p1", 3, 0.7, ("Pärnu",)),),
        1,
        2,
    ),
    Ranked("lexical", HITS, 2, 9, ("pärnu",)),
    Joined({"lexical": 0.4, "graph": 0.6}, (JoinedPassage("p1", {"graph": 2}, 0.1, 1, "cut"),), 1, 7),
    SecondStageOrder(("cosine",), (Reordered("p1", 4, 1, 0.1, 0.9, (0.3,)),), 1, 4),
    GatheredPassages((Gathered("p1", ("A owns B",), ("A",)),), 1, 1),
    Packing("ollama:x", (Packed("p1", 1, 700),), 1, 2, 812, 40, (LeftOut("passage 2", 90),)),
    Reading(
        (PassageReading("p1", "in Pärnu", 4.5, 0.4, "span", 0.9, 0.97),),
        (AnswerCandidate("in Pärnu", "span", 0.8, ("p1",)),),
        1,
        1,
    ),
    ChosenStatements((ChosenStatement("p1", "Pärnu lies by the sea.", 0.4),), 1, 1),
    Explanations((Explained("p1", "names Pärnu", 0.0),), 0, 1),
    Integration((DistilledPiece("p1", 0, 9, "In Pärnu.", "entity", 4, 1),), 40, 4, 1, 9),
    Checked("in Pärnu", (CHECK,), (CLAIM,), 1, 1),
    ScopeCoverage(
        (ScopePart("entity", "e1", "Pärnu", 3), ScopePart("document", "d9", "d9", 0, "gone")), 3, 9
    ),
)
TRACE = Trace(
    "Where is “Pärnu”?",
    Route("graph", Complexity(0.7, 0.3, 0.6, (FEATURE,), {"graph": 1.0}), reason="names Pärnu"),
    (
        Stage("preparing", 0.1, shared=True),
        *(Stage(data.kind, 0.01, "a sentence", data) for data in EVERY_KIND),
    ),
    (Seed("e1", "Pärnu", 0.6, "named in the question"),),
    {"e1": 0.5},
    HITS,
    0.3,
    (Round(1, "Where?", "graph", "in Pärnu", (CHECK,), claims=(CLAIM,)),),
    passages={"p1": PassageLabel("Estonia", "a/b.txt", 3, 2, {3: "Pärnu lies by the sea."})},
)
SAVED = SavedTrace(TRACE, "in Pärnu", 0.8, False, False, "2026-05-03T10:00:00+00:00", VERSION)


def test_what_is_written_is_read_again_whole(tmp_path: Path) -> None:
    assert {type(data) for data in EVERY_KIND} == set(get_args(StageData))
    write_trace(SAVED, tmp_path / "a.json")
    assert read_trace(tmp_path / "a.json") == SAVED
    with pytest.raises(BadInput, match="exists already"):
        write_trace(SAVED, tmp_path / "a.json")
    write_trace(replace(SAVED, answer="other"), tmp_path / "a.json", replace=True)
    assert read_trace(tmp_path / "a.json").answer == "other"


def test_a_trace_of_the_first_form_opens() -> None:
    """As it was copied before traces had a number: the fields alone, stages of a sentence."""
    old = asdict(replace(TRACE, stages=(Stage("route", 0.1, "graph, 0.7"),), passages={}))
    del old["passages"], old["beam"], old["route"]["reason"]
    for stage in old["stages"]:
        del stage["data"], stage["shared"]
    found = from_json(json.dumps(old))
    assert (found.version, found.answer, found.created, found.ignored) == (1, "", "", ())
    assert found.trace.stages == (Stage("route", 0.1, "graph, 0.7"),)
    assert found.trace.rounds == TRACE.rounds
    assert found.trace.hits == HITS


def test_a_trace_without_the_fields_that_came_later_opens() -> None:
    """Of the same form, before the gate, a stage and the route said in fields what their words say."""
    old = json.loads(to_json(SAVED))
    del old["route"]["reason"]
    for stage in old["stages"]:
        del stage["shared"]
        if stage["name"] == "gate":
            del stage["data"]["named"], stage["data"]["nearest"], stage["data"]["reason"]
    found = from_json(json.dumps(old))
    assert (found.ignored, found.trace.route.reason) == ((), "")
    gates = [stage.data for stage in found.trace.stages if isinstance(stage.data, Gated)]
    assert gates == [Gated("a.txt", 0.2, 0.25, False)]


def test_of_a_newer_form_the_known_is_read_and_the_rest_told() -> None:
    newer = json.loads(to_json(SAVED))
    newer |= {"version": 9, "mood": "good"}
    newer["stages"][1]["data"]["heads"] = [1, 2]
    newer["stages"][2]["data"] = {"kind": "dream", "of": "sheep"}
    found = from_json(json.dumps(newer))
    assert found.version == 9
    assert found.trace.stages[1] == TRACE.stages[1]
    assert found.trace.stages[2].data is None
    assert set(found.ignored) == {"mood", "stages.data.heads", "stages.data of the kind dream"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "no JSON"),
        ('{"question": "Who?"}', "no question with stages"),
        ('{"question": "Who?", "stages": []}', "route"),
        ('{"question": "Who?", "stages": [], "format": "other"}', "form is unknown"),
        ('{"a": ' * 30 + "1" + "}" * 30, "too deep"),
        ('{"question": "Who?", "stages": [], "seconds": 1e999}', "is no number"),
        (json.dumps({"question": "x" * 30_000, "stages": []}), "characters"),
        (json.dumps({"question": "Who?", "stages": [0] * 30_000}), "more than"),
    ],
)
def test_what_is_no_trace_is_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words) as refused:
        from_json(text)
    assert "saved as a trace" in refused.value.remedy


@pytest.mark.parametrize(
    ("field", "value"),
    [("seconds", "soon"), ("hits", [{"passage_id": 3}]), ("stages", [{"name": []}]), ("heat", [1])],
)
def test_a_field_of_another_kind_is_named(field: str, value: object) -> None:
    with pytest.raises(BadInput, match=field):
        from_json(json.dumps({**json.loads(to_json(SAVED)), field: value}))


def test_more_stages_or_rounds_than_any_answer_has_are_refused() -> None:
    for broken in (
        replace(TRACE, stages=TRACE.stages[:1] * 600),
        replace(TRACE, rounds=TRACE.rounds * 60),
        replace(TRACE, rounds=(replace(TRACE.rounds[0], claims=(CLAIM,) * 300),)),
    ):
        with pytest.raises(BadInput, match="more than any answer has"):
            from_json(to_json(replace(SAVED, trace=broken)))


def test_files_that_are_none_or_too_large(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        read_trace(tmp_path / "none.json")
    with pytest.raises(BadInput, match="no file"):
        read_trace(tmp_path)
    (tmp_path / "large.json").write_bytes(b" " * 17_000_000)
    with pytest.raises(BadInput, match="MB"):
        read_trace(tmp_path / "large.json")
    (tmp_path / "latin.json").write_bytes(b'{"question": "\xe4"}')
    with pytest.raises(BadInput, match="UTF-8"):
        read_trace(tmp_path / "latin.json")
