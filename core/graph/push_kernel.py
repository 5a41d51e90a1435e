"""The loops of forward push, compiled by numba on first use; nothing here runs at import."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

# One record a node, so that a neighbour costs one cache line: what the inner loop reads and writes.
RESIDUE = np.dtype([("residual", np.float64), ("degree", np.float64)])
# What is needed only when a node is pushed; `start` is its first edge.
PLACE = np.dtype([("start", np.int64), ("estimate", np.float64)])
EDGE = np.dtype([("to", np.int32), ("weight", np.float32)])

# Marks a node as touched once its residual was pushed; far below anything that counts.
TOUCHED = 1e-300
NEAR = 16  # neighbours asked for while the node before is pushed

Array = NDArray[Any]
Fetch = Callable[[Array, int], None]
# residue, places, edges, queue, head, tail, touched, n_touched, damping, threshold, edge budget
#   -> head, tail, n_touched, pushes, edges walked, mass lost at nodes without edges
PushLoop = Callable[..., tuple[int, int, int, int, int, float]]
# residue, places, touched, n_touched, damping, scores out -> sum of residuals; leaves all clean
CollectLoop = Callable[..., float]


@cache
def kernels() -> tuple[PushLoop, CollectLoop]:
    """The compiled loops (some seconds the first time). They hold no interpreter lock."""
    import numba

    fetch = _prefetch()
    compiled = numba.njit(nogil=True)
    push = _push_loop(fetch, compiled(_look_ahead(fetch)))
    return compiled(push), compiled(_collect_loop(fetch))


def _look_ahead(fetch: Fetch) -> Callable[..., None]:
    """Ask for memory some steps ahead: on big graphs waiting for it is nearly the whole cost."""

    def look_ahead(residue: Array, places: Array, edges: Array, queue: Array, head: int, tail: int) -> None:
        mask = len(queue) - 1
        if head + 6 < tail:
            fetch(places, queue[(head + 6) & mask])
        if head + 3 < tail:
            soon = places[queue[(head + 3) & mask]]["start"]
            fetch(edges, soon)
            fetch(edges, soon + 8)
        if head + 1 < tail:
            following = queue[(head + 1) & mask]
            begin = places[following]["start"]
            for edge in range(begin, min(places[following + 1]["start"], begin + NEAR)):
                fetch(residue, edges[edge]["to"])

    return look_ahead


def _push_loop(fetch: Fetch, look_ahead: Callable[..., None]) -> PushLoop:
    """Andersen, Chung, Lang 2006, fig. 1 with a FIFO queue.

    A node waits in the queue exactly while its residual is above its threshold, so no flag is kept.
    """

    def push(
        residue: Array, places: Array, edges: Array, queue: Array, head: int, tail: int, touched: Array,
        n_touched: int, damping: float, threshold: float, budget: int,
    ) -> tuple[int, int, int, int, int, float]:  # fmt: skip
        pushes, walked, lost, mask = 0, 0, 0.0, len(queue) - 1
        while head != tail and walked < budget:
            node = queue[head & mask]
            head += 1
            look_ahead(residue, places, edges, queue, head, tail)
            residual = residue[node]["residual"]
            residue[node]["residual"] = TOUCHED
            places[node]["estimate"] += (1.0 - damping) * residual
            pushes += 1
            begin, end = places[node]["start"], places[node + 1]["start"]
            if begin == end:
                lost += damping * residual
                continue
            walked += end - begin
            for edge in range(begin + NEAR, end):
                fetch(residue, edges[edge]["to"])
            share = damping * residual / residue[node]["degree"]
            for edge in range(begin, end):
                other = edges[edge]["to"]
                before = residue[other]["residual"]
                after = before + share * edges[edge]["weight"]
                residue[other]["residual"] = after
                limit = threshold * residue[other]["degree"]
                if before == 0.0:
                    touched[n_touched] = other
                    n_touched += 1
                if (before <= limit) & (after > limit):
                    queue[tail & mask] = other
                    tail += 1
        return head, tail, n_touched, pushes, walked, lost

    return push


def _collect_loop(fetch: Fetch) -> CollectLoop:
    def collect(
        residue: Array, places: Array, touched: Array, n_touched: int, damping: float, scores: Array
    ) -> float:
        left = 0.0
        for at in range(n_touched):
            if at + 8 < n_touched:
                fetch(residue, touched[at + 8])
                fetch(places, touched[at + 8])
            node = touched[at]
            residual = residue[node]["residual"]
            # What waits at a node stays there with probability 1 - damping: known without a push.
            scores[at] = places[node]["estimate"] + (1.0 - damping) * residual
            left += residual
            residue[node]["residual"] = 0.0
            places[node]["estimate"] = 0.0
        return left

    return collect


def _prefetch() -> Fetch:
    """`fetch(array, row)` for compiled code: bring the row's cache line near; any row is safe."""
    from llvmlite import ir  # type: ignore[import-untyped]
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    def fetch(_typing: Any, array: Any, row: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            word, flag = ir.IntType(64), ir.IntType(32)
            address = ir.IntType(8).as_pointer()
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            index = context.cast(builder, arguments[1], row, types.int64)
            size = ir.Constant(word, array.dtype.size)
            place = builder.add(builder.ptrtoint(data, word), builder.mul(index, size))
            shape = ir.FunctionType(ir.VoidType(), [address, flag, flag, flag])
            call = cgutils.get_or_insert_function(builder.module, shape, "llvm.prefetch.p0")  # type: ignore[no-untyped-call]
            # For writing, to the nearest cache, data.
            hints = [ir.Constant(flag, hint) for hint in (1, 3, 1)]
            builder.call(call, [builder.inttoptr(place, address), *hints])
            return context.get_dummy_value()

        return types.void(array, row), generate

    made: Any = intrinsic(fetch)
    return cast("Fetch", made)
