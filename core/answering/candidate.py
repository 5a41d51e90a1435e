"""What an answer is made from: a ranked passage with everything known about it, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.types import ExtractedMention, Hit, Page, Passage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Candidate:
    """One passage that may hold the answer.

    `vectors`: unit vectors of the sentences, float32, shape (len(passage.sentences), d).
    `mentions`: offsets in the passage's text. `pages` of the document, () when it has none or they
    are not known; then a citation takes the passage's own page.
    """

    hit: Hit
    passage: Passage
    document: str  # path relative to the folder
    vectors: NDArray[np.float32]
    mentions: tuple[ExtractedMention, ...] = ()
    pages: tuple[Page, ...] = ()
