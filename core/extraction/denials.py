"""What denies: particles, "nobody", "no workshop", who is left out by "not"; and the parts of a clause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.extraction.topic import SUBJECTS

if TYPE_CHECKING:
    from spacy.tokens import Token

PARTICLES = frozenset({"not", "n't", "n’t", "never", "hardly", "scarcely", "neither", "nor", "nowhere"})


_ONLY = frozenset({"only", "just", "merely", "simply", "solely", "until", "till", "least"})


_SOME = frozenset("one a an any anyone every everyone everybody each all even many much".split())


BARELY = frozenset({"hardly", "scarcely"})


# "at no time", "under no circumstances": what denies its clause wherever it stands.
_OCCASIONS = frozenset(
    "one way time stage point moment occasion circumstance circumstances account condition conditions means event case "
    "respect sense".split()
)


_PHRASES = frozenset({"nsubj", "nsubjpass", "dobj", "attr", "prep", "agent", "dative"})


_EXCEPT = frozenset({"but", "except", "save", "besides"})


def excluded(token: Token) -> bool:
    """Return whether the phrase is named to be left out: "not Anna but Bo", "Bo rather than Anna"; its clause may
    hold."""
    for child in token.children:
        if child.lower_ == "not" and child.dep_ in {"neg", "advmod", "preconj"} and child.i < token.i:
            following = child.nbor().lower_
            if following not in _ONLY and following not in _SOME and token.tag_[:2] != "VB":
                return True
    before = token.left_edge.nbor(-1) if token.left_edge.i else None
    if before is not None and token.tag_[:2] != "VB":
        if is_instead(before):
            return True
        alone = before.head.tag_[:2] not in {"VB", "MD"} or token.i < token.head.i
        if before.lower_ == "not" and alone:
            return token.left_edge.lower_ not in _ONLY | _SOME
    phrase = token.head if token.dep_ == "appos" else token
    if is_corrected(phrase):
        denied = (denial_of(child) for child in phrase.head.children)
        if any(one is not None and one.i == phrase.i for one in denied):
            return True
    return token.dep_ == "pobj" and excluded(token.head)


def is_corrected(phrase: Token) -> bool:
    """Return whether "but" sets another of its kind in its place: Anna in "met not Anna but Bo"."""
    around = [phrase, *(child for child in phrase.children if child.dep_ == "appos")]
    others = [child for noun in around for child in noun.children if child.dep_ == "conj"]
    but = any(child.dep_ == "cc" and child.lower_ == "but" for noun in around for child in noun.children)
    return but and any(other.tag_[:2] == phrase.tag_[:2] for other in others)


def denial_of(particle: Token) -> Token | None:
    """Return the phrase that a verb's "not" denies alone: one that "but" corrects, or the subject behind it."""
    if particle.lower_ != "not" or focuses(particle):
        return None
    for argument in particle.head.children:
        if argument.dep_ in _PHRASES and argument.tag_[:2] in {"NN", "IN", "TO", "PR"}:
            if is_corrected(argument) and (argument.i > particle.i or argument.i < particle.head.i):
                return argument
            subject = argument.dep_ in {"nsubj", "nsubjpass"} and argument.i < particle.head.i
            if subject and argument.left_edge.i == particle.i + 1 and argument.left_edge.lower_ not in _SOME:
                return argument
    return None


def is_inverted(verb: Token, particle: Token) -> bool:
    """Return whether a denial before the subject turns subject and auxiliary around: else it denies no clause.

    "Never did she sign" denies; "Not far from Oslo she signed" does not, nor does "Hardly had she signed when".
    """
    subject = subject_of(verb)
    barely = any(word.lower_ in BARELY for word in particle.subtree)
    if barely and verb.lower_ == "had" and particle.i < verb.i:
        return False
    if subject is None or particle.i > subject.i or particle.dep_ in {"preconj", "cc", "det"}:
        return True
    if subject.left_edge.i == particle.i + 1 and subject.left_edge.lower_ in _SOME:
        return True  # "hardly anyone signed"
    between = [
        child
        for child in verb.children
        if child.dep_ in {"aux", "auxpass"} and particle.i <= child.i < subject.i and not is_name(child)
    ]
    if barely and any(child.lower_ == "had" for child in between):
        return False
    return bool(between) or particle.i < verb.i < subject.i


def antecedent(clause: Token) -> Token:
    """Return the noun that a relative clause describes: Anna in "it was Anna, not Bo, who signed"."""
    noun = clause.head
    while noun.dep_ in {"appos", "conj"} and excluded(noun):
        noun = noun.head
    return noun


def excepted(token: Token) -> list[Token]:
    """Return who is left of nobody: Anna in "nobody except Anna", "no one other than Anna"."""
    if not _excepts(token):
        return []
    words = [word for word in token.subtree if word.lower_ in _EXCEPT or word.lower_ == "than"]
    return [target for word in words for target in word.children if target.dep_ == "pobj"]


def denies(token: Token) -> bool:
    """Return whether a noun phrase is itself the denial: "nobody", "no workshop", "neither of them"."""
    if _excepts(token):
        return False
    if token.lower_ in NOBODY:
        return True
    for child in token.children:
        if child.i > token.i:
            continue
        if child.lower_ in {"no", "neither"} and not _compares(child) and child.nbor().text != ".":  # "No. 4"
            return True
        quantity = child.dep_ in {"nummod", "det", "amod", "advmod"}
        if quantity and any(
            c.lower_ in {"not", "hardly", "scarcely"} and not focuses(c) for c in child.children
        ):
            return True
        if child.lower_ in {"not", "never"} and child.nbor().lower_ in _SOME:
            return True
    return False


def fronts_denial(child: Token) -> bool:
    """Return what denies and hangs on the auxiliary or an adverb before it: "not once did she", but not ", not
    before,"."""
    first = child.left_edge
    if child.dep_ == "advmod" and first.i and first.nbor(-1).is_punct:
        return False
    return any(
        (inner.lower_ in PARTICLES and inner.dep_ == "neg" and not focuses(inner))
        or (inner.lower_ == "no" and inner.dep_ == "det" and not _compares(inner))
        for inner in child.subtree
    )


def focuses(particle: Token) -> bool:
    """ "not only", "no fewer than": it denies nothing."""
    following = particle.nbor() if particle.i + 1 < len(particle.doc) else None
    return following is not None and (following.lower_ in _ONLY or _compares(particle))


def _compares(particle: Token) -> bool:
    """ "no fewer than nine", "no later than May"."""
    doc, at = particle.doc, particle.i + 1
    return at + 1 < len(doc) and doc[at].tag_ in {"JJR", "RBR"} and doc[at + 1].lower_ == "than"


def ends_at_until(verb: Token, particle: Token) -> bool:
    """ "did not sign until May": signed in May."""
    if particle.lower_ == "never":
        return False
    return any(
        word.lower_ in {"until", "till"}
        for child in verb.children
        if child.i > verb.i
        for word in (child, *child.children)
    )


def denies_clause(argument: Token, verb: Token) -> bool:
    """Return whether an argument of a verb denies its clause."""
    if argument.dep_ not in {"agent", "prep", "dative"} or argument.tag_ != "IN":
        return denies(argument)
    if any(child.lower_ == "neither" and child.i < argument.i for child in argument.children):
        return True
    for target in argument.children:
        if target.dep_ != "pobj" or not denies(target):
            continue
        subject = subject_of(verb)
        before = verb.i if subject is None else subject.i
        fronted = any(c.dep_ == "aux" and argument.i < c.i < before for c in verb.children)
        if argument.dep_ == "agent" or fronted or target.lower_ in NOBODY or _is_occasion(target, argument):
            return True
    return False


def _is_occasion(target: Token, preposition: Token) -> bool:
    return target.lower_ in _OCCASIONS and (preposition.lower_, target.lower_) != ("in", "time")  # quickly


def _excepts(token: Token) -> bool:
    """ "nobody but Anna", "none other than Anna", "nothing less than gold"."""
    following = token.nbor().lower_ if token.i + 1 < len(token.doc) else ""
    if following in {"other", "else", "less", "more", "short"}:
        return token.i + 2 < len(token.doc) and token.nbor(2).lower_ in {"than", "of", *_EXCEPT}
    if token.lower_ == "other" and following == "than":
        return True  # "by no other than Anna"
    return (
        following in _EXCEPT
        and token.nbor().dep_ != "cc"
        or (
            following in _EXCEPT
            and any(child.dep_ == "conj" and child.tag_[:2] == "NN" for child in token.children)
        )
    )


def is_instead(preposition: Token) -> bool:
    """ "instead of", "in place of", "rather than": the words before the preposition."""
    before = preposition.nbor(-1).lower_ if preposition.i else ""
    in_place = before in {"place", "lieu"} and preposition.i > 1 and preposition.nbor(-2).lower_ == "in"
    return (preposition.lower_, before) in {("of", "instead"), ("than", "rather")} or in_place


NOBODY = frozenset({"nobody", "none", "nothing", "neither", "noone", "nowhere"})


def clause_of(token: Token) -> Token:
    """Return the verb of a clause for one of its auxiliaries."""
    while token.dep_ in {"aux", "auxpass"} and token.head.i != token.i:
        token = token.head
    return token


def governing(token: Token) -> Token:
    """Return the verb in whose clause a token stands; the token itself where there is none."""
    while token.tag_[:2] not in {"VB", "MD"} and token.head.i != token.i:
        token = token.head
    return clause_of(token)


def subject_of(verb: Token) -> Token | None:
    return next((child for child in verb.children if child.dep_ in SUBJECTS), None)


def speaker_of(verb: Token) -> str:
    """Return who says it: the subject of a verb, of a passive its agent; "" where nobody is named."""
    for _ in range(3):
        subject = subject_of(verb)
        if subject is not None:
            return _agent(verb) if subject.dep_ == "nsubjpass" else noun_words(subject)
        if verb.dep_ not in {"conj", "xcomp", "advcl"}:
            return ""
        verb = verb.head
    return ""


def _agent(verb: Token) -> str:
    for child in verb.children:
        if child.dep_ == "agent" or child.dep_ == "prep" and child.lower_ == "by":
            return next((noun_words(target) for target in child.children if target.dep_ == "pobj"), "")
    return ""


def holder_of(noun: Token) -> str:
    """ "Anna's claim", "the claim by Anna"."""
    for child in noun.children:
        if child.dep_ == "poss":
            return noun_words(child)
        if child.dep_ in {"agent", "prep"} and child.lower_ in {"by", "of"}:
            return next((noun_words(target) for target in child.children if target.dep_ == "pobj"), "")
    if noun.dep_ == "dobj" and noun.head.tag_[:2] == "VB":
        return speaker_of(noun.head)
    return ""


def named_by(preposition: Token) -> str:
    for child in preposition.children:
        if child.dep_ == "pobj":
            return noun_words(child)
        if found := named_by(child):
            return found
    return ""


def noun_words(noun: Token) -> str:
    """Return a noun phrase without what describes it behind; "" for a pronoun that names nobody."""
    if noun.tag_ in {"EX", "PRP", "DT", "WP", "WDT"} or noun.lower_ in NOBODY | {"one"}:
        return ""
    last = max([noun.i, *(c.i for c in noun.children if c.dep_ in {"flat", "compound"})])
    return noun.doc[noun.left_edge.i : last + 1].text.strip()


def is_name(token: Token) -> bool:
    """Return whether the token is a word with a capital within a sentence: a name, whatever the parser takes it for."""
    return token.is_title and token.i > token.sent.start and token.nbor(-1).is_alpha
