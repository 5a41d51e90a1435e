"""Family: how many steps the question takes through named and unnamed things: what it names, clauses inside it, things
reached through other things ('the director of the film that...'), things held against each other, length and form."""

from __future__ import annotations

from core.extraction.question import ParsedQuestion, QuestionType, is_attribute
from core.extraction.question_names import POSSESSIVES
from core.extraction.question_words import COMPARISONS
from core.retrieval.routing.features.signal import Signal, counted, named_tokens
from core.text.translation import both, tr

NAMES = (
    *("named_entities", "unnamed", "quoted_titles", "coordinated_names"),
    *("relative_clauses", "subordinate_clauses", "passive", "negation", "told_first"),
    *("bridging_nouns", "two_step_kin", "of_chain", "nested_possessives"),
    *("comparison_words", "superlatives", "choice", "paired_yes_no"),
    *("length", "depth"),
)
_MOST = 3  # a list of ten names is not ten times as complex
_RELATIVE_WORDS = frozenset(["that", "who", "whom", "whose", "which", "where", "whom's"])
_SUBORDINATE = frozenset(["advcl", "ccomp", "csubj"])
_KIN = ("father", "mother", "son", "daughter", "parent", "child", "brother", "sister")
_TWO_STEPS = frozenset(["uncle", "aunt", "nephew", "niece", "cousin", "law"])
_USUAL = 8.0  # words of a plain question, a name counted as one
_SPAN = 8.0


def measure(question: ParsedQuestion) -> list[Signal]:
    """Signals: those of NAMES, in their order."""
    parts = (_names, _clauses, _nesting, _comparison, _form)
    return [signal for part in parts for signal in part(question)]


def _names(question: ParsedQuestion) -> list[Signal]:
    """Signals: named_entities, unnamed, quoted_titles, coordinated_names."""
    things = [n for n in question.names if n.label != "NORP"]
    quoted = sum(n.quoted for n in question.names)
    return [
        Signal(
            "named_entities",
            float(min(len(things) - 1, _MOST)) if things else 0.0,
            counted(len(things), "{number} named entity", "{number} named entities"),
        ),
        Signal("unnamed", float(not things), tr("nothing named") if not things else tr("something named")),
        Signal(
            "quoted_titles",
            float(min(quoted, 2)),
            counted(quoted, "{number} quoted title", "{number} quoted titles"),
        ),
        _coordination(question),
    ]


def _coordination(question: ParsedQuestion) -> Signal:
    """Names side by side: 'A and B', 'A or B'."""
    pairs = 0
    for left, right in zip(question.names, question.names[1:], strict=False):
        between = {t.text.lower() for t in question.tokens[left.last : right.first]}
        near = right.first - left.last <= 5
        pairs += bool(near and between & {"and", "or"})
    return Signal(
        "coordinated_names",
        float(min(pairs, 2)),
        tr("names side by side") if pairs else tr("names not coordinated"),
    )


def _clauses(question: ParsedQuestion) -> list[Signal]:
    """Signals: relative_clauses, subordinate_clauses, passive, negation, statement."""
    inside = named_tokens(question)
    tokens = question.tokens
    relative = _relative_clauses(question, inside)
    subordinate = sum(t.dep in _SUBORDINATE for i, t in enumerate(tokens) if i not in inside)
    passive = any(t.dep in ("nsubjpass", "auxpass") for t in tokens)
    negation = any(t.dep == "neg" for i, t in enumerate(tokens) if i not in inside)
    return [
        Signal(
            "relative_clauses",
            float(min(relative, 3)),
            counted(relative, "{number} relative clause", "{number} relative clauses")
            if relative != 1
            else tr("relative clause"),
        ),
        Signal(
            "subordinate_clauses",
            float(min(subordinate, 2)),
            tr("subordinate clause") if subordinate else tr("no subordinate clause"),
        ),
        Signal("passive", float(passive), tr("passive") if passive else tr("active")),
        Signal("negation", float(negation), tr("negation") if negation else tr("no negation")),
        _statement(question),
    ]


def _relative_clauses(question: ParsedQuestion, inside: frozenset[int]) -> int:
    """Clauses that describe a noun, by the parse or by their opening word."""
    tokens = question.tokens
    count = 0
    for i, t in enumerate(tokens):
        if i in inside or i == question.question_token:
            continue
        opened = (
            t.text.lower() in _RELATIVE_WORDS
            and t.tag in ("WDT", "WP", "WRB", "WP$", "IN")
            and i > 0
            and tokens[i - 1].pos in ("NOUN", "PROPN", "ADP", "PUNCT")
        )
        participle = t.dep == "acl" and t.pos == "VERB"
        count += opened or participle
    return count


def _statement(question: ParsedQuestion) -> Signal:
    """The question word comes late: something is told before it is asked."""
    late = question.type is not QuestionType.YES_NO and question.question_token > 4
    return Signal(
        "told_first", float(late), tr("facts told before the question") if late else tr("asks at once")
    )


def _nesting(question: ParsedQuestion) -> list[Signal]:
    """Signals: bridging_nouns, two_step_kin, of_chain, nested_possessives."""
    bridges = question.steps
    words = both([question.tokens[i].text for i in bridges[:2]])
    chain = _of_chain(question)
    possessives = _possessives(question)
    return [
        Signal(
            "bridging_nouns",
            float(min(len(bridges), 3)),
            tr("unnamed step: {words}", words=words) if bridges else tr("no unnamed step"),
        ),
        _two_step_kin(question, inside=named_tokens(question)),
        Signal(
            "of_chain",
            float(min(max(chain - 1, 0), 3)),
            counted(chain, "{number} 'of'", "{number} 'of' in a row"),
        ),
        Signal(
            "nested_possessives",
            float(max(possessives - 1, 0)),
            tr("nested possessives") if possessives > 1 else tr("no nested possessive"),
        ),
    ]


def _two_step_kin(question: ParsedQuestion, inside: frozenset[int]) -> Signal:
    """Relatives reached through another relative: a grandfather is a parent's father."""
    kin = next(
        (t.text for i, t in enumerate(question.tokens) if i not in inside and _is_two_step(t.lemma)),
        "",
    )
    return Signal(
        "two_step_kin",
        float(bool(kin)),
        tr("relative of a relative: {kin}", kin=kin) if kin else tr("no kinship in two steps"),
    )


def _is_two_step(lemma: str) -> bool:
    return (
        lemma.startswith(("grand", "step"))
        and lemma.endswith(_KIN)
        or lemma in _TWO_STEPS
        or lemma.endswith("in-law")
    )


def _of_chain(question: ParsedQuestion) -> int:
    """How many 'of' stand outside names, 'date of birth' not counted."""
    inside = named_tokens(question)
    return sum(
        t.text.lower() == "of"
        and i not in inside
        and not (i + 1 < len(question.tokens) and is_attribute(question.tokens[i + 1].lemma))
        for i, t in enumerate(question.tokens)
    )


def _possessives(question: ParsedQuestion) -> int:
    inside = named_tokens(question)
    return sum(
        t.pos == "PART" and t.text in POSSESSIVES and i not in inside for i, t in enumerate(question.tokens)
    )


def _comparison(question: ParsedQuestion) -> list[Signal]:
    """Signals: comparison_words, superlatives, choice, paired_yes_no."""
    inside = named_tokens(question)
    outside = [t for i, t in enumerate(question.tokens) if i not in inside]
    words = [t.text.lower() for t in outside if t.text.lower() in COMPARISONS or t.tag in ("JJR", "RBR")]
    superlatives = [t.text.lower() for t in outside if t.tag in ("JJS", "RBS")]
    paired = question.type is QuestionType.YES_NO and len(question.names) >= 2
    return [
        Signal(
            "comparison_words",
            float(min(len(words), 2)),
            tr('compares: "{words}"', words=words[0]) if words else tr("no comparison"),
        ),
        Signal(
            "superlatives",
            float(min(len(superlatives), 1)),
            tr('superlative: "{superlatives}"', superlatives=superlatives[0])
            if superlatives
            else tr("no superlative"),
        ),
        Signal(
            "choice",
            float(bool(question.choices)),
            tr("a choice: A or B") if question.choices else tr("no choice"),
        ),
        Signal(
            "paired_yes_no",
            float(paired),
            tr("yes or no about two things") if paired else tr("not about a pair"),
        ),
    ]


def _form(question: ParsedQuestion) -> list[Signal]:
    """Signals: length (-1 to 2: words beyond the usual), depth (levels of the parse beyond the usual)."""
    inside = named_tokens(question)
    words = sum(t.pos not in ("PUNCT", "SPACE") for i, t in enumerate(question.tokens) if i not in inside)
    words += len(question.names)
    length = min(max((words - _USUAL) / _SPAN, -1.0), 2.0)
    kind = (
        tr("short question")
        if words <= _USUAL
        else tr("long question")
        if words >= 14
        else tr("question of middle length")
    )
    depth = _depth(question)
    return [
        Signal("length", length, kind),
        Signal(
            "depth",
            min(max((depth - 4) / 4.0, -0.5), 1.5),
            tr("deep grammar") if depth > 4 else tr("flat grammar"),
        ),
    ]


def _depth(question: ParsedQuestion) -> int:
    """Longest way from a word to the root, in arcs."""
    tokens = question.tokens
    deepest = 0
    for i in range(len(tokens)):
        steps, at = 0, i
        while tokens[at].head != at and steps <= len(tokens):
            at, steps = tokens[at].head, steps + 1
        deepest = max(deepest, steps)
    return deepest
