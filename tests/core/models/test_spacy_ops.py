"""Matrix products of spaCy's models: what thinc's own give, and each row the same in any company."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from core.models.spacy_model import import_spacy, load

SHAPES = [(384, 288), (96, 640), (64, 70), (300, 96)]


@pytest.mark.parametrize(("width", "height"), SHAPES)
def test_a_row_is_the_same_wherever_it_stands(width: int, height: int) -> None:
    import_spacy()
    from thinc.backends import NumpyOps

    from core.models.spacy_ops import SteadyOps

    random = np.random.default_rng(5)
    ops, weights = SteadyOps(), random.standard_normal((height, width)).astype(np.float32)
    rows = random.standard_normal((203, width)).astype(np.float32)
    found = ops.gemm(rows, weights, trans2=True)
    assert ops.gemm(rows[:0], weights, trans2=True).shape == (0, height)
    exact = rows.astype(np.float64) @ weights.astype(np.float64).T
    np.testing.assert_allclose(found, exact, atol=2e-4)
    np.testing.assert_allclose(found, NumpyOps().gemm(rows, weights, trans2=True), atol=4e-4)
    for count in (1, 15, 16, 17, 203):
        some = random.permutation(203)[:count]
        for threads in (1, 2):
            with threadpool_limits(threads, "blas"):
                again = ops.gemm(np.ascontiguousarray(rows[some]), weights, trans2=True)
            assert np.array_equal(again, found[some])


def test_the_english_pipeline_computes_by_it() -> None:
    from core.models.spacy_ops import SteadyOps

    for name in ("tok2vec", "tagger", "ner", "parser"):
        products = [node for node in load().get_pipe(name).model.walk() if node.name in {"maxout", "softmax"}]  # type: ignore[attr-defined]
        assert all(isinstance(node.ops, SteadyOps) for node in products)
