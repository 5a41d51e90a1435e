"""How long the graph canvas keeps the GUI thread: python tests/benchmarks/canvas_frames.py [--json]

For each graph size: a frame while the view pans, the longest frame after it came to rest (edges are
drawn in slices), how long until everything is drawn, hovering, choosing labels; and the cost of a
batch of 50 nodes and 100 edges at 5,000 nodes. Offscreen at 1200 x 800, median and worst of many.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from app.graph.canvas.canvas import GraphCanvas
from app.look import theme

SIZES = ((2_000, 4_000), (10_000, 30_000), (50_000, 200_000))
Figures = dict[str, float]


def graph(nodes: int, edges: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Clustered positions (n, 2), communities (n,) and mostly local edges (m, 2)."""
    rng = np.random.default_rng(0)
    clusters = max(8, nodes // 150)
    community = rng.integers(0, clusters, nodes)
    centres = rng.normal(0, 10, (clusters, 2))
    xy = centres[community] + rng.normal(0, 1, (nodes, 2))
    order = np.argsort(community, kind="stable")
    start = rng.integers(0, nodes, edges)
    local = rng.random(edges) < 0.85
    step = np.where(local, rng.integers(1, 40, edges), rng.integers(1, nodes, edges))
    return xy, community, np.stack([order[start], order[(start + step) % nodes]], axis=1)


def milliseconds(action: Callable[[], object]) -> float:
    begin = time.perf_counter()
    action()
    return (time.perf_counter() - begin) * 1000


def filled(nodes: int, edges: int) -> GraphCanvas:
    xy, community, pairs = graph(nodes, edges)
    degree = np.bincount(pairs.ravel(), minlength=nodes)
    canvas = GraphCanvas()
    canvas.resize(1200, 800)
    canvas.show()
    ids, names = [f"n{i}" for i in range(nodes)], [f"Entity {i}" for i in range(nodes)]
    canvas.set_graph(ids, names, community, degree, xy, pairs)
    QApplication.processEvents()
    canvas.settle()
    return canvas


def frames(canvas: GraphCanvas) -> Figures:
    """Medians and worst cases of one canvas, in milliseconds."""
    view, viewport = canvas._view, canvas._view.viewport()
    camera = view.camera()
    x, y = camera.to_data(camera.width / 2, camera.height / 2)
    viewport.repaint()
    pan = []
    for step in range(30):
        view.look_at(x + step * 6 / camera.scale, y, camera.scale * 1.01**step, animate=False)
        pan.append(milliseconds(viewport.repaint))
    canvas._stage.rest()
    rest, begin = [], time.perf_counter()
    while canvas._item.edges.stale(view.camera()):
        canvas._item.update()
        rest.append(milliseconds(viewport.repaint))
    whole = (time.perf_counter() - begin) * 1000
    hover = []
    for step in range(20):
        view.pointed.emit(QPointF(200 + 40 * step, 400))
        hover.append(milliseconds(viewport.repaint))
    label = [milliseconds(canvas._item.place_labels) for _ in range(10)]
    return {
        "pan median": float(np.median(pan)),
        "pan worst": max(pan),
        "rest worst": max(rest, default=0.0),
        "rest until complete": whole,
        "hover median": float(np.median(hover)),
        "labels median": float(np.median(label)),
    }


def growth(batches: int = 40) -> Figures:
    """Cost of add_nodes(50) + add_edges(100) + the batch, and of the frame after it, at 5,000 nodes."""
    canvas = filled(5_000, 10_000)
    rng = np.random.default_rng(1)
    calls, applied, busy, frame = [], [], [], []
    for batch in range(batches):
        ids = [f"new {batch} {i}" for i in range(50)]
        near = [f"n{i}" for i in rng.integers(0, 5_000, 150)]
        pairs = [(id, near[i]) for i, id in enumerate(ids)] + list(zip(near[50:100], ids, strict=True))

        def add(ids: list[str] = ids, pairs: list[tuple[str, str]] = pairs) -> None:
            canvas.add_nodes(ids, ids, [1] * 50)
            canvas.add_edges(pairs)

        calls.append(milliseconds(add))
        begin = time.thread_time()
        applied.append(milliseconds(canvas.flush))
        busy.append((time.thread_time() - begin) * 1000)  # what other processes take is not in it
        frame.append(milliseconds(canvas._view.viewport().repaint))
    canvas.close()
    return {
        "calls worst": max(calls),
        "batch median": float(np.median(applied)),
        "batch worst": max(applied),
        "batch worst, CPU": max(busy),
        "frame median": float(np.median(frame)),
        "frame worst": max(frame),
    }


def main() -> None:
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    theme.apply(app, "dark")
    figures: dict[str, Figures] = {}
    for nodes, edges in SIZES:
        canvas = filled(nodes, edges)
        figures[f"{nodes:,} nodes, {edges:,} edges"] = frames(canvas)
        canvas.close()
    figures["growth at 5,000 nodes"] = growth()
    if "--json" in sys.argv:
        print(json.dumps(figures))
        return
    for name, values in figures.items():
        print(name)
        for key, value in values.items():
            print(f"  {key:<22}{value:8.1f} ms")


if __name__ == "__main__":
    main()
