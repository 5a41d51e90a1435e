"""Where a text defines a term: "“Credit limit” means ...", "A delivery note is ...", "Credit limit: the most that ..."."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from core.text.sentences import sentences

_MEANS = r"(?:(?:shall |will )?(?:means?|refers? to|denotes?)|(?:is|are) defined (?:as|to)|stands? for)\b"
_LEAD = r"^(?:[(\[]?(?:\d+(?:\.\d+)*|[a-z]|[ivx]+)[.)\]]\s+|[-–—•*·]\s*)?"
_ASIDE = r"(?:\s*\([^()]{1,60}\))?"
_OPENED = r"[\"“”„«'‘]\s*(?:the |an? )?TERM\s*[\"“”»'’]"
# The surest first.
_FORMS = (
    rf"{_OPENED}{_ASIDE}[^.;:]{{0,60}}?[\s,:]+{_MEANS}",
    rf"{_LEAD}(?:the term |by |an? |the )?TERM{_ASIDE},? {_MEANS}",
    r"\((?:(?:each|together|collectively|hereinafter|the|an?|,)\s+)*[\"“]\s*TERM\s*[\"”]\s*\)",
    rf"{_LEAD}an? TERM{_ASIDE} is (?:an?|the|any|one|what|when|where)\b",
    rf"{_LEAD}TERM{_ASIDE} (?:is|are) (?:an?|the|any|those|what|when)\b",
    rf"{_LEAD}TERM{_ASIDE}\s*(?::|[–—]|\s-)\s+(?:an?|the|any|all|those)\b",
)
FORMS, SURE = len(_FORMS), 3  # how many forms there are, and how many of them define whatever they name
_FEWEST_WORDS = 5  # of a sentence that defines


def find_definitions(text: str, names: Iterable[str], forms: int = FORMS) -> Iterator[tuple[int, int, int]]:
    """Yield (rank, start, end) of the sentences that define what goes by any of these names, in order.

    Rank 0 is the surest; only the first `forms` are looked for.
    """
    written = {r"\s+".join(map(re.escape, name.split())) for name in names if name.strip()}
    term = "(?:" + "|".join(sorted(written, key=lambda one: (-len(one), one))) + ")(?:s|es)?"
    patterns = [re.compile(form.replace("TERM", term), re.IGNORECASE) for form in _FORMS[:forms]]
    for sentence in sentences(text):
        words = text[sentence.start : sentence.end]
        if len(words.split()) < _FEWEST_WORDS or words.rstrip().endswith("?"):
            continue
        ranks = [rank for rank, pattern in enumerate(patterns) if pattern.search(words)]
        if ranks:
            yield ranks[0], sentence.start, sentence.end
