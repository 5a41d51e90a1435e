"""What kind of thing a question's noun asks for: words written out, labels as spaCy names them."""

from __future__ import annotations

# Question words of languages that no parser here knows, but for what English writes alike ("was").
INTERROGATIVES = frozenset(
    "wer wen wem wessen wann wo wohin woher wie wieviel warum wieso weshalb welche welcher welches welchen welchem"
    " qui quoi quand où comment pourquoi combien quel quelle quels quelles lequel laquelle"
    " quién quiénes qué cuándo dónde cómo cuál cuáles cuánto cuánta cuántos cuántas"
    " chi cosa quando dove come perché quanto quanta quanti quante quale quali"
    " quem onde porquê qual quais wat wanneer waar waarom welke hoe hoeveel"
    " vem vad när var hur varför vilken hvem hva hvad hvornår når hvor hvorfor hvordan hvilken hvilke"
    " kto gdzie kiedy dlaczego jak ile który"
    " кто кого кому что где куда откуда когда почему зачем как какой какая какое какие сколько чей чья"
    " 누구 누가 무엇 뭐 언제 어디 왜 어떻게 몇 だれ 誰 何 いつ どこ なぜ どう いくつ"
    " 谁 什么 哪里 哪 几 多少 为什么 怎么 من ماذا ما متى أين كيف كم لماذا מי מה מתי איפה למה איך כמה".split()
)


def is_interrogative(word: str, following: str) -> bool:
    """Return whether a word asks in another language; "Was kostet" is German, "Was the", "Was Anna" are not."""
    low = word.casefold()
    if low == "was":
        return following.islower() and following not in _BEHIND_WAS
    return low in INTERROGATIVES


_BEHIND_WAS = frozenset(
    "the a an it he she his her their this that there any one my our your its no not anything anyone anybody"
    " everything everyone everybody something someone somebody nothing nobody all both each every some many much more"
    " most enough either neither these those which who what".split()
)

PEOPLE = ("PERSON",)
PEOPLE_OR_GROUPS = ("PERSON", "ORG", "NORP")
PLACES = ("GPE", "LOC", "FAC")
DATES = ("DATE",)
NUMBERS = ("CARDINAL", "QUANTITY", "ORDINAL")
MONEY = ("MONEY",)
WORKS = ("WORK", "WORK_OF_ART")
GROUPS = ("ORG",)
NATIONS = ("GPE", "NORP")

_NOUNS: dict[tuple[str, ...], str] = {
    DATES: "date year month day decade century birthday birthdate deadline anniversary era weekday",
    ("TIME", "DATE"): "time hour",
    NATIONS: "country nation nationality citizenship",
    ("GPE", "LOC"): "city town village state county province district region municipality capital "
    "suburb borough territory republic kingdom neighbourhood neighborhood settlement birthplace hometown",
    (
        "LOC",
        "GPE",
        "FAC",
    ): "place location continent river mountain lake ocean sea island valley range peninsula "
    "desert bay coast area harbour harbor port waterfall hemisphere",
    (
        "FAC",
        "ORG",
        "GPE",
        "LOC",
    ): "airport station bridge building stadium museum street road church castle tower "
    "hotel hospital venue warehouse office berth pier dock cemetery estate address",
    ("ORG", "FAC"): "university school college",
    GROUPS: "company firm organization organisation association team club band group party agency newspaper "
    "label publisher network bank insurer smelter shipyard yard committee ministry department "
    "league orchestra employer owner "
    "institution institute brand manufacturer channel supplier customer client bureau charity foundation",
    WORKS: "film movie song album book novel single series show magazine play poem opera game painting "
    "episode soundtrack musical comedy drama title work story article",
    ("LANGUAGE", "NORP"): "language dialect",
    ("NORP", "ORG"): "religion denomination ethnicity tribe faith",
    ("EVENT", "DATE"): "event war battle tournament festival championship conference meeting election",
    MONEY: "price cost salary sum fee fine revenue budget profit payment invoice rent premium debt",
    ("MONEY", "QUANTITY", "CARDINAL", "PERCENT"): "amount value",
    ("PERCENT", "CARDINAL"): "percentage percent share rate",
    (
        "CARDINAL",
        "QUANTITY",
    ): "number population quantity length height width depth weight distance speed size count "
    "capacity tonnage",
    ("CARDINAL", "DATE"): "age",
    ("DATE", "TIME"): "duration period",
    (
        "PRODUCT",
        "ORG",
        "FAC",
        "WORK",
        "WORK_OF_ART",
        "PERSON",
        "OTHER",
    ): "ship vessel boat yacht ferry freighter "
    "trawler tanker car aircraft plane model product device vehicle",
    ("LAW", "OTHER"): "law act treaty contract agreement clause",
    (
        "ORG",
        "PERSON",
    ): "owner holder shareholder buyer seller manager operator charterer sender payer payee beneficiary "
    "creditor debtor lender borrower tenant landlord partner developer maker builder recipient addressee",
    PEOPLE: "man woman person father mother son daughter brother sister husband wife spouse uncle aunt cousin "
    "nephew niece child parent sibling grandfather grandmother grandson granddaughter stepfather "
    "stepmother king queen "
    "prince princess emperor president chief captain friend colleague boss widow widower star coach judge "
    "poet artist musician politician guard clerk accountant secretary chairman chairwoman chair witness "
    "lawyer surgeon spy hero heir successor predecessor cook host producer sculptor architect mate sailor in-law",
}

LABELS: dict[str, tuple[str, ...]] = {
    word: labels for labels, words in _NOUNS.items() for word in words.split()
}

_PERSON_ENDINGS = ("ist", "ess", "man", "woman", "ian", "eer")
_AGENTIVE = ("er", "or")
# Nouns in -er and -or that are not people.
_NOT_AGENTS = frozenset(
    "ledger charter quarter voucher header footer number order letter paper water power river tower "
    "factor sector sensor motor monitor error color colour "
    "container tanker freighter trawler cover matter offer reactor computer register center centre "
    "corner border summer winter chapter folder filter layer flavor flavour character member-state "
    "copper silver timber rubber butter sugar fodder solder lumber rudder mortar liquor "
    "theater theatre disaster cancer answer feather weather leather shoulder finger tractor elevator mirror".split()
)

# "the date of birth": the second noun names an attribute, never a thing to look up.
ATTRIBUTES = frozenset(
    "birth death burial origin citizenship nationality release publication foundation founding establishment "
    "issue residence employment education name kind type sort part number end beginning start time date place "
    "birthday birthplace cause year age one some all any use rest top bottom middle".split()
)

COMPARISONS = frozenset(
    "older younger earlier later first longer shorter taller bigger larger smaller more less fewer higher lower "
    "closer further farther before after newer recent recently most least same both different".split()
)


def labels_of(noun: str) -> tuple[str, ...]:
    """Return the labels that a thing called by this noun (a lower-case lemma) carries; () when unknown."""
    known = LABELS.get(noun)
    if known is not None:
        return known
    if len(noun) > 4 and noun not in _NOT_AGENTS and noun.endswith(_PERSON_ENDINGS + _AGENTIVE):
        return PEOPLE
    return ()
