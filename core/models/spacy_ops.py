"""The matrix products of spaCy's models through numpy: nearly three times as fast as through the library's own BLAS.

What is read of a passage must not depend on the passages beside it, nor on the number of cores. numpy's BLAS rounds
a row by where it stands in a product and by how many threads share it; so every product has the same few rows, one
to each lane of the processor's vectors, and one thread.
"""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray
from thinc.backends import NumpyOps
from threadpoolctl import ThreadpoolController

Array = NDArray[np.float32]

ROWS = 16  # of a product; more take other routes, which round differently


class SteadyOps(NumpyOps):  # type: ignore[misc]  # thinc's is Cython
    """thinc's operations on numpy; products of a row of floats are to the bit the same in any company."""

    def __init__(self) -> None:
        super().__init__()
        self._threads = ThreadpoolController()
        self._lock = threading.Lock()  # else another thread would give the products theirs back

    def gemm(
        self,
        x: Array,
        y: Array,
        out: Array | None = None,
        trans1: bool = False,
        trans2: bool = False,
    ) -> Array:
        """Return x @ y, (n, m), or with `trans2` x @ y.T, the form that prediction uses."""
        if trans1 or not trans2:
            return np.asarray(super().gemm(x, y, out=out, trans1=trans1, trans2=trans2))
        found = np.empty((len(x), len(y)), dtype=np.float32) if out is None else out
        full = len(x) - len(x) % ROWS
        rest = np.zeros((ROWS, x.shape[1]), dtype=np.float32)
        rest[: len(x) - full] = x[full:]
        with self._lock, self._threads.limit(limits=1, user_api="blas"):
            blocks = y @ x[:full].reshape(-1, ROWS, x.shape[1]).transpose(0, 2, 1)
            found[:full].reshape(-1, ROWS, len(y))[:] = blocks.transpose(0, 2, 1)
            found[full:] = (y @ rest.T).T[: len(x) - full]
        return found
