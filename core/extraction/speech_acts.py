"""Tell what is typed for an answer and asks nothing: greetings, thanks, yes and no, follow-ups to a question before.

Decided by the parse: a text asks for something where it has a noun, a name or a number, or a question word with a verb
of its own. Only words that stand for a whole sentence in languages that no parser here knows are listed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.extraction.question import ParsedQuestion, QuestionType
from core.extraction.question_names import Token
from core.extraction.question_words import INTERROGATIVES

# Yes, no, greetings, thanks and pleas, each line a few languages.
_SENTENCE_WORDS = frozenset(
    "yes yeah yep no nope ok okay k hello hi hey thanks thank thx ty cheers please pls sorry bye goodbye welcome"
    " ja jawohl genau klar perfekt nein doch danke dank vielen sehr schön bitte hallo tschüss moin servus"
    " nee bedankt alstublieft"
    " oui non si d'accord parfait merci beaucoup bonjour bonsoir salut pardon"
    " sí gracias muchas hola adiós vale perfecto sì grazie mille ciao prego perfetto buongiorno buonasera"
    " sim não obrigado obrigada muito olá nej tack tak takk hej hei nei kyllä kiitos nie dziękuję cześć"
    " да нет спасибо большое привет здравствуйте пожалуйста ναι όχι ευχαριστώ γεια evet hayır teşekkürler merhaba"
    " نعم لا شكرا جزيلا مرحبا כן לא תודה שלום हाँ नहीं धन्यवाद नमस्ते"
    " 네 예 아니요 아니오 감사합니다 고마워요 고맙습니다 안녕 안녕하세요"
    " はい いいえ ありがとう ありがとうございます こんにちは 是 是的 不 不是 好 好的 谢谢 謝謝 你好 您好".split()
)
# And, why, when, more: with nothing else beside them they point to what was asked before.
_FOLLOW_UPS = INTERROGATIVES | frozenset(
    "und was weiter mehr noch erzähl erzähle sag mir et plus encore dis moi y por más cuéntame dime e più di dimmi"
    " mais en meer vertel og och и а ещё еще расскажи больше 그리고 더 もっと 什么时候 然后呢 还有呢".split()
)
_GREETING = re.compile(
    r"(?:good|guten?|bon(?:ne)?|buen[oa]s?|buona|bom|boa|god|goede?|goeden)"
    r" (?:day|morning|afternoon|evening|night|tag|morgen|abend|journée|soirée|nuit|d[ií]as?|tardes?|noches?|noite"
    r"|giornata|sera|notte|dag|avond|kväll|kveld|aften)"
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_THINGS = frozenset(("NOUN", "PROPN", "NUM", "X"))
_POINTING = frozenset(("one", "other"))  # to things that were named before
_MORE_WORDS = frozenset(("more", "another"))  # than was said before
_DOING = frozenset(("VERB", "AUX"))
_NEVER_IN_DOCUMENTS = frozenset(("you", "he", "she"))  # who answers; who was named before
_POINTERS = frozenset(("that", "this", "it"))
_ANAPHORS = _NEVER_IN_DOCUMENTS | frozenset("i we it that this they these those".split())


def asks_nothing(question: ParsedQuestion) -> bool:
    """Return whether nothing can be looked for by what was typed, or only with what was asked before."""
    words = {word.lower() for word in _WORD.findall(_GREETING.sub(" ", question.text.lower()))}
    if words <= _SENTENCE_WORDS | _FOLLOW_UPS:
        return True
    if any(letter > "z" and letter.isalpha() for letter in question.text):
        return False  # what a parser for English does not read asks for something
    tokens = [token for token in question.tokens if token.pos not in ("PUNCT", "SPACE", "SYM")]
    if _asks_within(tokens):
        return False
    things = _things(question, tokens)
    if things:
        return _adds_to_before(tokens, things)
    root = next((token for token in tokens if token.dep == "ROOT"), None)
    subjectless = not any(
        token.dep in ("nsubj", "nsubjpass") or token.text.lower() in _ANAPHORS for token in tokens
    )
    if root is not None and root.tag in ("VBD", "VBN") and subjectless and question.question_token < 0:
        return False  # "stolen", "signed by?" are looked for
    return question.question_token < 0 or _points_back(question, tokens)


def _things(question: ParsedQuestion, tokens: Sequence[Token]) -> list[Token]:
    """Return the words for what documents may tell of; "thanks for the help" and "a lot" hold none."""
    root = next((token for token in tokens if token.dep == "ROOT"), None)
    if root is not None and root.pos in ("NOUN", "VERB") and root.text.lower() in _SENTENCE_WORDS:
        return []
    named = [name for name in question.names if name.quoted or name.last - name.first > 1]
    return [
        token
        for token in tokens
        if any(name.start <= token.start < name.end for name in named)
        or (token.pos in _THINGS or token.lemma == "everything")
        and token.dep != "npadvmod"
        and token.lemma not in _POINTING
        and token.text.lower() not in _SENTENCE_WORDS
    ]


def _asks_within(tokens: Sequence[Token]) -> bool:
    """Return whether something did what a clause tells: "Can you tell me who signed?"."""
    return any(
        token.tag in ("WP", "WDT") and token.dep in ("nsubj", "nsubjpass") and token.lemma != "that"
        for token in tokens
    )


def _adds_to_before(tokens: Sequence[Token], things: Sequence[Token]) -> bool:
    """Return whether the words only add to what was asked before: "And the captain?", "more details"."""
    if tokens[0].pos == "CCONJ":
        return not any(token.pos in _DOING for token in tokens)
    defined = any(
        token.dep in ("prep", "relcl", "acl", "compound", "poss") or token.tag.startswith("W")
        for token in tokens
    )
    more = any(token.lemma in _MORE_WORDS and token.dep in ("amod", "det") for token in tokens)
    return more and not defined and [token.pos for token in things] == ["NOUN"]


def _points_back(question: ParsedQuestion, tokens: Sequence[Token]) -> bool:
    """Return whether a question without any thing lacks a verb, is about the talk, or needs to know who "he" is."""
    if not any(token.pos in _DOING for token in tokens):
        return True  # "and when?"
    if tokens[0].text.lower() in _POINTERS and not question.text.endswith("?"):
        return True  # "That is not what I asked"
    subjects = {token.text.lower() for token in tokens if token.dep in ("nsubj", "nsubjpass")}
    if subjects & _NEVER_IN_DOCUMENTS:
        return True
    if question.type is not QuestionType.YES_NO and any(
        token.pos in ("VERB", "ADJ", "ADP", "ADV") for token in tokens
    ):
        return False  # "What is this about?", "How was it paid?"
    return bool(subjects & _ANAPHORS)
