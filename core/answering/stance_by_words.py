"""Whether a sentence denies, supposes or merely reports what is asked, in languages that are not parsed here.

Negation is a closed class of words in every language and stays within its clause (Payne 1985, "Negation"): a clause is
what stands between marks and conjunctions, and it counts where it holds the answer or most words of the question, with
the clause that it is the complement of. Nothing is read of a sentence in a language that has no row below.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from core.answering.stance import Stance
from core.extraction.rules import function_words
from core.types import Assertion, Modality

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_MARKS = re.compile(r"[,;:，；：、،؛—–()]|\s-\s")
_ROOT = 5  # letters of a word that its inflections share
_LONGEST = 1500  # characters of a sentence


@dataclass(frozen=True, slots=True)
class Grammar:
    """Function words of a language, and words that deny what they take; `_` is a blank, `*` the rest of a word."""

    particles: str
    nobody: str  # deny the clause that they are the subject of, behind an apposition, too
    without: str  # begins a clause that is not so: "without", "instead of"
    deniers: str  # verbs and verdicts that deny, refuse or fail
    unsure: str  # adverbs and forms of verbs that put a clause as possible, as planned or as hearsay
    conditions: str  # begin a clause
    complements: str  # begin a clause of which the clause before speaks
    clauses: str  # other words that begin a clause
    reasons: str  # ask why and how: such answers stand beside what is asked, not in it
    infinitive: str = ""  # marks a clause behind a comma as a complement
    only: str = ""  # after a particle: "not only"
    before: str = ""  # a particle counts where one of these is in its clause: French "ne"
    exceptions: str = ""  # phrases that deny nothing


GRAMMARS = {
    "de": Grammar(
        particles="nicht nie niemals nichts nirgends keinesfalls keineswegs",
        nobody="niemand niemanden niemandem weder kein keine keinen keinem keiner keines",
        without="ohne statt anstatt",
        deniers="weiger* verweiger* bestritt* bestreit* leugne* dementier* lehnt* ablehn* abgelehn* versäum* vergaß* "
        "vergess* unterließ* unterlassen scheiter* verzicht* verhinder* zöger* freigesprochen ist_falsch war_falsch "
        "ist_unwahr ist_erfunden ist_unzutreffend",
        unsure="angeblich* mutmaßlich* vermutlich* vielleicht möglicherweise vermeintlich* soll sollen sollte sollten "
        "hätte hätten wäre wären würde würden könnte könnten dürfte beinahe fast behaupt* will wollte wollten "
        "wirft_* beschuldig*",
        conditions="wenn falls sofern",
        complements="dass daß ob",
        clauses="und sondern aber denn weil obwohl doch",
        reasons="warum wieso weshalb wie",
        infinitive="zu",
        only="nur allein bloß",
        exceptions="nicht_zuletzt nicht_ohne nicht_lange nichts_als",
    ),
    "fr": Grammar(
        particles="pas plus jamais rien guère nullement point",
        nobody="personne aucun aucune nul nulle ni",
        without="sans au_lieu",
        deniers="refusa refuse refusé refusée refusent refusèrent nia nie nié nièrent démentit dément démenti conteste "
        "contesté contesta échoué échoua omis renoncé renonça oublié oublia acquitté acquittée rejeté rejetée empêché "
        "hésit* est_faux est_fausse est_inexact",
        unsure="prétendument peut-être apparemment soi-disant aurait auraient serait seraient pourrait pourraient "
        "devait devaient prétend accus* soupçonn* faillit",
        conditions="si s'il s’il s'ils s’ils",
        complements="que qu",
        clauses="et mais parce puisque car qui",
        reasons="pourquoi comment",
        only="seulement uniquement",
        before="ne n",
    ),
    "es": Grammar(
        particles="no nunca jamás nada tampoco",
        nobody="nadie ningún ninguno ninguna ni",
        without="sin en_lugar en_vez",
        deniers="negó negaron niega niegan negado rehusó rehúsa rechazó rechaza rechazaron desmintió desmiente "
        "olvidó absuelto absuelta renunció desistió dudó dudaron vaciló es_falso es_falsa era_falso fue_falso",
        unsure="supuestamente presuntamente quizás quizá acaso tal_vez habría habrían hubiera hubiese podría podrían "
        "debía debería casi acusad* acusa acusó acusaron sospech* iba_a iban_a presunto presunta",
        conditions="si",
        complements="que",
        clauses="y pero sino porque aunque quien quienes",
        reasons="por_qué cómo",
        only="solo sólo solamente",
        exceptions="no_obstante",
    ),
    "it": Grammar(
        particles="non mai niente nulla neppure neanche nemmeno",
        nobody="nessuno nessun nessuna né",
        without="senza invece_di invece_che",
        deniers="negò nega negano negato rifiutò rifiuta rifiutato rifiutata smentì smentisce smentito dimenticò "
        "dimenticato assolto assolta rinunciò rinunciato respinse respinto esit* è_falso è_falsa era_falso",
        unsure="presumibilmente forse avrebbe avrebbero sarebbe sarebbero potrebbe potrebbero dovrebbe doveva quasi "
        "accusat* accusa accusò sospett* presunto presunta",
        conditions="se",
        complements="che",
        clauses="e ma bensì perché sebbene chi",
        reasons="perché come",
        only="solo soltanto solamente",
    ),
    "pt": Grammar(
        particles="não nunca jamais nada tampouco",
        nobody="ninguém nenhum nenhuma nem",
        without="sem em_vez",
        deniers="negou negaram nega negado recusou recusa recusaram rejeitou desmentiu esqueceu absolvido absolvida "
        "renunciou desistiu hesit* é_falso é_falsa era_falso",
        unsure="supostamente alegadamente talvez teria teriam seria seriam poderia poderiam deveria quase acusad* "
        "acusou suspeit*",
        conditions="se caso",
        complements="que",
        clauses="e mas senão porque embora quem",
        reasons="por_que porquê como",
        only="só apenas somente",
        exceptions="não_obstante",
    ),
    "nl": Grammar(
        particles="niet nooit niets nergens evenmin",
        nobody="niemand geen noch",
        without="zonder in_plaats",
        deniers="weiger* geweigerd ontken* ontkend* betwist* bestreed bestrijdt vergat vergeten verzuim* vrijgesproken "
        "afgewezen mislukt* aarzel* is_onwaar is_onjuist",
        unsure="vermoedelijk zogenaamd misschien mogelijk naar_verluidt zou zouden bijna beschuldig* wil wilde wilden",
        conditions="als indien mits",
        complements="dat of",
        clauses="en maar want omdat hoewel",
        reasons="waarom hoe",
        infinitive="te",
        only="alleen slechts enkel",
    ),
    "ru": Grammar(
        particles="не никогда ничего никем нигде нет",
        nobody="никто никого никому ни",
        without="без вместо",
        deniers="отказа* отрица* отрицает опроверг* забы* оправдан* неправда отверг* колеб* ложно неверно ложь",
        unsure="якобы возможно вероятно предположительно может_быть бы чуть_не почти обвин* подозрева*",
        conditions="если",
        complements="что чтобы будто",
        clauses="и а но потому хотя",
        reasons="почему зачем как",
        only="только",
    ),
}
# Scripts without blanks, and languages whose negation is an ending: what denies, what leaves open, why and how.
SIGNS = {
    "zh": (
        r"没|并非|从未|未(?![来必])|不是|拒绝|否认|不(?![仅但只久同断少过管论得足])",
        r"据称|据说|可能|也许|如果|要是|打算|涉嫌",
        r"为什么|怎么|如何",
    ),
    "ja": (
        r"(?:な(?:い|かった|く)|ません|ず(?:に)?)(?=$|[でと。、」がのはため])|拒否|否定|断っ",
        r"とされ|らしい|かもしれ|だろう|もし|予定|疑い",
        r"なぜ|どうやって|どのように",
    ),
    "ko": (
        r"(?<!\S)(?:안|못)\s|않|못했|못하|아니[다었라며고]|없(?:다|었|습)|거부|부인",
        r"것으로\s*알려|아마|만약|예정|혐의",
        r"왜|어떻게",
    ),
    "ar": (
        r"(?<!\w)(?:لم|لن|ليس|ليست|لا|رفض|رفضت|نفى|نفت)(?!\w)",
        r"(?<!\w)(?:ربما|يُزعم|يزعم|لو|إذا)(?!\w)",
        r"(?<!\w)(?:لماذا|كيف)(?!\w)",
    ),
}


@dataclass(frozen=True, slots=True)
class _Clause:
    start: int
    end: int
    text: str

    def opens_with(self, words: re.Pattern[str]) -> bool:
        return words.match(self.text.lstrip()) is not None


class _Sentence:
    """The clauses of a sentence in a language that GRAMMARS has."""

    def __init__(self, text: str, language: str) -> None:
        self._language = language
        cuts = {0, len(text), *(found.end() for found in _MARKS.finditer(text))}
        if language in GRAMMARS:
            begins = _pattern(language, "complements", "clauses", "without")
            cuts.update(found.start() for found in begins.finditer(text))
        parts = [_Clause(start, end, text[start:end]) for start, end in pairwise(sorted(cuts))]
        self.clauses = [part for part in parts if part.text.strip()]

    def nearest(self, roots: frozenset[str], named: frozenset[str]) -> int:
        """Return the clause that holds most of these words; names are counted where no other word decides."""
        texts = [_roots(clause.text, self._language) for clause in self.clauses]
        shared = [(len((roots - named) & text), len(roots & text)) for text in texts]
        return shared.index(max(shared))

    def at(self, place: int) -> int:
        return next((n for n, clause in enumerate(self.clauses) if clause.start <= place < clause.end), 0)

    def denies(self, at: int) -> bool:
        """Whether a clause, or the one that it is the complement of, is denied, but not both."""
        clause, language = self.clauses[at], self._language
        found = _denies(clause.text, language)
        if language not in GRAMMARS:
            return found
        if clause.opens_with(_pattern(language, "without")):
            found = not found
        elif at and not clause.opens_with(_pattern(language, "complements", "clauses")):
            found = found or self.clauses[0].opens_with(_pattern(language, "nobody"))
        if at and self._is_complement(clause):
            found = found != _denies(self.clauses[at - 1].text, language)
            behind = self.clauses[at + 1].text if at + 1 < len(self.clauses) else ""
            found = found != _finds(_pattern(language, "deniers"), behind)
        return found

    def is_conditional(self, at: int) -> bool:
        """Whether a clause, or the one that it is the complement of, begins with "if"."""
        if self._language in SIGNS:
            return False
        above = at - 1 if at and self._is_complement(self.clauses[at]) else at
        conditions = _pattern(self._language, "conditions")
        return self.clauses[at].opens_with(conditions) or self.clauses[above].opens_with(conditions)

    def excludes(self, place: int) -> bool:
        """Whether a particle stands right before what begins at `place`: "not Olaf, but Erik"."""
        clause = self.clauses[self.at(place)]
        if self._language in SIGNS:
            return False
        before = " ".join(_WORD.findall(clause.text[: max(0, place - clause.start)])[-2:])
        return _denies(before, self._language)

    def _is_complement(self, clause: _Clause) -> bool:
        marks = GRAMMARS[self._language].infinitive
        return clause.opens_with(_pattern(self._language, "complements")) or (
            bool(marks) and _finds(_pattern(self._language, "infinitive"), clause.text)
        )


def stance_by_words(
    question: str, sentence: str, language: str, span: tuple[int, int] | None = None
) -> Stance | None:
    """Return how a sentence puts what is asked; None where it says it plainly, or the language has no row here.

    `span` is where the answer stands in the sentence; None of a question that is answered by yes or no.
    """
    language = language or _guessed(f"{question} {sentence}")
    if len(sentence) > _LONGEST or language not in GRAMMARS and language not in SIGNS:
        return None
    asked, stated = question.casefold(), _lower(sentence)
    parts = _Sentence(stated, language)
    particles, unsure, reasons = _finders(language)
    if not parts.clauses or span is not None and (_finds(reasons, asked) or particles.match(stated, *span)):
        return None  # "Nobody" is an answer
    names = _names(question, sentence)
    main = parts.nearest(_roots(asked, language), _roots(names.casefold(), language))
    place = span[0] if span is not None else sentence.find(names.split()[0]) if names else None
    apart = place is not None and parts.at(place) != main and sentence[place].isupper()
    denied = parts.denies(main) or apart and place is not None and parts.excludes(place)
    left_open = _finds(unsure, parts.clauses[main].text) and not _finds(unsure, asked)
    condition = parts.is_conditional(main) or place is not None and parts.is_conditional(parts.at(place))
    against = denied != _denies(asked, language)
    if not (against or left_open or condition):
        return None
    modality = Modality.CONDITIONAL if condition else Modality.POSSIBLE if left_open else Modality.ACTUAL
    return Stance(Assertion(denied=against, modality=modality), True)


def _denies(text: str, language: str) -> bool:
    """Whether particles deny a clause, one or several alike; a verb that denies turns it around."""
    if language in SIGNS:
        return _finds(_finders(language)[0], text)
    if GRAMMARS[language].exceptions:
        text = _pattern(language, "exceptions").sub(" ", text)
    particle = any(_counts(text, found, language) for found in _finders(language)[0].finditer(text))
    return particle != _finds(_pattern(language, "deniers"), text)


def _counts(text: str, particle: re.Match[str], language: str) -> bool:
    grammar = GRAMMARS[language]
    after = _WORD.match(text[particle.end() :].lstrip())
    if after is not None and after[0] in grammar.only.split():
        return False
    return not grammar.before or bool(set(grammar.before.split()).intersection(re.split(r"\W+", text)))


def _roots(text: str, language: str) -> frozenset[str]:
    if language in {"zh", "ja"}:
        return frozenset(text[at : at + 2] for at in range(len(text) - 1))
    common = function_words(language)
    return frozenset(word[:_ROOT] for word in _WORD.findall(text) if word not in common)


def _names(question: str, sentence: str) -> str:
    """Return the words with a capital that the sentence has, too."""
    words = (word for word in _WORD.findall(question) if word[:1].isupper() and len(word) > 1)
    return " ".join(word for word in words if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", sentence))


def _lower(text: str) -> str:
    """Return the text in lower case, each letter in its place."""
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)


def _finds(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.search(text) is not None


@lru_cache(maxsize=64)
def _pattern(language: str, *names: str) -> re.Pattern[str]:
    """Return what finds any of the words in these fields of a grammar, the longest first."""
    words = " ".join(getattr(GRAMMARS[language], name) for name in names).split()
    parts = [re.escape(word).replace("_", r"\s+").replace(r"\*", r"\w*") for word in words]
    return re.compile(rf"(?<!\w)(?:{'|'.join(sorted(parts, key=len, reverse=True))})(?!\w)")


@lru_cache(maxsize=16)
def _finders(language: str) -> tuple[re.Pattern[str], ...]:
    """Return what finds a denial, what leaves open, and what asks why and how."""
    if language in SIGNS:
        return tuple(map(re.compile, SIGNS[language]))
    particles = _pattern(language, "particles", "nobody")
    return particles, _pattern(language, "unsure"), _pattern(language, "reasons")


def _guessed(text: str) -> str:
    """Return the language most of whose function words a short text holds; "" where English has as many."""
    words = {word.casefold() for word in _WORD.findall(text)}
    shares = {code: len(words & function_words(code)) for code in GRAMMARS}
    best = max(shares, key=lambda code: shares[code])
    return best if shares[best] > max(1, len(words & function_words("en"))) else ""
