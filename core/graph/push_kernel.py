"""The loops of forward push as LLVM's assembly, made into machine code when it is first needed.

numba would make much the same of a loop in Python, but takes seconds for it in every process, most of them for finding
out the types; assembly is ready in a tenth of one. `tests/core/graph/test_push.py` holds it against linear algebra.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from threading import Lock, Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

# One record a node, so that a neighbour costs one cache line: what the inner loop reads and writes.
RESIDUE = np.dtype([("residual", np.float64), ("degree", np.float64)])
# What is needed only when a node is pushed; `start` is its first edge.
PLACE = np.dtype([("start", np.int64), ("estimate", np.float64)])
# Where the loop stands: of the queue, of the list of touched nodes, and what it did.
STATE = np.dtype(
    [(name, np.int64) for name in ("head", "tail", "touched", "pushes", "edges")] + [("lost", np.float64)]
)

# Andersen, Chung, Lang 2006, fig. 1 with a FIFO queue. A node waits in the queue exactly while its residual is above
# its threshold, so no flag is kept. A residual that was pushed stays at 1e-300, far below anything that counts: the
# node was touched. What is needed some steps later is asked for ahead: on big graphs waiting for memory is nearly the
# whole cost.
_ASSEMBLY = """
%residue = type { double, double }
%place = type { i64, double }

declare void @llvm.prefetch.p0(ptr, i32, i32, i32)

define internal void @fetch(ptr %address) alwaysinline {
  call void @llvm.prefetch.p0(ptr %address, i32 1, i32 3, i32 1)
  ret void
}

define internal i64 @waiting(ptr %queue, i64 %mask, i64 %at) alwaysinline {
  %slot = and i64 %at, %mask
  %address = getelementptr i32, ptr %queue, i64 %slot
  %node = load i32, ptr %address
  %wide = sext i32 %node to i64
  ret i64 %wide
}

; Asks for the residues of the neighbours that edges `from` to `end` lead to.
define internal void @fetch_neighbours(ptr %residues, ptr %others, i64 %from, i64 %end) alwaysinline {
entry:
  %some = icmp slt i64 %from, %end
  br i1 %some, label %next, label %done
next:
  %edge = phi i64 [ %from, %entry ], [ %following, %next ]
  %other.at = getelementptr i32, ptr %others, i64 %edge
  %other = load i32, ptr %other.at
  %residue = getelementptr %residue, ptr %residues, i32 %other
  call void @fetch(ptr %residue)
  %following = add i64 %edge, 1
  %more = icmp slt i64 %following, %end
  br i1 %more, label %next, label %done
done:
  ret void
}

define internal void @look_ahead(ptr %residues, ptr %places, ptr %others, ptr %weights, ptr %queue, i64 %mask,
                                 i64 %head, i64 %tail) alwaysinline {
entry:
  %sixth = add i64 %head, 6
  %has.sixth = icmp slt i64 %sixth, %tail
  br i1 %has.sixth, label %fetch.place, label %third
fetch.place:
  %late = call i64 @waiting(ptr %queue, i64 %mask, i64 %sixth)
  %late.place = getelementptr %place, ptr %places, i64 %late
  call void @fetch(ptr %late.place)
  br label %third
third:
  %third.at = add i64 %head, 3
  %has.third = icmp slt i64 %third.at, %tail
  br i1 %has.third, label %fetch.edges, label %first
fetch.edges:
  %soon = call i64 @waiting(ptr %queue, i64 %mask, i64 %third.at)
  %soon.place = getelementptr %place, ptr %places, i64 %soon
  %soon.start = load i64, ptr %soon.place
  %soon.others = getelementptr i32, ptr %others, i64 %soon.start
  %soon.weights = getelementptr float, ptr %weights, i64 %soon.start
  call void @fetch(ptr %soon.others)
  call void @fetch(ptr %soon.weights)
  br label %first
first:
  %first.at = add i64 %head, 1
  %has.first = icmp slt i64 %first.at, %tail
  br i1 %has.first, label %fetch.residues, label %done
fetch.residues:
  %next = call i64 @waiting(ptr %queue, i64 %mask, i64 %first.at)
  %next.place = getelementptr %place, ptr %places, i64 %next
  %next.start = load i64, ptr %next.place
  %next.end.at = getelementptr %place, ptr %next.place, i64 1
  %next.end = load i64, ptr %next.end.at
  %near = add i64 %next.start, 16
  %fewer = icmp slt i64 %next.end, %near
  %until = select i1 %fewer, i64 %next.end, i64 %near
  call void @fetch_neighbours(ptr %residues, ptr %others, i64 %next.start, i64 %until)
  br label %done
done:
  ret void
}

define void @push(ptr noalias %residues, ptr noalias %places, ptr noalias %others, ptr noalias %weights,
                  ptr noalias %queue, ptr noalias %touched, ptr noalias %state,
                  i64 %mask, i64 %budget, double %damping, double %threshold) {
entry:
  %tail.at = getelementptr i64, ptr %state, i64 1
  %touched.at = getelementptr i64, ptr %state, i64 2
  %pushes.at = getelementptr i64, ptr %state, i64 3
  %edges.at = getelementptr i64, ptr %state, i64 4
  %lost.at = getelementptr i64, ptr %state, i64 5
  %head.0 = load i64, ptr %state
  %tail.0 = load i64, ptr %tail.at
  %count.0 = load i64, ptr %touched.at
  %pushes.0 = load i64, ptr %pushes.at
  %edges.0 = load i64, ptr %edges.at
  %lost.0 = load double, ptr %lost.at
  %last = add i64 %edges.0, %budget
  %kept = fsub double 1.0, %damping
  br label %loop

loop:
  %head = phi i64 [ %head.0, %entry ], [ %onward, %isolated ], [ %onward, %walked ]
  %tail = phi i64 [ %tail.0, %entry ], [ %tail, %isolated ], [ %tail.then, %walked ]
  %count = phi i64 [ %count.0, %entry ], [ %count, %isolated ], [ %count.then, %walked ]
  %pushes = phi i64 [ %pushes.0, %entry ], [ %pushed, %isolated ], [ %pushed, %walked ]
  %edges = phi i64 [ %edges.0, %entry ], [ %edges, %isolated ], [ %edges.then, %walked ]
  %lost = phi double [ %lost.0, %entry ], [ %lost.then, %isolated ], [ %lost, %walked ]
  %waiting = icmp ne i64 %head, %tail
  %allowed = icmp slt i64 %edges, %last
  %going = and i1 %waiting, %allowed
  br i1 %going, label %take, label %done

take:
  %node = call i64 @waiting(ptr %queue, i64 %mask, i64 %head)
  %onward = add i64 %head, 1
  call void @look_ahead(ptr %residues, ptr %places, ptr %others, ptr %weights, ptr %queue, i64 %mask,
                        i64 %onward, i64 %tail)
  %residue = getelementptr %residue, ptr %residues, i64 %node
  %residual = load double, ptr %residue
  store double 1.0e-300, ptr %residue
  %place = getelementptr %place, ptr %places, i64 %node
  %estimate.at = getelementptr double, ptr %place, i64 1
  %estimate = load double, ptr %estimate.at
  %stays = fmul double %kept, %residual
  %estimate.then = fadd double %estimate, %stays
  store double %estimate.then, ptr %estimate.at
  %pushed = add i64 %pushes, 1
  %leaves = fmul double %damping, %residual
  %start = load i64, ptr %place
  %end.at = getelementptr %place, ptr %place, i64 1
  %end = load i64, ptr %end.at
  %alone = icmp eq i64 %start, %end
  br i1 %alone, label %isolated, label %connected

isolated:
  %lost.then = fadd double %lost, %leaves
  br label %loop

connected:
  %near = add i64 %start, 16
  call void @fetch_neighbours(ptr %residues, ptr %others, i64 %near, i64 %end)
  %degree.at = getelementptr double, ptr %residue, i64 1
  %degree = load double, ptr %degree.at
  %share = fdiv double %leaves, %degree
  br label %walk

walk:
  %edge = phi i64 [ %start, %connected ], [ %edge.then, %walk ]
  %free = phi i64 [ %tail, %connected ], [ %tail.then, %walk ]
  %so.far = phi i64 [ %count, %connected ], [ %count.then, %walk ]
  %other.at = getelementptr i32, ptr %others, i64 %edge
  %other = load i32, ptr %other.at
  %weight.at = getelementptr float, ptr %weights, i64 %edge
  %weight = load float, ptr %weight.at
  %weight.wide = fpext float %weight to double
  %reached = getelementptr %residue, ptr %residues, i32 %other
  %before = load double, ptr %reached
  %given = fmul double %share, %weight.wide
  %after = fadd double %before, %given
  store double %after, ptr %reached
  %reached.degree.at = getelementptr double, ptr %reached, i64 1
  %reached.degree = load double, ptr %reached.degree.at
  %limit = fmul double %threshold, %reached.degree
  ; Both lists have room for one more than they can hold: what does not count is written over.
  %touched.slot = getelementptr i32, ptr %touched, i64 %so.far
  store i32 %other, ptr %touched.slot
  %new = fcmp oeq double %before, 0.0
  %new.wide = zext i1 %new to i64
  %count.then = add i64 %so.far, %new.wide
  %slot = and i64 %free, %mask
  %slot.at = getelementptr i32, ptr %queue, i64 %slot
  store i32 %other, ptr %slot.at
  %was.low = fcmp ole double %before, %limit
  %is.high = fcmp ogt double %after, %limit
  %joins = and i1 %was.low, %is.high
  %joins.wide = zext i1 %joins to i64
  %tail.then = add i64 %free, %joins.wide
  %edge.then = add i64 %edge, 1
  %further = icmp slt i64 %edge.then, %end
  br i1 %further, label %walk, label %walked

walked:
  %length = sub i64 %end, %start
  %edges.then = add i64 %edges, %length
  br label %loop

done:
  store i64 %head, ptr %state
  store i64 %tail, ptr %tail.at
  store i64 %count, ptr %touched.at
  store i64 %pushes, ptr %pushes.at
  store i64 %edges, ptr %edges.at
  store double %lost, ptr %lost.at
  ret void
}

; Takes the scores of the touched nodes out, leaves all clean, and tells the sum of their residuals.
define double @collect(ptr noalias %residues, ptr noalias %places, ptr noalias %touched, ptr noalias %scores,
                       i64 %count, double %damping) {
entry:
  %kept = fsub double 1.0, %damping
  %last = sub i64 %count, 1
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %next, label %done
next:
  %at = phi i64 [ 0, %entry ], [ %following, %next ]
  %left = phi double [ 0.0, %entry ], [ %left.then, %next ]
  %eighth = add i64 %at, 8
  %has.eighth = icmp slt i64 %eighth, %last
  %late = select i1 %has.eighth, i64 %eighth, i64 %last
  %late.at = getelementptr i32, ptr %touched, i64 %late
  %late.node = load i32, ptr %late.at
  %late.residue = getelementptr %residue, ptr %residues, i32 %late.node
  %late.place = getelementptr %place, ptr %places, i32 %late.node
  call void @fetch(ptr %late.residue)
  call void @fetch(ptr %late.place)
  %node.at = getelementptr i32, ptr %touched, i64 %at
  %node = load i32, ptr %node.at
  %residue = getelementptr %residue, ptr %residues, i32 %node
  %residual = load double, ptr %residue
  store double 0.0, ptr %residue
  %estimate.at = getelementptr %place, ptr %places, i32 %node, i32 1
  %estimate = load double, ptr %estimate.at
  store double 0.0, ptr %estimate.at
  ; What waits at a node stays there with probability 1 - damping: known without a push.
  %stays = fmul double %kept, %residual
  %score = fadd double %estimate, %stays
  %score.at = getelementptr double, ptr %scores, i64 %at
  store double %score, ptr %score.at
  %left.then = fadd double %left, %residual
  %following = add i64 %at, 1
  %more = icmp slt i64 %following, %count
  br i1 %more, label %next, label %done
done:
  %whole = phi double [ 0.0, %entry ], [ %left.then, %next ]
  ret double %whole
}
"""

Array = NDArray[Any]
# residues, places, neighbours (int32), weights (float32), queue, touched, state (changed in place), edge budget,
# damping, threshold
PushLoop = Callable[[Array, Array, Array, Array, Array, Array, Array, int, float, float], None]

# residues, places, touched, scores (written), number of touched, damping -> sum of residuals
CollectLoop = Callable[[Array, Array, Array, Array, int, float], float]

_lock = Lock()
_engines: list[object] = []  # their code is gone with them


def loops() -> tuple[PushLoop, CollectLoop]:
    """The compiled loops; some tenths of a second the first time. They hold no interpreter lock."""
    with _lock:
        return _compiled()


def prepare() -> None:
    """Compile them on another thread, while this one does what comes before a walk."""
    if not _engines:
        Thread(target=loops, name="push").start()


@cache
def _compiled() -> tuple[PushLoop, CollectLoop]:
    from llvmlite import binding as llvm  # type: ignore[import-untyped]

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=2, jit=True)
    module = llvm.parse_assembly(_ASSEMBLY)
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=1)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    pointer, number, real = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double
    shape = ctypes.CFUNCTYPE(None, *[pointer] * 7, number, number, real, real)
    push_code = shape(engine.get_function_address("push"))
    shape_of_collect = ctypes.CFUNCTYPE(real, *[pointer] * 4, number, real)
    collect_code = shape_of_collect(engine.get_function_address("collect"))

    def push(
        residues: Array, places: Array, others: Array, weights: Array, queue: Array, touched: Array, state: Array,
        budget: int, damping: float, threshold: float,
    ) -> None:  # fmt: skip
        arrays = (residues, places, others, weights, queue, touched, state)
        push_code(*(array.ctypes.data for array in arrays), len(queue) - 1, budget, damping, threshold)

    def collect(
        residues: Array, places: Array, touched: Array, scores: Array, count: int, damping: float
    ) -> float:
        arrays = (residues, places, touched, scores)
        return float(collect_code(*(array.ctypes.data for array in arrays), count, damping))

    _engines.append(engine)
    return push, collect
