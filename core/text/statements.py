"""Whether a piece of text is a sentence that says something: not a heading, a caption, a row, or a fragment of a list.

By its form alone, without a parse: it begins and ends as sentences do, is mostly words, and has a finite verb. English;
a verb that the lists below do not know is told by what stands around it.
"""

from __future__ import annotations

import re

RULES = "1"  # of what is a sentence: another one, and all texts are looked through again

_FEWEST_WORDS = 4
_MOSTLY = 0.65  # least share of letters among what is seen

_ENDING = 100  # characters that the numbers of notes may take

_CLOSERS = "\"'”’»)]*_`"
_LABEL = re.compile(r"(?:[-*•–+>]\s+|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)]\s+|\[\d{1,3}\]\s+)+", re.IGNORECASE)
_CAPTION = re.compile(
    r"(?:fig(?:ure|\.)?|tab(?:le|\.)|algorithm|listing|box|chart|plate|exhibit|scheme|equation|eq\.)\s*"
    r"(?:\d|[A-Z]?\.?\d|[IVX]+\b)[\w.\-]*\s*(?:[:.|–—-]|\()",
    re.IGNORECASE,
)
_ROW = re.compile(r"^\s*[|#]|\|.*\||\t|^\s*(?:={3}|-{3})")
_CODE = re.compile(r'"""|->|=>|==|!=|\$\$|\bdef \w')
_CALL = re.compile(r"\b\w++\(")  # without going back: some texts are one long word
_FIELD = re.compile(r"(?:^|[;,] )[A-Z][\w. ]{0,30}: ")
_FIELDS = 3  # "Date: 4 May; Person: Otto Kask; Amount: 3" is a row
_NOTES = re.compile(r"(?:\s*\[[\d,;– -]+\])+$")  # "... as was shown. [12]"
_END = re.compile(r"[.!?…]$")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")

FINITE = frozenset(
    "is are was were am has have had do does did will would shall should can could may might must cannot isn't "
    "aren't wasn't weren't hasn't haven't hadn't don't doesn't didn't won't wouldn't can't couldn't i'm it's he's "
    "she's that's there's we're they're you're i've we've they've became began bore bought broke brought built "
    "came chose cost drew drove fell froze hung put felt fled flew found fought gave got grew held hid kept knew "
    "laid lay led left lent lost made meant met paid ran rang read rose said sank sat saw sent set shook shot "
    "shut slept sold sought spent spoke spread stood stole struck swore taught threw told took underwent "
    "understood undertook went withdrew woke won wore wrote".split()
)
_VERBS = frozenset(
    "accept achieve acquire act add address adopt affect agree aim allow apply appear argue arise arrive ask "
    "assess assume base become begin believe belong benefit bind break bring build buy call cause choose claim "
    "combine come compare compute concern confirm connect consider consist contain continue contribute control "
    "cover create deal decide define deliver demonstrate depend derive describe determine develop differ discuss "
    "divide employ enable encourage enhance ensure establish evaluate examine exceed exist expect explain explore "
    "extend face fail find focus follow form gain generate get give grow happen have help hold identify lend name "
    "share outrank illustrate improve include increase indicate integrate introduce investigate involve keep know "
    "lack lead learn leave let lie live lose maintain make mean meet need note observe obtain occur offer operate "
    "outperform own pay perform play present prevent produce propose provide prove reach receive recommend reduce "
    "reflect rely remain replace report represent require result return reveal rise run sail say see seem sell "
    "serve show sit speak specify stand start state stay store suffer suggest support take tell tend try use "
    "validate vary want write yield".split()
)
_BEFORE_ADJECTIVE = frozenset(
    "the a an of with by in on at for from to as and or its their his her our your my this that these those some "
    "any no more most less well newly highly pre non".split()
)
_ADJECTIVE_BEHIND = _BEFORE_ADJECTIVE - {"and", "that", "this"}
_OBJECTS = frozenset(
    "one two three the a an its their his her our this these those all both every each no us them him it".split()
)
_SUBJECTS = frozenset("you who which that these those and".split())
_NOMINATIVES = frozenset("i we he she they".split())  # who stands so does something
_NO_VERB = frozenset(
    "of with by in on at for from to as and or but nor than over under between among against through into onto "
    "within without across during before after since until about around per via like not only also".split()
)


def is_statement(text: str) -> bool:
    """Whether `text` is a sentence, a point of a list that is one included. Linear in its length."""
    if _ROW.search(text) or _CODE.search(text) or any("_" in call[1:-2] for call in _CALL.findall(text)):
        return False
    plain = " ".join(text.split())
    label = _LABEL.match(plain)
    plain = plain[label.end() if label else 0 :].lstrip("*_`\"'“‘«([ ")
    fields = len(_FIELD.findall(plain)) if plain.count(": ") >= _FIELDS else 0
    if not plain or plain[0].islower() or _CAPTION.match(plain) or fields >= _FIELDS:
        return False
    if not _END.search(_bare(plain)):
        return False
    words = _WORD.findall(plain.casefold().replace("’", "'"))
    letters = sum(map(len, words))
    visible_chars = len(plain) - plain.count(" ")
    return len(words) >= _FEWEST_WORDS and letters >= _MOSTLY * visible_chars and _has_finite_verb(words)


def _bare(text: str) -> str:
    """Without quotes and brackets that close it, and numbers of notes behind it."""
    return _NOTES.sub("", text[-_ENDING:]).rstrip(_CLOSERS)


def _has_finite_verb(words: list[str]) -> bool:
    return not _NOMINATIVES.isdisjoint(words) or any(_finite(words, at) for at in range(len(words)))


def _finite(words: list[str], at: int) -> bool:
    word, before = words[at], words[at - 1] if at else ""
    after = words[at + 1] if at + 1 < len(words) else ""
    if word in FINITE:
        return True
    if not before or before in _ADJECTIVE_BEHIND:
        return False
    if word.endswith("ed") and len(word) > 4:
        return True
    if word.endswith("s") and len(word) > 3 and (_infinitive(word) in _VERBS or after in _OBJECTS):
        return True
    # "the methods use": behind a plural, or a word that only a subject is
    many = before in _SUBJECTS or (before.endswith("s") and not before.endswith("ss"))
    return many and (word in _VERBS or (after in _OBJECTS and word not in _NO_VERB))


def _infinitive(word: str) -> str:
    """The plain form of a verb in the third person."""
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(("ches", "shes", "sses", "xes", "oes")) else word[:-1]
