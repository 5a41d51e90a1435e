"""A causal language model as the policy: a tiny random one learns what is rewarded, and invents nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch

from core.answering.integration.causal import (
    CausalIntegrator,
    CausalPolicy,
    Prompted,
    Written,
    grounded,
    prompt,
)
from core.answering.integration.policy import Plan, Trainer
from core.progress import TaskContext
from tests.core.answering.integration.made_pieces import QUESTION, TEXTS, pieces

END, GOOD = 0, frozenset({3, 4, 5, 6})
ASKED = [Prompted((1, 2, 8, 9), 6), Prompted((1, 2, 10), 6)]


@pytest.fixture
def policy() -> CausalPolicy:
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(7)
    config = LlamaConfig(
        vocab_size=24, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=64,
    )  # fmt: skip
    return CausalPolicy(LlamaForCausalLM(config).eval(), END)


def rewards(task: Prompted, texts: Sequence[Written]) -> np.ndarray:
    """Share of good tokens, whether it ends, and shortness."""
    return np.array(
        [[sum(i in GOOD for i in t.ids) / len(t.ids), END in t.ids, 1 - len(t.ids) / 7] for t in texts],
        dtype=float,
    )


@pytest.mark.long
def test_rewards_rise(policy: CausalPolicy) -> None:
    plan = Plan(steps=25, questions=2, group=12, rate=3e-3, beta=0.0, window=5)
    steps = Trainer(policy, rewards, plan).train(ASKED, TaskContext())
    sums = [sum(step.rewards) for step in steps]
    assert np.mean(sums[-5:]) > np.mean(sums[:5]) + 0.3


def test_log_probabilities_are_those_of_the_tokens(policy: CausalPolicy) -> None:
    (text,) = policy.sample(ASKED[0], 1, np.random.default_rng(2))
    total = 0.0
    for at, token in enumerate(text.ids):
        with torch.no_grad():
            logits = policy.model(input_ids=torch.tensor([[*text.prompt, *text.ids[:at]]])).logits[0, -1]
        total += float(logits.log_softmax(0)[token])
    assert float(policy.log_probabilities([text])[0].detach()) == pytest.approx(total, abs=1e-4)


def test_a_text_ends_once_and_within_its_budget(policy: CausalPolicy) -> None:
    for text in policy.sample(ASKED[1], 20, np.random.default_rng(3)):
        assert 1 <= len(text.ids) <= 6
        assert END not in text.ids[:-1]


class Words:
    """A tokenizer that says the same whatever the ids are."""

    def __init__(self, said: str) -> None:
        self.said = said

    def encode(self, text: str) -> list[int]:
        return [1 + len(word) % 20 for word in text.split()][:40]

    def decode(self, ids: Sequence[int]) -> str:
        return self.said


def test_every_sentence_stands_on_a_piece(policy: CausalPolicy) -> None:
    own = pieces()
    said = f"Kask commands the Star. {TEXTS[2][1]} The moon is made of green cheese."
    found = CausalIntegrator(policy, Words(said)).integrate(QUESTION, own, 5)
    assert [(part.text, part.piece.passage_id) for part in found.parts] == [
        ("Kask commands the Star.", "p0"),
        (TEXTS[2][1], "p1"),
    ]
    assert grounded("", own).parts == ()


def test_the_prompt_holds_every_piece_between_marks() -> None:
    text = prompt(QUESTION, pieces())
    assert all(words in text for _, words in TEXTS)
    assert text.count("<passages ") == text.count("</passages ") == 1
    assert text.endswith(f"Question: {QUESTION}\nText:")
