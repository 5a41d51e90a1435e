"""Signs: all there is of a kind is asked for, or what the documents tell."""

from __future__ import annotations

from core.routing.corpuswide_cue import AUXILIARIES, BE, WH, Cue, Kind, focus_plural, mentioned
from core.routing.corpuswide_reading import Reading, Scope, narrowing
from core.routing.corpuswide_words import CLASSES, DOCUMENTS, GENERIC, MENTIONS, SPEAKS, THEMES

_WITHIN = frozenset("in across throughout from within through between among over to".split())


def listed(reading: Reading, scope: Scope | None, i: int) -> Cue | None:
    """ "List all ships named in the archive", "every party", "what kinds of cargo turn up"."""
    word, after = reading.words[i], reading.at(i + 1)
    if scope is None:
        return _told_alone(reading, i)
    if word in ("list", "name", "identify", "enumerate", "give", "find", "show", "collect") and i <= 3:
        nouns = (
            j
            for j in range(i + 1, scope.first)
            if reading.plural(j) or reading.at(j - 1) in ("every", "each")
        )
        if (end := next(nouns, -1)) > 0:
            return Cue(Kind.LISTED, " ".join(reading.words[i : end + 1]), i, free=False)
    if (
        word in ("kinds", "types", "sorts", "kind", "type", "sort")
        and after == "of"
        and reading.at(i - 1) in WH
    ):
        return Cue(Kind.LISTED, f"{word} of", i)
    return None


_BEFORE_ASKING = frozenset((",", "overall", "and", "me", "know", "wonder", "of", "that"))


def _told_alone(reading: Reading, i: int) -> Cue | None:
    """ "Which countries and regions are covered?", "what sort of documents are these?": nothing else is said."""
    if i > 0 or reading.words[0] not in WH:
        return None
    words = [w for w in reading.words if w[:1].isalpha()]
    classes = any(w in CLASSES or w in THEMES for w in words)
    if classes and words[-1] in MENTIONS and words[-2] in BE:
        return Cue(Kind.LISTED, f"{words[-2]} {words[-1]}", reading.words.index(words[-1]) - 1, alone=True)
    if words[1:3] in (["kinds", "of"], ["sort", "of"], ["kind", "of"], ["types", "of"]) and words[-1] in (
        "these",
        "this",
    ):
        return Cue(Kind.SUMMARY, " ".join(words[:4]), 0, alone=words[3] in DOCUMENTS, broad=True)
    return None


def told(reading: Reading, scope: Scope | None, i: int) -> Cue | None:
    """ "What accidents are recorded in the logbooks", "what future work do the papers suggest"."""
    if scope is None or (i != 0 and reading.at(i - 1) not in _BEFORE_ASKING):
        return None
    word = reading.words[i]
    if word in ("do", "does", "did") and i + 1 == scope.first and reading.at(scope.first) != "both":
        verb = reading.at(scope.last)  # "Do the interviews show any change?"
        return Cue(Kind.TOLD, verb, scope.last, free=False) if verb in MENTIONS | SPEAKS else None
    if word == "what" and i > 0 and i + 1 == scope.first and reading.verb(scope.last):
        return Cue(Kind.TOLD, "what", i, free=False)  # "tell me what these reports say"
    many = focus_plural(reading, i)
    if word in ("what", "which", "whose"):
        subject = reading.at(scope.first - 1) in AUXILIARIES and (
            reading.verb(scope.last)
            or bool({"concerned", "devoted", "focused"} & set(reading.words[scope.last :]))
        )
        if (subject or many and _next_is_scope(reading, scope)) and i + 1 != scope.first:
            free = many or not narrowing(reading, range(scope.last))
            return Cue(Kind.TOLD, " ".join(reading.words[i : scope.first - 1]), i, free=free)
        said = mentioned(reading)
        if said and many:
            return Cue(Kind.TOLD, said, reading.words.index(said.split()[0]))
    if _inside(reading, scope) and many and word in ("what", "which") and _themed(reading, i):
        return Cue(Kind.TOLD, " ".join(reading.words[i : i + 2]), i)
    if _inside(reading, scope) and _open(reading, i, many):
        return Cue(Kind.TOLD, " ".join(reading.words[i : i + 2]), i, free=False)
    if word == "how" and (said := mentioned(reading)):
        return Cue(Kind.TOLD, said, reading.words.index(said.split()[0]), free=False)
    return None


def _themed(reading: Reading, i: int) -> bool:
    """Whether what is asked for is a theme noun: "which arguments"."""
    noun = next((j for j in range(i + 1, min(i + 6, len(reading.words))) if reading.plural(j)), -1)
    return noun > 0 and reading.words[noun] in THEMES


def _inside(reading: Reading, scope: Scope) -> bool:
    """Whether something is looked for in the documents, and not done with them."""
    return {reading.at(scope.first - 1), reading.at(scope.first)} & _WITHIN != frozenset()


def _open(reading: Reading, i: int, many: bool) -> bool:
    """Whether many things may be the answer: "which trades", "what are the strengths", "is there", "what did"."""
    word, after = reading.words[i], reading.at(i + 1)
    if word in ("what", "which") and (many or after in GENERIC and reading.at(i + 2) in AUXILIARIES):
        return True
    if word == "how" and reading.at(i + 2) in AUXILIARIES:  # "how diverse are the opinions"
        return reading.tags[i + 1].startswith("JJ")
    if word == "why" and after in AUXILIARIES:
        return reading.plural(i + 2) or reading.plural(i + 3)
    if word in BE:
        return after == "there"
    if word == "what" and after == "is":  # "what is missing from"
        return reading.tags[i + 2 : i + 3] in (("VBG",), ("VBN",), ("JJ",))
    if word in ("what", "who") and after in ("are", "were"):
        return any(reading.plural(j) for j in range(i + 2, min(i + 7, len(reading.words))))
    return (word == "what" and after in AUXILIARIES - BE) or (word == "how" and after in AUXILIARIES)


def _next_is_scope(reading: Reading, scope: Scope) -> bool:
    """ "What conflicts shape the stories": one verb between what is asked for and the documents."""
    return scope.first >= 3 and scope.first <= 5 and reading.tags[scope.first - 1].startswith("VB")
