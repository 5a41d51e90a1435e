"""A question laid open: the same ranking as an answer's under the same settings, and what is told of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.answering.models import Models
from core.config import DIALS, Config, dials_of, with_settings
from core.errors import BadInput
from core.progress import Cancelled, TaskContext
from core.types import Ranking
from core.workspace import Workspace
from core.workspace.ranking_session import WorkspaceRankingSession
from tests.conftest import copied

QUESTIONS = (
    "Where was Tobias Renwick arrested?",
    "Who owns the company that chartered the Grey Petrel?",
    "what was paid for insurance",
)
ROUTES = ("auto", "fusion", "graph", "dense", "lexical")
TURNED = (
    ["retrieval.damping=0.85", "routing.low=0"],
    [
        "retrieval.name_share=0.9",
        "retrieval.top_facts=9",
        "retrieval.hub_power=1.4",
        "retrieval.passage_share=0.7",
        "retrieval.passage_sharpness=3",
        "retrieval.fact_share=0.1",
        "routing.low=0",
    ],
    ["retrieval.lexical_weight=3", "retrieval.graph_weight=0.2", "retrieval.dense_weight=0"],
    ["retrieval.rrf_k=3", "retrieval.crowding=0.6", "routing.high=0.95", "routing.low=0.6"],
    ["retrieval.second_stage=False", "routing.low=0"],
    ["routing.low=1"],
    ["retrieval.lexical_weight=0", "retrieval.dense_weight=0", "routing.low=0"],
)


@pytest.fixture(scope="module")
def session(sample_workspace: Workspace) -> WorkspaceRankingSession:
    return sample_workspace.retrieval.open_ranking_session(QUESTIONS[1], TaskContext())


@pytest.fixture(scope="module")
def ranking(session: WorkspaceRankingSession) -> Ranking:
    return session.rank(TaskContext())


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("question", QUESTIONS[:2])
def test_as_configured_it_is_the_ranking_of_an_answer(
    sample_workspace: Workspace, question: str, route: str
) -> None:
    session = sample_workspace.retrieval.open_ranking_session(question, TaskContext(), route)
    found = session.rank(TaskContext())
    _, wanted = sample_workspace.retrieve(question, TaskContext(), route, 30)
    assert found.hits[:30] == wanted.hits and found.exact
    if route in ("auto", "fusion", "graph"):
        assert found.complexity == wanted.complexity
    if wanted.heat:  # the graph was asked
        assert (found.heat, found.seeds) == (wanted.heat, wanted.seeds)


@pytest.mark.parametrize("turned", TURNED, ids=lambda turned: turned[0])
def test_turned_it_is_the_ranking_of_a_workspace_so_configured(
    sample_path: Path, models: Models, session: WorkspaceRankingSession, turned: list[str]
) -> None:
    assert {line.partition("=")[0] for line in turned} <= set(DIALS)
    with Workspace.open(sample_path, models=models, settings=turned) as other:
        _, wanted = other.retrieve(session.question, TaskContext(), "auto", 30)
    found = session.rank(TaskContext(), with_settings(Config(), turned))
    assert found.hits[:30] == wanted.hits
    assert found.heat == wanted.heat if "routing.low=0" in turned else not wanted.heat and found.heat


def test_a_list_counts_more_or_nothing(session: WorkspaceRankingSession, ranking: Ranking) -> None:
    heard = ["routing.low=0", "routing.high=1"]
    words = []
    for weight in ("4", "1", "0"):
        config = with_settings(Config(), [f"retrieval.lexical_weight={weight}", *heard])
        found = session.rank(TaskContext(), config).complexity
        assert found is not None and sum(found.weights.values()) == pytest.approx(1.0)
        words.append(found.weights["lexical"])
    assert words[0] > words[1] > words[2] == 0
    nothing = [f"retrieval.{name}_weight=0" for name in ("lexical", "dense", "graph")]
    silent = session.rank(TaskContext(), with_settings(Config(), nothing))
    assert silent.hits == ranking.hits, "where nothing would be heard all are as they were"


def test_while_a_hand_moves_it_is_near_enough(session: WorkspaceRankingSession, ranking: Ranking) -> None:
    """Step by step to another damping: the first ten are those of the exact ranking, hardly any mass is off."""
    now = ranking
    for hundredths in range(60, 81, 2):
        config = with_settings(Config(), [f"retrieval.damping={hundredths / 100}"])
        now = session.rank(TaskContext(), config, now)
        assert not now.exact
    exact = session.rank(TaskContext(), config)
    assert np.abs(now.mass - exact.mass).sum() < 0.03
    one, other = ({hit.passage_id for hit in found.hits[:10]} for found in (now, exact))
    assert len(one & other) >= 9


def test_a_standing_tells_each_rank(session: WorkspaceRankingSession, ranking: Ranking) -> None:
    for hit in (ranking.hits[0], ranking.hits[4], ranking.hits[-1]):
        found = session.explain_rank(ranking, hit.passage_id, TaskContext())
        assert found is not None and found.rank == hit.rank
        words, meaning, walk, second, joined = found.places
        for place, hits in ((words, ranking.lists["lexical"]), (second, ranking.lists["graph"])):
            ranks = {each.passage_id: each.rank for each in hits}
            assert place.rank == ranks.get(hit.passage_id)
        assert meaning.rank is not None and walk.rank is not None, "every passage has a place there"
        near = ranking.lists["dense"]
        assert meaning.rank > len(near) or near[meaning.rank - 1].passage_id == hit.passage_id
        assert walk.score is not None and walk.score in ranking.mass
        assert walk.rank is not None and walk.rank >= 1
        assert joined.rank == hit.rank and joined.score == hit.score
        assert found.above == (ranking.hits[hit.rank - 2].passage_id if hit.rank > 1 else "")


def test_without_a_part_is_the_ranking_without_it(session: WorkspaceRankingSession) -> None:
    """The list left out, and the second stage left out, against rankings so configured."""
    config = with_settings(Config(), ["routing.low=0", "routing.high=1"])  # so that all three are heard
    ranking = session.rank(TaskContext(), config)
    wanted = {
        "without the words list": "retrieval.lexical_weight=0",
        "without the meaning list": "retrieval.dense_weight=0",
        "without the graph list": "retrieval.graph_weight=0",
    }
    for hit in ranking.hits[:2]:
        found = session.explain_rank(ranking, hit.passage_id, TaskContext(), config)
        assert found is not None
        without = {place.part: place.rank for place in found.without}
        for part, setting in wanted.items():
            other = session.rank(TaskContext(), with_settings(config, [setting]))
            ranks = {each.passage_id: each.rank for each in other.hits}
            assert without[part] == ranks.get(hit.passage_id), part


def test_why_not_higher_is_told_by_what_differs(session: WorkspaceRankingSession) -> None:
    config = with_settings(Config(), ["routing.low=0", "routing.high=1"])
    ranking = session.rank(TaskContext(), config)
    for hit in ranking.hits[1:5]:
        found = session.explain_rank(ranking, hit.passage_id, TaskContext(), config)
        assert found is not None and 1 <= len(found.reasons) <= 3
    assert session.explain_rank(ranking, ranking.hits[0].passage_id, TaskContext()).reasons == ()  # type: ignore[union-attr]
    outside = ranking.hits[10].passage_id
    found = session.explain_rank(replace(ranking, hits=ranking.hits[:10]), outside, TaskContext(), config)
    assert found is not None and found.rank is None and found.above == ""
    assert found.reasons
    low = session.rank(TaskContext(), narrow := with_settings(config, ["retrieval.pool=2"]))
    beyond = low.candidates[4].passage_id
    told = session.explain_rank(low, beyond, TaskContext(), narrow)
    assert told is not None
    assert any("place 5" in reason and "first 2" in reason for reason in told.reasons)
    assert session.explain_rank(ranking, "gone", TaskContext()) is None


def test_who_gave_how_much_adds_up(session: WorkspaceRankingSession, ranking: Ranking) -> None:
    passage = ranking.hits[0].passage_id
    found = session.attributed(ranking, passage, TaskContext())
    assert found is not None and found.name
    assert sum(source.share for source in found.sources) == pytest.approx(1.0)
    shares = [source.share for source in found.sources]
    assert shares == sorted(shares, reverse=True)
    assert sum(source.itself for source in found.sources) == 1
    seed = ranking.seeds[0]
    own = session.attributed(ranking, seed.entity_id, TaskContext())
    assert own is not None and own.name == seed.name
    assert own.sources[0].entity_id == seed.entity_id, "a seed has most of its mass of itself"
    assert own.mass == pytest.approx(ranking.heat[seed.entity_id], abs=2e-3)
    assert session.attributed(ranking, "gone", TaskContext()) is None


def test_the_heats_of_all_seeds_are_the_heat(session: WorkspaceRankingSession, ranking: Ranking) -> None:
    ids = [*(seed.entity_id for seed in ranking.seeds), ""]
    heats = [session.heat_from(ranking, id, TaskContext()) for id in ids]
    for entity, mass in list(ranking.heat.items())[:10]:
        assert sum(heat.get(entity, 0.0) for heat in heats) == pytest.approx(mass, abs=2e-3)
    assert session.heat_from(ranking, "gone", TaskContext()) == {}


def test_steps_lead_from_the_seeds_to_the_heat(session: WorkspaceRankingSession, ranking: Ranking) -> None:
    steps = session.steps(ranking, TaskContext())
    assert set(steps[0]) == {seed.entity_id for seed in ranking.seeds}
    assert len(steps) > 3
    for entity, mass in list(ranking.heat.items())[:10]:
        assert steps[-1][entity] == pytest.approx(mass, abs=5e-3)


def test_what_cannot_be_laid_open_says_so(sample_workspace: Workspace) -> None:
    api = sample_workspace.retrieval
    for route in ("lab:hierarchical", "global", "lab:hybrid"):
        with pytest.raises(BadInput, match="cannot be laid open"):
            api.open_ranking_session(QUESTIONS[0], TaskContext(), route)
    with pytest.raises(BadInput):
        api.open_ranking_session("   ", TaskContext())
    with pytest.raises(Cancelled):
        api.open_ranking_session(QUESTIONS[0], TaskContext(cancelled=lambda: True))


@pytest.fixture
def own(sample_path: Path, tmp_path: Path, models: Models) -> Iterator[Workspace]:
    with Workspace.open(copied(sample_path, tmp_path / "own"), models=models) as opened:
        yield opened


def test_what_is_kept_ranks_from_now_on(own: Workspace, models: Models) -> None:
    turned = with_settings(Config(), ["retrieval.damping=0.85", "retrieval.lexical_weight=2.5"])
    before = own.retrieve(QUESTIONS[1], TaskContext())[1]
    own.keep_settings(["retrieval.candidates=90"])  # by somebody else, and no dial
    kept = own.keep_settings(dials_of(turned))
    after = own.retrieve(QUESTIONS[1], TaskContext())[1]
    assert own.config.retrieval.damping == 0.85 and after.hits != before.hits
    with Workspace.open(own.path, models=models, read_only=True) as again:
        assert again.config.retrieval == replace(turned.retrieval, candidates=90)
    back = own.keep_settings(dials_of(Config()))
    assert own.config.retrieval == replace(Config().retrieval, candidates=90)
    own.keep_settings(back, instead=True)
    assert own.config.retrieval == replace(turned.retrieval, candidates=90), "undone"
    own.keep_settings(kept, instead=True)
    assert own.config.retrieval == replace(Config().retrieval, candidates=90)


def test_where_a_stranger_s_workspace_ranks_otherwise_that_is_told(own: Workspace, tmp_path: Path) -> None:
    own.keep_settings(["retrieval.damping=0.85"])
    own.close()
    with Workspace.open(copied(own.path, tmp_path / "received")) as other:
        assert other.origin is not None and "retrieval.damping=0.85" in other.origin.settings
