"""What is read out of the network's outputs."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from core.comprehension import network
from core.comprehension.encoding import Pair, PairEncoder
from core.comprehension.network import Outputs
from core.comprehension.reader import _passage_read

TEXT = "Arrest at the port\nShe was held in Oslo"


def read(pair: Pair, start: int, end: int) -> list[str]:
    """The spans of a network that is sure of these two tokens of the text, and of "Oslo" less so."""
    starts, ends = torch.full((len(pair.ids),), -5.0), torch.full((len(pair.ids),), -5.0)
    starts[pair.begin + start], ends[pair.begin + end] = 5.0, 5.0
    starts[-2], ends[-2] = 3.0, 3.0
    nothing = torch.zeros(1, 6), torch.zeros(1)
    out = Outputs(starts, ends, starts, nothing[0], nothing[1], torch.zeros(1, 3), firsts=(0,))
    return [TEXT[span.start : span.end] for span in _passage_read(pair, out, 0).spans]


@pytest.fixture(scope="module")
def pair() -> Pair:
    encoder = PairEncoder()
    (text,) = encoder.texts([TEXT])
    (only,) = encoder.pairs("Where was she held?", "", text)
    return only


def test_a_span_stands_in_one_line(pair: Pair) -> None:
    mark = int(np.flatnonzero(pair.starts == pair.ends)[0])
    within = read(pair, 1, mark - 1)
    assert within[0] == "at the port"
    across = read(pair, 1, mark + 2)
    assert "Oslo" in across
    assert not any("\n" in words for words in across)


def test_weights_are_averaged() -> None:
    one, other = network.initial(1), network.initial(2)
    name = "heads.dense.weight"
    mixed = network.averaged(one, other, 0.25)[name]
    assert torch.allclose(mixed, 0.25 * one[name] + 0.75 * other[name])
    assert not torch.allclose(mixed, 0.75 * one[name] + 0.25 * other[name])
