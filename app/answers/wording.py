"""How figures and names of the engine are said to people, the same in every panel."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from app.answers.claims import answer_sentences, headings, sentence_as_text
from app.look.counting import axis_words, calendar_day, listed
from app.look.translation import tr, trn
from core.types import Answer, Citation, Evidence, JudgedAnswer, Route, Way

LAB = "lab:"  # before the name of a composition
ROUTE_WORDS = {
    "dense": tr("Dense"),
    "fusion": tr("Fusion"),
    "graph": tr("Graph"),
    "lexical": tr("Words"),
    "global": tr("Global"),
}
ROUTE_MEANING = {
    "dense": tr("passages nearest in meaning to the question"),
    "fusion": tr("nearness in meaning, words and graph together"),
    "graph": tr(
        "facts around the names in the question, then a walk over the graph where they do not suffice"
    ),
    "lexical": tr("the words of the question, as a search engine counts them"),
    "global": tr("all documents at once, by themes"),
}
_WAY_WORDS = {
    Way.RELATION: tr("Relation"),
    Way.PROFILE: tr("Profile"),
    Way.TABLE: tr("Table"),
    Way.PART: tr("Part of a document"),
    Way.OVERVIEW: tr("Global"),
}
GLOBAL = "global"  # chosen by the words of a question, or by hand; never by its complexity
_LISTS = {"lexical": tr("words"), "dense": tr("meaning"), "graph": tr("graph")}
# Lower ends of what a probability is called, from the highest.
_PROBABILITY = (
    (0.9, tr("Very likely")),
    (0.7, tr("Likely")),
    (0.5, tr("Perhaps")),
    (0.3, tr("Unsure")),
    (0.0, tr("Unlikely")),
)
NO_ANSWER = tr("Not found in these documents")
NOTHING_ASKED = tr("Ask a whole question")
ANSWER = tr("Answer")
POSSIBLE = tr("Possible answer")


def duration(seconds: float) -> str:
    """Three figures at most, with the unit: 0.4 ms, 12 ms, 1.24 s, 2 min 05 s."""
    if seconds < 0.001:
        return tr("{number} ms", number=f"{seconds * 1000:.1f}")
    if seconds < 0.9995:
        return tr("{number} ms", number=f"{seconds * 1000:.0f}")
    if seconds < 60:
        return tr("{number} s", number=f"{seconds:.2f}")
    return tr("{minutes} min {seconds} s", minutes=f"{seconds // 60:.0f}", seconds=f"{int(seconds % 60):02d}")


def route_name(name: str) -> str:
    """Return a route as a heading; unknown names keep their letters."""
    if name.startswith(LAB):
        return tr("Composition {name}", name=name.removeprefix(LAB))
    return ROUTE_WORDS.get(name, name.capitalize())


def way_name(route: Route) -> str:
    """Return the heading of the way that a question took: that of its route, where lists were joined for it."""
    return _WAY_WORDS.get(route.way) or route_name(route.name)


def list_shares(route: Route) -> str:
    """What each ranked list counted: "Ranked by: words 44 %, meaning 44 %, graph 12 %"; "" where none were joined."""
    weights = route.complexity.weights
    alone = not route.is_ranked or route.name.startswith(LAB)
    if not weights or alone or (route.forced and route.name != "fusion"):
        return ""
    shares = [(_LISTS.get(name, name), f"{share:.0%}") for name, share in weights.items() if share >= 0.005]
    if len(shares) == 1:
        return tr("Ranked by: {list} alone", list=shares[0][0])
    parts = (tr("{list} {share}", list=name, share=share) for name, share in shares)
    return tr("Ranked by: {lists}", lists=listed(parts))


def route_sentence(route: Route) -> str:
    """Return why this route was taken, in one line."""
    complexity = route.complexity
    name = route_name(route.name)
    if route.way is Way.STEPS:
        direct = route_sentence(replace(route, way=Way.DIRECT))
        return tr("Asked in steps: {steps}. Then {route}", steps=route.reason, route=direct)
    if not route.is_ranked and route.name != GLOBAL:
        return tr("{route}: the question {reason}.", route=way_name(route), reason=route.reason)
    if route.name == GLOBAL:
        reason = (
            tr("the question {told}", told=route.reason)
            if route.reason
            else tr("the question is about all documents")
        )
        if route.forced:
            return tr("{route}, because you chose it; {reason}.", route=name, reason=reason)
        return tr("{route}: {reason}.", route=name, reason=reason)
    if route.forced:
        words = tr("{route}, because you chose it. By its words alone the graph's share is {share}.")
    elif route.name.startswith(LAB):
        words = tr("{route}, this workspace's own. By its words alone the graph's share is {share}.")
    elif complexity.weights.get("graph") == 0.0 and route.name in {"dense", "lexical"}:
        words = tr("{route}: the graph was not asked, since its share would be {share}, at or below {low}.")
    elif route.name in {"dense", "lexical"}:
        words = tr("{route}: the graph's share {share} is at or below {low}.")
    elif route.name == "graph":
        words = tr("{route}: the graph's share {share} is at or above {high}.")
    else:
        words = tr("{route}: the graph's share {share} lies between {low} and {high}.")
    low, high = f"{complexity.low:.2f}", f"{complexity.high:.2f}"
    return words.format(route=name, share=f"{complexity.score:.2f}", low=low, high=high)


def percent(share: float) -> str:
    """`72 %`; only 0 and 1 themselves are 0 % and 100 %."""
    return tr("{number} %", number=_of_100(share))


def _of_100(share: float) -> int:
    rounded = round(share * 100)
    return min(max(rounded, 1), 99) if 0 < share < 1 else rounded


def probability_words(probability: float) -> str:
    """That an answer is right, in words and figures: `Likely, 72 %`."""
    words = next((words for least, words in _PROBABILITY if probability >= least), _PROBABILITY[-1][1])
    return tr("{words}, {percent}", words=words, percent=percent(probability))


def probability_tip(probability: float) -> str:
    """Return where the number comes from."""
    return tr(
        "Of 100 answers with this number, about {number} are right. It was fitted on questions that the model did not "
        "learn from.",
        number=_of_100(probability),
    )


def judged_words(judged: JudgedAnswer, answer: Answer) -> str:
    """What was said before of an answer to the same question: `You judged this answer right on 3 March 2026`."""
    which = tr("this answer") if judged.answer == answer.text else tr("the refusal to answer")
    if judged.answer and judged.answer != answer.text:
        which = tr("the answer \u201c{answer}\u201d", answer=" ".join(judged.answer.split()))
    try:
        day = calendar_day(datetime.fromisoformat(judged.created).astimezone())
        words = (
            tr("You judged {which} right on {day}")
            if judged.right
            else tr("You judged {which} wrong on {day}")
        )
    except ValueError:
        day, words = "", tr("You judged {which} right") if judged.right else tr("You judged {which} wrong")
    sentence = words.format(which=which, day=day)
    if judged.right_answer:
        return tr("{said}; the right one: \u201c{answer}\u201d.", said=sentence, answer=judged.right_answer)
    return tr("{said}.", said=sentence)


def place_words(page: int | None) -> str:
    """`page 3`, or nothing where the format has no pages."""
    return tr("page {page}", page=str(page)) if page else ""


def placed(title: str, place: str) -> str:
    """`Title, page 3`, or the one of them that there is."""
    return tr("{title}, {place}", title=title, place=place) if title and place else title or place


def citation_place(citation: Citation) -> str:
    """`Payments!A12:F12`, `page 3`, or nothing where the format has neither.

    A table that is called like its document, as a CSV file's is, says only which cells.
    """
    sheet, _, cells = citation.place.rpartition("!")
    place = cells if sheet == citation.title else citation.place
    return place or place_words(citation.page)


def citation_line(number: int, citation: Citation) -> str:
    """One line of a list of sources: `[1] Title, page 3 (folder/file.pdf)`."""
    named = placed(citation.title or citation.document, citation_place(citation))
    return f"[{number}] {named} ({citation.document})"


def answer_as_text(answer: Answer) -> str:
    """Question, answer with its marks, sources: what is copied to the clipboard."""
    lines = [answer.trace.question, ""]
    if scope_line := scope_words(answer):
        lines = [answer.trace.question, scope_line, ""]
    if answer.abstained:
        headline = NOTHING_ASKED if answer.unasked else NO_ANSWER
        return "\n".join([*lines, tr("{headline}.", headline=headline), answer.missing]).strip()
    if answer.guess:
        state = tr("{state} ({percent})", state=POSSIBLE, percent=percent(answer.confidence))
        lines += [tr("{state}: {answer}", state=state, answer=answer.text), ""]
    elif has_short_answer(answer):
        lines += [answer.text, ""]
    if answer.put_as:
        lines += [answer.put_as, ""]
    sentences = answer_sentences(answer)
    heads = headings(sentences, answer.communities)
    paragraphs: list[list[str]] = [[]]
    for at, row in enumerate(sentences):
        if at in heads:
            paragraphs.append([tr("{heading}:", heading=heads[at])])
        paragraphs[-1].append(sentence_as_text(row))
    for paragraph in paragraphs:
        lines += [" ".join(paragraph), ""] if paragraph else []
    if answer.communities:
        lines += [reports_line(answer), ""]
    for number, citation in enumerate(answer.citations, start=1):
        lines += [citation_line(number, citation), f"    \u201c{' '.join(citation.quote.split())}\u201d"]
    return "\n".join(lines)


def attribution(answer: Answer) -> str:
    """Return who says so: `According to Arrest at the airport (9 November 2021), in 2 documents`; "" where it is not
    read from a sentence."""
    citation = answer.main_citation
    if citation is None and answer.documents and answer.citations:
        citation = answer.citations[0]  # of yes, of no, of a list
    if citation is None:
        return ""
    title = " ".join((citation.title or citation.document).split())
    named = tr("{title} ({date})", title=title, date=stated_day(citation.date)) if citation.date else title
    if answer.documents < 2:
        return tr("According to {title}", title=named)
    return trn(
        "According to {title}, in {count} document",
        "According to {title}, in {count} documents",
        answer.documents,
        title=named,
    )


def stated_day(date: str) -> str:
    """Return an ISO date in words as far as it goes: `9 November 2021`, `Nov 2021`, `2021`."""
    try:
        day = datetime.fromisoformat(f"{date}-01" if len(date) == len("2021-11") else date)
    except ValueError:
        return date
    return calendar_day(day) if len(date) > len("2021-11") else axis_words(day, "M")


def values_line(answer: Answer) -> str:
    """`Sources differ: £412,000 (3 documents), £388,150 (1 document)`; "" where they do not."""
    if not answer.conflicts:
        return ""
    values = [(answer.text, answer.documents), *((each.text, each.documents) for each in answer.conflicts)]
    words = (
        trn("{value} ({count} document)", "{value} ({count} documents)", count, value=" ".join(value.split()))
        for value, count in values
    )
    return tr("Sources differ: {values}", values=listed(words))


def scope_words(answer: Answer) -> str:
    """`Only in 12 of 133 passages: Calder Reach Trading`; "" where all documents were looked in."""
    scope = answer.trace.coverage
    return tr("Only in {scope}", scope=scope.words) if scope else ""


def first_lines(answer: Answer) -> tuple[str, str]:
    """Return what the answer begins with, and what it lists below, a thing a line; "" where it lists nothing.

    `The documents fall into two themes: A; B.` begins with `The documents fall into two themes:`.
    """
    if not (answer.listed and quotes_only(answer)):
        return " ".join(answer.text.split()), ""
    things = [" ".join(thing.split()) for thing in answer.listed]
    lines = "\n".join(f"\u2022 {thing}" for thing in things) if len(things) > 1 else f"{things[0]}."
    return f"{' '.join(answer.lead.split())}:", lines


def quotes_only(answer: Answer) -> bool:
    """Return whether it is an answer about all documents of which no sentence is anybody's own words."""
    about_all = bool(answer.communities) or answer.trace.route.name == GLOBAL
    return about_all and not answer.claims and not answer.usage.calls


def reports_line(answer: Answer) -> str:
    """`Rests on: ...`, for an answer about all documents."""
    titles = tr("; ").join(" ".join(community.title.split()) for community in answer.communities)
    return tr("Rests on: {titles}", titles=titles)


def has_short_answer(answer: Answer) -> bool:
    """Return whether `text` says something else than the first sentence, or than all that follow on some."""
    sentences = [row.text for row in answer_sentences(answer)]
    text = " ".join(answer.text.split())
    wholes = [" ".join(sentences[at:]) for at in range(len(sentences))]
    return bool(text) and text not in (*sentences[:1], *wholes)


def reason_of(evidence: Evidence, answer: Answer) -> str:
    """Return why a passage is in the list, in one line; the facts of a chain are shown beside it.

    Without an explanation, as far as the trace tells: the seeds that it names, or the route.
    """
    why = evidence.why
    if why is not None and why.path and why.entity_ids:
        first = why.path[0]
        facts = trn(
            "{count} fact from {entity}, strength {strength}",
            "{count} facts from {entity}, strength {strength}",
            len(why.path),
            entity=first.subject if first.subject_id == why.entity_ids[0] else first.object,
            strength=f"{why.strength:.2f}",
        )
        ranks = listed(f"{part} {rank}" for part, rank in why.ranks.items())
        return tr("{facts} (rank: {ranks})", facts=facts, ranks=ranks) if ranks else facts
    if why is not None:
        return why.words
    text = f"{evidence.passage.title} {evidence.passage.text}".casefold()
    named = [seed.name for seed in answer.trace.seeds if seed.name.casefold() in text]
    if named:
        more = [trn("{count} more", "{count} more", len(named) - 3)] if len(named) > 3 else []
        return tr("names {names}", names=listed([*named[:3], *more]))
    if answer.trace.seeds:
        return tr("reached over the graph")
    if answer.communities:
        return tr("tells of a theme")
    return tr("near in meaning")
