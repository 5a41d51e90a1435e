"""The trained adapter's file: what it holds, how it is written and how it is read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import BadInput
from core.routing.features.vector import FEATURE_NAMES
from core.routing.network import Array, Network, from_tensors, logits
from core.routing.tensors import packed, tensors_of

FORMAT = "clew-router-1"
SHIPPED = Path(__file__).resolve().parents[2] / "resources" / "router.safetensors"


@dataclass(frozen=True, slots=True)
class Adapter:
    """The network with what stands before and behind it.

    `names` are the selected features, (k,); `mean` and `scale` standardise them. The calibrated
    logit is `slope` * logit + `offset` (Platt 1999; slope is 1 / temperature). low < high.
    """

    names: tuple[str, ...]
    mean: Array
    scale: Array
    network: Network
    slope: float
    offset: float
    low: float
    high: float
    report: str = ""  # SHA-256 of the training report

    def standardised(self, features: Array) -> Array:
        """z-scores of the selected features; `features` (n_rows, len(FEATURE_NAMES)), result (n_rows, k).

        Values far outside what was trained on are held at six deviations: there the network only guesses.
        """
        columns = [FEATURE_NAMES.index(name) for name in self.names]
        scores: Array = np.clip((features[:, columns] - self.mean) / self.scale, -6.0, 6.0)
        return scores

    def logits(self, features: Array) -> Array:
        """Calibrated logits of rows of raw features, (n_rows,)."""
        return self.slope * logits(self.network, self.standardised(features)) + self.offset


def write(
    path: Path,
    tensors: Mapping[str, NDArray[np.float32]],
    names: tuple[str, ...],
    standard: tuple[Array, Array],
    calibration: tuple[float, float],
    thresholds: tuple[float, float],
    report: Mapping[str, object],
) -> Path:
    """Write the weights, and the report beside them as `<stem>-report.json`; the report's path."""

    text = json.dumps(report, indent=2, ensure_ascii=False) + "\n"
    beside = path.with_name(f"{path.stem}-report.json")
    metadata = {
        "format": FORMAT,
        "features": json.dumps(names),
        "calibration": json.dumps(calibration),
        "thresholds": json.dumps(thresholds),
        "report_sha256": digest(text),
    }
    held = {name: np.ascontiguousarray(value) for name, value in tensors.items()}
    held |= {"mean": standard[0].astype(np.float32), "scale": standard[1].astype(np.float32)}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(packed(held, metadata))
        beside.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path} cannot be written ({error.strerror}).", "Choose another --out.") from error
    return beside


def digest(report: str) -> str:
    """SHA-256 of a report's text: ties the weights to how they came about."""
    return hashlib.sha256(report.encode()).hexdigest()


def checked_place(path: Path) -> Path:
    """The place of a new adapter, found out before minutes of training. Raises BadInput."""
    if path.suffix != ".safetensors" or path.is_dir():
        raise BadInput(f"{path} is no name for an adapter.", "Let --out end in .safetensors.")
    if file := next((parent for parent in path.parents if parent.is_file()), None):
        raise BadInput(f"{path} cannot be written: {file} is a file.", "Choose another --out.")
    return path


def read(path: Path) -> Adapter:
    """Raises ValueError when the file is missing, broken or of other features than this Clew measures."""
    metadata, tensors = tensors_of(path, FORMAT)
    try:
        names = tuple(str(name) for name in json.loads(metadata["features"]))
        slope, offset = (float(value) for value in json.loads(metadata["calibration"]))
        low, high = (float(value) for value in json.loads(metadata["thresholds"]))
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path.name} lacks part of its description") from error
    unknown = sorted(set(names) - set(FEATURE_NAMES))
    if not names or unknown or len(set(names)) < len(names):
        raise ValueError(f"{path.name} was trained on features that are not measured: {', '.join(unknown)}")
    mean, scale = (_row(tensors, name, len(names)) for name in ("mean", "scale"))
    if not (0.0 <= low < high <= 1.0 and slope > 0.0 and np.isfinite([slope, offset]).all()):
        raise ValueError(f"{path.name} has thresholds or a calibration that make no sense")
    if not (scale > 0.0).all():
        raise ValueError(f"{path.name} has a feature without spread")
    network = from_tensors(tensors, len(names))
    return Adapter(names, mean, scale, network, slope, offset, low, high, metadata.get("report_sha256", ""))


def _row(tensors: Mapping[str, NDArray[np.floating]], name: str, size: int) -> Array:
    if name not in tensors or tensors[name].shape != (size,) or not np.isfinite(tensors[name]).all():
        raise ValueError(f"the row {name} of {size} numbers is missing or broken")
    return tensors[name].astype(np.float64)
