"""A question in other words, after what was missing: failure-aware rewriting without a model. A2RAG eq. 6.

"When did the country where Clonbrook lies join CARICOM?" asks two things. Where no passage tells both, the
inner one is asked by itself, and its answer takes the place of the words that described it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.answering.prompts import QuestionReply, rewrite_prompt
from core.errors import BadReply, PromptTooLong
from core.extraction.question import ParsedQuestion
from core.extraction.question_names import Token, subtree
from core.extraction.question_words import labels_of
from core.progress import TaskContext
from core.protocols import LanguageModel
from core.types.kinds import VALUES

if TYPE_CHECKING:
    from core.answering.validators import Attempt

_PARTICULAR = 3  # words of meaning that a clause without a name has at least
_LONGEST = 8  # words of an answer that may stand for a description
_LONGEST_QUESTION = 300  # characters of a question that a model writes again
_LEADING = frozenset(("DET", "ADP", "SCONJ", "PUNCT", "AUX", "CCONJ"))
_RELATIVES = frozenset(("that", "which", "who", "whose"))
_SUPPORTED = {"VBD": "did", "VBZ": "does", "VBP": "do"}
_COUNTS = frozenset("number amount percentage quantity".split())
_QUOTES = frozenset("\"'\u201c\u201d\u2018\u2019\u00ab\u00bb")
_DETERMINERS = frozenset(("the", "a", "an", "this", "that"))


@dataclass(frozen=True, slots=True)
class Step:
    """The innermost thing that a question describes: `question` asks for it, [start, end) are its words
    in the whole question. `between` are those among them that say what is asked: "born" of "Where was the man born who
    commanded X?"."""

    question: str
    start: int
    end: int
    between: str = ""
    is_named: bool = True  # whether a name stands among them


def innermost(question: ParsedQuestion) -> Step | None:
    """The described thing to find first: the shortest phrase around a step that holds a name.

    None where nothing is described, or where the description is the whole question.
    """
    tokens = question.tokens
    found: list[tuple[int, int, int]] = []  # first, last, token of the step
    split: Step | None = None
    for i in question.steps:
        if not _may_be_named(tokens, i) or _is_counted(tokens, i):
            continue
        if split is None and (split := _find_split_description(question, i)) is not None:
            continue
        span = _phrase(question, i)
        if span is None:
            continue
        is_named = any(span[0] <= n.first and n.last <= span[1] for n in question.names)
        if is_named or _is_particular(question, span, i):
            found.append((*span, i))
    if split is not None and not any(split.start < tokens[first].start for first, _, _ in found):
        return split
    if not found:
        return None
    first, last, step = min(found, key=lambda span: (span[1] - span[0], span[0]))
    first, step = _narrow(question, first, last, step)
    start, end = tokens[first].start, tokens[last - 1].end
    asked = _by_clause(tokens[first:last], first, step)
    if not asked:
        phrase = question.text[start:end]
        if not _opened(tokens, first):
            phrase = f"the {phrase}"
        asks = "Who" if "PERSON" in labels_of(tokens[step].lemma)[:2] else "What"
        asked = f"{asks} {'are' if tokens[step].tag == 'NNS' else 'is'} {phrase}?"
    is_named = any(start <= name.start and name.end <= end for name in question.names)
    return Step(asked, start, end, is_named=is_named)


def _is_particular(question: ParsedQuestion, span: tuple[int, int], step: int) -> bool:
    """Whether a clause without a name says enough to find the one that it describes: "the man who threw his glass from
    the ridge"; not "tenants who pay late"."""
    tokens, noun = question.tokens[span[0] : span[1]], question.tokens[step]
    is_one = noun.tag == "NN" and question.tokens[span[0]].text.lower() == "the"
    labels = labels_of(noun.lemma)
    if not (is_one and labels and not set(labels) <= VALUES):
        return False
    if not any(token.head == step and token.dep == "relcl" for token in tokens):
        return False
    clause = question.tokens[step + 1 : span[1]]
    content = [token for token in clause if token.pos in ("NOUN", "VERB", "NUM", "ADJ", "PROPN")]
    return len(content) >= _PARTICULAR


def _narrow(question: ParsedQuestion, first: int, last: int, step: int) -> tuple[int, int]:
    """Return first token and noun of the innermost description within a phrase, read from left to right: the parser
    hangs "in Narva" of "the office of the tenant of the warehouse in Narva" on the office.
    """
    tokens, names = question.tokens, question.names
    inner = [
        i
        for i in question.steps
        if step < i < last
        and _may_be_named(tokens, i)
        and any(i < name.first and name.last <= last for name in names)
        and not any(first <= name.first < i for name in names)
    ]
    if not inner:
        return first, step
    begin = at = max(inner)
    while tokens[begin - 1].head == at and begin - 1 > step:
        begin -= 1
    return begin, at


def _find_split_description(question: ParsedQuestion, i: int) -> Step | None:
    """Return the noun at i with the clause that describes it, where the question's verb stands between the two."""
    tokens = question.tokens
    heads = {i}
    if i + 2 < len(tokens) and tokens[i + 1].tag == "VBN" and tokens[i + 2].text.lower() in _RELATIVES:
        heads.add(i + 1)  # the parser hangs the clause on "born"
    clauses = ("relcl", "ccomp")
    verb = next((j for j, t in enumerate(tokens) if t.head in heads and t.dep in clauses and j > i + 1), None)
    if verb is None:
        return None
    tokens = tuple(replace(t, dep="relcl", head=i) if j == verb else t for j, t in enumerate(tokens))
    clause = sorted(subtree(tokens, verb))
    clause = _with_quotation(tokens, clause)
    first = i
    while first - 1 in subtree(tokens, i) and first > 1:
        first -= 1
    named = any(clause[0] <= name.first and name.last <= clause[-1] + 1 for name in question.names)
    between = tokens[i + 1 : clause[0]]
    verbs = {j for j, t in enumerate(tokens) if t.pos == "VERB" and not clause[0] <= j <= clause[-1]}
    is_contiguous = clause[-1] - clause[0] + 1 == len(clause) and named
    if not is_contiguous or not verbs or not verbs <= set(range(i + 1, clause[0])):
        return None  # the words between describe the noun, too, and another verb says what is asked
    phrase = (*tokens[first : i + 1], *tokens[clause[0] : clause[-1] + 1])
    asked = _by_clause(phrase, first, i)
    return Step(asked, tokens[first].start, tokens[clause[-1]].end, _joined(between)) if asked else None


def _may_be_named(tokens: Sequence[Token], step: int) -> bool:
    """Whether a name may stand for a noun: of a kind that bears names, or described by a clause; "the claim of X" and
    "the turbocharger of X" are found as they are called."""
    labels = labels_of(tokens[step].lemma)
    has_clause = any(token.head == step and token.dep in ("relcl", "acl") for token in tokens)
    return has_clause or bool(labels) and not set(labels) <= VALUES


def _is_counted(tokens: Sequence[Token], i: int) -> bool:
    """Whether only how many there are is asked for: "the number of people working for X" names nobody."""
    head = tokens[tokens[i].head]
    return head.text.lower() == "of" and tokens[head.head].lemma in _COUNTS


def _by_clause(tokens: Sequence[Token], first: int, step: int) -> str:
    """Return the question that a relative clause answers: "the ship that A chartered" as "Which ship did A charter?".

    `tokens` are those of the phrase, from `first` of the question on, around the noun at `step`; "" where no clause
    follows the noun, or where it cannot be asked so.
    """
    at = step - first + 1
    noun = " ".join(
        token.text for token in tokens[:at] if token.pos not in _LEADING and token.text.lower() != "both"
    )
    if at + 1 >= len(tokens) or tokens[at].text.lower() not in _RELATIVES:
        return ""
    pronoun, clause = tokens[at], tokens[at + 1 :]
    verb = next((token for token in clause if token.dep == "relcl" and token.head == step), None)
    if verb is None:
        return ""
    if pronoun.text.lower() == "whose":
        return f"Which {noun}'s {_joined(clause)}?"
    if pronoun.dep in ("nsubj", "nsubjpass"):
        return f"Which {noun} {_joined(clause)}?"
    before, after = clause[: clause.index(verb)], clause[clause.index(verb) + 1 :]
    if pronoun.dep != "dobj" or verb.tag not in _SUPPORTED or any(token.pos == "AUX" for token in before):
        return ""
    return (
        f"Which {noun} {_SUPPORTED[verb.tag]} {_joined((*before, replace(verb, text=verb.lemma), *after))}?"
    )


def _joined(tokens: Sequence[Token]) -> str:
    """Return tokens as they are written, apart where the question has them apart."""
    found = ""
    for before, token in zip((None, *tokens), tokens, strict=False):
        found += " " if before is not None and before.end < token.start else ""
        found += token.text
    return found


def substituted(question: ParsedQuestion, step: Step, answer: str) -> str:
    """The question with an answer in place of the step's words; "" where the answer cannot stand there."""
    clean = " ".join(answer.split()).rstrip(".")
    is_repeated = clean.casefold() in question.text.casefold()
    if not clean or len(clean.split()) > _LONGEST or is_repeated:
        return ""
    between = f" {step.between}" if step.between else ""
    return " ".join(f"{question.text[: step.start]}{clean}{between}{question.text[step.end :]}".split())


def _phrase(question: ParsedQuestion, i: int) -> tuple[int, int] | None:
    """Tokens [first, last) of the noun at i with all that describes it; None where they are torn apart."""
    tokens = question.tokens
    inside = sorted(subtree(tokens, i))
    if question.question_token in inside:
        return None
    inside = _with_quotation(tokens, inside)
    while inside and tokens[inside[0]].pos in _LEADING and tokens[inside[0]].text.lower() not in _DETERMINERS:
        inside.pop(0)
    if not inside or inside[-1] - inside[0] + 1 != len(inside) or inside[0] == 0:
        return None
    if question.focus_token in inside:
        return None
    return inside[0], inside[-1] + 1


def _with_quotation(tokens: Sequence[Token], inside: Sequence[int]) -> list[int]:
    """Return the tokens without marks at their end, but with that which ends a quotation that begins among them."""
    end = len(inside)
    while end and tokens[inside[end - 1]].pos == "PUNCT":
        end -= 1
    found = list(inside[:end])
    is_quoting = sum(tokens[at].text in _QUOTES for at in found) % 2 == 1
    following = found[-1] + 1 if found else len(tokens)
    if is_quoting and following < len(tokens) and tokens[following].text in _QUOTES:
        found.append(following)
    return found


def _opened(tokens: tuple[Token, ...], first: int) -> bool:
    return tokens[first].text.lower() in _DETERMINERS or tokens[first].pos in ("PROPN", "PRON")


class ModelRewriter:
    """Asks the model for the question in other words, after the type of the failure."""

    def __init__(self, model: LanguageModel) -> None:
        self.name = model.name
        self._model = model

    def rewrite(self, attempt: Attempt, failed: str, context: TaskContext) -> str:
        """One line; "" where the reply is of no use. Raises Cancelled, CapReached, ModelUnavailable."""
        prompt = rewrite_prompt(attempt.question.text, failed, attempt.answer.missing)
        try:
            reply = self._model.structured(prompt, QuestionReply, context)
        except (BadReply, PromptTooLong):
            return ""
        asked = " ".join(reply.value.question.split())
        return asked if 0 < len(asked) <= _LONGEST_QUESTION else ""
