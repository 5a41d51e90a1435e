"""The learned router: the numpy twin of torch, contributions that add up, files that cannot be trusted."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.config import RoutingConfig
from core.extraction.question import ParsedQuestion
from core.routing import adapter, fit, network
from core.routing.features.vector import FEATURE_NAMES, measure
from core.routing.learned import REST, LearnedRouter, learned_router
from core.routing.rules import RuleRouter
from core.routing.tensors import metadata_of

Parse = Callable[[str], ParsedQuestion]
NAMES = FEATURE_NAMES[3:60]
QUESTIONS = [
    "When was Marta Holm born?",
    "Which company owned the ship that sank off the coast where Marta Holm was born?",
    "?",
    "who " * 300,
]


def made_model(seed: int = 3):  # type: ignore[no-untyped-def]
    """An adapter whose every weight is random, gates included."""
    import torch

    torch.manual_seed(seed)
    model = fit.build(len(NAMES), 0.3)
    with torch.no_grad():
        for value in model.parameters():
            value.add_(torch.randn_like(value) * 0.05)
    model.train(False)
    return model


@pytest.fixture
def file(tmp_path: Path) -> Path:
    random = np.random.default_rng(5)
    standard = (random.normal(size=len(NAMES)), random.uniform(0.5, 2.0, size=len(NAMES)))
    place = tmp_path / "router.safetensors"
    adapter.write(
        place, fit.tensors_of(made_model()), NAMES, standard, (0.7, 0.1), (0.3, 0.6), {"questions": 2}
    )
    return place


def test_numpy_says_what_torch_says() -> None:
    import torch

    model = made_model()
    x = np.random.default_rng(1).normal(size=(40, len(NAMES))).astype(np.float32)
    with torch.no_grad():
        expected = fit.forward(model, torch.from_numpy(x)).numpy()  # type: ignore[attr-defined]
    found = network.logits(network.from_tensors(fit.tensors_of(model), len(NAMES)), x.astype(np.float64))
    assert np.ptp(expected) > 0.1
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_gradients_are_those_of_torch() -> None:
    import torch

    model = made_model().double()
    x = torch.randn(6, len(NAMES), dtype=torch.float64, requires_grad=True)
    fit.forward(model, x).sum().backward()  # type: ignore[attr-defined]
    tensors = {name: value.detach().numpy() for name, value in model.state_dict().items()}
    found = network.gradients(network.from_tensors(tensors, len(NAMES)), x.detach().numpy())
    assert x.grad is not None
    np.testing.assert_allclose(found, x.grad.numpy(), atol=1e-9)


def test_integrated_gradients_sum_to_the_change() -> None:
    net = network.from_tensors(fit.tensors_of(made_model()), len(NAMES))
    for x in np.random.default_rng(2).normal(scale=2.0, size=(8, len(NAMES))):
        change = network.logits(net, np.vstack([x, np.zeros_like(x)]))
        assert network.integrated_gradients(net, x).sum() == pytest.approx(change[0] - change[1], abs=1e-3)


@pytest.mark.parametrize("question", QUESTIONS, ids=range(len(QUESTIONS)))
def test_contributions_sum_to_the_logit(file: Path, parse: Parse, question: str) -> None:
    router = LearnedRouter(adapter.read(file), parse)
    complexity = router.complexity(question)
    assert complexity.source == "learned"
    assert (complexity.low, complexity.high) == (0.3, 0.6)
    logit = router.baseline + math.fsum(f.contribution for f in complexity.features)
    assert complexity.score == pytest.approx(1 / (1 + math.exp(-logit)), abs=1e-9)
    named, rest = complexity.features[:-1], complexity.features[-1]
    assert rest.name == REST
    assert all(f.words for f in complexity.features)
    pushes = [abs(f.contribution) for f in named]
    assert pushes == sorted(pushes, reverse=True)
    # What is lumped is the lumped features' own push, not an error of the integral.
    held = adapter.read(file)
    z = held.standardised(measure(parse(question))[None, :])[0]
    parts = dict(zip(held.names, held.slope * network.integrated_gradients(held.network, z), strict=True))
    lumped = sum(push for name, push in parts.items() if name not in {f.name for f in named})
    assert rest.contribution == pytest.approx(lumped, abs=1e-3)


def test_a_written_adapter_is_read_back(file: Path) -> None:
    held = adapter.read(file)
    assert held.names == NAMES
    assert (held.slope, held.offset, held.low, held.high) == (0.7, 0.1, 0.3, 0.6)
    expected = network.from_tensors(fit.tensors_of(made_model()), len(NAMES))
    x = np.random.default_rng(4).normal(size=(5, len(NAMES)))
    np.testing.assert_array_equal(network.logits(held.network, x), network.logits(expected, x))
    report = file.with_name("router-report.json")
    assert json.loads(report.read_text())["questions"] == 2
    assert adapter.digest(report.read_text()) == held.report


def test_routes_follow_the_adapters_thresholds(file: Path, parse: Parse) -> None:
    router = learned_router(RoutingConfig(), parse, file)
    assert isinstance(router, LearnedRouter)
    for question in QUESTIONS:
        way = router.route(question)
        score = way.complexity.score
        assert way.name == ("graph" if score >= 0.6 else "dense" if score <= 0.3 else "fusion")


def damaged(file: Path, how: str) -> None:
    from safetensors.numpy import load_file, save_file

    tensors = load_file(file)
    metadata = metadata_of(file)
    if how == "missing":
        file.unlink()
    elif how == "cut":
        file.write_bytes(file.read_bytes()[:1000])
    elif how == "noise":
        file.write_bytes(b"\xff" * 5000)
    elif how == "folder":
        file.unlink()
        file.mkdir()
    else:
        if how == "unknown feature":
            metadata["features"] = json.dumps(["no_such_feature", *NAMES[1:]])
        elif how == "other shape":
            tensors["head.weight"] = np.zeros((1, 63), np.float32)
        elif how == "not a number":
            tensors["head.weight"][0, 0] = np.nan
        elif how == "thresholds":
            metadata["thresholds"] = "[0.6, 0.3]"
        elif how == "no description":
            metadata = {}
        elif how == "description of other kinds":
            metadata["calibration"] = "{}"
        elif how == "flat":
            tensors["scale"][4] = 0.0
        save_file(tensors, file, metadata)


@pytest.mark.parametrize(
    "how",
    [
        "missing",
        "cut",
        "noise",
        "folder",
        "unknown feature",
        "other shape",
        "not a number",
        "thresholds",
        "no description",
        "description of other kinds",
        "flat",
    ],
)
def test_without_a_sound_file_the_rules_serve_and_say_so(file: Path, parse: Parse, how: str) -> None:
    damaged(file, how)
    router = learned_router(RoutingConfig(), parse, file)
    assert isinstance(router, RuleRouter)
    assert router.complexity(QUESTIONS[1]).source == "rules"


def test_routing_needs_no_torch(file: Path) -> None:
    program = (
        "import sys; from pathlib import Path; import core.routing.learned as m\n"
        "m.LearnedRouter(m.read(Path(sys.argv[1])), None)\n"
        "assert 'torch' not in sys.modules and 'nltk' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
