"""Tells in which language a text is written, from its bytes (Lui and Baldwin 2012, langid.py)."""

from __future__ import annotations

import io
import lzma
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from core.types import LoadedDocument, Passage

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from py3langid.langid import LanguageIdentifier

SURE = 0.9  # calibrated probability; below it a passage goes by its document
LEAST = 60  # letters; fewer tell a name's language rather than the text's
LOOKED_AT = 2_000  # characters of a text
NONE = "zxx"  # what py3langid calls a text in no language: codes, numbers


def language_of(text: str) -> tuple[str, float]:
    """ISO 639 code and probability; ("", 0) where there are too few letters, or none of a language."""
    sample = text[:LOOKED_AT]
    if sum(map(str.isalpha, sample)) < LEAST and not any(ord(c) > 0x2E80 for c in sample):
        return "", 0.0
    code, probability = _identifier().classify(sample)
    return ("", 0.0) if code == NONE else (code, float(probability))


def language_shares(text: str) -> dict[str, float]:
    """Probability of each language, by its code."""
    return {code: float(share) for code, share in _identifier().rank(text)}


def with_languages(passages: Sequence[Passage], document: LoadedDocument | None = None) -> list[Passage]:
    """Each in its own language where that is sure, else in that of most of the text ("" where nothing tells)."""
    found = [language_of(passage.text) for passage in passages]
    sure: Counter[str] = Counter()
    for passage, (code, probability) in zip(passages, found, strict=True):
        if probability >= SURE:
            sure[code] += len(passage.text)
    most = sure.most_common(1)[0][0] if sure else language_of(document.text)[0] if document else ""
    return [
        replace(passage, language=code if probability >= SURE else most)
        for passage, (code, probability) in zip(passages, found, strict=True)
    ]


def main_language(passages: Sequence[Passage]) -> str:
    """That of most of the text; "" where nothing tells."""
    lengths: Counter[str] = Counter()
    for passage in passages:
        lengths[passage.language] += len(passage.text)
    return lengths.most_common(1)[0][0] if lengths else ""


@cache
def _identifier() -> LanguageIdentifier:
    import numpy as np
    from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier

    # Not by its own `from_model_file`, which unpacks 30 MB onto the disk each time.
    with lzma.open(MODEL_DIR / MODEL_FILE) as packed:
        npz = np.load(io.BytesIO(packed.read()), allow_pickle=False)
    moves, rows = (_rows(npz[name]) for name in ("nextmove", "nextmove_row"))
    outputs = npz["out_feat"].tolist()
    classes = npz["classes"].tolist()
    return LanguageIdentifier(npz["ptc"], npz["pc"], classes, moves, outputs, norm_probs=True, tk_row=rows)


def _rows(numbers: NDArray[Any]) -> array[int]:
    """As the identifier walks them: arrays of Python's own are quicker there, one item at a time."""
    found = array({2: "H", 4: "I", 8: "L"}[numbers.dtype.itemsize])
    found.frombytes(numbers.tobytes())
    return found
