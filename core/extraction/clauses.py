"""Triples from verbs: who did what to whom, by whom, where and when."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.extraction.assertion import assertion_of
from core.extraction.clause_takers import PLAIN
from core.extraction.denials import antecedent
from core.extraction.owners import LINKING, Owners, second_subject
from core.extraction.phrases import Endpoint, Phrases, conjuncts
from core.extraction.topic import BE, SUBJECTS
from core.text.predicates import family_of
from core.text.stems import stem
from core.types import Assertion, Modality
from core.types.kinds import VALUES

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

# Confidence by pattern. A common-noun object halves nothing but is capped at COMMON_OBJECT.
ACTIVE, PASSIVE, COPULA, PREPOSITIONAL = 0.9, 0.95, 0.9, 0.8
INHERITED = 0.85  # factor: the subject comes from a clause above
REACHED = 0.75  # factor: the object hangs on another object ("in Boston, Massachusetts")
UNDERGONE = 0.7  # factor: the object of a clause whose subject has no name
BEHIND = 0.7  # factor: the name hangs on the object ("has a score by X")
BRIDGED = 0.65  # "the music was written by X": a part of the topic is the subject
COMMON_OBJECT = 0.5
SURE = 0.9  # certainty above that of a pronoun

OBJECTS = frozenset({"dobj", "attr", "oprd", "dative"})
PLACES = frozenset({"GPE", "LOC", "FAC"})
_PLACING = frozenset("in at on of near from to into through across throughout until since".split())
_PREPOSITIONS = frozenset({"in", "at", "on", "of", "near", "from"})  # what a mere "is" may go on with
INDEFINITE = frozenset({"a", "an"})
_ANY = frozenset({"any", "every", "each", "no", "such"})
_COMPARING = frozenset({"than", "like", "unlike"})
_LIKENING = frozenset({"as", "so", "such", "just", "much"})  # "as much land as Bo"
_SAYING = frozenset(map(stem, "say said reply answer cry exclaim whisper continue add remark ask".split()))
# Verbs of which a name alone as the object says too little, always, or where more follows.
_EMPTY = frozenset(map(stem, "have had do did let look".split()))
_LIGHT = frozenset(
    map(
        stem,
        "keep kept hold held put get got take took make made set treat call turn consider regard think".split(),
    )
)
_INHERITING = frozenset({"conj", "xcomp", "advcl"})


@dataclass(frozen=True, slots=True)
class Found:
    """A triple before its offsets are known: `anchor` is a token index of its evidence."""

    subject: Endpoint
    predicate: str
    object: Endpoint
    anchor: int
    confidence: float
    assertion: Assertion = PLAIN


@dataclass(frozen=True, slots=True)
class Complement:
    """What completes a verb: the predicate with its preposition, and the token it leads to."""

    predicate: str
    token: Token
    confidence: float


def clause_triples(doc: Doc, phrases: Phrases, owners: Owners) -> Iterator[Found]:
    """Join, in one pass over the verbs, their subjects to its objects and prepositional objects."""
    for verb in doc:
        if verb.tag_[:2] != "VB" or verb.lower_ in {"do", "does", "did"}:
            continue
        subjects, factor = clause_subjects(verb, phrases, owners)
        parts = [part for part in complements(verb) if not _says_too_little(verb, part, phrases)]
        if not subjects:
            subjects, factor = _undergoers(verb, phrases), UNDERGONE
            parts = [part for part in parts if part.token.dep_ == "pobj"]
        assertion = assertion_of(verb) if subjects and parts else PLAIN
        if assertion.plain and _is_bare(verb):
            assertion = Assertion(modality=Modality.POSSIBLE)
        for complement in parts:
            for subject, prefix in subjects:
                for found in join(subject, prefix, complement, factor, phrases, owners, verb.i):
                    yield replace(found, assertion=assertion)


def _is_bare(verb: Token) -> bool:
    """Return whether a verb in its base form shares the infinitive before it: "a licence to copy it and sell it"."""
    helpers = any(child.dep_ == "aux" for child in verb.children)
    return verb.tag_ == "VB" and verb.dep_ == "conj" and verb.head.tag_ == "VB" and not helpers


def _says_too_little(verb: Token, part: Complement, phrases: Phrases) -> bool:
    """Return whether a complement says nothing without the rest of its clause: "looked Bo in the face", "said at last".

    Nor does whom somebody calls by name, and what stands beyond a quotation mark.
    """
    token = part.token
    if phrases.apart(verb, token) or (token.dep_ in {"dobj", "attr"} and is_called(token)):
        return True
    root = stem(verb.lower_)
    if _is_vague(part.predicate, root):
        return True
    if token.dep_ == "pobj":
        return root in {"mean", "look"} or (root in _SAYING and token.head.i != verb.i + 1)
    if token.dep_ != "dobj" or phrases.named(token) is None:
        return False
    rest = [child for child in verb.children if child.i > verb.i and child.i != token.i]
    if any(child.dep_ in {"xcomp", "ccomp"} and child.tag_ != "VBD" for child in rest):
        return True  # "requires Bo to pay"
    rest += [child for child in token.children if child.dep_ == "appos"]
    # "took over" says what happened, "took Bo by the hand" does not; "made Vest in 2010", "took Vest from Bo" do.
    if any(child.dep_ == "prt" for child in verb.children):
        return False
    open_ended = any(
        child.dep_ in {"acomp", "oprd", "advmod", "dobj", "appos"}
        or (child.dep_ == "prep" and not any(end.ent_type_ for end in child.children))
        for child in rest
    )
    return root in _EMPTY or (root in _LIGHT and open_ended)


def _is_vague(predicate: str, root: str) -> bool:
    """Return whether the noun behind a verb that means little alone says little, too: "had air about"."""
    words = predicate.split()
    return len(words) > 2 and root in _EMPTY | _LIGHT and not family_of(" ".join(words[1:-1]))


def is_called(token: Token) -> bool:
    """ "Is he married, Papa?": a comma alone stands between the name and the verb."""
    first = token.left_edge.i
    return token.head.i == first - 2 and token.doc[first - 1].text == ","


def tells_kind(noun: Token, articles: Set[str] = INDEFINITE) -> bool:
    """ "a Swiss director", "chairman": what kind of thing somebody is; not "the same", "a better man", "his hope"."""
    if noun.tag_ not in {"NN", "NNP"}:
        return False
    before = [child for child in noun.children if child.i < noun.i]
    return all(
        child.lower_ in articles if child.dep_ in {"det", "poss"} else child.tag_ not in {"JJR", "JJS", "PDT"}
        for child in before
    )


def join(
    subject: Endpoint,
    prefix: str,
    complement: Complement,
    factor: float,
    phrases: Phrases,
    owners: Owners,
    anchor: int,
) -> Iterator[Found]:
    """Join the subject with every object that the complement leads to. A prefixed predicate needs a name."""
    deeper = list(_through(complement, phrases))
    for predicate, target, share in deeper:
        confidence = complement.confidence * factor * share * subject.certainty * target.certainty
        yield Found(subject, prefix + predicate, target, anchor, confidence)
    if complement.token.dep_ == "dobj" and not prefix and not phrases.named(complement.token):
        owner = owners.owner_of_part(complement.token)  # "X composed the soundtrack", of the topic
        if owner is not None:
            word = f"{complement.predicate} {complement.token.lower_} of"
            share = BRIDGED * subject.certainty * owner.certainty
            yield Found(subject, word, owner, anchor, complement.confidence * factor * share)
    for target, share, preposition in reached(complement.token, phrases):
        if deeper and not target.named and complement.predicate not in BE:
            continue
        confidence = complement.confidence * factor * share * subject.certainty * target.certainty
        if not target.named:
            if (
                prefix
                or complement.predicate != "is"
                or subject.certainty < 1
                or not tells_kind(complement.token)
            ):
                continue
            confidence = min(confidence, COMMON_OBJECT)
        elif target.value and complement.token.dep_ == "attr" and not prefix:
            continue  # "it was 46"
        elif target.value and complement.token.dep_ == "dobj" and not _takes(complement, target):
            continue  # "sent 20/01/2016"
        yield Found(subject, prefix + _relinked(complement, preposition), target, anchor, confidence)


def _takes(complement: Complement, amount: Endpoint) -> bool:
    """Return whether a verb takes an amount as its object, or stands before a date: "paid 300 euro", "died 5 May"."""
    if amount.label == "DATE":
        return any(map(str.isalpha, amount.text))
    return family_of(complement.predicate) in {"exchange", "ownership", "part"}


def _relinked(complement: Complement, preposition: str) -> str:
    """ "signed for the bank in Oslo": signed in Oslo, not for it."""
    words = complement.predicate.split()
    if not preposition or words[-1] in _PLACING:
        return complement.predicate
    if complement.token.dep_ == "pobj" and len(words) > 1:
        words.pop()
    return " ".join([*words, preposition])


def _undergoers(verb: Token, phrases: Phrases) -> list[tuple[Endpoint, str]]:
    """ "Police arrested Anna in Oslo": nobody named acts, so what is told is told of Anna."""
    if verb.tag_ not in {"VBD", "VBN"}:
        return []
    named = (phrases.named(child) for child in verb.children if child.dep_ == "dobj")
    return [(point, "") for point in named if point is not None]


def _through(complement: Complement, phrases: Phrases) -> Iterator[tuple[str, Endpoint, float]]:
    """Yield the names behind a common-noun object: "has a score by Johnson", "earned her degree at Barnard College"."""
    noun = complement.token
    if noun.dep_ != "dobj" or not phrases.common(noun) or phrases.named(noun) is not None:
        return
    for child in noun.children:
        word = f"{complement.predicate} {noun.lower_}"
        inner = list(_prepositional(word, child)) if child.dep_ == "prep" else []
        if child.dep_ == "acl" and child.tag_ == "VBN":
            inner = [
                c
                for c in complements(child)
                if c.predicate.endswith((" by", " as")) or c.token.dep_ == "oprd"
            ]
            inner = [replace(c, predicate=f"{word} {c.predicate}") for c in inner]
        for found in inner:
            for part in conjuncts(found.token):
                if (point := phrases.endpoint(part)) is not None and point.named:
                    yield found.predicate, point, BEHIND


def complements(verb: Token) -> Iterator[Complement]:
    """Yield objects, agents, prepositional objects and dates of a verb; participles share a later agent."""
    word = _predicate(verb)
    # "abolished slavery in 1862": in 1862 it did not abolish as such.
    done = [child.text for child in verb.children if child.dep_ == "dobj" and child.tag_ in {"NN", "NNS"}]
    done = done or _relative_object(verb)
    if not done and any(
        child.dep_ == "dobj" and child.tag_[:2] in {"PR", "WP", "WD"} for child in verb.children
    ):
        return  # "she gave it to Anna": what was given is not said
    longer = " ".join([word, *done])
    vague = verb.lower_ in BE or any(child.dep_ in {"ccomp", "attr", "acomp"} for child in verb.children)
    bare = True
    transferred = _transferred(verb)
    for child in verb.children:
        if (
            transferred is not None
            and child.dep_ in {"dobj", "dative"}
            and child.i < transferred.i
            and child.tag_ != "IN"
        ):
            bare = False
            yield Complement(f"{word} {transferred.lower_} to", child, PREPOSITIONAL)
        elif child.dep_ in OBJECTS and child.tag_ != "IN":
            bare = False
            linking = child.dep_ == "attr" and verb.lower_ in BE
            yield Complement("is" if linking else word, child, COPULA if linking else ACTIVE)
        elif child.lower_ == "according" or _is_behind_stranded(child):
            continue  # who says so is no part of what is said; "was sent for from Oslo"
        elif child.dep_ in {"prep", "agent", "dative"} or child.dep_ == "conj" and child.tag_ == "IN":
            bare = False
            if verb.lower_ in BE and (child.lower_ not in _PREPOSITIONS or _is_measured(verb, child)):
                continue  # "was with Anna", "was to it", "is nine miles from Oslo"
            found = _prepositional(longer, child)
            yield from (c for c in found if not (vague and c.token.ent_type_ in VALUES))
        elif child.dep_ == "acomp" and verb.lower_ in LINKING:
            for inner in child.children:
                if inner.dep_ == "prep":
                    yield from _prepositional(child.lower_, inner)
        elif (
            child.dep_ in {"npadvmod", "tmod"}
            and not vague
            and (child.tag_ == "CD" or child.ent_type_ == "DATE")
        ):
            yield Complement(longer, child, PREPOSITIONAL)
    if bare and verb.tag_ == "VBN":
        for child in verb.children:
            if child.dep_ == "conj" and child.tag_ == "VBN":  # "written and directed by X"
                for shared in complements(child):
                    if shared.predicate.endswith(" by"):
                        yield replace(shared, predicate=f"{word} by", confidence=PASSIVE * INHERITED)


def _is_measured(be: Token, preposition: Token) -> bool:
    around = (*be.children, *preposition.children)
    measures = (child for child in around if child.dep_ in {"attr", "npadvmod"})
    return any(word.dep_ == "nummod" for measure in measures for word in measure.children)


def _is_behind_stranded(child: Token) -> bool:
    before = child.nbor(-1) if child.dep_ == "prep" and child.i else child
    return (
        before.dep_ == "prep" and before.head.i == child.head.i and before.i < child.i and not before.n_rights
    )


def _transferred(verb: Token) -> Token | None:
    """Return what somebody is given, where who gets it stands before: a licence in "grants Bo a licence"."""
    objects = [child for child in verb.children if child.dep_ in {"dobj", "dative"} and child.tag_ != "IN"]
    last = objects[-1] if len(objects) > 1 else None
    return last if last is not None and last.tag_ in {"NN", "NNS"} and last.is_lower else None


def _relative_object(verb: Token) -> list[str]:
    """ "the letter that he got from Anna": got letter."""
    if verb.dep_ != "relcl" or verb.head.tag_ not in {"NN", "NNS"}:
        return []
    subjects = [child for child in verb.children if child.dep_ in {"nsubj", "nsubjpass"}]
    gap = subjects and all(child.dep_ == "nsubj" and child.tag_[:1] != "W" for child in subjects)
    return [verb.head.text] if gap and verb.lower_ not in BE else []


def _prepositional(word: str, preposition: Token) -> Iterator[Complement]:
    confidence = PASSIVE if preposition.dep_ == "agent" else PREPOSITIONAL
    for target in () if _compares(preposition) else preposition.children:
        if target.dep_ == "pobj":
            yield Complement(f"{word} {preposition.lower_}", target, confidence)
        elif target.dep_ == "prep":  # "out of", "because of"; but "from 1570 until 1574" is two
            compound = not any(child.dep_ == "pobj" for child in preposition.children)
            yield from _prepositional(f"{word} {preposition.lower_}" if compound else word, target)
        elif target.dep_ == "conj" and target.tag_ == "IN":
            yield from _prepositional(word, target)


def _compares(preposition: Token) -> bool:
    """ "richer than Bo", "as much land as Bo"."""
    if preposition.lower_ in _COMPARING:
        return True
    around = preposition.head.subtree if preposition.lower_ == "as" else ()
    return any(word.lower_ in _LIKENING and word.dep_ == "advmod" for word in around)


def _predicate(verb: Token) -> str:
    """Return the verb as it stands, lower case, with its particle."""
    word = "is" if verb.lower_ in {"be", "been", "being"} else verb.lower_
    return " ".join([word, *(child.lower_ for child in verb.children if child.dep_ == "prt")])


def reached(token: Token, phrases: Phrases) -> Iterator[tuple[Endpoint, float, str]]:
    """Yield the endpoints that a complement's token leads to, each with a factor for its confidence.

    The string is the preposition by which a place or a date hangs on the token, else "".

    The token and its conjuncts; the name in apposition to a common noun; the places and dates that
    hang on a name ("in Boston, Massachusetts", "in Vienna in 1880").
    """
    listed = conjuncts(token)
    either = any(child.lower_ == "or" for part in listed for child in part.children)
    if len(listed) > 1 and (either and token.dep_ == "attr" or stem(token.head.lower_) == "mean"):
        return  # "means Ghana, Togo or Benin": none of them alone
    for part in listed:
        if part.dep_ == "conj" and token.dep_ == "attr" and token.tag_ == "NN" and part.tag_ == "NNS":
            continue  # "the author of dramas and plays": she is no plays
        point = phrases.endpoint(part)
        apposed = [
            named
            for child in part.children
            if child.dep_ == "appos"
            and part.dep_ != "attr"
            and phrases.common(part)
            and not phrases.apart(part, child)
            and (named := phrases.named(child)) is not None
        ]
        if point is None or (apposed and not point.named):
            yield from ((named, 1.0, "") for named in apposed)
            continue
        yield point, 1.0, ""
        if point.named and part.dep_ != "attr":
            yield from _around(part, phrases, 3)
        elif part.dep_ == "pobj" and part.head.lower_ != "as":
            yield from _around(part, phrases, 2)  # "in the neighbourhood of Oslo"


def _around(token: Token, phrases: Phrases, depth: int) -> Iterator[tuple[Endpoint, float, str]]:
    """Yield places and dates below a name, at most `depth` steps down."""
    name = phrases.name(token)
    inside = range(name.first, name.last + 1) if name is not None else range(token.i, token.i + 1)
    for child in token.children:
        if child.i in inside or phrases.apart(token, child):
            continue
        targets = [child] if child.dep_ in {"appos", "npadvmod"} else []
        if child.dep_ == "compound" and name is None:  # "the U.S. state of Michigan"
            targets = [child]
        if child.dep_ == "prep" and child.lower_ in {"in", "of", "on", "at", "near"}:
            targets = [target for target in child.children if target.dep_ == "pobj"]
        for target in targets:
            point = phrases.endpoint(target)
            if point is None or point.name is None:
                if depth > 1 and phrases.common(target):
                    yield from _around(target, phrases, depth - 1)
                continue
            if point.name.label in PLACES or point.name.label == "DATE":
                yield point, REACHED, child.lower_ if child.dep_ == "prep" and child.lower_ != "of" else ""
            if depth > 1 and point.name.label not in VALUES:
                yield from _around(target, phrases, depth - 1)


def clause_subjects(
    verb: Token, phrases: Phrases, owners: Owners
) -> tuple[list[tuple[Endpoint, str]], float]:
    """(endpoint, predicate prefix) of each subject, and the factor for how far away it stands."""
    factor = 1.0
    for _ in range(4):
        own = [child for child in verb.children if child.dep_ in SUBJECTS]
        if any(phrases.apart(child, verb) for child in own):
            return [], 0.0  # "“Ida's sister,” whispered Bo"
        if own:
            return [pair for token in own for pair in _subject(token, verb, phrases, owners)], factor
        if verb.dep_ == "pcomp" and verb.head.head.tag_[:2] == "VB":  # "before marrying X"
            verb = verb.head.head
            factor *= INHERITED
            continue
        if verb.dep_ in {"acl", "relcl"}:
            noun = antecedent(verb)
            return [] if is_some_of(noun, verb) else [(point, "") for point in owners.of(noun)], factor
        if verb.dep_ not in _INHERITING:
            return [], 0.0
        if verb.dep_ != "conj":
            factor *= INHERITED
        verb = verb.head
    return [], 0.0


def is_some_of(noun: Token, verb: Token) -> bool:
    """Return whether a clause picks some out of many: "every Buyer named by the Bank", "Developers that join it"."""
    if any(child.dep_ == "det" and child.lower_ in _ANY for child in noun.children):
        return True
    apart = any(token.text == "," for token in noun.doc[noun.i + 1 : verb.i])
    return noun.tag_ in {"NNS", "NNPS"} and noun.is_title and not apart


def _subject(token: Token, verb: Token, phrases: Phrases, owners: Owners) -> Iterator[tuple[Endpoint, str]]:
    if token.tag_ in {"WP", "WDT"} or (token.lower_ == "that" and verb.dep_ == "relcl"):
        noun = antecedent(verb)
        yield from ((point, "") for point in owners.of(noun) if not is_some_of(noun, verb))
        return
    if phrases.common(token) and second_subject(token) is not None:
        return
    for part in conjuncts(token):
        point = phrases.named(part)
        if point is not None:
            yield point, ""
        elif phrases.common(part):
            owner = owners.owner_of_part(part)
            if owner is not None:
                yield replace(owner, certainty=owner.certainty * BRIDGED), f"{part.lower_} "
            else:
                yield from ((name, "") for name in owners.apposed(part))
