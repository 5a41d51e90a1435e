"""A question set over a part of its corpus: what becomes of the same questions as the corpus grows."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import platformdirs

from core.errors import BadInput
from core.research.datasets import Dataset, fingerprint_of, fingerprint_of_passages
from core.types.identity import stable_id


def with_share(dataset: Dataset, share: float, seed: int = 0) -> Dataset:
    """The gold of all its questions, and `share` (0 to 1) of what else it holds; a larger share holds the smaller.

    Of a folder the files are copied into the person's cache folder. Raises BadInput where they cannot be.
    """
    gold = frozenset(name for question in dataset.questions for name in question.supporting)
    name = f"{dataset.name}, {share:.0%} of what is no gold"
    if dataset.folder is None:
        selected = _sample_names((p.id for p in dataset.passages if p.id not in gold), share, seed) | gold
        passages = tuple(passage for passage in dataset.passages if passage.id in selected)
        size = sum(len(passage.text.encode()) for passage in passages)
        fingerprint = fingerprint_of_passages(passages)
        return replace(dataset, name=name, passages=passages, fingerprint=fingerprint, size=size)
    folder = _copied(dataset.folder, dataset.fingerprint, gold, share, seed)
    fingerprint, size = fingerprint_of(folder)
    return replace(dataset, name=name, folder=folder, fingerprint=fingerprint, size=size)


def _sample_names(names: Iterable[str], share: float, seed: int) -> frozenset[str]:
    """The first of all in an order that follows from the seed and each name alone."""

    def place(name: str) -> bytes:
        # Lone surrogates stand in names of files that are no UTF-8.
        return hashlib.sha256(f"{seed}\x1f{name}".encode("utf-8", "surrogatepass")).digest()

    ordered = sorted(names, key=place)
    return frozenset(ordered[: round(share * len(ordered))])


def _copied(folder: Path, fingerprint: str, gold: frozenset[str], share: float, seed: int) -> Path:
    """Its files, but for links; one that holds a gold document, such as an archive, is gold."""
    files = sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    )
    holding = frozenset(name for name in files if name in gold or any(g.startswith(f"{name}/") for g in gold))
    names = holding | _sample_names((name for name in files if name not in holding), share, seed)
    place = (
        Path(platformdirs.user_cache_dir("clew")) / "eval" / f"share-{stable_id(fingerprint, *sorted(names))}"
    )
    target = place / folder.name
    try:
        shutil.rmtree(target, ignore_errors=True)  # what an earlier run left half done
        for name in sorted(names):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(folder / name, target / name)
    except OSError as error:
        raise BadInput(
            f"The files cannot be copied to {target} ({error.strerror}).", "Make room there."
        ) from error
    return target
