"""Signs that what all documents set forth is asked for: their methods, models, experiments, as a whole.

"How do the methods differ?" names no documents, but methods are what papers hold, and all of them are meant where
nothing says whose they are. The whole question must be of that form: "the methods of the two dentists" is not.
"""

from __future__ import annotations

import re

from core.routing.corpuswide_cue import Cue, Kind
from core.routing.corpuswide_reading import Reading, Scope
from core.routing.corpuswide_words import MENTIONS, plural

_WORKS = "|".join(
    plural(noun)
    for noun in (
        "method approach technique algorithm model system solution architecture framework experiment dataset benchmark "
        "baseline theory proposal strategy methodology evaluation".split()
    )
)
_SAID = "described|proposed|presented|suggested"
_LED = (
    rf"(?:(?:the|these|those|all|of|various|different|several|many|most|existing|competing|main|{_SAID}) )*"
)
_THEM = rf"{_LED}(?P<them>(?:{_WORKS})(?: and {_LED}(?:{_WORKS}))?)(?: (?:{_SAID}|used))?(?: here)?"
_MUTUAL = r"(?: (?:from|with|to|against))?(?: (?:each other|one another))?"
_DIFFER = "differ|compare|diverge|converge|agree|disagree|overlap|contrast|vary"
_COMPARED = (
    rf"(?:how|where|in (?:what|which) (?:ways?|respects?)) do {_THEM} (?P<cue>{_DIFFER}){_MUTUAL}",
    rf"do {_THEM} (?P<cue>{_DIFFER}){_MUTUAL}",
    rf"(?:please )?(?P<cue>compare and contrast|compare|contrast) {_THEM}{_MUTUAL}",
    rf"what do {_THEM} (?P<cue>share|have in common)",
    rf"what (?P<cue>distinguishes|differentiates|separates|unites) {_THEM}{_MUTUAL}",
    rf"what (?P<cue>sets) {_THEM} apart{_MUTUAL}",
    rf"how (?P<cue>similar|different|alike|comparable) are {_THEM}",
    rf"what are the (?:main |key )?(?P<cue>differences|similarities|commonalities) (?:between|among) {_THEM}",
)
_TOLD = (
    "|".join(sorted(MENTIONS))
    + "|put forward|tested|introduced|evaluated|applied|employed|studied|tried|presented"
)
_NAMED = (
    rf"(?:which|what) (?P<them>{_WORKS}) (?P<cue>(?:is|are|were|was|have been|were being) (?:{_TOLD}))(?: here)?",
    rf"(?:which|what) (?P<them>{_WORKS}) (?P<cue>do they (?:{_TOLD}))",
)
_ASKED = tuple(re.compile(form) for form in _COMPARED)
_LISTED = tuple(re.compile(form) for form in _NAMED)


def works(reading: Reading, scope: Scope | None, i: int) -> Cue | None:
    """ "How do the methods differ", "compare the approaches", "which experiments are described"."""
    if scope is not None or i > 0:
        return None
    words = [(at, word) for at, word in enumerate(reading.words) if word[:1].isalnum()]
    said = " ".join(word for _, word in words)
    for kind, forms in ((Kind.SHARED, _ASKED), (Kind.LISTED, _LISTED)):
        if found := next((match for form in forms if (match := form.fullmatch(said))), None):
            begin = min(found.start("cue"), found.start("them"))
            cue = said[begin : max(found.end("cue"), found.end("them"))]
            return Cue(kind, cue, words[said[:begin].count(" ")][0], alone=True, broad=True)
    return None
