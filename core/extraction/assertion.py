"""How a clause puts what it says: as so, as denied, possible, planned or conditional, and who says it.

Read off one parse, from the sentence's root down to the clause: each verb, noun or adjective that takes a clause passes
on whether that clause holds (Karttunen 2012, "Simple and phrasal implicatives"; Sauri and Pustejovsky 2009, FactBank).
The grammar tells the scope; a word says only of which kind it is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from core.extraction.clause_takers import (
    ADJECTIVES,
    AFTERWARDS,
    ATTEMPTS,
    NOUNS,
    PLAIN,
    VERBS,
    Takes,
    adverb_kind,
    contradicts,
    is_alleged,
    is_cleft,
    is_first_to,
    is_ranked,
    is_wrongly,
    kind_of,
    kind_of_speech,
    predicated_kind,
    put,
    verb_kind,
    verdict_behind,
    verdict_on,
    verdict_within,
)
from core.extraction.denials import (
    BARELY,
    PARTICLES,
    clause_of,
    denial_of,
    denies,
    denies_clause,
    ends_at_until,
    excluded,
    focuses,
    fronts_denial,
    governing,
    holder_of,
    is_instead,
    is_inverted,
    is_name,
    named_by,
    noun_words,
    speaker_of,
    subject_of,
)
from core.extraction.owners import LINKING, second_subject
from core.extraction.topic import BE, SUBJECTS
from core.types import Assertion, Modality

if TYPE_CHECKING:
    from spacy.tokens import Token


_NOMINAL = frozenset({"nsubj", "nsubjpass", "dobj", "attr", "oprd", "csubj", "csubjpass"})


_IF = frozenset({"if", "unless", "provided", "lest", "supposing", "assuming"})


_FUTURE = frozenset({"will", "shall", "'ll", "’ll", "wo", "sha"})


_MAY = frozenset({"may", "might", "could", "can", "should", "would", "must", "ought", "ca", "'d", "’d"})


_TIMES = frozenset({"after", "before", "until", "till"})
_WHENEVER = frozenset({"when", "whenever", "where", "wherever", "once"})


# Nouns that a general case is put by: "the date the lender first makes a demand".
_CASES = frozenset("date time day moment case event extent".split())


_STEPS = 12  # clauses above a clause that are looked at


_NEARLY = frozenset({"almost", "nearly"})


# "had no difficulty in finding it": what does not hinder.
_HINDRANCES = frozenset(
    {"difficulty", "difficulties", "trouble", "problem", "problems", "hesitation", "qualms"}
)


_DENIED = Assertion(denied=True)


def assertion_of(token: Token, by_person: bool = False) -> Assertion:
    """Return how the sentence puts the clause of this verb; `by_person`: the sentence is what a person asks."""
    found = _assertion(clause_of(token), _STEPS)
    return found if by_person else _joined(found, _asked(token))


def _asked(token: Token) -> Assertion:
    """ "Did Anna sign?" leaves open whether she did; "Why did Anna sign?" does not."""
    sentence = token.sent
    if all(word.text != "?" for word in sentence[-3:]):
        return PLAIN
    verb = sentence.root
    subject = subject_of(verb)
    helpers = [child.i for child in verb.children if child.dep_ in {"aux", "auxpass"}]
    fronted = min([*helpers, verb.i])
    if subject is None or fronted > subject.i:
        return PLAIN
    if any(word.tag_ in {"WP", "WRB", "WDT", "WP$"} for word in token.doc[sentence.start : fronted]):
        return PLAIN
    return Assertion(modality=Modality.POSSIBLE)


def description_of(noun: Token) -> Assertion:
    """Return how the sentence puts what a noun says of somebody: "is no lawyer", "the alleged owner"."""
    if any(child.dep_ == "amod" and is_alleged(child) for child in noun.children):
        return Assertion(reported=True)
    if excluded(noun):
        return _DENIED
    if noun.dep_ == "pobj" and noun.head.lower_ == "of":  # "the probability of her marriage to Bo"
        kind = kind_of(noun.head.head, NOUNS)
        if kind in {Takes.POSSIBLE, Takes.DOUBTS}:
            return put(kind, PLAIN, "")
    return _predicated(noun) or (_DENIED if denies(noun) else PLAIN)


def _predicated(noun: Token) -> Assertion | None:
    """Return how a clause puts the noun that it says of somebody: "became owner", "was elected king", "served as
    guard"."""
    if noun.dep_ == "conj" and noun.head.tag_[:2] == "NN":
        before = _predicated(noun.head)
        but = any(c.lower_ == "but" and noun.head.i < c.i < noun.i for c in noun.head.children)
        return replace(before, denied=False) if before is not None and but else before
    verb = noun.head
    through = noun.dep_ == "pobj" and verb.lower_ == "as"
    verb = verb.head if through else verb
    if verb.tag_[:2] != "VB":
        return None
    if noun.dep_ in SUBJECTS:  # "the director is not Anna"
        apposed = any(child.dep_ == "appos" for child in noun.children)
        if apposed or verb.lower_ not in BE or not any(child.dep_ == "attr" for child in verb.children):
            return None
    elif not through and noun.dep_ not in {"attr", "acomp", "oprd"}:
        object_of_linking = noun.dep_ == "dobj" and verb.lower_ in LINKING
        if not object_of_linking:
            return None
    found = assertion_of(verb)
    wrongly = verb.lower_ not in BE and any(is_wrongly(child) for child in verb.children)
    return replace(found, denied=not found.denied) if wrongly else found


def nominal_assertion(noun: Token, acts: bool = False) -> Assertion:
    """Return how the sentence puts what a noun names: "denied the sale", "the sale never took place", "is no captain".

    `acts`: it is an act that is asked about, so that who "ordered the sale" has not sold yet.
    """
    if _in_fronted_condition(noun):
        return Assertion(modality=Modality.CONDITIONAL)
    alleged = any(child.dep_ == "amod" and is_alleged(child) for child in noun.children)
    if alleged or noun.dep_ in {"attr", "conj", "appos", "acomp", "oprd", "pobj"}:
        return description_of(noun)
    if acts and noun.dep_ == "dobj" and noun.head.tag_[:2] == "VB":
        kind = kind_of(noun.head, VERBS)
        if kind in {Takes.PLANNED, Takes.POSSIBLE}:
            return put(kind, _assertion(clause_of(noun.head), _STEPS), "")
    if noun.head.tag_[:2] == "VB" and noun.dep_ in _NOMINAL:
        return _noun_put(noun, Takes.HOLDS, _STEPS)
    return _DENIED if denies(noun) else PLAIN


def _in_fronted_condition(noun: Token) -> bool:
    """ "Unless Anna repays it, the house is lost", where the parser takes "repays" for a noun of the main clause."""
    sentence = noun.sent
    if sentence[0].lower_ not in _IF:
        return False
    comma = next((token.i for token in sentence if token.text == ","), -1)
    return noun.i < comma < governing(noun).i


def by_auxiliary(token: Token) -> bool:
    """Return whether nothing but an auxiliary makes its clause possible or planned: "shall pay", "may pay"."""
    return _local(governing(token)).modality is not Modality.ACTUAL


def _assertion(verb: Token, steps: int) -> Assertion:
    if not steps:
        return PLAIN
    return _joined(_context(verb, steps - 1), _local(verb))


def _joined(outer: Assertion, inner: Assertion) -> Assertion:
    """Return what is put by two, one inside the other."""
    return Assertion(
        outer.denied != inner.denied,
        outer.modality if outer.modality is not Modality.ACTUAL else inner.modality,
        outer.reported or inner.reported,
        outer.source or inner.source,
    )


def _local(verb: Token) -> Assertion:
    """Return what the words of the clause itself make of it, with those that it shares with a clause that it is
    joined to."""
    own = _own(verb)
    if verb.dep_ == "conj" and any(is_instead(c) for c in verb.head.children if c.i < verb.i):
        return _DENIED  # "left rather than sign"
    if verb.dep_ != "conj" or verb.head.tag_[:2] not in {"VB", "MD"} or subject_of(verb) is not None:
        return own
    before = _local(clause_of(verb.head))
    linked = {child.lower_ for child in verb.head.children if child.dep_ == "cc" and child.i < verb.i}
    finite = verb.tag_ in {"VBD", "VBZ", "VBP"} or any(child.dep_ == "aux" for child in verb.children)
    if finite and not linked & {"or", "nor"}:
        return replace(own, reported=own.reported or before.reported, source=own.source or before.source)
    shared = before if "but" not in linked else replace(before, denied=False)
    own = replace(own, denied=own.denied and "nor" not in linked) if shared.denied else own
    return _joined(shared, own)


def _own(verb: Token) -> Assertion:
    particles, modality, reported, source = 0, Modality.ACTUAL, False, ""
    for child in verb.children:
        low = child.lower_
        if (
            low in PARTICLES
            and child.dep_ in {"neg", "advmod", "preconj", "cc", "det"}
            and not focuses(child)
        ):
            parts = low == "nor" and child.i > verb.i or denial_of(child) is not None
            if not parts and is_inverted(verb, child) and not ends_at_until(verb, child):
                particles += 1
        elif child.dep_ in {"aux", "advmod"} and fronts_denial(child) and is_inverted(verb, child):
            particles += 1  # "never did he sign", "not once did he sign"
            modality = Modality.PLANNED if low in _FUTURE else Modality.POSSIBLE if low in _MAY else modality
        elif low == "longer" and child.i and child.nbor(-1).lower_ == "no":
            particles += 1
        elif low == "no" and child.dep_ == "det" and verb.tag_ == "VBG":
            particles += 1  # "there is no denying that"
        elif child.dep_ == "aux" and (is_name(child) or child.tag_ == "MD" and verb.tag_ in {"VBD", "VBZ"}):
            continue  # "Theresa May signed", "Will Berg signed"
        elif child.dep_ == "advmod" and child.i < verb.i and (low in _NEARLY or _is_all_but(child)):
            particles += 1
        elif child.dep_ == "aux" and low in _FUTURE:
            modality = Modality.PLANNED
        elif child.dep_ == "aux" and low in _MAY:
            modality = Modality.POSSIBLE
        elif child.dep_ == "advmod" and (kind := adverb_kind(low)) is not None:
            reported = reported or kind is Takes.REPORTED
            modality = Modality.POSSIBLE if kind is Takes.POSSIBLE else modality
        elif low == "according" or (child.dep_ == "prep" and low == "per"):
            reported, source = True, named_by(child)
        elif child.dep_ == "parataxis" and child.tag_[:2] == "VB" and kind_of(child, VERBS) is Takes.REPORTED:
            reported, source = True, speaker_of(child)  # "X, it is claimed, forged it"
        elif child.dep_ in SUBJECTS and (speaker := _interposed(child)) is not None:
            reported, source = True, speaker
        elif child.dep_ in SUBJECTS and verb.lower_ in BE and _is_alleged_to_be(child, verb):
            reported = True
    arguments = (
        child
        for child in verb.children
        if child.dep_ in {*_NOMINAL, "agent", "prep", "dative"}
        and not (child.dep_ in SUBJECTS and second_subject(child) is not None)  # "Never one to rest, she"
    )
    if modality is Modality.ACTUAL and verb.tag_ in {"VBZ", "VBP"} and _depends(verb):
        modality = Modality.CONDITIONAL
    denied = particles % 2 == 1
    if any(denies_clause(argument, verb) for argument in arguments):
        denied = not denied
    if modality is Modality.POSSIBLE and denied and _rules_out(verb):
        modality = Modality.ACTUAL
    return Assertion(denied, modality, reported, source)


def _depends(verb: Token) -> bool:
    """ "If the buyer is late, the bank charges interest"."""
    clauses = (child for child in verb.children if child.dep_ == "advcl" and child.i < verb.i)
    marks = (_mark(clause) for clause in clauses)
    return any(mark is not None and mark.lower_ in {"if", "unless"} for mark in marks)


def _is_all_but(adverb: Token) -> bool:
    """ "had all but signed"."""
    return adverb.lower_ == "but" and bool(adverb.i) and adverb.nbor(-1).lower_ == "all"


def _rules_out(verb: Token) -> bool:
    """ "cannot have signed"; "would not sign", but not "would not have signed" nor with a condition beside it."""
    if any(child.lower_ in BARELY for child in verb.children):
        return False  # "can hardly have signed" is a guess
    helpers = {child.lower_ for child in verb.children if child.dep_ == "aux"}
    if helpers & {"can", "ca", "could"}:
        return True
    conditions = (_conditional(c, _mark(c)) for c in verb.children if c.dep_ == "advcl")
    return bool(helpers & {"would", "'d", "’d"}) and "have" not in helpers and not any(conditions)


def _is_alleged_to_be(subject: Token, be: Token) -> bool:
    """ "The alleged owner is Anna"."""
    named = any(child.dep_ == "attr" for child in be.children)
    return named and any(child.dep_ == "amod" and is_alleged(child) for child in subject.children)


def _mark(verb: Token) -> Token | None:
    return next((child for child in verb.children if child.dep_ == "mark"), None)


def _interposed(subject: Token) -> str | None:
    """ "Anna, the paper reported, had left": who says so, where the parser takes that for an apposition."""
    for noun in subject.children:
        if noun.dep_ != "appos":
            continue
        for verb in noun.children:
            alone = verb.dep_ in {"acl", "relcl"} and all(word.is_punct for word in verb.children)
            if alone and verb.tag_ in {"VBD", "VBN", "VBZ"} and kind_of(verb, VERBS) is Takes.REPORTED:
                return noun_words(noun)
    return None


def _context(verb: Token, steps: int) -> Assertion:
    """Return what the clauses above make of a clause."""
    dep, head = verb.dep_, verb.head
    mark = _mark(verb)
    if _conditional(verb, mark):
        return Assertion(modality=Modality.CONDITIONAL)
    if head.i == verb.i:
        return _root(verb)
    if dep == "conj":
        return _context(clause_of(head), steps) if head.tag_[:2] in {"VB", "MD"} else PLAIN
    if dep in {"ccomp", "xcomp", "csubj", "csubjpass"}:
        return _complement(verb, mark, steps)
    if dep in {"acl", "relcl"}:
        return _of_noun(verb, head, mark, steps)
    if dep == "pcomp":
        return _of_preposition(verb, head, steps)
    if dep == "dep" and kind_of(head, VERBS) is Takes.REPORTED:
        return Assertion(reported=True)  # "Anna, so the paper claims, left"
    if dep == "advcl" and head.tag_ == "JJ" and mark is not None and mark.lower_ == "that":
        return _complement(verb, mark, steps)  # "makes it doubtful that"
    if dep == "advcl":
        return _adverbial(verb, mark, steps)
    return PLAIN


def _is_pending(verb: Token, head: Token) -> bool:
    """ "has yet to sign", "remains to be signed"."""
    infinitive = any(child.lower_ == "to" and child.dep_ == "aux" for child in verb.children)
    yet = any(child.lower_ == "yet" and head.i < child.i < verb.i for child in head.children)
    passive = any(child.dep_ == "auxpass" for child in verb.children)
    return infinitive and (yet and head.lemma_ in {"have", "be"} or passive and head.lemma_ == "remain")


def _errs(speech: Token) -> bool:
    """ "I was wrong when I said that", "was mistaken in saying that"."""
    if speech.dep_ not in {"advcl", "pcomp"}:
        return False
    above = governing(speech.head)
    return above.lower_ in BE and any(
        child.dep_ == "acomp" and kind_of(child, ADJECTIVES) is Takes.FAILS for child in above.children
    )


def _is_order(verb: Token) -> bool:
    """Return whether the clause is a bare infinitive without a subject."""
    order = verb.tag_ == "VB" and not is_name(verb) and subject_of(verb) is None
    return order and not any(child.dep_ == "aux" for child in verb.children)


def _is_assigned(verb: Token) -> bool:
    """ "Bo Lie to contact the council", as minutes put what somebody is to do."""
    helpers = [child.lower_ for child in verb.children if child.dep_ == "aux"]
    return verb.tag_ == "VB" and helpers == ["to"] and subject_of(verb) is not None


def _root(verb: Token) -> Assertion:
    """Return the assertion of a main clause; a bare infinitive is an order.

    Of "That X forged it is untrue" the parser often takes "forged".
    """
    children = list(verb.children)
    if _is_order(verb) or _is_assigned(verb):
        return Assertion(modality=Modality.PLANNED)
    first = verb.sent[0]
    that = first.lower_ == "that" and (first.dep_ == "mark" or first.head.tag_ == "NNP")
    if that or any(child.dep_ == "mark" and child.lower_ == "that" for child in children):
        for child in children:
            if child.dep_ in {"ccomp", "conj"} and child.lower_ in BE and child.i > verb.i:
                return put(predicated_kind(child), _local(child), "")
            passive = any(inner.dep_ == "auxpass" for inner in child.children)
            if that and passive and child.dep_ in {"ccomp", "conj"} and child.i > verb.i:
                return put(kind_of(child, VERBS) or Takes.HOLDS, _local(child), speaker_of(child))
    return PLAIN


def _conditional(verb: Token, mark: Token | None) -> bool:
    if mark is not None and mark.lower_ == "whether" and verb.dep_ == "advcl":
        return True  # "whether supplied by Anna or not"
    if mark is not None and mark.lower_ == "as" and mark.nbor().lower_ in {"though", "if"}:
        return True
    if mark is not None and mark.lower_ in _IF | {"though"}:
        before = mark.nbor(-1).lower_ if mark.i else ""
        return mark.lower_ in _IF or before == "as"
    if verb.dep_ in {"xcomp", "advcl"} and verb.head.lower_ == "were":
        return _inverted(verb.head, verb.head)  # "Were X to join"
    if _in_inverted_condition(verb) or _is_general_case(verb):
        return True
    if verb.dep_ not in {"advcl", "ccomp", "ROOT"} or verb.sent.text.rstrip().endswith("?"):
        return False
    return any(child.dep_ == "aux" and _inverted(child, verb) for child in verb.children)


def _is_general_case(verb: Token) -> bool:
    """ "When a customer moves a licence", "the date the lender makes a demand": whenever it happens, if it does."""
    when = any(child.lower_ in _WHENEVER and child.i < verb.i for child in verb.children)
    if when and verb.tag_ == "VBN" and not any(child.dep_ in {"aux", "auxpass"} for child in verb.children):
        return True  # "when signed by the bank"
    tenses = {child.tag_ for child in verb.children if child.dep_ in {"aux", "auxpass"}} | {verb.tag_}
    if not tenses & {"VBZ", "VBP"} or "VBD" in tenses:
        return False
    if verb.dep_ == "advcl":
        mark = _mark(verb)
        return when or (mark is not None and mark.lower_ in _TIMES)
    subject = subject_of(verb)
    first = subject.left_edge.i if subject is not None else 0
    return (
        verb.dep_ in {"relcl", "acl", "conj", "ccomp"} and first > 0 and verb.doc[first - 1].lower_ in _CASES
    )


def _in_inverted_condition(verb: Token) -> bool:
    """ "Had the firm, Bo & Co, tested it, nobody would ...", which the parser takes for "had" and "tested"."""
    sentence = verb.sent
    if sentence[0].lower_ not in {"had", "were", "should"} or sentence.text.rstrip().endswith("?"):
        return False
    would = next((token for token in sentence[1:] if token.lower_ in _MAY and token.tag_ == "MD"), None)
    commas = [token.i for token in sentence if token.text == "," and would is not None and token.i < would.i]
    return bool(commas) and verb.i < commas[-1]


def _inverted(auxiliary: Token, verb: Token) -> bool:
    """ "Had X sold it, ..."."""
    subject = subject_of(verb)
    if subject is None or auxiliary.i > subject.i or auxiliary.lower_ not in {"had", "were", "should"}:
        return False
    return all(token.is_punct or token.is_space for token in verb.doc[verb.left_edge.i : auxiliary.i])


def _complement(verb: Token, mark: Token | None, steps: int) -> Assertion:
    """Return the assertion of a clause that a verb or an adjective takes."""
    head = verb.head
    above = clause_of(head)
    first, last = sorted((verb.i, head.i))
    if is_name(head) or any(token.text == ";" for token in verb.doc[first:last]):
        return PLAIN  # beside a clause, which the parser hangs it on, not under it
    if head.lower_ in _IF and subject_of(head) is None:
        return Assertion(modality=Modality.CONDITIONAL)  # "provided that", "assuming that"
    if head.tag_[:2] not in {"VB", "MD"}:  # "able to pay", "likely to join"
        if any(child.lower_ == "too" for child in (*head.children, *above.children)) and verb.tag_ == "VB":
            return _joined(_assertion(governing(head), steps), _DENIED)  # "too ill to sign"
        kind = kind_of(head, ADJECTIVES)
        if kind is None and subject_of(head) is not None:
            kind = kind_of(head, VERBS)  # "we very much doubt that", taken for a noun
        if kind is None:
            kind = Takes.PLANNED if verb.tag_ == "VB" else Takes.HOLDS
        return put(kind, _assertion(governing(head), steps), "")
    outer = _assertion(above, steps)
    if is_first_to(verb, head):
        return outer
    if _is_pending(verb, head):
        return replace(outer, denied=not outer.denied)
    if _errs(head):
        return put(Takes.FAILS, outer, "")
    if head.dep_ == "ROOT" and mark is not None and mark.lower_ == "that" and _is_order(head):
        outer = PLAIN  # "please note that"
    if (verdict := verdict_behind(verb, head)) is not None:
        return put(verdict, outer, "")
    if mark is None and any(child.tag_ in {"WRB", "WP"} and child.i > head.i for child in verb.children):
        return put(Takes.FACT, outer, "")  # "knows when he signed"
    asked = mark is not None and mark.lower_ == "whether"
    if head.lower_ in BE and verb.dep_ != "xcomp":
        if is_cleft(verb, head):
            return put(Takes.FACT, outer, "")
        kind = predicated_kind(head)
        kind = Takes.POSSIBLE if asked and kind is not Takes.DOUBTS else kind
        base = verb.tag_ == "VB" and not any(child.dep_ == "aux" for child in verb.children)
        return put(Takes.PLANNED if base else kind, outer, "")
    if asked:
        return _joined(Assertion(modality=Modality.POSSIBLE), replace(outer, denied=False))
    if head.lower_ in BE:
        return put(Takes.PLANNED, outer, "")  # "was to be signed"
    passive = any(child.dep_ == "auxpass" for child in head.children)
    speaks = verb.dep_ == "ccomp" or passive or contradicts(head)  # who refuses to sign says nothing
    speaks = speaks and not any(is_wrongly(child) for child in head.children)  # who errs denies nothing
    return put(verb_kind(verb, head, mark), outer, speaker_of(head) if speaks else "")


def _of_noun(verb: Token, noun: Token, mark: Token | None, steps: int) -> Assertion:
    """Return the assertion of a clause that a noun takes or that describes it."""
    kind = kind_of(noun, NOUNS) or (kind_of(noun, VERBS) if noun.tag_ == "VBG" else None)
    infinitive = verb.tag_ == "VB" and any(child.lower_ == "to" for child in verb.children)
    described = verb.dep_ == "relcl" and not infinitive
    that = (
        mark is not None
        and mark.lower_ == "that"
        or any(child.lower_ == "that" and child.dep_ in {"dobj", "mark"} for child in verb.children)
        or _lacks_nothing(verb)
    )
    if infinitive and (noun.tag_ == "JJS" or noun.lower_ in AFTERWARDS or is_ranked(noun)):
        return _assertion(governing(noun.head), steps)
    spoken = (
        governing(noun) if noun.dep_ == "pobj" and kind is None and described and mark is not None else None
    )
    if spoken is not None and kind_of(spoken, VERBS) is Takes.REPORTED:  # "it is rumoured in Oslo that"
        return put(Takes.REPORTED, _assertion(spoken, steps), speaker_of(spoken))
    if described and not (that and kind is not None and subject_of(verb) is not None):
        if noun.dep_ == "attr" and noun.head.lower_ in BE:
            subject = subject_of(noun.head)
            if subject is not None and subject.lower_ in {
                "it",
                "this",
                "that",
            }:  # "it was not Anna who signed"
                return _assertion(clause_of(noun.head), steps)
        return _DENIED if denies(noun) else PLAIN
    if kind is None:
        if infinitive:
            kind = Takes.PLANNED
        elif that:
            kind = Takes.REPORTED
        else:
            return _DENIED if denies(noun) else PLAIN  # "the letter written by Anna"
    if not that and not infinitive and verb.tag_ not in {"VBG"}:
        return PLAIN
    return _noun_put(noun, kind, steps)


def _lacks_nothing(verb: Token) -> bool:
    """Return whether a clause with "that" has its subject and its object: it tells what a noun is about, not which
    one."""
    deps = {child.dep_ for child in verb.children if child.lower_ != "that"}
    return any(child.lower_ == "that" for child in verb.children) and "dobj" in deps and bool(deps & SUBJECTS)


def _noun_put(noun: Token, kind: Takes, steps: int) -> Assertion:
    """Return what a noun makes of its clause, by how it is put itself: "no claim", "the claim is false", "rejected
    it"."""
    source = holder_of(noun)
    verb = noun.head
    if kind is Takes.REPORTED and noun.dep_ == "pobj" and denies(verb.head):
        return _DENIED  # "there is no truth in the claim that"
    acts = verb.tag_[:2] == "VB" or noun.dep_ == "dobj"
    if not acts or noun.dep_ not in _NOMINAL:
        return put(kind, _DENIED if denies(noun) else PLAIN, source)
    outer = replace(_assertion(clause_of(verb), steps), source="")
    if kind is Takes.REPORTED and (verdict := verdict_within(noun)) is not None:
        return put(verdict, outer, holder_of(noun))
    if kind is Takes.HOLDS and denies(noun):  # "there is no proof that"
        return Assertion(True, Modality.POSSIBLE, True, "")
    verdict = verdict_on(verb, noun)
    if verdict in {Takes.FAILS, Takes.DOUBTS}:
        return put(verdict, outer if kind is not Takes.FAILS else replace(outer, denied=not outer.denied), "")
    if verdict is Takes.HOLDS and kind is not Takes.PLANNED:
        return outer if kind is not Takes.FAILS else replace(outer, denied=not outer.denied)
    return put(kind, outer, source)


def _of_preposition(verb: Token, preposition: Token, steps: int) -> Assertion:
    """ "without paying", "instead of selling", "prevented from selling", "accused of forging"."""
    head = preposition.head
    word = preposition.lower_
    turned = any(child.dep_ == "neg" or child.lower_ == "not" for child in preposition.children)
    outer = _assertion(governing(head), steps) if head.i != preposition.i else PLAIN
    if word == "by" and head.dep_ == "xcomp" and kind_of(head.head, ATTEMPTS) is not None:
        return _assertion(clause_of(head.head), steps)  # "tried to win by calling him a thief"
    apart = (word, head.lower_) in {("from", "far"), ("of", "short")}  # "stopped short of signing"
    if word in {"without", "against"} or is_instead(preposition) or apart:
        return Assertion(not turned, outer.modality, outer.reported, outer.source)
    if head.dep_ == "dobj" and word in {"of", "from"} and head.head.tag_[:2] == "VB":
        head = head.head  # "accused Anna of forging": the parser hangs "of" on Anna, too
    if head.tag_[:2] == "VB":
        kind = kind_of_speech(head)
        taken = word in {"from", "of", "with", "for", "in", "to"}
        if taken and kind in {Takes.FAILS, Takes.REPORTED, Takes.POSSIBLE}:
            return put(kind, outer, "" if kind is Takes.FAILS else speaker_of(head))
        return replace(outer, denied=False) if kind is not Takes.HOLDS else outer
    if head.tag_[:2] == "NN" and (kind := kind_of(head, NOUNS)) is not None:
        return _noun_put(head, kind, steps)
    if head.tag_[:2] == "NN" and denies(head) and head.lower_ not in _HINDRANCES:
        return replace(outer, denied=True)  # "had no part in founding it"
    if head.dep_ == "dobj" and head.head.tag_[:2] == "VB" and kind_of(head.head, VERBS) is Takes.FAILS:
        return put(Takes.FAILS, outer, "")  # "denied any part in founding it"
    if head.tag_[:2] in {"JJ", "RB"} and (kind := kind_of(head, ADJECTIVES)) is not None:
        return put(kind, outer, "")
    return replace(outer, denied=False)


def _adverbial(verb: Token, mark: Token | None, steps: int) -> Assertion:
    """ "when he signed", "to sign", "rather than sign": not denied with the clause that it goes with."""
    if mark is not None and is_instead(mark):
        return _DENIED
    if mark is None and _too(verb):
        return _DENIED
    if any(child.dep_ == "prt" and child.i == verb.left_edge.i - 1 for child in verb.head.children):
        return put(
            verb_kind(verb, verb.head, mark), _assertion(clause_of(verb.head), steps), ""
        )  # "went on to lead"
    if is_first_to(verb, verb.head):
        return _assertion(clause_of(verb.head), steps)
    outer = replace(_assertion(clause_of(verb.head), steps), denied=False)
    if verb.tag_ == "VB" and any(child.dep_ == "aux" and child.lower_ == "to" for child in verb.children):
        return replace(outer, modality=Modality.PLANNED)
    if verb.tag_ == "VBD" or mark is None and verb.tag_ != "VBG":
        return replace(outer, modality=Modality.ACTUAL)
    return outer


def _too(verb: Token) -> bool:
    """ "too ill to sign"."""
    return verb.tag_ == "VB" and any(child.lower_ == "too" for child in verb.head.children)
