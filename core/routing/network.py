"""The adapter's forward pass and its gradient in numpy: nothing heavy is imported to route a question.

EA-GraphRAG 3.3: feature attention, hidden layers 256-128-64 with residuals, output attention, logit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
HIDDEN = (256, 128, 64)
_ROWS = 4  # at once: OpenBLAS takes threads for larger products, 20 times slower on a busy machine


@dataclass(frozen=True, slots=True)
class Layer:
    """h = silu(x @ widen + widen_bias); then h + silu(h @ stay + stay_bias): the residual at equal width."""

    widen: Array  # (n_in, n_out)
    widen_bias: Array  # (n_out,)
    stay: Array  # (n_out, n_out)
    stay_bias: Array  # (n_out,)


@dataclass(frozen=True, slots=True)
class Network:
    """Weights in float64. Attention gates are softmax weights times the width, so that 1 is neutral."""

    feature_gate: Array  # (n, n)
    feature_gate_bias: Array  # (n,)
    layers: tuple[Layer, ...]
    output_gate: Array  # (m, m)
    output_gate_bias: Array  # (m,)
    head: Array  # (m,)
    head_bias: float


def from_tensors(tensors: Mapping[str, NDArray[np.floating]], features: int) -> Network:
    """The network whose tensors `core.routing.train` wrote. Raises ValueError where shapes disagree."""
    sizes = (features, *HIDDEN)
    layers = tuple(
        Layer(
            _part(tensors, f"layers.{i}.widen.weight", (out, size)).T,
            _part(tensors, f"layers.{i}.widen.bias", (out,)),
            _part(tensors, f"layers.{i}.stay.weight", (out, out)).T,
            _part(tensors, f"layers.{i}.stay.bias", (out,)),
        )
        for i, (size, out) in enumerate(zip(sizes, HIDDEN, strict=False))
    )
    last = HIDDEN[-1]
    return Network(
        _part(tensors, "feature_gate.weight", (features, features)).T,
        _part(tensors, "feature_gate.bias", (features,)),
        layers,
        _part(tensors, "output_gate.weight", (last, last)).T,
        _part(tensors, "output_gate.bias", (last,)),
        _part(tensors, "head.weight", (1, last))[0],
        float(_part(tensors, "head.bias", (1,))[0]),
    )


def logits(network: Network, x: Array) -> Array:
    """Logits of rows of standardised features; x (n_rows, n_features), result (n_rows,)."""
    h = x * _gate(x, network.feature_gate, network.feature_gate_bias)
    for layer in network.layers:
        h = _silu(h @ layer.widen + layer.widen_bias)
        h = h + _silu(h @ layer.stay + layer.stay_bias)
    h = h * _gate(h, network.output_gate, network.output_gate_bias)
    found: Array = h @ network.head + network.head_bias
    return found


def gradients(network: Network, x: Array) -> Array:
    """d logit / d x for each row, same shape as x."""
    first = _gate(x, network.feature_gate, network.feature_gate_bias)
    h = x * first
    seen: list[tuple[Array, Array]] = []
    for layer in network.layers:
        wide = h @ layer.widen + layer.widen_bias
        h = _silu(wide)
        stay = h @ layer.stay + layer.stay_bias
        h = h + _silu(stay)
        seen.append((wide, stay))
    last = _gate(h, network.output_gate, network.output_gate_bias)
    back = _through_gate(np.broadcast_to(network.head, h.shape), h, last, network.output_gate)
    for layer, (wide, stay) in zip(reversed(network.layers), reversed(seen), strict=True):
        back = back + (back * _silu_slope(stay)) @ layer.stay.T
        back = (back * _silu_slope(wide)) @ layer.widen.T
    return _through_gate(back, x, first, network.feature_gate)


def integrated_gradients(network: Network, x: Array, steps: int = 16) -> Array:
    """Each feature's part of logit(x) - logit(0), shape (n_features,). Sundararajan et al. 2017, eq. 1.

    The path from the mean question (0 after standardising) to x is cut by Gauss-Legendre nodes; the
    parts sum to the logit's change up to the quadrature's error.
    """
    nodes, weights = np.polynomial.legendre.leggauss(steps)
    path = (nodes[:, None] + 1.0) / 2.0 * x[None, :]
    slopes = [gradients(network, path[at : at + _ROWS]) for at in range(0, steps, _ROWS)]
    parts: Array = x * ((weights / 2.0) @ np.concatenate(slopes))
    return parts


def _part(tensors: Mapping[str, NDArray[np.floating]], name: str, shape: tuple[int, ...]) -> Array:
    if name not in tensors or tensors[name].shape != shape or not np.isfinite(tensors[name]).all():
        raise ValueError(f"the tensor {name} of shape {shape} is missing or broken")
    return np.ascontiguousarray(tensors[name], dtype=np.float64)


def _gate(x: Array, weight: Array, bias: Array) -> Array:
    raised = x @ weight + bias
    shares = np.exp(raised - raised.max(axis=1, keepdims=True))
    gate: Array = shares / shares.sum(axis=1, keepdims=True) * x.shape[1]
    return gate


def _through_gate(back: Array, x: Array, gate: Array, weight: Array) -> Array:
    """Gradient of x * gate(x) with respect to x, given the gradient of the product."""
    pulled = back * x * gate
    shared = pulled - gate * pulled.sum(axis=1, keepdims=True) / x.shape[1]
    through: Array = back * gate + shared @ weight.T
    return through


def _sigmoid(x: Array) -> Array:
    s: Array = 0.5 * (1.0 + np.tanh(0.5 * x))
    return s


def _silu(x: Array) -> Array:
    return x * _sigmoid(x)


def _silu_slope(x: Array) -> Array:
    s = _sigmoid(x)
    return s * (1.0 + x * (1.0 - s))
