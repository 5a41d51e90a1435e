"""Terms of a folder: which of its noun phrases are terms of its subject ("purchase order"), and what defines them.

C-value (Frantzi, Ananiadou & Mima 2000) says how often a phrase stands for itself and not within longer ones,
specificity how much more often its words stand here than in English at large (Ahmad et al. 1999).
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from core.models.minilm import model_folder
from core.text.sentences import sentences

MOST_TERMS = 300  # of a folder
BAR = 5.0  # least termhood of a term
_FEWEST, _APART = 3, 2  # passages, and uses apart from what longer phrases have of it
_SINGLE = 0.5  # of its termhood, for a single word, which means many things
_RARE = 14_000  # rank in English from which a single word may be a term
_UNKNOWN = 40_000  # rank of a word that English at large hardly has
_ZIPF, _SHIFT = 0.3, 2.7  # share of the word of a rank among those of noun phrases: _ZIPF / (rank + _SHIFT)
_USUAL = 1000  # passages of a folder in which a use counts once
_FIRST_WORD = 1996  # row of the vocabulary


@cache
def word_ranks() -> Mapping[str, int]:
    """Return the rank of English words by how often books and encyclopedias use them, from 1.

    The vocabulary of BERT, which the shipped encoder has, lists words by frequency. Raises ModelUnavailable.
    """
    rows = (model_folder() / "vocab.txt").read_text(encoding="utf-8").split("\n")[_FIRST_WORD:]
    return {word: rank for rank, word in enumerate(rows, start=1) if word.isalpha()}


def choose_terms(phrases: Sequence[str], uses: Iterable[tuple[int, int]]) -> dict[str, float]:
    """Return the termhood of those of the phrases that are terms, the best first, at most MOST_TERMS.

    `uses` are (number of a phrase, passage). Only what stands alone somewhere counts within longer phrases.
    """
    known = frozenset(phrases)
    # Of each phrase itself, first, and the phrases within it.
    within = {
        phrase: [part for _, run in runs(phrase.split(" ")) if (part := " ".join(run)) in known]
        for phrase in phrases
    }
    counts: Counter[str] = Counter()
    places: dict[str, set[int]] = defaultdict(set)  # of each phrase the first few passages
    passages = set()
    for at, passage in uses:
        counts[phrases[at]] += 1
        passages.add(passage)
        for part in within[phrases[at]]:
            if len(places[part]) < _FEWEST:
                places[part].add(passage)
    words: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for phrase, count in counts.items():
        words.update(dict.fromkeys(phrase.split(" "), count))
        total.update(dict.fromkeys(within[phrase], count))
    longer: dict[str, list[int]] = defaultdict(list)
    for phrase, parts in within.items():
        for part in parts[1:] if total[phrase] > 1 else ():
            longer[part].append(total[phrase])
    scale = math.sqrt(_USUAL / max(1, len(passages)))
    found: dict[str, float] = {}
    every = words.total()
    for phrase, own in places.items():
        apart = total[phrase] - sum(longer[phrase]) / max(1, len(longer[phrase]))
        if len(own) >= _FEWEST and apart >= _APART:
            found[phrase] = _termhood(phrase.split(" "), apart * scale, words, every)
    best = sorted(found, key=lambda phrase: (-found[phrase], phrase))[:MOST_TERMS]
    return {phrase: found[phrase] for phrase in best if found[phrase] >= BAR}


def _termhood(own: Sequence[str], uses: float, words: Counter[str], total: int) -> float:
    """Return the mean specificity of the words times the logarithm of the C-value."""
    ranks = [_rank(word) for word in own]
    if len(own) == 1 and ranks[0] < _RARE:
        return 0.0
    shares = (words[word] / total * (rank + _SHIFT) / _ZIPF for word, rank in zip(own, ranks, strict=True))
    specificity = sum(map(math.log, shares)) / len(own)
    c_value = math.log2(max(len(own), 1.5)) * uses
    return specificity * math.log1p(c_value) * (_SINGLE if len(own) == 1 else 1.0)


def runs(words: Sequence[str]) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield where each run of the words begins, and the run; the longest first, then the first."""
    for size in range(len(words), 0, -1):
        for first in range(len(words) - size + 1):
            yield first, words[first : first + size]


def _rank(word: str) -> int:
    """Return the rank of a word, or of its plural; of words with hyphens that of the rarest part."""
    known = word_ranks()
    return max(min(known.get(part, _UNKNOWN), known.get(f"{part}s", _UNKNOWN)) for part in word.split("-"))


# ------------------------------------------------------------ definitions


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
