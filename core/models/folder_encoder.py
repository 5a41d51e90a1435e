"""A sentence-transformers folder of the person's own as the encoder. Importing this file imports nothing heavy.

Only a folder on disk is read, and of it only safetensors and settings: other weight files can carry code.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import ModelUnavailable
from core.models.centred import VERSION
from core.models.minilm import Vectors
from core.progress import TaskContext
from core.protocols import Tokenizer
from core.text.translation import tr

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

_BATCH = 32  # texts between two looks at whether to go on
_COUNTED = 1_024  # texts at a time
_LONGEST = 512  # tokens, where the folder names no limit
_MODULES = frozenset({"Transformer", "Pooling", "Normalize", "Dense", "LayerNorm"})
_HASHED = frozenset({".json", ".safetensors", ".model", ".txt"})


class FolderEncoder:
    """See `TextEncoder`. Prefixes that are given stand for the folder's own prompts."""

    def __init__(self, folder: Path, question_prefix: str = "", passage_prefix: str = "") -> None:
        """Raise ModelUnavailable for a folder that holds no such encoder."""
        self._folder = folder.expanduser()
        _check(self._folder)
        self._lock = threading.Lock()  # its tokenizer keeps state between calls
        self._model = _loaded(self._folder)
        prompts = self._model.prompts
        prompt = next((prompts[name] for name in ("document", "passage", "corpus") if prompts.get(name)), "")
        self._prompts = {
            True: f"{question_prefix} " if question_prefix else prompts.get("query") or "",
            False: f"{passage_prefix} " if passage_prefix else prompt or "",
        }
        self.tokenizer: Tokenizer = FolderTokenizer(self._model.tokenizer, self._lock)
        most = self._model.max_seq_length or _LONGEST
        self.max_tokens = most - sum(self.tokenizer.counts([self._prompts[False]]))
        self.name = f"{self._folder.name} {_fingerprint(self._folder, self._prompts)}"
        self.dimension = self.encode(["dimension"], TaskContext(), question=False).shape[1]

    def encode(self, texts: Sequence[str], context: TaskContext, *, question: bool) -> Vectors:
        """Raise ModelUnavailable for a model that gives no numbers, Cancelled."""
        order = sorted(range(len(texts)), key=lambda at: -len(texts[at]))  # less padding
        found: list[Vectors] = []
        for start in range(0, len(order), _BATCH):
            context.check()
            batch = [texts[at] for at in order[start : start + _BATCH]]
            with self._lock:
                found.append(
                    self._model.encode(
                        batch, prompt=self._prompts[question], batch_size=_BATCH, show_progress_bar=False
                    )
                )
        vectors = np.concatenate(found).astype(np.float32)
        if not np.isfinite(vectors).all():
            raise _unavailable(
                tr("The encoder {folder} gives vectors that are no numbers.", folder=self._folder)
            )
        return vectors[np.argsort(order)]


class FolderTokenizer:
    """Counts tokens by the folder's own vocabulary."""

    def __init__(self, tokenizer: Any, lock: threading.Lock) -> None:
        self._tokenizer = tokenizer
        self._lock = lock
        self.special: int = tokenizer.num_special_tokens_to_add(pair=False)

    def count(self, text: str) -> int:
        return self.counts([text])[0] + self.special

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, special tokens left out."""
        lengths: list[int] = []
        for start in range(0, len(texts), _COUNTED):
            with self._lock:
                found = self._tokenizer(
                    list(texts[start : start + _COUNTED]),
                    add_special_tokens=False,
                    truncation=False,
                    padding=False,
                    verbose=False,
                )
            lengths.extend(map(len, found["input_ids"]))
        return lengths


def _check(folder: Path) -> None:
    """Raise ModelUnavailable unless the folder holds parts that are known, each with its weights in safetensors."""
    if not folder.is_dir():
        raise _unavailable(tr("The encoder {folder} is not there.", folder=folder))
    try:
        modules = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
        parts = [(str(part["type"]), folder / str(part["path"])) for part in modules]
    except FileNotFoundError as error:
        raise _unavailable(
            tr(
                "The encoder {folder} is no folder of sentence-transformers: it has no modules.json.",
                folder=folder,
            )
        ) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _unavailable(
            tr("The encoder {folder} has a modules.json that cannot be read.", folder=folder)
        ) from error
    for kind, path in parts:
        package, _, name = kind.partition(".")
        if package != "sentence_transformers" or name.rpartition(".")[2] not in _MODULES:
            raise _unavailable(
                tr(
                    "The encoder {folder} has a part that Clew does not run ({kind}).",
                    folder=folder,
                    kind=kind[:100],
                )
            )
        if folder.resolve() not in (path.resolve(), *path.resolve().parents):
            raise _unavailable(tr("The encoder {folder} names a part outside of the folder.", folder=folder))
        weights = [file for suffix in ("*.bin", "*.pt", "*.pth", "*.pkl") for file in path.glob(suffix)]
        if not any(path.glob("*.safetensors")) and (weights or path == folder):
            raise _unavailable(tr("The encoder {folder} has no weights in safetensors.", folder=folder))


def _loaded(folder: Path) -> SentenceTransformer:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise ModelUnavailable(
            tr("sentence-transformers, which runs encoders of your own, is not installed."),
            tr("Install Clew again, or set models.encoder to minilm."),
        ) from error
    from safetensors import SafetensorError
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        return SentenceTransformer(
            str(folder),
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )
    # What a folder can hold that is no such model: files cut off, settings that do not fit the weights.
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, SafetensorError) as error:
        raise _unavailable(
            tr("The encoder {folder} cannot be read ({kind}).", folder=folder, kind=type(error).__name__)
        ) from error


def _fingerprint(folder: Path, prompts: dict[bool, str]) -> str:
    """Return the hash of weights, settings, vocabulary and prompts: all that the vectors depend on."""
    digest = hashlib.sha256(f"{VERSION} {json.dumps(sorted(prompts.items()))}".encode())
    for path in sorted(file for file in folder.rglob("*") if file.suffix in _HASHED and file.is_file()):
        with path.open("rb") as file:
            own = hashlib.file_digest(file, "sha256").hexdigest()
        digest.update(f"{path.relative_to(folder).as_posix()} {own}\n".encode())
    return digest.hexdigest()[:16]


def _unavailable(words: str) -> ModelUnavailable:
    return ModelUnavailable(
        words,
        tr(
            "Set models.encoder to folder:PATH of a sentence-transformers model with safetensors, or to minilm."
        ),
    )
