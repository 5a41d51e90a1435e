"""The words by which questions about all documents are told: nouns, verbs and what ranks them."""

from __future__ import annotations

from collections.abc import Iterable

_IRREGULAR = {
    "person": "people",
    "corpus": "corpora",
    "analysis": "analyses",
    "hypothesis": "hypotheses",
    "thesis": "theses",
    "crisis": "crises",
    "diagnosis": "diagnoses",
    "diary": "diaries",
    "man": "men",
    "woman": "women",
}
_PAST = {
    "arise": "arose arisen",
    "come": "came",
    "go": "went gone",
    "run": "ran",
    "tell": "told",
    "say": "said",
    "make": "made",
    "find": "found",
    "show": "shown",
    "see": "saw seen seeing",
    "give": "gave given",
    "hold": "held",
    "bind": "bound",
    "draw": "drew drawn",
    "write": "wrote written",
    "refer": "referred referring",
    "recur": "recurred recurring",
    "occur": "occurred occurring",
    "crop": "cropped cropping",
}


def plural(noun: str) -> str:
    """The plural form of a lower-case English noun."""
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    if noun.endswith("y") and noun[-2:-1] not in "aeou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "z", "ch", "sh")) else "s")


def _plurals(nouns: str) -> frozenset[str]:
    return frozenset(plural(noun) for noun in nouns.split())


def _verb_forms(verbs: str) -> frozenset[str]:
    """Present, past and -ing forms: cues must not hang on a parser's lemma."""
    forms: set[str] = set()
    for verb in verbs.split():
        stem = verb.removesuffix("e")
        if verb.endswith("y") and verb[-2] not in "aeou":
            forms |= {verb, verb[:-1] + "ies", verb[:-1] + "ied", verb + "ing"}
        else:
            ending = "es" if verb.endswith(("s", "x", "ch", "sh")) else "s"
            forms |= {verb, verb + ending, stem + "ed", stem + "ing", *_PAST.get(verb, "").split()}
    return frozenset(forms)


def _words(*lists: Iterable[str]) -> frozenset[str]:
    return frozenset(word for each in lists for word in each)


# What holds the documents: one of them is all of them.
COLLECTIONS = frozenset(
    "corpus corpora collection collections archive archives dataset datasets database databases library literature "
    "material materials documentation coverage repository holdings data everything folder workspace".split()
)
_DOCUMENT = (
    "document file text paper report article contract agreement letter email e-mail mail judgment "
    "judgement ruling decision case filing brief settlement statement testimony interview transcript memo "
    "memorandum note diary journal log logbook record register manifest ledger invoice account audit "
    "study trial publication review source page story book newspaper issue message post ticket "
    "specification manual policy protocol patent proposal form minute entry speech lease licence license "
    "deed will treaty statute deposition affidavit opinion chapter newsletter bulletin presentation slide "
    "spreadsheet summary abstract essay thesis petition complaint submission tender bid survey "
    "questionnaire guideline standard drawing procedure assessment evaluation inspection excerpt passage "
    "announcement release blog column editorial novel poem annex appendix warranty"
)
DOCUMENTS = _plurals(_DOCUMENT)
# One of them, with an article, is one document; words that as often mean something else are left out.
DOCUMENT = frozenset(_DOCUMENT.split()) - frozenset(
    "will issue case record account audit trial study form minute opinion standard mail post procedure entry "
    "decision story complaint assessment bid release column log review source".split()
)
# Plural words that are documents only where they are spoken of as such ("the issues" may be anything).
_SELDOM = frozenset(
    "issues stories minutes opinions standards decisions forms wills entries procedures".split()
)

# Nouns that gather what many documents say.
_THEME = (
    "theme topic subject motif thread trend pattern narrative storyline takeaway highlight insight idea concept issue "
    "finding conclusion lesson concern risk danger threat opportunity challenge problem weakness strength controversy "
    "debate argument perspective viewpoint position opinion attitude development event turning-point priority gap "
    "limitation recommendation message point keyword tendency similarity difference commonality contradiction "
    "inconsistency discrepancy overlap connection relationship relation link cluster community category question "
    "hypothesis assumption claim principle value tension conflict dispute milestone aspect area characteristic cause "
    "reason fact statement change shift undercurrent strand preoccupation focus implication"
)
THEMES = _plurals(_THEME)
# Of these even the singular gathers, where the question speaks of all documents.
THEME = frozenset(
    "theme topic trend pattern narrative message mood tone sentiment atmosphere consensus picture tendency thread "
    "storyline conclusion evidence focus subject gist thrust structure outlook attitude stance takeaway idea view "
    "thesis span motif impression opinion knowledge".split()
)
# These need no word for the documents: they mean nothing else.
WHOLE_THEMES = _plurals(
    "theme topic motif trend storyline takeaway narrative highlight keyword insight commonality subject thread"
)
# Who and what documents are about: classes of things, never one of them.
CLASSES = _plurals(
    "person man woman company organisation organization firm group actor player figure character stakeholder entity "
    "place country city town region location nation institution party family author researcher politician leader "
    "expert institute agency department supplier customer individual protagonist participant contributor name term "
    "date year incident accident ship vessel author source industry sector team community state government"
) | {"persons"}
_ADJECTIVES = (
    "main key major central principal dominant primary core recurring recurrent common commonest frequent prevalent "
    "prevailing overarching overall general leading prominent influential significant important top biggest typical "
    "essential fundamental underlying predominant pervasive shared salient crucial notable chief foremost broad "
    "big popular repeated widespread persistent"
)
RANKS = frozenset(_ADJECTIVES.split())

# What things do in documents, or documents with things.
MENTIONS = _verb_forms(
    "mention name cite discuss describe report record refer quote list address cover raise identify appear occur recur "
    "arise emerge surface feature figure note document reference highlight portray depict present represent criticise "
    "criticize praise complain repeat stress emphasise emphasize treat examine analyse analyze explore suggest propose "
    "recommend point reveal contain include express state claim argue observe allege debate mirror reflect tackle "
    "compare use talk speak tell deal show see find observe detect notice discern distinguish learn draw gather"
)
MENTION_PARTICLES = frozenset(
    ("come up", "came up", "comes up", "coming up", "turn up", "turns up", "turned up", "show up", "shows up",
     "crop up", "crops up", "pop up", "pops up", "stand out", "stands out", "run through", "runs through",
     "go wrong", "went wrong", "goes wrong", "gone wrong", "bring up", "brought up")
)  # fmt: skip
SPREADS = _verb_forms(
    "dominate shape pervade permeate unite connect link characterise characterize define underlie"
)
SUMMARIES = frozenset(
    "summary summaries overview overviews synopsis digest gist tl;dr tldr recap roundup abstract outline"
    " timeline timelines chronology".split()
)
SPEAKS = _verb_forms(
    "agree disagree argue say tell claim report describe mention stress emphasise emphasize criticise criticize praise "
    "recommend suggest propose identify raise make see think believe discuss point conclude find worry complain hold"
) | {"make", "making", "thought"}
SUMMARISE = _verb_forms("summarise summarize synthesise synthesize recap condense")
# What is done with all documents at once; not opening, finding or translating them.
ARRANGE = frozenset(
    "sort group cluster categorise categorize classify arrange organise organize condense distil distill compress "
    "order compare contrast extract gather interpret assess evaluate".split()
)
# What is done with documents and asks nothing of what they tell.
HANDLES = frozenset(
    "open find show print translate delete remove send forward copy move sign read load import export download "
    "upload attach scan archive destroy burn return give list name identify close save store file keep".split()
)
DESCRIBE = _verb_forms("describe characterise characterize outline sketch review analyse analyze map")
SHARES = _verb_forms(
    "differ vary agree disagree diverge converge contradict overlap share compare contrast conflict distinguish"
) | {"consistent", "inconsistent", "contradictory", "similar", "alike", "unite"}
RELATES = _verb_forms("connect relate link associate interact interrelate") | {"tied", "intertwined"}
CHANGES = _verb_forms("change evolve develop shift vary grow progress alter transform rise decline move") | {
    "grew"
}
PERIODS = frozenset("time years year decades decade period centuries century months time-span".split())
# Nouns of what is thought and said: they belong to nobody in particular.
DISCOURSE = frozenset(
    "opinion opinions tone mood discourse debate reporting coverage sentiment attitude attitudes views practice "
    "practices relations relationships thinking "
    "wording phrasing style discussion discussions perception perceptions "
    "rhetoric language "
    "emphasis focus priorities alliances networks conversation disagreement agreement contention".split()
)
# Singular nouns that narrow nothing.
GENERIC = THEME | DISCOURSE | SUMMARIES | PERIODS | frozenset(
    "whole period field world history part role attention majority way detail content contents group state art story "
    "situation landscape nature set kind type sort range variety number lot bit sentence sentences paragraph words "
    "word list help please thanks view eye bird level scale end beginning course look sense everything all anything "
    "background context interest concern importance frequency times total general nutshell glance brief short book "
    "business case file account base research work writing understanding answer question report extent degree".split()
)  # fmt: skip
DETERMINERS = frozenset("the this that a an my our your his her their its".split())
DEFINITE = frozenset(
    "the these those all every each my our both various different several many most any multiple".split()
)
SPREAD_OVER = frozenset(("across", "throughout", "among", "amongst"))
UNIVERSAL = (
    ("as", "a", "whole"),
    ("taken", "together"),
    ("all", "together"),
    ("it", "all"),
    ("all", "this"),
    ("all", "of", "it"),
    ("all", "of", "them"),
    ("across", "the", "board"),
)
# Who speaks in documents stands for them: "according to the authors", "what the witnesses agree on".
VOICES = _plurals(
    "author expert witness respondent interviewee reviewer commentator speaker researcher critic auditor observer "
    "contributor writer correspondent journalist scholar participant"
)
# Said of many things these suffice; the others want a verb of telling, or words for the documents.
OVER_AGAIN = (
    ("more", "than", "once"),
    ("again", "and", "again"),
    ("over", "and", "over"),
    ("time", "and", "again"),
    ("year", "after", "year"),
)
AGAIN = (
    *OVER_AGAIN,
    ("most", "often"),
    ("most", "frequently"),
    ("most", "commonly"),
    ("the", "most"),
    ("most", "widely"),
    ("repeatedly",),
    ("frequently",),
    ("regularly",),
)
MEETS = _words(COLLECTIONS, DOCUMENTS)  # every noun that can stand for all documents
KNOWN = _words(
    MEETS, THEMES, CLASSES, RANKS, MENTIONS, SPREADS, SUMMARIES, SUMMARISE, DESCRIBE, SHARES, RELATES, CHANGES, PERIODS,
    DISCOURSE, GENERIC, VOICES, DETERMINERS, DEFINITE, SPREAD_OVER,
    "how what which who why is are was were do does did has have been be in on of for to and or with from into by "
    "can could would will you me i we us give tell show list name find identify provide write please kinds types sorts "
    "there they them it here up out most often least "
    "come comes coming over top its own ten five three high-level executive quick short tl dr".split(),
)  # fmt: skip


def uncertain(noun: str) -> bool:
    """Whether a plural names documents only when something says so ("the stories", "issues")."""
    return noun in _SELDOM
