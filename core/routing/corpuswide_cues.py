"""The signs that a question gathers over many documents, each with the words that show it."""

from __future__ import annotations

from core.routing.corpuswide_cue import AUXILIARIES, BE, WH, Cue, Kind, focus_plural, mentioned, particle
from core.routing.corpuswide_reading import Reading, Scope, phrase_end
from core.routing.corpuswide_told import listed, told
from core.routing.corpuswide_words import (
    AGAIN,
    ARRANGE,
    CHANGES,
    CLASSES,
    COLLECTIONS,
    DESCRIBE,
    DETERMINERS,
    DISCOURSE,
    DOCUMENTS,
    HANDLES,
    KNOWN,
    OVER_AGAIN,
    PERIODS,
    RANKS,
    RELATES,
    SHARES,
    SPREADS,
    SUMMARIES,
    SUMMARISE,
    THEME,
    THEMES,
    VOICES,
    WHOLE_THEMES,
)
from core.routing.corpuswide_works import works

_OF = frozenset("of in for behind about on at with from between to among against facing".split())
_PICTURES = frozenset((("big", "picture"), ("bird's", "eye"), ("bird", "'s")))
_BEFORE_NOUN = frozenset("JJ JJR JJS NN NNP NNPS CD VBG VBN HYPH".split())
_BONDS = frozenset("relationship relation connection link difference similarity tension conflict".split())


def cues_of(reading: Reading, scope: Scope | None) -> tuple[Cue, ...]:
    """All cues in the order of the question."""
    found: list[Cue] = []
    for i in range(len(reading.words)):
        for look in (_summary, _themes, _frequent, _shared, _related, _change, listed, told, works):
            cue = look(reading, scope, i)
            if cue is not None:
                found.append(cue)
    return tuple(found)


def _bounded(reading: Reading, after: int) -> bool:
    """Whether the phrase that follows bounds the noun before it to one thing: "of the fire"."""
    if reading.at(after) not in _OF or reading.at(after + 1) not in DETERMINERS:
        return False
    end = phrase_end(reading, after + 1)
    return bool(end) and reading.singular(end - 1) and reading.at(end - 1) not in COLLECTIONS


def _narrower(reading: Reading, after: int) -> bool:
    """Whether a phrase follows that is about other things than classes of them: "between frogs and toads"."""
    if reading.at(after + 1) in ("these", "those"):
        return False
    end = phrase_end(reading, after + 1) if reading.at(after) in _OF else 0
    return bool(end) and reading.at(end - 1) not in KNOWN


def _summary(reading: Reading, scope: Scope | None, i: int) -> Cue | None:
    """ "Summarise", "an overview", "what is it about", "the big picture"."""
    word, after = reading.words[i], reading.at(i + 1)
    if word in SUMMARISE or (word in SUMMARIES and not _heads(reading, i + 1)):
        return Cue(Kind.SUMMARY, word, i, alone=True, free=False, broad=True)
    if (word, after) == ("sum", "up"):
        return Cue(Kind.SUMMARY, "sum up", i, alone=True, free=False, broad=True)
    if (word, after) in _PICTURES or (
        word == "state" and reading.words[i + 1 : i + 4] == ("of", "the", "art")
    ):
        return Cue(Kind.SUMMARY, f"{word} {after}", i, alone=word == "big", free=False, broad=True)
    done = word in ARRANGE or (reading.tags[i] == "VB" and word not in HANDLES)
    opens = i == 0 or reading.at(i - 1) in ("please", "you", "to", ",", "and", "would")
    if (
        opens
        and done
        and scope is not None
        and (scope.first == i + 1 or reading.at(scope.first - 1) == "from")
    ):
        return Cue(Kind.SUMMARY, word, i, free=False, broad=True)
    if word in DESCRIBE and scope is not None and opens:
        return Cue(Kind.SUMMARY, word, i, free=False, broad=True)
    return _about(reading, scope, i)


def _heads(reading: Reading, i: int) -> bool:
    """Whether another noun follows: "summary judgment" is no summary."""
    return reading.singular(i) or reading.plural(i)


def _about(reading: Reading, scope: Scope | None, i: int) -> Cue | None:
    """ "What is this all about", "tell me about these files", "what is in the archive"."""
    word, rest = reading.words[i], reading.words[:i]
    wide = scope is not None or bool({"all", "this", "everything"} & set(rest))
    if word == "about" and "what" in rest and not reading.at(i + 1)[:1].isalpha() and wide:
        return Cue(Kind.SUMMARY, "about", i, alone="all" in rest, free=False, broad=True)
    if scope is None or i + 1 != scope.first or word not in ("about", "in", "from", "of"):
        return None
    asked = " ".join(rest)
    if asked.endswith(
        ("what is", "what's", "what 's", "tell me", "know", "learn", "content", "contents", "what stands out")
    ):
        return Cue(Kind.SUMMARY, f"{rest[-1]} {word}", i - 1, free=False, broad=True)
    return None


def _themes(reading: Reading, scope: Scope | None, i: int) -> Cue | None:
    """ "Themes", "main findings", "the most important people", "top ten issues", "are there patterns"."""
    word = reading.words[i]
    first = _rank_before(reading, i)
    ranked = first < i
    many = reading.plural(i)
    if not many and not (word in THEME and scope is not None and not _heads(reading, i + 1)):
        return None
    if many and (_heads(reading, i + 1) or word in COLLECTIONS):
        return None
    if word in DOCUMENTS and not (ranked and word in THEMES):
        return None
    words = " ".join(reading.words[first : i + 1])
    bounded = _bounded(reading, i + 1)
    asked = reading.at(0) in WH | {"is", "do", "does", "did"} or first == 0
    if many and (word in THEMES or word in CLASSES) and ranked:
        alone = not _narrower(reading, i + 1)
        return Cue(Kind.THEMES, words, first, alone, bounded=bounded, broad=word in THEMES)
    if many and word in WHOLE_THEMES:
        alone = _asks_for(reading, i) and not _narrower(reading, i + 1)
        return Cue(Kind.THEMES, words, first, alone, bounded=bounded, broad=True)
    if many and ranked:
        return Cue(Kind.THEMES, words, first, bounded=bounded)
    if many and word in THEMES and reading.at(i + 1) == "of" and reading.at(i + 2) == "these":
        return Cue(Kind.THEMES, words, first, True, broad=True)
    if many and word in THEMES and ("there" in reading.words[:i] or first == 0):
        return Cue(Kind.THEMES, words, first, bounded=bounded)
    if not many and (ranked or asked and i <= 4):
        return Cue(Kind.THEMES, words, first, free=ranked, bounded=bounded, broad=True)
    return None


def _asks_for(reading: Reading, i: int) -> bool:
    """Whether the noun at i is what is asked for: right behind the question word, or behind a rank."""
    return reading.at(i - 1) in WH or reading.at(i - 1) in ("the", "recurring") and i <= 3


def _rank_before(reading: Reading, i: int) -> int:
    """Index of the rank in the noun phrase that ends at i ("most important", "main"), i when there is none."""
    found = i
    for j in range(i - 1, max(-1, i - 5), -1):
        word, tag = reading.words[j], reading.tags[j]
        if word in RANKS or tag == "JJS" and reading.words[i] in THEMES:
            found = j - 1 if reading.at(j - 1) in ("most", "top") else j
        elif word == "most" and tag in ("RBS", "JJS", "RB") and j + 1 < i:
            found = j
        elif word in DETERMINERS or word in AUXILIARIES or not (tag in _BEFORE_NOUN or reading.shouted):
            break
    return found


def _frequent(reading: Reading, scope: Scope | None, i: int) -> Cue | None:
    """ "Which topics come up most often", "recommendations that are repeated", "in most of the filings"."""
    word = reading.words[i]
    if word in ("keep", "keeps", "kept") and reading.at(i + 1).endswith("ing"):
        return Cue(Kind.FREQUENT, f"{word} {reading.at(i + 1)}", i, alone=bool(mentioned(reading)))
    for phrase in AGAIN:
        if reading.words[i : i + len(phrase)] != phrase:
            continue
        said = mentioned(reading) or reading.has("attention") >= 0 or reading.has("part") >= 0
        many = any(reading.plural(j) for j in range(len(reading.words))) or bool(particle(reading))
        if many and phrase in OVER_AGAIN and reading.at(0) in WH:
            return Cue(Kind.FREQUENT, " ".join(phrase), i, alone=True)
        if many and reading.at(0) in WH | {"in", "across", "overall"} and (said or scope is not None):
            if phrase == ("the", "most") and not said:
                return None
            return Cue(Kind.FREQUENT, " ".join(phrase), i, alone=bool(said))
    if (top := _topped(reading, scope, i)) is not None:
        return top
    wide = reading.words[i] in ("most", "majority") and scope is not None and i < scope.last
    if wide and (scope.first <= i or reading.at(i + 1) == "of") and reading.at(0) in WH:  # type: ignore[union-attr]
        return Cue(Kind.FREQUENT, reading.words[i], i)
    spread = word in SPREADS or word in ("recur", "recurs", "recurring", "recurrent")
    if scope is not None and spread and reading.at(0) in WH and any(reading.plural(j) for j in range(i)):
        return Cue(Kind.FREQUENT, word, i)
    return None


def _topped(reading: Reading, scope: Scope | None, i: int) -> Cue | None:
    """ "Which entities are most central", "which harbours play the biggest part", "cause most trouble"."""
    if reading.at(0) not in WH or not focus_plural(reading, 0) or i < 2:
        return None
    word, before, after = reading.words[i], reading.at(i - 1), reading.at(i + 1)
    if word == "most" and not after[:1].isalpha() and mentioned(reading):  # "is discussed most"
        return Cue(Kind.FREQUENT, word, i, alone=_general(reading, i))
    if word in RANKS and after in ("part", "role"):
        return Cue(Kind.FREQUENT, f"{word} {after}", i, alone=_general(reading, i))
    if (
        word == "most"
        and (before in BE or after in RANKS or scope is not None)
        and i + 1 < len(reading.words)
    ):
        return Cue(Kind.FREQUENT, f"{word} {after}".strip(), i, alone=before in BE and _general(reading, i))
    return None


def _general(reading: Reading, before: int) -> bool:
    """Whether what is asked for is a class of things, or a theme."""
    return any(w in CLASSES or w in THEMES for w in reading.words[:before])


def _shared(reading: Reading, scope: Scope | None, i: int) -> Cue | None:
    """ "What do they have in common", "where do they disagree", "which groups fight each other"."""
    word = reading.words[i]
    if (word, reading.at(i + 1)) in (("each", "other"), ("one", "another")):
        classes = any(w in CLASSES or w in THEMES for w in reading.words[:i])
        many = classes or any(reading.plural(j) for j in range(i))
        asked = reading.at(0) in WH | {"how", "where"}
        return Cue(Kind.RELATED, f"{word} {reading.at(i + 1)}", i, alone=classes) if many and asked else None
    if (word, reading.at(i + 1)) == ("in", "common"):
        return Cue(Kind.SHARED, "in common", i, broad=True) if scope is not None else None
    if word not in SHARES or reading.at(0) == "who":
        return None
    if scope is None:
        classes = any(w in CLASSES or w in VOICES for w in reading.words[:i])
        asks = reading.at(0) in WH | {"how", "where"}
        return Cue(Kind.SHARED, word, i, alone=True) if classes and asks and reading.verb(i) else None
    if not (reading.verb(i) or reading.tags[i].startswith(("RB", "JJ")) or i == 0):
        return None
    if reading.at(0) in BE and i < 3:
        return None
    return Cue(Kind.SHARED, word, i, broad=True)


def _related(reading: Reading, scope: Scope | None, i: int) -> Cue | None:
    """ "How are the people connected": of classes of things, never of one."""
    word = reading.words[i]
    if (
        word == "together"
        and reading.at(0) in WH
        and reading.at(i - 1) in ("belong", "hang", "work", "worked", "go")
    ):
        classes = any(w in CLASSES for w in reading.words[:i])
        return Cue(Kind.RELATED, f"{reading.at(i - 1)} {word}", i - 1, alone=classes)
    if word in _BONDS and reading.at(i + 1) == "between" and reading.at(0) in ("what", "how"):
        end = phrase_end(reading, i + 2)
        return (
            Cue(Kind.RELATED, f"{word} between", i, alone=True)
            if reading.at(end - 1) in CLASSES and end
            else None
        )
    if word in RELATES | SPREADS and reading.at(0) in WH and reading.verb(i):
        ends = [
            any(w in CLASSES or w in THEMES for w in side) for side in (reading.words[:i], reading.words[i:])
        ]
        return Cue(Kind.RELATED, word, i, alone=True) if all(ends) else None
    if word not in RELATES or "how" not in reading.words[:i] or not reading.verb(i):
        return None
    several = any(w in CLASSES or w in THEMES for w in reading.words[:i])
    return Cue(Kind.RELATED, word, i, alone=True) if several else None


def _change(reading: Reading, scope: Scope | None, i: int) -> Cue | None:
    """ "How did relations develop over the years": of what is said, or of classes of things."""
    word = reading.words[i]
    if (
        word in PERIODS
        and {reading.at(i - 1), reading.at(i - 2)} & {"over", "through"}
        and reading.at(0) in WH
    ):
        gone = {"have", "has"} & set(reading.words[:i]) and focus_plural(reading, 0)
        said = gone and any(w in CLASSES or w in THEMES for w in reading.words[:4])
        return Cue(Kind.CHANGE, f"over {word}", i, alone=True) if said else None
    if word not in CHANGES or "how" not in reading.words[:i] or not reading.verb(i):
        return None
    general = any(w in DISCOURSE or w in CLASSES or w in THEMES for w in reading.words[:i])
    when = next((j for j in range(i + 1, len(reading.words)) if reading.words[j] in PERIODS), -1)
    if when < 0 and scope is None:
        return None
    return Cue(Kind.CHANGE, word, i, alone=general and when >= 0)
