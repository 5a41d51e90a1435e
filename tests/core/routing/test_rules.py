"""The rule-based router: scores add up, routes follow the thresholds, features say what they saw."""

from __future__ import annotations

import math
import time
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.config import RoutingConfig
from core.extraction.question import parse_question
from core.providers.spacy_model import load
from core.routing.rules import BIAS, WEIGHTS, RuleRouter, features_of

PLAIN = [
    "When was Marta Holm born?",
    "Who is the director of the film Northern Lights?",
    "Where is Port Alder located?",
    "What is the nationality of Jonas Berg?",
    "How many crew members did the Halcyon have?",
]
CHAINED = [
    "When did the director of the film Northern Lights die?",
    "Which company owned the ship that sank off the coast where Marta Holm was born?",
    "Who is older, Marta Holm or Jonas Berg?",
    "Are the directors of both films Northern Lights and Last Harbour from the same country?",
    "Who is the paternal grandfather of Marta Holm?",
    "What is the place of birth of the founder of the firm that chartered the Halcyon?",
]


@pytest.fixture(scope="module")
def router() -> RuleRouter:
    return RuleRouter(RoutingConfig(), partial(parse_question, nlp=load()))


@pytest.mark.parametrize("question", PLAIN + CHAINED)
def test_contributions_and_bias_make_the_logit(router: RuleRouter, question: str) -> None:
    complexity = router.complexity(question)
    logit = math.fsum([BIAS, *(f.contribution for f in complexity.features)])
    assert complexity.score == 1.0 / (1.0 + math.exp(-logit))
    assert all(f.contribution == WEIGHTS[f.name] * f.value for f in complexity.features)
    assert {f.name for f in complexity.features} == set(WEIGHTS)


def test_strongest_feature_comes_first(router: RuleRouter) -> None:
    pushes = [abs(f.contribution) for f in router.complexity(CHAINED[1]).features]
    assert pushes == sorted(pushes, reverse=True)
    assert pushes[0] > 0


@pytest.mark.parametrize("question", PLAIN)
def test_plain_questions_go_to_dense(router: RuleRouter, question: str) -> None:
    assert router.route(question).name == "dense"


@pytest.mark.parametrize("question", CHAINED)
def test_chained_questions_go_to_graph(router: RuleRouter, question: str) -> None:
    assert router.route(question).name == "graph"


def test_thresholds_are_inclusive(router: RuleRouter) -> None:
    parse = partial(parse_question, nlp=load())
    score = router.complexity(PLAIN[0]).score
    assert RuleRouter(RoutingConfig(low=score, high=0.9), parse).route(PLAIN[0]).name == "dense"
    assert RuleRouter(RoutingConfig(low=score / 4, high=score), parse).route(PLAIN[0]).name == "graph"
    between = RuleRouter(RoutingConfig(low=score / 2, high=min(score * 2, 1.0)), parse).route(PLAIN[0])
    assert between.name == "fusion"
    assert (between.complexity.low, between.complexity.high) == (score / 2, score * 2)


@pytest.mark.parametrize(
    ("question", "feature", "words"),
    [
        ("Who met Marta Holm and Jonas Berg?", "named_entities", "two named entities"),
        ("Who owned the ship that sank near Port Alder?", "relative_clauses", "relative clause"),
        ("When did the captain of the Halcyon die?", "bridging_nouns", "unnamed step: captain"),
        ("When was Marta Holm born?", "length", "short question"),
        ("Who was born earlier, Marta Holm or Jonas Berg?", "choice", "a choice: A or B"),
        ("Who was born earlier, Marta Holm or Jonas Berg?", "comparison_words", 'compares: "earlier"'),
        ("Who wrote “The Long Watch”?", "quoted_titles", "one quoted title"),
        ("Which ship did not arrive at Port Alder?", "negation", "negation"),
        ("Which ship was sold by Northline Shipping?", "passive", "passive"),
        ("What is the name of the son of the owner of the Halcyon?", "of_chain", "three 'of' in a row"),
        ("Who is Marta Holm's mother's brother?", "nested_possessives", "nested possessives"),
        ("Who paid the largest sum?", "superlatives", 'superlative: "largest"'),
        ("Who is the aunt of Marta Holm?", "two_step_kin", "relative of a relative: aunt"),
    ],
)
def test_features_in_words(router: RuleRouter, question: str, feature: str, words: str) -> None:
    found = {f.name: f for f in router.complexity(question).features}
    assert found[feature].words == words
    assert found[feature].contribution != 0


def test_a_parsed_question_is_not_parsed_again(router: RuleRouter) -> None:
    parsed = parse_question(CHAINED[0], load())

    def refuse(text: str) -> None:
        raise AssertionError("parsed twice")

    again = RuleRouter(RoutingConfig(), refuse)  # type: ignore[arg-type]
    assert again.route(parsed) == router.route(CHAINED[0])
    assert features_of(parsed) == router.complexity(CHAINED[0]).features


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(min_size=1, max_size=120))
def test_odd_text_still_gets_a_route(text: str) -> None:
    router = RuleRouter(RoutingConfig(), partial(parse_question, nlp=load()))
    route = router.route(text)
    assert 0.0 <= route.complexity.score <= 1.0
    assert route.name in ("dense", "fusion", "graph")


@pytest.mark.parametrize(
    "text", ["🚢🚢?", "?", "Кто такой Иван?", "船はどこ", "who " * 500, "''\"\"(((", "\n\t x"]
)
def test_odd_questions(router: RuleRouter, text: str) -> None:
    assert router.route(text).name in ("dense", "fusion", "graph")


def test_a_question_takes_milliseconds(router: RuleRouter) -> None:
    router.route(CHAINED[0])
    begin = time.process_time()
    for _ in range(20):
        router.route(CHAINED[1])
    assert (time.process_time() - begin) / 20 < 0.1  # about 0.007 s; the bound only catches a blunder
