"""How many threads multiply, while some ask for one and afterwards."""

from __future__ import annotations

import numpy as np
import pytest
import threadpoolctl

from core.index.blas import one_thread


def threads() -> set[int]:
    np.ones((2, 2)) @ np.ones((2, 2))
    return {pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"}


@pytest.mark.parametrize("leaves_first", [0, 1])
def test_one_thread_until_the_last_has_left(leaves_first: int) -> None:
    before = threads()
    inside = [one_thread(), one_thread()]
    for each in inside:
        each.__enter__()
    assert threads() == {1}
    inside[leaves_first].__exit__(None, None, None)
    assert threads() == {1}
    inside[1 - leaves_first].__exit__(None, None, None)
    assert threads() == before
