"""A cross-encoder of the person's own as the second stage. Importing this file imports nothing heavy.

It reads question and passage together, so it judges each passage by itself better than vectors can
(Nogueira and Cho 2019), and costs a forward pass a passage. Only a folder on disk is read, and of it
only safetensors: other weight files can carry code.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.errors import ModelUnavailable
from core.progress import TaskContext
from core.text.translation import tr

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

_BATCH = 8  # passages between two looks at whether to go on
_LONGEST = 512  # tokens of question and passage together, where the tokenizer names no limit


_lock = threading.Lock()


def pair_logits(folder: Path, pairs: Sequence[tuple[str, str]], context: TaskContext) -> NDArray[np.float64]:
    """Return what the model gives to pairs of texts, (n,), higher is better. Raises ModelUnavailable, Cancelled."""
    import torch

    found = []
    with _lock:  # its tokenizer keeps state between calls
        model = load_cross_encoder(folder)
        for start in range(0, len(pairs), _BATCH):
            context.check()
            batch = list(pairs[start : start + _BATCH])
            found.append(model.predict(batch, activation_fn=torch.nn.Identity(), show_progress_bar=False))
    logits = np.concatenate(found).astype(np.float64)
    if not np.isfinite(logits).all():
        raise _unavailable(tr("The cross-encoder {folder} gives scores that are no numbers.", folder=folder))
    return logits


@lru_cache(2)  # the routes share one for passages and one for facts
def load_cross_encoder(folder: Path) -> CrossEncoder:
    """Raise ModelUnavailable for a folder that holds no cross-encoder with one score."""
    if not (folder / "config.json").is_file():
        raise _unavailable(
            tr(
                "The cross-encoder {folder} is not there: a model's folder holds a config.json.",
                folder=folder,
            )
        )
    if not any(folder.glob("*.safetensors")):
        raise _unavailable(tr("The cross-encoder {folder} has no weights in safetensors.", folder=folder))
    # A model of another kind would be given a last layer of random numbers, with a warning in a log.
    if not _is_classifier(folder):
        raise _unavailable(
            tr(
                "The cross-encoder {folder} is a model of another kind: it has no layer that scores a pair.",
                folder=folder,
            )
        )
    try:
        from sentence_transformers import CrossEncoder
    except ImportError as error:
        raise ModelUnavailable(
            tr("sentence-transformers, which runs cross-encoders, is not installed."),
            tr("Install Clew again, or leave retrieval.reranker and retrieval.fact_reranker empty."),
        ) from error
    from safetensors import SafetensorError
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        model: CrossEncoder = CrossEncoder(
            str(folder),
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )
    # What a folder can hold that is no such model: files cut off, settings that do not fit the weights.
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
        raise _unavailable(
            tr(
                "The cross-encoder {folder} cannot be read ({kind}).",
                folder=folder,
                kind=type(error).__name__,
            )
        ) from error
    if model.num_labels != 1:
        raise _unavailable(
            tr(
                "The cross-encoder {folder} gives {count} scores where one is needed.",
                folder=folder,
                count=model.num_labels,
            )
        )
    if not model.max_seq_length or model.max_seq_length > _LONGEST:
        model.max_seq_length = _LONGEST
    return model


def _is_classifier(folder: Path) -> bool:
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _unavailable(
            tr("The cross-encoder {folder} has a config.json that cannot be read.", folder=folder)
        ) from error
    kinds = config.get("architectures") if isinstance(config, dict) else None
    return any(str(kind).endswith("ForSequenceClassification") for kind in kinds or ())


def _unavailable(words: str) -> ModelUnavailable:
    return ModelUnavailable(
        words,
        tr(
            "Set retrieval.reranker or retrieval.fact_reranker to the folder of a cross-encoder, or leave them empty."
        ),
    )
