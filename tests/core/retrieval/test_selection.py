"""The second stage on a small, real corpus: its signals, its choices, and the retriever around it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from core.answering.ask import Asker
from core.answering.models import Models
from core.progress import TaskContext
from core.retrieval.rerank import rerank
from core.retrieval.selection.model import SelectionModel
from core.retrieval.selection.pool import ALONE, LINKS, SIGNALS, Pool, make_pool, signals
from core.retrieval.selection.selector import Selector, choose
from core.retrieval.selection.wording import content_words
from core.text.sentences import sentences
from core.types import Hit, Passage, Retrieval, Stage
from core.types.kinds import stable_id
from core.workspace import Workspace

TEXTS = {
    "film": ("The Salt Road", "The Salt Road is a 1971 film. Marta Ilves was the director of The Salt Road."),
    "again": ("The Salt Road (film)", "The director of The Salt Road made the film The Salt Road in 1971."),
    "person": ("Marta Ilves", "Marta Ilves grew up near Haapsalu."),
    "grain": ("Grain prices", "Grain prices rose by four percent in March."),
    "bare": ("Untitled", "lorem ipsum dolor"),  # no sentence, no entity
    "empty": ("", "?"),
}
QUESTION = "Which country does the director of The Salt Road come from?"
HOSTILE = ["?!...", "🦊🦊", "the of and", "Salt Road " * 200]


def passage(key: str) -> Passage:
    title, text = TEXTS[key]
    cut = () if key in ("bare", "empty") else tuple(sentences(text))
    return Passage(key, stable_id("document", key), 0, title, text, 0, len(text), None, cut)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Iterator[Workspace]:
    with Workspace.open(tmp_path_factory.mktemp("selection") / "w", create=True, models=models) as opened:
        opened.index_passages([passage(key) for key in TEXTS], TaskContext())
        yield opened


@pytest.fixture(scope="module")
def maker(workspace: Workspace) -> Asker:
    return workspace.retrieval.asker()


def selector_of(asker: Asker, model: SelectionModel) -> Selector:
    return Selector(asker.view.corpus, asker.view.wording, model)


def pool_of(asker: Asker, question: str, hits: tuple[Hit, ...]) -> Pool:
    return make_pool(asker.rankings.analyse(question), hits, asker.view.wording, asker.view.corpus)


def hits(*keys: str) -> tuple[Hit, ...]:
    return tuple(Hit(key, 1.0 / rank, rank) for rank, key in enumerate(keys, 1))


def weighing(**weights: float) -> SelectionModel:
    """A linear model made by hand: the signals that count, and how much."""
    d = len(SIGNALS)
    direct = np.array([weights.pop(name, 0.0) for name in SIGNALS], dtype=np.float32)
    assert not weights, "these are no signals"
    zeros = np.zeros((1, 1), dtype=np.float32)
    return SelectionModel(
        np.zeros(d, np.float32), np.ones(d, np.float32), direct,
        np.zeros((1, d), np.float32), zeros[0], zeros, zeros[0], zeros[0],
    )  # fmt: skip


@pytest.mark.parametrize("question", [QUESTION, *HOSTILE])
def test_signals_are_numbers_for_any_question_and_passage(maker: Asker, question: str) -> None:
    pool = pool_of(maker, question, hits(*TEXTS))
    assert pool.alone.shape == (len(TEXTS), len(ALONE))
    assert pool.links.shape == (len(TEXTS), len(TEXTS), len(LINKS))
    for chosen in ([], [0], [1, 0], list(range(5))):
        values = signals(pool, chosen)
        assert values.shape == (len(TEXTS), len(SIGNALS))
        assert np.isfinite(values).all()


@pytest.mark.parametrize("keys", [("empty",), ()])
def test_pools_of_one_and_of_none(maker: Asker, keys: tuple[str, ...]) -> None:
    pool = pool_of(maker, QUESTION, hits(*keys))
    values = signals(pool, [])
    assert values.shape == (len(keys), len(SIGNALS))
    assert np.isfinite(values).all()
    order, chances = choose(pool, weighing(place=1.0).score)
    assert order == list(range(len(keys)))
    assert chances.tolist() == [1.0] * len(keys)


def column(pool: Pool, name: str, *chosen: int) -> list[float]:
    return [float(value) for value in signals(pool, chosen)[:, SIGNALS.index(name)]]


def test_signals_say_what_they_are_named_for(maker: Asker) -> None:
    pool = pool_of(maker, QUESTION, hits("film", "again", "person", "grain"))
    assert column(pool, "place") == [1, 1 / 2, 1 / 3, 1 / 4]
    assert column(pool, "words")[0] > column(pool, "words")[2] == column(pool, "words")[3] == 0.0
    assert column(pool, "names")[:2] == [1.0, 1.0]
    assert column(pool, "title_in_question") == [1.0, 1.0, 0.0, 0.0]  # "(film)" tells homonyms apart
    # Before a choice nothing is linked; afterwards the film names what "person" is about.
    assert column(pool, "named_title") == [0.0] * 4
    assert column(pool, "named_title", 0)[2:] == [1.0, 0.0]
    assert column(pool, "title_named", 2)[0] == 1.0
    assert column(pool, "bridge", 0)[2] > column(pool, "bridge", 0)[3] == 0.0
    assert column(pool, "question_name", 0)[1:] == [1.0, 0.0, 0.0]
    assert column(pool, "title_again", 0)[1] == 1.0
    assert column(pool, "likeness", 0)[0] == pytest.approx(1.0, abs=1e-5)
    # What the film holds is not new any more.
    assert column(pool, "new_words", 0)[0] == 0.0 < column(pool, "new_words")[0]
    assert column(pool, "words_left", 0)[0] < column(pool, "words_left")[0] == pytest.approx(1.0)
    assert [column(pool, f"step_{step}", 0, 1)[0] for step in range(4)] == [0.0, 0.0, 1.0, 0.0]


def test_a_bridge_is_chosen_before_a_repetition(maker: Asker) -> None:
    """The person's passage holds no word of the question: only the film's passage leads there."""
    question = set(content_words(QUESTION))
    assert not question & set(content_words(" ".join(TEXTS["person"])))
    candidates = hits("film", "again", "grain", "person")
    model = weighing(words=4.0, named_title=8.0, title_again=-8.0)
    found = selector_of(maker, model).reorder(maker.rankings.analyse(QUESTION), candidates, 2, TaskContext())[
        0
    ]
    assert [hit.passage_id for hit in found] == ["film", "person"]
    alone = selector_of(maker, weighing(words=4.0)).reorder(
        maker.rankings.analyse(QUESTION), candidates, 2, TaskContext()
    )[0]
    assert {hit.passage_id for hit in alone} == {"film", "again"}


@pytest.mark.parametrize("seed", range(2))
def test_choosing_is_a_permutation_and_scores_never_rise(maker: Asker, seed: int) -> None:
    generator = np.random.default_rng(seed)
    weights = {name: float(generator.normal(0, 3)) for name in SIGNALS}
    selector = selector_of(maker, weighing(**weights))
    found = selector.reorder(maker.rankings.analyse(QUESTION), hits(*TEXTS), len(TEXTS), TaskContext())[0]
    assert sorted(hit.passage_id for hit in found) == sorted(TEXTS)
    assert [hit.rank for hit in found] == list(range(1, len(TEXTS) + 1))
    scores = [hit.score for hit in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    few = selector.reorder(maker.rankings.analyse(QUESTION), hits(*TEXTS), 3, TaskContext())[0]
    assert few == found[:3]


def test_what_lies_below_the_pool_keeps_its_order(maker: Asker) -> None:
    found = Retrieval(
        hits=hits("grain", "again", "film", "person", "bare", "empty"), stages=(Stage("walk", 0.0),)
    )
    query, selector = (
        maker.rankings.analyse(QUESTION),
        selector_of(maker, weighing(words=4.0, named_title=8.0)),
    )
    every = rerank(query, found, selector, 4, 6, TaskContext())
    order = [hit.passage_id for hit in every.hits]
    assert sorted(order[:4]) == ["again", "film", "grain", "person"]
    assert order[4:] == ["bare", "empty"]
    assert [hit.rank for hit in every.hits] == [1, 2, 3, 4, 5, 6]
    scores = [hit.score for hit in every.hits]
    assert scores == sorted(scores, reverse=True)
    assert [stage.name for stage in every.stages] == ["walk", "second stage"]
    # The pool is full even when fewer are wanted: the person comes from the fourth place.
    few = rerank(query, found, selector, 4, 2, TaskContext())
    assert [hit.passage_id for hit in few.hits] == order[:2]
    assert rerank(query, Retrieval(()), selector, 4, 5, TaskContext()).hits == ()


@pytest.mark.long
def test_a_workspace_answers_without_the_model(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    _, staged = workspace.retrieve(QUESTION, TaskContext(), "graph", 3)
    assert "second stage" in [stage.name for stage in staged.stages]
    monkeypatch.setattr(Models, "selection", lambda *_: None)
    workspace.retrieval.forget_asker()
    for route in ("graph", "fusion"):
        answer = workspace.ask("Who was the director of The Salt Road?", TaskContext(), route)
        assert "second stage" not in [stage.name for stage in answer.trace.stages]
        assert answer.citations and not answer.abstained
    workspace.retrieval.forget_asker()
